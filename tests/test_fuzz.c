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
    gpu_array *sums = test_array_ok(gpu_block_reduce(f->w, block, "a + b"));
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

/* ---- chains of operations, each also done to a plain array ---- */

enum { STEPS = 6, BITS = 7 };

typedef struct chain {
    fuzz *f;
    gpu_array *a;
    unsigned *v, *next; /* its elements; room for those of the next step */
    size_t n;
    char what[512];
} chain;

/* `next` has been filled with the `n` elements of `a`. */
static void become(chain *c, gpu_array *a, size_t n)
{
    unsigned *old = c->v;
    c->v = c->next;
    c->next = old;
    c->a = a;
    c->n = n;
}

static void step_map(chain *c)
{
    for (size_t i = 0; i < c->n; i++) c->next[i] = c->v[i] * 3 + (unsigned)i;
    become(c, gpu_map(c->a, "x * 3 + (uint)i"), c->n);
}

/* Few values, so that neighbours are equal now and then. */
static void step_mask(chain *c)
{
    for (size_t i = 0; i < c->n; i++) c->next[i] = c->v[i] & BITS;
    become(c, gpu_map(c->a, "x & 7"), c->n);
}

static void step_join(chain *c)
{
    for (size_t i = 0; i < c->n; i++) c->next[i] = (c->v[i] + 1) ^ (c->v[i] * 5);
    become(c, gpu_map2(gpu_map(c->a, "x + 1"), gpu_map(c->a, "x * 5"), "x ^ y"), c->n);
}

static void step_filter(chain *c)
{
    unsigned m = 2 + (unsigned)below(c->f, 3);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i] % m) c->next[n++] = c->v[i];
    become(c, gpu_filter(c->a, "x % m", GPU_ARG(m)), n);
}

static void step_filter_places(chain *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if ((c->v[i] + i) % 3) c->next[n++] = c->v[i];
    become(c, gpu_filter(c->a, "(x + i) % 3"), n);
}

static void step_find(chain *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i] % 4) c->next[n++] = (unsigned)i;
    become(c, gpu_map_to(gpu_find_if(c->a, "x % 4"), GPU_UINT, "(uint)x"), n);
}

static void step_partition(chain *c)
{
    gpu_array *both[2];
    unsigned wanted = (unsigned)below(c->f, 2);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i] % 2 == wanted) c->next[n++] = c->v[i];
    test_ok(gpu_partition(c->a, "x % 2 == 0", &both[0], &both[1]));
    become(c, both[wanted], n);
}

static void step_span(chain *c)
{
    gpu_array *both[2];
    size_t prefix = 0, rest = below(c->f, 2), m = 1 + below(c->f, 200);
    while (prefix < c->n && c->v[prefix] % m != 1) prefix++;
    size_t n = rest ? c->n - prefix : prefix;
    memcpy(c->next, c->v + (rest ? prefix : 0), n * sizeof *c->v);
    test_ok(gpu_span(c->a, "x % m != 1", &both[0], &both[1], GPU_ARG(m)));
    become(c, both[rest], n);
}

static void step_scan(chain *c)
{
    unsigned sum = 0;
    for (size_t i = 0; i < c->n; i++) c->next[i] = sum += c->v[i];
    become(c, gpu_scan(c->a, "a + b"), c->n);
}

static void step_scan_exclusive(chain *c)
{
    unsigned start = (unsigned)below(c->f, 1000), sum = start;
    for (size_t i = 0; i < c->n; sum += c->v[i++] * 3) c->next[i] = sum;
    become(c, gpu_scan_exclusive(gpu_map(c->a, "x * 3"), &start, "a + b"), c->n);
}

static void step_reverse(chain *c)
{
    for (size_t i = 0; i < c->n; i++) c->next[i] = c->v[c->n - 1 - i];
    become(c, gpu_reverse(c->a), c->n);
}

static void step_slice(chain *c)
{
    size_t first = below(c->f, c->n / 4 + 1), n = below(c->f, c->n - first + 1);
    memcpy(c->next, c->v + first, n * sizeof *c->v);
    become(c, gpu_slice(c->a, first, n), n);
}

static void step_concat(chain *c)
{
    size_t n = c->n < N / 2 ? c->n : 0;
    memcpy(c->next, c->v, c->n * sizeof *c->v);
    memcpy(c->next + c->n, c->v, n * sizeof *c->v);
    become(c, gpu_concat(c->a, gpu_slice(c->a, 0, n)), c->n + n);
}

static void step_gather(chain *c)
{
    unsigned *indices = c->f->want;
    size_t n = c->n ? below(c->f, c->n + 1) : 0;
    for (size_t i = 0; i < n; i++) {
        indices[i] = (unsigned)below(c->f, c->n);
        c->next[i] = c->v[indices[i]];
    }
    become(c, gpu_gather(c->a, gpu_array_of(c->f->g, indices, n)), n);
}

static void step_gather_halves(chain *c)
{
    for (size_t i = 0; i < c->n; i++) c->next[i] = c->v[i / 2];
    become(c, gpu_gather(c->a, gpu_map_to(c->a, GPU_ULONG, "i / 2")), c->n);
}

static void step_scatter(chain *c)
{
    size_t last = c->n - 1;
    for (size_t i = 0; i < c->n; i++) c->next[last - i] = c->v[i] + 1;
    gpu_array *places = gpu_map_to(c->a, GPU_ULONG, "last - i", GPU_ARG(last));
    become(c, gpu_scatter(c->a, places, gpu_map(c->a, "x + 1")), c->n);
}

static void step_unique(chain *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (i == 0 || c->v[i] != c->v[i - 1]) c->next[n++] = c->v[i];
    become(c, gpu_unique(c->a), n);
}

/* The lengths of runs. */
static void step_runs(chain *c)
{
    gpu_array *values, *lengths;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || c->v[i] != c->v[i - 1]) c->next[n++] = 0;
        c->next[n - 1]++;
    }
    test_ok(gpu_runs(c->a, &values, &lengths));
    become(c, gpu_map_to(lengths, GPU_UINT, "(uint)x"), n);
}

static void step_reduce_by_key(chain *c)
{
    gpu_array *keys, *sums;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || c->v[i] % 4 != c->v[i - 1] % 4) c->next[n++] = 0;
        c->next[n - 1] += c->v[i];
    }
    test_ok(gpu_reduce_by_key(gpu_map(c->a, "x % 4"), c->a, "a + b", &keys, &sums));
    become(c, sums, n);
}

static void step_scan_by_key(chain *c)
{
    for (size_t i = 0; i < c->n; i++)
        c->next[i] = (i == 0 || c->v[i] % 4 != c->v[i - 1] % 4 ? 0 : c->next[i - 1]) + c->v[i];
    become(c, gpu_scan_by_key(gpu_map(c->a, "x % 4"), c->a, "a + b"), c->n);
}

static void step_eval(chain *c)
{
    gpu_eval(c->a);
}

static void step_length(chain *c)
{
    cr_assert_eq(gpu_length(c->a), c->n, "%s: length %zu, wanted %zu", c->what, gpu_length(c->a), c->n);
}

/* Uses it twice. */
static void step_index(chain *c)
{
    size_t at = 0, index = 0;
    while (at < c->n && c->v[at] % 8 != 5) at++;
    test_ok(gpu_index_if(c->a, "x % 8 == 5", &index));
    cr_assert_eq(index, at < c->n ? at : GPU_NOT_FOUND, "%s: index %zu, wanted %zu", c->what, index, at);
}

static void step_sum(chain *c)
{
    unsigned sums[2] = {7, 7}, want[2] = {0, 0};
    for (size_t i = 0; i < c->n; i++) {
        want[0] += c->v[i];
        want[1] |= c->v[i];
    }
    test_ok(gpu_reduce_all(c->a, "a + b", &sums[0], "a | b", &sums[1]));
    test_same(c->what, GPU_UINT, 2, sums, want);
}

static const struct {
    const char *name;
    void (*run)(chain *c);
} steps[] = {
    {"map", step_map},
    {"mask", step_mask},
    {"join", step_join},
    {"filter", step_filter},
    {"filter_places", step_filter_places},
    {"find", step_find},
    {"partition", step_partition},
    {"span", step_span},
    {"scan", step_scan},
    {"scan_exclusive", step_scan_exclusive},
    {"reverse", step_reverse},
    {"slice", step_slice},
    {"concat", step_concat},
    {"gather", step_gather},
    {"gather_halves", step_gather_halves},
    {"scatter", step_scatter},
    {"unique", step_unique},
    {"runs", step_runs},
    {"reduce_by_key", step_reduce_by_key},
    {"scan_by_key", step_scan_by_key},
    {"eval", step_eval},
    {"length", step_length},
    {"index", step_index},
    {"sum", step_sum},
};

static void check_chain(chain *c)
{
    size_t got = 0;
    test_ok(gpu_read_n(c->a, (unsigned *)c->f->got, N, &got));
    cr_assert_eq(got, c->n, "%s: %zu elements, wanted %zu", c->what, got, c->n);
    test_same(c->what, GPU_UINT, c->n, c->f->got, c->v);
}

static void run_chain(fuzz *f, chain *c)
{
    size_t used = (size_t)snprintf(c->what, sizeof c->what, "n = %zu", c->n = random_length(f));
    memcpy(c->v, f->all_words, c->n * sizeof *c->v);
    c->a = gpu_slice(f->words_source, 0, c->n);
    for (int k = 0; k < STEPS; k++) {
        size_t step = below(f, sizeof steps / sizeof *steps);
        used += (size_t)snprintf(c->what + used, sizeof c->what - used, ", %s", steps[step].name);
        steps[step].run(c);
    }
    check_chain(c);
}

Test(fuzz, chains, .timeout = 3600)
{
    fuzz f = open_fuzz(600);
    chain c = {.f = &f, .v = test_alloc(N, sizeof *c.v), .next = test_alloc(N, sizeof *c.v)};
    for (int round = test_full() ? 2000 : 6; round > 0; round--) {
        gpu_scope *scope = gpu_scope_begin(f.g);
        run_chain(&f, &c);
        gpu_scope_end(scope);
    }
    free(c.v);
    free(c.next);
    close_fuzz(&f);
}
