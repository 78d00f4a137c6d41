/* Builds a few kernels, or finds them in the cache, and prints how many of each. test_cache runs it. */
#include <firepile.h>
#include <stdio.h>

GPU_STRUCT(pair, int p; float q;);

int main(void)
{
    gpu *g = gpu_open(NULL);
    int scale = 3, sum = 0;
    float total = 0;
    pair two[] = {{1, 0.5f}, {2, 0.25f}};
    gpu_array *x = gpu_range(g, GPU_INT, 1000);
    gpu_array *y = gpu_map2(gpu_map(x, "x * scale", GPU_ARG(scale)), x, "x - y");
    gpu_array *p = gpu_array_from(g, GPU_TYPE(pair), two, 2);
    if (gpu_reduce(y, "a + b", &sum) || gpu_sum(gpu_map_to(p, GPU_FLOAT, "x.p * x.q"), &total)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    gpu_stats stats;
    if (gpu_get_stats(g, &stats)) return 1;
    printf("built %d loaded %d\n", (int)stats.programs_built, (int)stats.programs_loaded);
    gpu_close(g);
    if (sum == 999000 && total == 1) return 0;
    fprintf(stderr, "%d and %g, wanted 999000 and 1\n", sum, (double)total);
    return 1;
}
