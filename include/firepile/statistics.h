/** Statistics: mean, variance, quantiles.
 *
 * Types     elements are scalars; outputs are pointers to float or to double. On devices with double all is computed in
 *           double, else in float.
 * Values    the variance is that of the population: it divides by the length. The mean of all deviations from the mean
 *           is computed in one pass, without the loss that a sum of squares would have. A quantile between two elements
 *           lies on the line between them, as NumPy's default has it. NaN among the elements makes every result NaN.
 * Cost      mean and variance: one launch and one wait. Quantile and median: a sort (firepile/sort.h), and one wait.
 *           Delayed inputs are computed in the same kernel.
 * Errors    GPU_E_EMPTY for an empty array, GPU_E_TYPE, GPU_E_ARGUMENT, GPU_E_MEMORY, the failure of `a`. Outputs stay
 *           untouched on failure.
 * Source    variance: Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample
 *           Variances, 1979; quantiles: Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996, type 7.
 *
 * Example
 *     double mean, variance, half, most;
 *     if (gpu_variance(x, &mean, &variance)) fprintf(stderr, "%s\n", gpu_error());
 *     if (gpu_median(x, &half) || gpu_quantile(x, 0.9, &most)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_STATISTICS_H
#define FIREPILE_STATISTICS_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** gpu_mean(a, &mean); gpu_variance(a, &mean, &variance). */
#define gpu_mean(a, mean) gpu_mean_op((a), GPU_OUTPUT_(mean), GPU_HERE)
#define gpu_variance(a, mean, variance) gpu_variance_op((a), GPU_OUTPUT_(mean), GPU_OUTPUT_(variance), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_mean_op(const gpu_array *a, const gpu_output *mean, const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_variance_op(const gpu_array *a, const gpu_output *mean, const gpu_output *variance,
                                               const gpu_place *place);

/** gpu_quantile(a, q, &value): below it lies a share of q of the elements, with 0 <= q <= 1 (GPU_E_ARGUMENT).
 * gpu_median(a, &value): that of 0.5. */
#define gpu_quantile(a, q, value) gpu_quantile_op((a), (q), GPU_OUTPUT_(value), GPU_HERE)
#define gpu_median(a, value) gpu_median_op((a), GPU_OUTPUT_(value), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_quantile_op(const gpu_array *a, double q, const gpu_output *value,
                                               const gpu_place *place);
GPU_API GPU_CHECKED gpu_status gpu_median_op(const gpu_array *a, const gpu_output *value, const gpu_place *place);

GPU_END_DECLS
#endif
