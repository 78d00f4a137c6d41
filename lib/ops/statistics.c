/* Mean, variance, quantiles. */
#include "base/error.h"
#include "expressions/types.h"
#include "host/apply.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "planning/eval.h"

#include <firepile/define.h>
#include <firepile/statistics.h>
#include <math.h>
#include <string.h>

/* ---- arguments and outputs ---- */

static gpu_status check_output(const gpu_output *out)
{
    gpu_status status = fp_check_pointer(out ? out->pointer : NULL);
    if (status || out->type == GPU_FLOAT || out->type == GPU_DOUBLE) return status;
    return fp_fail(GPU_E_TYPE, "the output is %s: take a float or a double", out->type ? out->type->name : "no scalar");
}

static gpu_status check(const gpu_array *a, const gpu_output *out)
{
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_check_scalars(a->node->type);
    return status ? status : check_output(out);
}

/* What sums are made of. */
static gpu_type wide_type(const gpu *g)
{
    return g->capabilities->has_double ? GPU_DOUBLE : GPU_FLOAT;
}

static double number(gpu_type type, const void *value)
{
    double wide;
    fp_convert(type, value, GPU_DOUBLE, &wide);
    return wide;
}

static void store(const gpu_output *out, double value)
{
    fp_convert(GPU_DOUBLE, &value, out->type, out->pointer);
}

/* ---- mean and variance ---- */

/* Some elements: their number, their mean, and the sum of the squares of their distances from it. */
GPU_STRUCT(fp_moments_float, uint64_t n; float mean; float squares;);
GPU_STRUCT(fp_moments_double, uint64_t n; double mean; double squares;);

#define BEGIN(T) "{ fp_moments_" #T " m; m.n = 1; m.mean = x; m.squares = 0; return m; }"
#define COMBINE(T)                                                                                                     \
    "{ fp_moments_" #T " m; m.n = a.n + b.n; const " #T " apart = b.mean - a.mean, part = (" #T ")b.n / (" #T ")m.n;"  \
    "  m.mean = a.mean + apart * part;"                                                                                \
    "  m.squares = a.squares + b.squares + apart * apart * (" #T ")a.n * part; return m; }"

#define NATIVES(T, TYPE)                                                                                               \
    static void begin_##T(const fp_applied *applied, const fp_stretch *s)                                              \
    {                                                                                                                  \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            fp_moments_##T m = {.n = 1};                                                                               \
            fp_convert(applied->types[0], s->in[0] + e * s->stride[0], TYPE, &m.mean);                                 \
            memcpy(s->out + e * s->out_stride, &m, sizeof m);                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void combine_##T(const fp_applied *applied, const fp_stretch *s)                                            \
    {                                                                                                                  \
        (void)applied;                                                                                                 \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            fp_moments_##T a, b, m = {0};                                                                              \
            memcpy(&a, s->in[0] + e * s->stride[0], sizeof a);                                                         \
            memcpy(&b, s->in[1] + e * s->stride[1], sizeof b);                                                         \
            m.n = a.n + b.n;                                                                                           \
            const T apart = b.mean - a.mean, part = (T)b.n / (T)m.n;                                                   \
            m.mean = a.mean + apart * part;                                                                            \
            m.squares = a.squares + b.squares + apart * apart * (T)a.n * part;                                         \
            memcpy(s->out + e * s->out_stride, &m, sizeof m);                                                          \
        }                                                                                                              \
    }

NATIVES(float, GPU_FLOAT)
NATIVES(double, GPU_DOUBLE)

static gpu_status read_moments(fp_entry *entry, const gpu_array *a, fp_moments_double *out)
{
    const bool wide = wide_type(a->g) == GPU_DOUBLE;
    const fp_builtin begin = {.text = wide ? BEGIN(double) : BEGIN(float), .native = wide ? begin_double : begin_float};
    const fp_builtin combine = {.text = wide ? COMBINE(double) : COMBINE(float),
                                .native = wide ? combine_double : combine_float,
                                .unbounded = true};
    gpu_type type = wide ? GPU_TYPE(fp_moments_double) : GPU_TYPE(fp_moments_float);
    fp_moments_float narrow;
    fp_operator *op = NULL;
    gpu_status status = fp_gpu_check_type(a->g, &type);
    if (!status) status = fp_operator_builtin(a->g, &begin, &op);
    fp_node *each = status ? NULL : fp_node_map(type, op, &a->node, 1);
    if (!each) return status ? status : fp_last_status();
    status = fp_reduce_builtin(entry, each, &combine, wide ? (void *)out : &narrow);
    fp_node_drop(each);
    if (!status && !wide) *out = (fp_moments_double){narrow.n, narrow.mean, narrow.squares};
    return status;
}

/* A sum, divided by a length that the host knows. */
static gpu_status divide_sum(fp_entry *entry, const gpu_array *a, const gpu_output *out)
{
    const gpu_type type = wide_type(a->g);
    unsigned char sum[sizeof(double)];
    size_t n;
    gpu_status status = fp_node_wait_length(a->node, &n);
    if (!status && !n) status = fp_fail_empty();
    fp_node *wide = status ? NULL : fp_node_map_own(type, "x", NULL, &a->node, 1);
    if (!wide) return status ? status : fp_last_status();
    status = fp_reduce_own(entry, wide, "a + b", sum);
    fp_node_drop(wide);
    if (!status) store(out, number(type, sum) / (double)n);
    return status;
}

gpu_status gpu_mean_op(const gpu_array *a, const gpu_output *mean, const gpu_place *place)
{
    fp_moments_double m;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_mean", place);
    gpu_status status = check(a, mean);
    /* Moments have the number of elements, which saves a wait for a length that only the device knows. */
    const bool counted = !status && (fp_node_selection(a->node) || fp_node_count(a->node));
    if (!status && !counted) status = divide_sum(&entry, a, mean);
    if (!status && counted) status = read_moments(&entry, a, &m);
    if (!status && counted) store(mean, m.mean);
    return fp_entry_end(&entry, status);
}

gpu_status gpu_variance_op(const gpu_array *a, const gpu_output *mean, const gpu_output *variance,
                           const gpu_place *place)
{
    fp_moments_double m;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_variance", place);
    gpu_status status = check(a, mean);
    if (!status) status = check_output(variance);
    if (!status) status = read_moments(&entry, a, &m);
    if (!status) store(mean, m.mean);
    if (!status) store(variance, m.squares / (double)m.n);
    return fp_entry_end(&entry, status);
}

/* ---- quantiles ---- */

/* An element before the quantile, one behind it, and the last, which is NaN if any element is. */
enum { BELOW, ABOVE, LAST, READ };

static gpu_status read_sorted(fp_entry *entry, fp_node *sorted, const uint64_t *places, double *values)
{
    const gpu_type type = sorted->type;
    unsigned char elements[READ * sizeof(uint64_t)];
    fp_buffer *buffer = NULL;
    gpu_status status = fp_buffer_new_on_host(sorted->g->device, READ * sizeof *places, places, &buffer);
    fp_node *indices = status ? NULL : fp_node_buffer(sorted->g, GPU_ULONG, READ, buffer, 0);
    fp_node *chosen = indices ? fp_node_gather(sorted, indices) : NULL;
    status = chosen ? fp_node_read(entry, chosen, elements) : fp_last_status();
    fp_entry_relock(entry);
    for (unsigned k = 0; k < READ && !status; k++) values[k] = number(type, elements + k * type->size);
    fp_buffer_drop(buffer);
    fp_node_drop(indices);
    fp_node_drop(chosen);
    return status;
}

/* On the line between two values, from the nearer one. */
static double between(double below, double above, double part)
{
    return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

static gpu_status read_quantile(fp_entry *entry, fp_node *sorted, double q, double *value)
{
    size_t n;
    double values[READ];
    gpu_status status = fp_node_wait_length(sorted, &n);
    if (!status && !n) status = fp_fail_empty();
    if (status) return status;
    const double at = q * (double)(n - 1), whole = floor(at);
    const uint64_t below = (uint64_t)whole, above = below + (below + 1 < n);
    status = read_sorted(entry, sorted, (const uint64_t[]){below, above, n - 1}, values);
    if (status) return status;
    const bool exact = values[BELOW] == values[ABOVE] || at == whole;
    *value = isnan(values[LAST]) ? NAN : exact ? values[BELOW] : between(values[BELOW], values[ABOVE], at - whole);
    return GPU_OK;
}

static gpu_status quantile(const gpu_array *a, double q, const gpu_output *out, const char *operation,
                           const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, place);
    fp_order order = {.less = NULL};
    double value = 0;
    gpu_status status = check(a, out);
    if (!status && !(q >= 0 && q <= 1)) status = fp_fail(GPU_E_ARGUMENT, "q is %g: take a number from 0 to 1", q);
    if (!status) status = fp_order_natural(a->g, a->node->type, NULL, false, &order);
    fp_node *sorted = status ? NULL : fp_sort(a->node, &order);
    if (!status) status = sorted ? read_quantile(&entry, sorted, q, &value) : fp_last_status();
    if (!status) store(out, value);
    fp_order_end(&order);
    fp_node_drop(sorted);
    return fp_entry_end(&entry, status);
}

gpu_status gpu_quantile_op(const gpu_array *a, double q, const gpu_output *value, const gpu_place *place)
{
    return quantile(a, q, value, "gpu_quantile", place);
}

gpu_status gpu_median_op(const gpu_array *a, const gpu_output *value, const gpu_place *place)
{
    return quantile(a, 0.5, value, "gpu_median", place);
}
