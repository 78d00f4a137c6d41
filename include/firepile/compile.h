/** Compile: a pipeline as a C function.
 *
 * A symbol is a placeholder argument: an array or a value. Operations on symbols compute nothing; gpu_compile turns an
 * expression over symbols into a C function, and its calls compute. All operations that make arrays take symbols: maps,
 * scans, sorts, gpu_reduced, ... Operations that bring something to the host (gpu_read, gpu_length, gpu_reduce, ...)
 * refuse them with GPU_E_ARGUMENT.
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
#include <firepile/define.h>

GPU_BEGIN_DECLS

/** A placeholder for an array of any length.
 * Errors    GPU_E_ARGUMENT, GPU_E_TYPE, GPU_E_LAYOUT for `type`, as gpu_array_from. */
#define gpu_symbol(g, type) gpu_symbol_op((g), (type), GPU_HERE)
GPU_API gpu_array *gpu_symbol_op(gpu *g, gpu_type type, const gpu_place *place);

/** A placeholder for one value: an array of one element. Operators capture it with GPU_ARG and read p[0]. Then it is
 * passed as an argument of the kernel and needs no buffer. Errors as gpu_symbol. */
#define gpu_symbol_value(g, type) gpu_symbol_value_op((g), (type), GPU_HERE)
GPU_API gpu_array *gpu_symbol_value_op(gpu *g, gpu_type type, const gpu_place *place);

/** gpu_compile(&function, result, symbols...): sets `function`, a pointer to a function that computes `result`.
 *
 * Signature gpu_status (*function)(OUT, one parameter for each symbol, in the order given).
 *           - OUT is `T *out` if the result always has one element: gpu_reduced, a slice of one element, a
 *             gpu_symbol_value, and maps and gpu_reverse of these. A call writes the value there; on failure it writes
 *             nothing.
 *           - OUT is `gpu_array **out` for every other result. A call sets it to an array of the calling thread's
 *             scope, without waiting for it. On failure that array is in error.
 *           - A gpu_symbol is passed as `const gpu_array *`, a gpu_symbol_value by value, as its type on the host.
 *           A function that GPU_COMPILED declares is checked: another signature is GPU_E_TYPE. The C compiler checks
 *           none, and a call through a pointer of another type may crash. Messages print the expected signature.
 * Cost      gpu_compile builds the kernels, except those that depend on a length or a value. It also computes the
 *           delayed arrays that contain no symbol. A call costs the launches and waits of its operations, fused as
 *           usual, and one wait if it returns a value. A call does not check texts and operators again.
 * Owner     the gpu: the function is valid until gpu_close. Symbols and arrays made from them may be freed before.
 *           Several threads may call the function at once.
 * Errors    of gpu_compile: GPU_E_ARGUMENT for a symbol that is used but not given, given twice, or given but not used,
 *           and for a result that is a bare symbol or contains none. GPU_E_SNIPPET for an operator that does not
 *           compile. GPU_E_TYPE for a value that C functions cannot take by value on this machine. GPU_E_MEMORY.
 *           Of a call: those of its operations. GPU_E_ARGUMENT for an array that is NULL or of another gpu, GPU_E_TYPE
 *           for an array of another type. */
#ifdef __cplusplus
#define gpu_compile(function, ...) GPU_FOR_C_(gpu_status)
#else
#define gpu_compile(function, ...) gpu_compile_((function), #function ", " #__VA_ARGS__, __VA_ARGS__, NULL)
#define gpu_compile_(function, names, result, ...)                                                                     \
    gpu_compile_op(__extension__(void *)(function), __extension__ sizeof(*(function)), (result),                       \
                   (const gpu_array *const[]){__VA_ARGS__},                                                            \
                   sizeof((const gpu_array *const[]){__VA_ARGS__}) / sizeof(gpu_array *) - 1, (names), GPU_HERE)
#endif

/** GPU_COMPILED(name, (parameters)); at file scope: a pointer to a function, for gpu_compile to set. Its parameters are
 * known, so gpu_compile can check them. They are written in full: pointers and types have no macros in them.
 *
 *     GPU_COMPILED(norm, (float *out, const gpu_array *v, float p));
 */
#ifdef __cplusplus
#define GPU_COMPILED(...) static_assert(false, "firepile: GPU_COMPILED " GPU_FOR_C_FILES_)
#else
#define GPU_COMPILED(name_, ...)                                                                                       \
    static gpu_status(*name_) __VA_ARGS__;                                                                             \
    static gpu_definition gpu_definition_##name_##_ = {.kind = GPU_DEFINES_COMPILED,                                   \
                                                       .name = #name_,                                                 \
                                                       .parameters = #__VA_ARGS__,                                     \
                                                       .address = &(name_),                                            \
                                                       .place = {__FILE__, __LINE__, &gpu_unit_}};                     \
    GPU_REGISTER_(name_)
#endif

/** gpu_compile_all(&function, GPU_RESULTS(result, ...), symbols...): the same with up to GPU_RESULTS_MAX results. The
 * function has a parameter OUT for each, in their order, before those of the symbols.
 * Cost      of a call: its launches, and one wait for each result of one element, of which only the first takes time.
 * Errors    A call that fails writes no values, and its arrays are in error.
 *
 *     gpu_status (*step)(float *change, gpu_array **next, const gpu_array *u);
 *     if (gpu_compile_all(&step, GPU_RESULTS(change, next), u)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifdef __cplusplus
#define gpu_compile_all(function, ...) GPU_FOR_C_(gpu_status)
#else
#define gpu_compile_all(function, ...) gpu_compile_all_((function), #function ", " #__VA_ARGS__, __VA_ARGS__, NULL)
#define gpu_compile_all_(function, names, results, ...)                                                                \
    gpu_compile_all_op(__extension__(void *)(function), __extension__ sizeof(*(function)), (results),                  \
                       (const gpu_array *const[]){__VA_ARGS__},                                                        \
                       sizeof((const gpu_array *const[]){__VA_ARGS__}) / sizeof(gpu_array *) - 1, (names), GPU_HERE)
#define GPU_RESULTS(...)                                                                                               \
    (&(const gpu_results){(const gpu_array *const[]){__VA_ARGS__},                                                     \
                          sizeof((const gpu_array *const[]){__VA_ARGS__}) / sizeof(gpu_array *)})
#endif
#define GPU_RESULTS_MAX 8

/** Results, as GPU_RESULTS passes them. */
typedef struct gpu_results {
    const gpu_array *const *list;
    size_t count;
} gpu_results;

/** The functions behind the macros. `function` is the address of a function pointer, `size` that pointer's size.
 * `names` is "&function, result, symbol, symbol, ..." for messages; it may be NULL. */
GPU_API GPU_CHECKED gpu_status gpu_compile_op(void *function, size_t size, const gpu_array *result,
                                              const gpu_array *const *symbols, size_t count, const char *names,
                                              const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_compile_all_op(void *function, size_t size, const gpu_results *results,
                                                  const gpu_array *const *symbols, size_t count, const char *names,
                                                  const gpu_place *place);

GPU_END_DECLS
#endif
