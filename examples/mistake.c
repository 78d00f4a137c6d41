/* An operator with a mistake. gpu_check_reduce finds it; docs/debugging.md finds it with a debugger. */
#include <firepile.h>
#include <stdio.h>

/* The mean of so many values. */
GPU_STRUCT(mean, float value; int count;);
GPU_FUNCTION(mean, join_means, (mean a, mean b), {
    mean r;
    r.count = a.count + b.count;
    r.value = (a.value + b.value) / 2; /* as if both counted the same */
    return r;
});

enum { COUNT = 4 };
static const mean readings[COUNT] = {{20, 1}, {22, 1}, {21, 1}, {27, 2}};

int main(void)
{
    gpu *g = gpu_open(NULL);
    gpu_array *x = gpu_array_from(g, GPU_TYPE(mean), readings, COUNT);
    bool found = gpu_check_reduce(x, join_means) == GPU_E_ARGUMENT;
    fprintf(stderr, "%s\n", gpu_error());

    mean all;
    bool failed = gpu_reduce(x, join_means, &all);
    if (!failed) printf("the mean of %d values is %g; 23.4 would be right\n", all.count, all.value);
    if (fflush(stdout)) {
        perror("mistake");
        failed = true;
    }
    gpu_close(g);
    return failed || !found;
}
