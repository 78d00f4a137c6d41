/* gpu_random and its like: known answers, the same bits on device and host, distributions of fixed seeds, and orders
 * that are all equally frequent. */
#include "support/other_unit.h"
#include "support/support.h"

#include "kernel/definition.h"
#include "kernel/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the generator ---- */

/* Those of Random123's kat_vectors. */
Test(random, known_answers)
{
    static const struct {
        gpu_uint4 counter;
        uint32_t key[2];
        gpu_uint4 want;
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t k = 0; k < COUNT_OF(known); k++) {
        const gpu_uint4 got = fp_philox(known[k].counter, known[k].key[0], known[k].key[1]);
        cr_assert(!memcmp(&got, &known[k].want, sizeof got), "answer %zu is %08x %08x %08x %08x", k, got.x, got.y,
                  got.z, got.w);
    }
    const gpu_uint4 one = gpu_philox(0x0123456789abcdef, 0xfedcba9876543210),
                    same = fp_philox((gpu_uint4){0x76543210, 0xfedcba98, 0, 0}, 0x89abcdef, 0x01234567);
    cr_assert(!memcmp(&one, &same, sizeof one), "words of the counter and the key are in another order");
}

/* ---- elements ---- */

/* The shares of a call are a type's elements, from the lowest byte on: as firepile/random.h says. */
static void make_uniform(gpu_type type, size_t n, uint64_t seed, void *out)
{
    for (size_t i = 0; i < n; i++) {
        const size_t share = 16 / type->size;
        const gpu_uint4 words = gpu_philox(seed, i / share);
        uint64_t bits = 0;
        memcpy(&bits, (const char *)&words + i % share * type->size, type->size);
        if (type == GPU_FLOAT) ((float *)out)[i] = (float)(bits >> 8) * 0x1p-24f;
        if (type == GPU_DOUBLE) ((double *)out)[i] = (double)(bits >> 11) * 0x1p-53;
        if (type->kind != GPU_KIND_FLOATING) memcpy((char *)out + i * type->size, &bits, type->size);
    }
}

/* Box and Muller's transform in long double: a second opinion. */
static double normal_of(gpu_type type, uint64_t seed, size_t i)
{
    const gpu_uint4 w = gpu_philox(seed, type == GPU_FLOAT ? i / 4 : i / 2);
    const uint64_t low = (uint64_t)w.y << 32 | w.x, high = (uint64_t)w.w << 32 | w.z;
    const uint64_t pair = i / 2 % 2 ? high : low;
    const long double u = type == GPU_FLOAT ? (long double)((float)(uint32_t)pair * 0x1p-32f + 0x1p-33f)
                                            : (long double)((double)(low >> 11) * 0x1p-53 + 0x1p-54);
    const long double v = type == GPU_FLOAT ? (long double)(pair >> 32) * 0x1p-32L : (long double)high * 0x1p-64L;
    const long double turn = 2 * 3.14159265358979323846264338328L * v, radius = sqrtl(-2 * logl(u));
    return (double)(radius * (i % 2 ? sinl(turn) : cosl(turn)));
}

static const size_t sizes[] = {0, 1, 3, 4, 5, 1000, (1 << 20) + 1};

static size_t count_sizes(void)
{
    const size_t limit = test_limit(sizes[COUNT_OF(sizes) - 1]);
    size_t count = 0;
    while (count < COUNT_OF(sizes) && sizes[count] <= limit) count++;
    return count;
}

/* A part that begins in the middle of a call, and the whole turned around. */
static void check_moved(const char *what, const gpu_array *a, gpu_type type, size_t n, unsigned char *want)
{
    const size_t first = n > 3 ? 3 : n, size = type->size;
    unsigned char *turned = test_alloc(n, size);
    gpu_array *part = gpu_slice(a, first, n - first), *back = gpu_reverse(a);
    for (size_t i = 0; i < n; i++) memcpy(turned + i * size, want + (n - 1 - i) * size, size);
    test_holds(what, part, type, n - first, want + first * size);
    test_holds(what, back, type, n, turned);
    gpu_array_free(part);
    gpu_array_free(back);
    free(turned);
}

static void check_uniform(gpu *g, gpu_type type, size_t n, uint64_t seed)
{
    char what[96];
    unsigned char *want = test_alloc(n, type->size);
    snprintf(what, sizeof what, "gpu_random of %zu %s, seed %#llx", n, type->name, (unsigned long long)seed);
    make_uniform(type, n, seed, want);
    gpu_array *a = gpu_random(g, type, n, seed), *again = gpu_random(g, type, n, seed);
    test_holds(what, a, type, n, want);
    if (n <= 1000) check_moved(what, again, type, n, want);
    gpu_array_free(a);
    gpu_array_free(again);
    free(want);
}

Test(random, uniform_elements_follow_from_place_and_seed)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (size_t k = 0; k < count_sizes() && (test_takes_type(t, 0) || test_takes_type(t, 1)); k++)
            check_uniform(g, test_scalars[t], sizes[k], 7 + k);
    check_uniform(g, GPU_FLOAT, 5, UINT64_C(0xfedcba9876543210));
    test_close(g);
}

/* The conversions' largest words give less than 1. */
Test(random, never_one)
{
    cr_assert((float)(UINT32_MAX >> 8) * 0x1p-24f < 1);
    cr_assert((double)(UINT64_MAX >> 11) * 0x1p-53 < 1);
}

/* Both sides have the same bits where sqrt is rounded correctly. Near 0 the reference's angle is off by 2^-60. */
static void check_normal(gpu *g, gpu *host, gpu_type type, size_t n, uint64_t seed)
{
    char what[96];
    unsigned char *want = test_alloc(n, type->size);
    snprintf(what, sizeof what, "gpu_random_normal of %zu %s", n, type->name);
    gpu_array *a = gpu_random_normal(g, type, n, seed), *again = gpu_random_normal(g, type, n, seed),
              *b = gpu_random_normal(host, type, n, seed);
    test_ok(gpu_read(b, (void *)want));
    test_holds(what, a, type, n, (const void *)want);
    if (n <= 1000) check_moved(what, again, type, n, want);
    const double ulp = type == GPU_FLOAT ? 0x1p-23 : 0x1p-52;
    for (size_t i = 0; i < n && i < 20000; i++) {
        const double x = test_get(type, want, i).f, y = normal_of(type, seed, i);
        cr_assert(fabs(x - y) <= 4 * ulp * fabs(y) + 0x1p-60, "%s: element %zu is %.17g and should be %.17g", what, i,
                  x, y);
    }
    gpu_array_free(a);
    gpu_array_free(again);
    gpu_array_free(b);
    free(want);
}

Test(random, normal_elements_are_the_same_on_the_host)
{
    gpu *g = test_open(), *host = gpu_open("host");
    for (size_t k = 0; k < count_sizes(); k++) {
        check_normal(g, host, GPU_FLOAT, sizes[k], 11 + k);
        if (test_has_double()) check_normal(g, host, GPU_DOUBLE, sizes[k], 11 + k);
    }
    gpu_close(host);
    test_close(g);
}

/* The ends of what the transform is given. */
Test(random, ends_of_what_the_transform_is_given)
{
    cr_assert_float_eq(sqrtf(fp_square_float(0)), 6.76, 0.01);
    cr_assert_float_eq(sqrt(fp_square_double(0)), 8.65, 0.01);
    cr_assert(fp_square_float(UINT32_MAX) == 0 && fp_square_double(UINT64_MAX) >= 0);
    cr_assert(fp_cosine_float(0) == 1 && fp_cosine_float(1u << 31) == -1 && fp_cosine_float(1u << 30) == 0);
    cr_assert(fp_cosine_double(0) == 1 && fp_cosine_double(UINT64_C(1) << 63) == -1);
    cr_assert(fp_cosine_double(UINT64_C(3) << 62) == 0);
}

/* ---- distributions ---- */

/* (chi square - degrees) / deviation */
static double excess(const double *counts, const double *wanted, size_t bins)
{
    double sum = 0;
    for (size_t k = 0; k < bins; k++) sum += (counts[k] - wanted[k]) * (counts[k] - wanted[k]) / wanted[k];
    return (sum - (double)(bins - 1)) / sqrt(2 * (double)(bins - 1));
}

enum { N = 1 << 18, BINS = 256 };

static void check_moments(const char *what, const float *x, double mean, double variance)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++) sum += x[i];
    for (size_t i = 0; i < N; i++) squares += (x[i] - sum / N) * (x[i] - sum / N);
    cr_assert_float_eq(sum / N, mean, 4 * sqrt(variance / N), "%s: the mean is %g", what, sum / N);
    cr_assert_float_eq(squares / N, variance, 0.01 * variance, "%s: the variance is %g", what, squares / N);
}

/* Neighbours are independent: bins of pairs. */
static void check_bins(const char *what, const float *x, double (*share)(double))
{
    double counts[BINS] = {0}, wanted[BINS], pairs[BINS] = {0}, even[BINS];
    for (size_t k = 0; k < BINS; k++) wanted[k] = (double)N / BINS, even[k] = (double)N / 2 / BINS;
    for (size_t i = 0; i < N; i++) counts[(size_t)(share(x[i]) * BINS)]++;
    for (size_t i = 0; i < N; i += 2) pairs[(size_t)(share(x[i]) * 16) * 16 + (size_t)(share(x[i + 1]) * 16)]++;
    cr_assert(fabs(excess(counts, wanted, BINS)) < 4, "%s: chi square is off by %g", what,
              excess(counts, wanted, BINS));
    cr_assert(fabs(excess(pairs, even, BINS)) < 4, "%s: that of pairs by %g", what, excess(pairs, even, BINS));
}

static double as_it_is(double x)
{
    return x;
}

static double below_normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

Test(random, moments_and_bins_are_those_of_the_distribution)
{
    gpu *g = test_open();
    float *x = test_alloc(N, sizeof *x);
    for (uint64_t seed = 0; seed < 5; seed++) {
        test_ok(gpu_read(gpu_random(g, GPU_FLOAT, N, seed), x));
        check_moments("uniform", x, 0.5, 1.0 / 12);
        check_bins("uniform", x, as_it_is);
        test_ok(gpu_read(gpu_random_normal(g, GPU_FLOAT, N, seed), x));
        check_moments("normal", x, 0, 1);
        check_bins("normal", x, below_normal);
    }
    free(x);
    test_close(g);
}

/* ---- orders ---- */

static void check_order(gpu *g, size_t n, uint64_t seed)
{
    uint32_t *order = test_alloc(n, sizeof *order), *part = test_alloc(n, sizeof *part);
    bool *seen = test_alloc(n, sizeof *seen);
    const size_t k = n / 3;
    gpu_array *all = gpu_range(g, GPU_UINT, n), *mixed = gpu_shuffle(all, seed), *some = gpu_sample(all, k, seed);
    cr_assert(gpu_length(mixed) == n && gpu_length(some) == k);
    test_ok(gpu_read(mixed, order));
    test_ok(gpu_read(some, part));
    for (size_t i = 0; i < n; i++) {
        cr_assert(order[i] < n && !seen[order[i]], "%zu elements: there is %u at %zu", n, order[i], i);
        seen[order[i]] = true;
    }
    cr_assert(!memcmp(order, part, k * sizeof *part), "a sample of %zu does not begin the order of %zu", k, n);
    free(order);
    free(part);
    free(seen);
}

/* On the host the order is that of the device. */
static void compare_order(gpu *g, size_t n)
{
    gpu *host = gpu_open("host");
    uint32_t *want = test_alloc(n, sizeof *want);
    test_ok(gpu_read(gpu_shuffle(gpu_range(host, GPU_UINT, n), 5), want));
    test_holds("an order", gpu_shuffle(gpu_range(g, GPU_UINT, n), 5), GPU_UINT, n, want);
    free(want);
    gpu_close(host);
}

Test(random, shuffle_keeps_each_element_once)
{
    gpu *g = test_open();
    for (size_t n = 0; n < 70; n += n < 10 ? 1 : 9) check_order(g, n, n);
    check_order(g, test_limit(100000), 1);
    compare_order(g, test_limit(100000));
    gpu_float4 points[3] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, got[3];
    test_ok(gpu_read(gpu_shuffle(gpu_array_of(g, points, 3), 1), got));
    cr_assert_eq(got[0].x + got[1].x + got[2].x, 15);
    test_close(g);
}

/* Only the device knows how many elements a filter leaves. */
Test(random, shuffle_of_a_filter)
{
    gpu *g = test_open();
    int sum = 0, some = 0;
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_INT, 1000), "x % 2 == 1");
    test_ok(gpu_reduce(gpu_shuffle(odd, 3), "a + b", &sum));
    cr_assert_eq(sum, 250000);
    test_ok(gpu_reduce(gpu_sample(odd, 500, 4), "a + b", &some));
    cr_assert_eq(some, 250000);
    test_array_fails(GPU_E_ARGUMENT, gpu_sample(odd, 501, 4));
    test_close(g);
}

/* The number of an order of n elements among all n! of them. */
static size_t rank_order(const uint64_t *order, size_t n)
{
    size_t rank = 0;
    for (size_t k = 0; k < n; k++) {
        size_t less = 0;
        for (size_t j = k + 1; j < n; j++) less += order[j] < order[k];
        rank = rank * (n - k) + less;
    }
    return rank;
}

Test(random, all_orders_are_equally_frequent)
{
    enum { SEEDS = 60000, MOST = 5, ORDERS = 120 };
    for (size_t n = 2, orders = 2; n <= MOST; n++, orders *= n) {
        double counts[ORDERS] = {0}, wanted[ORDERS];
        uint64_t order[MOST];
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const uint64_t key = fp_random_bits(seed, 0, sizeof key);
            for (size_t k = 0; k < n; k++) order[k] = fp_shuffled(key, k, n, FP_LEAST_SHUFFLED);
            counts[rank_order(order, n)]++;
        }
        for (size_t k = 0; k < orders; k++) wanted[k] = (double)SEEDS / (double)orders;
        cr_assert(fabs(excess(counts, wanted, orders)) < 4, "%zu elements: chi square is off by %g", n,
                  excess(counts, wanted, orders));
    }
}

/* ---- in operators ---- */

GPU_FUNCTION(uint32_t, third_word, (uint64_t x, uint64_t i), { return gpu_philox(x, i + 1).z; });

Test(random, in_functions)
{
    gpu *g = test_open();
    uint32_t words[3];
    gpu_uint4 calls[3];
    const uint64_t seed = 9;
    gpu_array *seeds = gpu_fill(g, GPU_ULONG, &seed, 3);
    test_ok(gpu_read(gpu_map_to(seeds, GPU_UINT, third_word), words));
    test_ok(gpu_read(gpu_map_to(seeds, GPU_UINT4, gpu_philox), calls));
    for (uint64_t i = 0; i < 3; i++) {
        const gpu_uint4 want = gpu_philox(seed, i);
        cr_assert_eq(words[i], gpu_philox(seed, i + 1).z);
        cr_assert(!memcmp(&calls[i], &want, sizeof want));
    }
    test_close(g);
}

Test(random, in_texts)
{
    gpu *g = test_open();
    uint32_t words[1000];
    const uint64_t seed = UINT64_C(0x123456789abcdef);
    gpu_array *x = gpu_fill(g, GPU_UINT, &(uint32_t){0}, 1000);
    test_ok(gpu_read(gpu_map(x, "gpu_philox(seed, i << 30).w", GPU_ARG(seed)), words));
    for (uint64_t i = 0; i < 1000; i++) cr_assert_eq(words[i], gpu_philox(seed, i << 30).w);
    test_close(g);
}

/* Two C files that include firepile/random.h mean one definition: the library's. */
Test(random, is_defined_once)
{
    const void *unit;
    const gpu_definition *here, *there;
    cr_assert(other_unit_philox_address(&unit) == __extension__(const void *) gpu_philox && unit != &gpu_unit_);
    test_ok(fp_definition_find("gpu_philox", 10, &gpu_unit_, &here));
    test_ok(fp_definition_find("gpu_philox", 10, unit, &there));
    cr_assert(here && here == there && here == fp_definition_at(__extension__(const void *) gpu_philox));
    gpu *g = test_open();
    const uint64_t seed = 4;
    const gpu_uint4 want = gpu_philox(seed, 0);
    test_holds("of another file", other_unit_philox(gpu_fill(g, GPU_ULONG, &seed, 1)), GPU_UINT4, 1, &want);
    test_close(g);
}

/* ---- fused, and compiled ---- */

/* One kernel, and no element of the array in memory. */
Test(random, is_fused)
{
    test_needs_opencl();
    gpu *g = test_open();
    float sum;
    gpu_array *x = gpu_random(g, GPU_FLOAT, 5000, 1), *y = gpu_random_normal(g, GPU_FLOAT, 5000, 2);
    const gpu_stats before = test_stats(g);
    test_ok(gpu_reduce(gpu_map2(x, y, "x * y"), "a + b", &sum));
    const gpu_stats after = test_stats(g);
    if (!test_eager() && !test_tiny()) cr_assert_eq(after.kernels_launched, before.kernels_launched + 1);
    test_close(g);
}

typedef gpu_status mix_function(gpu_array **out, const gpu_array *x);

Test(random, shuffles_and_samples_are_steps_of_compiled_functions)
{
    gpu *g = test_open();
    mix_function *mix, *some;
    gpu_array *x = gpu_symbol(g, GPU_INT), *out;
    test_ok(gpu_compile(&mix, gpu_shuffle(x, 8), x));
    test_ok(gpu_compile(&some, gpu_sample(x, 4, 8), x));
    for (int n = 3; n < 2000; n *= 5) {
        int *want = test_alloc((size_t)n, sizeof *want);
        gpu_array *all = gpu_range(g, GPU_INT, (size_t)n);
        test_ok(gpu_read(gpu_shuffle(all, 8), want));
        test_ok(mix(&out, all));
        test_holds("a compiled order", out, GPU_INT, (size_t)n, want);
        test_status_at(__FILE__, __LINE__, "some", n < 4 ? GPU_E_ARGUMENT : GPU_OK, some(&out, all));
        if (n >= 4) test_holds("a compiled sample", out, GPU_INT, 4, want);
        free(want);
    }
    test_close(g);
}

/* ---- errors ---- */

Test(random, wrong_arguments_are_refused)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 5);
    test_array_fails(GPU_E_TYPE, gpu_random(g, GPU_FLOAT2, 5, 1));
    test_has(gpu_error(), "gpu_random: random elements are integers or floating numbers, and float2 is neither");
    test_array_fails(GPU_E_TYPE, gpu_random_normal(g, GPU_INT, 5, 1));
    test_has(gpu_error(), "floats or doubles, and int is neither");
    test_array_fails(GPU_E_ARGUMENT, gpu_sample(x, 6, 1));
    test_has(gpu_error(), "gpu_sample: a sample of 6 elements without replacement needs as many: the array has 5");
    test_array_ok(gpu_sample(x, 5, 1));
    test_array_ok(gpu_sample(x, 0, 1));
    test_array_fails(GPU_E_ARGUMENT, gpu_random(g, NULL, 5, 1));
    test_array_fails(GPU_E_ARGUMENT, gpu_random(NULL, GPU_INT, 5, 1));
    test_array_fails(GPU_E_ARGUMENT, gpu_shuffle(NULL, 1));
    test_array_fails(GPU_E_ARGUMENT, gpu_sample(NULL, 1, 1));
    test_close(g);
}
