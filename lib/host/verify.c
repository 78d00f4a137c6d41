/* FIREPILE_VERIFY: the device's results are compared with the host's. */
#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "expressions/entry.h"
#include "kernel/type.h"
#include "kernel/value.h"

#include <inttypes.h>
#include <string.h>

/* Note [verifying]: everything is computed at once (as with FIREPILE_EAGER), so an operation has one operator, and
 * buffers for its inputs. The host gets a copy of those and computes the same. Results are compared bit by bit where
 * both sides have the same bits, except those of a NaN. Members of structs, and results of other functions of math.h,
 * may differ by FP_ULPS. If operators that may round combine more elements than Note [serial order] has, results may
 * differ by a bound that grows with the logarithm of their number and the sum of their magnitudes. Excluded: operators
 * without a form on the host or without such a bound; buffers of the program; integers and decisions that inexact
 * functions make, since a bit may be a step there. A GPU_KERNEL is compared bit by bit if it calls exact functions
 * alone. Elements that change on the host when the items run in another order may be anything. */

/* Units of rounding for each level of the tree in which elements are combined. */
enum { PER_LEVEL = 8 };

typedef struct comparison {
    const fp_request *device, *host;
    bool exact;
    double ulps;
    unsigned char *magnitudes; /* the sums of the elements' magnitudes, for the first output, or NULL */
    bool bounded;              /* by the magnitudes */
    bool excused;
} comparison;

/* Do both sides combine the elements in orders of their own? */
static bool in_other_order(const fp_request *r)
{
    const fp_node *node = r->input.node;
    return node->length > node->g->policy.serial || r->input.selection;
}

/* Can the host compute it too, so that a comparison makes sense? */
static bool is_comparable(const fp_request *r, bool *exact)
{
    if (r->primitive->comparable && !r->primitive->comparable(r)) return false;
    if (!fp_host_fetches(r, exact) || (r->op_count && r->ops[0]->unbounded && in_other_order(r))) return false;
    const gpu_type type = r->outputs[0].type;
    return *exact || (!r->primitive->decides && type && type->kind == GPU_KIND_FLOATING);
}

/* ---- rounding ---- */

/* Adds up the magnitudes of operator k's elements. */
static gpu_status add_magnitudes(const fp_request *r, unsigned k, unsigned char *out)
{
    const size_t stride = r->maps ? r->types[k]->size : r->input.node->type->size;
    fp_value_layout *layout;
    fp_mapped mapped;
    fp_walk walk;
    fp_block block;
    gpu_status status = fp_value_layout_new(fp_operand_at(r, k), &layout);
    if (status) return status;
    status = fp_walk_begin(&walk, r->input.node);
    gpu_status begun = fp_mapped_begin(r, k, &mapped);
    while (!status && !begun && fp_walk_next(&walk, &block)) {
        const unsigned char *elements = fp_mapped_elements(&mapped, &walk, &block);
        for (size_t e = 0; e < block.count; e++) fp_value_layout_add_magnitudes(layout, elements + e * stride, out);
    }
    fp_mapped_end(&mapped);
    fp_walk_end(&walk);
    fp_value_layout_free(layout);
    return status ? status : begun;
}

/* The values of several operators make a tuple. */
static gpu_status add_all_magnitudes(comparison *c)
{
    const fp_request *r = c->host;
    const size_t size = fp_operand_at(r, 0)->size, room = r->outputs[0].type->size;
    gpu_status status = GPU_OK;
    c->magnitudes = fp_alloc(room > size ? room : size);
    if (!c->magnitudes) return fp_fail_memory();
    for (unsigned k = 0; k < r->op_count && !status; k++)
        status = add_magnitudes(r, k, c->magnitudes + (k ? fp_tuple_member(r->types, k) : 0));
    return status;
}

/* Both sides combine many elements in different orders, so results may differ by rounding. */
static gpu_status allow_rounding(comparison *c)
{
    const fp_request *r = c->host;
    const bool combines = r->op_count && !r->ops[0]->predicate;
    c->ulps = FP_ULPS;
    if (!combines || !fp_request_rounds(r) || !in_other_order(r)) return GPU_OK;
    c->exact = false;
    c->ulps = PER_LEVEL;
    for (size_t n = r->input.node->length; n > 1; n /= 2) c->ulps += PER_LEVEL;
    return add_all_magnitudes(c);
}

/* ---- comparing ---- */

static bool is_nan(gpu_type scalar, const unsigned char *value)
{
    double x;
    fp_convert(scalar, value, GPU_DOUBLE, &x);
    return x != x;
}

static bool same_bits(gpu_type type, const unsigned char *a, const unsigned char *b)
{
    gpu_type scalar = fp_type_scalar(type);
    for (unsigned k = 0; k < type->width; k++, a += scalar->size, b += scalar->size)
        if (memcmp(a, b, scalar->size) && !(type->kind == GPU_KIND_FLOATING && is_nan(scalar, a) && is_nan(scalar, b)))
            return false;
    return true;
}

static bool is_same(const comparison *c, gpu_type type, const fp_value_layout *layout, const unsigned char *a,
                    const unsigned char *b)
{
    const void *others[] = {c->magnitudes};
    if (!memcmp(a, b, type->size)) return true;
    if (c->exact && type->kind != GPU_KIND_STRUCT) return same_bits(type, a, b);
    return fp_value_layout_alike(layout, a, b, others, c->bounded, c->ulps);
}

/* The user's first operator in an expression; NULL if there is none. */
static const fp_operator *find_operator(const fp_node *node)
{
    const fp_operator *op = node->op && !node->op->builtin ? node->op : NULL;
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && !op; k++) op = find_operator(node->inputs[k]);
    return op;
}

/* Ends a message with the operator, and fails. */
static gpu_status blame(const comparison *c, fp_text *text)
{
    const fp_request *r = c->device;
    const fp_operator *op = r->op_count && !r->ops[0]->builtin ? r->ops[0] : find_operator(r->input.node);
    if (op) fp_text_put(text, ": ");
    if (op && op->dimensions) fp_kernel_write(op, text);
    if (op && !op->dimensions) fp_text_print(text, "the operator \"%s\"", op->snippet->text);
    if (op) fp_text_put(text, " does not mean the same on both sides");
    const gpu_status kind = op ? GPU_E_SNIPPET : GPU_E_INTERNAL;
    r->input.node->g->different++;
    return fp_fail_text(kind, text);
}

static gpu_status differ(const comparison *c, const fp_value_layout *layout, size_t place, const void *host,
                         const void *device)
{
    fp_text text = {0};
    fp_text_print(&text, "FIREPILE_VERIFY: element %zu is ", place);
    fp_value_layout_write(layout, device, &text);
    fp_text_put(&text, " on the device, and ");
    fp_value_layout_write(layout, host, &text);
    fp_text_put(&text, " on the host");
    return blame(c, &text);
}

static size_t first_difference(const comparison *c, gpu_type type, const fp_value_layout *layout,
                               const unsigned char *host, const unsigned char *device, size_t n)
{
    size_t k = 0;
    while (k < n && is_same(c, type, layout, host + k * type->size, device + k * type->size)) k++;
    return k;
}

static gpu_status compare_bytes(comparison *c, unsigned output, const unsigned char *device, size_t n)
{
    const gpu_type type = c->host->outputs[output].type;
    const unsigned char *host = fp_buffer_memory(c->host->outputs[output].buffer);
    const fp_primitive *primitive = c->host->primitive;
    fp_value_layout *layout;
    gpu_status status = fp_value_layout_new(type, &layout);
    if (status) return status;
    size_t k = first_difference(c, type, layout, host, device, n);
    if (k < n && primitive->reconcile) {
        status = primitive->reconcile(c->host, output, device, &c->excused);
        if (!status && !c->excused) k = first_difference(c, type, layout, host, device, n);
    }
    if (k < n && !status && !c->excused) status = differ(c, layout, k, host + k * type->size, device + k * type->size);
    fp_value_layout_free(layout);
    return status;
}

static gpu_status compare_numbers(const comparison *c, uint64_t host, uint64_t device)
{
    fp_text text = {0};
    if (host == device) return GPU_OK;
    fp_text_print(&text, "FIREPILE_VERIFY: the number is %" PRIu64 " on the device, and %" PRIu64 " on the host",
                  device, host);
    return blame(c, &text);
}

static gpu_status compare_output(comparison *c, unsigned k)
{
    const fp_output *host = &c->host->outputs[k], *device = &c->device->outputs[k];
    c->bounded = c->magnitudes && k == 0;
    size_t n = host->extent == FP_ALIGNED ? c->host->input.node->length : host->length;
    gpu_status status = GPU_OK;
    if (device->count) {
        uint64_t number;
        status = host->type ? fp_count_wait(device->count) : GPU_OK;
        if (!status) status = fp_count_read(device->count, &number);
        n = host->count->value;
        if (!status) status = compare_numbers(c, n, number);
    }
    if (status || !n || !host->type) return status;
    const size_t bytes = n * host->type->size;
    void *copy = fp_alloc(bytes);
    status = copy ? fp_buffer_download(device->buffer, 0, copy, bytes) : fp_fail_memory();
    if (!status) status = compare_bytes(c, k, copy, n);
    fp_free(copy);
    return status;
}

static gpu_status compare(comparison *c, uint64_t launches)
{
    gpu *g = c->device->input.node->g;
    gpu_status status = allow_rounding(c);
    for (unsigned k = 0; k < c->host->output_count && !status && !c->excused; k++) status = compare_output(c, k);
    fp_free(c->magnitudes);
    if (status || c->excused) return status;
    g->checked++;
    g->unchecked -= launches;
    return GPU_OK;
}

/* Waits for lengths that only the device knows. */
gpu_status fp_verify(const fp_request *r, uint64_t launches)
{
    fp_request host = *r;
    comparison c = {.device = r, .host = &host};
    if (!is_comparable(r, &c.exact)) return GPU_OK;
    /* After a deferred error elements may be anything. The results carry it. */
    if (fp_deferred_is_set(r->input.node->deferred)) return GPU_OK;
    fp_node_count(host.input.node);
    host.input.length = host.input.node->length;
    for (unsigned k = 0; k < host.output_count; k++) {
        host.outputs[k].buffer = NULL;
        host.outputs[k].count = NULL;
    }
    host.input.node->g->host_runs++;
    gpu_status status = fp_make_outputs(&host, true);
    if (!status && host.input.length) status = host.primitive->run(&host);
    if (!status && host.input.length) status = compare(&c, launches);
    fp_drop_outputs(&host, true);
    return status;
}
