/* Runs programs: each step in plain C, then by the library. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

static value *value_at(run *r, int number)
{
    return number >= 0 && r->values[number].a ? &r->values[number] : NULL;
}

const kind *kind_given(const step *s, gives gives, const value *const in[])
{
    return gives == SAME ? in[0]->kind : gives == SECOND ? in[1]->kind : gives == CHOSEN ? s->to : kind_always(gives);
}

/* ---- what is written down ---- */

void describe(const run *r, const step *s, FILE *to)
{
    const char *before = "(";
    if (s->out[0] >= 0) fprintf(to, s->out[1] >= 0 ? "v%d, v%d = " : "v%d = ", s->out[0], s->out[1]);
    fprintf(to, "%s", s->op->name);
    for (int k = 0; k < s->op->inputs; k++, before = ", ") fprintf(to, "%sv%d", before, s->in[k]);
    if (s->to) fprintf(to, "%sto %s", before, s->to->name), before = ", ";
    for (int k = 0; k < 2; k++) {
        const rule *rule = k ? s->second : s->rule;
        bool as_text = rule && (!rule->function || (s->as_text && (rule->known || !r->host)));
        if (rule) fprintf(to, as_text ? "%s\"%s\"" : "%s%s", before, as_text ? rule->text : rule->name), before = ", ";
    }
    if (s->rule && s->rule->takes & TAKES_K) fprintf(to, "%sk", before);
    if (s->rule && s->rule->takes & TAKES_T) fprintf(to, "%st = v%d, m = %u", before, s->t, r->m);
    fprintf(to, ")");
    for (int k = 0; k < 3; k++)
        if (r->drawn.number[k]) fprintf(to, " number[%d] = %zu", k, r->drawn.number[k]);
    if (s->op->list == NO_RULE && s->shared && !s->op->inputs) return;
    if (s->shared) fprintf(to, " (%d)", (int)(s->shared % 8));
}

static void tell_value(run *r, const value *v, int number)
{
    fprintf(r->log, "   v%d: %zu %ss", number, v->n, v->kind->name);
    if (v->status == SOUND) return;
    fprintf(r->log, ", may give");
    for (int code = 0; code < GPU_STATUS_COUNT_; code++)
        if (v->status & STATUS(code)) fprintf(r->log, " %s", gpu_status_name((gpu_status)code));
}

/* ---- one step ---- */

/* What readers of a result may report, as far as it depends on inputs that are not sound. */
unsigned inherited(const step *s, const value *const in[], const value *t)
{
    unsigned statuses = 0;
    for (int k = 0; k < s->op->inputs; k++) {
        if (in[k]->status == SOUND) continue;
        statuses |= in[k]->status | (s->op->flags & IN_PART ? SOUND : 0);
    }
    if (t && t->status != SOUND) statuses |= t->status | (in[0]->n == 0 || statuses ? SOUND : 0);
    if (!statuses) return SOUND;
    if (s->op->flags & (SIZED | SAME_LENGTH)) statuses |= STATUS(GPU_E_RANGE) | STATUS(GPU_E_ARGUMENT);
    if (s->op->list == JOINS) statuses |= STATUS(GPU_E_EMPTY);
    return statuses;
}

/* A captured value; half of them are elements. */
void draw_captured(run *r, const step *s, const value *const in[], const value *t)
{
    memset(&r->drawn, 0, sizeof r->drawn);
    draw_element(r, s, in + operand_of(s));
    memcpy(r->drawn.k, r->drawn.start, sizeof r->drawn.k);
    r->t = t ? t->a : NULL;
    r->m = t && t->status == SOUND ? (unsigned)t->n : 0;
    r->captured = (captured){r->drawn.k, t ? t->data : NULL, r->m};
}

static bool differ_in_length(const step *s, const value *const in[])
{
    for (int k = 1; k < s->op->inputs && s->op->flags & SAME_LENGTH; k++)
        if (in[k]->n != in[0]->n) return true;
    return false;
}

/* The plain C of a step. False: the call is not made. */
bool refers(run *r, const step *s, const value *const in[], value *const out[])
{
    bool all_small = true, made = true;
    if (differ_in_length(s, in)) {
        for (int k = 0; k < 2 && out[k]; k++) give(out[k], 0);
        for (int k = 0; k < 2 && out[k]; k++) out[k]->status = STATUS(GPU_E_ARGUMENT);
    } else {
        made = s->op->refer(r, s, in, out);
    }
    for (int k = 0; k < 2 && out[k] && made; k++) all_small = all_small && is_small(out[k]);
    return made && all_small;
}

static void run_call(run *r, const step *s, const value *const in[], const value *t)
{
    value fresh[2] = {{0}}, *out[2] = {NULL, NULL};
    gpu_array *arrays[MOST_INPUTS] = {NULL}, *made[2] = {NULL, NULL};
    unsigned status = inherited(s, in, t);
    for (int k = 0; k < 2 && s->op->gives[k]; k++) {
        fresh[k] = (value){.kind = kind_given(s, s->op->gives[k], in), .status = SOUND, .scope = r->open};
        out[k] = &fresh[k];
    }
    if (s->op->draw) s->op->draw(r, s, in);
    if (!refers(r, s, in, out)) {
        for (int k = 0; k < 2; k++) free(fresh[k].data);
        return;
    }
    for (int k = 0; k < s->op->inputs; k++) arrays[k] = in[k]->a;
    describe(r, s, r->log);
    for (int k = 0; k < 2 && out[k]; k++) {
        fresh[k].status = status == SOUND ? fresh[k].status : status | (fresh[k].status & ~SOUND);
        r->failures |= fresh[k].status & ~SOUND;
        tell_value(r, &fresh[k], s->out[k]);
    }
    fputc('\n', r->log);
    fflush(r->log);
    s->op->make(r, s, arrays, made);
    for (int k = 0; k < 2 && out[k]; k++) {
        fresh[k].a = made[k];
        r->values[s->out[k]] = fresh[k];
        if (!made[k]) fail(r, "%s gives NULL", s->op->name);
    }
}

static void run_check(run *r, const step *s, value *v, const value *t)
{
    unsigned kept = v->status;
    describe(r, s, r->log);
    fputc('\n', r->log);
    fflush(r->log);
    v->status = inherited(s, (const value *const[]){v}, t);
    if (v->status != SOUND && kept == SOUND) r->failures |= v->status & ~SOUND;
    s->op->check(r, s, v);
    v->status = kept;
}

/* A step is left out if it lacks an input, or if plain C does not tell what is right. */
static void run_step(run *r, const step *s)
{
    value *in[MOST_INPUTS] = {NULL}, *t = value_at(r, s->t);
    for (int k = 0; k < s->op->inputs; k++) {
        in[k] = value_at(r, s->in[k]);
        if (!in[k]) return;
        if (s->op->flags & NO_NAN && has_nan(in[k])) return;
    }
    if (s->rule && s->rule->takes & TAKES_T && !t) return;
    if (!(s->rule && s->rule->takes & TAKES_T)) t = NULL;
    r->state = s->seed;
    if (s->op->inputs) draw_captured(r, s, (const value *const *)in, t);
    if (s->op->check)
        run_check(r, s, in[0], t);
    else
        run_call(r, s, (const value *const *)in, t);
}

/* ---- a program ---- */

/* All that is still to be reported is one of the run's failures. */
static void finish(run *r)
{
    gpu_status status = GPU_OK;
    for (int k = 0; k < 100; k++) {
        status = gpu_finish(r->g);
        if (!((r->failures | SOUND) & STATUS(status)))
            fail(r, "gpu_finish at the end gives %s: %s", gpu_status_name(status), gpu_error());
        if (!status) return;
    }
    fail(r, "gpu_finish gives %s a hundred times: %s", gpu_status_name(status), gpu_error());
}

/* Fills the memory that is used again with random numbers: what a kernel fails to write is seen then. */
static void soil(run *r)
{
    static const size_t lengths[] = {64, 256, 1024, 5000};
    gpu_scope *scope = gpu_scope_begin(r->g);
    for (size_t n = 0; n < 8 * COUNT_OF(lengths) && !r->host; n++) {
        unsigned k = (unsigned)test_random(&r->soil);
        gpu_array *places = gpu_range(r->g, GPU_UINT, lengths[n % COUNT_OF(lengths)]);
        gpu_array *a = gpu_eval(gpu_map(places, "(x ^ k) * 2654435761u | 1", GPU_ARG(k)));
        if (gpu_array_status(a)) fail(r, "nothing can be computed: %s", gpu_array_error(a));
    }
    gpu_scope_end(scope);
}

void program_begins(run *r)
{
    *r->failure = 0;
    r->faults = r->fault.at ? STATUS(GPU_E_MEMORY) | STATUS(GPU_E_DRIVER) : 0;
    r->failures = r->faults;
    r->open = 0;
    if (r->log) fclose(r->log);
    free(r->text);
    r->text = NULL;
    r->log = open_memstream(&r->text, &r->text_length);
    soil(r);
    r->scopes[r->open++] = gpu_scope_begin(r->g);
}

void program_ends(run *r)
{
    gpu_scope_end(r->scopes[0]);
    finish(r);
    for (size_t k = 0; k < MOST_VALUES; k++) free(r->values[k].data);
    memset(r->values, 0, sizeof r->values);
    fflush(r->log);
}

bool program_runs(run *r, const program *p)
{
    program_begins(r);
    if (r->fault.at) r->fault.fail_at(r->fault.at);
    for (size_t k = 0; k < p->count && !*r->failure; k++)
        if (!p->steps[k].left_out) run_step(r, &p->steps[k]);
    r->fault.left = r->fault.at && r->fault.fail_at(0) > 0;
    program_ends(r);
    return !*r->failure;
}
