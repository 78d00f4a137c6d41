/* A worker: measures one contender in a process of its own, as the benchmark asks (wire.h). */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct worker {
    gpu *g;
    const bench_peer *peer; /* NULL: this library */
    wire_hello hello;
    const bench_op *op; /* the current operation, or NULL */
    wire_question asked;
    void *elements, *want;
    gpu_array *in;
    bench_trial *trial;
    bench_expected expected;
} worker;

/* An operation of bytes that are copied on the device. */
static const bench_op copy_op = {.name = "copy", .type = &gpu_type_float, .result = sizeof(float)};

static const bench_op *find_op(const wire_question *q)
{
    if (!strcmp(q->op, copy_op.name)) return &copy_op;
    const bench_op *op = bench_ops();
    while (op && (strcmp(op->name, q->op) || strcmp(op->type->name, q->type))) op = op->next;
    return op;
}

/* Nothing takes a byte too. */
static size_t room(size_t bytes)
{
    return bytes ? bytes : 1;
}

static void *map_bytes(int descriptor, size_t bytes)
{
    void *at = mmap(NULL, room(bytes), PROT_READ, MAP_SHARED, descriptor, 0);
    return at == MAP_FAILED ? NULL : at;
}

static bench_trial *begin(worker *w)
{
    const wire_question *q = &w->asked;
    bench_job job = {.op = q->op,
                     .type = q->type,
                     .n = q->n,
                     .element = w->op->type->size,
                     .elements = w->elements,
                     .buffer = w->peer ? gpu_array_mem(w->in, NULL) : NULL,
                     .queue = gpu_queue(w->g)};
    if (w->peer) return w->peer->start(&job);
    if (w->op == &copy_op) return copy_start(job.queue, w->elements, q->n * sizeof(float));
    return library_start(w->op, w->g, w->in);
}

static void stop(worker *w)
{
    if (w->trial) w->trial->free(w->trial);
    gpu_array_free(w->in);
    free(w->expected.got);
    if (w->elements) munmap(w->elements, room(w->asked.n * w->op->type->size));
    if (w->want) munmap(w->want, room(w->asked.results * w->op->result));
    w->op = NULL;
    w->trial = NULL;
    w->in = NULL;
    w->elements = w->want = NULL;
    w->expected = (bench_expected){0};
}

/* False if there is no memory. */
static bool prepare(worker *w)
{
    const wire_question *q = &w->asked;
    w->elements = map_bytes(WIRE_ELEMENTS, q->n * w->op->type->size);
    w->want = map_bytes(WIRE_WANTED, q->results * w->op->result);
    w->expected = (bench_expected){w->op, w->want, malloc(room(q->results * w->op->result)), q->results};
    if (!w->elements || !w->want || !w->expected.got) return false;
    w->in = gpu_array_from(w->g, w->op->type, w->elements, q->n);
    if (!gpu_array_status(w->in)) return true;
    fprintf(stderr, "bench: %s\n", gpu_array_error(w->in));
    return false;
}

static wire_answer start(worker *w, const wire_question *q)
{
    w->asked = *q;
    w->op = find_op(q);
    if (!w->op || (w->peer && w->op == &copy_op)) return (wire_answer){0};
    if (!prepare(w)) return (wire_answer){.known = true, .verdict = VERDICT_FAILED};
    w->trial = begin(w);
    if (w->trial) return measure_first(w->trial, &w->expected);
    return (wire_answer){.known = !w->peer, .verdict = VERDICT_FAILED}; /* a peer has not all operations */
}

/* The device's own times of our kernels. The queue profiles, which may cost wall time, so the rounds have another. */
static double kernel_ms(const worker *w)
{
    if (w->peer || w->op == &copy_op) return 0;
    gpu *profiled = open_profiled(w->g);
    gpu_array *in = profiled ? gpu_array_wrap(profiled, w->op->type, gpu_array_mem(w->in, NULL), w->asked.n) : NULL;
    bench_trial *trial = in ? library_start(w->op, profiled, in) : NULL;
    double ms = trial ? measure_kernels(trial, profiled) : 0;
    if (trial) trial->free(trial);
    gpu_array_free(in);
    gpu_close(profiled);
    return ms;
}

static wire_answer answer(worker *w, const wire_question *q)
{
    if (q->verb == WIRE_START) return start(w, q);
    if (q->verb == WIRE_RUN) return measure_round(w->trial, &w->expected, q->ms);
    if (q->verb == WIRE_CHECK) return (wire_answer){.known = true, .verdict = measure_last(w->trial, &w->expected)};
    if (q->verb == WIRE_KERNELS) return (wire_answer){.known = true, .median_ms = kernel_ms(w)};
    stop(w);
    return (wire_answer){0};
}

static void introduce(worker *w)
{
    wire_hello *h = &w->hello;
    cl_device_type type = 0;
    cl_device_id device = device_of(w->g);
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof h->memory, &h->memory, NULL);
    h->is_gpu = type & CL_DEVICE_TYPE_GPU;
    h->usable = h->fits = true;
    snprintf(h->device, sizeof h->device, "%s", gpu_device_name(w->g));
    snprintf(h->built_for, sizeof h->built_for, "compiler " __VERSION__);
    snprintf(h->name, sizeof h->name, "%s", w->peer ? w->peer->name : REPORT_OURS);
    if (w->peer && w->peer->usable) h->usable = w->peer->usable(device);
    if (w->peer && h->usable && w->peer->built_for) h->fits = w->peer->built_for(h->built_for, sizeof h->built_for);
}

int worker_main(const bench_options *o)
{
    worker w = {.peer = o->object ? peers_find(o->object, o->index) : NULL};
    bool there = !o->object || w.peer;
    if (there) w.g = open_device(o->device);
    if (w.g) introduce(&w);
    bool good = write(WIRE_SOCKET, &w.hello, sizeof w.hello) == sizeof w.hello && w.g;
    for (wire_question q; good && read(WIRE_SOCKET, &q, sizeof q) == sizeof q;) {
        wire_answer a = answer(&w, &q);
        good = write(WIRE_SOCKET, &a, sizeof a) == sizeof a;
    }
    if (w.op) stop(&w);
    gpu_close(w.g);
    return good ? 0 : 2;
}
