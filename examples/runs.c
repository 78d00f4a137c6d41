/* Run-length coding: a picture of few colours as runs of equal pixels, and the picture again. The runs stay on the
 * device, and so does their number until it is printed. */
#include <firepile.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 32, HEIGHT = 16, PIXELS = WIDTH * HEIGHT };

/* A disc. */
GPU_FUNCTION(unsigned char, colour_of, (int x), {
    int column = 2 * (x % 32) - 31;
    int row = 4 * (x / 32) - 30;
    return column * column + row * row < 700 ? '#' : '.';
});

int main(void)
{
    unsigned char pixels[PIXELS], again[PIXELS];
    gpu *g = gpu_open(NULL);
    gpu_array *picture = gpu_map_to(gpu_range(g, GPU_INT, PIXELS), GPU_UCHAR, colour_of), *colours, *lengths;
    gpu_runs(picture, &colours, &lengths);
    bool failed = gpu_read(picture, pixels) || gpu_read(gpu_repeat(colours, lengths), again);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    for (int row = 0; row < HEIGHT && !failed; row++) printf("%.*s\n", WIDTH, (const char *)pixels + row * WIDTH);
    if (!failed) printf("%d pixels in %zu runs\n", PIXELS, gpu_length(lengths));
    failed = failed || memcmp(pixels, again, PIXELS);
    if (fflush(stdout)) {
        perror("runs");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
