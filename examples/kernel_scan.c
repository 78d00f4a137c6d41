/* A scan by hand, in three launches: each group scans its part, the totals are scanned, and each part gets the total
 * before it. gpu_scan does it in one. */
#include <firepile.h>
#include <stdio.h>

enum { COUNT = 5000 };

GPU_KERNEL(scan_parts,
           (GPU_GLOBAL const int *x, uint64_t x_length, GPU_LOCAL_MEMORY int *data, GPU_GLOBAL int *y,
            GPU_GLOBAL int *total),
           {
               data[item] = i < x_length ? x[i] : 0;
               sync();
               for (uint32_t step = 1; step < ITEMS; step *= 2) {
                   const int before = item >= step ? data[item - step] : 0;
                   sync();
                   data[item] += before;
                   sync();
               }
               if (i < x_length) y[i] = data[item];
               if (item == ITEMS - 1) total[group] = data[item];
           });

GPU_KERNEL(add_totals, (GPU_GLOBAL const int *before, uint64_t z_size, GPU_GLOBAL int *z), {
    if (group > 0 && i < z_size) z[i] += before[group - 1];
});

int main(void)
{
    static int got[COUNT];
    const uint64_t z_size = COUNT;
    gpu *g = gpu_open(NULL);
    const gpu_space s = gpu_space_of(g, COUNT);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, COUNT), "x % 10"), *y, *total, *z;
    gpu_spawn(g, s, scan_parts, GPU_ARG(x), GPU_GROUP(data, GPU_INT, s.items), GPU_RESULT(y, GPU_INT, COUNT),
              GPU_RESULT(total, GPU_INT, s.groups));
    gpu_array *before = gpu_scan(total, "a + b");
    gpu_spawn(g, s, add_totals, GPU_ARG(before), GPU_ARG(z_size), GPU_RESULT_FROM(z, y));
    bool failed = gpu_read(z, got);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    int wrong = 0;
    for (int k = 0, sum = 0; k < COUNT; k++) {
        sum += k % 10;
        wrong += got[k] != sum;
    }
    if (!failed) printf("%d of %d elements differ from plain C\n", wrong, COUNT);
    if (fflush(stdout)) {
        perror("kernel_scan");
        failed = true;
    }
    gpu_close(g);
    return failed || wrong;
}
