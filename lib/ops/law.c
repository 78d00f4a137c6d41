#include "array/plan.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "host/host.h"
#include "kernel/type.h"
#include "ops/order.h"

#include <firepile/law.h>
#include <inttypes.h>
#include <string.h>

enum { MOST = 64, GROUP = 64 };

/* Where elements of the sample stand in the array. */
typedef struct sample {
    fp_node *node;
    size_t stride;
} sample;

/* ---- values as text ---- */

/* A NaN's sign is nobody's concern. */
static void write_floating(double value, int digits, fp_text *out)
{
    if (value != value) fp_text_put(out, "nan");
    if (value == value) fp_text_print(out, "%.*g", digits, value);
}

static void write_scalar(gpu_type type, const unsigned char *bytes, fp_text *out)
{
    union {
        uint64_t bits;
        float single;
        double full;
    } u = {0};
    memcpy(&u, bytes, type->size);
    unsigned unused = 64 - 8 * (unsigned)type->size;
    if (type == GPU_FLOAT) {
        write_floating((double)u.single, 9, out);
    } else if (type == GPU_DOUBLE) {
        write_floating(u.full, 17, out);
    } else if (type->kind == GPU_KIND_SIGNED) {
        fp_text_print(out, "%" PRId64, (int64_t)(u.bits << unused) >> unused);
    } else {
        fp_text_print(out, "%" PRIu64, u.bits);
    }
}

/* A scalar, a vector's components, or a struct's bytes. */
static void write_element(gpu_type type, const unsigned char *bytes, fp_text *out)
{
    if (type->kind == GPU_KIND_STRUCT) {
        fp_text_print(out, "struct %s of bytes", type->name);
        for (size_t k = 0; k < type->size; k++) fp_text_print(out, " %02x", bytes[k]);
        return;
    }
    gpu_type scalar = fp_type_scalar(type);
    if (type->width > 1) fp_text_put(out, "(");
    for (unsigned k = 0; k < type->width; k++) {
        if (k) fp_text_put(out, ", ");
        write_scalar(scalar, bytes + k * scalar->size, out);
    }
    if (type->width > 1) fp_text_put(out, ")");
}

/* ---- the order ---- */

static gpu_status launch(const sample *s, const fp_operator *less, fp_cell where)
{
    fp_node *node = s->node;
    fp_plan *plan;
    if (node->g->host) return fp_host_law(node, less, where);
    gpu_status status = fp_plan_begin(&plan, "law", node->type, node);
    if (status) return status;
    fp_plan_compare(plan, less, node->type);
    const uint64_t cell = 2 * where.index;
    const fp_arg args[] = {{.buffer = fp_cell_buffer(where)}, {.value = &cell, .bytes = sizeof cell}};
    bool cpu = node->g->policy.cpu;
    unsigned group = cpu ? 1 : node->g->policy.group < GROUP ? node->g->policy.group : GROUP;
    return fp_plan_launch(plan, args, 2, MOST, group);
}

/* The failure that a broken law is, of the elements at three places. */
static gpu_status broken(const sample *s, uint32_t found)
{
    static const char *const laws[] = {"a comes before itself", "a comes before b, and b before a",
                                       "a comes before b and b before c, but a not before c",
                                       "b is like a and like c, but a is not like c"};
    static const unsigned named[] = {1, 2, 3, 3};
    size_t n = s->node->length, size = s->node->type->size, triple = found / 4, law = found % 4;
    const size_t places[] = {triple / (n * n), triple / n % n, triple % n};
    fp_text text = {0};
    unsigned char *bytes = fp_alloc(size);
    gpu_status status = bytes ? GPU_OK : fp_fail_memory();
    for (unsigned k = 0; k < named[law] && !status; k++) {
        status = fp_buffer_download(s->node->buffer, (s->node->first + places[k]) * size, bytes, size);
        fp_text_print(&text, "%s%c = ", k ? ", " : "", 'a' + (char)k);
        write_element(s->node->type, bytes, &text);
        fp_text_print(&text, " (element %zu)", places[k] * s->stride);
    }
    if (!status && text.failed) status = fp_fail_memory();
    if (!status)
        status = fp_fail(GPU_E_ARGUMENT, "the comparator is no strict weak order: %s; %s", laws[law], text.bytes);
    fp_free(bytes);
    fp_text_free(&text);
    return status;
}

static gpu_status try_order(const sample *s, const fp_operator *less)
{
    fp_cell cell;
    uint64_t seen;
    gpu_status status = fp_cell_new(s->node->g, true, &cell);
    if (status) return status;
    status = fp_operator_prepare(less);
    if (!status) status = launch(s, less, cell);
    if (!status) status = fp_cell_read(cell, &seen);
    if (!status && (uint32_t)seen) status = broken(s, ~(uint32_t)seen);
    fp_cell_free(cell, false);
    return status;
}

/* Elements spread over the array, in a buffer. */
static gpu_status take_sample(fp_node *node, sample *out)
{
    gpu_status status = fp_node_settle(node);
    if (status) return status;
    out->stride = node->length > MOST ? node->length / MOST : 1;
    out->node = node->length > MOST ? fp_node_every(node, out->stride, MOST) : fp_node_keep(node);
    return out->node ? fp_node_eval(out->node) : fp_last_status();
}

static gpu_status check_order(const gpu_array *a, const gpu_operator *less)
{
    fp_operator *bound;
    sample s = {NULL, 1};
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_operator_bind(a->g, less, &(fp_role){"gpu_check_order", 2, false, false}, &bound);
    if (status) return status;
    bound->predicate = true;
    status = take_sample(a->node, &s);
    if (!status && s.node->length) status = try_order(&s, bound);
    fp_node_drop(s.node);
    fp_operator_free(bound);
    return status;
}

gpu_status gpu_check_order_op(const gpu_array *a, const gpu_operator *less)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_check_order", less ? less->place : NULL);
    return fp_entry_end(&entry, check_order(a, less));
}
