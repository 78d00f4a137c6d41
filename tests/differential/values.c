/* Values, operators as the library takes them, and what is compared. */
#include "engine.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const kind *kind_of(gpu_type type)
{
    for (size_t k = 0; k < COUNT_OF(scalar_kinds); k++)
        if (scalar_kinds[k]->type == type) return scalar_kinds[k];
    for (size_t k = 0; k < COUNT_OF(other_kinds); k++)
        if (other_kinds[k]->type == type) return other_kinds[k];
    return NULL;
}

const kind *kind_always(gives gives)
{
    static const gpu_type types[] = {
        [AS_ULONG] = GPU_ULONG, [AS_INT] = GPU_INT, [AS_UCHAR] = GPU_UCHAR, [AS_INT2] = GPU_INT2};
    return types[gives] ? kind_of(types[gives]) : NULL;
}

size_t below(run *r, size_t n)
{
    return n ? (size_t)(test_random(&r->state) % n) : 0;
}

void *element(const value *v, size_t i)
{
    return v->data + i * v->kind->type->size;
}

void give(value *out, size_t n)
{
    out->n = n;
    out->data = test_alloc(n, out->kind->type->size);
}

void copy(value *out, size_t i, const void *from)
{
    memcpy(element(out, i), from, out->kind->type->size);
}

void give_part(value *out, const value *v, size_t first, size_t n)
{
    give(out, n);
    if (n) memcpy(out->data, element(v, first), n * v->kind->type->size);
}

bool is_equal(const kind *k, const void *p, const void *q)
{
    bool floating = k->scalar && k->type->kind == GPU_KIND_FLOATING;
    return k->same(p, q) && !(floating && isnan(test_get(k->type, p, 0).f));
}

/* An element that is there, or some other one. */
void draw_element(run *r, const step *s, const value *const in[])
{
    (void)s;
    element_of(in[0]->kind, test_random(&r->state) >> 40, r->drawn.start);
    if (in[0]->n && below(r, 3)) memcpy(r->drawn.start, element(in[0], below(r, in[0]->n)), in[0]->kind->type->size);
}

void apply(const run *r, const rule *rule, void *out, const void *x, const void *y, uint64_t i)
{
    const void *const in[] = {x, y ? y : x, x};
    rule->run(out, in, i, &r->captured);
}

bool says(const run *r, const rule *rule, const void *x, uint64_t i)
{
    int yes;
    apply(r, rule, &yes, x, NULL, i);
    return yes;
}

bool before(const run *r, const rule *rule, const void *x, const void *y)
{
    int yes;
    apply(r, rule, &yes, x, y, 0);
    return yes;
}

/* ---- floating numbers ---- */

static double number(const value *v, size_t i)
{
    return test_get(v->kind->type, v->data, i).f;
}

static bool is_floating(const kind *k)
{
    return k->scalar && k->type->kind == GPU_KIND_FLOATING;
}

bool has_nan(const value *v)
{
    for (size_t i = 0; is_floating(v->kind) && i < v->n; i++)
        if (isnan(number(v, i))) return true;
    return false;
}

bool is_small(const value *v)
{
    for (size_t i = 0; is_floating(v->kind) && i < v->n; i++)
        if (isfinite(number(v, i)) && fabs(number(v, i)) > (1 << 20)) return false;
    return true;
}

bool stays_exact(const rule *rule, const value *v)
{
    double sum = 0, bits = 0;
    for (size_t i = 0; is_floating(v->kind) && rule->grows != EXACT && i < v->n; i++) {
        double size = isfinite(number(v, i)) ? fabs(number(v, i)) : 0;
        sum += size;
        bits += size > 1 ? ceil(log2(size)) : 0;
    }
    return rule->grows == MULTIPLIES ? bits < 20 : sum < (1 << 22);
}

/* The element that the int `bits` makes; a scalar gets all of the bits. */
void element_of(const kind *k, uint64_t bits, void *out)
{
    int number = (int)bits;
    if (k->scalar && !is_floating(k))
        memcpy(out, &bits, k->type->size);
    else
        k->from_int->run(out, (const void *const[]){&number, &number, &number}, 0, NULL);
}

/* ---- what is told ---- */

void fail(run *r, const char *format, ...)
{
    va_list list;
    if (*r->failure) return;
    va_start(list, format);
    vsnprintf(r->failure, sizeof r->failure, format, list);
    va_end(list);
}

static void show(const kind *k, const void *element, char *text, size_t room)
{
    size_t used = 0;
    test_number n = k->scalar ? test_get(k->type, element, 0) : (test_number){0};
    if (is_floating(k))
        snprintf(text, room, "%.17g", n.f);
    else if (k->scalar)
        snprintf(text, room, "%lld (%#llx)", (long long)n.s, (unsigned long long)n.u);
    for (size_t b = 0; !k->scalar && b < k->type->size && used + 4 < room; b++)
        used += (size_t)snprintf(text + used, room - used, "%02x ", ((const unsigned char *)element)[b]);
}

void same_elements(run *r, const char *what, const kind *k, size_t n, const void *got, const void *want)
{
    size_t size = k->type->size;
    r->compared += n;
    if (n == 0 || memcmp(got, want, n * size) == 0) return;
    for (size_t i = 0; i < n; i++) {
        const char *g = (const char *)got + i * size, *w = (const char *)want + i * size;
        char g_text[256], w_text[256];
        if (k->same(g, w)) continue;
        show(k, g, g_text, sizeof g_text);
        show(k, w, w_text, sizeof w_text);
        fail(r, "%s: element %zu of %zu %ss is %s, should be %s", what, i, n, k->name, g_text, w_text);
        return;
    }
}

/* "GPU_OK or GPU_E_RANGE" */
static const char *names(unsigned statuses, char *text, size_t room)
{
    size_t used = 0;
    *text = 0;
    for (int code = 0; code < GPU_STATUS_COUNT_ && used < room; code++)
        if (statuses & STATUS(code))
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? " or " : "",
                                     gpu_status_name((gpu_status)code));
    return text;
}

bool reported(run *r, const char *what, gpu_status got, unsigned wanted)
{
    char text[128];
    if (!((wanted | r->faults) & STATUS(got)))
        fail(r, "%s gives %s, should give %s: \"%.500s\"", what, gpu_status_name(got), names(wanted, text, sizeof text),
             got ? gpu_error() : "");
    return got == GPU_OK && wanted == SOUND;
}

bool reads(run *r, const char *what, const value *v)
{
    size_t size = v->kind->type->size, room = v->status == SOUND ? v->n + 3 : 150000, got = SIZE_MAX;
    char *out = test_alloc(room + 1, size);
    gpu_output output = output_of(v->kind, out);
    memset(out, 0x5a, (v->n + 3) * size);
    gpu_status status = gpu_read_n_op(v->a, &output, room, &got, GPU_HERE);
    if (status && (got != SIZE_MAX || *(unsigned char *)out != 0x5a))
        fail(r, "%s failed and changed its outputs", what);
    if (reported(r, what, status, v->status)) {
        if (got != v->n)
            fail(r, "%s: %zu elements, should be %zu", what, got, v->n);
        else
            same_elements(r, what, v->kind, v->n, out, v->data);
    }
    free(out);
    return !*r->failure;
}

/* ---- operators ---- */

gpu_value value_of(const kind *k, const void *element)
{
    bool is_struct = !k->scalar && !k->vector;
    return (gpu_value){element, is_struct ? NULL : k->type, k->type->size};
}

gpu_output output_of(const kind *k, void *element)
{
    bool is_struct = !k->scalar && !k->vector;
    return (gpu_output){element, is_struct ? NULL : k->type, k->type->size};
}

int operand_of(const step *s)
{
    return s->op->inputs == 2 && (s->op->list == JOINS || s->op->list == PLACES);
}

/* A captured value has the type of the operands. */
static const gpu_operator *operator_into(run *r, const step *s, const rule *rule, bound *b)
{
    bool as_text = !rule->function || (s->as_text && (rule->known || !r->host));
    size_t n = 0;
    gpu_type type = s->op->inputs ? r->values[s->in[operand_of(s)]].kind->type : GPU_INT;
    b->k = (gpu_capture){"k", r->drawn.k, type, type->size};
    b->t = (gpu_capture){"t", &r->t, GPU_CAPTURE_ARRAY, sizeof r->t};
    b->m = (gpu_capture){"m", &r->m, GPU_UINT, sizeof r->m};
    if (rule->takes & TAKES_K) b->list[n++] = &b->k;
    if (rule->takes & TAKES_T) b->list[n++] = &b->t;
    if (rule->takes & TAKES_T) b->list[n++] = &b->m;
    b->list[n] = NULL;
    b->op = (gpu_operator){as_text ? rule->text : NULL, as_text ? NULL : rule->function, b->list, rule->place};
    return &b->op;
}

const gpu_operator *operator_of(run *r, const step *s, const rule *rule)
{
    return operator_into(r, s, rule, &r->bound[0]);
}

const gpu_operator *second_operator_of(run *r, const step *s, const rule *rule)
{
    return operator_into(r, s, rule, &r->bound[1]);
}
