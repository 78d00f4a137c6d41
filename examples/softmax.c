/* Softmax: scores become probabilities. The largest score and the sum stay on the device, and later operators capture
 * them. The host waits once, for the result. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

#define COUNT 6

static const char *const words[COUNT] = {"the", "a", "cat", "dog", "mouse", "firefly"};

/* exp of these overflows a float. */
static const float scores[COUNT] = {1003, 1001.5f, 1000, 999.5f, 997, 990};

/* exp(x) / (the sum of all exp(x)) in three kernels. Computing each exponential twice costs less than storing it. */
static gpu_array *softmax(const gpu_array *x)
{
    gpu_array *largest = gpu_reduced(x, "fmax(a, b)");
    gpu_array *sum = gpu_reduced(gpu_map(x, "exp(x - largest[0])", GPU_ARG(largest)), "a + b");
    return gpu_map(x, "exp(x - largest[0]) / sum[0]", GPU_ARG(largest), GPU_ARG(sum));
}

/* The largest difference from the probabilities that the host computes in double. */
static double distance(const float *probabilities)
{
    double sum = 0, largest = 0;
    for (int k = 0; k < COUNT; k++) sum += exp(scores[k] - 1000.0);
    for (int k = 0; k < COUNT; k++) largest = fmax(largest, fabs(probabilities[k] - exp(scores[k] - 1000.0) / sum));
    return largest;
}

int main(void)
{
    gpu *g = gpu_open(NULL);
    float probabilities[COUNT];
    bool failed = gpu_read(softmax(gpu_array_of(g, scores, COUNT)), probabilities);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int k = 0; !failed && k < COUNT; k++) printf("%-8s %7.1f  %.6f\n", words[k], scores[k], probabilities[k]);
    if (fflush(stdout)) {
        perror("softmax");
        failed = true;
    }
    gpu_close(g);
    return failed || !(distance(probabilities) < 1e-6);
}
