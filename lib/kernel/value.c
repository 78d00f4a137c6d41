#include "kernel/value.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/layout_tree.h"
#include "kernel/type.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef enum part_kind { PART_SCALAR, PART_VECTOR, PART_ARRAY, PART_STRUCT, PART_UNION } part_kind;

/* Parts stand in the order of the text: one that consists of others comes before them. */
typedef struct part {
    part_kind kind;
    fp_slice name; /* of a member, unless it has none */
    gpu_type scalar;
    size_t offset;
    size_t end; /* the number of the next part that is none of this one's */
} part;

struct fp_value_layout {
    part *parts;
    size_t count, capacity;
};

/* ---- taking a type apart ---- */

static gpu_status add_type(fp_value_layout *layout, gpu_type type, fp_slice name, size_t offset);

/* The number of the new part is layout->count - 1. */
static gpu_status add_part(fp_value_layout *layout, part new)
{
    part *list = fp_grow(layout->parts, layout->count, &layout->capacity, sizeof *list);
    if (!list) return fp_fail_memory();
    layout->parts = list;
    list[layout->count++] = new;
    list[layout->count - 1].end = layout->count;
    return GPU_OK;
}

static gpu_status add_members(fp_value_layout *layout, const fp_member *parent, fp_slice name, size_t offset);

static gpu_status add_element(fp_value_layout *layout, const fp_member *m, fp_slice name, size_t offset)
{
    if (m->first) return add_members(layout, m, name, offset);
    return add_type(layout, m->structure ? m->structure : m->type, name, offset);
}

static gpu_status add_member(fp_value_layout *layout, const fp_member *m, size_t offset)
{
    if (!m->rank) return add_element(layout, m, m->name, offset);
    size_t number = layout->count, n = fp_member_elements(m), size = m->size / n;
    gpu_status status = add_part(layout, (part){.kind = PART_ARRAY, .name = m->name});
    for (size_t k = 0; k < n && !status; k++) status = add_element(layout, m, (fp_slice){0}, offset + k * size);
    if (!status) layout->parts[number].end = layout->count;
    return status;
}

static gpu_status add_members(fp_value_layout *layout, const fp_member *parent, fp_slice name, size_t offset)
{
    size_t number = layout->count;
    gpu_status status = add_part(layout, (part){.kind = parent->is_union ? PART_UNION : PART_STRUCT, .name = name});
    for (const fp_member *m = parent->first; m && !status; m = m->next)
        status = add_member(layout, m, offset + m->offset);
    if (!status) layout->parts[number].end = layout->count;
    return status;
}

static gpu_status add_struct(fp_value_layout *value, gpu_type type, fp_slice name, size_t offset)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    status = add_members(value, &layout->root, name, offset);
    fp_layout_free(layout);
    return status;
}

static gpu_status add_type(fp_value_layout *layout, gpu_type type, fp_slice name, size_t offset)
{
    if (type->kind == GPU_KIND_STRUCT) return add_struct(layout, type, name, offset);
    gpu_type scalar = fp_type_scalar(type);
    size_t number = layout->count;
    part one = {.kind = PART_SCALAR, .name = name, .scalar = scalar, .offset = offset};
    if (type->width == 1) return add_part(layout, one);
    gpu_status status = add_part(layout, (part){.kind = PART_VECTOR, .name = name});
    one.name.length = 0;
    for (unsigned k = 0; k < type->width && !status; k++, one.offset += scalar->size) status = add_part(layout, one);
    if (!status) layout->parts[number].end = layout->count;
    return status;
}

gpu_status fp_value_layout_new(gpu_type type, fp_value_layout **out)
{
    fp_value_layout *layout = fp_alloc(sizeof *layout);
    gpu_status status = layout ? add_type(layout, type, (fp_slice){0}, 0) : fp_fail_memory();
    if (status)
        fp_value_layout_free(layout);
    else
        *out = layout;
    return status;
}

void fp_value_layout_free(fp_value_layout *layout)
{
    if (layout) fp_free(layout->parts);
    fp_free(layout);
}

/* ---- writing ---- */

/* A NaN's sign is nobody's concern. */
static void write_floating(double value, int digits, fp_text *out)
{
    if (value != value) fp_text_put(out, "nan");
    if (value == value) fp_text_print(out, "%.*g", digits, value);
}

static double floating(gpu_type type, const unsigned char *bytes)
{
    float single;
    double full;
    memcpy(&single, bytes, sizeof single);
    if (type == GPU_FLOAT) return (double)single;
    memcpy(&full, bytes, sizeof full);
    return full;
}

static void write_scalar(gpu_type type, const unsigned char *bytes, fp_text *out)
{
    if (type->kind == GPU_KIND_FLOATING) {
        write_floating(floating(type, bytes), type == GPU_FLOAT ? 9 : 17, out);
        return;
    }
    uint64_t bits = 0;
    memcpy(&bits, bytes, type->size);
    unsigned unused = 64 - 8 * (unsigned)type->size;
    if (type->kind == GPU_KIND_SIGNED)
        fp_text_print(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else
        fp_text_print(out, "%" PRIu64, bits);
}

/* Elements of an array that are written. */
enum { MOST_ELEMENTS = 8 };

static void write_part(const fp_value_layout *layout, const part *p, const unsigned char *value, fp_text *out)
{
    if (p->name.length) fp_text_print(out, "%.*s = ", (int)p->name.length, p->name.bytes);
    if (p->kind == PART_SCALAR) {
        write_scalar(p->scalar, value + p->offset, out);
        return;
    }
    const part *end = layout->parts + p->end, *first = p + 1;
    unsigned written = 0;
    fp_text_put(out, p->kind == PART_VECTOR ? "(" : "{");
    for (const part *c = first; c < end; c = layout->parts + c->end) {
        if (c != first) fp_text_put(out, ", ");
        bool more = p->kind == PART_ARRAY && written++ == MOST_ELEMENTS;
        if (more) fp_text_put(out, "...");
        if (more) break;
        write_part(layout, c, value, out);
    }
    fp_text_put(out, p->kind == PART_VECTOR ? ")" : "}");
}

void fp_value_layout_write(const fp_value_layout *layout, const void *value, fp_text *out)
{
    write_part(layout, layout->parts, value, out);
}

/* ---- comparing ---- */

typedef struct comparison {
    const unsigned char *left, *right;
    const void *const *others;
    size_t count;
    double ulps;
} comparison;

static double larger(double most, gpu_type type, const unsigned char *bytes)
{
    double size = fabs(floating(type, bytes));
    return size > most && size <= DBL_MAX ? size : most;
}

static bool alike_scalars(gpu_type type, size_t offset, const comparison *c)
{
    const unsigned char *p = c->left + offset, *q = c->right + offset;
    if (type->kind != GPU_KIND_FLOATING) return !memcmp(p, q, type->size);
    double left = floating(type, p), right = floating(type, q);
    if (left == right || (left != left && right != right)) return true;
    double most = larger(larger(0, type, p), type, q);
    for (size_t k = 0; k < c->count; k++) most = larger(most, type, (const unsigned char *)c->others[k] + offset);
    return fabs(left - right) <= most * c->ulps * (type == GPU_FLOAT ? 0x1p-24 : 0x1p-53);
}

/* A struct is alike if all its parts are, a union if any is. */
static bool alike_parts(const fp_value_layout *layout, const part *p, const comparison *c)
{
    if (p->kind == PART_SCALAR) return alike_scalars(p->scalar, p->offset, c);
    bool decisive = p->kind == PART_UNION;
    const part *end = layout->parts + p->end;
    for (const part *inner = p + 1; inner < end; inner = layout->parts + inner->end)
        if (alike_parts(layout, inner, c) == decisive) return decisive;
    return !decisive;
}

bool fp_value_layout_alike(const fp_value_layout *layout, const void *left, const void *right,
                           const void *const *others, size_t count, double ulps)
{
    return alike_parts(layout, layout->parts, &(comparison){left, right, others, count, ulps});
}

static void add_magnitude(gpu_type type, const unsigned char *value, unsigned char *sum)
{
    const double total = floating(type, sum) + fabs(floating(type, value));
    if (type == GPU_FLOAT) memcpy(sum, &(float){(float)total}, sizeof(float));
    if (type == GPU_DOUBLE) memcpy(sum, &total, sizeof total);
}

static void add_magnitudes(const fp_value_layout *layout, const part *p, const unsigned char *value,
                           unsigned char *sums)
{
    const part *end = layout->parts + p->end;
    if (p->kind == PART_SCALAR && p->scalar->kind == GPU_KIND_FLOATING)
        add_magnitude(p->scalar, value + p->offset, sums + p->offset);
    if (p->kind == PART_SCALAR || p->kind == PART_UNION) return;
    for (const part *inner = p + 1; inner < end; inner = layout->parts + inner->end)
        add_magnitudes(layout, inner, value, sums);
}

void fp_value_layout_add_magnitudes(const fp_value_layout *layout, const void *value, void *sums)
{
    add_magnitudes(layout, layout->parts, value, sums);
}
