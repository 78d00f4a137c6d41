/* Conjugate gradients: the deflection of a square membrane, fixed at its edges, under an even load. The matrix is a
 * function of the neighbours and is not stored. Step lengths stay on the device. The host waits once, for the
 * result. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

#define WIDTH 31 /* points in a row, without the edges */
#define COUNT (WIDTH * WIDTH)
#define ITERATIONS 40

GPU_CONSTANT(width, WIDTH);

/* The discrete -div grad at point i, times the square of the grid's step. */
GPU_DEVICE_FUNCTION(float, laplacian, (__global const float *u, ulong i), {
    uint column = i % width, row = i / width;
    float left = column > 0 ? u[i - 1] : 0, right = column + 1 < width ? u[i + 1] : 0;
    float above = row > 0 ? u[i - width] : 0, below = row + 1 < width ? u[i + width] : 0;
    return 4 * u[i] - left - right - above - below;
});

static gpu_array *dot(const gpu_array *a, const gpu_array *b)
{
    return gpu_reduced(gpu_map2(a, b, "x * y"), "a + b");
}

/* Solves laplacian(u) = load, from u = 0. */
static gpu_array *solve(gpu *g, const gpu_array *load)
{
    gpu_array *u = gpu_eval(gpu_fill(g, GPU_FLOAT, &(float){0}, COUNT));
    const gpu_array *rest = load, *direction = load;
    gpu_array *square = dot(rest, rest);
    for (int k = 0; k < ITERATIONS; k++) { /* six kernels; arrays used twice are evaluated */
        gpu_array *image = gpu_eval(gpu_map(direction, "laplacian(d, i)", GPU_ARG_AS(d, GPU_CAPTURE_ARRAY, direction)));
        gpu_array *slope = dot(direction, image), *before = square;
        u = gpu_eval(gpu_map2(u, direction, "x + before[0] / slope[0] * y", GPU_ARG(before), GPU_ARG(slope)));
        rest = gpu_eval(gpu_map2(rest, image, "x - before[0] / slope[0] * y", GPU_ARG(before), GPU_ARG(slope)));
        square = dot(rest, rest);
        direction = gpu_map2(rest, direction, "x + square[0] / before[0] * y", GPU_ARG(square), GPU_ARG(before));
    }
    return u;
}

int main(void)
{
    gpu *g = gpu_open(NULL);
    float step = 1.0f / (WIDTH + 1), u[WIDTH][WIDTH];
    gpu_array *load = gpu_eval(gpu_fill(g, GPU_FLOAT, &(float){step * step}, COUNT));
    bool failed = gpu_read(solve(g, load), u[0]);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int row = 3; !failed && row < WIDTH; row += 4) {
        for (int column = 3; column < WIDTH; column += 4) printf(" %.4f", u[row][column]);
        printf("\n");
    }
    if (fflush(stdout)) {
        perror("gradients");
        failed = true;
    }
    gpu_close(g);
    return failed || !(fabs(u[WIDTH / 2][WIDTH / 2] - 0.07367) < 1e-4); /* Timoshenko: 0.07367 in the middle */
}
