/* gpu_filter, gpu_partition, gpu_span, gpu_find, gpu_index_of, gpu_unique and their kin, against plain C. */
#include "support/line.h"
#include "support/support.h"
#include "support/wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(entry, unsigned int key; unsigned int index;);
GPU_STRUCT(odd_sized, unsigned char key; unsigned char index; unsigned char more;);
GPU_FUNCTION(int, is_below, (int x, int percent), { return x < percent; });

/* Numbers in 0 ... 99: of a hundred, about `percent` are below `percent`. */
static void fill_below_100(gpu_type type, void *data, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) test_put(type, data, i, test_whole(type, (int64_t)(test_random(&seed) % 100)));
}

static gpu_array *kept_of(const gpu_array *a, int percent)
{
    return gpu_filter(a, "x < percent", GPU_ARG(percent));
}

static bool is_selected(gpu_type type, const void *data, size_t i, int percent)
{
    test_number v = test_get(type, data, i);
    return type->kind == GPU_KIND_FLOATING ? v.f < percent : v.s < percent;
}

/* The elements that are below `percent`, or those that are not. */
static size_t select_on_host(gpu_type type, const void *data, size_t n, int percent, bool below, void *out)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_selected(type, data, i, percent) != below) continue;
        memcpy((char *)out + count++ * type->size, (const char *)data + i * type->size, type->size);
    }
    return count;
}

static const int percents[] = {0, 1, 50, 99, 100};

typedef void check_share(gpu *g, gpu_type type, const void *data, size_t n, int percent, void *want);

/* Every length that is at most `limit`, with every share of the elements selected. */
static void every_length_and_share(gpu *g, gpu_type type, size_t limit, check_share *check)
{
    size_t count = test_size_count(limit), most = test_sizes[count - 1];
    void *data = test_alloc(most, type->size), *want = test_alloc(most, type->size);
    fill_below_100(type, data, most, 1);
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < COUNT_OF(percents); p++) {
            gpu_scope *scope = gpu_scope_begin(g);
            check(g, type, data, test_sizes[k], percents[p], want);
            gpu_scope_end(scope);
        }
    }
    free(data);
    free(want);
}

static void check_filter(gpu *g, gpu_type type, const void *data, size_t n, int percent, void *want)
{
    char what[64];
    snprintf(what, sizeof what, "%zu elements, those below %d", n, percent);
    gpu_array *a = gpu_array_from(g, type, data, n), *kept = kept_of(a, percent);
    cr_assert(gpu_type_equal(gpu_type_of(kept), type), "a filter of %s has another type", type->name);
    test_holds(what, kept, type, select_on_host(type, data, n, percent, true, want), want);
    test_holds("the input of a filter", a, type, n, data);
}

Test(filter, takes_every_type_length_and_share)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_takes_type(t, 0)) every_length_and_share(g, test_scalars[t], 16385, check_filter);
    every_length_and_share(g, GPU_SHORT, 3679636, check_filter);
    test_close(g);
}

Test(filter, takes_millions_of_elements)
{
    gpu *g = test_open();
    size_t n = test_limit(16777217);
    int *data = test_alloc(n, sizeof *data), *want = test_alloc(n, sizeof *want);
    fill_below_100(GPU_INT, data, n, 2);
    check_filter(g, GPU_INT, data, n, 50, want);
    fill_below_100(GPU_UCHAR, data, n, 3);
    check_filter(g, GPU_UCHAR, data, n, 50, want);
    free(data);
    free(want);
    test_close(g);
}

Test(filter, keeps_more_elements_than_32_bits_count) /* F03 */
{
    if (!test_full() || test_small() || test_tiny() || test_eager()) cr_skip("only in a full run");
    gpu *g = test_open();
    size_t n = ((size_t)1 << 31) + 5, at = 77;
    uint64_t count = 0;
    gpu_array *ones = gpu_fill(g, GPU_UCHAR, &(unsigned char){1}, n);
    test_ok(gpu_reduce(gpu_map_to(gpu_filter(ones, "x == 1"), GPU_ULONG, "1"), "a + b", &count));
    cr_assert_eq(count, n, "%zu of %zu", (size_t)count, n);
    test_ok(gpu_index_if(ones, "i > 2147483650UL", &at));
    cr_assert_eq(at, 2147483651, "%zu", at);
    test_close(g);
}

/* The first component is the key, the second one the element's index, so that a swap of equal keys shows. */
static void check_order(gpu *g, gpu_type type, gpu_type component, const char *pred, size_t limit)
{
    size_t width = type->size / component->size;
    for (size_t k = 0; k < test_size_count(limit) && test_sizes[k] <= limit; k++) {
        size_t n = test_sizes[k], kept = 0;
        char *data = test_alloc(n, type->size), *want = test_alloc(n, type->size);
        fill_below_100(component, data, n * width, k);
        for (size_t i = 0; i < n; i++) {
            test_put(component, data, i * width + 1, test_whole(component, (int64_t)i));
            bool selected = is_selected(component, data, i * width, 50);
            if (selected) memcpy(want + kept++ * type->size, data + i * type->size, type->size);
        }
        gpu_array *a = gpu_array_from(g, type, data, n);
        test_holds(pred, gpu_filter(a, pred), type, kept, want);
        gpu_array_free(a);
        free(data);
        free(want);
    }
}

Test(filter, keeps_the_order_of_vectors_and_structs)
{
    gpu *g = test_open();
    check_order(g, GPU_FLOAT4, GPU_FLOAT, "x.x < 50", 68931);
    check_order(g, GPU_SHORT2, GPU_SHORT, "x.x < 50", 6145);
    check_order(g, GPU_TYPE(entry), GPU_UINT, "x.key < 50", 68931);
    check_order(g, GPU_TYPE(odd_sized), GPU_UCHAR, "x.key < 50", 6145);
    check_order(g, GPU_TYPE(wide), GPU_UINT, "x.v[0] < 50", 1025);
    test_close(g);
}

Test(filter, keeps_what_is_not_zero)
{
    gpu *g = test_open();
    float f[] = {0, 0.5f, -0.25f, NAN, -0.0f, 3}, f_want[] = {0.5f, -0.25f, NAN, 3};
    test_holds("not zero", gpu_filter(gpu_array_of(g, f, 6), "x"), GPU_FLOAT, 4, f_want);
    uint64_t bits[] = {1, (uint64_t)1 << 32, 7, (uint64_t)3 << 32}, high[] = {bits[1], bits[3]};
    test_holds("a bit above 32", gpu_filter(gpu_array_of(g, bits, 4), "x & 0x100000000UL"), GPU_ULONG, 2, high);
    test_close(g);
}

static const int twelve[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0};

Test(filter, its_predicate_is_an_expression_or_a_body)
{
    gpu *g = test_open();
    int some[] = {4, 5, 6, 7};
    gpu_array *x = gpu_array_of(g, twelve, 12);
    test_holds("a mask", gpu_filter(x, "x & 4"), GPU_INT, 4, some);
    test_holds("a body", gpu_filter(x, "{ int y = x % 20; // %\n return y > 3 && y < 8; }"), GPU_INT, 4, some);
    test_close(g);
}

Test(filter, takes_a_function_as_its_predicate)
{
    gpu *g = test_open();
    int limit = 3, small[] = {1, 2, 0};
    gpu_array *x = gpu_array_of(g, twelve, 12);
    test_holds("a function", gpu_filter(x, is_below, GPU_ARG_AS(percent, GPU_INT, limit)), GPU_INT, 3, small);
    test_close(g);
}

Test(filter, leaves_its_input_as_it_is) /* F04 */
{
    gpu *g = test_open();
    int even[] = {2, 4, 6, 8, 10, 0};
    gpu_array *x = gpu_array_of(g, twelve, 12);
    test_holds("even ones", gpu_filter(x, "x % 2 == 0"), GPU_INT, 6, even);
    test_holds("the input", x, GPU_INT, 12, twelve);
    test_close(g);
}

/* Chains of maps and filters, each step on the device as its snippet says and here as `apply` does. */
typedef enum step { END, LOW, ODD, THIRD, TRIPLE, HALVE, PLACE } step;

static const struct {
    const char *snippet;
    bool filters;
} steps[] = {[LOW] = {"x < 50", true},        [ODD] = {"x & 1", true},    [THIRD] = {"i % 3 == 1", true},
             [TRIPLE] = {"x * 3 + 1", false}, [HALVE] = {"x / 2", false}, [PLACE] = {"x + 100 * (int)i", false}};

static int apply(step s, int x, size_t i)
{
    switch (s) {
    case LOW:
        return x < 50;
    case ODD:
        return x & 1;
    case THIRD:
        return i % 3 == 1;
    case TRIPLE:
        return x * 3 + 1;
    case HALVE:
        return x / 2;
    default:
        return x + 100 * (int)i;
    }
}

static size_t apply_all(const step *chain, const int *x, size_t n, int *out)
{
    memcpy(out, x, n * sizeof *x);
    for (; *chain != END; chain++) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            int value = apply(*chain, out[i], i);
            if (!steps[*chain].filters || value) out[kept++] = steps[*chain].filters ? out[i] : value;
        }
        n = kept;
    }
    return n;
}

static gpu_array *chain_of(const step *chain, const gpu_array *x, bool at_once)
{
    gpu_array *a = NULL;
    for (; *chain != END; chain++) {
        const gpu_array *from = a ? a : x;
        a = steps[*chain].filters ? gpu_filter(from, steps[*chain].snippet) : gpu_map(from, steps[*chain].snippet);
        if (at_once) gpu_eval(a);
    }
    return a;
}

static const step chains[][7] = {{LOW, ODD},
                                 {LOW, PLACE},
                                 {LOW, THIRD, TRIPLE},
                                 {PLACE, LOW, PLACE, ODD, PLACE},
                                 {TRIPLE, ODD, HALVE, LOW, HALVE, TRIPLE}};

static void check_chain(const char *what, const step *chain, const gpu_array *x, const int *data, size_t n,
                        bool at_once)
{
    int *want = test_alloc(n, sizeof *want), total = 0, sum = 77;
    size_t kept = apply_all(chain, data, n, want);
    for (size_t i = 0; i < kept; i++) total = (int)((unsigned)total + (unsigned)want[i]);
    test_holds(what, chain_of(chain, x, at_once), GPU_INT, kept, want);
    test_ok(gpu_reduce(chain_of(chain, x, at_once), "a + b", &sum));
    cr_assert_eq(sum, total, "%s: the sum is %d, wanted %d", what, sum, total);
    free(want);
}

Test(filter, chains_of_maps_and_filters_equal_plain_c)
{
    gpu *g = test_open();
    size_t lengths[] = {0, 1, 100, test_limit(70001)};
    int *data = test_alloc(lengths[3], sizeof *data);
    fill_below_100(GPU_INT, data, lengths[3], 4);
    for (size_t c = 0; c < COUNT_OF(chains); c += test_full() ? 1 : 2) {
        for (size_t k = 0; k < 2 * COUNT_OF(lengths); k++) {
            char what[64];
            snprintf(what, sizeof what, "chain %zu of %zu elements%s", c, lengths[k / 2], k % 2 ? ", each step" : "");
            gpu_array *x = gpu_array_of(g, data, lengths[k / 2]);
            check_chain(what, chains[c], x, data, lengths[k / 2], k % 2);
        }
    }
    free(data);
    test_close(g);
}

/* The dropped elements would lead far out of the table. */
Test(filter, a_map_after_it_sees_kept_elements_only)
{
    gpu *g = test_open();
    enum { N = 3000 };
    static int data[N], want[N];
    int table_data[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, sum = 0, got;
    size_t kept = 0;
    for (int i = 0; i < N; i++) {
        data[i] = i % 7 == 3 ? i % 10 : 500000000 + i;
        if (i % 7 == 3) sum += want[kept++] = table_data[i % 10];
    }
    gpu_array *x = gpu_array_of(g, data, N), *table = gpu_array_of(g, table_data, 10);
    test_holds("table[x]", gpu_map(gpu_filter(x, "x < 10"), "table[x]", GPU_ARG(table)), GPU_INT, kept, want);
    gpu_array *again = gpu_filter(gpu_filter(x, "x < 10"), "table[x] > 0", GPU_ARG(table));
    test_ok(gpu_reduce(gpu_map(again, "table[x]", GPU_ARG(table)), "a + b", &got));
    cr_assert_eq(got, sum, "%d, wanted %d", got, sum);
    gpu_array *reciprocals = gpu_map(gpu_filter(gpu_range(g, GPU_INT, 100), "x > 0 && x < 3"), "12 / x");
    test_ok(gpu_reduce(reciprocals, "a + b", &got));
    cr_assert_eq(got, 18, "%d", got);
    test_close(g);
}

static void joined(gpu *g, const gpu_array *x, const int *data, size_t n)
{
    int *kept = test_alloc(n, sizeof *kept), *want = test_alloc(n, sizeof *want), total = 0, sum = 77;
    size_t m = select_on_host(GPU_INT, data, n, 50, true, kept), odd = 0;
    gpu_array *low = kept_of(x, 50), *host = gpu_array_of(g, kept, m);
    for (size_t i = 0; i < m; i++) want[i] = 2 * kept[i] - kept[i] - 7;
    test_holds("two maps of a filter", gpu_map2(gpu_map(low, "x * 2"), gpu_map(low, "x + 7"), "x - y"), GPU_INT, m,
               want);
    for (size_t i = 0; i < m; i++) total += want[i] = 5 * kept[i] + (int)i;
    test_holds("and an array", gpu_map2(kept_of(x, 50), host, "4 * x + y + (int)i"), GPU_INT, m, want);
    test_holds("an array and it", gpu_map2(host, kept_of(x, 50), "4 * x + y + (int)i"), GPU_INT, m, want);
    test_holds("three", gpu_map3(low, gpu_range(g, GPU_INT, m), kept_of(x, 50), "x + y + 4 * z"), GPU_INT, m, want);
    test_ok(gpu_reduce(gpu_map2(kept_of(x, 50), host, "4 * x + y + (int)i"), "a + b", &sum));
    cr_assert_eq(sum, total, "the sum of %zu joined elements: %d, wanted %d", m, sum, total);
    for (size_t i = 0; i < m; i++) {
        if ((kept[i] + i) % 2) want[odd++] = kept[i] + (int)i;
    }
    gpu_array *both = gpu_map2(low, gpu_range(g, GPU_INT, m), "x + y");
    test_holds("filtered again", gpu_filter(both, "x & 1"), GPU_INT, odd, want);
    free(kept);
    free(want);
}

Test(filter, joins_other_arrays_in_map2_and_map3)
{
    gpu *g = test_open();
    size_t most = test_limit(70001);
    int *data = test_alloc(most, sizeof *data);
    fill_below_100(GPU_INT, data, most, 5);
    joined(g, gpu_array_of(g, data, most), data, most);
    joined(g, gpu_array_of(g, data, 300), data, 300);
    joined(g, gpu_array_of(g, data, 0), data, 0);
    free(data);
    test_close(g);
}

Test(filter, refuses_to_join_an_array_of_another_length)
{
    gpu *g = test_open();
    int out[100], sum = 77;
    memset(out, 0x5a, sizeof out);
    gpu_array *x = gpu_range(g, GPU_INT, 100), *kept = kept_of(x, 50);
    const gpu_array *others[] = {
        x, gpu_slice(x, 0, 49), gpu_slice(x, 0, 51), gpu_slice(x, 0, 0), kept_of(x, 49), kept_of(x, 0)};
    for (size_t k = 0; k < COUNT_OF(others); k++) {
        gpu_array *joined = gpu_map2(kept_of(x, 50), others[k], "x + y");
        test_fails(GPU_E_ARGUMENT, gpu_read(joined, out));
        cr_assert_eq(gpu_array_status(joined), GPU_E_ARGUMENT, "other array %zu", k);
        test_fails(GPU_E_ARGUMENT, gpu_read(gpu_map2(others[k], kept, "x + y"), out));
        test_fails(GPU_E_ARGUMENT, gpu_reduce(gpu_map2(kept, others[k], "x + y"), "a + b", &sum));
        cr_assert_eq(gpu_length(gpu_filter(gpu_map2(kept, others[k], "x + y"), "x")), 0);
    }
    cr_assert(out[0] == 0x5a5a5a5a && out[99] == 0x5a5a5a5a && sum == 77, "an output was written");
    test_ok(gpu_reduce(gpu_map2(kept, gpu_slice(x, 0, 50), "x + y"), "a + b", &sum));
    cr_assert_eq(sum, 50 * 49, "%d", sum);
    test_close(g);
}

/* The device alone knows both lengths. */
Test(filter, refuses_to_join_a_stored_one_of_another_length)
{
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    int out[100] = {77};
    gpu_array *x = gpu_range(g, GPU_INT, 100), *kept = gpu_eval(kept_of(x, 50)), *fewer = gpu_eval(kept_of(x, 49));
    test_fails(GPU_E_ARGUMENT, gpu_read(gpu_map2(kept, fewer, "x + y"), out));
    cr_assert_eq(out[0], 77, "an output was written");
    test_close(g);
}

/* A fresh filter for each consumer, which is then its first and fuses it; or computed before. */
static gpu_array *fresh(const gpu_array *x, int percent, bool at_once)
{
    gpu_array *kept = kept_of(x, percent);
    return at_once ? gpu_eval(kept) : kept;
}

static void check_reductions(const gpu_array *x, int percent, bool at_once, const int *kept, size_t m)
{
    size_t blocks = (m + 6) / 7;
    int *sums = test_alloc(blocks, sizeof *sums), want[] = {0, m ? kept[0] : 0, m ? kept[m - 1] : 0};
    int sum = 77, folded = 77, three[] = {0, 0, 0};
    for (size_t i = 0; i < m; i++) {
        want[0] += kept[i];
        sums[i / 7] += kept[i];
    }
    test_ok(gpu_reduce(fresh(x, percent, at_once), "a + b", &sum));
    test_ok(gpu_fold(fresh(x, percent, at_once), &(int){1000}, "a + b", &folded));
    cr_assert(sum == want[0] && folded == want[0] + 1000, "below %d: sum %d, wanted %d; fold %d", percent, sum, want[0],
              folded);
    if (m > 0) test_ok(gpu_reduce_all(fresh(x, percent, at_once), "a + b", &three[0], "a", &three[1], "b", &three[2]));
    test_same("sum, first, last", GPU_INT, 3, three, want);
    test_holds("blocks of 7", gpu_block_reduce(fresh(x, percent, at_once), 7, "a + b"), GPU_INT, blocks, sums);
    test_holds("reduced", gpu_reduced(fresh(x, percent, at_once), "a + b"), GPU_INT, 1, &want[0]);
    free(sums);
}

static void check_delayed_reductions(const gpu_array *x, int percent, const int *kept, size_t m)
{
    check_reductions(x, percent, false, kept, m);
}

static void check_computed_reductions(const gpu_array *x, int percent, const int *kept, size_t m)
{
    check_reductions(x, percent, true, kept, m);
}

static void check_counts(const gpu_array *x, int percent, const int *kept, size_t m)
{
    size_t want = 0, even = 77;
    bool any, all;
    for (size_t i = 0; i < m; i++) want += kept[i] % 2 == 0;
    test_ok(gpu_count(kept_of(x, percent), "x % 2 == 0", &even));
    test_ok(gpu_any(kept_of(x, percent), "x % 2 == 0", &any));
    test_ok(gpu_all(kept_of(x, percent), "x % 2 == 0", &all));
    cr_assert(even == want && any == (want > 0) && all == (want == m), "below %d: %zu even, wanted %zu; any %d, all %d",
              percent, even, want, any, all);
}

static void check_extremes(const gpu_array *x, int percent, const int *kept, size_t m)
{
    if (m == 0) return;
    size_t low = 0, high = 0, at_low = 77, at_high = 77;
    int smallest = 77, largest = 77;
    for (size_t i = 0; i < m; i++) {
        if (kept[i] < kept[low]) low = i;
        if (kept[i] > kept[high]) high = i;
    }
    test_ok(gpu_min(kept_of(x, percent), &smallest));
    test_ok(gpu_max(kept_of(x, percent), &largest));
    test_ok(gpu_argmin(kept_of(x, percent), &at_low));
    test_ok(gpu_argmax(kept_of(x, percent), &at_high));
    cr_assert(smallest == kept[low] && largest == kept[high] && at_low == low && at_high == high,
              "below %d: smallest %d at %zu, wanted %zu; largest %d at %zu, wanted %zu", percent, smallest, at_low, low,
              largest, at_high, high);
}

typedef void check_consumer(const gpu_array *x, int percent, const int *kept, size_t m);

/* Each of some lengths with each share of the elements kept. */
static void consume(check_consumer *check)
{
    gpu *g = test_open();
    size_t lengths[] = {1, 10, 1000, test_limit(70001)};
    int *data = test_alloc(lengths[3], sizeof *data), *kept = test_alloc(lengths[3], sizeof *kept);
    fill_below_100(GPU_INT, data, lengths[3], 6);
    for (size_t k = 0; k < COUNT_OF(lengths) * COUNT_OF(percents); k++) {
        size_t n = lengths[k % COUNT_OF(lengths)];
        int percent = percents[k / COUNT_OF(lengths)];
        size_t m = select_on_host(GPU_INT, data, n, percent, true, kept);
        check(gpu_array_of(g, data, n), percent, kept, m);
    }
    free(data);
    free(kept);
    test_close(g);
}

Test(filter, is_reduced_before_it_is_computed)
{
    consume(check_delayed_reductions);
}

Test(filter, is_reduced_after_it_is_computed)
{
    consume(check_computed_reductions);
}

Test(filter, gives_its_count_and_any_and_all)
{
    consume(check_counts);
}

Test(filter, gives_its_extremes_and_their_places)
{
    consume(check_extremes);
}

Test(filter, a_fold_of_it_keeps_the_order)
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(785433); k++) {
        size_t n = test_sizes[k];
        line *data = test_alloc(n, sizeof *data), start = {3, 5}, want = start, got;
        test_random_fill(GPU_UINT, data, 2 * n, k);
        for (size_t i = 0; i < n; i++) want = data[i].m % 3 ? then(want, data[i]) : want;
        gpu_array *a = gpu_array_from(g, GPU_TYPE(line), data, n);
        test_ok(gpu_fold(gpu_filter(a, "x.m % 3"), &start, then, &got));
        test_same("filtered and composed", GPU_TYPE(line), 1, &got, &want);
        gpu_array_free(a);
        free(data);
    }
    test_close(g);
}

static void reduce_nothing(const gpu_array *x, bool at_once)
{
    int v = 77, one = 77, folded = 77;
    size_t at = 77;
    test_fails(GPU_E_EMPTY, gpu_min(fresh(x, 0, at_once), &v));
    test_fails(GPU_E_EMPTY, gpu_argmax(fresh(x, 0, at_once), &at));
    test_fails(GPU_E_EMPTY, gpu_reduce(fresh(x, 0, at_once), "b", &v));
    test_fails(GPU_E_EMPTY, gpu_reduce_all(fresh(x, 0, at_once), "a + b", &one, "a", &v, "b", &v));
    test_fails(GPU_E_EMPTY, gpu_read(gpu_reduced(fresh(x, 0, at_once), "b"), &v));
    test_fails(GPU_E_EMPTY, gpu_read(gpu_map(gpu_reduced(fresh(x, 0, at_once), "b"), "x + 1"), &v));
    cr_assert(v == 77 && one == 77 && at == 77, "an output was written: %d %d %zu", v, one, at);
    test_ok(gpu_reduce(fresh(x, 0, at_once), "a * b", &one));
    test_ok(gpu_fold(fresh(x, 0, at_once), &(int){-3}, "b", &folded));
    test_ok(gpu_index_if(fresh(x, 0, at_once), "1", &at));
    cr_assert(one == 1 && folded == -3 && at == GPU_NOT_FOUND, "%d %d %zu", one, folded, at);
}

Test(filter, what_is_made_of_an_empty_one_is_empty) /* F01, F06 */
{
    gpu *g = test_open();
    float f[1000];
    for (int i = 0; i < 1000; i++) f[i] = (float)i / 1000;
    gpu_array *none = gpu_filter(gpu_array_of(g, f, 1000), "x > 2"),
              *empty = gpu_filter(gpu_slice(none, 0, 0), "x > 2");
    test_holds("none of 1000", none, GPU_FLOAT, 0, f);
    test_holds("none of none", empty, GPU_FLOAT, 0, f);
    test_holds("mapped", gpu_map(none, "x * i"), GPU_FLOAT, 0, f);
    test_holds("joined", gpu_map2(none, empty, "x * y"), GPU_FLOAT, 0, f);
    test_holds("filtered", gpu_filter(none, "x > 2"), GPU_FLOAT, 0, f);
    test_holds("unique", gpu_unique(none), GPU_FLOAT, 0, f);
    test_holds("found", gpu_find(none, &(float){0}), GPU_ULONG, 0, f);
    test_close(g);
}

/* The device alone knows that there is nothing. The counters of other selections are used again. */
Test(filter, of_an_empty_one_has_no_length_of_others)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 5000));
    gpu_scope *scope = gpu_scope_begin(g);
    for (int k = 0; k < 4; k++) gpu_eval(gpu_filter(x, "x >= 0"));
    gpu_scope_end(scope);
    gpu_array *none = gpu_eval(gpu_filter(x, "x < 0")), *of_none = gpu_eval(gpu_filter(none, "x >= 0"));
    test_holds("of none", of_none, GPU_INT, 0, NULL);
    test_close(g);
}

Test(filter, a_reduction_of_an_empty_one_needs_a_neutral_element)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 1000);
    reduce_nothing(x, false);
    reduce_nothing(x, true);
    reduce_nothing(gpu_slice(x, 0, 0), false);
    test_close(g);
}

Test(filter, a_read_into_too_little_room_fails)
{
    gpu *g = test_open();
    int out[10], want[] = {0, 2, 4, 6, 8};
    memset(out, 0x5a, sizeof out);
    size_t n = 77;
    float f = 77;
    gpu_array *kept = gpu_filter(gpu_range(g, GPU_INT, 10), "x % 2 == 0");
    test_fails(GPU_E_RANGE, gpu_read_n(kept, out, 4, &n));
    test_fails(GPU_E_RANGE, gpu_read_n(kept, out, 0, &n));
    test_fails(GPU_E_TYPE, gpu_read(kept, &f));
    cr_assert(n == 77 && f == 77 && out[0] == 0x5a5a5a5a, "an output was written: %zu %x", n, (unsigned)out[0]);
    test_ok(gpu_read_n(kept, out, 10, &n));
    test_same("with room to spare", GPU_INT, 5, out, want);
    cr_assert(n == 5 && out[5] == 0x5a5a5a5a, "%zu elements, %x after them", n, (unsigned)out[5]);
    test_holds("just enough room", kept, GPU_INT, 5, want);
    test_close(g);
}

Test(filter, slices_of_it_hold_their_elements)
{
    gpu *g = test_open();
    size_t n = test_limit(70001), m = n / 2, third = m / 3;
    uint64_t *want = test_alloc(n, sizeof *want), sum = 77;
    for (size_t i = 0; i < m; i++) want[i] = 2 * i + 1;
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_ULONG, n), "x & 1");
    test_holds("the middle", gpu_slice(odd, third, third), GPU_ULONG, third, want + third);
    test_holds("all", gpu_slice(gpu_filter(gpu_range(g, GPU_ULONG, n), "x & 1"), 0, m), GPU_ULONG, m, want);
    test_holds("none", gpu_slice(odd, m, 0), GPU_ULONG, 0, want);
    test_holds("a slice of a slice", gpu_slice(gpu_slice(odd, third, third), 5, 7), GPU_ULONG, 7, want + third + 5);
    test_ok(gpu_reduce(gpu_map(gpu_slice(odd, 3, 2), "x * 10 + i"), "a + b", &sum));
    cr_assert_eq(sum, 70 + 91, "%d", (int)sum);
    free(want);
    test_close(g);
}

Test(filter, slices_beyond_its_end_fail_when_they_are_needed)
{
    gpu *g = test_open();
    size_t n = test_limit(70001), m = n / 2;
    uint64_t *out = test_alloc(n, sizeof *out), first = 77;
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_ULONG, n), "x & 1");
    size_t beyond[][2] = {{m, 1}, {0, m + 1}, {m + 1, 0}, {SIZE_MAX, 2}, {2, SIZE_MAX}};
    for (size_t k = 0; k < COUNT_OF(beyond); k++) {
        gpu_array *slice = gpu_slice(odd, beyond[k][0], beyond[k][1]);
        test_fails(GPU_E_RANGE, gpu_read(slice, out));
        test_fails(GPU_E_RANGE, gpu_reduce(gpu_slice(odd, beyond[k][0], beyond[k][1]), "a + b", &first));
    }
    cr_assert(first == 77 && out[0] == 0, "an output was written");
    free(out);
    test_close(g);
}

Test(filter, is_captured_by_maps_and_filters)
{
    gpu *g = test_open();
    int sum = 77, m = 3, want[] = {13, 14, 18, 13, 14, 18};
    gpu_array *x = gpu_range(g, GPU_INT, 10), *ones = gpu_fill(g, GPU_INT, &(int){10}, 6);
    gpu_array *kept = gpu_filter(x, "x == 3 || x == 4 || x == 8"), *twice = gpu_map(kept, "x * 2");
    test_holds("in a map", gpu_map(ones, "x + kept[i % m]", GPU_ARG(kept), GPU_ARG(m)), GPU_INT, 6, want);
    test_holds("in a filter", gpu_filter(x, "x == kept[0] || x == kept[2] / 2 || x == kept[2]", GPU_ARG(kept)), GPU_INT,
               3, (int[]){3, 4, 8});
    test_ok(gpu_reduce(gpu_map(kept, "x * twice[i]", GPU_ARG(twice)), "a + b", &sum));
    cr_assert_eq(sum, 2 * (9 + 16 + 64), "%d", sum);
    test_close(g);
}

Test(filter, outlives_what_it_was_made_of)
{
    gpu *g = test_open();
    int data[] = {5, 60, 7, 80, 9}, want[] = {10, 14, 18};
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = gpu_array_of(g, data, 5), *kept = kept_of(x, 50);
    gpu_array *doubled = gpu_keep(gpu_map(kept, "x * 2")), *rest, *prefix;
    test_ok(gpu_span(x, "x < 80", &prefix, &rest));
    gpu_keep(rest);
    gpu_array_free(x);
    gpu_array_free(kept);
    data[0] = 1;
    gpu_scope_end(scope);
    test_holds("kept in the outer scope", doubled, GPU_INT, 3, want);
    test_holds("a view kept", rest, GPU_INT, 2, data + 3);
    test_close(g);
}
