/* A histogram: each group counts in bins of its own in local memory, and adds them to the result's at its end. */
#include <firepile.h>
#include <stdio.h>

enum { COUNT = 100000, BINS = 64 };

GPU_KERNEL(count_bins,
           (GPU_GLOBAL const uint32_t *x, uint64_t x_length, uint32_t bins, GPU_LOCAL_MEMORY uint32_t *own,
            GPU_GLOBAL uint32_t *counts),
           {
               for (uint32_t k = item; k < bins; k += ITEMS) own[k] = 0;
               sync();
               for (uint64_t k = i; k < x_length; k += (uint64_t)GROUPS * ITEMS) atomic_inc(&own[x[k] % bins]);
               sync();
               for (uint32_t k = item; k < bins; k += ITEMS) atomic_add(&counts[k], own[k]);
           });

int main(void)
{
    const uint32_t bins = BINS;
    uint32_t got[BINS] = {0}, want[BINS] = {0};
    for (uint32_t k = 0; k < COUNT; k++) want[k * k % BINS]++;
    gpu *g = gpu_open(NULL);
    gpu_array *x = gpu_map(gpu_range(g, GPU_UINT, COUNT), "x * x"), *none = gpu_fill(g, GPU_UINT, &(uint32_t){0}, BINS);
    gpu_array *counts;
    gpu_spawn(g, ((gpu_space){.groups = 16, .items = 64}), count_bins, GPU_ARG(x), GPU_ARG(bins),
              GPU_GROUP(own, GPU_UINT, BINS), GPU_RESULT_FROM(counts, none));
    bool failed = gpu_read(counts, got);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    int wrong = 0;
    for (int k = 0; k < BINS; k++) wrong += got[k] != want[k];
    if (!failed) printf("%d of %d bins differ from plain C\n", wrong, BINS);
    if (fflush(stdout)) {
        perror("kernel_histogram");
        failed = true;
    }
    gpu_close(g);
    return failed || wrong;
}
