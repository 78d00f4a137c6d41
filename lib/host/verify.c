/* FIREPILE_VERIFY: what the device has computed, compared with what the host does. */
#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"
#include "kernel/value.h"

#include <inttypes.h>
#include <string.h>

/* Note [verifying]: everything is computed at once (as with FIREPILE_EAGER), so that an operation has one operator, and
 * buffers for its inputs. The host gets a copy of those and computes the same. Where both sides have the same bits,
 * they are compared bit by bit, but for those of a NaN; members of structs, and what else the functions of math.h make,
 * up to FP_ULPS. Where more elements are combined than Note [serial order] has in one order, by an operator that may
 * round, results may differ by a bound that grows with the logarithm of their number and the sum of their magnitudes.
 * Not compared is what the host has no form of, what is made of buffers that the program has, and
 * what such functions make into integers, or decide by, since a bit may be a step there. */

/* Units of rounding for each level of the tree in which elements are combined. */
enum { PER_LEVEL = 8 };

typedef struct comparison {
    fp_node *node;            /* what is computed from */
    fp_operator *const *ops;  /* by which its elements are combined or compared, */
    unsigned count;           /* if there are any: */
    gpu_type operand, result; /* two of the first make one of the second; NULL: both are the node's */
    gpu_type type;            /* of what comes out */
    uint64_t launches;
    bool exact;
    const fp_order *order; /* of a sort: in which the host has `sorted` */
    const fp_buffer *sorted;
    bool excused;
    void *magnitudes; /* the sums of those of the elements that are combined, or NULL */
    double ulps;
} comparison;

static bool has_floats(gpu_type type)
{
    return type->kind == GPU_KIND_FLOATING;
}

/* Is there something to compare? */
static bool begin(comparison *c)
{
    gpu *g = c->node->g;
    gpu_type operand = c->operand ? c->operand : c->node->type, result = c->result ? c->result : c->node->type;
    c->exact = true;
    c->ulps = FP_ULPS;
    bool both = g->verify && fp_host_fetches(c->node, &c->exact);
    for (unsigned k = 0; k < c->count && both; k++) both = fp_host_applies(g, c->ops[k], operand, result, &c->exact);
    return both && (c->exact || has_floats(c->type));
}

static gpu_status end(const comparison *c, gpu_status status)
{
    gpu *g = c->node->g;
    fp_free(c->magnitudes);
    if (status || c->excused) return status;
    g->checked++;
    g->unchecked -= c->launches;
    return GPU_OK;
}

/* ---- comparing ---- */

static bool is_nan(gpu_type scalar, const unsigned char *value)
{
    float single;
    double full;
    memcpy(&single, value, sizeof single);
    if (scalar == GPU_FLOAT) return single != single;
    memcpy(&full, value, sizeof full);
    return full != full;
}

static bool same_bits(gpu_type type, const unsigned char *a, const unsigned char *b)
{
    gpu_type scalar = fp_type_scalar(type);
    for (unsigned k = 0; k < type->width; k++, a += scalar->size, b += scalar->size)
        if (memcmp(a, b, scalar->size) && !(has_floats(type) && is_nan(scalar, a) && is_nan(scalar, b))) return false;
    return true;
}

static bool is_same(const comparison *c, const fp_form *form, const unsigned char *a, const unsigned char *b)
{
    if (!memcmp(a, b, c->type->size)) return true;
    if (c->exact && c->type->kind != GPU_KIND_STRUCT) return same_bits(c->type, a, b);
    const void *others[] = {c->magnitudes};
    return fp_form_alike(form, a, b, others, c->magnitudes != NULL, c->ulps);
}

/* The first of the user's own in an expression; NULL if there is none. */
static const fp_operator *find_operator(const fp_node *node)
{
    const fp_operator *op = node->op && !node->op->own ? node->op : NULL;
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && !op; k++) op = find_operator(node->inputs[k]);
    return op;
}

static const fp_operator *operator_of(const comparison *c)
{
    return c->count && !c->ops[0]->own ? c->ops[0] : find_operator(c->node);
}

/* Puts the end of a message, and makes it a failure. */
static gpu_status blame(const comparison *c, fp_text *text)
{
    const fp_operator *op = operator_of(c);
    if (op) fp_text_print(text, ": the operator \"%s\" does not mean the same on both sides", op->snippet->text);
    const gpu_status kind = op ? GPU_E_SNIPPET : GPU_E_INTERNAL;
    gpu_status status = text->failed ? fp_fail_memory() : fp_fail(kind, "%s", text->bytes);
    c->node->g->different++;
    fp_text_free(text);
    return status;
}

static gpu_status differ(const comparison *c, const fp_form *form, size_t place, const void *here, const void *there)
{
    fp_text text = {0};
    fp_text_print(&text, "FIREPILE_VERIFY: element %zu is ", place);
    fp_form_write(form, there, &text);
    fp_text_put(&text, " on the device, and ");
    fp_form_write(form, here, &text);
    fp_text_put(&text, " on the host");
    return blame(c, &text);
}

/* Sorts by what is no strict weak order may have any outcome, so that there is nothing to compare. */
static gpu_status ask_for_excuse(comparison *c, size_t n)
{
    bool is_order;
    if (!c->order || c->order->natural) return GPU_OK;
    gpu_status status = fp_host_is_order(c->order, c->sorted, c->node->type->size, n, &is_order);
    c->excused = !status && !is_order;
    return status;
}

static gpu_status compare_bytes(comparison *c, const unsigned char *here, const unsigned char *there, size_t n)
{
    fp_form *form;
    size_t size = c->type->size, k = 0;
    gpu_status status = fp_form_new(c->type, &form);
    if (status) return status;
    while (k < n && is_same(c, form, here + k * size, there + k * size)) k++;
    if (k < n) status = ask_for_excuse(c, n);
    if (k < n && !status && !c->excused) status = differ(c, form, k, here + k * size, there + k * size);
    fp_form_free(form);
    return status;
}

/* With `n` elements of a buffer, the first being number `first`. */
static gpu_status compare(comparison *c, const void *here, fp_buffer *there, size_t first, size_t n)
{
    size_t size = c->type->size;
    if (!n) return GPU_OK;
    void *copy = fp_alloc_array(n, size);
    gpu_status status = copy ? fp_buffer_download(there, first * size, copy, n * size) : fp_fail_memory();
    if (!status) status = compare_bytes(c, here, copy, n);
    fp_free(copy);
    return status;
}

/* Elements that begin with a value of `type` are combined, on both sides in another order where they are many. */
static gpu_status allow_rounding(comparison *c, gpu_type type)
{
    fp_node *node = c->node;
    fp_walk walk;
    fp_block block;
    fp_form *form;
    const bool selects = fp_node_selection(node) != NULL;
    if (!fp_type_rounds(type) || (node->length <= node->g->policy.serial && !selects)) return GPU_OK;
    gpu_status status = fp_form_new(type, &form);
    if (status) return status;
    c->exact = false;
    c->ulps = PER_LEVEL;
    for (size_t n = node->length; n > 1; n /= 2) c->ulps += PER_LEVEL;
    c->magnitudes = fp_alloc(type->size);
    status = c->magnitudes ? fp_walk_begin(&walk, node) : fp_fail_memory();
    while (!status && fp_walk_next(&walk, &block))
        for (size_t k = 0; k < block.count; k++)
            fp_form_add_magnitudes(form, block.elements + k * node->type->size, c->magnitudes);
    if (c->magnitudes) fp_walk_end(&walk);
    fp_form_free(form);
    return status;
}

static gpu_status compare_numbers(const comparison *c, const char *what, uint64_t here, uint64_t there)
{
    fp_text text = {0};
    if (here == there) return GPU_OK;
    fp_text_print(&text, "FIREPILE_VERIFY: %s is %" PRIu64 " on the device, and %" PRIu64 " on the host", what, there,
                  here);
    return blame(c, &text);
}

/* ---- operations ---- */

gpu_status fp_verify_map(fp_node *node, fp_buffer *out)
{
    comparison c = {.node = node, .launches = 1, .type = node->type};
    fp_buffer *here;
    if (!begin(&c)) return GPU_OK;
    gpu_status status = fp_elements_new_at(node->g, true, node->type, node->length, &here);
    if (status) return status;
    status = fp_host_map(node, here);
    if (!status) status = compare(&c, fp_buffer_memory(here), out, 0, node->length);
    fp_buffer_drop(here);
    return end(&c, status);
}

/* The elements of a selection have places on the device that they have not on the host: sums of floats may differ. */
gpu_status fp_verify_reduce(fp_node *node, const fp_host_reduction *reduction, fp_buffer *out)
{
    comparison c = {.node = node, .ops = reduction->ops, .count = reduction->count, .launches = 1, .type = node->type};
    fp_host_reduction r = *reduction;
    if (!begin(&c) || !node->length) return GPU_OK;
    r.out = fp_alloc(fp_tuple_mark(node->type, r.count) + sizeof(uint32_t));
    if (!r.out) return fp_fail_memory();
    gpu_status status = fp_host_reduce(node, &r);
    if (!status) status = allow_rounding(&c, c.type);
    uint32_t any = 1;
    if (r.marked) memcpy(&any, r.out + fp_tuple_mark(node->type, r.count), sizeof any);
    if (!status && any) status = compare(&c, r.out, out, 0, r.count);
    fp_free(r.out);
    return end(&c, status);
}

gpu_status fp_verify_scan(fp_node *node, fp_operator *op, const void *start, unsigned launches, fp_buffer *out)
{
    comparison c = {.node = node, .ops = &op, .count = 1, .launches = launches, .type = node->type};
    if (!begin(&c) || !node->length) return GPU_OK;
    unsigned char *here = fp_alloc_array(node->length, node->type->size);
    if (!here) return fp_fail_memory();
    gpu_status status = fp_host_scan(node, op, start, here);
    if (!status) status = allow_rounding(&c, c.type);
    if (!status) status = compare(&c, here, out, 0, node->length);
    fp_free(here);
    return end(&c, status);
}

static gpu_status new_destination(const fp_node *node, fp_destination *out)
{
    out->count = fp_count_known(0);
    return out->count ? fp_elements_new_at(node->g, true, node->type, node->length, &out->buffer) : fp_last_status();
}

static gpu_status compare_destination(comparison *c, const fp_destination *here, const fp_destination *there)
{
    gpu_status status = fp_count_wait(there->count);
    if (!status) status = compare_numbers(c, "the number", here->count->value, there->count->value);
    return status ? status : compare(c, fp_buffer_memory(here->buffer), there->buffer, 0, here->count->value);
}

gpu_status fp_verify_select(fp_node *node, const fp_destination *kept, const fp_destination *others, unsigned launches)
{
    comparison c = {.node = node, .launches = launches, .type = node->type};
    fp_destination here[2] = {{.buffer = NULL}, {.buffer = NULL}};
    /* A predicate that is not exact may take another element. */
    if (!begin(&c) || !c.exact) return GPU_OK;
    gpu_status status = new_destination(node, &here[0]);
    if (!status && others) status = new_destination(node, &here[1]);
    if (!status) status = fp_host_select(node, &here[0], others ? &here[1] : NULL);
    if (!status) status = compare_destination(&c, &here[0], kept);
    if (!status && others) status = compare_destination(&c, &here[1], others);
    for (int k = 0; k < 2; k++) {
        fp_count_drop(here[k].count);
        fp_buffer_drop(here[k].buffer);
    }
    return end(&c, status);
}

gpu_status fp_verify_search(fp_node *flags, const fp_count *found, const fp_count *rest)
{
    comparison c = {.node = flags, .launches = 1, .type = flags->type};
    fp_count here[2] = {{.known = true}, {.known = true}};
    uint64_t there[2] = {0};
    if (!begin(&c)) return GPU_OK;
    gpu_status status = fp_host_search(flags, &here[0], rest ? &here[1] : NULL);
    if (!status) status = fp_count_read(found, &there[0]);
    if (!status && rest) status = fp_count_read(rest, &there[1]);
    for (int k = 0; k < 2 && !status; k++) status = compare_numbers(&c, "the number", here[k].value, there[k]);
    return end(&c, status);
}

gpu_status fp_verify_block_reduce(fp_node *node, fp_operator *op, size_t block, fp_buffer *out)
{
    comparison c = {.node = node, .ops = &op, .count = 1, .launches = 1, .type = node->type};
    fp_buffer *here;
    size_t blocks = fp_ceiling(node->length, block);
    if (!begin(&c)) return GPU_OK;
    gpu_status status = fp_elements_new_at(node->g, true, node->type, blocks, &here);
    if (status) return status;
    status = fp_host_block_reduce(node, op, block, here);
    if (!status) status = allow_rounding(&c, c.type);
    if (!status) status = compare(&c, fp_buffer_memory(here), out, 0, blocks);
    fp_buffer_drop(here);
    return end(&c, status);
}

/* ---- by key ---- */

static gpu_status new_runs(const fp_node *pairs, fp_host_keyed *here)
{
    gpu *g = pairs->g;
    const bool reduces = here->keys != NULL;
    here->out = here->keys = NULL;
    here->count = fp_count_known(0);
    gpu_status status = here->count ? GPU_OK : fp_last_status();
    if (!status) status = fp_elements_new_at(g, true, here->result, pairs->length, &here->out);
    if (!status && reduces) status = fp_elements_new_at(g, true, here->key, pairs->length, &here->keys);
    return status;
}

static gpu_status compare_runs(comparison *c, const fp_host_keyed *here, const fp_host_keyed *there)
{
    gpu_status status = GPU_OK;
    size_t n = c->node->length;
    if (there->keys) {
        n = here->count->value;
        status = fp_count_wait(there->count);
        if (!status) status = compare_numbers(c, "the number of runs", n, there->count->value);
        c->type = there->key;
        if (!status) status = compare(c, fp_buffer_memory(here->keys), there->keys, 0, n);
    }
    c->type = there->result;
    return status ? status : compare(c, fp_buffer_memory(here->out), there->out, 0, n);
}

gpu_status fp_verify_by_key(fp_node *pairs, fp_operator *op, const fp_host_keyed *call, unsigned launches)
{
    fp_host_keyed here = *call;
    comparison c = {.node = pairs,
                    .ops = &op,
                    .count = 1,
                    .operand = call->value,
                    .result = call->value,
                    .launches = launches,
                    .type = call->result};
    if (!begin(&c) || !pairs->length) return GPU_OK;
    gpu_status status = new_runs(pairs, &here);
    if (!status) status = fp_host_by_key(pairs, &here);
    if (!status) status = allow_rounding(&c, call->value);
    if (!status) status = compare_runs(&c, &here, call);
    fp_count_drop(here.count);
    fp_buffer_drop(here.keys);
    fp_buffer_drop(here.out);
    return end(&c, status);
}

/* ---- histograms ---- */

gpu_status fp_verify_histogram(fp_node *node, const void *low, const void *high, uint32_t bins, fp_node *counts,
                               fp_node *outside, uint64_t launches)
{
    comparison c = {.node = node, .launches = launches, .type = GPU_ULONG};
    fp_buffer *here;
    /* The bounds of bins are quotients. */
    if ((has_floats(node->type) && !node->g->facts->exact_division) || !begin(&c)) return GPU_OK;
    gpu_status status = fp_elements_new_at(node->g, true, GPU_ULONG, bins + (size_t)1, &here);
    if (status) return status;
    const uint64_t *of_bins = fp_buffer_memory(here);
    status = fp_host_histogram(node, low, high, bins, here);
    if (!status) status = compare(&c, of_bins, counts->buffer, counts->first, bins);
    if (!status) status = compare(&c, of_bins + bins, outside->buffer, outside->first, 1);
    fp_buffer_drop(here);
    return end(&c, status);
}

/* ---- scatter ---- */

/* The host stores the last of several values for one place, a device any of them: the one that is there, if there is
 * one. */
static void agree(const comparison *c, const fp_form *form, const unsigned char *pairs, unsigned char *here,
                  const unsigned char *there, size_t length)
{
    size_t size = c->type->size, second = fp_pair_second(c->type, GPU_ULONG);
    for (size_t k = 0; k < c->node->length; k++, pairs += c->node->type->size) {
        uint64_t at;
        memcpy(&at, pairs + second, sizeof at);
        if (at < length && is_same(c, form, pairs, there + at * size))
            memcpy(here + at * size, there + at * size, size);
    }
}

static gpu_status compare_scattered(comparison *c, unsigned char *here, unsigned char *there, fp_buffer *copy, size_t n)
{
    fp_form *form = NULL;
    const unsigned char *pairs;
    void *own = NULL;
    size_t bytes = n * c->type->size;
    gpu_status status = fp_buffer_download(copy, 0, there, bytes);
    if (!status) status = fp_elements_of(c->node, &pairs, &own);
    if (!status) status = fp_form_new(c->type, &form);
    if (!status) agree(c, form, pairs, here, there, n);
    if (!status) status = compare_bytes(c, here, there, n);
    fp_form_free(form);
    fp_free(own);
    return status;
}

gpu_status fp_verify_scatter(fp_node *pairs, fp_node *into, const fp_node *copy, const fp_risk *risk)
{
    comparison c = {.node = pairs, .launches = 1, .type = into->type};
    fp_buffer *here = NULL, *there = NULL;
    size_t n = into->length;
    if (!n || !begin(&c) || !fp_host_fetches(into, &c.exact)) return GPU_OK;
    gpu_status status = fp_elements_new_at(into->g, true, into->type, n, &here);
    if (!status) status = fp_elements_new_at(into->g, true, into->type, n, &there);
    if (!status) status = fp_host_map(into, here);
    if (!status) status = fp_host_scatter(pairs, into->type, fp_buffer_memory(here), n, risk);
    if (!status) status = compare_scattered(&c, fp_buffer_memory(here), fp_buffer_memory(there), copy->buffer, n);
    fp_buffer_drop(here);
    fp_buffer_drop(there);
    return end(&c, status);
}

/* ---- sorts ---- */

static gpu_status compare_pairs(comparison *c, const fp_node *keys, const fp_node *values)
{
    fp_node *pairs = c->node;
    size_t n = pairs->length;
    fp_buffer *here[2] = {NULL, NULL};
    gpu_status status = fp_elements_new_at(pairs->g, true, c->order->key, n, &here[0]);
    if (!status) status = fp_elements_new_at(pairs->g, true, values->type, n, &here[1]);
    if (!status) fp_host_apart(pairs, c->sorted, c->order, values->type, here[0], here[1]);
    c->type = c->order->key;
    if (!status && keys) status = compare(c, fp_buffer_memory(here[0]), keys->buffer, 0, n);
    c->type = values->type;
    if (!status && !c->excused) status = compare(c, fp_buffer_memory(here[1]), values->buffer, 0, n);
    fp_buffer_drop(here[0]);
    fp_buffer_drop(here[1]);
    return status;
}

gpu_status fp_verify_sort(fp_node *node, const fp_order *order, bool stable, const fp_node *keys, const fp_node *values,
                          uint64_t launches)
{
    fp_operator *less = order->less;
    comparison c = {.node = node,
                    .ops = &less,
                    .count = !order->natural,
                    .operand = order->key,
                    .result = GPU_UCHAR,
                    .launches = launches,
                    .type = node->type,
                    .order = order};
    fp_buffer *sorted;
    /* A comparator that is not exact may order otherwise; and equal integers are the same. */
    bool single = stable || (order->natural && !fp_type_rounds(order->key));
    if (!single || !begin(&c) || !c.exact || !node->length) return GPU_OK;
    gpu_status status = fp_host_sort(node, order, &sorted);
    if (status) return status;
    c.sorted = sorted;
    status =
        values ? compare_pairs(&c, keys, values) : compare(&c, fp_buffer_memory(sorted), keys->buffer, 0, node->length);
    fp_buffer_drop(sorted);
    return end(&c, status);
}

/* ---- laws ---- */

gpu_status fp_verify_law(fp_node *node, fp_operator *less, uint32_t broken)
{
    comparison c = {.node = node, .ops = &less, .count = 1, .result = GPU_UCHAR, .launches = 1, .type = node->type};
    uint32_t here;
    if (!begin(&c) || !c.exact) return GPU_OK;
    gpu_status status = fp_host_broken(node, less, &here);
    if (!status) status = compare_numbers(&c, "what breaks a law (0: nothing)", 0u - here, 0u - broken);
    return end(&c, status);
}
