/* FIREPILE_VERIFY: what the device has computed, compared with what the host does. */
#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"
#include "kernel/value.h"

#include <string.h>

/* Note [verifying]: everything is computed at once (as with FIREPILE_EAGER), so that an operation has one operator, and buffers for
 * its inputs. The host gets a copy of those and computes the same. Where both sides have the same bits, they are compared
 * bit by bit, but for those of a NaN; members of structs, and what else the functions of math.h make, up to FP_ROUNDING. Not
 * compared is what the host has no form of, what is made of buffers that the program has, and what such functions
 * make into integers, since a bit may be a step there. */

typedef struct comparison {
    fp_node *node;
    fp_operator *const *ops;
    unsigned count;
    unsigned launches;
    bool exact;
    gpu_type type;
} comparison;

static bool has_floats(gpu_type type)
{
    return type->kind == GPU_KIND_FLOATING;
}

/* Is a result the same in whatever order elements are combined? */
static bool has_any_order(gpu_type type)
{
    return type->kind == GPU_KIND_SIGNED || type->kind == GPU_KIND_UNSIGNED;
}

/* Is there something to compare? */
static bool begin(comparison *c)
{
    gpu *g = c->node->g;
    return g->verify && fp_host_fetches(c->node, c->ops, c->count, &c->exact) && (c->exact || has_floats(c->type));
}

static gpu_status end(const comparison *c, gpu_status status)
{
    gpu *g = c->node->g;
    if (status) return status;
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
    return fp_form_alike(form, a, b, NULL, 0);
}

static const fp_operator *operator_of(const comparison *c)
{
    const fp_node *node = c->node;
    while (!c->count && !node->op && node->inputs[0]) node = node->inputs[0];
    return c->count ? c->ops[0] : node->op;
}

static gpu_status differ(const comparison *c, const fp_form *form, size_t place, const void *here, const void *there)
{
    const fp_operator *op = operator_of(c);
    fp_text text = {0};
    fp_text_print(&text, "FIREPILE_VERIFY: element %zu is ", place);
    fp_form_write(form, there, &text);
    fp_text_put(&text, " on the device, and ");
    fp_form_write(form, here, &text);
    fp_text_put(&text, " on the host");
    if (op) fp_text_print(&text, ": the operator \"%s\" does not mean the same on both sides", op->snippet->text);
    gpu_status status = text.failed ? fp_fail_memory() : fp_fail(op ? GPU_E_SNIPPET : GPU_E_INTERNAL, "%s", text.bytes);
    fp_text_free(&text);
    return status;
}

static gpu_status compare_bytes(const comparison *c, const unsigned char *here, const unsigned char *there, size_t n)
{
    fp_form *form;
    size_t size = c->type->size;
    gpu_status status = fp_form_new(c->type, &form);
    if (status) return status;
    for (size_t k = 0; k < n && !status; k++)
        if (!is_same(c, form, here + k * size, there + k * size))
            status = differ(c, form, k, here + k * size, there + k * size);
    fp_form_free(form);
    return status;
}

static gpu_status compare(const comparison *c, const void *here, fp_buffer *there, size_t n)
{
    size_t bytes = n * c->type->size;
    void *copy = n ? fp_alloc(bytes) : NULL;
    if (!n) return GPU_OK;
    gpu_status status = copy ? fp_buffer_download(there, 0, copy, bytes) : fp_fail_memory();
    if (!status) status = compare_bytes(c, here, copy, n);
    fp_free(copy);
    return status;
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
    if (!status) status = compare(&c, fp_buffer_memory(here), out, node->length);
    fp_buffer_drop(here);
    return end(&c, status);
}

/* The elements of a selection have places on the device that they have not on the host: sums of floats may differ. */
gpu_status fp_verify_reduce(fp_node *node, const fp_host_reduction *reduction, fp_buffer *out)
{
    comparison c = {.node = node, .ops = reduction->ops, .count = reduction->count, .launches = 1, .type = node->type};
    fp_host_reduction r = *reduction;
    if ((!r.order && !has_any_order(c.type)) || !begin(&c) || !node->length) return GPU_OK;
    r.out = fp_alloc(fp_tuple_mark(node->type, r.count) + sizeof(uint32_t));
    if (!r.out) return fp_fail_memory();
    gpu_status status = fp_host_reduce(node, &r);
    uint32_t any = 1;
    if (r.marked) memcpy(&any, r.out + fp_tuple_mark(node->type, r.count), sizeof any);
    if (!status && any) status = compare(&c, r.out, out, r.count);
    fp_free(r.out);
    return end(&c, status);
}

gpu_status fp_verify_scan(fp_node *node, fp_operator *op, const void *start, const fp_device_order *order,
                          unsigned launches, fp_buffer *out)
{
    comparison c = {.node = node, .ops = &op, .count = 1, .launches = launches, .type = node->type};
    if ((!order && !has_any_order(c.type)) || !begin(&c) || !node->length) return GPU_OK;
    unsigned char *here = fp_alloc_array(node->length, node->type->size);
    if (!here) return fp_fail_memory();
    gpu_status status = fp_host_scan(node, op, start, order, here);
    if (!status) status = compare(&c, here, out, node->length);
    fp_free(here);
    return end(&c, status);
}

static gpu_status differ_in_count(const comparison *c, uint64_t here, uint64_t there)
{
    const fp_operator *op = operator_of(c);
    return fp_fail(GPU_E_SNIPPET,
                   "FIREPILE_VERIFY: the number is %llu on the device, and %llu on the host: the operator \"%s\" does "
                   "not mean the same on both sides",
                   (unsigned long long)there, (unsigned long long)here, op ? op->snippet->text : "");
}

static gpu_status new_destination(const fp_node *node, fp_destination *out)
{
    out->count = fp_count_known(0);
    return out->count ? fp_elements_new_at(node->g, true, node->type, node->length, &out->buffer) : fp_last_status();
}

static gpu_status compare_destination(const comparison *c, const fp_destination *here, const fp_destination *there)
{
    gpu_status status = fp_count_wait(there->count);
    if (status) return status;
    size_t n = there->count->value;
    return n == here->count->value ? compare(c, fp_buffer_memory(here->buffer), there->buffer, n)
                                   : differ_in_count(c, here->count->value, n);
}

gpu_status fp_verify_select(fp_node *node, const fp_destination *kept, const fp_destination *others, unsigned launches)
{
    comparison c = {.node = node, .launches = launches, .type = node->type};
    fp_destination here[2] = {{NULL}, {NULL}};
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
    for (int k = 0; k < 2 && !status; k++)
        if ((size_t)there[k] != here[k].value) status = differ_in_count(&c, here[k].value, there[k]);
    return end(&c, status);
}
