/* An array in order, with firepile. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)((i * 7919L) % N);

    gpu *g = gpu_open(NULL);
    gpu_array *sorted = gpu_sort(gpu_array_of(g, x, N));
    if (gpu_read(sorted, y)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    printf("from %g to %g\n", (double)y[0], (double)y[N - 1]);
    gpu_close(g);
    return 0;
}
