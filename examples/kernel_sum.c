/* The thesis's reduction as a kernel: each group adds up its part in local memory, and gpu_sum adds up the parts. */
#include <firepile.h>
#include <stdio.h>

enum { COUNT = 20000 };

GPU_KERNEL(add_up, (GPU_GLOBAL const float *x, uint64_t x_length, GPU_LOCAL_MEMORY float *data, GPU_GLOBAL float *part),
           {
               const uint64_t k = 2 * i;
               const float left = k < x_length ? x[k] : 0;
               const float right = k + 1 < x_length ? x[k + 1] : 0;
               data[item] = left + right;
               sync();
               for (unsigned step = ITEMS / 2; step > 0; step /= 2) {
                   if (item < step) data[item] += data[item + step];
                   sync();
               }
               if (item == 0) part[group] = data[0];
           });

int main(void)
{
    gpu *g = gpu_open(NULL);
    const gpu_space s = gpu_space_of(g, COUNT / 2);
    gpu_array *x = gpu_map(gpu_range(g, GPU_FLOAT, COUNT), "x * 0.5f"), *part;
    gpu_spawn(g, s, add_up, GPU_ARG(x), GPU_GROUP(data, GPU_FLOAT, s.items), GPU_RESULT(part, GPU_FLOAT, s.groups));
    float sum = 0;
    bool failed = gpu_sum(part, &sum);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("the sum is %.0f million\n", sum / 1e6f);
    if (fflush(stdout)) {
        perror("kernel_sum");
        failed = true;
    }
    gpu_close(g);
    return failed || sum < 99e6f || sum > 101e6f;
}
