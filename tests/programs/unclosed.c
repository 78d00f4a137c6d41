/* Ends with a device open, arrays computed and delayed, a scope open: nothing may go wrong at exit. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    gpu *g = gpu_open(NULL);
    int sum = 0;
    gpu_scope_begin(g);
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    if (gpu_reduce(gpu_map(gpu_eval(x), "x * 2"), "a + b", &sum)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    gpu_map(x, "x + 1");
    return sum == 90 ? 0 : 1;
}
