/* Random lengths, slices and blocks: every operation against a plain loop. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(matrix2, unsigned int v[4];);
GPU_STRUCT(matrix3, unsigned int v[9];);
GPU_FUNCTION(matrix2, times2, (matrix2 p, matrix2 q), {
    matrix2 r = {{p.v[0] * q.v[0] + p.v[1] * q.v[2], p.v[0] * q.v[1] + p.v[1] * q.v[3],
                  p.v[2] * q.v[0] + p.v[3] * q.v[2], p.v[2] * q.v[1] + p.v[3] * q.v[3]}};
    return r;
});
GPU_FUNCTION(matrix3, times3, (matrix3 p, matrix3 q), {
    matrix3 r;
    for (int k = 0; k < 9; k++) {
        int row = k / 3 * 3, column = k % 3;
        r.v[k] = p.v[row] * q.v[column] + p.v[row + 1] * q.v[column + 3] + p.v[row + 2] * q.v[column + 6];
    }
    return r;
});
GPU_FUNCTION(matrix2, make2, (unsigned int x), {
    matrix2 r = {{x, 1, x * 3 + 1, x ^ 5}};
    return r;
});
GPU_FUNCTION(matrix3, make3, (unsigned char x), {
    matrix3 r;
    for (int k = 0; k < 9; k++) r.v[k] = (unsigned int)(x * (k + 1) + k);
    return r;
});

enum { N = 70000, MOST_OFFSET = 64 };

/* A round's arrays, delayed or sliced, and what is in them. */
typedef struct fuzz {
    gpu *g;
    uint64_t state;
    unsigned char *all_bytes;
    unsigned *all_words;
    uint64_t *all_longs;
    gpu_array *bytes_source, *words_source, *longs_source;
    size_t n;
    const unsigned char *bytes;
    unsigned *words;
    const uint64_t *longs;
    gpu_array *b, *w, *l;
    void *got, *want; /* room for a round's results */
    char what[128];
} fuzz;

static size_t below(fuzz *f, size_t n)
{
    return (size_t)(test_random(&f->state) % n);
}

static fuzz open_fuzz(uint64_t seed)
{
    fuzz f = {.g = test_open(), .state = seed};
    f.all_bytes = test_alloc(N, sizeof *f.all_bytes);
    f.all_words = test_alloc(N, sizeof *f.all_words);
    f.all_longs = test_alloc(N, sizeof *f.all_longs);
    f.words = test_alloc(N, sizeof *f.words);
    f.got = test_alloc(N, sizeof(matrix2));
    f.want = test_alloc(N, sizeof(matrix2));
    test_random_fill(GPU_UCHAR, f.all_bytes, N, seed);
    test_random_fill(GPU_UINT, f.all_words, N, seed + 1);
    test_random_fill(GPU_ULONG, f.all_longs, N, seed + 2);
    f.bytes_source = gpu_array_of(f.g, f.all_bytes, N);
    f.words_source = gpu_array_of(f.g, f.all_words, N);
    f.longs_source = gpu_array_of(f.g, f.all_longs, N);
    return f;
}

static void close_fuzz(fuzz *f)
{
    test_close(f->g);
    free(f->all_bytes);
    free(f->all_words);
    free(f->all_longs);
    free(f->words);
    free(f->got);
    free(f->want);
}

/* All magnitudes alike; half of the lengths are next to a power of two, half of the offsets zero. */
static size_t random_length(fuzz *f)
{
    size_t power = test_limit((size_t)1 << below(f, 17));
    size_t n = below(f, 2) ? power + below(f, 3) - 1 : 1 + below(f, power);
    return n ? n : 1;
}

static size_t random_offset(fuzz *f)
{
    return below(f, 2) * below(f, MOST_OFFSET);
}

static void start_round(fuzz *f)
{
    size_t n = f->n = random_length(f), first = random_offset(f), inner = random_offset(f), outer = random_offset(f);
    snprintf(f->what, sizeof f->what, "n = %zu, offsets %zu, %zu, %zu", n, first, inner, outer);
    f->bytes = f->all_bytes + first;
    f->longs = f->all_longs + inner;
    for (size_t i = 0; i < n; i++) f->words[i] = f->all_words[outer + inner + i] * 3 + (unsigned)(inner + i);
    f->b = gpu_slice(f->bytes_source, first, n);
    f->l = gpu_slice(f->longs_source, inner, n);
    gpu_array *mapped = gpu_map(gpu_slice(f->words_source, outer, inner + n), "x * 3 + (uint)i");
    f->w = gpu_slice(mapped, inner, n);
}

static void run(uint64_t seed, void (*check)(fuzz *f))
{
    fuzz f = open_fuzz(seed);
    for (int round = test_full() ? 3000 : 30; round > 0; round--) {
        gpu_scope *scope = gpu_scope_begin(f.g);
        start_round(&f);
        check(&f);
        gpu_scope_end(scope);
    }
    close_fuzz(&f);
}

static void check_map3(fuzz *f)
{
    uint64_t *got = f->got, *want = f->want, all = 0, all_want = 0;
    for (size_t i = 0; i < f->n; i++) {
        want[i] = f->bytes[i] + f->words[i] * f->longs[i] + i;
        all_want ^= want[i];
    }
    gpu_array *a = gpu_map3_to(f->b, f->w, f->l, GPU_ULONG, "x + y * z + i");
    test_ok(gpu_reduce(a, "a ^ b", &all));
    test_same(f->what, GPU_ULONG, 1, &all, &all_want);
    test_ok(gpu_read(a, got));
    test_same(f->what, GPU_ULONG, f->n, got, want);
}

static void check_bytes(fuzz *f)
{
    unsigned char *got = f->got, *want = f->want, sum = 0, sum_want = 0;
    size_t first = random_offset(f);
    for (size_t i = 0; i < f->n; i++) {
        want[i] = (unsigned char)(f->bytes[i] ^ (first + i) * 7);
        sum_want = (unsigned char)(sum_want + want[i]);
    }
    gpu_array *range = gpu_slice(gpu_range(f->g, GPU_UINT, first + f->n), first, f->n);
    gpu_array *a = gpu_map2(f->b, gpu_map_to(range, GPU_UCHAR, "(uchar)(x * 7)"), "x ^ y");
    test_ok(gpu_read(a, got));
    test_same(f->what, GPU_UCHAR, f->n, got, want);
    test_ok(gpu_reduce(a, "a + b", &sum));
    test_same(f->what, GPU_UCHAR, 1, &sum, &sum_want);
}

static void check_maps(fuzz *f)
{
    check_map3(f);
    check_bytes(f);
}

static void check_reductions(fuzz *f)
{
    unsigned got[5] = {0}, want[5] = {0};
    for (size_t i = 0; i < f->n; i++) want[0] += f->words[i];
    want[1] = want[4] = f->words[f->n - 1];
    want[2] = f->words[0];
    want[3] = want[0];
    test_ok(gpu_reduce(f->w, "a + b", &got[0]));
    test_ok(gpu_reduce(f->w, "b", &got[1]));
    test_ok(gpu_reduce_all(f->w, "a", &got[2], "a + b", &got[3], "b", &got[4]));
    test_same(f->what, GPU_UINT, 5, got, want);
}

/* Their product does not commute. */
static void check_matrices(fuzz *f)
{
    matrix2 start = {{3, 1, 4, 1}}, want = make2(f->words[0]), got;
    matrix3 want3 = make3(f->bytes[0]), got3;
    for (size_t i = 1; i < f->n; i++) {
        want = times2(want, make2(f->words[i]));
        want3 = times3(want3, make3(f->bytes[i]));
    }
    gpu_array *a = gpu_map_to(f->w, GPU_TYPE(matrix2), make2);
    test_ok(gpu_reduce(a, times2, &got));
    test_same(f->what, GPU_TYPE(matrix2), 1, &got, &want);
    want = times2(start, want);
    test_ok(gpu_fold(a, &start, times2, &got));
    test_same(f->what, GPU_TYPE(matrix2), 1, &got, &want);
    test_ok(gpu_reduce(gpu_map_to(f->b, GPU_TYPE(matrix3), make3), times3, &got3));
    test_same(f->what, GPU_TYPE(matrix3), 1, &got3, &want3);
}

static void check_sums_of_blocks(fuzz *f, size_t block)
{
    size_t count = (f->n + block - 1) / block;
    unsigned *want = f->want;
    memset(want, 0, count * sizeof *want);
    for (size_t i = 0; i < f->n; i++) want[i / block] += f->words[i];
    gpu_array *sums = gpu_block_reduce(f->w, block, "a + b");
    cr_assert_eq(gpu_length(sums), count, "%s, blocks of %zu", f->what, block);
    test_ok(gpu_read(sums, (unsigned *)f->got));
    test_same(f->what, GPU_UINT, count, f->got, want);
}

static void check_blocks(fuzz *f)
{
    size_t block = 1 + below(f, below(f, 2) ? 40 : 3000), used = strlen(f->what);
    snprintf(f->what + used, sizeof f->what - used, ", blocks of %zu", block);
    check_sums_of_blocks(f, block);
    matrix2 *want = f->want;
    for (size_t i = 0; i < f->n; i++) {
        matrix2 m = make2(f->words[i]);
        want[i / block] = i % block ? times2(want[i / block], m) : m;
    }
    gpu_array *a = gpu_block_reduce(gpu_map_to(f->w, GPU_TYPE(matrix2), make2), block, times2);
    test_ok(gpu_read(a, (matrix2 *)f->got));
    test_same(f->what, GPU_TYPE(matrix2), gpu_length(a), f->got, want);
}

static void check_named(fuzz *f)
{
    size_t largest = 0, largest_want = 0, count = 0, count_want = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->bytes[i] > f->bytes[largest_want]) largest_want = i;
        count_want += f->bytes[i] > 100 && i % 3;
    }
    test_ok(gpu_argmax(f->b, &largest));
    test_ok(gpu_count(f->b, "x > 100 && i % 3", &count));
    cr_assert_eq(largest, largest_want, "%s: argmax %zu, wanted %zu", f->what, largest, largest_want);
    cr_assert_eq(count, count_want, "%s: count %zu, wanted %zu", f->what, count, count_want);
}

Test(fuzz, maps)
{
    run(100, check_maps);
}

Test(fuzz, reductions)
{
    run(200, check_reductions);
}

Test(fuzz, matrices)
{
    run(300, check_matrices);
}

Test(fuzz, blocks)
{
    run(400, check_blocks);
}

Test(fuzz, named)
{
    run(500, check_named);
}
