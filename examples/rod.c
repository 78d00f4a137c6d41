/* Heat in a rod whose left end is kept hot: 10,000 steps of a stencil, one kernel each. gpu_replace frees the old
 * temperatures, so memory stays as it is. In the end the temperature falls evenly from end to end. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 64, STEPS = 10000, SHOWN = 8 };

/* The ends keep their temperature. */
GPU_FUNCTION(float, conduct, (const float *near, uint64_t i, float rate, uint64_t last), {
    if (i == 0 || i == last) return near[0];
    return near[0] + rate * (near[-1] - 2 * near[0] + near[1]);
});

int main(void)
{
    const float rate = 0.4f;
    const uint64_t last = POINTS - 1;
    float rod[POINTS] = {100}, worst = 0;
    gpu *g = gpu_open(NULL);
    gpu_array *u = gpu_array_of(g, rod, POINTS);
    for (int step = 0; step < STEPS; step++)
        gpu_replace(&u, gpu_stencil(u, 1, GPU_EDGE_CLAMP, conduct, GPU_ARG(rate), GPU_ARG(last)));
    bool failed = gpu_read(u, rod);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int k = 0; k < POINTS && !failed; k++) {
        const float even = 100 * (float)(POINTS - 1 - k) / (POINTS - 1);
        worst = fmaxf(worst, fabsf(rod[k] - even));
        if (k % SHOWN == 0) printf("%5.1f", rod[k]);
    }
    if (!failed) printf("\nat most %.2f degrees from a straight line\n", worst);
    if (fflush(stdout)) {
        perror("rod");
        failed = true;
    }
    gpu_close(g);
    return failed || worst > 0.1f;
}
