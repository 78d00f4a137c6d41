/** Arrays on the device: creation, reading, views, scopes.
 *
 * A gpu_array is a value: no operation changes it. It holds a buffer, or it is *delayed*: it describes a computation.
 * Programs need not know which. Lengths are in elements, of type size_t. Host memory passed in is copied before the
 * call returns.
 *
 * Ownership: an array belongs to the innermost scope open on the calling thread, or to its gpu if no scope is open. The
 * scope or the gpu frees it. Nothing has to be freed by hand.
 *
 * Errors: no function here returns NULL for an array. A failed array is "in error": it carries the first failure, and
 * every array made from it carries the same one. NULL for a gpu or an array counts as in error.
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

/** An array of `n` elements of type `type`, copied from `data`.
 * Cost      one upload, through pinned memory if it is large and the device is a GPU. An array of at most
 *           FIREPILE_SMALL elements (1024) is uploaded when a kernel first needs it. Operations whose results are the
 *           same to the bit on both sides run on the host instead.
 * Errors    GPU_E_ARGUMENT (data NULL and n > 0; type NULL), GPU_E_TYPE (double on a device without it), GPU_E_LAYOUT,
 *           GPU_E_MEMORY. */
#define gpu_array_from(g, type, data, n) gpu_array_from_op((g), (type), (data), (n), GPU_HERE)
GPU_API gpu_array *gpu_array_from_op(gpu *g, gpu_type type, const void *data, size_t n, const gpu_place *place);

/** gpu_array_from, with the element type taken from the pointer: a scalar, or a vector such as gpu_float4. Pointers to
 * other types are GPU_E_TYPE:
 * - for a struct, pass GPU_TYPE(name) to gpu_array_from
 * - for bool, pass GPU_UCHAR to gpu_array_from
 * - for float a[3][4], pass &a[0][0] */
#define gpu_array_of(g, data, n) gpu_array_of_op((g), GPU_VALUE_(data), (n), GPU_HERE)
GPU_API gpu_array *gpu_array_of_op(gpu *g, const gpu_value *data, size_t n, const gpu_place *place);

/** The numbers 0, 1, ... n-1 in a scalar type; integers wrap around. Delayed: it takes no memory until a buffer is
 * needed.
 * Errors    GPU_E_TYPE for a vector or a struct. */
#define gpu_range(g, type, n) gpu_range_op((g), (type), (n), GPU_HERE)
GPU_API gpu_array *gpu_range_op(gpu *g, gpu_type type, size_t n, const gpu_place *place);

/** `n` copies of the value at `value`. Delayed. A compound literal with a comma needs parentheses: gpu_fill(g,
 * GPU_FLOAT2, (&(gpu_float2){1, 2}), n).
 * Errors    GPU_E_TYPE if the pointer's type is not `type`. */
#define gpu_fill(g, type, value, n) gpu_fill_op((g), (type), GPU_VALUE_(value), (n), GPU_HERE)
GPU_API gpu_array *gpu_fill_op(gpu *g, gpu_type type, const gpu_value *value, size_t n, const gpu_place *place);

/** The `n` elements of `a` from `first` on: a view, not a copy. A slice of a delayed `a` computes only the slice's
 * elements. If slices of `a` together need more elements than `a` has, `a` is computed once into a buffer, and the
 * slices become views of it. Other uses of `a` count as a slice of all of it; slices of less than half do not count.
 * Errors    GPU_E_RANGE if first + n is more than the length. */
#define gpu_slice(a, first, n) gpu_slice_op((a), (first), (n), GPU_HERE)
GPU_API gpu_array *gpu_slice_op(const gpu_array *a, size_t first, size_t n, const gpu_place *place);

/** The number of elements; 0 for an array in error (gpu_error() then says why). Waits only if the device alone knows
 * the length (firepile/select.h). */
GPU_API size_t gpu_length(const gpu_array *a);

/** The element type; NULL for an array in error. Types of structs are copies that the library keeps as long as the
 * process runs: compare types with gpu_type_equal, not by address. */
GPU_API gpu_type gpu_type_of(const gpu_array *a);

/** Copies all of `a` to `out`, computing it first if it is delayed.
 * Shape     `out` has room for gpu_length(a) elements; gpu_read_n checks that.
 * Cost      one wait; one launch if `a` is delayed.
 * Errors    GPU_E_TYPE if `out` points to another type; the failure of `a`. */
#define gpu_read(a, ...) gpu_read_op((a), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_read_op(const gpu_array *a, const gpu_output *out, const gpu_place *place);

/** gpu_read with a bounds check: `out` has room for `capacity` elements, and `*n` becomes the number of elements read.
 * Errors    also GPU_E_RANGE if `a` is longer than `capacity`; then nothing is written. */
#define gpu_read_n(a, out, capacity, n) gpu_read_n_op((a), GPU_OUTPUT_(out), (capacity), (n), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_read_n_op(const gpu_array *a, const gpu_output *out, size_t capacity, size_t *n,
                                             const gpu_place *place);

/** Computes a delayed array into a buffer now; an array with a buffer stays as it is. Returns `a`, which is in error on
 * failure. Does not wait for the device. On NVIDIA's GPUs short arrays are computed with others (docs/fusion.md). */
GPU_API gpu_array *gpu_eval(gpu_array *a);

/** GPU_OK, or the failure an array carries; never waits. */
GPU_API gpu_status gpu_array_status(const gpu_array *a);

/** The text of the failure an array carries; "" if there is none. Valid until the array is freed. */
GPU_API const char *gpu_array_error(const gpu_array *a);

/** Frees `a` early. A delayed array made from `a` stays valid and keeps the memory that it needs. NULL is fine. */
GPU_API void gpu_array_free(gpu_array *a);

/** Opens a scope: gpu_scope_end frees every array that this thread makes on `g` from now on. Scopes nest. gpu_replace
 * carries arrays through a loop with a scope for each step.
 *
 * Example
 *     gpu_scope *scope = gpu_scope_begin(g);
 *     gpu_array *kept = gpu_keep(gpu_eval(gpu_map(x, "x * 2")));
 *     gpu_scope_end(scope);
 *     if (gpu_read(kept, out)) fprintf(stderr, "%s\n", gpu_error());
 */
GPU_API gpu_scope *gpu_scope_begin(gpu *g);

/** Frees the scope's arrays, and the scopes still open inside it. NULL is fine. */
GPU_API void gpu_scope_end(gpu_scope *scope);

/** Moves `a` to the scope around its own, or to its gpu, so that it outlives its scope. Returns `a`. */
GPU_API gpu_array *gpu_keep(gpu_array *a);

/** Carries an array from one step of a loop to the next. gpu_replace computes `v` as gpu_eval does, frees the old `*u`,
 * and stores `v` in `*u`. `v` moves to the scope of the old array, and is returned. The other arrays of a step are
 * freed with the step's scope, so a thousand steps take the memory of two. A delayed `v` may be made from `*u`.
 *
 * If `*u` is NULL or an array of another gpu, `v` moves to the scope around the innermost open one. If `*u` is already
 * `v`, it is computed and nothing is freed.
 *
 * The old array is freed even if other variables point to it. So begin the loop with an array of its own, and never
 * give two loop variables the same array.
 * Cost      the launches of gpu_eval; does not wait.
 * Errors    those of gpu_eval: `*u` is then in error. A NULL `v` makes `*u` a new array in error. GPU_E_ARGUMENT in the
 *           returned array if `u` is NULL.
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
