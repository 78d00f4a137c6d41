/* Pipelines of symbols, compiled to C functions. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* What a step draws is drawn once: it becomes part of the function. */
typedef struct function {
    const shape *p;
    drawn drawn[MOST_STEPS];
    bool made[MOST_STEPS], needed[MOST_VALUES];
    enum { MANY, ONE, UNSAID } elements[MOST_VALUES]; /* has it one element always? */
    gpu_array *symbols[MOST_VALUES];
    int result, given[MOST_INPUTS];
    size_t count;
    void *address;
    /* One step may capture a value that is passed to the function, instead of an array. -1: none does. */
    int value_step;
    bool value_needed;
    gpu_array *value_symbol;
    value value;
} function;

static bool takes_t(const step *s)
{
    return s->rule && s->rule->takes & TAKES_T;
}

static void begin_values(run *r)
{
    for (size_t k = 0; k < MOST_VALUES; k++) free(r->values[k].data);
    memset(r->values, 0, sizeof r->values);
}

/* The plain C of step k, with its draws, which are the function's or are made now. */
static bool refer_step(run *r, const function *f, size_t k_step, const step *s, const drawn *kept)
{
    bool by_value = (int)k_step == f->value_step;
    const value *in[MOST_INPUTS] = {NULL}, *t = by_value ? &f->value : takes_t(s) ? &r->values[s->t] : NULL;
    value *out[2] = {NULL, NULL};
    for (int k = 0; k < s->op->inputs; k++) in[k] = &r->values[s->in[k]];
    for (int k = 0; k < s->op->inputs; k++)
        if (!in[k]->data || (s->op->flags & NO_NAN && has_nan(in[k]))) return false;
    if (t && t->n == 0) return false;
    r->state = s->seed;
    if (s->op->inputs) draw_captured(r, s, in, t);
    r->m = r->captured.m = 1;
    if (kept)
        r->drawn = *kept, r->captured.k = r->drawn.k;
    else if (s->op->draw)
        s->op->draw(r, s, in);
    unsigned status = s->op->inputs ? inherited(s, in, t) : SOUND;
    for (int k = 0; k < 2 && s->op->gives[k]; k++) {
        out[k] = &r->values[s->out[k]];
        *out[k] = (value){.kind = kind_given(s, s->op->gives[k], in), .status = SOUND};
    }
    bool made = refers(r, s, in, out);
    for (int k = 0; k < 2 && out[k]; k++) {
        if (status != SOUND) out[k]->status = status | (out[k]->status & ~SOUND);
        if (!made) free(out[k]->data), out[k]->data = NULL;
    }
    return made;
}

/* The documentation of gpu_compile says that reductions have one element, and maps of what has one. It does not say
 * what other operations on one element have. */
static int elements_given(const function *f, const step *s)
{
    int of_inputs = s->op->inputs ? ONE : MANY;
    bool is_map = !strncmp(s->op->name, "map", 3);
    for (int k = 0; k < s->op->inputs; k++) {
        int of_input = f->elements[s->in[k]];
        of_inputs = of_input == MANY || of_inputs == MANY ? MANY : of_input == UNSAID ? UNSAID : of_inputs;
    }
    if (!strcmp(s->op->name, "reduced")) return ONE;
    return of_inputs == ONE && !is_map ? UNSAID : of_inputs;
}

/* The calls that make something of symbols. */
static void make_step(run *r, function *f, size_t k_step)
{
    const step *s = &f->p->steps[k_step];
    gpu_array *in[MOST_INPUTS] = {NULL}, *out[2] = {NULL, NULL};
    for (int k = 0; k < s->op->inputs; k++) in[k] = f->symbols[s->in[k]];
    r->t = (int)k_step == f->value_step ? f->value_symbol : takes_t(s) ? f->symbols[s->t] : NULL;
    r->m = 1;
    if (s->op->inputs)
        s->op->make(r, s, in, out);
    else
        out[0] = gpu_symbol(r->g, s->to->type);
    describe(r, s, r->log);
    fputc('\n', r->log);
    for (int k = 0; k < 2 && s->op->gives[k]; k++) {
        f->symbols[s->out[k]] = out[k];
        f->elements[s->out[k]] = elements_given(f, s);
    }
}

static void need(function *f, int number)
{
    if (number < 0 || f->needed[number]) return;
    f->needed[number] = true;
    for (size_t k = 0; k < f->p->count; k++) {
        const step *s = &f->p->steps[k];
        if (s->out[0] != number && s->out[1] != number) continue;
        for (int n = 0; n < s->op->inputs; n++) need(f, s->in[n]);
        if ((int)k == f->value_step)
            f->value_needed = true;
        else if (takes_t(s))
            need(f, s->t);
        if (!s->op->inputs) f->given[f->count++] = number;
    }
}

/* A slice of one element would be a value. */
static void no_single_slice(const step *s, drawn *drawn)
{
    if (!strcmp(s->op->name, "slice") && drawn->number[1] == 1) drawn->number[1] = 2;
}

/* Half of the steps that capture an int, a float or a double capture a value. */
static void make_value(run *r, function *f)
{
    for (size_t k = 0; k < f->p->count && f->value_step < 0; k++) {
        const step *s = &f->p->steps[k];
        if (!takes_t(s) || s->seed % 2) continue;
        const kind *kind = f->p->kinds[s->t];
        if (kind->type != GPU_INT && kind->type != GPU_FLOAT && kind->type != GPU_DOUBLE) continue;
        f->value_step = (int)k;
        f->value_symbol = gpu_symbol_value(r->g, kind->type);
        f->value = (value){.kind = kind, .status = SOUND};
        give(&f->value, 1);
    }
}

/* With sample elements, to have something to draw from. */
static bool compile(run *r, function *f)
{
    const gpu_array *given[MOST_INPUTS + 1];
    make_value(r, f);
    for (size_t k = 0; k < f->p->count; k++) {
        const step *s = &f->p->steps[k];
        f->made[k] = refer_step(r, f, k, s, NULL);
        no_single_slice(s, &r->drawn);
        f->drawn[k] = r->drawn;
        if (!f->made[k]) continue;
        make_step(r, f, k);
        int result = s->out[s->op->gives[1] && s->seed % 2];
        if (s->op->inputs && f->elements[result] != UNSAID) f->result = result;
    }
    if (f->result < 0) return false;
    need(f, f->result);
    for (size_t k = 0; k < f->count; k++) given[k] = f->symbols[f->given[k]];
    given[f->count] = f->value_symbol;
    gpu_status status = gpu_compile_op(&f->address, sizeof f->address, f->symbols[f->result], given,
                                       f->count + f->value_needed, NULL, GPU_HERE);
    fprintf(r->log, "compile v%d of %zu symbols%s\n", f->result, f->count,
            f->value_needed ? " and the last t, a value" : "");
    if (status) fail(r, "gpu_compile gives %s: %s", gpu_status_name(status), gpu_error());
    return !status;
}

/* An array with these elements: plain, reversed, or with a length that the device knows. */
static gpu_array *argument(run *r, const value *v)
{
    gpu_array *a = gpu_array_from(r->g, v->kind->type, v->data, v->n);
    const rule *all = v->kind->tests[1];
    gpu_operator keeps_all = {NULL, all->function, NULL, all->place};
    size_t how = below(r, 4);
    return how == 0 ? gpu_filter_op(a, &keeps_all) : how == 1 ? gpu_reverse(gpu_reverse(a)) : a;
}

typedef const gpu_array *a;

static gpu_status call_arrays(void *address, void *out, const a in[], size_t count)
{
    typedef gpu_status one(void *, a), two(void *, a, a), three(void *, a, a, a);
    if (count == 1) return (*(one **)&address)(out, in[0]);
    if (count == 2) return (*(two **)&address)(out, in[0], in[1]);
    return (*(three **)&address)(out, in[0], in[1], in[2]);
}

/* With a value behind the arrays. */
#define CALL_WITH(T)                                                                                                   \
    static gpu_status call_with_##T(void *address, void *out, const a in[], size_t count, const void *value)           \
    {                                                                                                                  \
        typedef gpu_status one(void *, a, T), two(void *, a, a, T), three(void *, a, a, a, T);                         \
        T last = *(const T *)value;                                                                                    \
        if (count == 1) return (*(one **)&address)(out, in[0], last);                                                  \
        if (count == 2) return (*(two **)&address)(out, in[0], in[1], last);                                           \
        return (*(three **)&address)(out, in[0], in[1], in[2], last);                                                  \
    }
CALL_WITH(int)
CALL_WITH(float)
CALL_WITH(double)

static gpu_status call(const function *f, void *out, const a in[])
{
    gpu_type type = f->value_needed ? f->value.kind->type : NULL;
    return type == GPU_INT      ? call_with_int(f->address, out, in, f->count, f->value.data)
           : type == GPU_FLOAT  ? call_with_float(f->address, out, in, f->count, f->value.data)
           : type == GPU_DOUBLE ? call_with_double(f->address, out, in, f->count, f->value.data)
                                : call_arrays(f->address, out, in, f->count);
}

static void compare(run *r, function *f, const gpu_array *const in[])
{
    value *want = &r->values[f->result];
    char out[MOST_BYTES] = "";
    if (f->elements[f->result] == ONE) {
        gpu_status got = call(f, out, in);
        if (reported(r, "the function", got, want->status))
            same_elements(r, "the function", want->kind, 1, out, want->data);
        return;
    }
    gpu_status got = call(f, &want->a, in);
    reported(r, "the function", got, want->status | SOUND);
    reads(r, "the function's result", want);
    want->a = NULL;
}

/* One call, with other lengths and elements. */
static void call_once(run *r, function *f, uint64_t seed)
{
    const gpu_array *in[MOST_INPUTS];
    gpu_scope *scope = gpu_scope_begin(r->g);
    uint64_t lengths = test_random(&seed);
    bool made = true;
    begin_values(r);
    if (f->value_needed) element_of(f->value.kind, test_random(&seed) >> 40, f->value.data);
    for (size_t k = 0; k < f->p->count; k++) {
        step s = f->p->steps[k];
        bool needed = (s.out[0] >= 0 && f->needed[s.out[0]]) || (s.out[1] >= 0 && f->needed[s.out[1]]);
        s.seed = s.op->inputs ? s.seed : test_random(&seed);
        if (!s.op->inputs) s.shared += lengths;
        if (needed && f->made[k]) made = made && refer_step(r, f, k, &s, s.op->inputs ? &f->drawn[k] : NULL);
    }
    for (size_t k = 0; k < f->count && made; k++) {
        in[k] = argument(r, &r->values[f->given[k]]);
        fprintf(r->log, "v%d: %zu %ss\n", f->given[k], r->values[f->given[k]].n, r->values[f->given[k]].kind->name);
    }
    r->failures |= made ? r->values[f->result].status & ~SOUND : 0;
    if (made) compare(r, f, in);
    gpu_scope_end(scope);
}

bool shape_compiles(run *r, const shape *p, uint64_t seed, unsigned calls)
{
    function f = {.p = p, .result = -1, .value_step = -1};
    program_begins(r);
    begin_values(r);
    bool compiled = compile(r, &f);
    for (unsigned k = 0; k < calls && compiled && !*r->failure; k++) call_once(r, &f, seed + k);
    begin_values(r);
    free(f.value.data);
    program_ends(r);
    return !*r->failure;
}
