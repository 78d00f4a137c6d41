/* A series of temperatures, ten years of them, day by day: yearly means by windows, an exponential average by a scan,
 * the warmest week, the longest spell below zero. The program makes the series up and checks each number. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { YEAR = 365, DAYS = 10 * YEAR, WEEK = 7 };
static float days[DAYS];

/* y' = keep y + (1 - keep) x: functions of y, one after the other, are such a function again. */
GPU_STRUCT(affine, float scale; float shift;);
GPU_FUNCTION(affine, average_of, (float x, float keep), {
    affine f;
    f.scale = keep;
    f.shift = (1 - keep) * x;
    return f;
});
GPU_FUNCTION(affine, then, (affine a, affine b), {
    b.shift += b.scale * a.shift;
    b.scale *= a.scale;
    return b;
});
GPU_FUNCTION(float, shift_of, (affine f), { return f.shift; });

/* How many days in a row up to the last one; `all` says whether these are all of the piece. */
GPU_STRUCT(spell, int length; int all;);
GPU_FUNCTION(spell, frost, (float x), {
    spell s;
    s.length = s.all = x < 0;
    return s;
});
GPU_FUNCTION(spell, join, (spell a, spell b), {
    if (b.all) b.length += a.length;
    b.all = b.all && a.all;
    return b;
});
GPU_FUNCTION(int, length_of, (spell s), { return s.length; });

/* Winters of -5 degrees, summers of 25, a little warmer each year, and weather. */
static void make_series(void)
{
    unsigned state = 11;
    for (int k = 0; k < DAYS; k++) {
        state = state * 1664525 + 1013904223;
        days[k] = 10 - 15 * cosf(6.2831853f * (float)k / YEAR) + 0.2f * (float)k / YEAR + (float)(state >> 24) / 64 - 2;
    }
}

static bool describe(gpu *g)
{
    const float keep = 0.9f;
    gpu_array *x = gpu_array_of(g, days, DAYS);
    gpu_array *years = gpu_map(gpu_window_reduce(x, YEAR, "a + b"), "x / 365");
    gpu_array *smooth =
        gpu_map_to(gpu_scan(gpu_map_to(x, GPU_TYPE(affine), average_of, GPU_ARG(keep)), then), GPU_FLOAT, shift_of);
    gpu_array *spells = gpu_map_to(gpu_scan(gpu_map_to(x, GPU_TYPE(spell), frost), join), GPU_INT, length_of);
    float first, last, now, want = 0;
    int longest;
    size_t week;
    if (gpu_read(gpu_slice(years, 0, 1), &first) || gpu_read(gpu_slice(years, DAYS - YEAR, 1), &last) ||
        gpu_read(gpu_slice(smooth, DAYS - 1, 1), &now) || gpu_max(spells, &longest) ||
        gpu_argmax(gpu_window_reduce(x, WEEK, "a + b"), &week))
        return false;
    for (int k = 0; k < DAYS; k++) want = keep * want + (1 - keep) * days[k];
    printf("yearly means: %.1f to %.1f; exponential average %.1f; longest frost %d days; warmest week from day %zu\n",
           first, last, now, longest, week);
    return fabsf(now - want) < 1e-3f && last - first > 1.5f;
}

int main(void)
{
    make_series();
    gpu *g = gpu_open(NULL);
    bool failed = !describe(g);
    if (failed) fprintf(stderr, "series: %s\n", gpu_error());
    if (fflush(stdout)) {
        perror("series");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
