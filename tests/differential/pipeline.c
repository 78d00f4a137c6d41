/* Random pipelines, the programs that they make, and as little as possible of a program that fails. */
#include "engine.h"

#include <string.h>

static size_t draw(shape *p, size_t n)
{
    return n ? (size_t)(test_random(&p->state) % n) : 0;
}

/* ---- what a step is made of ---- */

static bool is_taken(const operation *op, const kind *k)
{
    if (op->list == FROM_INT || op->takes == INTS) return k->type == GPU_INT;
    return op->takes == ANY || k->scalar || (op->takes == COMPARED && k->vector);
}

/* Of all, or of those that bring something to the host. */
static const operation *draw_operation(shape *p, const kind *k, bool symbols, bool checks)
{
    static const operation *const lists[] = {element_steps, move_steps,       reduce_steps,  key_steps,    sort_steps,
                                             sorted_steps,  collection_steps, reduce_checks, select_checks};
    unsigned sum = 0;
    const operation *drawn = NULL;
    for (size_t list = 0; list < COUNT_OF(lists); list++)
        for (const operation *op = lists[list]; op->name; op++) {
            if (!is_taken(op, k) || (checks && !op->check)) continue;
            if (symbols && (op->check || op->flags & NO_SYMBOLS)) continue;
            sum += op->weight;
            if (draw(p, sum) < op->weight) drawn = op;
        }
    return drawn;
}

/* One of the values that fit. `last`: the last few are as likely as all others. -1: none fits. */
static int draw_value(shape *p, const kind *k, int length, bool last)
{
    int drawn = -1;
    size_t sum = 0;
    for (size_t v = 0; v < p->values; v++) {
        if ((k && p->kinds[v] != k) || (length >= 0 && p->classes[v] != length)) continue;
        size_t weight = last && v + 3 >= p->values ? 1 + p->values / 3 : 1;
        sum += weight;
        if (draw(p, sum) < weight) drawn = (int)v;
    }
    return drawn;
}

/* An array to capture. A third are what a gather or a scatter gave, whose indices may be out of range. */
static int draw_captured_array(shape *p, const kind *k)
{
    for (size_t n = draw(p, 3) ? 0 : p->count; n > 0; n--) {
        const step *s = &p->steps[n - 1];
        bool fails = s->op->list == PLACES || !strcmp(s->op->name, "gather") || !strcmp(s->op->name, "scatter");
        if (fails && p->kinds[s->out[0]] == k) return s->out[0];
    }
    return draw_value(p, k, -1, false);
}

static const rule *draw_rule(shape *p, list list, const kind *k, const kind *to)
{
    const rule *const *const rules[] = {NULL, k->maps, k->maps2, k->maps3, k->tests, k->joins, k->orders};
    size_t n = 0;
    if (list == TO_INT) return k->to_int;
    if (list == FROM_INT) return to->from_int;
    if (list == KEYS) return k->key;
    if (list == PLACES) return k->place_in;
    if (list == DECISIONS) return k->decides;
    while (list && rules[list][n]) n++;
    return list ? rules[list][draw(p, n)] : NULL;
}

static void add_value(shape *p, step *s, int k, const kind *kind, int length)
{
    s->out[k] = (int)p->values;
    p->kinds[p->values] = kind;
    p->classes[p->values] = length >= 0 ? length : (int)p->values;
    p->values++;
}

static const kind *given(const shape *p, const step *s, gives gives)
{
    return gives == SAME     ? p->kinds[s->in[0]]
           : gives == SECOND ? p->kinds[s->in[1]]
           : gives == CHOSEN ? s->to
                             : kind_always(gives);
}

static bool add_inputs(shape *p, step *s)
{
    const operation *op = s->op;
    const kind *first = p->kinds[s->in[0]];
    for (int k = 1; k < op->inputs; k++) {
        bool same_length = op->flags & SAME_LENGTH && draw(p, 30);
        s->in[k] = draw_value(p, op->flags & SAME_KIND ? first : NULL, same_length ? p->classes[s->in[0]] : -1, true);
        if (s->in[k] < 0) return false;
    }
    return true;
}

/* A step of the value, by this operation, or by one that is drawn if it is NULL. */
static void add_step(shape *p, int value, const operation *op, bool symbols)
{
    step s = {.in = {value, -1, -1}, .out = {-1, -1}, .t = -1};
    const kind *first = p->kinds[value];
    s.op = op ? op : draw_operation(p, first, symbols, false);
    if (!add_inputs(p, &s)) return;
    if (s.op->list == FROM_INT) s.to = p->used[draw(p, 2)];
    s.rule = draw_rule(p, s.op->list, p->kinds[s.in[operand_of(&s)]], s.to);
    if (strstr(s.op->name, "reduce_all")) s.second = draw_rule(p, JOINS, first, NULL);
    if (s.rule && s.rule->takes & TAKES_T) s.t = draw_captured_array(p, first);
    s.as_text = draw(p, 8) < p->texts;
    s.shared = draw(p, 8);
    for (int k = 0; k < 2 && s.op->gives[k]; k++)
        add_value(p, &s, k, given(p, &s, s.op->gives[k]), s.op->flags & KEEPS_LENGTH ? p->classes[s.in[0]] : -1);
    if (s.op->flags & PAIRED) p->classes[s.out[1]] = p->classes[s.out[0]];
    p->steps[p->count++] = s;
}

static const operation *named(const operation *list, const char *name)
{
    while (strcmp(list->name, name)) list++;
    return list;
}

/* The form of the step that has just been added: most often a text, or most often a function. */
static void prefer(shape *p, bool text)
{
    if (p->texts && draw(p, 4)) p->steps[p->count - 1].as_text = text;
}

/* A map; most often one that needs nothing but the element, as the first few do. */
static void add_twin(shape *p, int value, bool symbols)
{
    add_step(p, value, named(element_steps, "map"), symbols);
    step *s = &p->steps[p->count - 1];
    if (draw(p, 4)) s->rule = p->kinds[value]->maps[draw(p, 4)];
    s->t = s->rule->takes & TAKES_T ? draw_captured_array(p, p->kinds[value]) : -1;
    prefer(p, true);
}

/* Two maps of a value, most often of a selection, and a step of the second map. A value with two consumers is computed
 * in another way than a value with one, and its length may become known between the two. */
static void add_twins(shape *p, bool symbols)
{
    int value = draw_value(p, NULL, -1, true);
    if (draw(p, 3)) {
        add_step(p, value, named(element_steps, "filter"), symbols);
        prefer(p, false);
        value = p->steps[p->count - 1].out[0];
    }
    for (int twin = 0; twin < 2; twin++) add_twin(p, value, symbols);
    value = p->steps[p->count - 1].out[0];
    add_step(p, value, draw_operation(p, p->kinds[value], symbols, !symbols && draw(p, 4)), symbols);
}

/* A step that captures what a gather gave: a failure that reaches its readers by way of an operator alone. */
static void add_risk(shape *p, bool symbols)
{
    static const char *const names[] = {"take_while", "filter", "map"};
    int value = draw_value(p, NULL, -1, false);
    const kind *k = p->kinds[value];
    const operation *op = named(element_steps, names[draw(p, COUNT_OF(names))]);
    add_step(p, value, named(move_steps, symbols ? "gather_by" : "gather"), symbols);
    int gathered = p->steps[p->count - 1].out[0];
    add_step(p, value, op, symbols);
    step *s = &p->steps[p->count - 1];
    for (const rule *const *r = op->list == MAPS ? k->maps : k->tests; *r; r++)
        if ((*r)->takes & TAKES_T) s->rule = *r;
    s->t = gathered;
}

/* ---- a pipeline ---- */

static void add_source(shape *p)
{
    step s = {.op = &sources[draw(p, 8) ? 0 : draw(p, 3)], .in = {-1, -1, -1}, .out = {-1, -1}, .t = -1};
    int length = p->values && draw(p, 2) ? p->classes[0] : -1;
    s.to = p->used[draw(p, 4) == 0];
    if (s.op->takes == SCALAR && !s.to->scalar) s.op = &sources[0];
    s.most = p->most;
    s.shared = length >= 0 ? p->steps[0].shared : 1 + p->count;
    add_value(p, &s, 0, s.to, length);
    p->steps[p->count++] = s;
}

/* ints and floats are as likely as all other types together: what has been compiled is used again. */
static const kind *draw_kind(shape *p)
{
    size_t choice = draw(p, 8);
    return choice < 3   ? scalar_kinds[0]
           : choice < 4 ? scalar_kinds[2]
           : choice < 6 ? scalar_kinds[draw(p, COUNT_OF(scalar_kinds))]
                        : other_kinds[draw(p, COUNT_OF(other_kinds))];
}

void shape_draw(shape *p, uint64_t seed, bool host, bool symbols)
{
    static const unsigned texts[] = {0, 4, 4, 7};
    *p = (shape){.state = seed};
    p->used[0] = draw_kind(p);
    p->used[1] = draw(p, 2) ? p->used[0] : draw_kind(p);
    p->texts = host ? 4 : texts[draw(p, COUNT_OF(texts))];
    p->most = p->texts || draw(p, 4) == 0 ? SIZE_MAX : 1024;
    for (size_t k = 1 + draw(p, 3); k > 0; k--) add_source(p);
    for (size_t k = 1 + draw(p, 4) * draw(p, 3); k > 0; k--) {
        size_t choice = draw(p, 12);
        if (choice < 5)
            add_twins(p, symbols);
        else if (choice < 6)
            add_risk(p, symbols);
        else
            add_step(p, draw_value(p, NULL, -1, true), NULL, symbols);
    }
    for (size_t k = 0; k < p->count; k++) p->steps[k].seed = test_random(&p->state);
}

/* ---- a run of it ---- */

static const operation *draw_observation(uint64_t *state)
{
    unsigned sum = 0;
    const operation *drawn = NULL;
    for (const operation *op = observations; op->name; op++) {
        sum += op->weight;
        if (test_random(state) % sum < op->weight) drawn = op;
    }
    return drawn;
}

static void observe(program *out, const operation *op, int value, uint64_t *state)
{
    step s = {.op = op, .in = {value, -1, -1}, .out = {-1, -1}, .t = -1, .seed = test_random(state)};
    if (out->count < MOST_STEPS) out->steps[out->count++] = s;
}

/* All values are read in the end, in random order, now and then while the device has something else to do. */
static void read_all(const shape *p, program *out, uint64_t *state)
{
    int order[MOST_VALUES];
    for (size_t v = 0; v < p->values; v++) {
        size_t at = (size_t)(test_random(state) % (v + 1));
        order[v] = order[at];
        order[at] = (int)v;
    }
    if (test_random(state) % 3 == 0) observe(out, named(observations, "busy"), 0, state);
    for (size_t v = 0; v < p->values; v++) observe(out, &observations[1], order[v], state);
}

typedef enum style { NOTHING_BETWEEN, COMPUTED_AT_ONCE, ALL_BETWEEN } style;

/* Between the steps of a run there is nothing, or a third of the results are computed at once, or there is anything. */
static void observe_some(program *out, int values, style style, uint64_t *state)
{
    if (style == NOTHING_BETWEEN || values == 0) return;
    if (style == COMPUTED_AT_ONCE && test_random(state) % 3 == 0) observe(out, &observations[0], values - 1, state);
    for (uint64_t n = test_random(state) % 3; n > 0 && style == ALL_BETWEEN; n--) {
        bool last = test_random(state) % 2;
        observe(out, draw_observation(state), last ? values - 1 : (int)(test_random(state) % (uint64_t)values), state);
    }
}

/* The same steps with other lengths and elements, and something read, computed, freed, ... between them. */
void shape_program(const shape *p, uint64_t seed, program *out)
{
    int values = 0;
    static const style styles[] = {NOTHING_BETWEEN, COMPUTED_AT_ONCE, COMPUTED_AT_ONCE, ALL_BETWEEN, ALL_BETWEEN};
    uint64_t lengths = test_random(&seed);
    style style = styles[test_random(&seed) % COUNT_OF(styles)];
    out->count = 0;
    for (size_t k = 0; k < p->count; k++) {
        step s = p->steps[k];
        s.seed = test_random(&seed);
        if (!s.op->inputs) s.shared += lengths;
        out->steps[out->count++] = s;
        for (int o = 0; o < 2; o++) values = s.out[o] >= values ? s.out[o] + 1 : values;
        observe_some(out, values, style, &seed);
    }
    read_all(p, out, &seed);
}

/* ---- a failure ---- */

static void leave_out(run *r, program *p)
{
    for (size_t k = p->count; k-- > 0;) {
        if (p->steps[k].left_out) continue;
        p->steps[k].left_out = true;
        if (program_runs(r, p)) p->steps[k].left_out = false;
    }
}

void program_minimise(run *r, program *p)
{
    static const size_t caps[] = {1, 3, 8, 40, 200, 1024, 5000};
    size_t most = r->most;
    leave_out(r, p);
    for (size_t k = 0; k < COUNT_OF(caps) && r->most == most; k++) {
        r->most = caps[k] < most ? caps[k] : most;
        if (program_runs(r, p)) r->most = most;
    }
    leave_out(r, p);
    program_runs(r, p);
    r->most = most;
}
