/* Pi by simulation: the share of random points in a square that lie in the circle. One kernel draws the points, tests
 * them and adds up. Nothing but the sum is stored, and it is the same on every device. */
#include <firepile.h>
#include <firepile/random.h>
#include <stdio.h>

#define POINTS (1 << 24)

GPU_FUNCTION(unsigned int, is_inside, (float x, float y), { return x * x + y * y < 1; });

int main(void)
{
    gpu *g = gpu_open(NULL);
    gpu_array *x = gpu_random(g, GPU_FLOAT, POINTS, 1), *y = gpu_random(g, GPU_FLOAT, POINTS, 2);
    gpu_array *inside = gpu_map2_to(x, y, GPU_UINT, is_inside);
    unsigned int count = 0;
    bool failed = gpu_reduce(inside, "a + b", &count);
    const double pi = 4.0 * count / POINTS;
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("%u of %d points: pi is about %.4f\n", count, POINTS, pi);
    if (fflush(stdout)) {
        perror("pi");
        failed = true;
    }
    gpu_close(g);
    return failed || pi < 3.14 || pi > 3.143;
}
