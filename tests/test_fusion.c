/* Every pair of a producer and a consumer: fused and eager give the same, and the number of kernels is that of the
 * producer's row in docs/fusion.md. FIREPILE_TEST_WRITE=1 writes the rows anew. */
#include "support/support.h"

#include "expressions/gpu.h"

#include <firepile/random.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { N = 1000, MOST = 1024, PLACES = 8 };

/* What all pairs work on; elements lie in 0 ... MOST - 1, so that each can be a place in `into`. */
typedef struct inputs {
    gpu *g;
    gpu_array *x, *y;
    gpu_array *order;  /* the places of x, in disorder */
    gpu_array *keys;   /* as many as x, in runs */
    gpu_array *places; /* few */
    gpu_array *into;
    gpu_dict *dict; /* of all places in `order` */
} inputs;

/* ---- producers ---- */

typedef gpu_array *make(const inputs *in);

static gpu_array *computed(const inputs *in)
{
    return in->x;
}

static gpu_array *map(const inputs *in)
{
    return gpu_map(in->x, "x ^ 1");
}

static gpu_array *map2(const inputs *in)
{
    return gpu_map2(in->x, in->y, "(x + y) / 2");
}

static gpu_array *zip(const inputs *in)
{
    return gpu_map_to(gpu_zip(in->x, in->y, GPU_INT2), GPU_INT, "max(x.x, x.y)");
}

static gpu_array *range(const inputs *in)
{
    return gpu_range(in->g, GPU_INT, N);
}

static gpu_array *fill(const inputs *in)
{
    return gpu_fill(in->g, GPU_INT, &(int){700}, N);
}

/* In the range of places. */
static gpu_array *random_numbers(const inputs *in)
{
    return gpu_map_to(gpu_random(in->g, GPU_USHORT, N, 1), GPU_INT, "x % 1000");
}

static gpu_array *shuffle(const inputs *in)
{
    return gpu_shuffle(in->x, 1);
}

static gpu_array *slice(const inputs *in)
{
    return gpu_slice(in->x, 3, N - 5);
}

static gpu_array *gather(const inputs *in)
{
    return gpu_gather(in->x, in->order);
}

static gpu_array *dict_get(const inputs *in)
{
    return gpu_dict_get(in->dict, in->order, NULL);
}

static gpu_array *reverse(const inputs *in)
{
    return gpu_reverse(in->x);
}

/* A matrix whose rows are the columns of another one. */
static gpu_array *transpose(const inputs *in)
{
    return gpu_matrix_array(gpu_matrix_transpose(gpu_matrix_from(in->x, N / 10, 10)));
}

static gpu_array *concat(const inputs *in)
{
    return gpu_concat(in->x, in->y);
}

static gpu_array *filter(const inputs *in)
{
    return gpu_filter(in->x, "x > 300");
}

/* In the range of places. */
static gpu_array *stencil(const inputs *in)
{
    return gpu_stencil(in->x, 2, GPU_EDGE_REFLECT, "(at(-2) + at(1)) / 2");
}

static gpu_array *matrix_stencil(const inputs *in)
{
    gpu_matrix *m = gpu_matrix_from(in->x, N / 40, 40);
    return gpu_matrix_array(gpu_matrix_stencil(m, 2, GPU_EDGE_WRAP, "(at(-1, 2) + at(1, 0)) / 2"));
}

static gpu_array *unique_by(const inputs *in)
{
    return gpu_unique_by(in->x, "a / 100 == b / 100");
}

static gpu_array *scan(const inputs *in)
{
    return gpu_scan(in->x, "max(a, b)");
}

static gpu_array *sort(const inputs *in)
{
    return gpu_sort(in->x);
}

static gpu_array *sort_descending(const inputs *in)
{
    return gpu_sort_descending(in->x);
}

static gpu_array *merge(const inputs *in)
{
    return gpu_merge(gpu_slice(in->keys, 0, 450), gpu_slice(gpu_reverse(in->into), MOST - 500, 500));
}

static gpu_array *scatter(const inputs *in)
{
    return gpu_scatter(in->into, in->order, in->x);
}

static gpu_array *bin_reduce(const inputs *in)
{
    return gpu_bin_reduce(in->order, in->x, N, &(int){0}, "max(a, b)");
}

static gpu_array *block_reduce(const inputs *in)
{
    return gpu_block_reduce(in->x, 10, "max(a, b)");
}

static gpu_array *window_reduce(const inputs *in)
{
    return gpu_window_reduce(in->x, 10, "max(a, b)");
}

static gpu_array *reduce_by_key(const inputs *in)
{
    gpu_array *keys, *values;
    test_ok(gpu_reduce_by_key(in->keys, in->x, "max(a, b)", &keys, &values));
    return values;
}

/* ---- consumers ---- */

/* What comes out: one or two arrays, which are read when the kernels have been counted, or what is on the host
 * already. */
typedef struct outcome {
    gpu_array *arrays[2];
    unsigned char bytes[4 * MOST * sizeof(uint64_t)];
    size_t used;
} outcome;

static void keep(outcome *out, const void *bytes, size_t n)
{
    cr_assert_leq(n, sizeof out->bytes - out->used);
    memcpy(out->bytes + out->used, bytes, n);
    out->used += n;
}

typedef void consume(const inputs *in, const gpu_array *a, outcome *out);

static void to_map(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    out->arrays[0] = gpu_eval(gpu_map(a, "x * 3"));
}

static void to_reduce(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    int sum;
    test_ok(gpu_reduce(a, "a + b", &sum));
    keep(out, &sum, sizeof sum);
}

static void to_scan(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    out->arrays[0] = gpu_eval(gpu_scan(a, "a + b"));
}

static void to_filter(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    out->arrays[0] = gpu_eval(gpu_filter(a, "x > 500"));
}

static void to_index_of(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    size_t index;
    test_ok(gpu_index_of(a, &(int){700}, &index));
    keep(out, &index, sizeof index);
}

static void to_sort(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    out->arrays[0] = gpu_eval(gpu_sort(a));
}

static void to_reduce_by_key(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    test_ok(gpu_reduce_by_key(a, a, "a + b", &out->arrays[0], &out->arrays[1]));
}

static void to_histogram(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    test_ok(gpu_histogram(a, &(int){0}, &(int){MOST}, 16, &out->arrays[0], &out->arrays[1]));
}

static void to_gather(const inputs *in, const gpu_array *a, outcome *out)
{
    out->arrays[0] = gpu_eval(gpu_gather(a, in->places));
}

/* Equal elements go to the same place, so that it does not matter which of them stays. */
static void to_scatter(const inputs *in, const gpu_array *a, outcome *out)
{
    out->arrays[0] = gpu_scatter(in->into, a, a);
}

static void to_read(const inputs *in, const gpu_array *a, outcome *out)
{
    (void)in;
    int elements[2 * N];
    size_t n;
    test_ok(gpu_read_n(a, elements, COUNT_OF(elements), &n));
    keep(out, elements, n * sizeof *elements);
}

/* In the order of the table's columns. */
enum { MAP, REDUCE, SCAN, FILTER, INDEX_OF, SORT, REDUCE_BY_KEY, HISTOGRAM, GATHER, SCATTER, READ };
static const struct consumer {
    const char *name;
    consume *run;
} consumers[] = {{"map", to_map},
                 {"reduce", to_reduce},
                 {"scan", to_scan},
                 {"filter", to_filter},
                 {"index_of", to_index_of},
                 {"sort", to_sort},
                 {"reduce_by_key", to_reduce_by_key},
                 {"histogram", to_histogram},
                 {"gather", to_gather},
                 {"scatter", to_scatter},
                 {"read", to_read}};

/* ---- one pair ---- */

static inputs make_inputs(gpu *g)
{
    int x[N], y[N], order[N], keys[N], places[PLACES], into[MOST];
    uint64_t state = 7;
    for (int k = 0; k < N; k++) {
        x[k] = (int)(test_random(&state) % MOST);
        y[k] = (int)(test_random(&state) % MOST);
        order[k] = k * 7 % N;
        keys[k] = k / 3;
    }
    for (int k = 0; k < PLACES; k++) places[k] = PLACES - 1 - k;
    for (int k = 0; k < MOST; k++) into[k] = MOST - 1 - k;
    inputs in = {.g = g,
                 .x = gpu_array_of(g, x, N),
                 .y = gpu_array_of(g, y, N),
                 .order = gpu_array_of(g, order, N),
                 .keys = gpu_array_of(g, keys, N),
                 .places = gpu_array_of(g, places, PLACES),
                 .into = gpu_array_of(g, into, MOST)};
    in.dict = gpu_dict_eval(gpu_dict_of(in.order, in.x, "b"));
    return in;
}

/* Runs a pair, and returns how many kernels it took. */
static uint64_t run(const inputs *in, make *producer, const struct consumer *consumer, outcome *out)
{
    gpu_scope *scope = gpu_scope_begin(in->g);
    uint64_t before = test_stats(in->g).kernels_launched;
    consumer->run(in, producer(in), out);
    uint64_t after = test_stats(in->g).kernels_launched;
    for (int k = 0; k < 2 && out->arrays[k]; k++) {
        size_t n, room = (sizeof out->bytes - out->used) / sizeof(uint64_t);
        void *elements = out->bytes + out->used;
        test_ok(gpu_read_n(out->arrays[k], elements, room, &n));
        out->used += n * gpu_type_of(out->arrays[k])->size;
    }
    gpu_scope_end(scope);
    return after - before;
}

static void check_same(const char *producer, const char *consumer, const outcome *fused, const outcome *eager)
{
    cr_assert(fused->used > 0, "%s, %s: nothing came out", producer, consumer);
    cr_assert(fused->used == eager->used && !memcmp(fused->bytes, eager->bytes, fused->used),
              "%s, %s: fused and eager differ", producer, consumer);
}

/* ---- the table ---- */

/* Puts a row in the place of the one that begins like it, up to its second bar. */
static void write_row(const char *path, const char *row)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r+");
    cr_assert(file && !flock(fileno(file), LOCK_EX), "cannot write %s", path);
    size_t length = fread(text, 1, sizeof text - 1, file), head = (size_t)(strchr(row + 1, '|') - row) + 1;
    text[length] = 0;
    char *at = text, *end;
    while (strncmp(at, row, head) && (end = strchr(at, '\n'))) at = end + 1;
    cr_assert(*at && (end = strchr(at, '\n')), "%s has no row that begins like %s", path, row);
    rewind(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, row, end + 1);
    cr_assert(!fflush(file) && !ftruncate(fileno(file), ftell(file)));
    fclose(file);
}

/* The cells of a row of the document. */
static void read_row(const char *path, const char *kind, char *row, size_t room)
{
    char head[64];
    size_t length = (size_t)snprintf(head, sizeof head, "| %s |", kind);
    FILE *file = fopen(path, "r");
    cr_assert(file, "cannot read %s", path);
    while (fgets(row, (int)room, file) && strncmp(row, head, length)) continue;
    cr_assert(!strncmp(row, head, length), "%s has no row for %s", path, kind);
    memmove(row, row + length, strlen(row + length) + 1);
    fclose(file);
}

/* The table is of a CPU: how many kernels a sort is depends on the device. */
static bool has_table(const gpu *g)
{
    return g->policy.cpu && !g->capabilities->host && !test_tiny();
}

static bool writes(void)
{
    return getenv("FIREPILE_TEST_WRITE") != NULL;
}

/* Kernels of the pairs; those that did not run have NOT_RUN. */
enum { NOT_RUN = -1, ALL = -1 };

static void check_row(const char *producer, const char *kind, const int *kernels)
{
    char path[4 * TEST_PATH], row[512];
    const char *source = getenv("FP_TEST_SOURCE");
    snprintf(path, sizeof path, "%s/docs/fusion.md", source ? source : ".");
    size_t used = (size_t)snprintf(row, sizeof row, "| %s |", kind);
    for (size_t k = 0; k < COUNT_OF(consumers); k++)
        used += (size_t)snprintf(row + used, sizeof row - used, " %d |", kernels[k]);
    snprintf(row + used, sizeof row - used, "\n");
    if (writes()) write_row(path, row);
    read_row(path, kind, row, sizeof row);
    char *cell = row;
    for (size_t k = 0; k < COUNT_OF(consumers); k++, cell++) {
        int wanted = (int)strtol(cell, &cell, 10);
        cell = strchr(cell, '|');
        cr_assert(cell, "docs/fusion.md: the row of %s is too short", kind);
        cr_assert(kernels[k] == NOT_RUN || kernels[k] == wanted,
                  "%s, %s: %d kernels, and the row of %s in docs/fusion.md says %d; FIREPILE_TEST_WRITE=1 corrects it",
                  producer, consumers[k].name, kernels[k], kind, wanted);
    }
}

/* ---- all pairs ---- */

/* A producer, whose kernels are those of `kind`, before each consumer, or, in a short run, before `only` one. */
typedef struct producer {
    const char *name, *kind;
    make *make;
    int only;
} producer;

typedef struct results {
    outcome outcomes[2][COUNT_OF(consumers)]; /* fused, eager */
    int kernels[COUNT_OF(consumers)];
} results;

static void run_all(gpu *g, const producer *p, bool eager, results *out)
{
    inputs in = make_inputs(g);
    for (size_t k = 0; k < COUNT_OF(consumers); k++) {
        bool takes = p->only == ALL || (int)k == p->only || test_full() || writes();
        int launched = takes ? (int)run(&in, p->make, &consumers[k], &out->outcomes[eager][k]) : NOT_RUN;
        if (!eager) out->kernels[k] = launched;
    }
}

static void check_all_same(const producer *p, const results *of)
{
    for (size_t k = 0; k < COUNT_OF(consumers); k++)
        if (of->kernels[k] != NOT_RUN) check_same(p->name, consumers[k].name, &of->outcomes[0][k], &of->outcomes[1][k]);
}

static void check(const producer *producers, size_t count)
{
    results *all = test_alloc(count, sizeof *all);
    setenv("FIREPILE_SMALL", "0", 1);  /* kernels are counted */
    setenv("FIREPILE_VERIFY", "0", 1); /* which computes all at once */
    for (int eager = 0; eager < 2; eager++) {
        setenv("FIREPILE_EAGER", eager ? "1" : "0", 1);
        gpu *g = test_open();
        for (size_t p = 0; p < count; p++) run_all(g, &producers[p], eager, &all[p]);
        for (size_t p = 0; p < count && !eager && has_table(g); p++)
            check_row(producers[p].name, producers[p].kind, all[p].kernels);
        test_close(g);
    }
    for (size_t p = 0; p < count; p++) check_all_same(&producers[p], &all[p]);
    free(all);
}

/* They share the kernels for buffers. */
Test(fusion, stored_arrays_fuse_as_the_table_says)
{
    static const producer all[] = {
        {"computed", "computed", computed, ALL},
        {"slice", "slice", slice, ALL},
        {"scan", "delayed", scan, ALL},
        {"sort", "delayed", sort, ALL},
        {"sort_descending", "delayed", sort_descending, ALL},
        {"merge", "delayed", merge, ALL},
        {"scatter", "scatter", scatter, ALL},
        {"bin_reduce", "scatter", bin_reduce, ALL},
        {"block_reduce", "stored", block_reduce, ALL},
        {"window_reduce", "stored", window_reduce, ALL},
    };
    check(all, COUNT_OF(all));
}

/* And these the ones for buffers whose length the device knows. */
Test(fusion, arrays_of_counted_lengths_fuse_as_the_table_says)
{
    static const producer all[] = {{"filter", "filter", filter, ALL},
                                   {"unique_by", "filter", unique_by, SCAN},
                                   {"reduce_by_key", "stored", reduce_by_key, ALL}};
    check(all, COUNT_OF(all));
}

/* Delayed: each pair is a kernel of its own, so a short run takes one of each producer, and every consumer. Only of two
 * arrays it takes all: kernels that prefetch have a statement for each. */
Test(fusion, maps_fuse_as_the_table_says)
{
    static const producer all[] = {{"map", "map", map, REDUCE}, {"map2", "map", map2, ALL}, {"zip", "map", zip, SCAN}};
    check(all, COUNT_OF(all));
}

Test(fusion, arrays_made_of_nothing_fuse_as_the_table_says)
{
    static const producer all[] = {
        {"range", "map", range, FILTER}, {"fill", "map", fill, SORT}, {"random", "map", random_numbers, INDEX_OF}};
    check(all, COUNT_OF(all));
}

Test(fusion, moved_elements_fuse_as_the_table_says)
{
    static const producer all[] = {
        {"gather", "map", gather, REDUCE_BY_KEY}, {"dict_get", "map", dict_get, HISTOGRAM},
        {"reverse", "map", reverse, SCATTER},     {"transpose", "map", transpose, GATHER},
        {"shuffle", "map", shuffle, REDUCE},      {"concat", "concat", concat, READ},
        {"stencil", "map", stencil, FILTER},      {"matrix_stencil", "map", matrix_stencil, MAP}};
    check(all, COUNT_OF(all));
}
