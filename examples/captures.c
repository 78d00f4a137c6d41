/* Captured values: a scalar and an array of the program, under their own names in a snippet. Also maps that change the
 * type, and maps over two arrays. */
#include <firepile.h>
#include <stdio.h>

#define COUNT 1000

int main(void)
{
    float data[COUNT], weights[256];
    for (int i = 0; i < COUNT; i++) data[i] = (float)i / 8;
    for (int i = 0; i < 256; i++) weights[i] = (float)(i * i);

    gpu *g = gpu_open(NULL);
    gpu_array *x = gpu_array_of(g, data, COUNT);
    gpu_array *table = gpu_array_of(g, weights, 256);
    float k = 3;
    gpu_array *y = gpu_map(x, "x * k + table[i % 256]", GPU_ARG(k), GPU_ARG(table));
    gpu_array *n = gpu_map_to(x, GPU_INT, "convert_int(x)"); /* truncates, as a cast does in C */
    gpu_array *z = gpu_map2(x, y, "x > y ? x : y");

    float weighted[COUNT], larger[COUNT];
    int whole[COUNT];
    bool failed = gpu_read(y, weighted) || gpu_read(n, whole) || gpu_read(z, larger);
    if (failed)
        fprintf(stderr, "%s\n", gpu_error());
    else
        printf("    i         x       x * k + table[i %% 256]   convert_int(x)   the larger\n");
    for (int i = 0; !failed && i < COUNT; i += 111)
        printf("%5d  %8.3f  %24.3f  %15d  %11.3f\n", i, data[i], weighted[i], whole[i], larger[i]);

    if (fflush(stdout)) {
        perror("captures");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
