/* Which side computes. */
#include "host/internal.h"

#include "base/error.h"
#include "kernel/type.h"

#include <string.h>

/* Note [small arrays]: a launch and the wait for it take longer than a few hundred elements on the host. So an array of at most
 * policy.small elements that is made from the host's data stays there, and an operation is computed there if all that it
 * reads is there, and each of its operators has the same bits on both sides. Its result is there too, so that what
 * follows may be. Where one of them is missing, the operation goes to the device, which gets a copy of what it reads.
 *
 * A call of a function costs as much as EACH elements of a recognised operator. */
enum { EACH = 1 };

/* Expressions of more nodes are not looked through. */
enum { MOST_NODES = 64 };

typedef struct search {
    unsigned nodes;
    unsigned functions;
} search;

static bool fits(gpu_type a, gpu_type b)
{
    return a == b || gpu_type_equal(a, b) || (fp_type_is_scalar(a) && fp_type_is_scalar(b));
}

static const fp_captured *find_captured(const fp_operator *op, const fp_function_parameter *p)
{
    for (unsigned k = 0; k < op->count; k++)
        if (strlen(op->captured[k].name) == p->length && !memcmp(op->captured[k].name, p->name, p->length))
            return &op->captured[k];
    return NULL;
}

static bool parameters_fit(const fp_applied *a)
{
    for (size_t k = 0; k < a->signature->count; k++) {
        const fp_function_parameter *p = &a->signature->parameters[k];
        const fp_captured *c = k < a->operands ? NULL : find_captured(a->op, p);
        gpu_type given = k < a->operands ? a->types[k] : c ? c->type : GPU_ULONG;
        if ((c && c->array && !(c->large && fp_buffer_memory(c->array->buffer))) || !fits(p->type, given)) return false;
    }
    return fits(a->signature->result, a->result);
}

/* A function's failure is the same on the device, which reports it. */
static bool function_is_exact(gpu *g, fp_applied *a, search *s)
{
    s->functions++;
    return fp_exact_on(a->op->snippet->exactness, g->facts) &&
           !fp_signature_of(&g->side->signatures, a->op->snippet->function, &a->signature) && parameters_fit(a);
}

/* Which of two zeros, and what of a NaN, is left open by all but the texts of the library's own. */
static bool is_open(const fp_operator *op, gpu_type type)
{
    const fp_known known = op->snippet->known;
    return type->kind == GPU_KIND_FLOATING && known != FP_KNOWN_NONE && known != FP_KNOWN_ADD &&
           known != FP_KNOWN_MULTIPLY;
}

static bool is_exact(gpu *g, const fp_operator *op, gpu_type result, const gpu_type *types, unsigned operands,
                     bool combines, search *s)
{
    fp_applied applied = {.op = op, .result = result, .operands = operands};
    memcpy(applied.types, types, operands * sizeof *types);
    if (op->snippet->function) return function_is_exact(g, &applied, s);
    return fp_native_find(&applied, combines) && !is_open(op, result);
}

static bool node_is_exact(fp_node *node, search *s)
{
    gpu_type types[FP_INPUTS];
    unsigned operands = 0;
    for (; operands < FP_INPUTS && node->inputs[operands]; operands++) types[operands] = node->inputs[operands]->type;
    bool filters = node->kind == FP_NODE_FILTER || node->kind == FP_NODE_WHERE;
    return is_exact(node->g, node->op, filters ? GPU_UCHAR : node->type, types, operands, false, s);
}

/* Is all that the node is computed from on the host? The cells of indices that are out of range are not. */
static bool is_here(fp_node *node, search *s)
{
    fp_node_count(node);
    bool here = ++s->nodes <= MOST_NODES && node->kind != FP_NODE_GATHER && !node->start && !node->count;
    here = here && (!node->buffer || fp_buffer_memory(node->buffer)) && (!node->op || node_is_exact(node, s));
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && here; k++) here = is_here(node->inputs[k], s);
    return here;
}

bool fp_host_takes(fp_node *node, fp_operator *const *ops, unsigned count)
{
    gpu *g = node->g;
    search s = {0};
    if (g->facts->host) return true;
    fp_node_count(node);
    if (node->length > g->policy.small) return false;
    bool takes = is_here(node, &s);
    const gpu_type types[] = {node->type, node->type};
    for (unsigned k = 0; k < count && takes; k++) takes = is_exact(g, ops[k], node->type, types, 2, true, &s);
    return takes && (!s.functions || node->length * EACH * s.functions <= g->policy.small);
}
