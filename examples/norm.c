/* A pipeline as a C function. Symbols are placeholders for the array and the exponent. The function is compiled once;
 * each call costs one launch and one wait. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

/* The sum of |x| to the power of p. */
typedef gpu_status norm_function(float *out, const gpu_array *v, float p);

static gpu_status make_norm(gpu *g, norm_function **norm)
{
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *v = gpu_symbol(g, GPU_FLOAT), *p = gpu_symbol_value(g, GPU_FLOAT);
    gpu_array *sum = gpu_reduced(gpu_map(v, "pow(fabs(x), p[0])", GPU_ARG(p)), "a + b");
    gpu_status status = gpu_compile(norm, sum, v, p);
    gpu_scope_end(scope); /* the function needs none of them */
    return status;
}

int main(void)
{
    static const float sides[] = {3, -4, 12};
    gpu *g = gpu_open(NULL);
    norm_function *norm;
    float squares = 0, cubes = 0;
    gpu_array *x = gpu_array_of(g, sides, 3);
    bool failed = make_norm(g, &norm) || norm(&squares, x, 2) || norm(&cubes, x, 3);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("lengths %.6g and %.6g\n", sqrt(squares), cbrt(cubes));
    if (fflush(stdout)) {
        perror("norm");
        failed = true;
    }
    gpu_close(g);
    return failed || fabs(sqrt(squares) - 13) > 1e-4 || fabs(cbrt(cubes) - cbrt(1819)) > 1e-4;
}
