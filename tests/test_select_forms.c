/* gpu_partition, gpu_span, gpu_find, gpu_index_of; what selecting costs; wrong arguments; many random runs. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(entry, unsigned int key; unsigned int index;);

static void fill_below(gpu_type type, uint64_t bound, void *data, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) test_put(type, data, i, test_whole(type, (int64_t)(test_random(&seed) % bound)));
}

/* The elements of `data` that are below `percent` go to `yes`, the others to `no`. Returns how many are below. */
static size_t split(gpu_type type, const char *data, size_t n, int percent, char *yes, char *no)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        test_number v = test_get(type, data, i);
        bool selected = type->kind == GPU_KIND_FLOATING ? v.f < percent : v.s < percent;
        memcpy((selected ? yes : no) + (selected ? below : i - below) * type->size, data + i * type->size, type->size);
        below += selected;
    }
    return below;
}

static void check_partition(gpu *g, gpu_type type, const void *data, size_t n, int percent)
{
    char *above = test_alloc(n, type->size), *below = test_alloc(n, type->size), what[64];
    size_t count = split(type, data, n, percent, below, above);
    snprintf(what, sizeof what, "partition of %zu at %d", n, percent);
    gpu_array *yes = NULL, *no = NULL;
    test_ok(gpu_partition(gpu_array_from(g, type, data, n), "x < percent", &yes, &no, GPU_ARG(percent)));
    test_holds(what, no, type, n - count, above);
    test_holds(what, yes, type, count, below);
    free(above);
    free(below);
}

static const int percents[] = {0, 1, 50, 99, 100};

Test(partition, takes_types_lengths_and_shares)
{
    gpu *g = test_open();
    static const gpu_type types[] = {GPU_INT, GPU_UCHAR, GPU_DOUBLE, GPU_USHORT};
    size_t count = test_size_count(68931), most = test_sizes[count - 1];
    void *data = test_alloc(most, sizeof(double));
    for (size_t k = 0; k < COUNT_OF(types) * count * COUNT_OF(percents); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_type type = types[k / count / COUNT_OF(percents)];
        fill_below(type, 100, data, test_sizes[k % count], k);
        check_partition(g, type, data, test_sizes[k % count], percents[k / count % COUNT_OF(percents)]);
        gpu_scope_end(scope);
    }
    free(data);
    size_t n = test_limit(3679636);
    int *numbers = test_alloc(n, sizeof *numbers);
    fill_below(GPU_INT, 100, numbers, n, 1);
    check_partition(g, GPU_INT, numbers, n, 50);
    free(numbers);
    test_close(g);
}

Test(partition, keeps_the_order_of_both_parts)
{
    gpu *g = test_open();
    enum { N = 5000 };
    static entry data[N], yes_want[N], no_want[N];
    size_t yes_count = 0, no_count = 0;
    for (unsigned i = 0; i < N; i++) {
        data[i] = (entry){i * 7919 % 5, i};
        if (data[i].key < 2)
            yes_want[yes_count++] = data[i];
        else
            no_want[no_count++] = data[i];
    }
    gpu_array *yes, *no;
    test_ok(gpu_partition(gpu_array_from(g, GPU_TYPE(entry), data, N), "x.key < 2", &yes, &no));
    test_holds("selected", yes, GPU_TYPE(entry), yes_count, yes_want);
    test_holds("the others", no, GPU_TYPE(entry), no_count, no_want);
    test_close(g);
}

Test(partition, its_parts_are_mapped_filtered_and_reduced)
{
    gpu *g = test_open();
    enum { N = 5000 };
    size_t odd = 77, want = 0;
    int first = 77;
    gpu_array *yes, *no;
    test_ok(gpu_partition(gpu_map(gpu_range(g, GPU_INT, N), "x * 3"), "i % 4 == 0", &yes, &no)); /* i: the source's */
    test_ok(gpu_count(gpu_map(no, "x / 3 + (int)i"), "x & 1", &odd));
    for (int i = 0, at = 0; i < N; i++) want += i % 4 != 0 ? (i + at++) & 1 : 0;
    cr_assert_eq(odd, want, "%zu odd ones, wanted %zu", odd, want);
    test_ok(gpu_reduce(gpu_map(gpu_filter(yes, "x > 30"), "x + 1"), "a", &first));
    cr_assert_eq(first, 37, "%d", first);
    test_close(g);
}

/* Ones, then a zero at `stop`, then ones and zeros. */
static void check_span(gpu *g, int *data, size_t n, size_t stop)
{
    char what[64];
    snprintf(what, sizeof what, "span of %zu up to %zu", n, stop);
    for (size_t i = 0; i < n; i++) data[i] = i < stop ? 1 : i == stop ? 0 : (int)(i * 7919 % 2);
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *a = gpu_array_of(g, data, n), *prefix, *rest;
    test_ok(gpu_span(a, "x", &prefix, &rest));
    test_holds(what, rest, GPU_INT, n - stop, data + stop);
    test_holds(what, prefix, GPU_INT, stop, data);
    test_holds(what, gpu_take_while(a, "x"), GPU_INT, stop, data);
    test_holds(what, gpu_drop_while(a, "x"), GPU_INT, n - stop, data + stop);
    gpu_scope_end(scope);
}

Test(span, takes_every_length)
{
    gpu *g = test_open();
    size_t count = test_size_count(3679636);
    int *data = test_alloc(test_sizes[count - 1], sizeof *data);
    for (size_t k = 0; k < count; k++) {
        size_t n = test_sizes[k], stops[] = {0, n / 2, n ? n - 1 : 0, n};
        for (size_t s = 0; s < COUNT_OF(stops); s++) check_span(g, data, n, stops[s]);
    }
    free(data);
    test_close(g);
}

static void use_views(gpu *g, size_t n, size_t stop)
{
    gpu_array *x = gpu_eval(gpu_range(g, GPU_LONG, n)), *rest = gpu_drop_while(x, "i < stop", GPU_ARG(stop));
    gpu_array *prefix = gpu_take_while(gpu_map(x, "x * 2"), "x < 2 * (long)stop", GPU_ARG(stop));
    int64_t sum = -77, want = 0, last = -77;
    for (size_t i = stop; i < n; i++) want += 10 * (int64_t)i + (int64_t)(i - stop);
    test_ok(gpu_reduce(gpu_map(rest, "10 * x + i"), "a + b", &sum));
    cr_assert_eq(sum, want, "the rest of %zu from %zu on: %lld, wanted %lld", n, stop, (long long)sum, (long long)want);
    test_ok(gpu_fold(gpu_filter(prefix, "x % 4 == 0"), &(int64_t){-1}, "b", &last));
    want = stop ? (int64_t)(stop - 1) / 2 * 4 : -1;
    cr_assert_eq(last, want, "the first %zu of %zu: %lld, wanted %lld", stop, n, (long long)last, (long long)want);
    if (stop == n) return;
    test_ok(gpu_reduce(gpu_map2(gpu_slice(rest, 0, n - stop), rest, "x - y"), "a + b", &sum));
    cr_assert_eq(sum, 0);
    test_ok(gpu_reduce(gpu_drop_while(gpu_drop_while(rest, "i < 0"), "x < 0"), "a", &sum));
    cr_assert_eq(sum, (int64_t)stop, "a view of a view starts with %lld", (long long)sum);
}

Test(span, its_views_are_mapped_filtered_and_reduced)
{
    gpu *g = test_open();
    use_views(g, 0, 0);
    use_views(g, 1000, 0);
    use_views(g, 1000, 1000);
    use_views(g, 1000, 501);
    use_views(g, test_limit(70001), 1 + test_limit(70001) / 3);
    test_close(g);
}

/* Every element that equals `value`, by gpu_find, and the lowest, by gpu_index_of. */
static void check_found(gpu *g, gpu_type type, const char *data, size_t n, const void *value)
{
    uint64_t *want = test_alloc(n, sizeof *want);
    size_t hits = 0, at = 77;
    for (size_t i = 0; i < n; i++) {
        if (memcmp(data + i * type->size, value, type->size) == 0) want[hits++] = i;
    }
    gpu_array *a = gpu_array_from(g, type, data, n);
    test_holds(type->name, gpu_find(a, value), GPU_ULONG, hits, want);
    test_ok(gpu_index_of(a, value, &at));
    cr_assert_eq(at, hits ? want[0] : GPU_NOT_FOUND, "%s, n = %zu, %zu hits: lowest %zu", type->name, n, hits, at);
    gpu_array_free(a);
    free(want);
}

/* Every choice of: a hit at 0, in the middle, at the end. */
static void check_places(gpu *g, gpu_type type, size_t n)
{
    char *data = test_alloc(n, type->size);
    int64_t value;
    test_put(type, &value, 0, test_whole(type, 100));
    for (int places = 0; places < 8; places++) {
        fill_below(type, 100, data, n, 2);
        if (n && places & 1) test_put(type, data, 0, test_whole(type, 100));
        if (n && places & 2) test_put(type, data, n / 2, test_whole(type, 100));
        if (n && places & 4) test_put(type, data, n - 1, test_whole(type, 100));
        check_found(g, type, data, n, &value);
    }
    free(data);
}

Test(find, takes_every_type_and_length)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        if (test_takes_type(t, 3)) check_places(g, test_scalars[t], 1000);
    }
    for (size_t k = 0; k < test_size_count(68931); k++) check_places(g, GPU_INT, test_sizes[k]);
    check_places(g, GPU_INT, test_limit(3679636));
    char *many = test_alloc(test_limit(70001), 1);
    fill_below(GPU_CHAR, 3, many, test_limit(70001), 3);
    check_found(g, GPU_CHAR, many, test_limit(70001), "\1");
    free(many);
    test_close(g);
}

Test(find, finds_no_nan_and_both_zeros)
{
    gpu *g = test_open();
    float f[] = {1, NAN, 0.0f, -0.0f, NAN};
    gpu_array *x = gpu_array_of(g, f, 5);
    size_t at = 77;
    uint64_t zeros[] = {2, 3};
    test_holds("NaN", gpu_find(x, &(float){NAN}), GPU_ULONG, 0, zeros);
    test_holds("0", gpu_find(x, &(float){0.0f}), GPU_ULONG, 2, zeros);
    test_holds("-0", gpu_find(x, &(float){-0.0f}), GPU_ULONG, 2, zeros);
    test_ok(gpu_index_of(x, &(float){NAN}, &at));
    cr_assert_eq(at, GPU_NOT_FOUND, "NaN found at %zu", at);
    test_ok(gpu_index_of(x, &(float){-0.0f}, &at));
    cr_assert_eq(at, 2, "-0 found at %zu", at);
    test_close(g);
}

Test(find, compares_the_components_of_vectors_without_padding)
{
    gpu *g = test_open();
    gpu_float3 v[] = {{1, 2, 4, 9}, {1, 2, 3, 9}, {NAN, 2, 3, 0}, {1, 2, 3, -9}}, one = {1, 2, 3, 0}, none = v[2];
    gpu_array *vectors = gpu_array_of(g, v, 4);
    size_t at = 77;
    uint64_t pairs[] = {1, 3};
    test_holds("float3", gpu_find(vectors, &one), GPU_ULONG, 2, pairs);
    test_holds("float3 with NaN", gpu_find(vectors, &none), GPU_ULONG, 0, pairs);
    test_ok(gpu_index_of(vectors, &one, &at));
    cr_assert_eq(at, 1, "float3 found at %zu", at);
    test_close(g);
}

Test(find, index_if_gives_the_lowest_place)
{
    gpu *g = test_open();
    size_t n = test_limit(16777217), places[] = {0, 1, n / 3, n - 1, n}, at = 77;
    gpu_array *x = gpu_range(g, GPU_UINT, n);
    for (size_t k = 0; k < COUNT_OF(places); k++) {
        unsigned least = (unsigned)places[k];
        test_ok(gpu_index_if(x, "x >= least", &at, GPU_ARG(least)));
        cr_assert_eq(at, least < n ? least : GPU_NOT_FOUND, "from %u of %zu on: %zu", least, n, at);
    }
    test_close(g);
}

Test(find, the_places_it_finds_are_gathered)
{
    gpu *g = test_open();
    uint64_t thirds[] = {1, 4, 7}, values[] = {100, 103, 106};
    gpu_array *ten = gpu_map(gpu_range(g, GPU_ULONG, 10), "x + 99"), *where = gpu_find_if(ten, "i % 3 == 1");
    test_holds("i % 3 == 1", where, GPU_ULONG, 3, thirds);
    test_holds("gathered", gpu_gather(ten, where), GPU_ULONG, 3, values);
    test_close(g);
}

Test(find, places_in_a_filter_count_its_elements)
{
    gpu *g = test_open();
    size_t at = 77;
    gpu_array *ten = gpu_map(gpu_range(g, GPU_ULONG, 10), "x + 99");
    test_ok(gpu_index_if(gpu_filter(ten, "x % 2"), "x > 104", &at)); /* 99 101 103 105 107 */
    cr_assert_eq(at, 3, "%zu in the result of a filter", at);
    test_ok(gpu_index_of(gpu_filter(ten, "x % 2"), &(uint64_t){103}, &at));
    cr_assert_eq(at, 2, "%zu in the result of a filter", at);
    test_close(g);
}

Test(find, index_if_reads_members_of_structs)
{
    gpu *g = test_open();
    size_t at = 77;
    entry e[] = {{1, 2}, {3, 4}};
    test_ok(gpu_index_if(gpu_array_from(g, GPU_TYPE(entry), e, 2), "x.index == 4", &at));
    cr_assert_eq(at, 1, "a struct at %zu", at);
    test_close(g);
}

/* What was done since the counters were copied; not counted the first time, when kernels are built. */
static void check_cost(const char *what, const gpu *g, const gpu_stats *before, uint64_t launches, uint64_t waits)
{
    if (!before) return;
    gpu_stats now = test_stats(g);
    now.kernels_launched -= before->kernels_launched;
    now.waits -= before->waits;
    cr_assert(now.kernels_launched == launches && now.waits == waits, "%s: %d kernels, wanted %d; %d waits, wanted %d",
              what, (int)now.kernels_launched, (int)launches, (int)now.waits, (int)waits);
}

static void check_costs(gpu *g, const gpu_array *x, const gpu_stats *before)
{
    float sum;
    size_t at;
    gpu_array *p, *q;
    const unsigned selection = test_passes();
    gpu_filter(gpu_filter(gpu_map(x, "x + 1"), "x > 3"), "x < 900");
    gpu_find(x, &(float){5});
    gpu_find_if(x, "x > 5");
    gpu_unique(x);
    check_cost("describing", g, before, 0, 0);
    test_ok(gpu_reduce(gpu_map(gpu_filter(x, "x > 3"), "x * 2"), "a + b", &sum));
    check_cost("filter, map, reduce", g, before, 1, 1);
    gpu_eval(gpu_map(gpu_filter(gpu_map(x, "x + 1"), "x > 3"), "x * 2"));
    check_cost("then map, filter, map", g, before, 1 + selection, 1);
    test_ok(gpu_partition(x, "x > 3", &p, &q));
    check_cost("then partition", g, before, 1 + 2 * selection, 1);
    test_ok(gpu_span(x, "x < 500", &p, &q));
    gpu_take_while(x, "x < 500");
    check_cost("then span and take_while", g, before, 3 + 2 * selection, 1);
    test_ok(gpu_index_if(x, "x > 5", &at));
    check_cost("then index_if", g, before, 4 + 2 * selection, 2);
}

/* Opens the device, so that launches can be counted. */
static gpu *open_to_count(void)
{
    test_needs_opencl();
    if (test_eager() || test_tiny()) cr_skip_test("each step is a buffer");
    setenv("FIREPILE_SMALL", "0", 1);
    return test_open();
}

Test(select, takes_few_launches_and_waits)
{
    gpu *g = open_to_count();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 1000));
    check_costs(g, x, NULL);
    gpu_stats before = test_stats(g);
    check_costs(g, x, &before);
    test_close(g);
}

/* How many kernels a scan takes depends on the device. */
Test(select, a_reduction_of_a_scan_of_a_filter_waits_once)
{
    gpu *g = open_to_count();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 1000));
    for (int round = 0; round < 2; round++) { /* the first one builds */
        float largest;
        gpu_stats before = test_stats(g);
        test_ok(gpu_reduce(gpu_scan(gpu_map(gpu_filter(x, "x > 3"), "x * 2"), "a + b"), "fmax(a, b)", &largest));
        cr_assert_eq(largest, 998988, "%g", (double)largest);
        if (round) cr_assert_eq(test_stats(g).waits - before.waits, 1, "more than one wait");
    }
    test_close(g);
}

static void refuses(gpu_array *bad, gpu_status status)
{
    size_t at = 77;
    gpu_array *p = NULL, *q = NULL;
    test_array_fails(status, gpu_filter(bad, "x > 1"));
    test_array_fails(status, gpu_take_while(bad, "x > 1"));
    test_array_fails(status, gpu_drop_while(bad, "x > 1"));
    test_array_fails(status, gpu_find(bad, &(float){1}));
    test_array_fails(status, gpu_find_if(bad, "x > 1"));
    test_array_fails(status, gpu_unique(bad));
    test_array_fails(status, gpu_unique_by(bad, "a == b"));
    test_fails(status, gpu_index_of(bad, &(float){1}, &at));
    test_fails(status, gpu_index_if(bad, "x > 1", &at));
    test_fails(status, gpu_partition(bad, "x > 1", &p, &q));
    test_array_fails(status, p);
    test_array_fails(status, q);
    p = q = NULL;
    test_fails(status, gpu_span(bad, "x > 1", &p, &q));
    test_array_fails(status, p);
    test_array_fails(status, q);
    cr_assert_eq(at, 77, "an output was written");
}

Test(select, passes_on_the_failure_of_its_input)
{
    gpu *g = test_open();
    refuses(NULL, GPU_E_ARGUMENT);
    refuses(gpu_range(g, GPU_FLOAT4, 3), GPU_E_TYPE);
    refuses(gpu_filter(gpu_range(g, GPU_FLOAT, 3), "x > (1"), GPU_E_SNIPPET);
    test_close(g);
}

static void check_bad_snippet(const gpu_array *x, const char *pred)
{
    size_t at = 77;
    gpu_array *p = NULL, *q = NULL;
    test_array_fails(GPU_E_SNIPPET, gpu_filter(x, pred));
    test_has(gpu_error(), pred);
    test_array_fails(GPU_E_SNIPPET, gpu_find_if(x, pred));
    test_array_fails(GPU_E_SNIPPET, gpu_take_while(x, pred));
    test_fails(GPU_E_SNIPPET, gpu_index_if(x, pred, &at));
    test_fails(GPU_E_SNIPPET, gpu_partition(x, pred, &p, &q));
    test_array_fails(GPU_E_SNIPPET, p);
    test_array_fails(GPU_E_SNIPPET, q);
    test_fails(GPU_E_SNIPPET, gpu_span(x, pred, &p, &q));
    test_array_fails(GPU_E_SNIPPET, q);
    cr_assert_eq(at, 77, "an output was written");
}

Test(select, refuses_wrong_predicates)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 10));
    entry e = {1, 2};
    gpu_array *structs = gpu_array_from(g, GPU_TYPE(entry), &e, 1);
    size_t at = 77;
    check_bad_snippet(x, "x > (1");
    test_array_fails(GPU_E_SNIPPET, gpu_filter(x, "x > nobody"));
    test_has(gpu_error(), "x > nobody");
    test_fails(GPU_E_SNIPPET, gpu_index_if(x, "x > nobody", &at));
    test_array_fails(GPU_E_SNIPPET, gpu_filter(structs, "x"));
    cr_assert_eq(at, 77, "an output was written");
    test_close(g);
}

/* The scan is computed before the search is. */
Test(select, an_input_that_cannot_be_computed_fails_the_search)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 10)), *p = NULL, *q = NULL;
    size_t at = 77;
    test_fails(GPU_E_SNIPPET, gpu_index_of(gpu_scan(x, "a + nobody"), &(float){1}, &at));
    test_fails(GPU_E_SNIPPET, gpu_index_if(gpu_scan(x, "a + nobody"), "x > 1", &at));
    test_fails(GPU_E_SNIPPET, gpu_span(gpu_scan(x, "a + nobody"), "x > 1", &p, &q));
    test_array_fails(GPU_E_SNIPPET, p);
    test_array_fails(GPU_E_SNIPPET, q);
    cr_assert_eq(at, 77, "an output was written");
    test_close(g);
}

Test(find, refuses_a_value_of_another_type)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 10));
    size_t at = 77;
    test_array_fails(GPU_E_TYPE, gpu_find(x, &(int){1}));
    test_array_fails(GPU_E_TYPE, gpu_find(x, &(double){1}));
    test_fails(GPU_E_TYPE, gpu_index_of(x, &(int){1}, &at));
    test_has(gpu_error(), "float");
    test_has(gpu_error(), "int");
    cr_assert_eq(at, 77, "an output was written");
    test_ok(gpu_index_of(x, &(float){1}, &at));
    cr_assert_eq(at, 1);
    test_close(g);
}

Test(find, refuses_structs)
{
    gpu *g = test_open();
    entry e = {1, 2};
    gpu_array *structs = gpu_array_from(g, GPU_TYPE(entry), &e, 1);
    size_t at = 77;
    test_array_fails(GPU_E_TYPE, gpu_find(structs, &e));
    test_fails(GPU_E_TYPE, gpu_index_of(structs, &e, &at));
    cr_assert_eq(at, 77, "an output was written");
    test_close(g);
}

Test(select, refuses_missing_arguments)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 10)), *p = NULL;
    size_t at = 77;
    test_array_fails(GPU_E_ARGUMENT, gpu_filter(x, (const char *)NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_filter_op(x, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_unique_by(x, (const char *)NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_unique_by_op(x, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_find(x, (float *)NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_find_op(x, NULL, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_index_of(x, (float *)NULL, &at));
    test_fails(GPU_E_ARGUMENT, gpu_index_of(x, &(float){1}, (size_t *)NULL));
    test_fails(GPU_E_ARGUMENT, gpu_index_if(x, "x", (size_t *)NULL));
    test_fails(GPU_E_ARGUMENT, gpu_index_if_op(x, NULL, &at));
    test_fails(GPU_E_ARGUMENT, gpu_partition(x, "x", NULL, &p));
    test_array_fails(GPU_E_ARGUMENT, p);
    test_fails(GPU_E_ARGUMENT, gpu_partition(x, "x", &p, NULL));
    test_array_fails(GPU_E_ARGUMENT, p);
    test_fails(GPU_E_ARGUMENT, gpu_span(x, "x", NULL, &p));
    test_array_fails(GPU_E_ARGUMENT, p);
    test_fails(GPU_E_ARGUMENT, gpu_span(x, "x", NULL, NULL));
    cr_assert_eq(at, 77, "an output was written");
    test_array_ok(gpu_unique_op(x, NULL)); /* a place may be missing */
    test_close(g);
}

/* Many runs over parts of random length: what depends on timing fails in some of them. */
Test(partition, equals_plain_c_at_random_lengths)
{
    gpu *g = test_open();
    size_t most = test_limit(200000);
    int *data = test_alloc(most, sizeof *data);
    fill_below(GPU_INT, 100, data, most, 7);
    gpu_array *all = gpu_array_of(g, data, most);
    char *yes = test_alloc(most, sizeof *data), *no = test_alloc(most, sizeof *data);
    uint64_t seed = 8;
    for (int round = 0; round < 200; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t first = test_random(&seed) % most, n = test_random(&seed) % (most - first), at = 77;
        int percent = (int)(test_random(&seed) % 101);
        size_t count = split(GPU_INT, (char *)(data + first), n, percent, yes, no), low = 0;
        while (low < n && data[first + low] >= percent) low++;
        gpu_array *part = gpu_slice(all, first, n), *p, *q;
        char what[96];
        snprintf(what, sizeof what, "round %d: %zu from %zu, below %d", round, n, first, percent);
        test_holds(what, gpu_filter(part, "x < percent", GPU_ARG(percent)), GPU_INT, count, yes);
        test_ok(gpu_partition(part, "x < percent", &p, &q, GPU_ARG(percent)));
        test_holds(what, q, GPU_INT, n - count, no);
        test_holds(what, p, GPU_INT, count, yes);
        test_ok(gpu_index_if(part, "x < percent", &at, GPU_ARG(percent)));
        cr_assert_eq(at, low < n ? low : GPU_NOT_FOUND, "%s: the first at %zu, wanted %zu", what, at, low);
        gpu_scope_end(scope);
    }
    free(data);
    free(yes);
    free(no);
    test_close(g);
}

Test(filter, finds_the_places_of_ones_a_thousand_times) /* F10 */
{
    gpu *g = test_open();
    unsigned char ones[64 * 64];
    int want[64 * 64];
    size_t count = 0;
    fill_below(GPU_UCHAR, 2, ones, sizeof ones, 9);
    for (int i = 0; i < 64 * 64; i++) {
        if (ones[i]) want[count++] = 2 * i;
    }
    gpu_array *matrix = gpu_array_of(g, ones, sizeof ones);
    for (int round = 0; round < (test_small() ? 20 : 1000); round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *places = gpu_filter(gpu_map_to(matrix, GPU_INT, "x ? (int)i : -1"), "x >= 0");
        test_holds("twice the places of ones", gpu_map(places, "x * 2"), GPU_INT, count, want);
        gpu_scope_end(scope);
    }
    test_close(g);
}
