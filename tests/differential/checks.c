/* Calls that bring something to the host, and calls that change no value: read, eval, length, free, scopes. */
#include "engine.h"

#include <firepile/interop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned reduce(run *r, const rule *op, const value *v, void *out);

/* A value that came to the host; on failure it is as it was. */
static void came(run *r, const step *s, const kind *k, gpu_status got, unsigned wanted, const void *out,
                 const void *want)
{
    static const char untouched[MOST_BYTES];
    if (reported(r, s->op->name, got, wanted))
        same_elements(r, s->op->name, k, 1, out, want);
    else if (got && memcmp(out, untouched, k->type->size))
        fail(r, "%s failed and changed its output", s->op->name);
}

CHECK(check_reduce)
{
    char out[MOST_BYTES] = "", want[MOST_BYTES] = "";
    gpu_output output = output_of(v->kind, out);
    if (!stays_exact(s->rule, v)) return;
    unsigned status = reduce(r, s->rule, v, want);
    gpu_status got = gpu_reduce_op(v->a, operator_of(r, s, s->rule), &output);
    came(r, s, v->kind, got, v->status == SOUND ? status : v->status | (status & ~SOUND), out, want);
}

CHECK(check_fold)
{
    char out[MOST_BYTES] = "", want[MOST_BYTES] = "", all[MOST_BYTES] = "";
    gpu_output output = output_of(v->kind, out);
    gpu_value start = value_of(v->kind, r->drawn.start);
    if (!stays_exact(s->rule, v)) return;
    element_of(v->kind, 1 + below(r, 5), r->drawn.start);
    memcpy(want, r->drawn.start, v->kind->type->size);
    if (v->n && reduce(r, s->rule, v, all) == SOUND) apply(r, s->rule, want, r->drawn.start, all, 0);
    gpu_status got = gpu_fold_op(v->a, &start, operator_of(r, s, s->rule), &output);
    came(r, s, v->kind, got, v->status, out, want);
}

CHECK(check_reduce_all)
{
    char out[2][MOST_BYTES] = {"", ""}, want[2][MOST_BYTES] = {"", ""};
    if (!stays_exact(s->rule, v) || !stays_exact(s->second, v)) return;
    unsigned status = reduce(r, s->rule, v, want[0]) | reduce(r, s->second, v, want[1]);
    if (status != SOUND) status &= ~SOUND;
    const gpu_reduction both[] = {{*operator_of(r, s, s->rule), output_of(v->kind, out[0])},
                                  {*second_operator_of(r, s, s->second), output_of(v->kind, out[1])}};
    gpu_status got = gpu_reduce_all_op(v->a, both, 2);
    status = v->status == SOUND ? status : v->status | (status & ~SOUND);
    came(r, s, v->kind, got, status, out[0], want[0]);
    if (got == GPU_OK && status == SOUND) same_elements(r, "reduce_all", v->kind, 1, out[1], want[1]);
}

/* The elements that a map makes of those of a value. The caller frees their data. */
static value mapped(const run *r, const rule *map, const value *v)
{
    value out = *v;
    out.data = test_alloc(v->n, v->kind->type->size);
    for (size_t i = 0; i < v->n; i++) {
        const void *const x[] = {element(v, i), element(v, i), element(v, i)};
        map->run(element(&out, i), x, i, &r->captured);
    }
    return out;
}

/* What the map makes, and the elements as they are, by one operator. */
CHECK(check_map_reduce_all)
{
    char out[2][MOST_BYTES] = {"", ""}, want[2][MOST_BYTES] = {"", ""};
    const gpu_type type = v->kind->type;
    value made = mapped(r, s->rule, v);
    if (stays_exact(s->second, &made) && stays_exact(s->second, v)) {
        unsigned status = reduce(r, s->second, &made, want[0]);
        reduce(r, s->second, v, want[1]);
        const gpu_operator *map = operator_of(r, s, s->rule), *join = second_operator_of(r, s, s->second);
        const gpu_map_reduction both[] = {{*map, *join, {out[0], type, type->size}},
                                          {{.snippet = "x", .place = join->place}, *join, {out[1], type, type->size}}};
        gpu_status got = gpu_map_reduce_all_op(v->a, both, 2);
        status = v->status == SOUND ? status : v->status | (status & ~SOUND);
        came(r, s, v->kind, got, status, out[0], want[0]);
        if (got == GPU_OK && status == SOUND) same_elements(r, "map_reduce_all", v->kind, 1, out[1], want[1]);
    }
    free(made.data);
}

/* gpu_sum and its like: by the operator of that text. */
typedef gpu_status named(const gpu_array *a, const gpu_output *out, const gpu_place *place);

static void check_named(run *r, const step *s, value *v, named *call, const char *text, const char *floating_text)
{
    char out[MOST_BYTES] = "", want[MOST_BYTES] = "";
    gpu_output output = output_of(v->kind, out);
    bool floating = v->kind->type->kind == GPU_KIND_FLOATING;
    const rule *op = NULL;
    for (size_t k = 0; v->kind->joins[k]; k++)
        if (!strcmp(v->kind->joins[k]->text, floating ? floating_text : text) && v->kind->joins[k]->known)
            op = v->kind->joins[k];
    if (!op || !stays_exact(op, v)) return;
    unsigned status = reduce(r, op, v, want);
    if (has_nan(v)) test_put(v->kind->type, want, 0, (test_number){.f = __builtin_nan("")});
    came(r, s, v->kind, call(v->a, &output, GPU_HERE), v->status == SOUND ? status : v->status | (status & ~SOUND), out,
         want);
}

CHECK(check_sum)
{
    check_named(r, s, v, gpu_sum_op, "a + b", "a + b");
}

CHECK(check_product)
{
    check_named(r, s, v, gpu_product_op, "a * b", "a * b");
}

CHECK(check_min)
{
    check_named(r, s, v, gpu_min_op, "min(a, b)", "fmin(a, b)");
}

CHECK(check_max)
{
    check_named(r, s, v, gpu_max_op, "max(a, b)", "fmax(a, b)");
}

static void index_came(run *r, const step *s, gpu_status got, unsigned wanted, size_t index, size_t want)
{
    if (reported(r, s->op->name, got, wanted)) {
        r->compared++;
        if (index != want) fail(r, "%s is %zd, should be %zd", s->op->name, (ssize_t)index, (ssize_t)want);
    } else if (got && index != 12345) {
        fail(r, "%s failed and changed its output", s->op->name);
    }
}

/* A NaN comes before all others. */
static bool is_better(const value *v, size_t i, size_t best, bool largest)
{
    test_number x = test_get(v->kind->type, v->data, i), y = test_get(v->kind->type, v->data, best);
    bool floating = v->kind->type->kind == GPU_KIND_FLOATING;
    if (floating && y.f != y.f) return false;
    if (floating && x.f != x.f) return true;
    return largest ? test_less(v->kind->type, y, x) : test_less(v->kind->type, x, y);
}

static void check_arg(run *r, const step *s, value *v, bool largest)
{
    size_t index = 12345, want = 0;
    for (size_t i = 1; i < v->n; i++)
        if (is_better(v, i, want, largest)) want = i;
    gpu_status got = largest ? gpu_argmax(v->a, &index) : gpu_argmin(v->a, &index);
    unsigned status = v->n ? SOUND : STATUS(GPU_E_EMPTY);
    index_came(r, s, got, v->status == SOUND ? status : v->status | STATUS(GPU_E_EMPTY), index, want);
}

CHECK(check_argmin)
{
    check_arg(r, s, v, false);
}

CHECK(check_argmax)
{
    check_arg(r, s, v, true);
}

static double as_double(const value *v, size_t i)
{
    const test_number number = test_get(v->kind->type, v->data, i);
    const gpu_kind kind = v->kind->type->kind;
    return kind == GPU_KIND_SIGNED ? (double)number.s : kind == GPU_KIND_UNSIGNED ? (double)number.u : number.f;
}

/* gpu_quantile's formula, of the elements in order; NaN comes last. */
static double quantile_of(const value *v, double q)
{
    uint64_t *order = test_alloc(v->n, sizeof *order);
    const gpu_type type = v->kind->type;
    const double at = q * (double)(v->n - 1), part = at - floor(at);
    const size_t k = (size_t)at;
    test_order(type, v->data, v->n, test_ascending, order);
    const double below = as_double(v, order[k]), above = as_double(v, order[k + (k + 1 < v->n)]);
    const double last = as_double(v, order[v->n - 1]);
    free(order);
    if (isnan(last)) return last;
    if (below == above || part == 0) return below;
    return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

CHECK(check_quantile)
{
    char out[MOST_BYTES] = "", want[MOST_BYTES] = "";
    const double q = (double)below(r, 101) / 100;
    const gpu_output output = output_of(kind_of(GPU_DOUBLE), out);
    const double value = v->n ? quantile_of(v, q) : 0;
    const unsigned status = v->n ? SOUND : STATUS(GPU_E_EMPTY);
    memcpy(want, &value, sizeof value);
    gpu_status got = q == 0.5 ? gpu_median_op(v->a, &output, GPU_HERE) : gpu_quantile_op(v->a, q, &output, GPU_HERE);
    came(r, s, kind_of(GPU_DOUBLE), got, v->status == SOUND ? status : v->status | STATUS(GPU_E_EMPTY), out, want);
}

const operation reduce_checks[] = {
    {"reduce", 8, 1, ANY, {NOTHING}, JOINS, 0, NULL, NULL, NULL, check_reduce},
    {"fold", 3, 1, ANY, {NOTHING}, JOINS, 0, NULL, NULL, NULL, check_fold},
    {"reduce_all", 3, 1, ANY, {NOTHING}, JOINS, 0, NULL, NULL, NULL, check_reduce_all},
    {"map_reduce_all", 3, 1, ANY, {NOTHING}, MAPS, 0, NULL, NULL, NULL, check_map_reduce_all},
    {"sum", 3, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_sum},
    {"product", 1, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_product},
    {"min", 2, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_min},
    {"max", 2, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_max},
    {"argmin", 2, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_argmin},
    {"argmax", 2, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_argmax},
    {"quantile", 1, 1, SCALAR, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_quantile},
    {0},
};

/* ---- predicates and searches ---- */

/* How many elements are selected, and the first of them. */
static size_t count(run *r, const step *s, const value *v, size_t *first)
{
    size_t n = 0;
    *first = GPU_NOT_FOUND;
    for (size_t i = 0; i < v->n; i++) {
        if (!says(r, s->rule, element(v, i), i)) continue;
        if (n++ == 0) *first = i;
    }
    return n;
}

CHECK(check_count)
{
    size_t first, n = 12345, want = count(r, s, v, &first);
    gpu_status got = gpu_count_op(v->a, operator_of(r, s, s->rule), &n);
    index_came(r, s, got, v->status, n, want);
}

CHECK(check_any)
{
    bool yes = false;
    size_t first, want = count(r, s, v, &first);
    gpu_status got = gpu_any_op(v->a, operator_of(r, s, s->rule), &yes);
    if (reported(r, "any", got, v->status == SOUND ? SOUND : v->status | SOUND) && v->status == SOUND &&
        yes != (want > 0))
        fail(r, "any is %d of %zu elements, %zu are selected", yes, v->n, want);
}

CHECK(check_all)
{
    bool yes = false;
    size_t first, want = count(r, s, v, &first);
    gpu_status got = gpu_all_op(v->a, operator_of(r, s, s->rule), &yes);
    if (reported(r, "all", got, v->status == SOUND ? SOUND : v->status | SOUND) && v->status == SOUND &&
        yes != (want == v->n))
        fail(r, "all is %d of %zu elements, %zu are selected", yes, v->n, want);
}

CHECK(check_index_if)
{
    size_t index = 12345, want;
    count(r, s, v, &want);
    gpu_status got = gpu_index_if_op(v->a, operator_of(r, s, s->rule), &index);
    index_came(r, s, got, v->status == SOUND ? SOUND : v->status | SOUND, index, want);
}

CHECK(check_index_of)
{
    size_t index = 12345, want = 0;
    draw_element(r, s, (const value *const[]){v});
    gpu_value start = value_of(v->kind, r->drawn.start);
    while (want < v->n && !is_equal(v->kind, element(v, want), r->drawn.start)) want++;
    gpu_status got = gpu_index_of_op(v->a, &start, &index, GPU_HERE);
    index_came(r, s, got, v->status == SOUND ? SOUND : v->status | SOUND, index, want < v->n ? want : GPU_NOT_FOUND);
}

CHECK(check_is_sorted)
{
    bool yes = false, want = true;
    for (size_t i = 1; i < v->n; i++) want = want && !test_ascending(v->kind->type, element(v, i), element(v, i - 1));
    gpu_status got = gpu_is_sorted(v->a, &yes);
    if (reported(r, s->op->name, got, v->status == SOUND ? SOUND : v->status | SOUND) && v->status == SOUND &&
        yes != want)
        fail(r, "is_sorted is %d, should be %d", yes, want);
}

const operation select_checks[] = {
    {"count", 4, 1, ANY, {NOTHING}, TESTS, 0, NULL, NULL, NULL, check_count},
    {"any", 2, 1, ANY, {NOTHING}, TESTS, IN_PART, NULL, NULL, NULL, check_any},
    {"all", 2, 1, ANY, {NOTHING}, TESTS, IN_PART, NULL, NULL, NULL, check_all},
    {"index_if", 2, 1, ANY, {NOTHING}, TESTS, IN_PART, NULL, NULL, NULL, check_index_if},
    {"index_of", 2, 1, COMPARED, {NOTHING}, NO_RULE, IN_PART, NULL, NULL, NULL, check_index_of},
    {"is_sorted", 1, 1, SCALAR, {NOTHING}, NO_RULE, IN_PART, NULL, NULL, NULL, check_is_sorted},
    {0},
};

/* ---- what changes no value ---- */

CHECK(check_read)
{
    (void)s;
    reads(r, "read", v);
}

CHECK(check_eval)
{
    (void)s;
    if (gpu_eval(v->a) != v->a) fail(r, "gpu_eval returns another array");
}

CHECK(check_length)
{
    (void)s;
    size_t n = gpu_length(v->a);
    if (r->faults && !n) return; /* it failed */
    if (v->status == SOUND && n != v->n) fail(r, "length is %zu, should be %zu: %s", n, v->n, gpu_array_error(v->a));
    if (v->status == SOUND && !r->faults && !gpu_type_equal(gpu_type_of(v->a), v->kind->type))
        fail(r, "gpu_type_of gives another type");
}

CHECK(check_status)
{
    (void)s;
    gpu_status status = gpu_array_status(v->a);
    if (status && !((v->status | r->faults) & STATUS(status)))
        fail(r, "gpu_array_status is %s: %s", gpu_status_name(status), gpu_array_error(v->a));
}

CHECK(check_explain)
{
    (void)s;
    if (!*gpu_explain(v->a)) fail(r, "gpu_explain gives no text");
}

CHECK(check_finish)
{
    (void)s, (void)v;
    gpu_status status = gpu_finish(r->g);
    if (!((r->failures | SOUND) & STATUS(status)))
        fail(r, "gpu_finish gives %s: %s", gpu_status_name(status), gpu_error());
}

CHECK(check_free)
{
    (void)r, (void)s;
    gpu_array_free(v->a);
    v->a = NULL;
}

/* The same elements in another array; what was made of the old one is to go on working. */
CHECK(check_replace)
{
    const gpu_operator same = {.snippet = "x", .place = GPU_HERE};
    (void)r, (void)s;
    gpu_replace(&v->a, gpu_map_op(v->a, NULL, &same));
}

/* Whoever has the cl_mem may look at it: from then on it has the elements. */
CHECK(check_mem)
{
    size_t first;
    (void)s;
    if (r->host || gpu_array_mem(v->a, &first) || v->n == 0 || v->status != SOUND || r->faults) return;
    fail(r, "gpu_array_mem of %zu elements is NULL: %s", v->n, gpu_error());
}

/* The device has something to do for a while. */
CHECK(check_busy)
{
    (void)s, (void)v;
    gpu_array *range = gpu_range(r->g, GPU_UINT, 1 << 21);
    if (!r->host) gpu_eval(gpu_map(range, "x * x ^ x >> 3"));
}

/* A slice waits for the length; then the elements are read while the device has something else to do. */
CHECK(check_read_late)
{
    value part = *v;
    if (below(r, 2)) part.n = below(r, v->n + 1);
    part.a = gpu_slice(v->a, 0, part.n);
    if (v->status != SOUND) part.status |= STATUS(GPU_E_RANGE) | (part.n < v->n || v->n == 0 ? SOUND : 0);
    check_busy(r, s, v);
    reads(r, "read of a slice", &part);
}

CHECK(check_scope_begin)
{
    (void)s, (void)v;
    gpu_scope *scope = r->open < MOST_SCOPES ? gpu_scope_begin(r->g) : NULL;
    if (scope) r->scopes[r->open++] = scope;
}

CHECK(check_scope_end)
{
    (void)s, (void)v;
    if (r->open < 2) return;
    for (size_t k = 0; k < MOST_VALUES; k++)
        if (r->values[k].a && r->values[k].scope == r->open) r->values[k].a = NULL;
    gpu_scope_end(r->scopes[--r->open]);
}

CHECK(check_keep)
{
    (void)s;
    if (r->open < 2 || v->scope < 2) return;
    if (gpu_keep(v->a) != v->a) fail(r, "gpu_keep returns another array");
    v->scope--;
}

const operation observations[] = {
    {"eval", 10, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_eval},
    {"read", 6, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_read},
    {"length", 4, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_length},
    {"status", 1, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_status},
    {"explain", 1, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_explain},
    {"finish", 1, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_finish},
    {"array_free", 2, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_free},
    {"replace", 1, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_replace},
    {"array_mem", 1, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_mem},
    {"read_late", 2, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_read_late},
    {"busy", 1, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_busy},
    {"scope_begin", 2, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_scope_begin},
    {"keep", 2, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_keep},
    {"scope_end", 2, 1, ANY, {NOTHING}, NO_RULE, 0, NULL, NULL, NULL, check_scope_end},
    {0},
};
