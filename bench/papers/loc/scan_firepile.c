/* The running sums of an array, with firepile. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    gpu *g = gpu_open(NULL);
    gpu_array *sums = gpu_scan(gpu_array_of(g, x, N), "a + b");
    if (gpu_read(sums, y)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    printf("%g\n", (double)y[N - 1]);
    gpu_close(g);
    return 0;
}
