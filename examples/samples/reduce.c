/* Firepile's reduction: the sum and the largest of many floats, in one pass. */
#include <firepile.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { COUNT = 1 << 20 };
static float data[COUNT];

int main(void)
{
    double expected = 0;
    float largest = 0;
    for (int i = 0; i < COUNT; i++) {
        data[i] = (float)(i * 2654435761u >> 8) / 16777216; /* in [0, 1) */
        expected += data[i];
        if (data[i] > largest) largest = data[i];
    }

    gpu *g = gpu_open(NULL);
    float sum, most;
    bool failed = gpu_reduce_all(gpu_array_of(g, data, COUNT), "a + b", &sum, "fmax(a, b)", &most);

    /* At worst the sum is in blocks of sqrt(n): a term passes 2 sqrt(n) additions, each off by at most half an
     * epsilon. */
    double difference = failed ? 0 : fabs(sum - expected) / expected, allowed = sqrt(COUNT) * FLT_EPSILON;
    bool agrees = !failed && difference <= allowed && most == largest;
    if (failed) {
        fprintf(stderr, "%s\n", gpu_error());
    } else {
        printf("reduce: the sum of %d floats is %g and the largest %g on %s\n", COUNT, sum, most, gpu_device_name(g));
        printf("        plain C: %g, off by %.1e of it (allowed: %.1e), and %g\n", expected, difference, allowed,
               largest);
    }

    if (fflush(stdout)) {
        perror("reduce");
        failed = true;
    }
    gpu_close(g);
    return failed || !agrees;
}
