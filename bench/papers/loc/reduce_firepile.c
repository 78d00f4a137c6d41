/* The sum of an array, with firepile. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    gpu *g = gpu_open(NULL);
    float sum;
    if (gpu_reduce(gpu_array_of(g, x, N), "a + b", &sum)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    printf("%g\n", (double)sum);
    gpu_close(g);
    return 0;
}
