/* A stencil with a halo: each group loads its elements and the neighbours of the outermost ones into local memory. */
#include <firepile.h>
#include <stdio.h>

enum { COUNT = 10000, RADIUS = 3 };

GPU_KERNEL(blur,
           (GPU_GLOBAL const int *x, uint64_t x_length, uint32_t radius, GPU_LOCAL_MEMORY int *near, GPU_GLOBAL int *y),
           {
               const uint64_t first = (uint64_t)group * ITEMS;
               for (uint32_t k = item; k < ITEMS + 2 * radius; k += ITEMS) {
                   const uint64_t at = first + k;
                   near[k] = at >= radius && at - radius < x_length ? x[at - radius] : 0;
               }
               sync();
               int sum = 0;
               for (uint32_t k = 0; k <= 2 * radius; k++) sum += near[item + k];
               if (i < x_length) y[i] = sum;
           });

int main(void)
{
    static int got[COUNT];
    const uint32_t radius = RADIUS;
    gpu *g = gpu_open(NULL);
    const gpu_space s = gpu_space_of(g, COUNT);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, COUNT), "x * 7 % 101"), *y;
    gpu_spawn(g, s, blur, GPU_ARG(x), GPU_ARG(radius), GPU_GROUP(near, GPU_INT, s.items + 2 * RADIUS),
              GPU_RESULT(y, GPU_INT, COUNT));
    bool failed = gpu_read(y, got);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    int wrong = 0;
    for (int k = 0; k < COUNT; k++) {
        int sum = 0;
        for (int e = k - RADIUS; e <= k + RADIUS; e++) sum += e >= 0 && e < COUNT ? e * 7 % 101 : 0;
        wrong += got[k] != sum;
    }
    if (!failed) printf("%d of %d elements differ from plain C\n", wrong, COUNT);
    if (fflush(stdout)) {
        perror("kernel_blur");
        failed = true;
    }
    gpu_close(g);
    return failed || wrong;
}
