/* Power iteration: the largest eigenvalue of a symmetric matrix. Each vector is scaled by its norm, which stays on the
 * device. The host waits once, for the eigenvalue. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

/* The matrix `a` times the vector `v`: one kernel. */
static gpu_array *multiply(const gpu_array *a, const gpu_array *v, unsigned n)
{
    return gpu_block_reduce(gpu_map(a, "x * v[i % n]", GPU_ARG(v), GPU_ARG(n)), n, "a + b");
}

/* The vector, scaled to length 1. */
static gpu_array *normalise(const gpu_array *v)
{
    gpu_array *square = gpu_reduced(gpu_map(v, "x * x"), "a + b");
    return gpu_map(v, "x / sqrt(square[0])", GPU_ARG(square));
}

static gpu_status largest_eigenvalue(const gpu_array *a, unsigned n, int iterations, gpu *g, float *value)
{
    gpu_array *v = gpu_fill(g, GPU_FLOAT, &(float){1}, n);
    for (int k = 0; k < iterations; k++) v = normalise(multiply(a, v, n));
    return gpu_reduce(gpu_map2(v, multiply(a, v, n), "x * y"), "a + b", value);
}

int main(void)
{
    unsigned n = 100;
    gpu *g = gpu_open(NULL);
    gpu_array *places = gpu_range(g, GPU_UINT, (size_t)n * n);
    gpu_array *a = gpu_eval(gpu_map_to(places, GPU_FLOAT, "min(x / n, x % n) + 1", GPU_ARG(n)));
    float value;
    bool failed = largest_eigenvalue(a, n, 12, g, &value);
    double exact = 1 / (4 * pow(sin(PI / (4 * n + 2)), 2));
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("the largest eigenvalue of min(row, column): %.2f; exactly %.2f\n", value, exact);
    if (fflush(stdout)) {
        perror("power");
        failed = true;
    }
    gpu_close(g);
    return failed || !(fabs(value - exact) < 1e-5 * exact);
}
