/** Select: the elements that satisfy a predicate, and their indices: filter, partition, find, unique, ...
 *
 * Types     results have the element type of `a`; indices are GPU_ULONG.
 * Snippet   x: the element; i: its index, a ulong. An element is selected if the predicate is not zero. The operator of
 *           gpu_unique_by has a and b.
 * Shape     the selected elements, in their order (stable). Their number is known to the device. No call here waits for
 *           it, and most operations use it on the device. gpu_length, reads, gpu_slice and gpu_concat wait for it.
 * Cost      gpu_filter, gpu_find, gpu_find_if, gpu_unique and gpu_unique_by are delayed. With a reduction of the
 *           result, or of maps of it, they are one launch. Otherwise they are one launch that reads each element once
 *           and writes the selected ones; maps before and after are fused into it. A later snippet with `i`, or a
 *           second array joined to the result, starts another kernel. Memory: room for all of `a` until the length is
 *           known.
 * Errors    in the result: GPU_E_SNIPPET, GPU_E_ARGUMENT, GPU_E_TYPE, GPU_E_MEMORY, the failure of `a`.
 * NaN       equals nothing: gpu_find and gpu_index_of never find it, gpu_unique keeps each.
 * Source    filter, partition ("span" there), find: GPU Parallel Collections for Scala, chapter 5.
 *
 * Example
 *     gpu_array *hot = gpu_filter(x, "x > 30");
 *     gpu_array *where = gpu_find(x, &(float){21.5f});
 *     gpu_array *steps = gpu_unique_by(x, "fabs(b - a) < 0.5f");
 *     float warmth;
 *     size_t first;
 *     if (gpu_reduce(gpu_map(hot, "x - 30"), "a + b", &warmth)) fprintf(stderr, "%s\n", gpu_error());
 *     if (gpu_index_if(x, "x > 30", &first)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_SELECT_H
#define FIREPILE_SELECT_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** The result of gpu_index_of and gpu_index_if if nothing is found. */
#define GPU_NOT_FOUND ((size_t)-1)

/** gpu_filter(a, pred, captures...): the selected elements. */
#define gpu_filter(a, ...) gpu_filter_((a), __VA_ARGS__, NULL)
#define gpu_filter_(a, pred, ...) gpu_filter_op(a, GPU_OPERATOR_(pred, __VA_ARGS__))
GPU_API gpu_array *gpu_filter_op(const gpu_array *a, const gpu_operator *pred);

/** gpu_partition(a, pred, &yes, &no, captures...): the selected elements, and the others, each in their order. One
 * launch, not delayed. Both outputs are always set, in error on failure; the failure is also returned. */
#define gpu_partition(a, ...) gpu_partition_((a), __VA_ARGS__, NULL)
#define gpu_partition_(a, pred, yes, no, ...) gpu_partition_op(a, GPU_OPERATOR_(pred, __VA_ARGS__), yes, no)
GPU_API gpu_status gpu_partition_op(const gpu_array *a, const gpu_operator *pred, gpu_array **yes, gpu_array **no);

/** gpu_take_while(a, pred, captures...): a view of the elements before the first that is not selected. One launch that
 * stops there. */
#define gpu_take_while(a, ...) gpu_take_while_((a), __VA_ARGS__, NULL)
#define gpu_take_while_(a, pred, ...) gpu_take_while_op(a, GPU_OPERATOR_(pred, __VA_ARGS__))
GPU_API gpu_array *gpu_take_while_op(const gpu_array *a, const gpu_operator *pred);

/** gpu_drop_while(a, pred, captures...): a view of the elements from the first that is not selected. One launch that
 * stops there. */
#define gpu_drop_while(a, ...) gpu_drop_while_((a), __VA_ARGS__, NULL)
#define gpu_drop_while_(a, pred, ...) gpu_drop_while_op(a, GPU_OPERATOR_(pred, __VA_ARGS__))
GPU_API gpu_array *gpu_drop_while_op(const gpu_array *a, const gpu_operator *pred);

/** gpu_span(a, pred, &prefix, &rest, captures...): gpu_take_while and gpu_drop_while in one launch. Outputs as for
 * gpu_partition. */
#define gpu_span(a, ...) gpu_span_((a), __VA_ARGS__, NULL)
#define gpu_span_(a, pred, prefix, rest, ...) gpu_span_op(a, GPU_OPERATOR_(pred, __VA_ARGS__), prefix, rest)
GPU_API gpu_status gpu_span_op(const gpu_array *a, const gpu_operator *pred, gpu_array **prefix, gpu_array **rest);

/** gpu_find(a, &value): the indices of all elements equal to the value. Scalars, and vectors equal in every component;
 * for structs use gpu_find_if. */
#define gpu_find(a, ...) gpu_find_op((a), GPU_VALUE_((__VA_ARGS__)), GPU_HERE)
GPU_API gpu_array *gpu_find_op(const gpu_array *a, const gpu_value *value, const gpu_place *place);

/** gpu_find_if(a, pred, captures...): the indices of all selected elements. */
#define gpu_find_if(a, ...) gpu_find_if_((a), __VA_ARGS__, NULL)
#define gpu_find_if_(a, pred, ...) gpu_find_if_op(a, GPU_OPERATOR_(pred, __VA_ARGS__))
GPU_API gpu_array *gpu_find_if_op(const gpu_array *a, const gpu_operator *pred);

/** gpu_index_of(a, &value, &index): the lowest index of an element equal to the value, or GPU_NOT_FOUND.
 * Cost      one launch that stops reading soon after a hit, and one wait. */
#define gpu_index_of(a, value, index) gpu_index_of_op((a), GPU_VALUE_(value), (index), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_index_of_op(const gpu_array *a, const gpu_value *value, size_t *index,
                                               const gpu_place *place);

/** gpu_index_if(a, pred, &index, captures...): the lowest index of a selected element, or GPU_NOT_FOUND. Cost as
 * above. */
#define gpu_index_if(a, ...) gpu_index_if_((a), __VA_ARGS__, NULL)
#define gpu_index_if_(a, pred, index, ...) gpu_index_if_op(a, GPU_OPERATOR_(pred, __VA_ARGS__), (index))
GPU_API GPU_CHECKED gpu_status gpu_index_if_op(const gpu_array *a, const gpu_operator *pred, size_t *index);

/** gpu_unique(a): drops elements equal to the one before them. Scalars and vectors; structs are GPU_E_TYPE. */
#define gpu_unique(a) gpu_unique_op((a), GPU_HERE)
GPU_API gpu_array *gpu_unique_op(const gpu_array *a, const gpu_place *place);

/** gpu_unique_by(a, equal, captures...): drops elements that are equal to the one before them by an operator of any
 * type: a is the element before, b the element, and there is no i. Each element is compared with its neighbour in `a`,
 * even if that neighbour is dropped. std::unique compares with the last element kept: both give the same if `equal` is
 * an equivalence. */
#define gpu_unique_by(a, ...) gpu_unique_by_((a), __VA_ARGS__, NULL)
#define gpu_unique_by_(a, equal, ...) gpu_unique_by_op(a, GPU_OPERATOR_(equal, __VA_ARGS__))
GPU_API gpu_array *gpu_unique_by_op(const gpu_array *a, const gpu_operator *equal);

GPU_END_DECLS
#endif
