/* An image by stencils of a matrix: specks are removed by a median, the rest is blurred, edges are found by Sobel's
 * differences, and their grey values are spread evenly. `image FILE` writes the edges as an image. */
#include <firepile.h>
#include <firepile/math.h>
#include <stdio.h>

enum { SIDE = 256, RADIUS = 3 };

GPU_FUNCTION(float, median, (const float *near, int stride), {
    float v[9];
    for (int k = 0; k < 9; k++) {
        const float x = near[(k / 3 - 1) * stride + k % 3 - 1];
        int j = k;
        for (; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
        v[j] = x;
    }
    return v[4];
});

/* One direction of a blur: `step` is 1 along the rows. */
GPU_FUNCTION(float, blur, (const float *near, int stride, int across, GPU_GLOBAL const float *weights), {
    float sum = 0;
    for (int k = -3; k <= 3; k++) sum += weights[k + 3] * near[across ? k : k * stride];
    return sum;
});

GPU_FUNCTION(float, sobel, (const float *near, int stride), {
    const float *above = near - stride;
    const float *below = near + stride;
    const float down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
    const float right = above[1] + 2 * near[1] + below[1] - above[-1] - 2 * near[-1] - below[-1];
    return sqrt(down * down + right * right);
});

/* A bright disc, with a white speck here and there. */
GPU_FUNCTION(float, paint, (int x, int row, int column, int side), {
    const int down = row - side / 2;
    const int across = column - side / 2;
    return x % 1009 == 7 ? 255 : down * down + across * across < 6400 ? 200 : 60;
});

GPU_FUNCTION(uint8_t, to_grey, (float x), { return x > 255 ? 255 : x; });
GPU_FUNCTION(uint8_t, spread, (uint8_t x, GPU_GLOBAL const uint32_t *below, uint32_t pixels),
             { return (below[x] - below[0]) * 255 / (pixels - below[0]); });

static gpu_matrix *draw(gpu *g)
{
    const int side = SIDE;
    gpu_matrix *places = gpu_matrix_from(gpu_range(g, GPU_INT, SIDE * SIDE), SIDE, SIDE);
    return gpu_matrix_map_to(places, GPU_FLOAT, paint, GPU_ARG(side));
}

static gpu_matrix *soften(gpu *g, const gpu_matrix *m)
{
    static const float gauss[] = {0.03f, 0.11f, 0.22f, 0.28f, 0.22f, 0.11f, 0.03f};
    gpu_array *weights = gpu_array_of(g, gauss, 2 * RADIUS + 1);
    int across = 1;
    gpu_matrix *rows = gpu_matrix_stencil(m, RADIUS, GPU_EDGE_REFLECT, blur, GPU_ARG(across), GPU_ARG(weights));
    across = 0;
    return gpu_matrix_stencil(rows, RADIUS, GPU_EDGE_REFLECT, blur, GPU_ARG(across), GPU_ARG(weights));
}

/* Grey values from 0 to 255, such that each range of them has as many pixels. */
static gpu_array *equalise(gpu *g, const gpu_matrix *m)
{
    const uint32_t pixels = SIDE * SIDE;
    gpu_array *grey = gpu_map_to(gpu_matrix_array(m), GPU_UCHAR, to_grey);
    gpu_array *ones = gpu_fill(g, GPU_UINT, &(uint32_t){1}, pixels);
    gpu_array *below = gpu_scan(gpu_bin_reduce(grey, ones, 256, &(uint32_t){0}, "a + b"), "a + b");
    return gpu_map(grey, spread, GPU_ARG(below), GPU_ARG(pixels));
}

static bool write_image(const char *path, gpu_array *grey)
{
    unsigned char pixels[SIDE * SIDE];
    if (gpu_read(grey, pixels)) return false;
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool well = fprintf(file, "P5\n%d %d\n255\n", SIDE, SIDE) > 0;
    well = fwrite(pixels, sizeof pixels, 1, file) == 1 && well;
    return fclose(file) == 0 && well;
}

int main(int argc, char **argv)
{
    size_t specks = 0, left = 0, edge = 0;
    gpu *g = gpu_open(NULL);
    gpu_matrix *image = draw(g), *calm = gpu_matrix_stencil(image, 1, GPU_EDGE_CLAMP, median);
    gpu_matrix *edges = gpu_matrix_stencil(soften(g, calm), 1, GPU_EDGE_CLAMP, sobel);
    bool failed = gpu_count(gpu_matrix_array(image), "x == 255", &specks) ||
                  gpu_count(gpu_matrix_array(calm), "x == 255", &left) ||
                  gpu_count(gpu_matrix_array(edges), "x > 100", &edge);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (!failed) printf("%zu specks, %zu of them left; %zu pixels of edges\n", specks, left, edge);
    if (!failed && argc > 1 && !write_image(argv[1], equalise(g, edges))) {
        perror(argv[1]);
        failed = true;
    }
    if (fflush(stdout)) {
        perror("image");
        failed = true;
    }
    gpu_close(g);
    return failed || left > 0;
}
