/* Firepile's vector addition: two arrays, element by element. */
#include <firepile.h>
#include <stdio.h>

enum { COUNT = 1 << 20 };
static float a[COUNT], b[COUNT], sums[COUNT];

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i / 3;
        b[i] = (float)(COUNT - i) * 1.7f;
    }

    gpu *g = gpu_open(NULL);
    gpu_array *sum = gpu_map2(gpu_array_of(g, a, COUNT), gpu_array_of(g, b, COUNT), "x + y");
    bool failed = gpu_read(sum, sums);
    if (failed) fprintf(stderr, "%s\n", gpu_error());

    /* One addition is rounded once and in one way only: plain C gives the same bits. */
    size_t wrong = 0;
    for (int i = 0; i < COUNT && !failed; i++) wrong += sums[i] != a[i] + b[i];
    if (!failed) printf("vector add: %d sums on %s, %zu differ from plain C\n", COUNT, gpu_device_name(g), wrong);

    if (fflush(stdout)) {
        perror("vector_add");
        failed = true;
    }
    gpu_close(g);
    return failed || wrong;
}
