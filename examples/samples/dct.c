/* Firepile's DCT 8x8: the discrete cosine transform of an image in blocks of 8 x 8 pixels, as in JPEG. The image is a
 * matrix. Each eight pixels of a row are multiplied with a matrix of cosines, and then each eight of a column. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 512, HEIGHT = 256, BLOCKS = WIDTH / 8 * (HEIGHT / 8) };

static float pixels[HEIGHT][WIDTH];       /* -128 to 127 */
static float coefficients[HEIGHT][WIDTH]; /* (u, v) of a block in its column u and row v */

/* The weight of pixel x in coefficient u of eight pixels. */
static double weight(int x, int u)
{
    return cos((2 * x + 1) * u * acos(-1) / 16) / 2 * (u ? 1 : sqrt(0.5));
}

/* Transforms each eight pixels of a row: they are rows of a matrix with eight columns. */
static gpu_matrix *transform_rows(const gpu_matrix *m, const gpu_matrix *weights)
{
    const size_t rows = gpu_matrix_rows(m), columns = gpu_matrix_columns(m);
    gpu_matrix *eights = gpu_matrix_from(gpu_matrix_array(m), rows * columns / 8, 8);
    return gpu_matrix_from(gpu_matrix_array(gpu_matrix_multiply(eights, weights)), rows, columns);
}

static gpu_matrix *transform(gpu *g, const gpu_matrix *image)
{
    float weights[8][8];
    for (int x = 0; x < 8; x++)
        for (int u = 0; u < 8; u++) weights[x][u] = (float)weight(x, u);
    const gpu_matrix *w = gpu_matrix_of(g, &weights[0][0], 8, 8);
    return gpu_matrix_transpose(transform_rows(gpu_matrix_transpose(transform_rows(image, w)), w));
}

/* Coefficient (u, v) of the block at this place, in double, by the definition. */
static double exact(int top, int left, int u, int v)
{
    double sum = 0;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) sum += pixels[top + y][left + x] * weight(x, u) * weight(y, v);
    return sum;
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
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            worst = fmax(worst, off(coefficients[y][x], exact(y / 8 * 8, x / 8 * 8, x % 8, y % 8)));
    return worst;
}

int main(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) pixels[y][x] = (float)((x * x / 3 + 5 * y + x * y / 64) % 256 - 128);

    gpu *g = gpu_open(NULL);
    gpu_matrix *image = gpu_matrix_of(g, &pixels[0][0], HEIGHT, WIDTH);
    bool failed = gpu_matrix_read(transform(g, image), &coefficients[0][0]);

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
