/* gpu_explain says what then happens: how many kernels, how many waits, and why. */
#include "support/functions.h"
#include "support/support.h"

#include "base/memory.h"
#include "expressions/gpu.h"
#include "host/host.h"

#include <stdlib.h>
#include <string.h>

/* Where everything is computed at once there is nothing to explain. */
static void delay(void)
{
    setenv("FIREPILE_EAGER", "0", 1);
    setenv("FIREPILE_VERIFY", "0", 1);
}

/* ---- true of many chains ---- */

GPU_FUNCTION(int, add_one, (int x), { return x + 1; });
GPU_FUNCTION(int, halve, (int x, ulong i), { return x / 2 + (int)(i % 3); });
GPU_FUNCTION(int, mix, (int x, int y), { return x ^ (y * 5); });
GPU_FUNCTION(int, is_any, (int x), { return x == x; });

enum { ARRAYS = 14, STEPS = 100, N = 40 };

/* An array of ten elements or more, made of others that are as long. */
static gpu_array *make(gpu *g, gpu_array *const *arrays, uint64_t *seed)
{
    const gpu_array *a = arrays[test_random(seed) % ARRAYS], *b = arrays[test_random(seed) % ARRAYS];
    switch (test_random(seed) % 14) {
    case 0:
        return gpu_map(a, halve);
    case 1:
        return gpu_map2(a, gpu_map(a, add_one), mix);
    case 2:
        return gpu_map2(gpu_gather(a, gpu_range(g, GPU_INT, 10)), gpu_slice(b, 0, 10), mix);
    case 3:
        return gpu_slice(a, gpu_length(a) > 10, 10);
    case 4:
        return gpu_reverse(a);
    case 5:
        return gpu_concat(gpu_slice(a, 0, 10), b);
    case 6:
        return gpu_gather(a, gpu_map(gpu_range(g, GPU_INT, 12), halve)); /* places up to 7 */
    case 7:
        return gpu_filter(gpu_concat(a, gpu_range(g, GPU_INT, 20)), is_odd);
    case 8:
        return gpu_unique(gpu_concat(gpu_range(g, GPU_INT, 10), a));
    case 9:
        return gpu_filter(gpu_map(a, add_one), is_any);
    case 10: /* `a` is consumed twice, for two kernels of one plan */
        return gpu_map2(gpu_gather(gpu_map(a, add_one), gpu_range(g, GPU_INT, gpu_length(a))), a, mix);
    case 11:
        return gpu_scan(a, "max(a, b)");
    case 12:
        return gpu_sort(a);
    default:
        return gpu_map(a, add_one);
    }
}

/* The number before a word of the text's first line; 0 if the word is not there. */
static unsigned number_of(const char *text, const char *word)
{
    const char *at = strstr(text, word), *end = strchr(text, '\n');
    cr_assert(end, "no line in: %s", text);
    if (!at || at > end) return 0;
    while (at > text && at[-1] >= '0' && at[-1] <= '9') at--;
    return (unsigned)strtoul(at, NULL, 10);
}

static unsigned kernels_of(const char *text)
{
    return number_of(text, " kernel");
}

static unsigned runs_of(const char *text)
{
    return number_of(text, " run");
}

/* Uses an array in one way or another, so that what others are made from has consumers. */
static void use(gpu_array *a, uint64_t *seed)
{
    int sum;
    if (test_random(seed) % 2)
        gpu_eval(a);
    else
        test_ok(gpu_fold(a, &(int){0}, "a + b", &sum));
}

/* Explains and computes: as many runs as were told. */
static const char *check_on_host(gpu *g, const char *what, int number, gpu_array *a)
{
    uint64_t before = g->host_runs;
    const char *text = gpu_explain(a);
    cr_assert_eq(g->host_runs, before, "%s %d: explaining ran something", what, number);
    test_array_ok(a);
    unsigned runs = (unsigned)(g->host_runs - before);
    cr_assert_eq(runs_of(text), runs, "%s %d: %u runs, and told was\n%s", what, number, runs, text);
    return text;
}

/* The host device costs no compilation, and decides by the same rules. */
Test(explain, is_true_of_random_chains)
{
    static const char *const told[] = {"2 runs",
                                       "3 runs",
                                       "4 runs",
                                       "second time",
                                       "a gather or a search reads it",
                                       "the selection",
                                       "do not apply what follows",
                                       "needs more elements than it has"};
    bool seen[COUNT_OF(told)] = {false};
    delay();
    gpu *g = gpu_open("host");
    for (int round = 0; round < 300; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        uint64_t seed = (uint64_t)round;
        gpu_array *arrays[ARRAYS];
        for (int k = 0; k < ARRAYS; k++) arrays[k] = gpu_range(g, GPU_INT, N);
        for (int step = 0; step < STEPS; step++) {
            gpu_array *a = make(g, arrays, &seed);
            arrays[test_random(&seed) % ARRAYS] = a;
            if (step % 7 == 0) use(arrays[test_random(&seed) % ARRAYS], &seed);
            if (step % 9) continue;
            const char *text = check_on_host(g, "step", 1000 * round + step, a);
            for (size_t k = 0; k < COUNT_OF(told); k++) seen[k] |= strstr(text, told[k]) != NULL;
        }
        gpu_scope_end(scope);
    }
    for (size_t k = 0; k < COUNT_OF(told); k++) cr_assert(seen[k] || test_tiny(), "no chain had \"%s\"", told[k]);
    test_close(g);
}

/* Elements that are needed at many places are computed first there. */
Test(explain, is_true_of_wide_expressions)
{
    delay();
    gpu *g = gpu_open("host");
    for (int levels = 1; levels < 12; levels++) {
        gpu_array *a = gpu_range(g, GPU_INT, N);
        for (int k = 0; k < levels; k++) a = gpu_concat(gpu_slice(a, 0, N / 2), gpu_reverse(gpu_slice(a, 1, N / 2)));
        const char *text = check_on_host(g, "levels", levels, a);
        if (levels == 11 && !test_tiny()) test_has(text, "its elements are needed at too many places");
    }
    test_close(g);
}

/* ---- true on a device ---- */

static unsigned waits_of(const char *text)
{
    const char *at = strstr(text, "gpu_read waits ");
    cr_assert(at, "no waits in: %s", text);
    return (unsigned)strtoul(at + strlen("gpu_read waits "), NULL, 10);
}

typedef gpu_array *chain(const gpu_array *x);

static gpu_array *reduced_value(const gpu_array *x)
{
    gpu_array *sum = gpu_reduced(x, "a + b");
    return gpu_map(x, "x - sum[0]", GPU_ARG(sum));
}

static gpu_array *captured(const gpu_array *x)
{
    gpu_array *table = gpu_map(x, "x * 2");
    return gpu_map(x, "x + table[0]", GPU_ARG(table));
}

static gpu_array *second_consumer(const gpu_array *x)
{
    int sum;
    gpu_array *twice = gpu_map(x, "x * 2");
    test_ok(gpu_reduce(twice, "a + b", &sum));
    return gpu_map(twice, "x + 1");
}

static gpu_array *shared(const gpu_array *x)
{
    gpu_array *base = gpu_map(x, "x + 1");
    return gpu_map2(gpu_map(base, "x * 2"), gpu_map(base, "x * 3"), "x + y");
}

static gpu_array *filtered(const gpu_array *x)
{
    return gpu_map(gpu_filter(x, "x > 300"), "x * 2");
}

static gpu_array *filtered_with_index(const gpu_array *x)
{
    return gpu_map(gpu_filter(x, "x > 300"), "x * (int)i");
}

static gpu_array *gathered(const gpu_array *x)
{
    return gpu_gather(gpu_map(x, "x * 2"), gpu_slice(x, 10, 20));
}

static gpu_array *long_chain(const gpu_array *x)
{
    gpu_array *y = gpu_map(x, "x + 1");
    for (int k = 0; k < 70; k++) y = gpu_map(y, "x + 1");
    return y;
}

static gpu_array *scanned(const gpu_array *x)
{
    return gpu_scan(x, "a + b");
}

static gpu_array *scan_and_maps(const gpu_array *x)
{
    return gpu_map(gpu_map(gpu_scan(gpu_map(x, "x + 1"), "a + b"), "x * 2"), "x + (int)i");
}

/* Fused into the first map, a buffer for the second; what it reads is computed inside both times. */
static gpu_array *scan_used_twice(const gpu_array *x)
{
    gpu_array *sums = gpu_scan(gpu_map(x, "x + 1"), "a + b");
    test_array_ok(gpu_map(sums, "x * 2"));
    return gpu_map(sums, "x * 3");
}

static gpu_array *differences(const gpu_array *x)
{
    gpu_array *y = gpu_map(x, "x * x");
    return gpu_map2(gpu_slice(y, 1, 999), gpu_slice(y, 0, 999), "x - y");
}

/* Of a part of a buffer there is nothing to compute. */
static gpu_array *sliced_often(const gpu_array *x)
{
    gpu_array *y = gpu_map(x, "x * x");
    gpu_slice(y, 1, 999);
    return gpu_slice(y, 0, 999);
}

static gpu_array *beside_its_reverse(const gpu_array *x)
{
    gpu_array *y = gpu_map(x, "x * x");
    return gpu_map2(y, gpu_reverse(y), "x - y");
}

static gpu_array *empty(const gpu_array *x)
{
    return gpu_map(gpu_slice(x, 0, 0), "x + 1");
}

static const struct {
    const char *name;
    chain *make;
    const char *told;
} chains[] = {{"a captured value", reduced_value, "captures sum, 1 int"},
              {"a captured array", captured, "kernel 1, 1000 int: an operator captures it"},
              {"a second consumer", second_consumer, "it is consumed a second time"},
              {"a shared part", shared, "x + 1, as above"},
              {"a filter", filtered, ", a selection, at most 1000 int: asked for"},
              {"a filter, and an index", filtered_with_index,
               "kernel 1, a selection, at most 1000 int: what follows the selection"},
              {"a gather", gathered, "from what kernel 1 made, 1000 int"},
              {"a long chain", long_chain, "kernel 1, 1000 int: the chain is longer than one kernel may be"},
              {"a scan", scanned, "gpu_scan: a + b\n"},
              {"a scan, and maps", scan_and_maps, "gpu_map: x * 2\n"},
              {"a scan used twice", scan_used_twice, "it is consumed a second time"},
              {"differences", differences, "needs more elements than it has"},
              {"slices", sliced_often, "1 kernel: "},
              {"an array and its reverse", beside_its_reverse, "what kernel 1 made, 1000 int"},
              {"nothing", empty, "0 kernels"}};

/* The first time kernels are built, which takes waits. */
static void check(gpu *g, const gpu_array *x, size_t number)
{
    int elements[1000];
    size_t n;
    const char *name = chains[number].name;
    test_ok(gpu_read_n(chains[number].make(x), elements, COUNT_OF(elements), &n));
    gpu_array *a = chains[number].make(x);
    gpu_stats before = test_stats(g);
    const char *text = gpu_explain(a);
    gpu_stats between = test_stats(g);
    cr_assert_eq(between.driver_calls, before.driver_calls, "%s: explaining called the driver", name);
    test_has(text, chains[number].told);
    test_ok(gpu_read_n(a, elements, COUNT_OF(elements), &n));
    gpu_stats after = test_stats(g);
    unsigned kernels = (unsigned)(after.kernels_launched - between.kernels_launched);
    unsigned waits = (unsigned)(after.waits - between.waits);
    cr_assert_eq(kernels, kernels_of(text), "%s took %u kernels:\n%s", name, kernels, text);
    cr_assert_eq(waits, waits_of(text), "%s waited %u times:\n%s", name, waits, text);
}

Test(explain, is_true_on_a_device)
{
    test_needs_opencl();
    if (test_tiny()) cr_skip("chains of four operators are cut");
    delay();
    setenv("FIREPILE_SMALL", "0", 1);
    int data[1000];
    for (int k = 0; k < 1000; k++) data[k] = k;
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, data, 1000);
    for (size_t k = 0; k < COUNT_OF(chains); k++) check(g, x, k);
    test_close(g);
}

/* The host computes what has the same bits on both sides. */
Test(explain, is_true_of_small_arrays)
{
    delay();
    setenv("FIREPILE_SMALL", "1024", 1);
    int data[N], elements[N];
    for (int k = 0; k < N; k++) data[k] = 5 * k;
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, data, N);
    for (int round = 0; round < 3; round++) { /* the first builds a kernel */
        gpu_array *table = gpu_map(x, "x + 0"), *odd = gpu_filter(gpu_map(x, add_one), is_odd);
        gpu_array *joined = gpu_map2(gpu_map(odd, "x + table[0]", GPU_ARG(table)), odd, mix);
        gpu_array *const all[] = {gpu_map(gpu_reverse(x), halve), odd, table, joined, gpu_map(joined, add_one)};
        for (size_t k = 0; k < COUNT_OF(all); k++) {
            size_t n;
            gpu_stats before = test_stats(g);
            uint64_t runs = g->host_runs;
            const char *text = gpu_explain(all[k]);
            test_ok(gpu_read_n(all[k], elements, N, &n));
            gpu_stats after = test_stats(g);
            cr_assert_eq(after.kernels_launched - before.kernels_launched, kernels_of(text), "array %d:\n%s", (int)k,
                         text);
            cr_assert_eq(g->host_runs - runs, runs_of(text), "array %d:\n%s", (int)k, text);
            if (round) cr_assert_eq(after.waits - before.waits, waits_of(text), "array %d:\n%s", (int)k, text);
        }
    }
    test_close(g);
}

/* ---- the text ---- */

Test(explain, bytes_and_places)
{
    delay();
    gpu *g = gpu_open("host");
    float data[100] = {1};
    gpu_array *x = gpu_array_of(g, data, 100);
    gpu_array *sum = gpu_map2(gpu_map_to(x, GPU_DOUBLE, "x"), gpu_slice(gpu_reverse(x), 50, 50), "x + y");
    test_has(gpu_explain(sum), "it is in error: ");
    gpu_array *y = gpu_map2_to(gpu_map_to(gpu_slice(x, 0, 50), GPU_DOUBLE, "x * 2"), gpu_slice(gpu_reverse(x), 50, 50),
                               GPU_DOUBLE, "x + y");
    const char *text = gpu_explain(y);
    test_has(text, "1 run on the host: 400 bytes read, 400 written\n");
    test_has(text, "test_explain.c:");
    test_has(text, ": gpu_map2: x + y\n");
    test_has(text, "from the last to the first, 100 float\n");
    test_has(text, "a buffer of 50 float\n");
    test_close(g);
}

Test(explain, says_why_an_array_cannot_be_computed)
{
    delay();
    gpu *g = gpu_open("host");
    int elements[4];
    gpu_array *x = gpu_range(g, GPU_INT, 4), *wrong = gpu_map(x, "x + nowhere");
    gpu_array *after = gpu_map(wrong, add_one);
    test_has(gpu_explain(after), "1 run on the host"); /* nobody has looked at the text yet */
    test_fails(GPU_E_SNIPPET, gpu_read(wrong, elements));
    test_has(gpu_explain(after), "it cannot be computed: ");
    test_has(gpu_explain(after), "x + nowhere");
    test_has(gpu_explain(wrong), "it is in error: ");
    test_has(gpu_explain(gpu_slice(x, 3, 3)), "there are no 3 elements from 3 on");
    test_has(gpu_explain(NULL), "it is in error: the array is NULL");
    test_close(g);
    test_has(gpu_explain(gpu_range(NULL, GPU_INT, 3)), "NULL gpu");
}

/* Whatever allocation fails, a text comes back, and nothing is left. */
Test(explain, out_of_memory)
{
    delay();
    gpu *g = gpu_open("host");
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    gpu_array *y = gpu_map2(gpu_map(x, add_one), gpu_reverse(x), mix);
    bool failed = false;
    for (unsigned long k = 1; k < 50 && (k == 1 || failed); k++) {
        fp_memory_fail_at(k);
        const char *text = gpu_explain(y);
        fp_memory_fail_at(0);
        failed = !strcmp(text, "the host is out of memory");
        cr_assert(failed || runs_of(text) == 1, "%s", text);
    }
    cr_assert(!failed);
    test_close(g);
}

Test(explain, a_selection_of_nothing)
{
    gpu *g = test_open();
    const char *text = gpu_explain(gpu_filter(gpu_range(g, GPU_INT, 0), "x < 3"));
    test_has(text, "0 kernels");
    test_close(g);
}
