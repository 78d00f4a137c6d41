/* Collections: selections and their indices, running totals, runs, sums by key, gather and sort, a histogram. The
 * number of selected elements stays on the device; the host learns it by reading. */
#include <firepile.h>
#include <stdio.h>

#define HOURS 24

static const float degrees[HOURS] = {17.5f, 17,    16.5f, 16.5f, 16,    17,    19, 21.5f, 24,    26.5f, 28.5f, 30,
                                     31.5f, 32.5f, 33,    32.5f, 31.5f, 29.5f, 27, 24.5f, 21.5f, 21.5f, 20,    19};
static const float humidity[HOURS] = {70, 72, 74, 75, 76, 74, 68, 60, 52, 46, 41, 38,
                                      35, 33, 32, 33, 36, 40, 45, 52, 60, 61, 64, 67};

/* Prints the elements of an array on one line, of any number type and length. Returns true on failure, as all functions
 * below do. A failure of an operation travels in its array. */
static bool show(const char *name, const gpu_array *a)
{
    float elements[HOURS];
    size_t n;
    if (gpu_read_n(gpu_map_to(a, GPU_FLOAT, "convert_float(x)"), elements, HOURS, &n)) return true;
    printf("%-24s", name);
    for (size_t k = 0; k < n; k++) printf(" %g", elements[k]);
    printf("\n");
    return false;
}

static bool select_some(const gpu_array *t)
{
    gpu_array *hot = gpu_filter(t, "x > 30");
    gpu_array *where = gpu_find(t, &(float){21.5f}); /* indices (ulong) */
    gpu_array *mild, *others;
    gpu_partition(t, "x >= 18 && x <= 25", &mild, &others);
    gpu_array *morning = gpu_drop_while(gpu_take_while(t, "x < 30"), "x < 18");
    return show("hot", hot) || show("21.5 degrees, at hours", where) || show("mild", mild) ||
           show("not mild", others) || show("from 18 up to 30", morning);
}

static bool find_one(const gpu_array *t)
{
    size_t first;
    float excess;
    if (gpu_index_of(t, &(float){21.5f}, &first)) return true;
    if (gpu_reduce(gpu_map(gpu_filter(t, "x > 30"), "x - 30"), "a + b", &excess)) return true; /* one kernel */
    printf("%-24s %zu\n%-24s %g\n", "first 21.5, at hour", first, "what exceeds 30, added", excess);
    return false;
}

static bool add_up(const gpu_array *t)
{
    gpu_array *totals = gpu_scan(t, "a + b");
    gpu_array *before = gpu_scan_exclusive(t, &(float){0}, "a + b");
    return show("totals", totals) || show("totals before each hour", before);
}

static bool find_runs(const gpu_array *t)
{
    gpu_array *tens = gpu_map_to(t, GPU_INT, "convert_int(x) / 10");
    gpu_array *values, *lengths;
    gpu_runs(tens, &values, &lengths);
    return show("tens, without repeats", gpu_unique(tens)) || show("runs of tens", values) ||
           show("their lengths", lengths);
}

static bool combine_by_key(const gpu_array *t)
{
    gpu_array *keys = gpu_map_to(t, GPU_INT, "i / 6");
    gpu_array *quarters, *highest;
    gpu_reduce_by_key(keys, t, "fmax(a, b)", &quarters, &highest);
    gpu_array *so_far = gpu_scan_by_key(keys, t, "fmax(a, b)");
    return show("quarters of the day", quarters) || show("highest in each", highest) ||
           show("highest in each so far", so_far);
}

static bool move(const gpu_array *t, const gpu_array *h)
{
    gpu_array *hot_hours = gpu_find_if(t, "x > 30");
    return show("humidity when hot", gpu_gather(h, hot_hours)) || show("backwards", gpu_reverse(t));
}

static bool sort(const gpu_array *t, const gpu_array *h)
{
    gpu_array *sorted = gpu_sort(t);
    gpu_array *from_20 = gpu_sort_by(t, "fabs(a - 20) < fabs(b - 20)");
    gpu_array *of_dry_hours = gpu_slice(gpu_gather(t, gpu_argsort(h)), 0, 5);
    return show("sorted", sorted) || show("by distance from 20", from_20) ||
           show("of the five driest hours", of_dry_hours) || show("three highest", gpu_top(t, 3));
}

static bool count(const gpu_array *t)
{
    gpu_array *counts, *outside;
    gpu_histogram(t, &(float){15}, &(float){30}, 5, &counts, &outside);
    return show("15, 18, ... 30 degrees", counts) || show("outside of these", outside);
}

int main(void)
{
    gpu *g = gpu_open(NULL);
    gpu_array *t = gpu_array_of(g, degrees, HOURS), *h = gpu_array_of(g, humidity, HOURS);

    bool failed = select_some(t) || find_one(t) || add_up(t) || find_runs(t) || combine_by_key(t) || move(t, h) ||
                  sort(t, h) || count(t);
    if (failed) fprintf(stderr, "%s\n", gpu_error());

    if (fflush(stdout)) {
        perror("collections");
        failed = true;
    }
    gpu_close(g);
    return failed;
}
