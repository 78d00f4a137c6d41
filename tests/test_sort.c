/* gpu_sort, gpu_sort_by, gpu_sort_with: every type, algorithm and length; comparators; the defects of other
 * libraries. */
#include "support/orders.h"
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(record, int group; unsigned int rank; unsigned int index; unsigned int more;);
GPU_STRUCT(colour, unsigned char red; unsigned char green; unsigned char blue;);
GPU_STRUCT(wide, unsigned int v[64];);

GPU_FUNCTION(int, ranked, (record p, record q),
             { return p.group % 5 < q.group % 5 || (p.group % 5 == q.group % 5 && p.rank % 3 > q.rank % 3); });
GPU_FUNCTION(int, nearer, (int p, int q, int centre), { return abs(p - centre) < abs(q - centre); });
/* An order of elements: the comparator's text (NULL: the elements' own order), the same in C, the algorithms to try. */
typedef struct ordering {
    gpu_type type;
    const char *less;
    test_before *before;
    unsigned algorithms;
    bool descending;
} ordering;

enum {
    AUTO = 1 << GPU_SORT_AUTO,
    BITONIC = 1 << GPU_SORT_BITONIC,
    MERGE = 1 << GPU_SORT_MERGE,
    RADIX = 1 << GPU_SORT_RADIX
};

static ordering own_order(gpu_type type, unsigned algorithms, bool descending)
{
    return (ordering){type, NULL, descending ? test_descending : test_ascending, algorithms, descending};
}

/* One text for both sides. */
#define COMPARATOR(name, T, ...)                                                                                       \
    static const char name##_text[] = #__VA_ARGS__;                                                                    \
    static bool name(gpu_type type, const void *p, const void *q)                                                      \
    {                                                                                                                  \
        T a, b;                                                                                                        \
        memcpy(&a, p, type->size);                                                                                     \
        memcpy(&b, q, type->size);                                                                                     \
        return __VA_ARGS__;                                                                                            \
    }
COMPARATOR(smaller, int, a < b)
COMPARATOR(by_size, float, fabs(a) < fabs(b))
COMPARATOR(by_last_digit, uint64_t, a % 10 > b % 10)
COMPARATOR(by_parity, unsigned char, (a & 1) < (b & 1))
COMPARATOR(by_x_then_w, gpu_float4, a.x < b.x || (a.x == b.x && a.w < b.w))
COMPARATOR(by_z, gpu_float3, a.z > b.z)
COMPARATOR(by_rank, record, ranked(a, b))
COMPARATOR(by_red, colour, a.red % 4 < b.red % 4)
COMPARATOR(by_ends, wide, a.v[63] % 16 < b.v[63] % 16 || (a.v[63] % 16 == b.v[63] % 16 && a.v[0] % 4 < b.v[0] % 4))

/* The same for the same elements, whatever their order. */
static uint64_t fingerprint(gpu_type type, const unsigned char *data, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = 0;
        for (size_t k = 0; k < type->size; k++) hash = hash * 257 + data[i * type->size + k];
        sum += test_random(&hash);
    }
    return sum;
}

static void reordered(gpu_type type, const void *data, size_t n, test_before *before, void *out)
{
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(type, data, n, before, order);
    test_gather(type, data, order, n, out);
    free(order);
}

/* `a` must have the elements of `data`, whatever their order. */
static void holds_all_of(const char *what, const gpu_array *a, gpu_type type, size_t n, const void *data)
{
    size_t read = 77;
    void *got = test_alloc(n, type->size);
    test_ok(gpu_read_n(a, got, n, &read));
    cr_assert_eq(read, n, "%s: %zu elements, wanted %zu", what, read, n);
    cr_assert_eq(fingerprint(type, got, n), fingerprint(type, data, n), "%s: other elements than before", what);
    free(got);
}

static void is_in_order(const char *what, const gpu_array *a, const ordering *o, size_t n)
{
    char *got = test_alloc(n, o->type->size);
    test_ok(gpu_read(a, (void *)got));
    for (size_t i = 1; i < n; i++) {
        const char *at = got + i * o->type->size;
        cr_assert(!o->before(o->type, at, at - o->type->size), "%s: element %zu comes before the one in front of it",
                  what, i);
    }
    free(got);
}

/* `want`: in order, and stable. */
static void check_sort(gpu *g, const ordering *o, gpu_sort_algorithm algorithm, const void *data, size_t n,
                       const void *want)
{
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_sort_options options = {algorithm, o->descending};
    char what[160];
    snprintf(what, sizeof what, "%zu of type %s by \"%s\", algorithm %d%s", n, o->type->name, o->less ? o->less : "",
             (int)algorithm, o->descending ? ", descending" : "");
    gpu_array *a = gpu_array_from(g, o->type, data, n), *sorted = gpu_sort_with(a, &options, o->less);
    if (algorithm == GPU_SORT_BITONIC) {
        holds_all_of(what, sorted, o->type, n, data);
        is_in_order(what, sorted, o, n);
    } else {
        test_holds(what, sorted, test_bits(o->type), n, want);
    }
    cr_assert(gpu_type_equal(gpu_type_of(sorted), o->type), "%s: the result has another type", what);
    test_holds("the input of a sort", a, test_bits(o->type), n, data);
    gpu_scope_end(scope);
}

static void check_algorithms(gpu *g, const ordering *o, const void *data, size_t n)
{
    void *want = test_alloc(n, o->type->size);
    reordered(o->type, data, n, o->before, want);
    for (unsigned k = GPU_SORT_AUTO; k <= GPU_SORT_RADIX; k++) {
        if (o->algorithms >> k & 1) check_sort(g, o, k, data, n, want);
    }
    free(want);
}

/* Long arrays of random bits and of one other pattern, short ones of all. */
static void check_patterns(gpu *g, const ordering *o, size_t limit)
{
    for (size_t k = 0; k < test_size_count(limit) && test_sizes[k] <= limit; k++) {
        size_t n = test_sizes[k];
        void *data = test_alloc(n, o->type->size);
        for (unsigned p = 0; p < TEST_PATTERNS; p++) {
            bool wanted = test_full() || (n <= 129 && !test_small()) || p == TEST_BITS || p == k % TEST_PATTERNS;
            if (!wanted) continue;
            test_pattern_fill(p, o->type, data, n, k);
            check_algorithms(g, o, data, n);
        }
        free(data);
    }
}

/* In a short run one direction, and what short arrays take for a few types. */
Test(sort, puts_every_type_into_its_own_order)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        for (unsigned down = 0; down < 2; down++) {
            bool both = test_full() || test_scalars[t] == GPU_INT || test_scalars[t] == GPU_FLOAT;
            ordering o = own_order(test_scalars[t], test_full() || t % 4 == 0 ? AUTO | RADIX : RADIX, down);
            if (both || (t % 2 == 1 && down == t / 2 % 2)) check_patterns(g, &o, 68931);
        }
    }
    test_close(g);
}

/* As gpu_sort_with descending, in every type. */
Test(sort, sort_descending_takes_every_type)
{
    gpu *g = test_open();
    static const size_t sizes[] = {0, 1, 100, 16385};
    for (size_t k = 0; k < TEST_SCALARS * COUNT_OF(sizes); k++) {
        gpu_type type = test_scalars[k / COUNT_OF(sizes)];
        size_t n = sizes[k % COUNT_OF(sizes)];
        if (!test_takes_type(k / COUNT_OF(sizes), 0)) continue;
        void *data = test_alloc(n, type->size), *want = test_alloc(n, type->size);
        test_pattern_fill(TEST_EXTREMES, type, data, n, k);
        reordered(type, data, n, test_descending, want);
        test_holds(type->name, gpu_sort_descending(gpu_array_from(g, type, data, n)), test_bits(type), n, want);
        free(data);
        free(want);
    }
    test_close(g);
}

Test(sort, the_bitonic_and_the_merge_sort_keep_the_own_order)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        bool wanted = test_full() || test_scalars[t] == GPU_FLOAT;
        ordering o = own_order(test_scalars[t], BITONIC | MERGE, test_scalars[t] == GPU_FLOAT);
        if (wanted) check_patterns(g, &o, 68931);
    }
    test_close(g);
}

static const ordering orderings[] = {
    {GPU_INT, smaller_text, smaller, AUTO | BITONIC | MERGE, false},
    {GPU_INT, smaller_text, test_descending, MERGE, true},
    {GPU_FLOAT, by_size_text, by_size, AUTO | BITONIC, false},
    {GPU_TYPE(record), by_rank_text, by_rank, BITONIC | MERGE, false},
    {GPU_TYPE(wide), by_ends_text, by_ends, MERGE, false},
    {GPU_TYPE(colour), by_red_text, by_red, BITONIC, false}, /* from here on in a full run only */
    {GPU_FLOAT3, by_z_text, by_z, MERGE, false},
    {GPU_INT, smaller_text, test_descending, BITONIC, true},
    {GPU_TYPE(wide), by_ends_text, by_ends, BITONIC, false},
    {GPU_TYPE(colour), by_red_text, by_red, MERGE, false},
    {GPU_FLOAT4, by_x_then_w_text, by_x_then_w, BITONIC | MERGE, false},
    {GPU_ULONG, by_last_digit_text, by_last_digit, BITONIC | MERGE, false},
    {GPU_UCHAR, by_parity_text, by_parity, BITONIC | MERGE, false},
};

/* Few different numbers, so that comparators find ties, where the type is floating. */
static void fill_elements(gpu_type type, void *data, size_t n, uint64_t seed)
{
    bool is_floating = type->kind == GPU_KIND_FLOATING;
    test_random_fill(is_floating ? GPU_FLOAT : GPU_UCHAR, data, n * type->size / (is_floating ? 4 : 1), seed);
}

Test(sort, takes_comparators_of_every_type)
{
    gpu *g = test_open();
    for (size_t k = 0; k < (test_full() ? COUNT_OF(orderings) : 5); k++) {
        const ordering *o = &orderings[k];
        size_t limit = o->type->size <= 16 ? 68931 : 10000;
        for (size_t s = 0; s < test_size_count(limit) && test_sizes[s] <= limit; s++) {
            void *data = test_alloc(test_sizes[s], o->type->size);
            fill_elements(o->type, data, test_sizes[s], s);
            check_algorithms(g, o, data, test_sizes[s]);
            free(data);
        }
    }
    test_close(g);
}

static const ordering short_orders[] = {
    {GPU_UINT, NULL, test_ascending, AUTO | RADIX, false},
    {GPU_FLOAT, NULL, test_descending, BITONIC | RADIX, true},
    {GPU_INT, smaller_text, smaller, BITONIC | MERGE, false},
};

Test(sort, takes_every_short_length)
{
    gpu *g = test_open();
    unsigned bits[400];
    test_pattern_fill(TEST_BITS, GPU_UINT, bits, COUNT_OF(bits), 1);
    for (size_t n = 0; n < COUNT_OF(bits); n += test_small() ? 7 : 1) {
        for (size_t k = 0; k < COUNT_OF(short_orders); k++) check_algorithms(g, &short_orders[k], bits, n);
    }
    test_close(g);
}

Test(sort, takes_lengths_around_powers_of_two) /* O01 */
{
    gpu *g = test_open();
    enum { MOST = 16384 + 33 };
    static const int offsets[] = {-33, -32, -31, -1, 1, 31, 32, 33};
    static unsigned bits[MOST];
    test_pattern_fill(TEST_BITS, GPU_UINT, bits, MOST, 2);
    for (size_t power = 64; power <= test_limit(16384); power *= test_small() ? 8 : 2) {
        for (size_t k = 0; k < COUNT_OF(offsets) * COUNT_OF(short_orders); k++) {
            size_t n = power + (size_t)offsets[k % COUNT_OF(offsets)];
            check_algorithms(g, &short_orders[k / COUNT_OF(offsets)], bits, n);
        }
    }
    test_close(g);
}

/* 0 to n - 1, shuffled. Delayed. */
static gpu_array *shuffled(gpu *g, gpu_type type, size_t n)
{
    return gpu_map_to(gpu_range(g, GPU_ULONG, n), type, "x * 7368787 % n", GPU_ARG(n));
}

static void check_shuffled(const gpu_array *x, gpu_sort_algorithm algorithm, const char *less)
{
    gpu_sort_options options = {algorithm, false};
    char what[64];
    snprintf(what, sizeof what, "sorted by algorithm %d", (int)algorithm);
    gpu_array *sorted = gpu_sort_with(x, &options, less);
    test_holds_steps(what, sorted, GPU_INT, gpu_length(x), 0, 1);
    gpu_array_free(sorted);
}

Test(sort, takes_millions_of_elements)
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(16777217); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t n = test_sizes[k];
        gpu_array *x = gpu_eval(shuffled(g, GPU_INT, n));
        if (n > 65000) check_shuffled(x, GPU_SORT_AUTO, NULL);
        if (n > 65000 && n < 4000000) check_shuffled(x, GPU_SORT_AUTO, "a < b");
        if (n > 65000 && n < 1000000) check_shuffled(x, GPU_SORT_BITONIC, "a < b");
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* Every algorithm, with and without a comparator. */
static void check_each(const char *what, const gpu_array *a, size_t n, const int *want)
{
    for (unsigned k = GPU_SORT_AUTO; k <= GPU_SORT_RADIX; k++) {
        gpu_sort_options options = {k, false};
        test_holds(what, gpu_sort_with(a, &options, NULL), GPU_INT, n, want);
        if (k != GPU_SORT_RADIX) test_holds(what, gpu_sort_with(a, &options, "a < b"), GPU_INT, n, want);
    }
}

Test(sort, leaves_nothing_and_one_element_as_they_are) /* O17 */
{
    gpu *g = test_open();
    int five = 5;
    gpu_array *none = gpu_array_from(g, GPU_INT, NULL, 0), *one = gpu_array_of(g, &five, 1);
    check_each("nothing", none, 0, &five);
    check_each("nothing of one", gpu_slice(one, 1, 0), 0, &five);
    check_each("an empty range", gpu_map(gpu_range(g, GPU_INT, 0), "x + 1"), 0, &five);
    check_each("one", one, 1, &five);
    record r = {1, 2, 3, 4};
    test_holds("a struct", gpu_sort_by(gpu_array_from(g, GPU_TYPE(record), &r, 1), ranked), GPU_TYPE(record), 1, &r);
    test_close(g);
}

Test(sort, begins_at_any_offset_of_a_slice) /* O15 */
{
    gpu *g = test_open();
    static unsigned char bytes[3000], want[3000];
    test_pattern_fill(TEST_BITS, GPU_UCHAR, bytes, sizeof bytes, 3);
    gpu_array *a = gpu_array_of(g, bytes, sizeof bytes);
    for (size_t first = 0; first < 20; first++) {
        for (size_t n = 1; n < sizeof bytes - first; n = n * 3 + first) {
            gpu_sort_options options = {n % 2 ? GPU_SORT_MERGE : GPU_SORT_RADIX, false};
            reordered(GPU_UCHAR, bytes + first, n, test_ascending, want);
            gpu_array *sorted = gpu_sort_with(gpu_slice(a, first, n), &options, NULL);
            test_holds("a slice", sorted, GPU_UCHAR, n, want);
            test_holds("a slice of it", gpu_slice(sorted, n / 2, n - n / 2), GPU_UCHAR, n - n / 2, want + n / 2);
        }
    }
    test_holds("the whole", a, GPU_UCHAR, sizeof bytes, bytes);
    test_close(g);
}

Test(sort, leaves_its_input_as_it_is)
{
    gpu *g = test_open();
    size_t n = test_limit(41000);
    gpu_array *down = gpu_eval(gpu_reverse(gpu_range(g, GPU_INT, n))), *sorted[4];
    for (unsigned k = GPU_SORT_AUTO; k <= GPU_SORT_RADIX; k++) {
        gpu_sort_options options = {k, false};
        sorted[k] = gpu_sort_with(down, &options, NULL);
    }
    gpu_array *again = gpu_sort(sorted[GPU_SORT_MERGE]);
    test_holds_steps("the input", down, GPU_INT, n, (int64_t)n - 1, -1);
    gpu_array_free(down);
    for (unsigned k = GPU_SORT_AUTO; k <= GPU_SORT_RADIX; k++)
        test_holds_steps("the sort of a freed array", sorted[k], GPU_INT, n, 0, 1);
    test_holds_steps("the sort of a sorted array", again, GPU_INT, n, 0, 1);
    test_close(g);
}

Test(sort, takes_a_function_as_its_comparator)
{
    gpu *g = test_open();
    enum { N = 5000 };
    static record data[N], ranks[N];
    fill_elements(GPU_TYPE(record), data, N, 4);
    reordered(GPU_TYPE(record), data, N, by_rank, ranks);
    gpu_array *records = gpu_array_from(g, GPU_TYPE(record), data, N);
    test_holds("by a function", gpu_sort_by(records, ranked), GPU_TYPE(record), N, ranks);
    test_close(g);
}

Test(sort, its_comparator_reads_captured_values)
{
    gpu *g = test_open();
    enum { N = 5000 };
    int centre = N;
    gpu_array *x = gpu_eval(shuffled(g, GPU_INT, N)), *sorted = gpu_sort_by(x, nearer, GPU_ARG(centre));
    centre = 0; /* values are bound when the call is made */
    test_holds_steps("by a function with a capture", sorted, GPU_INT, N, N - 1, -1);
    sorted = gpu_sort_with(x, (&(gpu_sort_options){GPU_SORT_MERGE, true}), nearer, GPU_ARG(centre));
    test_holds_steps("descending by a function with a capture", sorted, GPU_INT, N, N - 1, -1);
    gpu_array *table = gpu_map(gpu_range(g, GPU_INT, N), "3 * x");
    sorted = gpu_sort_by(x, "table[a] < table[b]", GPU_ARG(table));
    test_holds_steps("by a captured array", sorted, GPU_INT, N, 0, 1);
    test_close(g);
}

Test(sort, takes_the_own_order_without_options_or_a_comparator)
{
    gpu *g = test_open();
    enum { N = 5000 };
    gpu_array *x = gpu_eval(shuffled(g, GPU_INT, N));
    test_holds_steps("no options", gpu_sort_with(x, NULL, "a < b"), GPU_INT, N, 0, 1);
    test_holds_steps("neither options nor a comparator", gpu_sort_with(x, NULL, NULL), GPU_INT, N, 0, 1);
    test_holds_steps("no text", gpu_sort_by(x, (const char *)NULL), GPU_INT, N, 0, 1);
    test_holds_steps("no place", gpu_sort_op(x, NULL, NULL, NULL), GPU_INT, N, 0, 1);
    test_close(g);
}

/* Any order will do, but nothing may be lost. */
Test(sort, loses_no_element_to_a_comparator_that_is_no_order)
{
    gpu *g = test_open();
    static const size_t lengths[] = {1, 2, 3, 31, 32, 33, 64, 100, 257, 1000, 1025, 4097, 6145, 16384, 20000};
    for (size_t k = 0; k < COUNT_OF(lengths) && lengths[k] <= test_limit(20000); k++) {
        size_t n = lengths[k];
        int *data = test_alloc(n, sizeof *data);
        test_pattern_fill(TEST_BITS, GPU_INT, data, n, k);
        for (size_t i = 0; i < n; i++) data[i] %= 1000;
        for (int kind = 0; kind < 6; kind++) {
            gpu_scope *scope = gpu_scope_begin(g);
            gpu_array *a = gpu_array_of(g, data, n);
            gpu_sort_options merge = {GPU_SORT_MERGE, kind == 5}, bitonic = {GPU_SORT_BITONIC, kind == 5};
            char what[64];
            snprintf(what, sizeof what, "comparator %d on %zu elements", kind, n);
            holds_all_of(what, gpu_sort_with(a, &merge, of_kind, GPU_ARG(kind)), GPU_INT, n, data);
            holds_all_of(what, gpu_sort_with(a, &bitonic, of_kind, GPU_ARG(kind)), GPU_INT, n, data);
            gpu_scope_end(scope);
        }
        free(data);
    }
    test_close(g);
}

Test(sort, loses_no_element_to_a_comparator_unaware_of_nan)
{
    gpu *g = test_open();
    static const char *const texts[] = {"a < b", "1", "0", "!(a >= b)"};
    for (size_t k = 0; k < test_size_count(16385) && test_sizes[k] <= 16385; k++) {
        size_t n = test_sizes[k];
        double *data = test_alloc(n, sizeof *data);
        test_pattern_fill(TEST_EXTREMES, GPU_DOUBLE, data, n, k);
        gpu_array *a = gpu_array_of(g, data, n);
        for (unsigned t = 0; t < (test_full() ? COUNT_OF(texts) : 2); t++) {
            gpu_sort_options options = {t % 2 ? GPU_SORT_BITONIC : GPU_SORT_MERGE, false};
            holds_all_of(texts[t], gpu_sort_with(a, &options, texts[t]), GPU_DOUBLE, n, data);
        }
        gpu_array_free(a);
        free(data);
    }
    test_close(g);
}

static void check_filtered(gpu *g, size_t n, size_t kept, int least, unsigned algorithm, const char *less)
{
    char what[80];
    snprintf(what, sizeof what, "%zu of %zu elements, algorithm %u", kept, n, algorithm);
    gpu_sort_options options = {algorithm, false};
    gpu_stats before = test_stats(g);
    gpu_array *some = gpu_filter(shuffled(g, GPU_INT, n), "x >= least", GPU_ARG(least));
    gpu_array *sorted = gpu_eval(gpu_map(gpu_sort_with(some, &options, less), "x * 2"));
    gpu_stats after = test_stats(g);
    test_holds_steps(what, sorted, GPU_INT, kept, 2 * (int64_t)least, 2);
    bool warm = after.programs_built == before.programs_built && after.programs_loaded == before.programs_loaded;
    bool counted = warm && !test_on_host() && !test_eager() && !test_tiny();
    if (counted) cr_assert_eq(after.waits, before.waits, "a sort waits");
}

Test(sort, takes_a_length_that_only_the_device_knows)
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(68931) && test_sizes[k] <= 68931; k++) {
        size_t n = test_sizes[k];
        for (unsigned algorithm = GPU_SORT_AUTO; algorithm <= GPU_SORT_RADIX; algorithm++) {
            gpu_scope *scope = gpu_scope_begin(g);
            const char *less = algorithm == GPU_SORT_BITONIC ? "a < b" : NULL;
            check_filtered(g, n, n - n / 3, (int)(n / 3), algorithm, less);
            check_filtered(g, n, n, 0, algorithm, less);
            check_filtered(g, n, 1, (int)n - 1, algorithm, less);
            check_filtered(g, n, 0, (int)n, algorithm, less);
            gpu_scope_end(scope);
        }
    }
    test_close(g);
}

Test(sort, waits_for_nothing_and_builds_nothing_twice)
{
    gpu *g = test_open();
    const size_t n = test_limit(20000);
    gpu_array *x = gpu_eval(shuffled(g, GPU_INT, n)), *sorted[5];
    for (int round = 0; round < 2; round++) { /* the first one builds */
        gpu_stats before = test_stats(g);
        for (unsigned k = GPU_SORT_AUTO; k <= GPU_SORT_RADIX; k++) {
            gpu_sort_options options = {k, false};
            sorted[k] = gpu_eval(gpu_sort_with(x, &options, NULL));
        }
        sorted[4] = gpu_eval(gpu_sort_by(x, "a < b"));
        gpu_stats after = test_stats(g);
        for (int k = 0; k < 5; k++) test_holds_steps("sorted", sorted[k], GPU_INT, n, 0, 1);
        if (round == 0) continue;
        if (!test_verifies()) cr_assert_eq(after.waits, before.waits, "a sort waits");
        cr_assert_eq(after.programs_built, before.programs_built, "built again");
    }
    test_close(g);
}

Test(sort, gives_the_same_bits_every_time) /* O07 */
{
    gpu *g = test_open();
    size_t n = test_limit(300007);
    record *first = test_alloc(n, sizeof *first), *again = test_alloc(n, sizeof *again);
    fill_elements(GPU_TYPE(record), first, n, 7);
    gpu_array *x = gpu_array_from(g, GPU_TYPE(record), first, n);
    for (unsigned algorithm = GPU_SORT_BITONIC; algorithm <= GPU_SORT_MERGE; algorithm++) {
        gpu_sort_options options = {algorithm, false};
        test_ok(gpu_read(gpu_sort_with(x, &options, by_rank_text), first));
        for (int round = 0; round < 3; round++) {
            gpu_array *sorted = gpu_sort_with(x, &options, by_rank_text);
            test_ok(gpu_read(sorted, again));
            cr_assert_eq(memcmp(first, again, n * sizeof *first), 0, "algorithm %u has other bits", algorithm);
            gpu_array_free(sorted);
        }
    }
    free(first);
    free(again);
    test_close(g);
}

/* A race shows now and then only. */
Test(sort, equals_plain_c_at_random_lengths_and_offsets) /* O07 */
{
    gpu *g = test_open();
    uint64_t seed = 5;
    size_t most = test_limit(60000);
    unsigned *data = test_alloc(most, sizeof *data);
    test_pattern_fill(TEST_BITS, GPU_UINT, data, most, 6);
    for (int round = 0; round < (test_small() ? 10 : 100); round++) {
        size_t n = 1 + test_random(&seed) % (round % 3 == 0 ? 500 : most), first = test_random(&seed) % (most - n + 1);
        check_algorithms(g, &short_orders[round % 3], data + first, n);
    }
    free(data);
    test_close(g);
}
