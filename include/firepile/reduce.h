/** Reduce: op(a[0], op(a[1], ...)), and its special cases: sum, min, argmax, count, ...
 *
 * Types     operands and result have the array's element type, which is also the width of the accumulation. To sum a
 *           float array in double, in the same kernel: gpu_reduce(gpu_map_to(x, GPU_DOUBLE, "x"), ...).
 * Snippet   a: the left operand, b: the right one. The operator must be associative; it need not commute. Elements are
 *           combined in order, unless the operator is marked GPU_COMMUTATIVE or recognised: a + b, a * b, fmin(a, b)
 *           and fmax(a, b) of floating types, min(a, b), max(a, b), a & b, a | b and a ^ b of integers. Results have
 *           the same bits from run to run on the same device.
 * Cost      one launch, and one wait if the value comes to the host. Delayed inputs are computed in the same kernel.
 * Errors    GPU_E_EMPTY for an empty array, unless the operator is recognised and has an identity (+ * & | ^), or
 *           gpu_fold gives a start. GPU_E_TYPE if an output is of another type. GPU_E_SNIPPET, GPU_E_ARGUMENT,
 *           GPU_E_MEMORY. Outputs stay untouched on failure.
 * Source    three levels (work-item, work-group, between work-groups): the optimized reduction literature; reduce,
 *           blockReduce: GPU Parallel Collections for Scala, chapters 4 and 5.
 *
 * Example
 *     float sum, smallest, largest;
 *     size_t where, positive;
 *     if (gpu_reduce(x, "a + b", &sum)) fprintf(stderr, "%s\n", gpu_error());
 *     if (gpu_reduce_all(x, "fmin(a, b)", &smallest, "fmax(a, b)", &largest)) fprintf(stderr, "%s\n", gpu_error());
 *     if (gpu_argmax(x, &where) || gpu_count(x, "x > 0", &positive)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_REDUCE_H
#define FIREPILE_REDUCE_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_reduce(a, op, &out, captures...) */
#define gpu_reduce(a, ...) gpu_reduce_((a), __VA_ARGS__, NULL)
#define gpu_reduce_(a, op, out, ...) gpu_reduce_op(a, GPU_OPERATOR_(op, __VA_ARGS__), GPU_OUTPUT_(out))
GPU_API GPU_CHECKED gpu_status gpu_reduce_op(const gpu_array *a, const gpu_operator *op, const gpu_output *out);

/** gpu_fold(a, &start, op, &out, captures...): op(start, reduce of a). `start` counts once, and is the result of an
 * empty array. */
#define gpu_fold(a, start, ...) gpu_fold_((a), (start), __VA_ARGS__, NULL)
#define gpu_fold_(a, start, op, out, ...)                                                                              \
    gpu_fold_op(a, GPU_VALUE_(start), GPU_OPERATOR_(op, __VA_ARGS__), GPU_OUTPUT_(out))
GPU_API GPU_CHECKED gpu_status gpu_fold_op(const gpu_array *a, const gpu_value *start, const gpu_operator *op,
                                           const gpu_output *out);

/** gpu_reduced(a, op, captures...): the value as an array of one element that stays on the device. No wait. */
#define gpu_reduced(a, ...) gpu_reduced_((a), __VA_ARGS__, NULL)
#define gpu_reduced_(a, op, ...) gpu_reduced_op(a, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_reduced_op(const gpu_array *a, const gpu_operator *op);

/** gpu_block_reduce(a, block, op, captures...): one value for each `block` consecutive elements; the last block may be
 * shorter. The result has ceil(length / block) elements, none if `a` is empty. Blocks of up to 32 elements are combined
 * from left to right, so floats have the same bits on every device and on the host.
 * Cost      one launch; two for few long blocks, which are divided among work-groups.
 * Errors    GPU_E_ARGUMENT for a block of 0. */
#define gpu_block_reduce(a, block, ...) gpu_block_reduce_((a), (block), __VA_ARGS__, NULL)
#define gpu_block_reduce_(a, block, op, ...) gpu_block_reduce_op(a, block, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_block_reduce_op(const gpu_array *a, size_t block, const gpu_operator *op);

/** One reduction of gpu_reduce_all. */
typedef struct gpu_reduction {
    gpu_operator op;
    gpu_output out;
} gpu_reduction;

#define GPU_REDUCE_ALL_MAX 8

/** gpu_reduce_all(a, op, &out, op, &out, ..., captures...): up to GPU_REDUCE_ALL_MAX reductions in one pass over `a`.
 * All operators share the captures. Errors leave all outputs untouched. */
#ifdef __cplusplus
#define gpu_reduce_all(a, ...) GPU_FOR_C_(gpu_status)
#else
#define gpu_reduce_all(a, ...)                                                                                         \
    gpu_reduce_all_items((a), (const gpu_item[]){GPU_ITEMS_(__VA_ARGS__){NULL, 3, NULL, 0}}, GPU_HERE)
#endif
GPU_API GPU_CHECKED gpu_status gpu_reduce_all_op(const gpu_array *a, const gpu_reduction *reductions, size_t count);

/** An argument of gpu_reduce_all or gpu_map_reduce_all, as the macro passes it. */
typedef struct gpu_item {
    const void *pointer;
    int role; /**< 1: a snippet, 2: a capture, 3: the end, 0: something else */
    gpu_type type;
    size_t size;
} gpu_item;
GPU_API GPU_CHECKED gpu_status gpu_reduce_all_items(const gpu_array *a, const gpu_item *items, const gpu_place *place);

/** One reduction of gpu_map_reduce_all. */
typedef struct gpu_map_reduction {
    gpu_operator map;
    gpu_operator op;
    gpu_output out;
} gpu_map_reduction;

#define GPU_MAP_REDUCE_ALL_MAX 6

/** gpu_map_reduce_all(a, map, op, &out, map, op, &out, ..., captures...): up to GPU_MAP_REDUCE_ALL_MAX reductions in
 * one pass over `a`, each of what its map makes of the elements. A map has the variables x and i, and the type of its
 * output, in which its operator combines. All maps and operators share the captures. Errors leave all outputs
 * untouched.
 * Errors    also GPU_E_TYPE for an output of the macro that is a struct, whose type it cannot see:
 *           gpu_map_reduce_all_op takes outputs of any type, as do gpu_map_to and gpu_reduce together. GPU_E_LAYOUT
 *           for a vector of more than 16 bytes beside outputs of other sizes: the device aligns it otherwise.
 * Example
 *     double total, squares;
 *     if (gpu_map_reduce_all(x, "x", "a + b", &total, "(double)x * x", "a + b", &squares))
 *         fprintf(stderr, "%s\n", gpu_error());
 */
#ifdef __cplusplus
#define gpu_map_reduce_all(a, ...) GPU_FOR_C_(gpu_status)
#else
#define gpu_map_reduce_all(a, ...)                                                                                     \
    gpu_map_reduce_all_items((a), (const gpu_item[]){GPU_ITEMS_(__VA_ARGS__){NULL, 3, NULL, 0}}, GPU_HERE)
#endif
GPU_API GPU_CHECKED gpu_status gpu_map_reduce_all_op(const gpu_array *a, const gpu_map_reduction *reductions,
                                                     size_t count);
GPU_API GPU_CHECKED gpu_status gpu_map_reduce_all_items(const gpu_array *a, const gpu_item *items,
                                                        const gpu_place *place);

/** Sum and product of the elements; 0 and 1 for an empty array. Scalars, and vectors component by component. */
#define gpu_sum(a, ...) gpu_sum_op((a), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
#define gpu_product(a, ...) gpu_product_op((a), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
/** Smallest and largest element; NaN if any element is NaN. Scalars, and vectors component by component. */
#define gpu_min(a, ...) gpu_min_op((a), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
#define gpu_max(a, ...) gpu_max_op((a), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_sum_op(const gpu_array *a, const gpu_output *out, const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_product_op(const gpu_array *a, const gpu_output *out, const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_min_op(const gpu_array *a, const gpu_output *out, const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_max_op(const gpu_array *a, const gpu_output *out, const gpu_place *place);

/** The lowest index of the smallest and of the largest element, or of the first NaN if there is one. Scalars only. */
#define gpu_argmin(a, index) gpu_argmin_op((a), (index), GPU_HERE)
#define gpu_argmax(a, index) gpu_argmax_op((a), (index), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_argmin_op(const gpu_array *a, size_t *index, const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_argmax_op(const gpu_array *a, size_t *index, const gpu_place *place);

/** gpu_count(a, pred, &n, captures...): the number of elements for which the predicate (variables x and i) is not zero.
 * gpu_any and gpu_all(a, pred, &yes, captures...): is it not zero for any, for all elements? An empty array gives 0,
 * false, true.
 * Cost      any and all stop reading soon after the element that decides. */
#define gpu_count(a, ...) gpu_count_((a), __VA_ARGS__, NULL)
#define gpu_any(a, ...) gpu_any_((a), __VA_ARGS__, NULL)
#define gpu_all(a, ...) gpu_all_((a), __VA_ARGS__, NULL)
#define gpu_count_(a, pred, out, ...) gpu_count_op(a, GPU_OPERATOR_(pred, __VA_ARGS__), (out))
#define gpu_any_(a, pred, out, ...) gpu_any_op(a, GPU_OPERATOR_(pred, __VA_ARGS__), (out))
#define gpu_all_(a, pred, out, ...) gpu_all_op(a, GPU_OPERATOR_(pred, __VA_ARGS__), (out))
GPU_API GPU_CHECKED gpu_status gpu_count_op(const gpu_array *a, const gpu_operator *pred, size_t *out);
GPU_API GPU_CHECKED gpu_status gpu_any_op(const gpu_array *a, const gpu_operator *pred, bool *out);
GPU_API GPU_CHECKED gpu_status gpu_all_op(const gpu_array *a, const gpu_operator *pred, bool *out);

#ifndef __cplusplus
#define GPU_ROLE_(p)                                                                                                   \
    _Generic((p), char * : 1, const char * : 1, gpu_capture * : 2, const gpu_capture * : 2, default : 0)
#define GPU_ITEM_(p) {__extension__(const void *)(p), GPU_ROLE_(p), GPU_POINTEE_(p), GPU_POINTEE_SIZE_(p)},
#define GPU_ITEMS_(...)                                                                                                \
    GPU_PICK_(__VA_ARGS__, GPU_24_, GPU_23_, GPU_22_, GPU_21_, GPU_20_, GPU_19_, GPU_18_, GPU_17_, GPU_16_, GPU_15_,   \
              GPU_14_, GPU_13_, GPU_12_, GPU_11_, GPU_10_, GPU_9_, GPU_8_, GPU_7_, GPU_6_, GPU_5_, GPU_4_, GPU_3_,     \
              GPU_2_, GPU_1_, unused)                                                                                  \
    (__VA_ARGS__)
#define GPU_PICK_(p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, \
                  p23, p24, pick, ...)                                                                                 \
    pick
#define GPU_1_(p) GPU_ITEM_(p)
#define GPU_2_(p, ...) GPU_ITEM_(p) GPU_1_(__VA_ARGS__)
#define GPU_3_(p, ...) GPU_ITEM_(p) GPU_2_(__VA_ARGS__)
#define GPU_4_(p, ...) GPU_ITEM_(p) GPU_3_(__VA_ARGS__)
#define GPU_5_(p, ...) GPU_ITEM_(p) GPU_4_(__VA_ARGS__)
#define GPU_6_(p, ...) GPU_ITEM_(p) GPU_5_(__VA_ARGS__)
#define GPU_7_(p, ...) GPU_ITEM_(p) GPU_6_(__VA_ARGS__)
#define GPU_8_(p, ...) GPU_ITEM_(p) GPU_7_(__VA_ARGS__)
#define GPU_9_(p, ...) GPU_ITEM_(p) GPU_8_(__VA_ARGS__)
#define GPU_10_(p, ...) GPU_ITEM_(p) GPU_9_(__VA_ARGS__)
#define GPU_11_(p, ...) GPU_ITEM_(p) GPU_10_(__VA_ARGS__)
#define GPU_12_(p, ...) GPU_ITEM_(p) GPU_11_(__VA_ARGS__)
#define GPU_13_(p, ...) GPU_ITEM_(p) GPU_12_(__VA_ARGS__)
#define GPU_14_(p, ...) GPU_ITEM_(p) GPU_13_(__VA_ARGS__)
#define GPU_15_(p, ...) GPU_ITEM_(p) GPU_14_(__VA_ARGS__)
#define GPU_16_(p, ...) GPU_ITEM_(p) GPU_15_(__VA_ARGS__)
#define GPU_17_(p, ...) GPU_ITEM_(p) GPU_16_(__VA_ARGS__)
#define GPU_18_(p, ...) GPU_ITEM_(p) GPU_17_(__VA_ARGS__)
#define GPU_19_(p, ...) GPU_ITEM_(p) GPU_18_(__VA_ARGS__)
#define GPU_20_(p, ...) GPU_ITEM_(p) GPU_19_(__VA_ARGS__)
#define GPU_21_(p, ...) GPU_ITEM_(p) GPU_20_(__VA_ARGS__)
#define GPU_22_(p, ...) GPU_ITEM_(p) GPU_21_(__VA_ARGS__)
#define GPU_23_(p, ...) GPU_ITEM_(p) GPU_22_(__VA_ARGS__)
#define GPU_24_(p, ...) GPU_ITEM_(p) GPU_23_(__VA_ARGS__)
#endif

GPU_END_DECLS
#endif
