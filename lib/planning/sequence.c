#include "planning/sequence.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

/* Note [sequences]: a launch costs more than the work on a short array. So launches of short arrays are held back until
 * the host waits, or until the thread that has the gpu's lock makes another OpenCL call. Those that are held become one
 * launch of a joined kernel (lib/kernel/join.c). Each part has the work-groups and the arguments that it would have
 * alone, so its results have the same bits. Between two parts the work-groups wait for each other. So all of them must
 * run at the same time, and no launch has more than the device has compute units (lib/kernel/policy.c).
 *
 * If the host then reads a short array, the joined kernel copies it to the host's memory in the end (Note [announced
 * values] in lib/cl/transfer.c). For that a single launch becomes a joined kernel, too: on an H200 a map and the read
 * of up to 1000 floats take 12 us instead of 14. A wait that reads nothing is no shorter by an announced end.
 *
 * To build a joined kernel takes as long as thousands of launches. It is built when the same sequence has been launched
 * as often as the policy says, and found on disk by later processes. If it cannot be built, the launches stay apart. */

/* The most that is held. */
enum { MOST_LAUNCHES = 8, MOST_ARGS = 96, MOST_BYTES = 2048, MOST_NODES = 16, ALIGN = 16 };

/* The arguments of fp_show and fp_meet. */
enum { MORE_ARGS = 7 };

typedef struct held {
    fp_built *built;
    unsigned first_arg, arg_count;
    size_t groups;
} held;

/* How many times a sequence was launched. A sequence with the same place in the table takes it over. */
enum { SEEN = 256 };

typedef struct seen {
    uint64_t hash;
    unsigned times;
    bool refused; /* it cannot be joined */
} seen;

/* The words that the joined kernel copies for the host in the end. */
typedef struct show {
    fp_buffer *shown; /* NULL: nothing */
    fp_buffer *from;
    uint64_t first; /* in words */
    uint32_t words;
    uint32_t turn;
} show;

enum { WORD = sizeof(uint32_t) };

struct fp_sequence {
    held launches[MOST_LAUNCHES];
    unsigned count;
    size_t group_size;
    fp_arg args[MOST_ARGS];
    unsigned arg_count;
    _Alignas(ALIGN) unsigned char bytes[MOST_BYTES];
    size_t byte_count;
    fp_node *nodes[MOST_NODES];
    unsigned node_count;
    fp_buffer *arrived; /* of kernels/block/meet.cl */
    uint32_t before;
    show show;
    fp_text key;
    seen seen[SEEN];
};

/* ---- holding ---- */

static size_t bytes_of(const fp_launch *launch)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < launch->count; k++)
        if (launch->args[k].value) bytes += fp_round_up(launch->args[k].bytes, ALIGN);
    return bytes;
}

/* The user's own commands may write to such a buffer between two calls. */
static bool has_exposed(const fp_launch *launch)
{
    for (unsigned k = 0; k < launch->count; k++)
        if (launch->args[k].buffer && fp_buffer_is_exposed(launch->args[k].buffer)) return true;
    return false;
}

/* A trace tells the launches of each call. Verifying waits for each launch. The first launch of a new kernel puts its
 * binary on disk. */
static bool can_be_held(const gpu *g, const fp_launch *launch, size_t length)
{
    const fp_built *built = launch->built;
    const bool is_short = length <= FP_SHORT && launch->groups <= g->policy.meeting;
    const bool fits = launch->count <= MOST_ARGS && bytes_of(launch) <= MOST_BYTES;
    return is_short && fits && g->policy.join_after && !g->trace && !g->verify && !built->program &&
           !fp_joinable_empty(&built->joinable) && !has_exposed(launch);
}

/* All launches together have no more bytes of arguments than a kernel may have. */
static bool has_room(const gpu *g, const fp_launch *launch)
{
    const fp_sequence *s = g->sequence;
    const unsigned args = s->arg_count + launch->count;
    const size_t values = s->byte_count + bytes_of(launch);
    const size_t bytes = values + (args + MOST_LAUNCHES + MORE_ARGS) * sizeof(void *);
    return s->count < MOST_LAUNCHES && (!s->count || s->group_size == launch->group_size) && args <= MOST_ARGS &&
           values <= MOST_BYTES && bytes <= g->capabilities->parameter_bytes;
}

static void hold_arg(fp_sequence *s, const fp_arg *arg)
{
    fp_arg *out = &s->args[s->arg_count++];
    *out = *arg;
    if (arg->value) {
        out->value = memcpy(s->bytes + s->byte_count, arg->value, arg->bytes);
        s->byte_count += fp_round_up(arg->bytes, ALIGN);
    } else if (arg->buffer) {
        fp_buffer_keep(arg->buffer);
    }
}

static gpu_status send(void *context);

static void hold(gpu *g, const fp_launch *launch)
{
    fp_sequence *s = g->sequence;
    s->launches[s->count++] = (held){launch->built, s->arg_count, launch->count, launch->groups};
    s->group_size = launch->group_size;
    for (unsigned k = 0; k < launch->count; k++) hold_arg(s, &launch->args[k]);
    g->send = send;
    fp_hold(send, g);
}

static fp_sequence *sequence_of(gpu *g)
{
    if (!g->sequence) g->sequence = fp_alloc(sizeof *g->sequence);
    return g->sequence;
}

gpu_status fp_sequence_launch(gpu *g, const fp_launch *launch, size_t length)
{
    if (!can_be_held(g, launch, length) || !sequence_of(g))
        return fp_built_launch(&g->kernels, launch->built, launch->args, launch->count, launch->groups,
                               launch->group_size);
    if (!has_room(g, launch)) (void)fp_hold_end();
    hold(g, launch);
    return GPU_OK;
}

void fp_sequence_made(fp_node *node)
{
    fp_sequence *s = node->g->sequence;
    if (!s || !s->count) return;
    if (s->node_count == MOST_NODES) (void)fp_hold_end();
    if (s->count) s->nodes[s->node_count++] = fp_node_keep(node);
}

/* ---- the joined kernel ---- */

static bool meets(const fp_sequence *s)
{
    bool several = false;
    for (unsigned k = 0; k < s->count; k++) several |= s->launches[k].groups > 1;
    return several;
}

static void write_key(fp_sequence *s)
{
    fp_text_clear(&s->key);
    fp_text_put(&s->key, meets(s) ? "joined, meets" : "joined");
    for (unsigned k = 0; k < s->count; k++)
        fp_text_add(&s->key, &s->launches[k].built->number, sizeof s->launches[k].built->number);
}

static fp_built *build(gpu *g, bool from_disk)
{
    fp_sequence *s = g->sequence;
    const fp_joinable *parts[MOST_LAUNCHES];
    const fp_origin *origin;
    fp_source source = {.failed = false};
    fp_built *built = NULL;
    for (unsigned k = 0; k < s->count; k++) parts[k] = &s->launches[k].built->joinable;
    gpu_status status = fp_programs_join(parts, s->count, s->group_size, meets(s), &source);
    if (!status && from_disk) built = fp_kernels_load(&g->kernels, &s->key, &source, "fp_joined");
    if (!status && !from_disk) status = fp_kernels_build(&g->kernels, &s->key, &source, "fp_joined", &built, &origin);
    fp_source_free(&source);
    return status ? NULL : built;
}

/* The joined kernel of the launches that are held. NULL: they stay apart. */
static fp_built *find_joined(gpu *g)
{
    fp_sequence *s = g->sequence;
    write_key(s);
    fp_built *built = fp_kernels_find(&g->kernels, &s->key);
    if (built || s->key.failed) return built;
    const uint64_t hash = fp_hash(s->key.bytes, s->key.length, 0);
    seen *at = &s->seen[hash % SEEN];
    const bool new = at->hash != hash;
    if (new) *at = (seen){.hash = hash};
    if (at->refused) return NULL;
    const bool due = ++at->times >= g->policy.join_after;
    if (new || due) built = build(g, !due);
    at->refused = due && !built;
    return built;
}

/* ---- sending ---- */

static gpu_status make_arrived(gpu *g)
{
    static const uint32_t zero;
    fp_sequence *s = g->sequence;
    if (s->arrived) return GPU_OK;
    gpu_status status = fp_buffer_new(g->device, sizeof zero, &s->arrived);
    return status ? status : fp_buffer_upload(s->arrived, 0, &zero, sizeof zero);
}

/* The arguments of a joined kernel. */
typedef struct joined_args {
    fp_arg list[MOST_ARGS + MOST_LAUNCHES + MORE_ARGS];
    unsigned count;
    uint32_t groups[MOST_LAUNCHES];
    uint32_t most; /* groups of the launch */
    uint32_t meetings;
} joined_args;

static void add_part(const fp_sequence *s, unsigned k, joined_args *out)
{
    const held *h = &s->launches[k];
    memcpy(out->list + out->count, s->args + h->first_arg, h->arg_count * sizeof *s->args);
    out->count += h->arg_count;
    out->groups[k] = (uint32_t)h->groups;
    out->list[out->count++] = (fp_arg){FP_ARG_VALUE(out->groups[k])};
    if (out->groups[k] > out->most) out->most = out->groups[k];
    out->meetings += k && (out->groups[k] > 1 || out->groups[k - 1] > 1);
}

/* Without a turn the kernel touches neither buffer. */
static void add_show(gpu *g, joined_args *out)
{
    const show *w = &g->sequence->show;
    out->list[out->count++] = (fp_arg){.buffer = w->from ? w->from : g->ticket};
    out->list[out->count++] = (fp_arg){FP_ARG_VALUE(w->first)};
    out->list[out->count++] = (fp_arg){FP_ARG_VALUE(w->words)};
    out->list[out->count++] = (fp_arg){.buffer = w->shown ? w->shown : g->ticket};
    out->list[out->count++] = (fp_arg){FP_ARG_VALUE(w->turn)};
    out->meetings += w->turn != 0;
}

static gpu_status launch_joined(gpu *g, fp_built *built)
{
    fp_sequence *s = g->sequence;
    joined_args args = {.count = 0};
    for (unsigned k = 0; k < s->count; k++) add_part(s, k, &args);
    add_show(g, &args);
    gpu_status status = args.most > 1 ? make_arrived(g) : GPU_OK;
    if (args.most > 1) args.list[args.count++] = (fp_arg){.buffer = s->arrived};
    if (args.most > 1) args.list[args.count++] = (fp_arg){FP_ARG_VALUE(s->before)};
    if (!status) status = fp_built_launch(&g->kernels, built, args.list, args.count, args.most, s->group_size);
    if (!status && args.most > 1) s->before += args.most * args.meetings;
    return status;
}

static gpu_status launch_each(gpu *g)
{
    fp_sequence *s = g->sequence;
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < s->count && !status; k++) {
        const held *h = &s->launches[k];
        status = fp_built_launch(&g->kernels, h->built, s->args + h->first_arg, h->arg_count, h->groups, s->group_size);
    }
    return status;
}

static void let_go(gpu *g)
{
    fp_sequence *s = g->sequence;
    g->send = NULL;
    for (unsigned k = 0; k < s->arg_count; k++)
        if (!s->args[k].value) fp_buffer_drop(s->args[k].buffer);
    const unsigned nodes = s->node_count;
    s->count = s->arg_count = s->node_count = 0;
    s->byte_count = 0;
    for (unsigned k = 0; k < nodes; k++) fp_node_drop(s->nodes[k]);
}

static gpu_status send(void *context)
{
    gpu *g = context;
    fp_sequence *s = g->sequence;
    const bool is_worth_it = s->count > 1 || (s->show.shown && g->policy.join_one);
    fp_built *joined = is_worth_it ? find_joined(g) : NULL;
    gpu_status status = joined ? launch_joined(g, joined) : GPU_E_INTERNAL;
    if (status) s->show.turn = 0;
    if (status) status = launch_each(g);
    for (unsigned k = 0; status && k < s->node_count; k++) fp_fault_set(&s->nodes[k]->fault, fp_fault_new(g));
    let_go(g);
    return status;
}

/* ---- copies for the host ---- */

static bool can_show(const gpu *g, size_t offset, size_t bytes)
{
    const bool fits = bytes <= FP_SHOWN_BYTES && offset % WORD == 0 && bytes % WORD == 0;
    return fits && g->capabilities->host_visible && g->sequence && g->sequence->count;
}

/* Making the buffer may send the launches. */
fp_buffer *fp_sequence_show(gpu *g, fp_buffer *from, size_t offset, size_t bytes)
{
    fp_sequence *s = g->sequence;
    fp_buffer *shown = NULL;
    if (!can_show(g, offset, bytes) || fp_buffer_new_host_visible(g->device, bytes, &shown)) return NULL;
    s->show = (show){shown, from, offset / WORD, (uint32_t)(bytes / WORD), fp_buffer_announce(shown)};
    const bool is_shown = s->count && !fp_hold_end() && s->show.turn;
    s->show = (show){.shown = NULL};
    if (is_shown) return shown;
    fp_buffer_drop(shown);
    return NULL;
}

void fp_sequence_free(gpu *g)
{
    if (!g->sequence) return;
    fp_buffer_drop(g->sequence->arrived);
    fp_text_free(&g->sequence->key);
    fp_free(g->sequence);
}
