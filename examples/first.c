/* The first program: an array on the device, its sum, and a map fused into a sum. */
#include <firepile.h>
#include <stdio.h>

int main(void)
{
    gpu *g = gpu_open(NULL); /* the best device, or the one of $FIREPILE_DEVICE */
    float data[] = {1, 2, 3, 4, 5};
    gpu_array *x = gpu_array_of(g, data, 5); /* the element type is taken from the pointer */
    gpu_array *y = gpu_map(x, "x * 23");     /* delayed: nothing has run yet */

    float sum, scaled;
    bool failed = gpu_reduce(x, "a + b", &sum) || gpu_reduce(y, "a + b", &scaled); /* map and reduce: one kernel */
    if (failed)
        fprintf(stderr, "%s\n", gpu_error());
    else
        printf("%s: %g %g\n", gpu_device_name(g), sum, scaled);

    if (fflush(stdout)) {
        perror("first");
        failed = true;
    }
    gpu_close(g); /* frees everything made on g */
    return failed;
}
