/** Operators: snippets of OpenCL C or GPU_FUNCTIONs, and the values they capture.
 *
 * A snippet is an expression, or a body in braces with `return`:  "x * 2"   "{ float t = x * x; return t + 1; }"
 * Brackets, quotes and comments must balance. Trigraphs and lines joined by a backslash are read as C does. Names in a
 * snippet:
 *
 *     x, y, z    the elements (map, predicates)          i    their index, a ulong (map)
 *     a, b       left and right operand (reduce, scan)   key, x  a key and its value (dictionaries)
 *     captures   under their own names                   helpers   GPU_FUNCTIONs, GPU_DEVICE_FUNCTIONs, GPU_CONSTANTs
 *     table_length   the number of elements of a captured array `table`, a ulong. Nothing waits for it. If there is a
 *                    variable, capture or definition of that name, it is meant instead
 *
 * Some names are refused:
 * - names that start with fp_ or FP_, which belong to the library (GPU_E_SNIPPET)
 * - a variable with the name of an operand, of `i` or of a capture, in the outermost block of a body (GPU_E_SNIPPET);
 *   inner blocks and heads of loops may declare one
 * - a capture with the name of a type or number of OpenCL C: image2d_t, NAN, INT_MAX, M_PI_F (GPU_E_ARGUMENT)
 *
 * Two likely slips are GPU_E_SNIPPET: a comma whose left side does nothing, as in (x, y) for (float2)(x, y), and a
 * predicate that assigns, x = 2.
 *
 * The name of a GPU_FUNCTION (firepile/define.h) may be passed instead of a snippet. Its parameters are the operands in
 * this order. Each further parameter is `i`, or has the name of a capture; for a captured array it is a pointer,
 * GPU_GLOBAL const T *name. A parameter name_length, a uint64_t or size_t, gets the number of its elements. The types
 * are checked when the call is made.
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

/** A captured value: its name in the snippet, its address, its type and its size in bytes. The value is copied when the
 * call is made. For an array `type` is GPU_CAPTURE_ARRAY, `value` points to the gpu_array pointer, and the snippet sees
 * `__global const T *name`. */
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

/** The caller's promise that op(a, b) == op(b, a), given among the captures. It is for associative operators that the
 * library does not recognise. Reduce may then combine elements in any order, the fastest path on GPUs. */
#define GPU_COMMUTATIVE (&gpu_commutative)

/** An operator as the macros pass it. Either `snippet` is set, or `function`: the address of a GPU_FUNCTION, or the
 * name of a GPU_DEVICE_FUNCTION. `captures` is a list that ends with NULL, or NULL. */
typedef struct gpu_operator {
    const char *snippet;
    const void *function;
    const gpu_capture *const *captures;
    const gpu_place *place;
} gpu_operator;

#ifdef __cplusplus
/** In C++, use firepile::arg instead. */
#define GPU_ARG(variable) GPU_FOR_C_(const gpu_capture *)
#define GPU_ARG_NAMED(name, lvalue) GPU_FOR_C_(const gpu_capture *)
#define GPU_ARG_AS(name, type, lvalue) GPU_FOR_C_(const gpu_capture *)
#define GPU_OPERATOR_(op, ...) GPU_FOR_C_(const gpu_operator *)
#else
#define GPU_CAPTURED_(v)                                                                                               \
    _Generic((v), gpu_array * : &gpu_capture_array_type, const gpu_array * : &gpu_capture_array_type,                  \
             _Bool : &gpu_type_uchar, default : GPU_POINTEE_(&(v)))

/** Captures a variable under its own name: a scalar, a vector or a gpu_array pointer. */
#define GPU_ARG(variable) (&(const gpu_capture){#variable, &(variable), GPU_CAPTURED_(variable), sizeof(variable)})

/** The same of an lvalue, under the name `name`: GPU_ARG_NAMED(step, options->step). */
#define GPU_ARG_NAMED(name, lvalue) (&(const gpu_capture){#name, &(lvalue), GPU_CAPTURED_(lvalue), sizeof(lvalue)})

/** Captures anything else: `lvalue`, of element type `type`, under the name `name`. */
#define GPU_ARG_AS(name, type, lvalue) (&(const gpu_capture){#name, &(lvalue), (type), sizeof(lvalue)})

#define GPU_SNIPPET_(op) _Generic((op), char * : (op), const char * : (op), default : (const char *)0)
#define GPU_ADDRESS_(op)                                                                                               \
    _Generic((op), char * : (const void *)0, const char * : (const void *)0, default : __extension__(const void *)(op))

/* An operator and its captures; the caller ends the list with NULL. */
#define GPU_OPERATOR_(op, ...)                                                                                         \
    (&(const gpu_operator){GPU_SNIPPET_(op), GPU_ADDRESS_(op), (const gpu_capture *const[]){__VA_ARGS__}, GPU_HERE})
#endif

GPU_END_DECLS
#endif
