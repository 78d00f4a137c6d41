/** Arrays on the device: making them, reading them, views, scopes.
 *
 * A gpu_array is a value: no operation changes it. It may be *delayed* (it only describes what to compute) or hold a
 * buffer; programs need not know which. Lengths are in elements, size_t throughout. Host memory passed in is copied
 * before the call returns.
 *
 * Ownership: an array belongs to the innermost scope open on the calling thread, else to its gpu, and is freed with it.
 * Nothing has to be freed by hand.
 *
 * Errors: no function here returns NULL for an array. One that failed is "in error": it carries the first failure, and
 * what is made from it carries it on. NULL for a gpu or an array counts as in error.
 *
 * Example
 *     float data[] = {1, 2, 3, 4, 5}, back[5];
 *     gpu_array *numbers = gpu_array_of(g, data, 5);
 *     if (gpu_read(gpu_slice(numbers, 1, 3), back)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_ARRAY_H
#define FIREPILE_ARRAY_H

#include <firepile/device.h>
#include <firepile/type.h>

GPU_BEGIN_DECLS

typedef struct gpu_array gpu_array;
typedef struct gpu_scope gpu_scope;

/** An array of `n` elements copied from `data`; the element type is given.
 * Cost      one upload; through pinned memory when it is large and the device is a GPU. Of at most FIREPILE_SMALL
 *           elements (1024) none until a kernel needs them: operations whose bits are the same on both sides run on the
 *           host.
 * Errors    GPU_E_ARGUMENT (data NULL and n > 0; type NULL), GPU_E_TYPE (double on a device without it),
 *           GPU_E_LAYOUT, GPU_E_MEMORY. */
#define gpu_array_from(g, type, data, n) gpu_array_from_op((g), (type), (data), (n), GPU_HERE)
GPU_API gpu_array *gpu_array_from_op(gpu *g, gpu_type type, const void *data, size_t n, const gpu_place *place);

/** gpu_array_from with the element type taken from the pointer: scalars and gpu_float4 and its like. The pointer to a
 * struct has no type of ours: gpu_array_from(g, GPU_TYPE(name), ...) takes it, and this gives GPU_E_TYPE. So it does
 * for bool, which gpu_array_from takes as GPU_UCHAR, and for float[3][4], of which &a[0][0] is passed. */
#define gpu_array_of(g, data, n) gpu_array_of_op((g), GPU_VALUE_(data), (n), GPU_HERE)
GPU_API gpu_array *gpu_array_of_op(gpu *g, const gpu_value *data, size_t n, const gpu_place *place);

/** 0, 1, ... n-1 in a scalar type (integers wrap around). Delayed: no memory until something needs a buffer.
 * Errors    GPU_E_TYPE for a vector or a struct. */
#define gpu_range(g, type, n) gpu_range_op((g), (type), (n), GPU_HERE)
GPU_API gpu_array *gpu_range_op(gpu *g, gpu_type type, size_t n, const gpu_place *place);

/** `n` times the value at `value`. Delayed.
 * Errors    GPU_E_TYPE if the pointer's type is not `type`. A compound literal with a comma needs parentheses:
 *           gpu_fill(g, GPU_FLOAT2, (&(gpu_float2){1, 2}), n). */
#define gpu_fill(g, type, value, n) gpu_fill_op((g), (type), GPU_VALUE_(value), (n), GPU_HERE)
GPU_API gpu_array *gpu_fill_op(gpu *g, gpu_type type, const gpu_value *value, size_t n, const gpu_place *place);

/** The `n` elements of `a` from `first` on: a view, no copy. Of a delayed `a` it computes its own elements alone. When
 * slices of `a`, together, need more elements than it has, or a slice beside something that needs all of them, `a` is
 * computed once into a buffer, of which they are parts; slices of less than half of it do not count.
 * Errors    GPU_E_RANGE if first + n is more than the length. */
#define gpu_slice(a, first, n) gpu_slice_op((a), (first), (n), GPU_HERE)
GPU_API gpu_array *gpu_slice_op(const gpu_array *a, size_t first, size_t n, const gpu_place *place);

/** Elements in `a`; 0 for an array in error (gpu_error() then says why). Waits only where the device alone knows. */
GPU_API size_t gpu_length(const gpu_array *a);

/** The element type; NULL for an array in error. Of structs it is the library's copy of what the array was made with,
 * and lives as long as the process: compare types with gpu_type_equal. */
GPU_API gpu_type gpu_type_of(const gpu_array *a);

/** Copies all of `a` to `out`, computing it first if it is delayed.
 * Shape     `out` has room for gpu_length(a) elements; gpu_read_n checks that.
 * Cost      one wait; one launch if `a` is delayed.
 * Errors    GPU_E_TYPE if `out` points to another type; the failure of `a`. */
#define gpu_read(a, ...) gpu_read_op((a), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_read_op(const gpu_array *a, const gpu_output *out, const gpu_place *place);

/** gpu_read into room for `capacity` elements; `*n` becomes the number of elements read.
 * Errors    also GPU_E_RANGE, nothing written, if `a` is longer than `capacity`. */
#define gpu_read_n(a, out, capacity, n) gpu_read_n_op((a), GPU_OUTPUT_(out), (capacity), (n), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_read_n_op(const gpu_array *a, const gpu_output *out, size_t capacity, size_t *n,
                                             const gpu_place *place);

/** Computes a delayed array into a buffer now; an array with a buffer stays as it is. Returns `a`, in error if that
 * failed. Does not wait for the device. */
GPU_API gpu_array *gpu_eval(gpu_array *a);

/** GPU_OK, or the failure an array carries; never waits. */
GPU_API gpu_status gpu_array_status(const gpu_array *a);

/** The text of the failure an array carries; "" if there is none. Valid as long as the array. */
GPU_API const char *gpu_array_error(const gpu_array *a);

/** Frees `a` early. Memory that a delayed array still needs goes when that one goes. NULL is fine. */
GPU_API void gpu_array_free(gpu_array *a);

/** Opens a scope: what this thread makes on `g` from here on is freed by gpu_scope_end. Scopes nest. gpu_replace
 * carries arrays through a loop with a scope for each step.
 *
 * Example
 *     gpu_scope *scope = gpu_scope_begin(g);
 *     gpu_array *kept = gpu_keep(gpu_eval(gpu_map(x, "x * 2")));
 *     gpu_scope_end(scope);
 *     if (gpu_read(kept, out)) fprintf(stderr, "%s\n", gpu_error());
 */
GPU_API gpu_scope *gpu_scope_begin(gpu *g);

/** Frees what the scope holds, and the scopes still open inside it. NULL is fine. */
GPU_API void gpu_scope_end(gpu_scope *scope);

/** Moves `a` to the scope around its own (or to its gpu), so that it outlives its scope. Returns `a`. */
GPU_API gpu_array *gpu_keep(gpu_array *a);

/** Carries an array from one step of a loop to the next: computes `v` as gpu_eval does, frees what `*u` was, and stores
 * `v`, which moves to the scope that the old array was in. Returns `v`. So what a step makes is freed with the step's
 * scope, and a thousand steps take the memory of two. A delayed `v` may be made of `*u`.
 *
 * Where `*u` is NULL, or an array of another gpu, `v` moves to the scope around the one that is open, so that it
 * outlives that. The old array is freed whoever else has it: begin with one of the loop's own, and give two variables
 * two arrays. If `v` is `*u` already, it is computed and nothing is freed.
 * Cost      the launches of gpu_eval; does not wait.
 * Errors    those of gpu_eval, and `*u` is then the array in error; of a NULL `v` it is a new one. GPU_E_ARGUMENT, in
 *           the array that is returned, if `u` is NULL.
 *
 * Example
 *     gpu_array *u = gpu_array_of(g, data, 5);
 *     for (int step = 0; step < 1000; step++) {
 *         gpu_scope *scope = gpu_scope_begin(g);
 *         gpu_array *means = gpu_map2(gpu_slice(u, 0, 4), gpu_slice(u, 1, 4), "(x + y) / 2");
 *         gpu_replace(&u, gpu_concat(means, gpu_slice(u, 0, 1)));
 *         gpu_scope_end(scope);
 *     }
 *     if (gpu_read(u, out)) fprintf(stderr, "%s\n", gpu_error());
 */
GPU_API gpu_array *gpu_replace(gpu_array **u, gpu_array *v);

GPU_END_DECLS
#endif
