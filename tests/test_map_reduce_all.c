/* gpu_map_reduce_all. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(steps, unsigned int scale; unsigned int shift;);
GPU_FUNCTION(steps, step_of, (unsigned int x), {
    steps s = {x | 1, x};
    return s;
});
GPU_FUNCTION(steps, then, (steps p, steps q), {
    steps r = {p.scale * q.scale, p.shift * q.scale + q.shift};
    return r;
});
GPU_FUNCTION(int64_t, weigh, (int x, size_t i, int weight), { return (int64_t)x * weight + (int64_t)(i % 3); });
GPU_FUNCTION(int64_t, larger, (int64_t p, int64_t q), { return p > q ? p : q; });

enum { MAPS = 6 };

static const size_t lengths[] = {0, 1, 1024, 1025, 100000};

/* ---- types ---- */

static const char *const texts[MAPS] = {"x", "x + 1", "x * x", "x > 4", "i % 7", "x + 2 * x"};

static int64_t map_of(size_t which, int64_t x, size_t i)
{
    const int64_t values[MAPS] = {x, x + 1, x * x, x > 4, (int64_t)(i % 7), 3 * x};
    return values[which];
}

/* Sums of small whole numbers, which are exact in every type that they fit into. */
static void sum_all(const gpu_array *a, gpu_type type, const unsigned char *data, size_t n, size_t first)
{
    uint64_t got[MAPS] = {0}, want[MAPS] = {0};
    gpu_map_reduction list[MAPS];
    const gpu_place *place = GPU_HERE;
    for (size_t k = 0; k < MAPS; k++) {
        gpu_type out = test_scalars[(first + k) % TEST_SCALARS];
        list[k] = (gpu_map_reduction){.map = {.snippet = texts[k], .place = place},
                                      .op = {.snippet = "a + b", .place = place},
                                      .out = {&got[k], out, out->size}};
        int64_t sum = 0;
        for (size_t i = 0; i < n; i++) sum += map_of(k, data[i], i);
        test_put(out, &want[k], 0, test_whole(out, sum));
    }
    test_ok(gpu_map_reduce_all_op(a, list, MAPS));
    for (size_t k = 0; k < MAPS; k++) {
        char what[128];
        snprintf(what, sizeof what, "\"%s\" of %zu elements of type %s", texts[k], n, type->name);
        test_same(what, list[k].out.type, 1, &got[k], &want[k]);
    }
}

static unsigned char *small_numbers(size_t n)
{
    unsigned char *data = test_alloc(n, 1);
    uint64_t seed = 7;
    for (size_t i = 0; i < n; i++) data[i] = (unsigned char)(test_random(&seed) % 11);
    return data;
}

Test(map_reduce_all, elements_and_outputs_of_every_scalar_type)
{
    gpu *g = test_open();
    const size_t most = lengths[COUNT_OF(lengths) - 1];
    unsigned char *data = small_numbers(most);
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        const gpu_type type = test_scalars[t];
        if (!test_takes_type(t, 0)) continue;
        unsigned char *elements = test_alloc(most, type->size);
        for (size_t i = 0; i < most; i++) test_put(type, elements, i, test_whole(type, data[i]));
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            if (lengths[k] > test_limit(most)) continue;
            gpu_array *a = gpu_array_from(g, type, elements, lengths[k]);
            sum_all(a, type, data, lengths[k], t);
            sum_all(a, type, data, lengths[k], t + MAPS);
        }
        free(elements);
    }
    free(data);
    test_close(g);
}

/* ---- forms ---- */

static void from_one_to_six(gpu *g, size_t n)
{
    int *data = test_alloc(n, sizeof *data), k = 3;
    int64_t sum = 0, scaled = 0, places = 0;
    int last = 0, most = INT32_MIN;
    unsigned any = 0;
    for (size_t i = 0; i < n; i++) {
        data[i] = (int)(i * 7919 % 1000) - 500;
        sum += data[i];
        scaled += (int64_t)data[i] * k;
        places += (int64_t)i;
        last = data[i];
        most = data[i] > most ? data[i] : most;
        any |= (unsigned)data[i];
    }
    gpu_array *a = gpu_array_of(g, data, n);
    for (size_t triples = 1; triples <= MAPS; triples++) {
        int64_t s = -1, c = -1, p = -1;
        int l = -1, m = -1;
        unsigned o = 1;
        const gpu_status status =
            triples == 1   ? gpu_map_reduce_all(a, "x", "a + b", &s)
            : triples == 2 ? gpu_map_reduce_all(a, "x", "a + b", &s, "x * k", "a + b", &c, GPU_ARG(k))
            : triples == 3 ? gpu_map_reduce_all(a, "x", "a + b", &s, "x * k", "a + b", &c, "i", "a + b", &p, GPU_ARG(k))
            : triples == 4 ? gpu_map_reduce_all(a, "x", "a + b", &s, "x * k", "a + b", &c, "i", "a + b", &p, "x",
                                                "a | b", &o, GPU_ARG(k))
            : triples == 5 ? gpu_map_reduce_all(a, "x", "a + b", &s, "x * k", "a + b", &c, "i", "a + b", &p, "x",
                                                "a | b", &o, "x", "b", &l, GPU_ARG(k))
                           : gpu_map_reduce_all(a, "x", "a + b", &s, "x * k", "a + b", &c, "i", "a + b", &p, "x",
                                                "a | b", &o, "x", "b", &l, "x", "max(a, b)", &m, GPU_ARG(k));
        const bool lacks = !n && triples > 4;
        test_status_at(__FILE__, __LINE__, "from_one_to_six", lacks ? GPU_E_EMPTY : GPU_OK, status);
        cr_assert_eq(s, lacks ? -1 : sum, "%zu of %zu: %lld", triples, n, (long long)s);
        cr_assert_eq(c, lacks || triples < 2 ? -1 : scaled, "%zu of %zu: %lld", triples, n, (long long)c);
        cr_assert_eq(p, lacks || triples < 3 ? -1 : places, "%zu of %zu: %lld", triples, n, (long long)p);
        cr_assert_eq(o, lacks || triples < 4 ? 1 : any, "%zu of %zu: %u", triples, n, o);
        cr_assert_eq(l, lacks || triples < 5 ? -1 : last, "%zu of %zu: %d", triples, n, l);
        cr_assert_eq(m, lacks || triples < 6 ? -1 : most, "%zu of %zu: %d", triples, n, m);
    }
    free(data);
}

Test(map_reduce_all, one_to_six_triples)
{
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        if (lengths[k] <= test_limit(100000)) from_one_to_six(g, lengths[k]);
    test_close(g);
}

Test(map_reduce_all, functions_and_texts)
{
    gpu *g = test_open();
    int weight = 5;
    for (size_t k = 1; k < COUNT_OF(lengths); k++) {
        const size_t n = lengths[k];
        int64_t want[3] = {INT64_MIN, 0, 0}, got[3];
        for (size_t i = 0; i < n; i++) {
            const int64_t heavy = weigh((int)i, i, weight);
            want[0] = larger(want[0], heavy);
            want[1] += heavy;
            want[2] = larger(want[2], (int64_t)i * weight);
        }
        gpu_array *x = gpu_range(g, GPU_INT, n);
        test_ok(gpu_map_reduce_all(x, weigh, larger, &got[0], weigh, "a + b", &got[1], "x * weight", larger, &got[2],
                                   GPU_ARG(weight)));
        test_same("functions and texts", GPU_LONG, 3, got, want);
    }
    test_close(g);
}

/* A list has types of its own, structs too. */
Test(map_reduce_all, maps_to_a_type_of_its_own_for_each_value)
{
    gpu *g = test_open();
    const gpu_place *place = GPU_HERE;
    for (size_t k = 1; k < COUNT_OF(lengths); k++) {
        const unsigned n = (unsigned)lengths[k];
        steps got, want = step_of(0);
        uint64_t sum, expected = 0;
        for (unsigned i = 1; i < n; i++) want = then(want, step_of(i));
        for (unsigned i = 0; i < n; i++) expected += i;
        const gpu_map_reduction list[] = {
            {{.function = (const void *)(uintptr_t)step_of, .place = place},
             {.function = (const void *)(uintptr_t)then, .place = place},
             {&got, GPU_TYPE(steps), sizeof got}},
            {{.snippet = "x", .place = place}, {.snippet = "a + b", .place = place}, {&sum, GPU_ULONG, sizeof sum}}};
        test_ok(gpu_map_reduce_all_op(gpu_range(g, GPU_UINT, n), list, 2));
        test_same("steps", GPU_TYPE(steps), 1, &got, &want);
        cr_assert_eq(sum, expected, "%u: %llu", n, (unsigned long long)sum);
    }
    test_close(g);
}

/* ---- inputs ---- */

/* The length is known to the device alone. An index is a place among the elements that are left. */
Test(map_reduce_all, reduces_what_a_filter_keeps)
{
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        const size_t n = lengths[k];
        for (int keep = 0; keep <= 8; keep += 4) {
            int64_t sum = 0, squares = 0, places = 0, last = -1, got[4] = {-1, -1, -1, -1};
            size_t kept = 0;
            for (size_t i = 0; i < n; i++) {
                if ((int)(i % 8) >= keep) continue;
                sum += (int64_t)i;
                squares += (int64_t)(i * i);
                places += (int64_t)kept++;
                last = (int64_t)i;
            }
            gpu_array *x = gpu_range(g, GPU_INT, n);
            test_ok(gpu_map_reduce_all(gpu_filter(x, "x % 8 < keep", GPU_ARG(keep)), "x", "a + b", &got[0],
                                       "(long)x * x", "a + b", &got[1]));
            cr_assert(got[0] == sum && got[1] == squares, "%zu, %d: %lld", n, keep, (long long)got[0]);
            test_ok(gpu_map_reduce_all(gpu_filter(x, "x % 8 < keep", GPU_ARG(keep)), "i", "a + b", &got[2]));
            cr_assert_eq(got[2], places, "%zu, %d: %lld", n, keep, (long long)got[2]);
            test_status_at(__FILE__, __LINE__, "an operator without identity", kept ? GPU_OK : GPU_E_EMPTY,
                           gpu_map_reduce_all(gpu_filter(x, "x % 8 < keep", GPU_ARG(keep)), "x", "a + b", &got[0], "x",
                                              "b", &got[3]));
            cr_assert(got[0] == sum && got[3] == last, "%zu, %d: %lld", n, keep, (long long)got[3]);
        }
    }
    test_close(g);
}

/* A map computes elements that the filter keeps, and no others. */
Test(map_reduce_all, maps_rely_on_the_filter)
{
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        const int n = (int)lengths[k];
        int64_t want[2] = {0, 0}, got[2];
        for (int i = 0; i < n; i++) want[0] += i % 3 ? 1000 / (i % 3) : 0;
        for (int i = 0; i < n; i++) want[1] += i % 3 > 0;
        gpu_array *rests = gpu_filter(gpu_eval(gpu_map(gpu_range(g, GPU_INT, lengths[k]), "x % 3")), "x != 0");
        test_ok(gpu_map_reduce_all(rests, "1000 / x", "a + b", &got[0], "x > 0", "a + b", &got[1]));
        test_same("of the elements that are left", GPU_LONG, 2, got, want);
    }
    test_close(g);
}

/* Captured arrays, and a delayed input that is fused. */
Test(map_reduce_all, delayed_and_captured)
{
    gpu *g = test_open();
    int64_t table[3] = {1, 10, 100}, sum, most;
    gpu_array *weights = gpu_array_of(g, table, 3);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 3000), "x + 1"), *doubled = gpu_map(weights, "x + x");
    const uint64_t before = test_stats(g).kernels_launched;
    test_ok(gpu_map_reduce_all(x, "x * weights[i % 3]", "a + b", &sum, "x * weights[2]", "max(a, b)", &most,
                               GPU_ARG(weights)));
    const uint64_t launches = test_stats(g).kernels_launched - before;
    int64_t want = 0;
    for (int64_t i = 0; i < 3000; i++) want += (i + 1) * table[i % 3];
    cr_assert(sum == want && most == 300000, "%lld %lld", (long long)sum, (long long)most);
    cr_assert(test_eager() || launches <= 1, "%d launches", (int)launches);
    test_ok(gpu_map_reduce_all(x, "x * doubled[i % 3]", "a + b", &sum, GPU_ARG(doubled)));
    cr_assert_eq(sum, 2 * want, "%lld", (long long)sum);
    test_close(g);
}

/* ---- floats ---- */

static float *fractions(size_t n)
{
    float *data = test_alloc(n, sizeof *data);
    uint64_t seed = 5;
    for (size_t i = 0; i < n; i++) data[i] = (float)(test_random(&seed) >> 40) / 1e6f - 8;
    return data;
}

Test(map_reduce_all, small_sums_are_those_of_a_loop)
{
    gpu *g = test_open();
    const size_t most = test_tiny() ? 8 : 1024;
    float *data = fractions(most), k = 1.1f;
    for (size_t n = 1; n <= most; n = n < 4 ? n + 1 : 2 * n) {
        float want[2] = {0, 0}, got[2];
        size_t positive = 0, count;
        for (size_t i = 0; i < n; i++) {
            const float scaled = data[i] * k, square = data[i] * data[i];
            want[0] = i ? want[0] + scaled : scaled;
            want[1] = i ? want[1] + square : square;
            positive += data[i] > 0;
        }
        test_ok(gpu_map_reduce_all(gpu_array_of(g, data, n), "x * k", "a + b", &got[0], "x * x", "a + b", &got[1],
                                   "x > 0", "a + b", &count, GPU_ARG(k)));
        cr_assert(!memcmp(got, want, sizeof got), "%zu: %.9g %.9g, wanted %.9g %.9g", n, (double)got[0], (double)got[1],
                  (double)want[0], (double)want[1]);
        cr_assert_eq(count, positive, "%zu: %zu", n, count);
    }
    free(data);
    test_close(g);
}

/* One map and operator make what gpu_map and gpu_reduce make. */
Test(map_reduce_all, bits_do_not_change)
{
    gpu *g = test_open();
    float *data = fractions(100000), first[3], sum;
    for (int run = 0; run < 4; run++) {
        float got[3];
        gpu_array *x = gpu_array_of(g, data, 100000);
        test_ok(gpu_map_reduce_all(x, "x * x", "a + b", &got[0], "x", "a + b", &got[1], "x", "fmax(a, b)", &got[2]));
        if (!run) memcpy(first, got, sizeof got);
        cr_assert(!memcmp(got, first, sizeof got), "run %d: %.9g", run, (double)got[0]);
        test_ok(gpu_map_reduce_all(x, "x * x", "a + b", &got[0]));
        test_ok(gpu_reduce(gpu_map(x, "x * x"), "a + b", &sum));
        cr_assert(!memcmp(got, &sum, sizeof sum), "%.9g, and %.9g", (double)got[0], (double)sum);
    }
    free(data);
    test_close(g);
}

Test(map_reduce_all, not_a_number)
{
    gpu *g = test_open();
    for (size_t k = 1; k < COUNT_OF(lengths); k++) {
        const size_t n = lengths[k];
        float *data = fractions(n), sum;
        size_t several, whole;
        data[n / 2] = NAN;
        test_ok(gpu_map_reduce_all(gpu_array_of(g, data, n), "x", "a + b", &sum, "x != x", "a + b", &several, "1",
                                   "a + b", &whole));
        cr_assert(isnan(sum) && several == 1 && whole == n, "%zu: %g %zu %zu", n, (double)sum, several, whole);
        free(data);
    }
    test_close(g);
}

/* ---- failures ---- */

Test(map_reduce_all, failures_leave_all_outputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *none = gpu_range(g, GPU_INT, 0);
    int p = 77, q = 77, k = 2;
    bool yes = false;
    steps s = {77, 77};
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all(x, "x", "a", &p, "x", "a", &p, "x", "a", &p, "x", "a", &p, "x", "a",
                                                  &p, "x", "a", &p, "x", "a", &q));
    test_has(gpu_error(), "there are 7 reductions; 1 to 6 are possible in one pass");
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all_op(x, NULL, 0));
    test_has(gpu_error(), "there are 0 reductions");
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all(x, "x", "a + b", &p, "x", "a + b"));
    test_has(gpu_error(), "operator number 2 has no output");
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all(x, "x", "a + b", &p, "x", GPU_ARG(k)));
    test_has(gpu_error(), "map number 2 has no operator");
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all(x, "x * k", "a + b", &p, GPU_ARG(k), "x", "a + b", &q));
    test_has(gpu_error(), "captured values come last");
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all(x, "x", "a + b", &p, "x", "a + b", (int *)NULL));
    test_has(gpu_error(), "the output pointer is NULL");
    test_fails(GPU_E_TYPE, gpu_map_reduce_all(x, "x", "a + b", &p, "x", "a + b", &s));
    test_has(gpu_error(), "output number 2 is no scalar and no vector");
    test_has(gpu_error(), "use gpu_map_to and gpu_reduce");
    test_fails(GPU_E_TYPE, gpu_map_reduce_all(x, "x", "a + b", &p, "x", "a + b", &yes));
    test_has(gpu_error(), "output number 2 points to bool");
    test_fails(GPU_E_SNIPPET, gpu_map_reduce_all(x, "x", "a + b", &p, "x +", "a + b", &q));
    test_fails(GPU_E_EMPTY, gpu_map_reduce_all(none, "x", "a + b", &p, "x", "b", &q));
    test_fails(GPU_E_ARGUMENT, gpu_map_reduce_all(NULL, "x", "a + b", &p));
    cr_assert(p == 77 && q == 77 && !yes && s.scale == 77, "an output was written: %d %d", p, q);
    test_ok(gpu_map_reduce_all(none, "x", "a + b", &p, "x + 1", "a * b", &q));
    cr_assert(p == 0 && q == 1, "%d %d", p, q);
    test_close(g);
}

/* The compiler finds the mistake, in the map's own text. */
Test(map_reduce_all, a_map_that_does_not_compile)
{
    gpu *g = test_open();
    test_needs_opencl();
    int p = 77, q = 77;
    test_fails(GPU_E_SNIPPET,
               gpu_map_reduce_all(gpu_range(g, GPU_INT, 10), "x", "a + b", &p, "x + nobody", "a + b", &q));
    test_caret(gpu_error(), "x + nobody", 4);
    cr_assert(p == 77 && q == 77, "an output was written: %d %d", p, q);
    test_close(g);
}
