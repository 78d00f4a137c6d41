/* y = 23 x over an array, with firepile. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    gpu *g = gpu_open(NULL);
    gpu_array *scaled = gpu_map(gpu_array_of(g, x, N), "x * 23");
    if (gpu_read(scaled, y)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    printf("%g\n", (double)y[N - 1]);
    gpu_close(g);
    return 0;
}
