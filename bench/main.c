/* bench: this library's operations and the alternatives to it, on the device at hand. Each is measured by a worker. */
#include "bench.h"

#include <glob.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* This library, another build of it, and the peers. */
enum { CONTENDERS_MOST = 20 };

typedef struct bench {
    const bench_options *options;
    contender contenders[CONTENDERS_MOST]; /* this library first */
    size_t count;
    int core; /* of all contenders on a GPU */
    shared_bytes elements, wanted;
    bool sizes_given;
    bench_report report;
} bench;

static const wire_hello *device(const bench *b)
{
    return &b->contenders[0].hello;
}

/* ---- contenders ---- */

/* Starts a worker for the next place in the list, which it takes if there is such a contender. */
static bool add_contender(bench *b, const char *program, const char *object, int index)
{
    contender *c = &b->contenders[b->count];
    if (b->count == CONTENDERS_MOST) return false;
    *c = (contender){.index = index, .core = b->core, .device = b->options->device};
    snprintf(c->program, sizeof c->program, "%s", program);
    snprintf(c->object, sizeof c->object, "%s", object);
    if (!contender_start(c, &b->elements, &b->wanted)) {
        fprintf(stderr, "bench: the process of %s ended\n", *object ? object : program);
        return false;
    }
    snprintf(c->name, sizeof c->name, "%s", b->count && !*object ? "other" : c->hello.name);
    if (*c->name) b->count++;
    return *c->name;
}

/* Of the contender that came last: is it to be measured? */
static bool is_wanted(const bench *b, bool *good)
{
    const contender *c = &b->contenders[b->count - 1];
    if (!options_list_has(b->options->peers, c->name) || !c->hello.usable) return false;
    if (!c->hello.fits) {
        fprintf(stderr, "bench: %s was built for %s: build it with CUDA_ARCH for this device\n", c->name,
                c->hello.built_for);
        *good = false;
    }
    return c->hello.fits;
}

/* False if one of them was built for another device. */
static bool add_peers(bench *b, const char *program)
{
    char pattern[4096];
    glob_t found;
    bool good = true;
    if (!beside_program("peers/*.so", pattern, sizeof pattern) || glob(pattern, 0, NULL, &found)) return true;
    for (size_t k = 0; k < found.gl_pathc; k++) {
        for (int index = 0; add_contender(b, program, found.gl_pathv[k], index); index++) {
            if (is_wanted(b, &good)) continue;
            contender_stop(&b->contenders[--b->count]);
        }
        if (b->count < CONTENDERS_MOST) contender_stop(&b->contenders[b->count]); /* of the place behind the last */
    }
    globfree(&found);
    return good;
}

static bool bench_open(bench *b, const bench_options *o)
{
    char program[4096];
    *b = (bench){.options = o, .core = sched_getcpu(), .sizes_given = o->size_count > 0};
    if (b->core < 0) b->core = 0;
    if (!shared_open(&b->elements, "elements") || !shared_open(&b->wanted, "wanted")) return false;
    if (!beside_program("bench", program, sizeof program) || !add_contender(b, program, "", 0)) return false;
    if (o->against && !add_contender(b, o->against, "", 0)) return false;
    return add_peers(b, program);
}

static void bench_close(bench *b)
{
    for (size_t k = 0; k < b->count; k++) {
        bool there = b->contenders[k].pid;
        if (contender_stop(&b->contenders[k]) || !there) continue;
        fprintf(stderr, "bench: the process of %s did not end well\n", b->contenders[k].name);
        b->report.wrong += k == 0;
    }
}

/* Those that crashed are there again for the next operation. */
static void restart(bench *b)
{
    for (size_t k = 0; k < b->count; k++) {
        contender *c = &b->contenders[k], again = *c;
        if (c->pid || !contender_start(&again, &b->elements, &b->wanted)) continue;
        if (!*again.hello.name) contender_stop(&again); /* the device is gone */
        c->pid = again.pid;
        c->socket = again.socket;
    }
}

/* Asks a worker between two rows. A crash there is told too. */
static void ask_beside(bench *b, contender *c, wire_verb verb, wire_answer *a)
{
    if (contender_ask(c, &(wire_question){.verb = verb}, a)) return;
    fprintf(stderr, "bench: the process of %s ended between two operations\n", c->name);
    *a = (wire_answer){0};
    b->report.wrong += c == b->contenders;
}

/* ---- rows ---- */

static void add_row(bench *b, const wire_question *q, double bytes, size_t who, const bench_series *series)
{
    const bench_series *s = &series[who];
    if (!s->known) return;
    bench_row row = {.who = b->contenders[who].name,
                     .n = q->n,
                     .verdict = s->verdict,
                     .first_ms = s->first_ms,
                     .median_ms = series_median(s),
                     .min_ms = s->least_ms};
    memcpy(row.op, q->op, sizeof row.op);
    memcpy(row.type, q->type, sizeof row.type);
    if (row.median_ms > 0) row.gbps = bytes / row.median_ms * 1e-6;
    if (!b->report.count) b->report.copy_gbps = row.gbps; /* the first row is the copy's */
    if (b->report.copy_gbps > 0) row.of_copy = row.gbps / b->report.copy_gbps;
    if (who > 0) row.ratio = series_ratio(&series[0], s);
    if (who > 0) goal_find(&row, device(b)->is_gpu, &row.goal);
    wire_answer kernels = {0};
    if (who == 0 && s->verdict < VERDICT_FAILED) ask_beside(b, &b->contenders[0], WIRE_KERNELS, &kernels);
    row.kernel_ms = kernels.median_ms;
    report_row(&b->report, &row);
}

/* One operation at one size, whose elements and wanted results lie where workers see them. */
static void measure_one(bench *b, const wire_question *q, double bytes, size_t count)
{
    bench_series series[CONTENDERS_MOST];
    wire_answer ignored;
    restart(b);
    rounds_measure(b->contenders, count, q, series);
    for (size_t k = 0; k < count; k++) add_row(b, q, bytes, k, series);
    for (size_t k = 0; k < count; k++)
        if (b->contenders[k].pid) ask_beside(b, &b->contenders[k], WIRE_STOP, &ignored);
}

/* The device's copy: a big one, the rate that others are compared with. */
static bool measure_copy(bench *b)
{
    wire_question q = {.verb = WIRE_START, .op = "copy", .type = "float"};
    size_t bytes = (size_t)1 << (device(b)->is_gpu ? 30 : 28);
    while (bytes > device(b)->memory / 8) bytes /= 2;
    q.n = q.results = bytes / sizeof(float);
    if (!shared_resize(&b->elements, bytes) || !shared_resize(&b->wanted, bytes)) {
        fprintf(stderr, "bench: there is no memory for a copy of %zu bytes\n", bytes);
        return false;
    }
    bench_generate_float(b->elements.at, q.n, 1);
    memcpy(b->wanted.at, b->elements.at, bytes);
    measure_one(b, &q, 2 * (double)bytes, 1);
    return b->report.copy_gbps > 0 && !b->report.wrong;
}

/* ---- operations ---- */

/* The largest of the sizes that an operation is measured with; 0 if all are too large. */
static size_t largest_size(const bench *b, const bench_op *op)
{
    const bench_options *o = b->options;
    size_t limit = op->most, k = o->size_count;
    if (!device(b)->is_gpu && !b->sizes_given && !limit) limit = op->most_on_cpu ? op->most_on_cpu : BENCH_MOST_ON_CPU;
    while (k > 0 && limit && o->sizes[k - 1] > limit) k--;
    return k > 0 ? o->sizes[k - 1] : 0;
}

/* Input, output and what contenders hold of them have to fit into the device's memory. */
static bool fits_device(const bench *b, const bench_op *op, size_t n)
{
    if (op->type->size * n <= device(b)->memory / (8 * b->count)) return true;
    fprintf(stderr, "bench: %s of %zu %s is left out: too much for the device's memory\n", op->name, n, op->type->name);
    return false;
}

static bool measure_op(bench *b, const bench_op *op)
{
    const bench_options *o = b->options;
    size_t most = largest_size(b, op), results = bench_results(op, most);
    if (!most) return true;
    if (!shared_resize(&b->elements, most * op->type->size) || !shared_resize(&b->wanted, results * op->result)) {
        fprintf(stderr, "bench: there is no memory for %zu elements of %s\n", most, op->type->name);
        return false;
    }
    report_progress(op->name, op->type->name, most, "the elements");
    op->generate(b->elements.at, most, 1);
    for (size_t k = 0; k < o->size_count && o->sizes[k] <= most; k++) {
        wire_question q = {.verb = WIRE_START, .n = o->sizes[k]};
        if (!fits_device(b, op, q.n)) break;
        snprintf(q.op, sizeof q.op, "%s", op->name);
        snprintf(q.type, sizeof q.type, "%s", op->type->name);
        q.results = op->reference(b->elements.at, q.n, b->wanted.at);
        measure_one(b, &q, (double)op->bytes * (double)q.n, b->count);
    }
    return true;
}

static bool selected(const bench_options *o, const bench_op *op)
{
    return options_list_has(o->ops, op->name) && options_list_has(o->types, op->type->name);
}

static bool any_selected(const bench_options *o)
{
    for (const bench_op *op = bench_ops(); op; op = op->next)
        if (selected(o, op)) return true;
    fprintf(stderr, "bench: no operation fits --ops and --types; there are:\n");
    for (const bench_op *op = bench_ops(); op; op = op->next) fprintf(stderr, "  %s of %s\n", op->name, op->type->name);
    return false;
}

/* The exit status. */
static int measure_ops(bench *b)
{
    bool good = measure_copy(b);
    for (const bench_op *op = bench_ops(); op && good; op = op->next)
        if (selected(b->options, op)) good = measure_op(b, op);
    good = report_close(&b->report) && good;
    bench_close(b);
    return !good ? 2 : b->report.wrong ? 1 : 0;
}

static int run_bench(bench_options *o)
{
    bench b;
    int status = 2;
    if (!any_selected(o)) return 2;
    if (bench_open(&b, o)) {
        if (!o->size_count) options_sizes(o, device(&b)->is_gpu ? "2^12..2^28" : "2^12,2^16,2^20,2^24,2^26");
        if (report_open(&b.report, b.contenders, b.count, o->format, o->folder)) status = measure_ops(&b);
    }
    bench_close(&b);
    return status;
}

int main(int argc, char **argv)
{
    bench_options o;
    if (!options_read(&o, argc, argv)) return 2;
    if (o.help) return fputs(options_usage, stdout) == EOF;
    if (o.worker) return worker_main(&o);
    if (o.small) return small_arrays(o.device) ? 0 : 2;
    if (o.host_cost) return host_cost(o.device) ? 0 : 2;
    return run_bench(&o);
}
