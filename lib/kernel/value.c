#include "kernel/value.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct fp_value_layout {
    gpu_type type;
    fp_layout *layout; /* of a struct */
};

gpu_status fp_value_layout_new(gpu_type type, fp_value_layout **out)
{
    fp_value_layout *value = fp_alloc(sizeof *value);
    if (!value) return fp_fail_memory();
    value->type = type;
    gpu_status status = type->kind == GPU_KIND_STRUCT ? fp_layout_parse(type, &value->layout) : GPU_OK;
    if (status) fp_value_layout_free(value);
    if (!status) *out = value;
    return status;
}

void fp_value_layout_free(fp_value_layout *value)
{
    if (value) fp_layout_free(value->layout);
    fp_free(value);
}

/* ---- the parts of a value ---- */

/* A scalar, or what consists of parts: an array, a vector, a struct or a union. */
typedef struct part {
    const fp_member *member; /* its members, or its elements, are the parts; NULL: a scalar or a vector */
    bool array;
    gpu_type type; /* of a scalar or a vector, or of those in an array */
    fp_slice name; /* of a member, unless it has none */
    size_t offset;
} part;

static part whole(const fp_value_layout *value)
{
    return (part){.member = value->layout ? &value->layout->root : NULL, .type = value->type};
}

static bool is_scalar(const part *p)
{
    return !p->member && p->type->width == 1;
}

static bool is_union(const part *p)
{
    return p->member && !p->array && p->member->is_union;
}

/* Gives the parts of a part to `visit` in order until it returns true. Returns whether it did. */
static bool any(const part *p, bool (*visit)(const part *inner, void *context), void *context)
{
    const fp_member *m = p->member;
    bool found = false;
    if (p->array || !m) {
        size_t count = m ? m->elements : p->type->width;
        gpu_type type = m ? p->type : fp_type_scalar(p->type);
        size_t size = m ? m->size / count : type->size;
        for (size_t k = 0; k < count && !found; k++)
            found = visit(&(part){m && m->first ? m : NULL, false, type, {0}, p->offset + k * size}, context);
        return found;
    }
    for (m = m->first; m && !found; m = m->next) {
        const bool array = m->lengths.length;
        found = visit(&(part){array || m->first ? m : NULL, array, m->type, m->name, p->offset + m->offset}, context);
    }
    return found;
}

/* ---- writing ---- */

/* A NaN is written without its sign. */
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

typedef struct writer {
    const unsigned char *value;
    fp_text *out;
    size_t written, most; /* so far, and at most, of the part around them */
} writer;

static bool write_part(const part *p, void *context)
{
    writer *w = context, inner = {w->value, w->out, 0, p->array ? MOST_ELEMENTS : SIZE_MAX};
    const bool vector = !p->member;
    if (w->written) fp_text_put(w->out, ", ");
    if (w->written++ == w->most) {
        fp_text_put(w->out, "...");
        return true;
    }
    if (p->name.length) fp_text_print(w->out, "%.*s = ", (int)p->name.length, p->name.bytes);
    if (is_scalar(p)) {
        write_scalar(p->type, w->value + p->offset, w->out);
        return false;
    }
    fp_text_put(w->out, vector ? "(" : "{");
    any(p, write_part, &inner);
    fp_text_put(w->out, vector ? ")" : "}");
    return false;
}

void fp_value_layout_write(const fp_value_layout *layout, const void *value, fp_text *out)
{
    const part all = whole(layout);
    write_part(&all, &(writer){.value = value, .out = out, .most = 1});
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

static bool differ(const part *p, void *context);

/* A struct is alike if all its parts are, a union if any is. */
static bool alike(const part *p, void *context)
{
    if (is_scalar(p)) return alike_scalars(p->type, p->offset, context);
    return is_union(p) ? any(p, alike, context) : !any(p, differ, context);
}

static bool differ(const part *p, void *context)
{
    return !alike(p, context);
}

bool fp_value_layout_alike(const fp_value_layout *layout, const void *left, const void *right,
                           const void *const *others, size_t count, double ulps)
{
    const part all = whole(layout);
    return alike(&all, &(comparison){left, right, others, count, ulps});
}

typedef struct sum {
    const unsigned char *value;
    unsigned char *sums;
} sum;

static bool add_magnitudes(const part *p, void *context)
{
    const sum *s = context;
    if (is_union(p)) return false;
    if (!is_scalar(p)) return any(p, add_magnitudes, context);
    if (p->type->kind != GPU_KIND_FLOATING) return false;
    unsigned char *at = s->sums + p->offset;
    const double total = floating(p->type, at) + fabs(floating(p->type, s->value + p->offset));
    if (p->type == GPU_FLOAT) memcpy(at, &(float){(float)total}, sizeof(float));
    if (p->type == GPU_DOUBLE) memcpy(at, &total, sizeof total);
    return false;
}

void fp_value_layout_add_magnitudes(const fp_value_layout *layout, const void *value, void *sums)
{
    const part all = whole(layout);
    add_magnitudes(&all, &(sum){value, sums});
}
