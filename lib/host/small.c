/* The side that computes. */
#include "host/internal.h"

#include <string.h>

/* Note [small arrays]: a launch and the wait for it take longer than a few hundred elements on the host. So an array of
 * at most policy.small elements that is made from the host's data stays there, and an operation is computed there if
 * all that it reads is there, and each of its operators has the same bits on both sides. Its result is there too, so
 * that what follows may be. Where one of them is missing, the operation goes to the device, which gets a copy of what
 * it reads.
 *
 * A function of scalars takes about as long for an element as a recognised operator. One that libffi calls takes as
 * long as EACH of those. */
enum { EACH = 8 };

/* The most nodes of an expression that is looked through. */
enum { MOST_NODES = 64 };

/* A question about an expression: may the host compute it instead, or (`fetches`) also? The second one fetches what it
 * reads, and only notes operators without the same bits. */
typedef struct search {
    const fp_supposed *supposed; /* or NULL */
    bool fetches;
    bool exact;
    unsigned nodes;
    size_t functions; /* those that libffi calls count EACH */
} search;

static bool is_at_hand(const search *s, fp_buffer *buffer)
{
    return !buffer || fp_buffer_memory(buffer) || (s->fetches && !fp_buffer_fetch(buffer));
}

static bool counts_are_known(const search *s, fp_node *node)
{
    fp_count *start = fp_node_start(node);
    if (s->fetches && ((start && fp_count_wait(start)) || (node->count && fp_count_wait(node->count)))) return false;
    fp_node_count(node);
    return !fp_node_start(node) && !node->count;
}

/* A function may read a captured array anywhere, which is left to the device. */
static bool arguments_are_on_host(const fp_operator *op, const search *s)
{
    const fp_signature *f = op->snippet->signature;
    for (size_t k = 0; k < f->count; k++) {
        const fp_captured *c = fp_operator_captured(op, f->parameters[k].name, f->parameters[k].length);
        if (c && c->length && !counts_are_known(s, c->array)) return false;
        if (c && c->array && !c->length && !((c->large || s->fetches) && is_at_hand(s, c->array->buffer))) return false;
    }
    return true;
}

/* If a function cannot be called, the device reports the failure. */
static bool function_is_exact(const gpu *g, const fp_operator *op, search *s)
{
    const fp_call *call;
    bool exact = fp_exact_on(op->snippet->exactness, g->capabilities);
    s->exact = s->exact && exact;
    if (!(exact || s->fetches) || op->snippet->function->kind != GPU_DEFINES_FUNCTION ||
        fp_host_call(op->snippet->signature, &call))
        return false;
    s->functions += fp_call_is_fast(call) ? 1 : EACH;
    return arguments_are_on_host(op, s) && (s->exact || s->fetches);
}

/* Only the library's own texts say which of two zeros comes out, and what becomes of a NaN. */
static bool is_open(const fp_applied *a)
{
    const fp_known known = a->combines ? a->op->snippet->known : a->op->snippet->known_xy;
    return a->result->kind == GPU_KIND_FLOATING && known != FP_KNOWN_NONE && known != FP_KNOWN_ADD &&
           known != FP_KNOWN_MULTIPLY;
}

/* sqrt of floats has one result on all sides where divisions have. */
static bool is_rough(const gpu *g, const fp_operator *op)
{
    return op->builtin && !g->capabilities->exact_division && strstr(op->snippet->text, "sqrt");
}

static bool array_is_on_host(fp_node *array, const search *s)
{
    bool on_host;
    if (s->supposed && s->supposed->made(s->supposed->context, array, &on_host)) return on_host;
    return is_at_hand(s, array->buffer);
}

/* The library's own texts do not read outside of captured arrays. */
static bool captured_are_on_host(const fp_operator *op, const search *s)
{
    bool on_host = true;
    for (unsigned k = 0; k < op->count && on_host; k++) {
        const fp_captured *c = &op->captured[k];
        if (c->length) on_host = counts_are_known(s, c->array);
        if (c->array && !c->length) on_host = array_is_on_host(c->array, s);
    }
    return on_host;
}

/* A kernel of the user's own reads its arrays anywhere. Its text alone does not run on the host. */
static bool kernel_is_exact(const gpu *g, const fp_operator *op, search *s)
{
    const bool exact = op->snippet->kernel && fp_exact_on(op->snippet->exactness, g->capabilities);
    return s->fetches && exact && captured_are_on_host(op, s);
}

static bool is_exact(const gpu *g, fp_applied a, search *s)
{
    const fp_operator *op = a.op;
    fp_expression expression;
    if (op->dimensions) return kernel_is_exact(g, op, s);
    if (op->snippet->function) return function_is_exact(g, op, s);
    if (!fp_native_find(&a, &expression)) return false;
    const bool exact = a.native != fp_expression_apply || fp_exact_on(expression.exactness, g->capabilities);
    s->exact = s->exact && exact && !is_open(&a) && !is_rough(g, op);
    return (s->fetches || s->exact) && captured_are_on_host(op, s);
}

static bool source_is_on_host(fp_node *node, const search *s)
{
    fp_node *source = fp_node_source(node);
    if (node->kind == FP_NODE_GATHER) return s->fetches && is_at_hand(s, source->buffer);
    return !source || (counts_are_known(s, source) && array_is_on_host(source, s));
}

/* Is all that the node is computed from on the host? The counters of gathers are not. */
static bool is_on_host(fp_node *node, search *s)
{
    bool on_host;
    if (++s->nodes > MOST_NODES) return false;
    if (s->supposed && s->supposed->made(s->supposed->context, node, &on_host)) return on_host;
    on_host = counts_are_known(s, node) && is_at_hand(s, node->buffer);
    on_host = on_host && source_is_on_host(node, s) && (!node->op || is_exact(node->g, fp_applied_to(node), s));
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && on_host; k++) on_host = is_on_host(node->inputs[k], s);
    return on_host;
}

static bool applies(const fp_request *r, unsigned k, search *s)
{
    const gpu *g = r->input.node->g;
    const gpu_type type = fp_operand_at(r, k);
    const fp_operator *op = r->ops[k];
    return (!r->maps || is_exact(g, fp_applied_to_one(r, k), s)) && is_exact(g, fp_applied_to_two(op, type), s) &&
           (!op->map || is_exact(g, fp_applied_to_map(op, type), s));
}

static bool all_are_on_host(const fp_request *r, search *s)
{
    bool on_host = is_on_host(r->input.node, s);
    for (unsigned k = 0; k < r->op_count && on_host; k++) on_host = applies(r, k, s);
    return on_host;
}

bool fp_host_takes(const fp_request *r, const fp_supposed *supposed)
{
    fp_node *node = r->input.node;
    const fp_policy *policy = &node->g->policy;
    search s = {.supposed = supposed, .exact = true};
    fp_node_count(node);
    const size_t most = fp_request_rounds(r) && policy->serial < policy->host_max ? policy->serial : policy->host_max;
    return node->length <= most && all_are_on_host(r, &s) && node->length * s.functions <= policy->host_max;
}

bool fp_host_fetches(const fp_request *r, bool *exact)
{
    search s = {.fetches = true, .exact = true}, into = s;
    bool on_host = all_are_on_host(r, &s) && (!r->into.node || is_on_host(r->into.node, &into));
    *exact = s.exact && into.exact;
    return on_host;
}
