/* A GPU_FUNCTION reads a captured array of 5, which the host device has, at i + the first argument: past its end under
 * the address sanitizer. With a second argument the array is what a filter of more has kept. */
#include <firepile.h>

#include <stdio.h>
#include <stdlib.h>

enum { KEPT = 5, ALL = 4000 };

GPU_FUNCTION(bool, is_kept, (float x), { return x < 5; });
GPU_FUNCTION(float, shifted, (float x, uint64_t i, int off, GPU_GLOBAL const float *t), { return x + t[i + off]; });

int main(int argc, char **argv)
{
    float data[ALL], out[KEPT];
    int off = argc > 1 ? atoi(argv[1]) : 0;
    gpu *g = gpu_open("host");
    for (int i = 0; i < ALL; i++) data[i] = (float)i;
    gpu_array *t = argc > 2 ? gpu_filter(gpu_array_of(g, data, ALL), is_kept) : gpu_array_of(g, data, KEPT);
    gpu_array *x = gpu_array_of(g, data, KEPT);
    gpu_status status = gpu_read(gpu_map(x, shifted, GPU_ARG(off), GPU_ARG(t)), out);
    if (status) printf("%s\n", gpu_error());
    gpu_close(g);
    return status != GPU_OK;
}
