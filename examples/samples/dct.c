/* Firepile's DCT 8x8: the discrete cosine transform of an image in blocks of 8 x 8 pixels, as in JPEG. A block is an
 * element. A map gathers its pixels from the image, and is fused with the transform. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 512, HEIGHT = 256, BLOCKS = WIDTH / 8 * (HEIGHT / 8) };

GPU_STRUCT(row, float v[8];);
GPU_STRUCT(block, float v[8][8];);

/* cos(k pi / 16) / 2 */
GPU_CONSTANT(C1, 0.49039264f);
GPU_CONSTANT(C2, 0.46193977f);
GPU_CONSTANT(C3, 0.41573481f);
GPU_CONSTANT(C4, 0.35355339f);
GPU_CONSTANT(C5, 0.27778512f);
GPU_CONSTANT(C6, 0.19134172f);
GPU_CONSTANT(C7, 0.09754516f);

/* The transform of 8 numbers. It adds and subtracts the numbers opposite each other, since their cosines differ only in
 * sign. */
GPU_FUNCTION(row, dct_row, (row x), {
    float s0 = x.v[0] + x.v[7], s1 = x.v[1] + x.v[6], s2 = x.v[2] + x.v[5], s3 = x.v[3] + x.v[4];
    float d0 = x.v[0] - x.v[7], d1 = x.v[1] - x.v[6], d2 = x.v[2] - x.v[5], d3 = x.v[3] - x.v[4];
    row r;
    r.v[0] = C4 * ((s0 + s3) + (s1 + s2));
    r.v[1] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
    r.v[2] = C2 * (s0 - s3) + C6 * (s1 - s2);
    r.v[3] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
    r.v[4] = C4 * ((s0 + s3) - (s1 + s2));
    r.v[5] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
    r.v[6] = C6 * (s0 - s3) - C2 * (s1 - s2);
    r.v[7] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
    return r;
});

/* The rows, and then the columns. */
GPU_FUNCTION(block, dct, (block b), {
    row r;
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) r.v[x] = b.v[y][x];
        r = dct_row(r);
        for (int x = 0; x < 8; x++) b.v[y][x] = r.v[x];
    }
    for (int x = 0; x < 8; x++) {
        for (int y = 0; y < 8; y++) r.v[y] = b.v[y][x];
        r = dct_row(r);
        for (int y = 0; y < 8; y++) b.v[y][x] = r.v[y];
    }
    return b;
});

static float pixels[HEIGHT][WIDTH]; /* -128 to 127 */
static block coefficients[BLOCKS];

/* Coefficient (u, v) of a block, in double, by the definition. */
static double exact(int number, int u, int v)
{
    const double step = acos(-1) / 16;
    int top = number / (WIDTH / 8) * 8, left = number % (WIDTH / 8) * 8;
    double sum = 0;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            sum += pixels[top + y][left + x] * cos((2 * x + 1) * u * step) * cos((2 * y + 1) * v * step);
    return sum / 4 * (u ? 1 : sqrt(0.5)) * (v ? 1 : sqrt(0.5));
}

/* A NaN is infinitely far from everything. */
static double off(double a, double b)
{
    double difference = fabs(a - b);
    return difference >= 0 ? difference : INFINITY;
}

static double largest_difference(void)
{
    double worst = 0;
    for (int k = 0; k < 64 * BLOCKS; k++) {
        int number = k / 64, v = k / 8 % 8, u = k % 8;
        worst = fmax(worst, off(coefficients[number].v[v][u], exact(number, u, v)));
    }
    return worst;
}

int main(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) pixels[y][x] = (float)((x * x / 3 + 5 * y + x * y / 64) % 256 - 128);

    gpu *g = gpu_open(NULL);
    gpu_array *image = gpu_array_of(g, &pixels[0][0], WIDTH * HEIGHT);
    unsigned width = WIDTH;
    gpu_array *blocks = gpu_map_to(gpu_range(g, GPU_UINT, BLOCKS), GPU_TYPE(block),
                                   "{\n"
                                   "    const uint top = x / (width / 8) * 8, left = x % (width / 8) * 8;\n"
                                   "    block b;\n"
                                   "    for (uint k = 0; k < 64; k++)\n"
                                   "        b.v[k / 8][k % 8] = image[(top + k / 8) * width + left + k % 8];\n"
                                   "    return b;\n"
                                   "}",
                                   GPU_ARG(image), GPU_ARG(width));
    bool failed = gpu_read(gpu_map(blocks, dct), coefficients);

    /* Coefficients are up to 1024; some 16 roundings on their way are off by 6e-8 of that each. */
    double worst = failed ? 0 : largest_difference(), allowed = 1e-3;
    if (failed)
        fprintf(stderr, "%s\n", gpu_error());
    else
        printf("DCT 8x8: %d blocks on %s, off from plain C in double by %.1e at most (allowed: %.1e)\n", BLOCKS,
               gpu_device_name(g), worst, allowed);

    if (fflush(stdout)) {
        perror("dct");
        failed = true;
    }
    gpu_close(g);
    return failed || !(worst <= allowed);
}
