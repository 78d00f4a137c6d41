/* Flights beside the mean delay of their day, and the flights of bad days alone: a join, many to one. The program makes
 * the delays up. */
#include <firepile.h>
#include <stdio.h>

enum { FLIGHTS = 20000, DAYS = 90, SHOWN = 3 };

/* Sums, from which a mean follows: means cannot be combined. */
GPU_STRUCT(mean, float sum; int count;);
GPU_FUNCTION(mean, mean_of, (float x), {
    mean m;
    m.sum = x;
    m.count = 1;
    return m;
});
GPU_FUNCTION(mean, both, (mean a, mean b), {
    a.sum += b.sum;
    a.count += b.count;
    return a;
});
GPU_FUNCTION(float, value_of, (int key, mean x), { return x.sum / (float)x.count; });

static int days[FLIGHTS];
static float delays[FLIGHTS];

/* Delays in minutes. On every seventh day they are 20 minutes longer. */
static void make_flights(void)
{
    unsigned state = 2011;
    for (int k = 0; k < FLIGHTS; k++) {
        state = state * 1664525 + 1013904223;
        days[k] = (int)(state >> 16) % DAYS;
        delays[k] = (float)(state >> 8 & 63) - 10 + (days[k] % 7 ? 0 : 20);
    }
}

/* Prints flights of the days whose mean is more than half an hour. */
static bool print_bad_days(const gpu_dict *means, const gpu_array *day, const gpu_array *delay)
{
    int d[SHOWN];
    float means_of[SHOWN], own[SHOWN];
    gpu_array *k, *left, *right;
    gpu_dict *bad = gpu_dict_filter(means, "x > 30");
    gpu_dict_join(bad, day, delay, &k, &left, &right);
    const size_t flights = gpu_length(k), shown = flights < SHOWN ? flights : SHOWN;
    if (gpu_read(gpu_slice(k, 0, shown), d) || gpu_read(gpu_slice(left, 0, shown), means_of) ||
        gpu_read(gpu_slice(right, 0, shown), own))
        return false;
    for (size_t n = 0; n < shown; n++) printf("day %d: mean %.1f, this flight %g\n", d[n], means_of[n], own[n]);
    printf("%zu flights on %zu bad days\n", flights, gpu_dict_size(bad));
    return true;
}

static bool print_delays(gpu *g)
{
    float most;
    gpu_array *day = gpu_array_of(g, days, FLIGHTS), *delay = gpu_array_of(g, delays, FLIGHTS);
    gpu_dict *sums = gpu_dict_of(day, gpu_map_to(delay, GPU_TYPE(mean), mean_of), both);
    gpu_dict *means = gpu_dict_map_to(sums, GPU_FLOAT, value_of);
    gpu_array *beyond = gpu_map2(delay, gpu_dict_get(means, day, NULL), "x - y");
    if (gpu_max(beyond, &most)) return false;
    printf("at most %.1f minutes beyond the mean of the day\n", most);
    return print_bad_days(means, day, delay);
}

int main(void)
{
    make_flights();
    gpu *g = gpu_open(NULL);
    bool failed = !print_delays(g);
    if (failed) fprintf(stderr, "%s\n", gpu_error());
    if (fflush(stdout)) {
        perror("join");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
