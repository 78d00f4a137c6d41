/* Kernels of the user's own on the host.
 *
 * Note [items]: one item runs at a time. Without barriers they are calls, one after the other. With barriers each item
 * of a group has a thread, which goes from group to group, and a baton goes from item to item: an item keeps it up to
 * its next barrier or its end. So a kernel has no race between threads, debuggers see each item's stack, and a barrier
 * that only some items reach is found when the baton has been with all. */
#include "base/error.h"
#include "base/memory.h"
#include "base/switch.h"
#include "expressions/entry.h"
#include "host/internal.h"
#include "kernel/signature.h"
#include "kernel/value.h"

#include <firepile/spawn.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>

enum { STACK = 1 << 19, LOCAL_ALIGNMENT = 128, GUARD = 256 };

/* The order in which items run. A kernel without races gives the same results in any. */
typedef enum item_order { FORWARD, BACKWARD, ODD_FIRST, ORDERS } item_order;

/* A launch. */
typedef struct spawned {
    const fp_request *request;
    item_order order;
    bool checks; /* FIREPILE_CHECK: undefined memory begins as `fill`, and so do the guards (Note [guards]) */
    unsigned char fill;
    unsigned char *guarded[FP_OUTPUTS]; /* results between guards */
    const fp_call *call;
    void **arguments; /* of the function */
    void **pointers;  /* those of them that are pointers */
    uint64_t *lengths;
    unsigned char *local;
    size_t local_bytes;
    gpu_item_place place; /* of the numbers that all items have in common */
} spawned;

/* ---- places ---- */

static _Thread_local const gpu_item_place *now;
static _Thread_local struct item_thread *own_thread;

const gpu_item_place *gpu_item_now(void)
{
    static const gpu_item_place alone = {.items = 1, .groups = 1, .item_rows = 1, .item_columns = 1};
    return now ? now : &alone;
}

/* What comes at this turn, of `count`. */
static uint32_t in_order(item_order order, uint32_t turn, uint32_t count)
{
    const uint32_t odd = count / 2;
    if (order == FORWARD) return turn;
    if (order == BACKWARD) return count - 1 - turn;
    return turn < odd ? 2 * turn + 1 : 2 * (turn - odd);
}

static gpu_item_place place_of(const spawned *s, uint32_t group_turn, uint32_t item_turn)
{
    const uint32_t group = in_order(s->order, group_turn, s->place.groups);
    const uint32_t item = in_order(s->order, item_turn, s->place.items);
    const size_t *shape = s->request->shape;
    gpu_item_place p = s->place;
    p.group = group;
    p.item = item;
    p.i = (uint64_t)group * p.items + item;
    if (!shape[1]) return p;
    const size_t group_columns = shape[0] / shape[1];
    p.item_row = item / p.item_columns;
    p.item_column = item % p.item_columns;
    p.row = group / group_columns * p.item_rows + p.item_row;
    p.column = group % group_columns * p.item_columns + p.item_column;
    return p;
}

static void run_item(const spawned *s, uint32_t group, uint32_t item)
{
    const gpu_item_place place = place_of(s, group, item), *const outer = now;
    int nothing;
    now = &place;
    fp_call_run(s->call, &nothing, s->arguments);
    now = outer;
}

/* ---- the baton ---- */

typedef struct baton {
    const spawned *spawned;
    sem_t *turns; /* of each item */
    uint32_t group, waiting, ended;
    uint32_t waits, ends; /* the last item that did */
    bool over, failed;
} baton;

typedef struct item_thread {
    baton *baton;
    uint32_t item;
    pthread_t thread;
} item_thread;

static void wait_for_turn(const item_thread *t)
{
    while (sem_wait(&t->baton->turns[t->item])) continue;
}

static void end_all(baton *b)
{
    b->over = true;
    for (uint32_t k = 0; k < b->spawned->place.items; k++) sem_post(&b->turns[k]);
}

/* The baton has been with all items of the group. */
static void judge(baton *b)
{
    b->failed = b->ended && b->waiting;
    if (b->ended) b->group++;
    if (!b->failed) b->ended = b->waiting = 0;
    if (b->failed || b->group == b->spawned->place.groups) end_all(b);
}

/* Gives the baton to the next item, and waits until it is back. */
static void pass_on(const item_thread *t)
{
    baton *b = t->baton;
    const bool last = t->item + 1 == b->spawned->place.items;
    if (last) judge(b);
    if (!b->over) sem_post(&b->turns[last ? 0 : t->item + 1]);
    wait_for_turn(t);
}

void gpu_item_sync(void)
{
    const item_thread *t = own_thread;
    if (!t) return;
    t->baton->waiting++;
    t->baton->waits = t->item;
    pass_on(t);
    if (t->baton->over) pthread_exit(NULL);
}

static void *run_thread(void *context)
{
    const item_thread *t = own_thread = context;
    baton *b = t->baton;
    wait_for_turn(t);
    while (!b->over) {
        run_item(b->spawned, b->group, t->item);
        b->ended++;
        b->ends = t->item;
        pass_on(t);
    }
    return NULL;
}

static gpu_status refuse_barrier(const baton *b)
{
    const gpu_definition *d = b->spawned->request->ops[0]->snippet->kernel;
    return fp_fail(
        GPU_E_SNIPPET,
        "the kernel %s (%s:%d) has a barrier that not all items reach: in group %u item %u waits at a sync(), "
        "and item %u has ended",
        d->name, d->place.file, d->place.line, b->group - 1, b->waits, b->ends);
}

/* Starts the threads; fewer than all of them on failure. */
static uint32_t start_threads(baton *b, item_thread *threads)
{
    pthread_attr_t attributes;
    uint32_t started = 0;
    if (pthread_attr_init(&attributes)) return 0;
    pthread_attr_setstacksize(&attributes, STACK);
    for (; started < b->spawned->place.items; started++) {
        threads[started] = (item_thread){.baton = b, .item = started};
        if (pthread_create(&threads[started].thread, &attributes, run_thread, &threads[started])) break;
    }
    pthread_attr_destroy(&attributes);
    return started;
}

static gpu_status run_in_threads(const spawned *s)
{
    const uint32_t items = s->place.items;
    item_thread *threads = fp_alloc_array(items, sizeof *threads);
    baton b = {.spawned = s, .turns = fp_alloc_array(items, sizeof *b.turns)};
    gpu_status status = threads && b.turns ? GPU_OK : fp_fail_memory();
    for (uint32_t k = 0; k < items && !status; k++) sem_init(&b.turns[k], 0, 0);
    const uint32_t started = status ? 0 : start_threads(&b, threads);
    if (!status && started < items)
        status = fp_fail(GPU_E_MEMORY, "%u threads for the items of a group cannot be started", items);
    if (status && started) end_all(&b);
    if (!status) sem_post(&b.turns[0]);
    for (uint32_t k = 0; k < started; k++) pthread_join(threads[k].thread, NULL);
    for (uint32_t k = 0; k < items && b.turns && threads; k++) sem_destroy(&b.turns[k]);
    if (!status && b.failed) status = refuse_barrier(&b);
    fp_free(threads);
    fp_free(b.turns);
    return status;
}

static gpu_status run_in_order(const spawned *s)
{
    for (uint32_t group = 0; group < s->place.groups; group++)
        for (uint32_t item = 0; item < s->place.items; item++) run_item(s, group, item);
    return GPU_OK;
}

/* ---- arguments ---- */

/* The memory of a result; NULL: there is none. */
static void *result_memory(const spawned *s, const fp_captured *c)
{
    if (!fp_captured_is_made(c)) return NULL;
    return s->checks ? s->guarded[c->output] + GUARD : fp_output_memory(s->request, c->output);
}

static size_t result_bytes(const spawned *s, const fp_captured *c)
{
    return s->request->outputs[c->output].length * c->type->size;
}

/* Of a part in local memory, with the guard behind it. */
static size_t local_room(const fp_captured *c)
{
    return fp_round_up(c->extent * c->type->size, LOCAL_ALIGNMENT) + GUARD;
}

/* `at` is the number of a parameter, *local the next free byte of local memory. */
static void set_argument(spawned *s, size_t at, const fp_captured *c, size_t *local)
{
    const void *value = c->large ? fp_node_memory(c->array) : c->bytes;
    s->arguments[at] = &s->pointers[at];
    if (c->length) {
        s->lengths[at] = fp_node_most(c->array);
        s->arguments[at] = &s->lengths[at];
    } else if (c->part == GPU_PART_GROUP) {
        s->pointers[at] = s->local + *local;
        *local += local_room(c);
    } else if (c->part) {
        s->pointers[at] = result_memory(s, c);
    } else if (c->array && !c->large) {
        s->pointers[at] = (void *)(uintptr_t)fp_node_memory(c->array);
    } else if (c->pointed) {
        s->pointers[at] = (void *)(uintptr_t)value;
    } else {
        s->arguments[at] = (void *)(uintptr_t)value;
    }
}

static void set_arguments(spawned *s)
{
    const fp_operator *kernel = s->request->ops[0];
    const fp_signature *f = kernel->snippet->kernel_signature;
    size_t local = GUARD;
    for (size_t k = 0; k < f->count; k++) {
        const fp_function_parameter *p = &f->parameters[k];
        set_argument(s, k, fp_operator_captured(kernel, p->name, p->length), &local);
    }
}

static size_t local_bytes(const fp_operator *kernel)
{
    size_t bytes = GUARD;
    for (unsigned k = 0; k < kernel->count; k++)
        if (kernel->captured[k].part == GPU_PART_GROUP) bytes += local_room(&kernel->captured[k]);
    return bytes;
}

/* ---- results ---- */

/* Fills the results that start as copies, and sets counters to zero. */
static gpu_status begin_results(const spawned *s)
{
    const fp_operator *kernel = s->request->ops[0];
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        void *memory = result_memory(s, c);
        if (memory && s->checks) memset(s->guarded[c->output], s->fill, result_bytes(s, c) + 2 * GUARD);
        if (memory && c->part == GPU_PART_FROM) status = fp_host_copy(c->array, memory);
        if (memory && c->part == GPU_PART_COUNT) memset(memory, 0, c->type->size);
    }
    return status;
}

static void report_count(const fp_operator *kernel, const fp_captured *count, uint64_t counted, uint64_t limit)
{
    const fp_report report = {.what = (uint32_t)(count - kernel->captured) + 1, .number = counted, .limit = limit};
    size_t offset;
    fp_buffer *buffer = fp_deferred_report_buffer(kernel->reports, &offset);
    fp_report *there = (fp_report *)((char *)fp_buffer_memory(buffer) + offset);
    if (fp_buffer_memory(buffer) && !there->what) *there = report; /* else the device has reported it */
}

/* Counts beyond the lengths of their results are cut. */
static void end_results(const spawned *s)
{
    const fp_request *r = s->request;
    const fp_operator *kernel = r->ops[0];
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (c->part != GPU_PART_COUNT) continue;
        const fp_captured *of = fp_part_shortened(kernel, c);
        uint32_t *counted = result_memory(s, c);
        if (*counted > of->extent) report_count(kernel, c, *counted, of->extent);
        if (*counted > of->extent) *counted = (uint32_t)of->extent;
        fp_count_learn(r->outputs[of->output].count, *counted);
    }
}

static gpu_item_place common_place(const fp_request *r)
{
    const size_t rows = r->shape[2];
    return (gpu_item_place){.items = (uint32_t)r->number,
                            .groups = (uint32_t)r->shape[0],
                            .item_rows = rows ? (uint32_t)rows : 1,
                            .item_columns = (uint32_t)(rows ? r->number / rows : r->number)};
}

/* Local memory begins otherwise than results: an element that was read there has been written here. */
static unsigned char local_fill(const spawned *s)
{
    return (unsigned char)~s->fill;
}

static gpu_status run(spawned *s)
{
    const fp_snippet *snippet = s->request->ops[0]->snippet;
    gpu_status status = begin_results(s);
    if (status) return status;
    if (s->checks) memset(s->local, local_fill(s), s->local_bytes);
    set_arguments(s);
    status = fp_words_name(&snippet->words, "sync", 4) ? run_in_threads(s) : run_in_order(s);
    if (!status) end_results(s);
    return status;
}

/* ---- checking ---- */

/* Note [races]: FIREPILE_CHECK=1 runs a kernel three times, with the items and the groups in other orders, and with
 * undefined memory that begins otherwise. An element that differs comes from a race between items, or from memory that
 * nothing has written. One that keeps what memory began as was never written. The order of counted results is open. */
static gpu_status refuse_race(const fp_operator *kernel, const fp_captured *c, size_t e, const fp_value_layout *layout,
                              const void *first, const void *other)
{
    fp_text text = {0};
    fp_text_put(&text, "FIREPILE_CHECK: ");
    fp_kernel_write(kernel, &text);
    fp_text_print(&text, " has a race, or reads what nothing has written: element %zu of '%s' is ", e, c->name);
    fp_value_layout_write(layout, first, &text);
    fp_text_put(&text, ", and ");
    fp_value_layout_write(layout, other, &text);
    fp_text_put(&text, " when the items run in another order");
    return fp_fail_text(GPU_E_SNIPPET, &text);
}

/* Compares a result with that of the first run. */
static gpu_status compare(const spawned *s, const fp_captured *c, const unsigned char *first)
{
    const fp_output *o = &s->request->outputs[c->output];
    const unsigned char *now_there = result_memory(s, c);
    const size_t size = c->type->size;
    fp_value_layout *layout;
    const unsigned char *const runs[] = {first, now_there};
    gpu_status status = s->order == BACKWARD && c->part == GPU_PART_RESULT
                            ? fp_kernel_check_written(s->request->ops[0], c, o->length, runs)
                            : GPU_OK;
    if (!status) status = fp_value_layout_new(c->type, &layout);
    if (status) return status;
    for (size_t k = 0; k < o->length * size && !status; k += size)
        if (!fp_value_layout_alike(layout, first + k, now_there + k, NULL, 0, 0))
            status = refuse_race(s->request->ops[0], c, k / size, layout, first + k, now_there + k);
    fp_value_layout_free(layout);
    return status;
}

/* Copies the results of the first run to `kept`, or compares them with those. */
static gpu_status keep_or_compare(const spawned *s, unsigned char **kept)
{
    const fp_request *r = s->request;
    const fp_operator *kernel = r->ops[0];
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        const void *memory = result_memory(s, c);
        if (!memory || r->outputs[c->output].extent == FP_COUNTED) continue;
        const size_t bytes = r->outputs[c->output].length * c->type->size;
        if (s->order != FORWARD) status = compare(s, c, kept[c->output]);
        if (s->order != FORWARD) continue;
        kept[c->output] = fp_alloc(bytes + 1);
        if (!kept[c->output]) return fp_fail_memory();
        memcpy(kept[c->output], memory, bytes);
    }
    return status;
}

/* Note [guards]: bytes before and behind results and local memory begin as `fill`, too. Each run begins with another
 * one, so any value that a kernel writes there shows. */
static gpu_status refuse_write(const spawned *s, const fp_captured *c, int64_t index, size_t elements)
{
    fp_text text = {0};
    fp_text_put(&text, "FIREPILE_CHECK: ");
    fp_kernel_write(s->request->ops[0], &text);
    fp_text_print(&text, " writes %s[%" PRIi64 "], which is out of range: there are %zu elements", c->name, index,
                  elements);
    return fp_fail_text(GPU_E_RANGE, &text);
}

/* `bytes` at `memory` have a guard before and behind them. */
static gpu_status check_guards(const spawned *s, const fp_captured *c, const unsigned char *memory, size_t bytes)
{
    const unsigned char fill = c->part == GPU_PART_GROUP ? local_fill(s) : s->fill;
    const int64_t size = (int64_t)c->type->size, elements = (int64_t)bytes / size;
    for (int64_t k = 0; k < GUARD; k++) {
        if (memory[bytes + (size_t)k] != fill) return refuse_write(s, c, elements + k / size, (size_t)elements);
        if (memory[-1 - k] != fill) return refuse_write(s, c, -1 - k / size, (size_t)elements);
    }
    return GPU_OK;
}

static gpu_status check_all_guards(const spawned *s)
{
    const fp_operator *kernel = s->request->ops[0];
    const fp_signature *f = kernel->snippet->kernel_signature;
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < f->count && !status; k++) {
        const fp_captured *c = fp_operator_captured(kernel, f->parameters[k].name, f->parameters[k].length);
        if (c->part == GPU_PART_GROUP) status = check_guards(s, c, s->pointers[k], c->extent * c->type->size);
        if (fp_captured_is_made(c)) status = check_guards(s, c, s->pointers[k], result_bytes(s, c));
    }
    return status;
}

static gpu_status make_guarded(spawned *s)
{
    const fp_operator *kernel = s->request->ops[0];
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (!fp_captured_is_made(c)) continue;
        s->guarded[c->output] = fp_alloc(result_bytes(s, c) + 2 * GUARD);
        if (!s->guarded[c->output]) return fp_fail_memory();
    }
    return GPU_OK;
}

/* Moves the results to where the request has them. */
static void end_guarded(spawned *s, gpu_status status)
{
    const fp_operator *kernel = s->request->ops[0];
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        void *memory = fp_captured_is_made(c) ? fp_output_memory(s->request, c->output) : NULL;
        if (memory && !status) memcpy(memory, result_memory(s, c), result_bytes(s, c));
    }
    for (unsigned k = 0; k < FP_OUTPUTS; k++) fp_free(s->guarded[k]);
}

static gpu_status run_checked(spawned *s)
{
    unsigned char *kept[FP_OUTPUTS] = {NULL};
    gpu_status status = make_guarded(s);
    for (int order = FORWARD; order < ORDERS && !status; order++) {
        s->order = (item_order)order;
        s->fill = fp_kernel_fill((unsigned)order);
        status = run(s);
        if (!status) status = check_all_guards(s);
        if (!status) status = keep_or_compare(s, kept);
    }
    end_guarded(s, status);
    for (unsigned k = 0; k < FP_OUTPUTS; k++) fp_free(kept[k]);
    return status;
}

static gpu_status begin(spawned *s, const fp_request *r, bool checks)
{
    fp_signature *f = r->ops[0]->snippet->kernel_signature;
    const size_t count = f->count + 1;
    *s = (spawned){.request = r,
                   .place = common_place(r),
                   .arguments = fp_alloc_array(count, sizeof *s->arguments),
                   .pointers = fp_alloc_array(count, sizeof *s->pointers),
                   .lengths = fp_alloc_array(count, sizeof *s->lengths),
                   .local_bytes = local_bytes(r->ops[0]),
                   .checks = checks};
    s->local = fp_alloc(s->local_bytes);
    if (!s->arguments || !s->pointers || !s->lengths || !s->local) return fp_fail_memory();
    return fp_host_call(f, &s->call);
}

static gpu_status end(spawned *s, gpu_status status)
{
    fp_free(s->arguments);
    fp_free(s->pointers);
    fp_free(s->lengths);
    fp_free(s->local);
    return status;
}

gpu_status fp_host_spawn(const fp_request *r)
{
    spawned s;
    if (!r->ops[0]->snippet->kernel)
        return fp_fail(GPU_E_DEVICE, "a kernel's text does not run on the host device: define it with GPU_KERNEL(name, "
                                     "(parameters), { body }), or open an OpenCL device");
    gpu_status status = begin(&s, r, fp_is_on("FIREPILE_CHECK"));
    if (!status) status = s.checks ? run_checked(&s) : run(&s);
    return end(&s, status);
}

/* ---- verifying ---- */

/* Takes over elements that this run gave another value, of the first n. */
static void take_over(const spawned *s, unsigned output, const unsigned char *there, size_t n)
{
    const unsigned char *now_there = s->guarded[output] + GUARD;
    unsigned char *host = fp_output_memory(s->request, output);
    const size_t size = s->request->outputs[output].type->size;
    for (size_t k = 0; k < n * size; k += size)
        if (memcmp(host + k, now_there + k, size)) memcpy(host + k, there + k, size);
}

gpu_status fp_host_reconcile_spawn(const fp_request *host, unsigned output, const unsigned char *there, bool *excused)
{
    spawned s;
    const fp_output *o = &host->outputs[output];
    const size_t n = o->count ? o->count->value : o->length;
    gpu_status status = begin(&s, host, true);
    *excused = false;
    if (!status) status = make_guarded(&s);
    for (int order = BACKWARD; order < ORDERS && !status; order++) {
        s.order = (item_order)order;
        s.fill = fp_kernel_fill((unsigned)order);
        status = run(&s);
        if (!status) take_over(&s, output, there, n);
    }
    for (unsigned k = 0; k < FP_OUTPUTS; k++) fp_free(s.guarded[k]);
    return end(&s, status);
}
