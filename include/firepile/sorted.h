/** Sorted arrays: searches, and sets.
 *
 * Types     scalars; both arrays have one type.
 * Order     both arrays ascend as gpu_sort sorts them (firepile/sort.h): NaN comes last, and all NaN are equal; -0
 *           equals 0. The caller answers for that (gpu_is_sorted): else the results are unspecified.
 * Shape     searches have a result for each of `values`, which need not be sorted. Sets have elements that may repeat,
 *           as std::set_union and its kin have them: of an element that `a` has m times and `b` n times, the union has
 *           max(m, n), the intersection min(m, n), the difference m - n or none.
 * Cost      searches are maps: delayed, and fused into what follows. Elements of an intersection or a difference are a
 *           filter (firepile/select.h), which searches both arrays for each element of `a`. A union is such a filter of
 *           `b`, and then a gpu_merge. A searched array becomes a buffer, and its length is waited for if only the
 *           device knows it.
 * Owner     the scope, as of any array (firepile/array.h).
 * Errors    in the result: GPU_E_TYPE (structs, vectors, two types), GPU_E_ARGUMENT, GPU_E_MEMORY, an input's failure.
 *
 * Example
 *     gpu_array *sorted = gpu_sort(x), *places = gpu_range(g, GPU_FLOAT, 5);
 *     gpu_array *low = gpu_lower_bound(sorted, places), *high = gpu_upper_bound(sorted, places);
 *     gpu_array *times = gpu_map2(high, low, "x - y"), *known = gpu_contains(sorted, places);
 *     gpu_array *both = gpu_set_intersection(sorted, places);
 */
#ifndef FIREPILE_SORTED_H
#define FIREPILE_SORTED_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** For each of `values`, the index (GPU_ULONG) of the first element of `sorted` that is not less, or for
 * gpu_upper_bound that is greater; the length if there is none. */
#define gpu_lower_bound(sorted, values) gpu_lower_bound_op((sorted), (values), GPU_HERE)
#define gpu_upper_bound(sorted, values) gpu_upper_bound_op((sorted), (values), GPU_HERE)
GPU_API gpu_array *gpu_lower_bound_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place);
GPU_API gpu_array *gpu_upper_bound_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place);

/** For each of `values`, 1 if `sorted` has an equal element, else 0 (GPU_UCHAR). */
#define gpu_contains(sorted, values) gpu_contains_op((sorted), (values), GPU_HERE)
GPU_API gpu_array *gpu_contains_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place);

/** In order: the elements of `a`, and those of `b` that `a` has not; those of `a` that `b` has too; those that it has
 * not. */
#define gpu_set_union(a, b) gpu_set_union_op((a), (b), GPU_HERE)
#define gpu_set_intersection(a, b) gpu_set_intersection_op((a), (b), GPU_HERE)
#define gpu_set_difference(a, b) gpu_set_difference_op((a), (b), GPU_HERE)
GPU_API gpu_array *gpu_set_union_op(const gpu_array *a, const gpu_array *b, const gpu_place *place);
GPU_API gpu_array *gpu_set_intersection_op(const gpu_array *a, const gpu_array *b, const gpu_place *place);
GPU_API gpu_array *gpu_set_difference_op(const gpu_array *a, const gpu_array *b, const gpu_place *place);

GPU_END_DECLS
#endif
