/* The elements of an array that are greater than 4, with firepile. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    gpu *g = gpu_open(NULL);
    gpu_array *kept = gpu_filter(gpu_array_of(g, x, N), "x > 4");
    size_t count;
    if (gpu_read_n(kept, y, N, &count)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    printf("%zu, the last %g\n", count, (double)y[count - 1]);
    gpu_close(g);
    return 0;
}
