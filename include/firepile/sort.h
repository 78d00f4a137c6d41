/** Sort: by the elements' own order, by a comparator, by a key; pairs, indices, the largest.
 *
 * Types     scalars by their own order; any type with a comparator or a key.
 * Snippet   a comparator: a and b, not zero if a comes before b; a strict weak order. A key: x, the element.
 * Order     every sort is stable except GPU_SORT_BITONIC. NaN comes last, whatever its sign and the direction; -0
 *           equals +0. A comparator that is no strict weak order still gives a permutation of the elements, and
 *           terminates.
 * Shape     results are as long as the input; the length may be known only to the device.
 * Cost      gpu_sort, gpu_sort_descending, gpu_sort_by and gpu_sort_with are delayed until their elements are needed.
 *           No waits. Delayed maps of the input are computed each time that a launch reads it. Maps of the result are
 *           fused into the last launch if their elements are needed first (not for the bitonic sort). Values and
 *           indices move beside their keys.
 *           - Radix, for scalar keys. On NVIDIA: one launch that counts, then one for each 8 bits of the key, which
 *             reads and writes every element once; keys are read twice if they or their values have more than four
 *             bytes. Elsewhere: three launches for each 8 bits, which read twice and write once. The launches for 8
 *             bits that are equal in all keys do nothing, which the device finds in the first: integers from 0 to 65535
 *             are moved twice, whatever their type.
 *           - Merge, for comparators and short arrays: one launch that sorts runs in a core's cache or in local memory,
 *             then one for each doubling of their length.
 *           - Enumeration, for few scalar keys on GPUs: one launch.
 *           - Bitonic: in place, log2(n)^2 / 2 steps. Steps that fit into local memory share a launch; up to four
 *             others share one too.
 *           - On the host device, whatever is asked for: radix for the elements' own order, else merge, both stable.
 *           Memory besides the result: radix and merge take as much again, and radix on NVIDIA also 2 KiB for each 8064
 *           elements; if they are few or large, for each 768 or more. Enumeration and bitonic take none.
 * Errors    in the result: GPU_E_TYPE (a struct or a vector has no order of its own), GPU_E_ARGUMENT, GPU_E_SNIPPET
 *           (compile errors of a delayed sort when its result is needed), GPU_E_MEMORY, the failure of an input.
 * Source    bitonic: Batcher, Sorting Networks and Their Applications, 1968, and GPU Parallel Collections for Scala,
 *           chapter 5; merge path: Odeh, Green, Mwassi, Shmueli, Birk, Merge Path, 2012; radix: Knuth, The Art of
 *           Computer Programming 3, 5.2.5; few keys: Muller, Preparata, Bounds to Complexities of Networks for Sorting
 *           and for Switching, 1975.
 *
 * Example
 *     gpu_array *sorted = gpu_sort(x), *largest_first = gpu_sort_descending(x);
 *     gpu_array *by_size = gpu_sort_by(x, "fabs(a) < fabs(b)");
 *     gpu_array *by_key = gpu_sort_key(x, GPU_FLOAT, "-x");
 *     gpu_array *order = gpu_argsort(x), *keys, *values;
 *     gpu_array *order_by_size = gpu_argsort_by(x, "fabs(a) < fabs(b)");
 *     gpu_sort_pairs(x, order, &keys, &values);
 *     gpu_array *five_largest = gpu_top(x, 5);
 *     gpu_top_pairs(x, order, 5, &keys, &values);
 *     bool ascending;
 *     if (gpu_is_sorted(sorted, &ascending)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_SORT_H
#define FIREPILE_SORT_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

typedef enum gpu_sort_algorithm {
    GPU_SORT_AUTO,    /**< radix for scalar keys, merge for comparators and short arrays */
    GPU_SORT_BITONIC, /**< the thesis's: in place, not stable */
    GPU_SORT_MERGE,
    GPU_SORT_RADIX /**< the elements' own order only */
} gpu_sort_algorithm;

typedef struct gpu_sort_options {
    gpu_sort_algorithm algorithm;
    bool descending;
} gpu_sort_options;

/** Ascending by the elements' own order. */
#define gpu_sort(a) gpu_sort_op((a), NULL, NULL, GPU_HERE)
/** Descending by the elements' own order; NaN comes last here, too. */
#define gpu_sort_descending(a) gpu_sort_descending_op((a), GPU_HERE)
GPU_API gpu_array *gpu_sort_descending_op(const gpu_array *a, const gpu_place *place);

/** gpu_sort_by(a, less, captures...) */
#define gpu_sort_by(a, ...) gpu_sort_by_((a), __VA_ARGS__, NULL)
#define gpu_sort_by_(a, less, ...) gpu_sort_op(a, NULL, GPU_OPERATOR_(less, __VA_ARGS__), GPU_HERE)
/** gpu_sort_with(a, &options, less, captures...): a NULL `less` means the elements' own order. A compound literal with
 * a comma needs parentheses: gpu_sort_with(a, (&(gpu_sort_options){GPU_SORT_MERGE, true}), NULL). */
#define gpu_sort_with(a, options, ...) gpu_sort_with_((a), (options), __VA_ARGS__, NULL)
#define gpu_sort_with_(a, options, less, ...) gpu_sort_op(a, options, GPU_OPERATOR_(less, __VA_ARGS__), GPU_HERE)
/** `options` and `less` may be NULL. A `less` with neither snippet nor function means the elements' own order. */
GPU_API gpu_array *gpu_sort_op(const gpu_array *a, const gpu_sort_options *options, const gpu_operator *less,
                               const gpu_place *place);

/** gpu_sort_key(a, type, key, captures...): ascending by a key of scalar `type`, computed for each element. */
#define gpu_sort_key(a, type, ...) gpu_sort_key_((a), (type), __VA_ARGS__, NULL)
#define gpu_sort_key_(a, type, key, ...) gpu_sort_key_op(a, type, GPU_OPERATOR_(key, __VA_ARGS__))
GPU_API gpu_array *gpu_sort_key_op(const gpu_array *a, gpu_type type, const gpu_operator *key);

/** The indices (GPU_ULONG) that sort the elements ascending: gpu_gather(a, gpu_argsort(a)) is sorted. */
#define gpu_argsort(a) gpu_argsort_op((a), GPU_HERE)
GPU_API gpu_array *gpu_argsort_op(const gpu_array *a, const gpu_place *place);
/** gpu_argsort_by(a, less, captures...): the indices that sort the elements by a comparator. */
#define gpu_argsort_by(a, ...) gpu_argsort_by_((a), __VA_ARGS__, NULL)
#define gpu_argsort_by_(a, less, ...) gpu_argsort_by_op(a, GPU_OPERATOR_(less, __VA_ARGS__))
GPU_API gpu_array *gpu_argsort_by_op(const gpu_array *a, const gpu_operator *less);

/** Keys ascending, each with its value. Keys and values are equally long (GPU_E_ARGUMENT). Outputs are always set; a
 * failure is also returned. */
#define gpu_sort_pairs(keys, values, k, v) gpu_sort_pairs_op((keys), (values), NULL, (k), (v), GPU_HERE)
/** gpu_sort_pairs_by(keys, values, less, &k, &v, captures...) */
#define gpu_sort_pairs_by(keys, values, ...) gpu_sort_pairs_by_((keys), (values), __VA_ARGS__, NULL)
#define gpu_sort_pairs_by_(keys, values, less, k, v, ...)                                                              \
    gpu_sort_pairs_op(keys, values, GPU_OPERATOR_(less, __VA_ARGS__), k, v, GPU_HERE)
GPU_API gpu_status gpu_sort_pairs_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *less,
                                     gpu_array **k, gpu_array **v, const gpu_place *place);

/** The `k` largest elements, the largest first; all of them if there are fewer. Scalars only; NaN comes last.
 * Cost      a long array is not sorted as a whole: a sample gives a bound, one to three passes select candidates, and
 *           those are sorted. The sample and each pass wait. */
#define gpu_top(a, k) gpu_top_op((a), (k), GPU_HERE)
GPU_API gpu_array *gpu_top_op(const gpu_array *a, size_t k, const gpu_place *place);

/** gpu_top_pairs(keys, values, count, &k, &v): the `count` largest keys, the largest first, each with its value; all
 * pairs if there are fewer. Equal keys keep their order. Lengths and outputs as for gpu_sort_pairs.
 * Cost      as for gpu_top. But all pairs are sorted if more than half of the keys reach the bound. */
#define gpu_top_pairs(keys, values, count, k, v) gpu_top_pairs_op((keys), (values), (count), (k), (v), GPU_HERE)
GPU_API gpu_status gpu_top_pairs_op(const gpu_array *keys, const gpu_array *values, size_t count, gpu_array **k,
                                    gpu_array **v, const gpu_place *place);

/** Is the array ascending by its own order? One launch that stops reading soon after a descent, and one wait. */
#define gpu_is_sorted(a, out) gpu_is_sorted_op((a), (out), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_is_sorted_op(const gpu_array *a, bool *out, const gpu_place *place);

/** gpu_group_reduce(keys, values, op, &k, &v, captures...): the reduction of the values of each key, keys ascending.
 * Equal keys need not be neighbours; their values are combined in order. Each NaN is a key of its own.
 * Cost      gpu_sort_pairs and gpu_reduce_by_key. For integer keys below a known number see firepile/bins.h. */
#define gpu_group_reduce(keys, values, ...) gpu_group_reduce_((keys), (values), __VA_ARGS__, NULL)
#define gpu_group_reduce_(keys, values, op, k, v, ...)                                                                 \
    gpu_group_reduce_op(keys, values, GPU_OPERATOR_(op, __VA_ARGS__), k, v)
GPU_API gpu_status gpu_group_reduce_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op,
                                       gpu_array **k, gpu_array **v);

GPU_END_DECLS
#endif
