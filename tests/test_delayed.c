/* Delayed arrays: what runs when, how many kernels that takes, and that eager evaluation gives the same. */
#include "support/line.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(pair, float p; float q;);

/* What a piece of work cost. */
typedef struct cost {
    gpu *g;
    gpu_stats before;
} cost;

static cost begin(gpu *g)
{
    return (cost){g, test_stats(g)};
}

static void check_launches(const char *what, cost c, uint64_t wanted)
{
    test_needs_opencl();
    uint64_t launches = test_stats(c.g).kernels_launched - c.before.kernels_launched;
    if (!test_eager()) cr_assert_eq(launches, wanted, "%s: %d kernels, wanted %d", what, (int)launches, (int)wanted);
}

static void check_warm(const char *what, cost c)
{
    gpu_stats now = test_stats(c.g);
    cr_assert_eq(now.programs_built, c.before.programs_built, "%s built a program", what);
    cr_assert_eq(now.programs_loaded, c.before.programs_loaded, "%s loaded a program", what);
    if (!test_verifies()) cr_assert_eq(now.buffers_created, c.before.buffers_created, "%s created a buffer", what);
}

/* Kernels are counted. */
static void leave_all_to_the_device(void)
{
    setenv("FIREPILE_SMALL", "0", 1);
}

TestSuite(delayed, .init = leave_all_to_the_device);

Test(delayed, describing_costs_nothing)
{
    gpu *g = test_open();
    cost c = begin(g);
    gpu_array *x = gpu_range(g, GPU_INT, 1000);
    gpu_map(gpu_slice(gpu_map(x, "x + 1"), 3, 900), "x * 2");
    gpu_map2(x, gpu_fill(g, GPU_INT, &(int){3}, 1000), "x - y");
    gpu_map(gpu_range(g, GPU_INT, 1000), "x + nowhere"); /* nobody needs it: nobody notices */
    check_launches("describing", c, 0);
    if (!test_eager()) {
        gpu_stats now = test_stats(g);
        cr_assert_eq(now.buffers_created, c.before.buffers_created);
        cr_assert_eq(now.programs_built, c.before.programs_built);
        cr_assert_eq(now.waits, c.before.waits);
    }
    test_close(g);
}

/* map -> map2 -> reduce over a buffer. */
static float chain(const gpu_array *x)
{
    float sum = -1;
    gpu_array *y = gpu_map(x, "x * 2");
    gpu_array *z = gpu_map2(x, y, "x + y");
    test_ok(gpu_reduce(z, "a + b", &sum));
    gpu_array_free(y);
    gpu_array_free(z);
    return sum;
}

Test(delayed, map_map2_reduce_is_one_kernel)
{
    gpu *g = test_open();
    static float data[3000];
    for (int i = 0; i < 3000; i++) data[i] = 1;
    gpu_array *x = gpu_array_of(g, data, 3000);
    cost c = begin(g);
    cr_assert_eq(chain(x), 9000);
    check_launches("map, map2, reduce", c, 1);
    for (int round = 0; round < 5; round++) {
        c = begin(g);
        cr_assert_eq(chain(x), 9000);
        check_launches("map, map2, reduce again", c, 1);
        check_warm("map, map2, reduce again", c);
        gpu_stats now = test_stats(g);
        if (!test_eager()) cr_assert_eq(now.waits, c.before.waits + 1, "one read, one wait");
    }
    test_close(g);
}

Test(delayed, a_second_consumer_makes_a_buffer)
{
    gpu *g = test_open();
    int sum;
    gpu_array *y = gpu_map(gpu_eval(gpu_range(g, GPU_INT, 1000)), "x * 2");
    static const uint64_t launches[] = {1, 2, 1, 1}; /* fused; made a buffer and used; used */
    for (int k = 0; k < 4; k++) {
        cost c = begin(g);
        test_ok(gpu_reduce(y, "a + b", &sum));
        cr_assert_eq(sum, 999000);
        check_launches("a reduce of a map", c, launches[k]);
    }
    int got[1000];
    cost c = begin(g);
    test_ok(gpu_read(y, got));
    check_launches("a read of a buffer", c, 0);
    cr_assert_eq(got[999], 1998);
    test_close(g);
}

Test(delayed, nothing_is_computed_more_than_twice)
{
    gpu *g = test_open();
    gpu_array *y = gpu_map(gpu_eval(gpu_range(g, GPU_LONG, 1000)), "x + 1");
    gpu_array *twice = gpu_map2(y, y, "x * y");
    int64_t got[1000], sum = 0;
    cost c = begin(g);
    test_ok(gpu_read(twice, got));
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(got[i], (int64_t)(i + 1) * (i + 1), "element %d: %lld", i, (long long)got[i]);
    gpu_array *after = gpu_map(y, "x * 10");
    test_ok(gpu_reduce(after, "a + b", &sum));
    cr_assert_eq(sum, 5005000);
    uint64_t launches = test_stats(g).kernels_launched - c.before.kernels_launched;
    if (!test_eager()) cr_assert_leq(launches, 3, "%d kernels", (int)launches);
    c = begin(g);
    test_ok(gpu_read(gpu_slice(twice, 10, 10), got)); /* a second use */
    cr_assert_eq(got[0], 121);
    test_ok(gpu_read(twice, got));
    test_ok(gpu_read(twice, got));
    launches = test_stats(g).kernels_launched - c.before.kernels_launched;
    if (!test_eager()) cr_assert_leq(launches, 1, "%d kernels for three reads", (int)launches);
    test_close(g);
}

Test(delayed, a_second_use_makes_a_buffer_of_the_last_step_alone)
{
    if (test_tiny() || test_eager()) cr_skip("each step is a buffer");
    gpu *g = test_open();
    gpu_array *y = gpu_eval(gpu_range(g, GPU_INT, 1000));
    for (int k = 0; k < 10; k++) y = gpu_map(y, "x + 1");
    static const uint64_t launches[] = {1, 2, 1}; /* the second use makes a buffer of the last step, of no other */
    for (int use = 0; use < 3; use++) {
        int sum;
        cost c = begin(g);
        test_ok(gpu_reduce(y, "a + b", &sum));
        cr_assert_eq(sum, 509500, "%d", sum);
        check_launches("a reduce of ten maps", c, launches[use]);
        uint64_t buffers = test_stats(g).buffers_created - c.before.buffers_created;
        if (use > 0) cr_assert_leq(buffers, use == 1, "use %d created %d buffers", use, (int)buffers);
    }
    test_close(g);
}

Test(delayed, a_step_is_computed_once_however_often_it_is_named)
{
    gpu *g = test_open();
    enum { N = 1000 };
    unsigned zero = 0, count = 0;
    int sum;
    gpu_array *c = gpu_array_of(g, &zero, 1);
    gpu_array *m = gpu_map(gpu_eval(gpu_range(g, GPU_INT, N)), "{ atomic_inc((volatile __global uint *)c); return x; }",
                           GPU_ARG(c));
    for (int doubled = 0; doubled < 5; doubled++) m = gpu_map2(m, m, "x + y");
    test_ok(gpu_reduce(m, "a + b", &sum));
    cr_assert_eq(sum, 32 * N * (N - 1) / 2, "%d", sum);
    test_ok(gpu_read(c, &count));
    cr_assert_eq(count, N, "%u evaluations of %d elements", count, N);
    test_close(g);
}

Test(delayed, a_second_call_builds_nothing)
{
    test_needs_opencl();
    gpu *g = test_open();
    float data[500] = {1}, out[500], sum, k = 2;
    pair pairs[500] = {{1, 2}};
    size_t count;
    cost c = begin(g);
    for (int round = 0; round < 3; round++) {
        if (round == 1) c = begin(g);
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *x = gpu_array_of(g, data, 500), *p = gpu_array_from(g, GPU_TYPE(pair), pairs, 500);
        k += 1; /* another value, the same kernel */
        test_ok(gpu_read(gpu_map(x, "x * k", GPU_ARG(k)), out));
        test_ok(gpu_read(gpu_slice(gpu_map2(x, gpu_map_to(p, GPU_FLOAT, "x.q"), "x - y"), 1, 300), out));
        test_ok(gpu_reduce(gpu_map(x, "x + k", GPU_ARG(k)), "a + b", &sum));
        test_ok(gpu_reduce_all(x, "a + b", &sum, "b", &sum));
        test_ok(gpu_count(x, "x > k", &count, GPU_ARG(k)));
        test_ok(gpu_read(gpu_block_reduce(x, 7, "a * b"), out));
        test_ok(gpu_max(gpu_range(g, GPU_FLOAT, 300 + (size_t)round), &sum)); /* another length, the same kernel */
        gpu_scope_end(scope);
    }
    gpu_stats now = test_stats(g);
    cr_assert_eq(now.programs_built, c.before.programs_built, "%d programs were built",
                 (int)(now.programs_built - c.before.programs_built));
    cr_assert_eq(now.programs_loaded, c.before.programs_loaded);
    cr_assert_gt(now.kernels_found, c.before.kernels_found);
    test_close(g);
}

Test(delayed, a_long_chain_of_every_kind_is_one_kernel)
{
    gpu *g = test_open();
    enum { N = 2000 };
    float data[N], want[N], got[N], k = 0.5f, total = 0, sum;
    int table_data[7] = {5, -3, 2, 0, 1, 9, 4};
    test_random_fill(GPU_FLOAT, data, N, 60);
    for (size_t i = 0; i < N; i++) {
        size_t at = i < N - 10 ? i + 10 : i;
        float shifted = (data[at] + 1) * 2 + (float)table_data[at % 7];
        want[i] = i < N - 10 ? shifted * k - (float)i + 3 : 0;
        total += want[i];
    }
    gpu_array *x = gpu_array_of(g, data, N), *table = gpu_array_of(g, table_data, 7);
    gpu_array *y = gpu_map(gpu_map(x, "x + 1"), "x * 2 + table[i % 7]", GPU_ARG(table));
    gpu_array *part = gpu_slice(y, 10, N - 10);
    gpu_array *z = gpu_map2(gpu_map(part, "x * k", GPU_ARG(k)), gpu_range(g, GPU_FLOAT, N - 10), "x - y");
    gpu_array *w =
        gpu_map3(z, gpu_fill(g, GPU_FLOAT, &(float){1}, N - 10), gpu_fill(g, GPU_INT, &(int){2}, N - 10), "x + y + z");
    gpu_array_free(x);
    gpu_array_free(table);
    cost c = begin(g);
    test_ok(gpu_reduce(w, "a + b", &sum));
    if (!test_tiny()) check_launches("the whole chain", c, 1);
    cr_assert_eq(sum, total, "%g, wanted %g", (double)sum, (double)total);
    test_ok(gpu_read(w, got));
    test_same("the whole chain", GPU_FLOAT, N - 10, got, want);
    test_close(g);
}

/* Expressions nest as deeply as the user likes, through captured arrays too. */
static void nest_captures(gpu *g, bool keep)
{
    unsigned data[] = {1, 2, 3, 4}, got[4], n = test_small() ? 300 : (unsigned)test_limit(60000);
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = gpu_array_of(g, data, 4), *c = gpu_map(x, "x");
    for (unsigned k = 0; k < n; k++) {
        gpu_array *inner = c;
        c = gpu_map(x, "x + c[0]", GPU_ARG(c));
        if (!keep) gpu_array_free(inner);
    }
    test_ok(gpu_read(c, got));
    for (unsigned i = 0; i < 4; i++) cr_assert_eq(got[i], data[i] + n, "element %u: %u", i, got[i]);
    gpu_scope_end(scope);
}

Test(delayed, captured_arrays_nest_deeply)
{
    gpu *g = test_open();
    nest_captures(g, true);
    nest_captures(g, false);
    test_close(g);
}

Test(delayed, a_snippet_has_its_own_captures_each_time)
{
    gpu *g = test_open();
    int k = 3, j = 5, got[4];
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    gpu_array *y = gpu_map(gpu_map(x, "x * k", GPU_ARG(k)), "x * k", GPU_ARG_AS(k, GPU_INT, j)); /* each its own k */
    test_ok(gpu_read(y, got));
    for (int i = 0; i < 4; i++) cr_assert_eq(got[i], 15 * i, "element %d: %d", i, got[i]);
    gpu_array *first = gpu_array_of(g, (&(int[]){1, 1, 1, 1}[0]), 4);
    gpu_array *table = gpu_array_of(g, (&(int[]){2, 2, 2, 2}[0]), 4);
    gpu_array *z = gpu_map(gpu_map(x, "x + t[i]", GPU_ARG_AS(t, GPU_CAPTURE_ARRAY, first)), "x + 10 * t[i]",
                           GPU_ARG_AS(t, GPU_CAPTURE_ARRAY, table));
    test_ok(gpu_read(z, got));
    for (int i = 0; i < 4; i++) cr_assert_eq(got[i], i + 21, "element %d: %d", i, got[i]);
    test_close(g);
}

Test(delayed, two_consumers_may_share_what_they_read)
{
    gpu *g = test_open();
    double data[100], sum;
    for (int i = 0; i < 100; i++) data[i] = i;
    gpu_array *x = gpu_array_of(g, data, 100), *base = gpu_map(x, "x + 1");
    gpu_array *left = gpu_map(base, "x * 2"), *right = gpu_map(base, "x * 3");
    gpu_array *both = gpu_map2(left, right, "x + y"); /* 5 (i + 1) */
    test_ok(gpu_reduce(both, "a + b", &sum));
    cr_assert_eq(sum, 25250, "%g", sum);
    test_ok(gpu_reduce(base, "a + b", &sum));
    cr_assert_eq(sum, 5050, "%g", sum);
    test_ok(gpu_reduce(gpu_map2(gpu_slice(base, 0, 50), gpu_slice(base, 50, 50), "y - x"), "a + b", &sum));
    cr_assert_eq(sum, 2500, "%g", sum);
    test_close(g);
}

/* Both ways in one process would not do: the switch is read by gpu_open. */
Test(delayed, eager_evaluation_gives_the_same)
{
    float lazy[300], eager[300], sums[2];
    setenv("FIREPILE_VERIFY", "0", 1); /* which delays nothing */
    for (int mode = 0; mode < 2; mode++) {
        setenv("FIREPILE_EAGER", mode ? "1" : "0", 1);
        gpu *g = test_open();
        gpu_array *x = gpu_map(gpu_slice(gpu_range(g, GPU_FLOAT, 400), 50, 300), "x * 0.37f + i");
        gpu_array *y = gpu_map2(x, gpu_map(x, "sqrt(x)"), "x - y");
        test_ok(gpu_reduce(y, "a + b", &sums[mode]));
        test_ok(gpu_read(y, mode ? eager : lazy));
        gpu_array *z = gpu_map(x, "x + 1");
        cost c = begin(g);
        gpu_eval(z);
        uint64_t launches = test_stats(g).kernels_launched - c.before.kernels_launched;
        cr_assert_eq(launches > 0, mode == 0, "FIREPILE_EAGER=%d: gpu_eval launched %d kernels", mode, (int)launches);
        test_close(g);
    }
    test_same("eager against delayed", GPU_FLOAT, 300, eager, lazy);
    cr_assert_eq(memcmp(&sums[0], &sums[1], sizeof sums[0]), 0, "%.9g and %.9g", (double)sums[0], (double)sums[1]);
}

/* ---- what follows a scan or a sort ---- */

enum { MANY = 40000, SHORT = 900 }; /* several tiles, chunks and runs, and one */

/* What the chains below begin with. */
typedef struct start {
    gpu_array *ints, *few, *floats, *lines, *table;
} start;

static start make_start(gpu *g)
{
    static int ints[MANY], table[] = {5, -3, 2, 0, 1, 9, 4};
    static float floats[MANY];
    static line lines[MANY];
    uint64_t seed = 71;
    for (int i = 0; i < MANY; i++) {
        ints[i] = (int)(test_random(&seed) % 1000) - 500;
        floats[i] = (float)(test_random(&seed) >> 40) / 1000;
        lines[i] = (line){(unsigned)test_random(&seed) | 1, (unsigned)test_random(&seed)};
    }
    size_t n = test_limit(MANY);
    return (start){.ints = gpu_array_of(g, ints, n),
                   .few = gpu_array_of(g, ints, SHORT),
                   .floats = gpu_array_of(g, floats, n),
                   .lines = gpu_array_from(g, GPU_TYPE(line), lines, n),
                   .table = gpu_array_of(g, table, COUNT_OF(table))};
}

/* The map that most chains end with, so that they share its kernel where it has one. */
static gpu_array *last_map(gpu_array *a)
{
    return gpu_map_to(a, GPU_DOUBLE, "x * 0.1 + i");
}

/* A delayed array, and `*maps` of it, which the same launches are to compute. */
typedef gpu_array *make_pair(const start *s, gpu_array **maps);

static gpu_array *scan_and_maps(const start *s, gpu_array **maps)
{
    int k = 3;
    gpu_array *sums = gpu_scan(s->ints, "a + b"), *table = s->table;
    *maps = last_map(gpu_map(gpu_map(sums, "x * k", GPU_ARG(k)), "x + table[i % 7]", GPU_ARG(table)));
    return sums;
}

static gpu_array *scan_of_structs_and_map(const start *s, gpu_array **maps)
{
    gpu_array *lines = gpu_scan_exclusive(s->lines, (&(line){5, 7}), then);
    *maps = gpu_map(lines, "then(x, line_of((int)i))");
    return lines;
}

static gpu_array *filter_scan_and_map(const start *s, gpu_array **maps)
{
    gpu_array *sums = gpu_scan(gpu_filter(s->floats, "x > 3"), "a + b");
    *maps = gpu_map(sums, "x * 0.37f + i");
    return sums;
}

static gpu_array *nothing(const start *s, gpu_array **maps)
{
    gpu_array *sums = gpu_scan(gpu_slice(s->ints, 3, 0), "a + b");
    *maps = last_map(gpu_sort(sums));
    return sums;
}

static gpu_array *sort_and_map(const start *s, gpu_array **maps)
{
    gpu_array *sorted = gpu_sort(s->ints);
    *maps = last_map(sorted);
    return sorted;
}

static gpu_array *short_sort_and_map(const start *s, gpu_array **maps)
{
    gpu_array *sorted = gpu_sort(s->few);
    *maps = last_map(sorted);
    return sorted;
}

static gpu_array *sort_by_and_map(const gpu_array *a, int wrong, gpu_array **maps)
{
    gpu_array *sorted = gpu_sort_by(a, "wrong ? (a * 7 + b) % 3 == 0 : a % 64 < b % 64", GPU_ARG(wrong));
    *maps = last_map(sorted);
    return sorted;
}

static gpu_array *right_sort_and_map(const start *s, gpu_array **maps)
{
    return sort_by_and_map(s->ints, 0, maps);
}

/* The comparator contradicts itself: the elements come back as they were. */
static gpu_array *wrong_sort_and_map(const start *s, gpu_array **maps)
{
    return sort_by_and_map(s->ints, 1, maps);
}

/* In place, by kernels without an epilogue. */
static gpu_array *bitonic_sort_and_map(const start *s, gpu_array **maps)
{
    gpu_array *sorted = gpu_sort_with(s->few, (&(gpu_sort_options){GPU_SORT_BITONIC, false}), NULL);
    *maps = last_map(sorted);
    return sorted;
}

static const struct {
    const char *name;
    make_pair *make;
    uint64_t more; /* launches than without the maps */
} epilogues[] = {{"a scan, and three maps", scan_and_maps, 0},
                 {"an exclusive scan of structs", scan_of_structs_and_map, 0},
                 {"a filter and a scan", filter_scan_and_map, 0},
                 {"nothing", nothing, 0},
                 {"a sort", sort_and_map, 0},
                 {"a short sort", short_sort_and_map, 0},
                 {"a sort by a comparator", right_sort_and_map, 0},
                 {"a sort by a wrong comparator", wrong_sort_and_map, 0},
                 {"a bitonic sort", bitonic_sort_and_map, 1}};

/* How many kernels it takes to compute an array: as many as gpu_explain says. */
static uint64_t count_launches(gpu *g, const char *what, gpu_array *a)
{
    unsigned long told = strtoul(gpu_explain(a), NULL, 10);
    cost c = begin(g);
    test_array_ok(a);
    check_launches(what, c, told);
    return test_stats(g).kernels_launched - c.before.kernels_launched;
}

/* Computes one of the chains with its maps and, made anew, without: how many bytes the elements of the first are. */
static size_t compare_epilogue(gpu *g, const start *s, size_t number, void *out)
{
    size_t n;
    const char *name = epilogues[number].name;
    gpu_array *unused, *maps, *plain = epilogues[number].make(s, &unused);
    epilogues[number].make(s, &maps);
    uint64_t launches = count_launches(g, name, plain), more = count_launches(g, name, maps) - launches;
    if (!test_eager() && !test_tiny()) cr_assert_eq(more, epilogues[number].more, "%s: %d more", name, (int)more);
    test_ok(gpu_read_n(maps, out, MANY, &n));
    return n * gpu_type_of(maps)->size;
}

Test(delayed, maps_behind_a_scan_or_a_sort_are_its_epilogue)
{
    static unsigned char got[2][COUNT_OF(epilogues)][MANY * sizeof(double)];
    size_t bytes[2][COUNT_OF(epilogues)];
    test_needs_opencl(); /* kernels are counted */
    setenv("FIREPILE_VERIFY", "0", 1);
    for (int eager = 0; eager < 2; eager++) {
        setenv("FIREPILE_EAGER", eager ? "1" : "0", 1);
        gpu *g = test_open();
        const start s = make_start(g);
        for (size_t k = 0; k < COUNT_OF(epilogues); k++) bytes[eager][k] = compare_epilogue(g, &s, k, got[eager][k]);
        test_close(g);
    }
    for (size_t k = 0; k < COUNT_OF(epilogues); k++) {
        cr_assert_eq(bytes[0][k], bytes[1][k], "%s: %zu and %zu bytes", epilogues[k].name, bytes[0][k], bytes[1][k]);
        cr_assert(!memcmp(got[0][k], got[1][k], bytes[0][k]), "%s: eager gives other elements", epilogues[k].name);
        cr_assert(bytes[0][k] || !strcmp(epilogues[k].name, "nothing"), "%s: no elements", epilogues[k].name);
    }
}

static void check_sums(const char *what, gpu_array *a, int factor, int more)
{
    int got[1000];
    test_ok(gpu_read(a, got));
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(got[i], i * (i + 1) / 2 * factor + more, "%s: element %d is %d", what, i, got[i]);
}

/* The sums of 0 ... 999. */
static gpu_array *sums_of(gpu *g)
{
    if (test_tiny()) cr_skip("chains are cut");
    return gpu_scan(gpu_eval(gpu_range(g, GPU_INT, 1000)), "a + b");
}

Test(delayed, a_scan_is_fused_into_its_first_map_and_a_buffer_for_the_second)
{
    gpu *g = test_open();
    gpu_array *sums = sums_of(g);
    cost c = begin(g);
    check_sums("a map", gpu_map(sums, "x * 2"), 2, 0);
    check_launches("a map", c, test_passes());
    c = begin(g);
    check_sums("another map", gpu_map(sums, "x + 1"), 1, 1);
    check_launches("another map", c, test_passes() + 1);
    c = begin(g);
    check_sums("the scan", sums, 1, 0);
    check_launches("the scan", c, 0);
    test_close(g);
}

Test(delayed, a_reduction_of_a_mapped_scan_makes_a_buffer_of_the_scan)
{
    gpu *g = test_open();
    int sum = 0;
    gpu_array *doubled = gpu_map(sums_of(g), "x * 2");
    cost c = begin(g);
    test_ok(gpu_reduce(doubled, "a + b", &sum));
    cr_assert_eq(sum, 333333000, "%d", sum); /* the sum of i (i + 1) */
    check_launches("a reduce of a map", c, test_passes() + 1);
    c = begin(g);
    check_sums("the map that was reduced", doubled, 2, 0);
    check_launches("the map that was reduced", c, 1);
    test_close(g);
}

Test(delayed, a_scan_that_a_map_reads_twice_is_a_buffer)
{
    gpu *g = test_open();
    gpu_array *sums = sums_of(g);
    cost c = begin(g);
    check_sums("with itself", gpu_map(sums, "x + sums[999] - sums[998]", GPU_ARG(sums)), 1, 999);
    check_launches("with itself", c, test_passes() + 1);
    sums = sums_of(g);
    c = begin(g);
    check_sums("beside another", gpu_map2(sums, gpu_map(sums, "x * 2"), "x + y"), 3, 0);
    check_launches("beside another", c, test_passes() + 1);
    test_close(g);
}

Test(delayed, a_slice_of_a_scan_makes_a_buffer_of_the_scan)
{
    gpu *g = test_open();
    int got[10];
    gpu_array *sums = sums_of(g);
    cost c = begin(g);
    test_ok(gpu_read(gpu_slice(sums, 100, 10), got));
    cr_assert_eq(got[9], 109 * 110 / 2, "%d", got[9]);
    check_launches("a slice", c, test_passes());
    sums = sums_of(g);
    c = begin(g);
    test_ok(gpu_read(gpu_slice(gpu_map(sums, "x * 2"), 100, 10), got));
    cr_assert_eq(got[9], 109 * 110, "%d", got[9]);
    check_launches("a slice of a map", c, test_passes() + 1);
    test_close(g);
}

Test(delayed, a_wrong_scan_that_nobody_needs_costs_nothing)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 1000));
    cost c = begin(g);
    gpu_scan(gpu_sort(gpu_map(x, "x + nowhere")), "a + nobody");
    check_launches("describing", c, 0);
    test_close(g);
}

Test(delayed, a_failure_around_a_scan_is_that_of_the_array_that_is_wrong)
{
    gpu *g = test_open();
    int got[1000];
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 1000)), *sums = gpu_scan(x, "a + b");
    gpu_array *wrong = test_array_fails(GPU_E_SNIPPET, gpu_map(sums, "x + nowhere"));
    test_has(gpu_array_error(wrong), "gpu_map");
    test_caret(gpu_array_error(wrong), "x + nowhere", 4);
    check_sums("after a wrong map", sums, 1, 0);
    const gpu_sort_options options[] = {{GPU_SORT_MERGE, false}, {GPU_SORT_BITONIC, false}};
    for (int k = 0; k < 3; k++) {
        gpu_array *made = k ? gpu_sort_with(x, &options[k - 1], "a < nobody") : gpu_scan(x, "a < nobody");
        test_fails(GPU_E_SNIPPET, gpu_read(gpu_map(made, "x + 1"), got));
        test_caret(gpu_error(), "a < nobody", 4);
        if (!test_eager()) test_has(gpu_error(), k ? "gpu_sort_with" : "gpu_scan");
        cr_assert_eq(gpu_array_status(made), GPU_E_SNIPPET, "number %d", k);
        test_fails(GPU_E_SNIPPET, gpu_read(made, got));
    }
    test_close(g);
}
