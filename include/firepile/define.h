/** One definition for host and device: structs, functions, constants.
 *
 * Each macro stands at file scope and ends with `;`. A snippet sees the definitions of its own C file first. A name
 * that only other files define is taken from there if their definitions agree. A kernel contains a definition only if
 * the snippet names it, or another definition in the kernel does.
 *
 * A shared object with definitions may be unloaded. Arrays made with its snippets, constants and structs stay valid. A
 * delayed array that still needs one of its functions is then GPU_E_ARGUMENT.
 *
 * Example (file scope)
 *     GPU_STRUCT(particle, float x; float y; float mass;);
 *     GPU_FUNCTION(float, energy, (particle p), { return 0.5f * p.mass * (p.x * p.x + p.y * p.y); });
 *     GPU_FUNCTION(float, add, (float a, float b), { return a + b; });
 *     GPU_FUNCTION(float, priced, (int x, GPU_GLOBAL const float *prices), { return prices[x]; });
 *     GPU_CONSTANT(GRAVITY, 9.81f);
 *     GPU_ENUM(LIGHT, HEAVY);
 *     GPU_FUNCTION(int, weight_class, (particle p), { return p.mass > GRAVITY ? HEAVY : LIGHT; });
 */
#ifndef FIREPILE_DEFINE_H
#define FIREPILE_DEFINE_H

#include <firepile/type.h>

GPU_BEGIN_DECLS

typedef enum gpu_definition_kind {
    GPU_DEFINES_FUNCTION,
    GPU_DEFINES_DEVICE_FUNCTION,
    GPU_DEFINES_CONSTANT,
    GPU_DEFINES_STRUCT,
    GPU_DEFINES_COMPILED,
    GPU_DEFINES_KERNEL
} gpu_definition_kind;

/** A definition, as the macros register it. */
typedef struct gpu_definition {
    gpu_definition_kind kind;
    const char *name;
    const char *result;     /**< a function's return type */
    const char *parameters; /**< a function's parameters, parentheses included */
    const char *body;       /**< a function's body, braces included */
    const void *address;    /**< a function's: the pointer that an operator argument passes */
    const void *value;      /**< a constant's value */
    gpu_type type;          /**< a constant's or a struct's type */
    gpu_place place;
    int loose; /**< a function's: GPU_LOOSE_ in its C file */
    int math;  /**< a function's: GPU_MATH_ in its C file */
    struct gpu_definition *next;
} gpu_definition;

/** 1 if the compiler does not round floating arithmetic after each operation, as devices do: under -ffast-math, or with
 * wider registers. */
#if defined __FAST_MATH__ || (defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0)
#define GPU_LOOSE_ 1
#else
#define GPU_LOOSE_ 0
#endif

/** 1 in files that include firepile/math.h, where the math functions have their arguments' type; a macro there. */
#ifndef GPU_MATH_
enum { GPU_MATH_ = 0 };
#endif

/** Registers a definition, and removes it. The macros call them before main and at unloading. */
GPU_API void gpu_define(gpu_definition *definition);
GPU_API void gpu_undefine(gpu_definition *definition);

#ifdef __cplusplus
/** In C++ each of these macros is a compile error. */
#define GPU_FOR_C_FILES_ "is for C files: a C++ file takes the address of a GPU_FUNCTION that a C file hands out"
#define GPU_FUNCTION(...) static_assert(false, "firepile: GPU_FUNCTION " GPU_FOR_C_FILES_)
#define GPU_DEVICE_FUNCTION(...) static_assert(false, "firepile: GPU_DEVICE_FUNCTION " GPU_FOR_C_FILES_)
#define GPU_CONSTANT(...) static_assert(false, "firepile: GPU_CONSTANT " GPU_FOR_C_FILES_)
#define GPU_ENUM(...) static_assert(false, "firepile: GPU_ENUM " GPU_FOR_C_FILES_)
#define GPU_STRUCT(...) static_assert(false, "firepile: GPU_STRUCT " GPU_FOR_C_FILES_)
#define GPU_TYPE(name) GPU_FOR_C_(gpu_type)
#else

#define GPU_REGISTER_(name)                                                                                            \
    __attribute__((constructor)) static void gpu_define_##name##_(void) { gpu_define(&gpu_definition_##name##_); }     \
    __attribute__((destructor)) static void gpu_undefine_##name##_(void) { gpu_undefine(&gpu_definition_##name##_); }  \
    _Static_assert(1, "a definition ends with a semicolon")

/** Stands before the type of a GPU_FUNCTION's parameter that points to a captured array. */
#define GPU_GLOBAL

/* The host's side computes as devices do. It does not contract a * b + c into an fma. Signed integers wrap around, and
 * negative numbers may be shifted to the left. The operation decides the parameters, so some may be unused. */
#ifdef __clang__
#define GPU_HOST_FUNCTION_(head, ...)                                                                                  \
    GPU_UNUSED __attribute__((no_sanitize("shift-base"))) head { _Pragma("clang fp contract(off)") __VA_ARGS__ }
#else
/* Without a fused multiply-add on the target nothing is contracted. gcc inlines a function only where its options are
 * the caller's. The words __FMA__ and __FMA4__ become 1 if an option or a pragma before the function allows them. */
#if defined __x86_64__ || defined __i386__
#define GPU_CONTRACTION_ GPU_IF_FUSED_(__FMA__) GPU_IF_FUSED_(__FMA4__)
#define GPU_IF_FUSED_(word) GPU_IF_FUSED_WORD_(word)
#define GPU_IF_FUSED_WORD_(word) GPU_IF_FUSED_##word
#define GPU_IF_FUSED_1 "fp-contract=off",
#define GPU_IF_FUSED___FMA__
#define GPU_IF_FUSED___FMA4__
#else
#define GPU_CONTRACTION_ "fp-contract=off",
#endif
#define GPU_HOST_FUNCTION_(head, ...)                                                                                  \
    GPU_UNUSED __attribute__((optimize(GPU_CONTRACTION_ "wrapv"), no_sanitize("shift-base"))) head __VA_ARGS__
#endif
#define GPU_HOST_SIDE_(head, ...)                                                                                      \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")                            \
        GPU_HOST_FUNCTION_(head, __VA_ARGS__) _Pragma("GCC diagnostic pop")

/** GPU_FUNCTION(result, name, (parameters), { body }): a C function for the host, and for the device by its text. The
 * device gets the text as written, before macro expansion: its constants must be GPU_CONSTANTs or GPU_ENUMs. A
 * parameter for a captured array is written GPU_GLOBAL const float *name; on the device it is read-only global memory.
 * firepile/math.h makes the standard math functions mean the same on both sides.
 *
 * A function used as an operator is checked when the call is made, on every device and for every length:
 *
 * Parameters The operands come first. Each further parameter has the name of a capture, or is `i`.
 * Types      Allowed are char ... double, int8_t ... uint64_t, bool, size_t, vectors such as gpu_float4, and
 *            GPU_STRUCTs.
 *            - Structs, vectors and the elements of captured arrays must match exactly.
 *            - A scalar is converted if its new type holds all its values: from element or captured value to parameter,
 *              and from result to element. An integer may also become a floating number, and `i` any scalar.
 *            - Refused are long to int, double to float, float to int, and int to unsigned. Convert the elements with
 *              gpu_map_to first, or write a snippet, "(int)third(x)", which converts as C does.
 *            - Predicates and comparators return any scalar.
 * Names      No parameter or variable has the name of a word of OpenCL C (half, local, global, kernel, constant, uint,
 *            float4, sampler_t ...), or begins with fp_ or FP_.
 * Body       It returns a value, does not recurse, and calls only functions that a device has.
 * Integers   Signed integers wrap around; with clang the host's side needs -fwrapv for that. Undefined, as in C, are:
 *            - a shift by the width or more
 *            - a division by zero, or of the least number by -1: it ends a program on the host
 *            - the conversion of a floating number to an integer type that cannot hold it: on a device write
 *              convert_int_sat. Where the library converts on the host, it takes the nearest value of the type, and 0
 *              for NaN.
 * Calls in C gcc inlines the host's side under -fwrapv; where the target has a fused multiply-add, -ffp-contract=off
 *            must be there too.
 * Errors     GPU_E_ARGUMENT: too few parameters, or one that is neither operand nor captured. GPU_E_TYPE: types.
 *            GPU_E_SNIPPET: the text. A mistake that only a compiler finds is reported when a device compiles the
 *            function; the host device does not report it. */
#define GPU_FUNCTION(result_, name_, parameters_, ...)                                                                 \
    GPU_HOST_SIDE_(static result_ name_ parameters_, __VA_ARGS__)                                                      \
    static gpu_definition gpu_definition_##name_##_ =                                                                  \
        GPU_FUNCTION_OF_(#result_, #name_, #parameters_, #__VA_ARGS__, name_, &gpu_unit_);                             \
    GPU_REGISTER_(name_)
#define GPU_FUNCTION_OF_(result_, name_, parameters_, body_, function_, unit_)                                         \
    {                                                                                                                  \
        .kind = GPU_DEFINES_FUNCTION, .name = name_, .result = result_, .parameters = parameters_, .body = body_,      \
        .address = __extension__(const void *)(function_), .place = {__FILE__, __LINE__, unit_}, .loose = GPU_LOOSE_,  \
        .math = GPU_MATH_                                                                                              \
    }

/** GPU_DEVICE_FUNCTION(result, name, (parameters), { body }): a function for the device only; its body may use all of
 * OpenCL C. `name` may be used as an operator. Parameters and result are then checked as for a GPU_FUNCTION, with
 * OpenCL C's names of types. A parameter for a captured array is written __global const float *name. */
#define GPU_DEVICE_FUNCTION(result_, name_, parameters_, ...)                                                          \
    static gpu_definition gpu_definition_##name_##_ = {.kind = GPU_DEFINES_DEVICE_FUNCTION,                            \
                                                       .name = #name_,                                                 \
                                                       .result = #result_,                                             \
                                                       .parameters = #parameters_,                                     \
                                                       .body = #__VA_ARGS__,                                           \
                                                       .address = &gpu_definition_##name_##_,                          \
                                                       .place = {__FILE__, __LINE__, &gpu_unit_}};                     \
    GPU_UNUSED static const gpu_definition *const name_ = &gpu_definition_##name_##_;                                  \
    GPU_REGISTER_(name_)

/** GPU_CONSTANT(name, value): a scalar constant with the same bits on both sides. */
#define GPU_CONSTANT(name_, ...)                                                                                       \
    GPU_UNUSED static const __typeof__(__VA_ARGS__) name_ = (__VA_ARGS__);                                             \
    static gpu_definition gpu_definition_##name_##_ = {.kind = GPU_DEFINES_CONSTANT,                                   \
                                                       .name = #name_,                                                 \
                                                       .value = &name_,                                                \
                                                       .type = GPU_POINTEE_(&name_),                                   \
                                                       .place = {__FILE__, __LINE__, &gpu_unit_}};                     \
    GPU_REGISTER_(name_)

/** GPU_ENUM(NAME, NAME, ...): up to 16 int constants for both sides, counting from 0. Unlike a GPU_CONSTANT they may
 * label cases of a switch. Store their values in an int: the size of an enum may differ between host and device. */
#define GPU_ENUM(...)                                                                                                  \
    enum { __VA_ARGS__ };                                                                                              \
    GPU_EACH_(__VA_ARGS__, GPU_E16_, GPU_E15_, GPU_E14_, GPU_E13_, GPU_E12_, GPU_E11_, GPU_E10_, GPU_E9_, GPU_E8_,     \
              GPU_E7_, GPU_E6_, GPU_E5_, GPU_E4_, GPU_E3_, GPU_E2_, GPU_E1_, unused)                                   \
    (__VA_ARGS__)
#define GPU_EACH_(e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, each, ...) each
#define GPU_ENUMERATOR_(name_)                                                                                         \
    static const int gpu_enumerator_##name_##_ = name_;                                                                \
    static gpu_definition gpu_definition_##name_##_ = {.kind = GPU_DEFINES_CONSTANT,                                   \
                                                       .name = #name_,                                                 \
                                                       .value = &gpu_enumerator_##name_##_,                            \
                                                       .type = GPU_INT,                                                \
                                                       .place = {__FILE__, __LINE__, &gpu_unit_}};                     \
    GPU_REGISTER_(name_)
/* clang-format off */
#define GPU_E1_(e) GPU_ENUMERATOR_(e)
#define GPU_E2_(e, ...) GPU_ENUMERATOR_(e); GPU_E1_(__VA_ARGS__)
#define GPU_E3_(e, ...) GPU_ENUMERATOR_(e); GPU_E2_(__VA_ARGS__)
#define GPU_E4_(e, ...) GPU_ENUMERATOR_(e); GPU_E3_(__VA_ARGS__)
#define GPU_E5_(e, ...) GPU_ENUMERATOR_(e); GPU_E4_(__VA_ARGS__)
#define GPU_E6_(e, ...) GPU_ENUMERATOR_(e); GPU_E5_(__VA_ARGS__)
#define GPU_E7_(e, ...) GPU_ENUMERATOR_(e); GPU_E6_(__VA_ARGS__)
#define GPU_E8_(e, ...) GPU_ENUMERATOR_(e); GPU_E7_(__VA_ARGS__)
#define GPU_E9_(e, ...) GPU_ENUMERATOR_(e); GPU_E8_(__VA_ARGS__)
#define GPU_E10_(e, ...) GPU_ENUMERATOR_(e); GPU_E9_(__VA_ARGS__)
#define GPU_E11_(e, ...) GPU_ENUMERATOR_(e); GPU_E10_(__VA_ARGS__)
#define GPU_E12_(e, ...) GPU_ENUMERATOR_(e); GPU_E11_(__VA_ARGS__)
#define GPU_E13_(e, ...) GPU_ENUMERATOR_(e); GPU_E12_(__VA_ARGS__)
#define GPU_E14_(e, ...) GPU_ENUMERATOR_(e); GPU_E13_(__VA_ARGS__)
#define GPU_E15_(e, ...) GPU_ENUMERATOR_(e); GPU_E14_(__VA_ARGS__)
#define GPU_E16_(e, ...) GPU_ENUMERATOR_(e); GPU_E15_(__VA_ARGS__)
/* clang-format on */

/** GPU_STRUCT(name, members): a struct type for both sides. The members are written in this grammar:
 *
 *     member     = type declarator { "," declarator } ";"
 *                | ( "struct" | "union" ) "{" member { member } "}" [ declarator ] ";"
 *     declarator = name { "[" number "]" }
 *     type       = a scalar type of C (char ... double), int8_t ... uint64_t, uchar ... ulong, gpu_float4 and its like,
 *                  or the name of another GPU_STRUCT
 *
 * Pointers, bit-fields, enums, bool and size_t are refused: host and device do not share their meaning. Macros in the
 * members are expanded. `name` itself must not be a macro.
 * Errors    when the type is first used, on any device: GPU_E_LAYOUT for text outside the grammar, or if host and
 *           device disagree on an offset. Devices align vectors of more than 16 bytes to their whole size. */
#define GPU_STRUCT(name_, ...)                                                                                         \
    typedef struct name_ {                                                                                             \
        __VA_ARGS__                                                                                                    \
    } name_;                                                                                                           \
    static const gpu_type_info gpu_struct_##name_##_ = {.name = #name_,                                                \
                                                        .size = sizeof(name_),                                         \
                                                        .align = _Alignof(name_),                                      \
                                                        .kind = GPU_KIND_STRUCT,                                       \
                                                        .width = 1,                                                    \
                                                        .members = GPU_TEXT_(__VA_ARGS__),                             \
                                                        .unit = &gpu_unit_};                                           \
    static gpu_definition gpu_definition_##name_##_ = {.kind = GPU_DEFINES_STRUCT,                                     \
                                                       .name = #name_,                                                 \
                                                       .type = &gpu_struct_##name_##_,                                 \
                                                       .place = {__FILE__, __LINE__, &gpu_unit_}};                     \
    GPU_REGISTER_(name_)
#define GPU_TEXT_(...) #__VA_ARGS__

/** The element type of a GPU_STRUCT. */
#define GPU_TYPE(name) (&gpu_struct_##name##_)
#endif

GPU_END_DECLS
#endif
