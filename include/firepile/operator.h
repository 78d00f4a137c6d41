/** Operators: snippets of OpenCL C or GPU_FUNCTIONs, and the values they capture.
 *
 * A snippet is an expression, or a body in braces with `return`:  "x * 2"   "{ float t = x * x; return t + 1; }"
 * Brackets, quotes and comments must balance. Names in a snippet:
 *
 *     x, y, z    the elements (map, predicates)          i    their index, a ulong (map)
 *     a, b       left and right operand (reduce, scan)
 *     captures   under their own names                   helpers   GPU_FUNCTIONs, GPU_DEVICE_FUNCTIONs, GPU_CONSTANTs
 *
 * Names that start with fp_ or FP_ belong to the library, everything else is free. A body's outermost block cannot
 * declare a variable by the name of an operand that it has, of `i`, or of a capture; inner blocks and heads of loops
 * can. Names that OpenCL C has for types and numbers (image2d_t, NAN, INT_MAX, M_PI_F) cannot be captured.
 * GPU_E_SNIPPET too are a comma whose left side does nothing, as in (x, y) for (float2)(x, y), and a predicate that
 * assigns, x = 2. Trigraphs and lines joined by a backslash are read as C does.
 *
 * Instead of a snippet, the name of a GPU_FUNCTION (firepile/define.h) may stand. Its parameters are the operands in
 * that order; further ones are taken by name from the captures (of an array, as GPU_GLOBAL const T *name), or are `i`.
 * Its types are checked when the call is made.
 *
 * Example
 *     float k = 3;
 *     gpu_array *table = gpu_array_of(g, data, n);
 *     gpu_array *scaled = gpu_map(x, "x * k + table[i % 5]", GPU_ARG(k), GPU_ARG(table));
 */
#ifndef FIREPILE_OPERATOR_H
#define FIREPILE_OPERATOR_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** A captured value: its name in the snippet, where it is, its type. Values are copied when the call is made; of an
 * array (GPU_CAPTURE_ARRAY; `value` points to the gpu_array pointer) the snippet sees `__global const T *name`. */
typedef struct gpu_capture {
    const char *name;
    const void *value;
    gpu_type type;
    size_t size;
} gpu_capture;

/** The type of a captured gpu_array. */
GPU_API extern const gpu_type_info gpu_capture_array_type;
#define GPU_CAPTURE_ARRAY (&gpu_capture_array_type)

/** The mark behind GPU_COMMUTATIVE. */
GPU_API extern const gpu_capture gpu_commutative;

/** The user's word that op(a, b) == op(b, a), for associative operators that the library does not recognise: reduce
 * may then combine elements in any order, the fastest path on GPUs. Stands among the captures. */
#define GPU_COMMUTATIVE (&gpu_commutative)

/** An operator as the macros pass it. `snippet`, or `function` (the address of a GPU_FUNCTION, or a
 * GPU_DEVICE_FUNCTION's name); `captures` is a list that ends with NULL, or NULL. */
typedef struct gpu_operator {
    const char *snippet;
    const void *function;
    const gpu_capture *const *captures;
    const gpu_place *place;
} gpu_operator;

#ifdef __cplusplus
/** In C++ firepile::arg takes their place. */
#define GPU_ARG(variable) GPU_FOR_C_(const gpu_capture *)
#define GPU_ARG_AS(name, type, lvalue) GPU_FOR_C_(const gpu_capture *)
#define GPU_OPERATOR_(op, ...) GPU_FOR_C_(const gpu_operator *)
#else
#define GPU_CAPTURED_(v)                                                                                               \
    _Generic((v), gpu_array * : &gpu_capture_array_type, const gpu_array * : &gpu_capture_array_type,                  \
             _Bool : &gpu_type_uchar, default : GPU_POINTEE_(&(v)))

/** Captures a variable under its own name: a scalar, a vector or a gpu_array pointer. */
#define GPU_ARG(variable) (&(const gpu_capture){#variable, &(variable), GPU_CAPTURED_(variable), sizeof(variable)})

/** Captures anything else: `lvalue`, of element type `type`, under the name `name`. */
#define GPU_ARG_AS(name, type, lvalue) (&(const gpu_capture){#name, &(lvalue), (type), sizeof(lvalue)})

#define GPU_SNIPPET_(op) _Generic((op), char * : (op), const char * : (op), default : (const char *)0)
#define GPU_ADDRESS_(op)                                                                                               \
    _Generic((op), char * : (const void *)0, const char * : (const void *)0, default : __extension__(const void *)(op))

/* An operator followed by its captures; the caller ends the list with NULL. */
#define GPU_OPERATOR_(op, ...)                                                                                         \
    (&(const gpu_operator){GPU_SNIPPET_(op), GPU_ADDRESS_(op), (const gpu_capture *const[]){__VA_ARGS__}, GPU_HERE})
#endif

GPU_END_DECLS
#endif
