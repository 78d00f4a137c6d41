/* gpu_fold, gpu_reduced, gpu_block_reduce, gpu_reduce_all. */
#include "support/line.h"
#include "support/support.h"
#include "support/wide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(bytes_128, float v[32];);
GPU_FUNCTION(int, larger, (int p, int q), { return p > q ? p : q; });
GPU_FUNCTION(int, product_mod, (int p, int q, int modulus), { return (int)((long)p * q % modulus); });

Test(fold, adds_its_start_once) /* R32 */
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(785433); k++) {
        size_t n = test_sizes[k];
        uint64_t sum;
        test_ok(gpu_fold(gpu_fill(g, GPU_ULONG, &(uint64_t){1}, n), &(uint64_t){1000}, "a + b", &sum));
        cr_assert_eq(sum, n + 1000, "n = %zu: %llu", n, (unsigned long long)sum);
    }
    test_close(g);
}

Test(fold, takes_the_minimum_of_its_start_and_the_elements) /* R21 */
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(785433); k++) {
        size_t n = test_sizes[k];
        int smallest;
        test_ok(gpu_fold(gpu_fill(g, GPU_INT, &(int){8}, n), &(int){9}, "min(a, b)", &smallest));
        cr_assert_eq(smallest, n ? 8 : 9, "n = %zu: %d", n, smallest);
        test_ok(gpu_fold(gpu_fill(g, GPU_INT, &(int){8}, n), &(int){7}, "min(a, b)", &smallest));
        cr_assert_eq(smallest, 7, "n = %zu: %d", n, smallest);
    }
    test_close(g);
}

Test(fold, composes_lines_after_its_start)
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(68931); k++) {
        size_t n = test_sizes[k];
        line *data = test_alloc(n, sizeof *data), start = {3, 5}, want = start, got;
        test_random_fill(GPU_UINT, data, 2 * n, k);
        for (size_t i = 0; i < n; i++) want = then(want, data[i]);
        test_ok(gpu_fold(gpu_array_from(g, GPU_TYPE(line), data, n), &start, then, &got));
        char what[64];
        snprintf(what, sizeof what, "fold of %zu", n);
        test_same(what, GPU_TYPE(line), 1, &got, &want);
        free(data);
    }
    test_close(g);
}

Test(fold, takes_its_start_as_the_left_operand)
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(68931); k++) {
        size_t n = test_sizes[k];
        int first = -1, last = -1;
        gpu_array *numbers = gpu_range(g, GPU_INT, n);
        test_ok(gpu_fold(numbers, &(int){-7}, "a", &first));
        test_ok(gpu_fold(numbers, &(int){-7}, "b", &last));
        cr_assert_eq(first, -7, "n = %zu: %d", n, first);
        cr_assert_eq(last, n ? (int)n - 1 : -7, "n = %zu: %d", n, last);
    }
    test_close(g);
}

Test(fold, of_nothing_is_its_start)
{
    gpu *g = test_open();
    wide start, none;
    for (unsigned j = 0; j < 64; j++) start.v[j] = j;
    test_ok(gpu_fold(gpu_array_from(g, GPU_TYPE(wide), NULL, 0), &start, add_wide, &none));
    test_same("fold of nothing", GPU_TYPE(wide), 1, &none, &start);
    test_close(g);
}

Test(fold, refuses_a_start_or_an_output_of_another_type)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    float out = 77;
    test_fails(GPU_E_TYPE, gpu_fold(x, &(int){1}, "a + b", &out));
    test_fails(GPU_E_TYPE, gpu_fold(x, &(double){1}, "a + b", &out));
    int whole = 77;
    test_fails(GPU_E_TYPE, gpu_fold(x, &(float){1}, "a + b", &whole));
    test_fails(GPU_E_ARGUMENT, gpu_fold(x, (float *)NULL, "a + b", &out));
    test_fails(GPU_E_ARGUMENT, gpu_fold(x, &(float){1}, "a + b", (float *)NULL));
    cr_assert(out == 77 && whole == 77, "an output was written");
    test_ok(gpu_fold(x, &(float){1}, "a + b", &out));
    cr_assert_eq(out, 11);
    test_close(g);
}

Test(reduced, its_result_is_captured_by_maps)
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(785433); k++) {
        size_t n = test_sizes[k];
        double largest = -1, scaled[2] = {-1, -1};
        gpu_array *x = gpu_range(g, GPU_DOUBLE, n);
        gpu_array *top = gpu_reduced(x, "fmax(a, b)");
        cr_assert_eq(gpu_length(top), 1);
        test_ok(gpu_read(top, &largest));
        cr_assert_eq(largest, (double)n - 1, "n = %zu: %g", n, largest);
        if (n < 2) continue;
        gpu_array *share = gpu_map(gpu_slice(x, n - 2, 2), "x - top[0]", GPU_ARG(top));
        test_ok(gpu_read(share, scaled));
        cr_assert(scaled[0] == -1 && scaled[1] == 0, "n = %zu: %g %g", n, scaled[0], scaled[1]);
    }
    test_close(g);
}

Test(reduced, of_nothing_is_the_neutral_element)
{
    gpu *g = test_open();
    int zero = 7, one = 7, all = 7;
    gpu_array *none = gpu_range(g, GPU_INT, 0);
    test_ok(gpu_read(gpu_reduced(none, "a + b"), &zero));
    test_ok(gpu_read(gpu_reduced(none, "a * b"), &one));
    test_ok(gpu_read(gpu_reduced(none, "a & b"), &all));
    cr_assert(zero == 0 && one == 1 && all == -1, "%d %d %d", zero, one, all);
    test_close(g);
}

Test(reduced, of_no_vectors_is_the_neutral_element_of_each_component)
{
    gpu *g = test_open();
    gpu_array *none = gpu_fill(g, GPU_INT4, (&(gpu_int4){2, 3, 4, 5}), 0);
    test_holds("a sum", gpu_reduced(none, "a + b"), GPU_INT4, 1, &(gpu_int4){0, 0, 0, 0});
    test_holds("a product", gpu_reduced(none, "a * b"), GPU_INT4, 1, &(gpu_int4){1, 1, 1, 1});
    test_holds("a conjunction", gpu_reduced(none, "a & b"), GPU_INT4, 1, &(gpu_int4){-1, -1, -1, -1});
    test_close(g);
}

Test(reduced, of_nothing_without_a_neutral_element_fails)
{
    gpu *g = test_open();
    gpu_array *none = gpu_range(g, GPU_INT, 0);
    gpu_array *empty = test_array_fails(GPU_E_EMPTY, gpu_reduced(none, "a"));
    int untouched = 7;
    test_fails(GPU_E_EMPTY, gpu_read(gpu_map(empty, "x + 1"), &untouched));
    cr_assert_eq(untouched, 7);
    test_array_fails(GPU_E_EMPTY, gpu_reduced(none, "max(a, b)"));
    test_close(g);
}

static const size_t blocks[] = {1, 2, 3, 7, 16, 64, 100, 1000, 16384, 100000000};

Test(block_reduce, takes_every_block_and_length)
{
    gpu *g = test_open();
    size_t most = test_sizes[test_size_count(68931) - 1];
    int64_t *data = test_alloc(most, sizeof *data), *got = test_alloc(most, sizeof *got),
            *want = test_alloc(most, sizeof *want);
    test_random_fill(GPU_LONG, data, most, 20);
    for (size_t k = 0; k < test_size_count(68931); k++) {
        size_t n = test_sizes[k];
        gpu_array *a = gpu_array_of(g, data, n);
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
            size_t count = n / blocks[b] + (n % blocks[b] != 0);
            memset(want, 0, most * sizeof *want);
            for (size_t i = 0; i < n; i++)
                want[i / blocks[b]] = (int64_t)((uint64_t)want[i / blocks[b]] + (uint64_t)data[i]);
            gpu_array *sums = gpu_block_reduce(a, blocks[b], "a + b");
            cr_assert_eq(gpu_length(sums), count, "%zu elements in blocks of %zu: %zu", n, blocks[b], gpu_length(sums));
            char what[64];
            snprintf(what, sizeof what, "%zu elements in blocks of %zu", n, blocks[b]);
            test_ok(gpu_read(sums, got));
            test_same(what, GPU_LONG, count, got, want);
            for (size_t j = 0; j < count; j++)
                want[j] = data[j * blocks[b] + (count - 1 == j ? n - 1 - j * blocks[b] : blocks[b] - 1)];
            test_ok(gpu_read(gpu_block_reduce(a, blocks[b], "b"), got));
            test_same(what, GPU_LONG, count, got, want);
            gpu_array_free(sums);
        }
        gpu_array_free(a);
    }
    free(data);
    free(got);
    free(want);
    test_close(g);
}

Test(block_reduce, keeps_the_maps_before_it)
{
    gpu *g = test_open();
    enum { N = 1000 };
    float sums[N];
    gpu_array *x = gpu_map(gpu_slice(gpu_range(g, GPU_FLOAT, N + 5), 5, N), "x * 2");
    test_ok(gpu_read(gpu_block_reduce(x, 7, "a + b"), sums));
    for (size_t j = 0; j < (N + 6) / 7; j++) {
        float want = 0;
        for (size_t i = 7 * j; i < 7 * j + 7 && i < N; i++) want += 2 * (float)(i + 5);
        cr_assert_eq(sums[j], want, "block %zu: %g, wanted %g", j, (double)sums[j], (double)want);
    }
    test_close(g);
}

Test(block_reduce, composes_lines_in_their_order)
{
    gpu *g = test_open();
    enum { N = 1000 };
    static line data[N], got[N], want[N];
    test_random_fill(GPU_UINT, data, 2 * N, 21);
    for (size_t i = 0; i < N; i++) want[i / 64] = i % 64 ? then(want[i / 64], data[i]) : data[i];
    gpu_array *a = gpu_array_from(g, GPU_TYPE(line), data, N);
    test_ok(gpu_read(gpu_block_reduce(a, 64, then), got));
    test_same("lines in blocks of 64", GPU_TYPE(line), (N + 63) / 64, got, want);
    test_close(g);
}

/* Few long blocks are divided into parts. */
Test(block_reduce, composes_the_lines_of_few_long_blocks_in_their_order)
{
    gpu *g = test_open();
    enum { BLOCKS = 3, N = 30001 };
    line *data = test_alloc(BLOCKS * N, sizeof *data), want[BLOCKS], got[BLOCKS];
    test_random_fill(GPU_UINT, data, 2 * BLOCKS * N, 22);
    for (size_t i = 0; i < BLOCKS * N; i++) want[i / N] = i % N ? then(want[i / N], data[i]) : data[i];
    gpu_array *a = gpu_array_from(g, GPU_TYPE(line), data, BLOCKS * N);
    test_ok(gpu_read(gpu_block_reduce(a, N, then), got));
    test_same("lines", GPU_TYPE(line), BLOCKS, got, want);
    free(data);
    test_close(g);
}

Test(block_reduce, keeps_the_maps_before_few_long_blocks)
{
    gpu *g = test_open();
    enum { N = 40000 };
    uint64_t got[2];
    gpu_array *i = gpu_map(gpu_range(g, GPU_ULONG, 2 * N), "x + 1");
    test_ok(gpu_read(gpu_block_reduce(i, N, "a + b"), got));
    cr_assert_eq(got[0], (uint64_t)N * (N + 1) / 2, "%" PRIu64, got[0]);
    cr_assert_eq(got[1], got[0] + (uint64_t)N * N, "%" PRIu64, got[1]);
    test_close(g);
}

Test(block_reduce, adds_structs_of_256_bytes)
{
    gpu *g = test_open();
    enum { N = 1000 };
    static wide many[N], some[N], summed[N];
    for (unsigned i = 0; i < N; i++) {
        for (unsigned j = 0; j < 64; j++) summed[i / 3].v[j] += many[i].v[j] = i * 64 + j;
    }
    gpu_array *w = gpu_array_from(g, GPU_TYPE(wide), many, N);
    test_ok(gpu_read(gpu_block_reduce(w, 3, add_wide), some));
    test_same("256 bytes in blocks of 3", GPU_TYPE(wide), (N + 2) / 3, some, summed);
    test_close(g);
}

Test(block_reduce, refuses_blocks_of_nothing)
{
    gpu *g = test_open();
    test_array_fails(GPU_E_ARGUMENT, gpu_block_reduce(gpu_range(g, GPU_INT, 10), 0, "a + b"));
    test_close(g);
}

Test(block_reduce, an_empty_array_has_no_blocks)
{
    gpu *g = test_open();
    gpu_array *none = test_array_ok(gpu_block_reduce(gpu_slice(gpu_range(g, GPU_INT, 10), 0, 0), 4, "a"));
    cr_assert_eq(gpu_length(none), 0);
    test_close(g);
}

Test(block_reduce, a_block_may_be_longer_than_the_array)
{
    gpu *g = test_open();
    int sum = -1;
    test_ok(gpu_read(gpu_block_reduce(gpu_range(g, GPU_INT, 10), SIZE_MAX, "a + b"), &sum));
    cr_assert_eq(sum, 45);
    test_close(g);
}

Test(block_reduce, refuses_results_that_no_memory_holds)
{
    gpu *g = test_open();
    size_t n = ((size_t)1 << 61) + 512; /* of 8 bytes: 2^64 and 4096 */
    test_array_fails(GPU_E_MEMORY, gpu_block_reduce(gpu_range(g, GPU_ULONG, n), 1, "a + b"));
    test_ok(gpu_finish(g));
    int first = -1;
    test_ok(gpu_read(gpu_block_reduce(gpu_range(g, GPU_INT, 10), 10, "a + b"), &first));
    cr_assert_eq(first, 45);
    test_close(g);
}

/* Each length with random ints. */
static void with_random_ints(void (*check)(const gpu_array *a, const int *data, size_t n))
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(68931); k++) {
        size_t n = test_sizes[k];
        int *data = test_alloc(n, sizeof *data);
        test_random_fill(GPU_INT, data, n, 30 + k);
        check(gpu_array_of(g, data, n), data, n);
        free(data);
    }
    test_close(g);
}

static void check_two_and_eight(const gpu_array *a, const int *data, size_t n)
{
    int sum = 0, smallest = data[0], largest = data[0], both = data[0], any = data[0], odd = data[0];
    for (size_t i = 0; i < n; i++) {
        sum = (int)((unsigned)sum + (unsigned)data[i]);
        smallest = data[i] < smallest ? data[i] : smallest;
        largest = larger(largest, data[i]);
        both &= data[i];
        any |= data[i];
        if (i > 0) odd = odd ^ data[i];
    }
    int got[8] = {0}, want[8] = {sum, smallest, largest, both, any, odd, data[0], data[n - 1]};
    test_ok(gpu_reduce_all(a, "a + b", &got[0], "min(a, b)", &got[1], larger, &got[2], "a & b", &got[3], "a | b",
                           &got[4], "a ^ b", &got[5], "a", &got[6], "b", &got[7]));
    char what[64];
    snprintf(what, sizeof what, "the eight reductions of %zu elements", n);
    test_same(what, GPU_INT, 8, got, want);
    int pair[2] = {0}, pair_want[2] = {largest, sum};
    test_ok(gpu_reduce_all(a, larger, &pair[0], "a + b", &pair[1]));
    test_same(what, GPU_INT, 2, pair, pair_want);
}

static void check_captured_modulus(const gpu_array *a, const int *data, size_t n)
{
    int modulus = 10007, got[2] = {0}, product = data[0] % modulus;
    for (size_t i = 1; i < n; i++) product = product_mod(product, data[i] % modulus, modulus);
    test_ok(gpu_reduce_all(gpu_map(a, "x % modulus", GPU_ARG(modulus)), product_mod, &got[0],
                           "(int)((long)a * b % modulus)", &got[1], GPU_ARG(modulus)));
    cr_assert(got[0] == product && got[1] == product, "n = %zu: %d and %d, wanted %d", n, got[0], got[1], product);
}

Test(reduce_all, applies_two_and_eight_operators)
{
    with_random_ints(check_two_and_eight);
}

Test(reduce_all, a_function_and_a_snippet_read_one_captured_value)
{
    with_random_ints(check_captured_modulus);
}

Test(reduce_all, finds_the_smallest_and_the_largest_float) /* R35 */
{
    gpu *g = test_open();
    float data[1000], smallest, largest, total, want[2] = {INFINITY, -INFINITY};
    uint64_t seed = 31;
    for (size_t i = 0; i < 1000; i++) {
        data[i] = (float)(test_random(&seed) >> 50) - 5000;
        want[0] = fminf(want[0], data[i]);
        want[1] = fmaxf(want[1], data[i]);
    }
    gpu_array *x = gpu_array_of(g, data, 1000);
    test_ok(gpu_reduce_all(x, "fmin(a, b)", &smallest, "fmax(a, b)", &largest));
    cr_assert(smallest == want[0] && largest == want[1], "%g %g", (double)smallest, (double)largest);
    test_ok(gpu_reduce_all(x, "a + b", &total, "fmax(a, b)", &largest, "a", &smallest));
    cr_assert(largest == want[1] && smallest == data[0]);
    test_close(g);
}

Test(reduce_all, composes_lines_and_keeps_the_first)
{
    gpu *g = test_open();
    line steps[300], composed, first;
    test_random_fill(GPU_UINT, steps, 600, 32);
    line all = steps[0];
    for (int i = 1; i < 300; i++) all = then(all, steps[i]);
    gpu_array *s = gpu_array_from(g, GPU_TYPE(line), steps, 300);
    test_ok(gpu_reduce_all(s, then, &composed, "a", &first));
    test_same("composed", GPU_TYPE(line), 1, &composed, &all);
    test_same("first", GPU_TYPE(line), 1, &first, &steps[0]);
    test_close(g);
}

Test(reduce_all, a_failure_leaves_all_outputs_as_they_are)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_INT, &(int){1}, 10), *none = gpu_slice(x, 0, 0);
    int p = 77, q = 77;
    float f = 77;
    test_fails(GPU_E_TYPE, gpu_reduce_all(x, "a + b", &p, "a", &f));
    test_fails(GPU_E_EMPTY, gpu_reduce_all(none, "a + b", &p, "a", &q));
    test_fails(GPU_E_SNIPPET, gpu_reduce_all(x, "a + b", &p, "a +", &q));
    test_fails(GPU_E_SNIPPET, gpu_reduce_all(x, "a + b", &p, "a + nobody", &q));
    test_fails(GPU_E_ARGUMENT, gpu_reduce_all(x, "a + b", &p, "a", (int *)NULL));
    test_fails(GPU_E_ARGUMENT, gpu_reduce_all(x, "a + b", &p, "a"));
    test_fails(GPU_E_ARGUMENT, gpu_reduce_all_op(x, NULL, 0));
    test_fails(GPU_E_ARGUMENT,
               gpu_reduce_all(x, "a", &p, "a", &p, "a", &p, "a", &p, "a", &p, "a", &p, "a", &p, "a", &p, "a", &p));
    cr_assert(p == 77 && q == 77 && f == 77, "an output was written: %d %d %g", p, q, (double)f);
    test_close(g);
}

Test(reduce_all, of_nothing_gives_the_neutral_elements)
{
    gpu *g = test_open();
    int p = 77, q = 77;
    test_ok(gpu_reduce_all(gpu_range(g, GPU_INT, 0), "a + b", &p, "a * b", &q));
    cr_assert(p == 0 && q == 1, "%d %d", p, q);
    test_close(g);
}

static size_t number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    cr_assert(at, "no \"%s\" in the text \"%s\"", word, text);
    return (size_t)strtoull(at + strlen(word), NULL, 10);
}

Test(reduce_all, takes_or_refuses_captures_larger_than_the_arguments_of_a_kernel)
{
    gpu *g = test_open();
    float got[8] = {77, 77, 77, 77, 77, 77, 77, 77}, sum;
    bytes_128 p = {{1}}, q = p, r = p, s = p, t = p, u = p, v = p, w = p;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 10);
    gpu_status status = gpu_reduce_all(x, "a + b * p.v[0]", &got[0], "a + b * q.v[0]", &got[1], "a + b * r.v[0]",
                                       &got[2], "a + b * s.v[0]", &got[3], "a + b * t.v[0]", &got[4], "a + b * u.v[0]",
                                       &got[5], "a + b * v.v[0]", &got[6], "a + b * w.v[0]", &got[7],
                                       GPU_ARG_AS(p, GPU_TYPE(bytes_128), p), GPU_ARG_AS(q, GPU_TYPE(bytes_128), q),
                                       GPU_ARG_AS(r, GPU_TYPE(bytes_128), r), GPU_ARG_AS(s, GPU_TYPE(bytes_128), s),
                                       GPU_ARG_AS(t, GPU_TYPE(bytes_128), t), GPU_ARG_AS(u, GPU_TYPE(bytes_128), u),
                                       GPU_ARG_AS(v, GPU_TYPE(bytes_128), v), GPU_ARG_AS(w, GPU_TYPE(bytes_128), w));
    if (status) { /* there are devices with room for them */
        test_fails(GPU_E_ARGUMENT, status);
        size_t bytes = number_after(gpu_error(), "take "), most = number_after(gpu_error(), "allows ");
        cr_assert(bytes >= 8 * 8 * sizeof p && most >= 256 && most < bytes, "%s", gpu_error());
    }
    for (int k = 0; k < 8; k++) cr_assert_eq(got[k], status ? 77 : 45, "output %d: %g", k, (double)got[k]);
    test_ok(gpu_reduce(x, "a + b * p.v[0]", &sum, GPU_ARG_AS(p, GPU_TYPE(bytes_128), p)));
    cr_assert_eq(sum, 45, "%g", (double)sum);
    test_close(g);
}
