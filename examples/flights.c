/* Analysis by groups: mean delays by hour, percentiles, the most frequent distances, the correlation of delay and
 * distance. The program makes the flights up. */
#include <firepile.h>
#include <math.h>
#include <stdio.h>

enum { FLIGHTS = 20000, HOURS = 24, DISTANCES = 2000, SHOWN = 3 };
static int hours[FLIGHTS], delays[FLIGHTS], distances[FLIGHTS];

/* Sums of two numbers, of their squares and their product. */
GPU_STRUCT(moments, double x; double y; double xx; double yy; double xy;);
GPU_FUNCTION(moments, moments_of, (int x, int y), {
    moments m;
    m.x = x;
    m.y = y;
    m.xx = (double)x * x;
    m.yy = (double)y * y;
    m.xy = (double)x * y;
    return m;
});
GPU_FUNCTION(moments, both, (moments a, moments b), {
    a.x += b.x;
    a.y += b.y;
    a.xx += b.xx;
    a.yy += b.yy;
    a.xy += b.xy;
    return a;
});

/* Delays grow during the day. Some distances are much more frequent than others. */
static void make_flights(void)
{
    unsigned state = 2001;
    for (int k = 0; k < FLIGHTS; k++) {
        state = state * 1664525 + 1013904223;
        hours[k] = 5 + (int)(state >> 16) % 19;
        distances[k] = 100 + (int)(state >> 8) % 40 * ((int)(state >> 20) % 40);
        delays[k] = hours[k] - 10 + (int)(state >> 12 & 31) - distances[k] / 200;
    }
}

static bool print_hours(const gpu_array *hour, const gpu_array *delay, const gpu_array *one)
{
    int sums[HOURS], counts[HOURS];
    if (gpu_read(gpu_bin_reduce(hour, delay, HOURS, &(int){0}, "a + b"), sums) ||
        gpu_read(gpu_bin_reduce(hour, one, HOURS, &(int){0}, "a + b"), counts))
        return false;
    printf("mean delay by hour:");
    for (int k = 5; k < HOURS; k += 6) printf(" %d:%.1f", k, (double)sums[k] / counts[k]);
    printf("\n");
    return true;
}

static bool print_distances(gpu *g, const gpu_array *distance, const gpu_array *one)
{
    int miles[SHOWN], counts[SHOWN];
    gpu_array *count = gpu_bin_reduce(distance, one, DISTANCES, &(int){0}, "a + b"), *often, *which;
    gpu_top_pairs(count, gpu_range(g, GPU_INT, DISTANCES), SHOWN, &often, &which);
    if (gpu_read(often, counts) || gpu_read(which, miles)) return false;
    printf("most frequent distances:");
    for (int k = 0; k < SHOWN; k++) printf(" %d (%d flights)", miles[k], counts[k]);
    printf("\n");
    return true;
}

static bool print_spread(const gpu_array *delay, const gpu_array *distance)
{
    const double n = FLIGHTS;
    float half, most;
    moments m;
    if (gpu_median(delay, &half) || gpu_quantile(delay, 0.9, &most) ||
        gpu_reduce(gpu_map2_to(delay, distance, GPU_TYPE(moments), moments_of), both, &m))
        return false;
    const double together = n * m.xy - m.x * m.y, apart = (n * m.xx - m.x * m.x) * (n * m.yy - m.y * m.y);
    printf("half are below %g minutes, nine of ten below %g; correlation with the distance %.2f\n", half, most,
           together / sqrt(apart));
    return true;
}

static bool describe(gpu *g)
{
    gpu_array *hour = gpu_array_of(g, hours, FLIGHTS), *delay = gpu_array_of(g, delays, FLIGHTS);
    gpu_array *distance = gpu_array_of(g, distances, FLIGHTS), *one = gpu_fill(g, GPU_INT, &(int){1}, FLIGHTS);
    return print_hours(hour, delay, one) && print_distances(g, distance, one) && print_spread(delay, distance);
}

int main(void)
{
    make_flights();
    gpu *g = gpu_open(NULL);
    bool failed = !describe(g);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (fflush(stdout)) {
        perror("flights");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
