/* Where an array has the value 4, with firepile. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N];
    static uint64_t y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    gpu *g = gpu_open(NULL);
    gpu_array *found = gpu_find(gpu_array_of(g, x, N), &(float){4});
    size_t count;
    if (gpu_read_n(found, y, N, &count)) {
        fprintf(stderr, "%s\n", gpu_error());
        return 1;
    }
    printf("%zu, the last at %llu\n", count, (unsigned long long)y[count - 1]);
    gpu_close(g);
    return 0;
}
