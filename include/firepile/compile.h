/** Compile: a pipeline as a C function.
 *
 * Symbols stand for arrays and values that come later. What is made of them computes nothing; gpu_compile makes a
 * function of it, whose calls do. All operations that make arrays take symbols: maps, scans, sorts, gpu_reduced, ...
 * Those that bring something to the host (gpu_read, gpu_length, gpu_reduce, ...) refuse them with GPU_E_ARGUMENT.
 *
 * Example
 *     gpu_array *v = gpu_symbol(g, GPU_FLOAT), *p = gpu_symbol_value(g, GPU_FLOAT);
 *     gpu_array *r = gpu_reduced(gpu_map(v, "pow(fabs(x), p[0])", GPU_ARG(p)), "a + b");
 *     gpu_status (*norm)(float *out, const gpu_array *v, float p);
 *     float cubes;
 *     if (gpu_compile(&norm, r, v, p) || norm(&cubes, x, 3.0f)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_COMPILE_H
#define FIREPILE_COMPILE_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** An array that comes later, of any length.
 * Errors    GPU_E_ARGUMENT, GPU_E_TYPE, GPU_E_LAYOUT for `type`, as gpu_array_from. */
#define gpu_symbol(g, type) gpu_symbol_op((g), (type), GPU_HERE)
GPU_API gpu_array *gpu_symbol_op(gpu *g, gpu_type type, const gpu_place *place);

/** One value that comes later: an array of one element. Operators capture it with GPU_ARG, as p[0]; then it costs no
 * buffer: it becomes an argument of the kernel. Errors as gpu_symbol. */
#define gpu_symbol_value(g, type) gpu_symbol_value_op((g), (type), GPU_HERE)
GPU_API gpu_array *gpu_symbol_value_op(gpu *g, gpu_type type, const gpu_place *place);

/** gpu_compile(&function, result, symbols...): sets `function`, a pointer to a function that computes `result`.
 *
 * Signature gpu_status (*function)(OUT, one parameter for each symbol, in the order given).
 *           OUT is `T *out` for a result that has one element whatever is passed: that of gpu_reduced, a slice of one,
 *           a gpu_symbol_value, and maps and gpu_reverse of those alone. The value is written there; on failure it
 *           stays untouched. For all other results OUT is `gpu_array **out`, which becomes an array of the calling
 *           thread's scope, computed but not waited for; on failure it is in error. A gpu_symbol is passed as
 *           `const gpu_array *`, a gpu_symbol_value by value, as its type on the host.
 *           The C compiler does not check that the pointer's type is this one; messages print what it has to be.
 * Cost      gpu_compile builds the kernels, unless a length or a value decides which, and computes the delayed arrays
 *           that are no symbols. A call costs the launches and the waits of its operations, with what is fused into
 *           them, and one wait for a value. Texts and operators are not looked at again.
 * Owner     the gpu: the function is valid until gpu_close. Symbols and what is made of them may be freed before.
 *           Several threads may call it at once.
 * Errors    GPU_E_ARGUMENT for a symbol that the result is made of and that is not given, for one that is given twice
 *           or not used, for a result that is a bare symbol or made of none. GPU_E_SNIPPET for an operator that the
 *           compiler refuses. GPU_E_TYPE for a value of a type that C functions cannot be passed here
 *           (firepile/define.h). GPU_E_MEMORY.
 *           Of a call: those of its operations, and GPU_E_ARGUMENT or GPU_E_TYPE for an array that is NULL, of another
 *           gpu or of another type. */
#ifdef __cplusplus
#define gpu_compile(function, ...) GPU_FOR_C_(gpu_status)
#else
#define gpu_compile(function, ...) gpu_compile_((function), #function ", " #__VA_ARGS__, __VA_ARGS__, NULL)
#define gpu_compile_(function, names, result, ...)                                                                     \
    gpu_compile_op(__extension__(void *)(function), __extension__ sizeof(*(function)), (result),                       \
                   (const gpu_array *const[]){__VA_ARGS__},                                                            \
                   sizeof((const gpu_array *const[]){__VA_ARGS__}) / sizeof(gpu_array *) - 1, (names), GPU_HERE)
#endif

/** The function behind the macro. `function` is the address of a function pointer, `size` that pointer's size; `names`,
 * which may be NULL, is "&function, result, symbol, symbol, ...", for messages. */
GPU_API GPU_CHECKED gpu_status gpu_compile_op(void *function, size_t size, const gpu_array *result,
                                              const gpu_array *const *symbols, size_t count, const char *names,
                                              const gpu_place *place);

GPU_END_DECLS
#endif
