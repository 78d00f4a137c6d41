/* The thesis's first program: it reduces and sorts numbers on the device. */
#include <firepile.h>
#include <stdio.h>

enum { N = 8 };

int main(void)
{
    gpu *g = gpu_open(NULL);
    float data[N] = {3, 1, 4, 1, 5, 9, 2, 6}, in_order[N], sum;
    gpu_array *numbers = gpu_array_of(g, data, N);

    bool failed = gpu_reduce(numbers, "a + b", &sum) || gpu_read(gpu_sort(numbers), in_order);
    if (failed) {
        fprintf(stderr, "%s\n", gpu_error());
    } else {
        printf("sum %g, sorted", sum);
        for (int k = 0; k < N; k++) printf(" %g", in_order[k]);
        printf("\n");
    }

    if (fflush(stdout)) {
        perror("thesis");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
