/* Heat in a square plate whose top edge is kept hot: steps of a stencil of a matrix, one kernel each. In the end the
 * middle has the mean of the four edges. `plate FILE` also writes an image, black to white for 0 to 100 degrees. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 65, STEPS = 8000 };

/* The edges keep their temperature. */
GPU_FUNCTION(float, conduct, (const float *near, int stride, int row, int column, int last), {
    if (row == 0 || row == last || column == 0 || column == last) return near[0];
    return (near[-stride] + near[-1] + near[1] + near[stride]) / 4;
});

static gpu_matrix *heat(gpu *g)
{
    static const float cold[SIDE * SIDE];
    const int last = SIDE - 1;
    gpu_matrix *u = gpu_matrix_map(gpu_matrix_of(g, cold, SIDE, SIDE), "row == 0 ? 100 : x");
    for (int step = 0; step < STEPS; step++)
        gpu_matrix_replace(&u, gpu_matrix_stencil(u, 1, GPU_EDGE_CLAMP, conduct, GPU_ARG(last)));
    return u;
}

/* A PGM image: a head of text, then a byte for each pixel. */
static bool write_image(const char *path, gpu_matrix *u)
{
    unsigned char pixels[SIDE * SIDE];
    if (gpu_matrix_read(gpu_matrix_map_to(u, GPU_UCHAR, "x * 2.55f + 0.5f"), pixels)) return false;
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool well = fprintf(file, "P5\n%d %d\n255\n", SIDE, SIDE) > 0;
    well = fwrite(pixels, sizeof pixels, 1, file) == 1 && well;
    return fclose(file) == 0 && well;
}

int main(int argc, char **argv)
{
    float plate[SIDE][SIDE];
    gpu *g = gpu_open(NULL);
    gpu_matrix *u = heat(g);
    bool failed = gpu_matrix_read(u, plate[0]);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    const float middle = failed ? 0 : plate[SIDE / 2][SIDE / 2];
    if (!failed) printf("%.1f degrees in the middle\n", middle);
    if (!failed && argc > 1 && !write_image(argv[1], u)) {
        perror(argv[1]);
        failed = true;
    }
    if (fflush(stdout)) {
        perror("plate");
        failed = true;
    }
    gpu_close(g);
    return failed || fabsf(middle - 25) > 0.05f;
}
