#include "arrays/read.h"
#include "base/error.h"
#include "base/memory.h"
#include "ops/reduce.h"
#include "ops/sample.h"
#include "planning/eval.h"

#include <firepile/law.h>
#include <string.h>

/* Note [laws of reductions]: maps over two arrays of operands apply the operator on the device, and the host compares
 * the results. First come all pairs of the sample. Then come all triples, grouped in both ways. */

/* The most elements of a sample, and the most bytes of an array of operands. Large structs make the sample smaller. */
enum { MOST = 64, MOST_BYTES = 1 << 24 };

typedef struct trial {
    gpu *g;
    const gpu_operator *op;
    gpu_type type;
    size_t size; /* of an element */
    fp_sample sample;
    size_t n;             /* elements of it */
    unsigned char *pairs; /* op(sample[i], sample[j]) at i * n + j */
} trial;

/* An array of operands: `count` values, each repeated `times` times, then all of them again. */
typedef struct operand {
    const unsigned char *values;
    size_t count;
    size_t times;
} operand;

static fp_node *spread(const trial *t, operand from, size_t length)
{
    fp_buffer *buffer = NULL;
    unsigned char *all = fp_alloc_array(length, t->size);
    for (size_t k = 0; all && k < length; k++)
        memcpy(all + k * t->size, from.values + k / from.times % from.count * t->size, t->size);
    gpu_status status = all ? fp_buffer_new_on_host(t->g->device, length * t->size, all, &buffer) : fp_fail_memory();
    fp_node *node = status ? NULL : fp_node_buffer(t->g, t->type, length, buffer, 0);
    fp_buffer_drop(buffer);
    fp_free(all);
    return node;
}

static gpu_status bind(const trial *t, fp_operator **out)
{
    gpu_status status = fp_combiner_bind(t->g, t->op, t->type, out);
    if (!status) (*out)->combines = true;
    return status;
}

static gpu_status map(const trial *t, fp_node *const *operands, fp_node **out)
{
    fp_operator *bound;
    gpu_status status = bind(t, &bound);
    if (status) return status;
    *out = fp_node_map(t->type, bound, operands, 2);
    if (!*out) return fp_last_status();
    status = fp_node_eval(*out, FP_REASON_ASKED);
    return status ? status : fp_node_check(*out);
}

/* Applies the operator to `length` pairs of operands. The caller frees *out. */
static gpu_status combine(const trial *t, operand a, operand b, size_t length, unsigned char **out)
{
    fp_node *operands[] = {spread(t, a, length), NULL}, *results = NULL;
    if (operands[0]) operands[1] = spread(t, b, length);
    gpu_status status = operands[1] ? map(t, operands, &results) : fp_last_status();
    if (!status) *out = fp_alloc_array(length, t->size);
    if (!status && !*out) status = fp_fail_memory();
    if (!status) status = fp_buffer_download(results->buffer, 0, *out, length * t->size);
    fp_node_drop(operands[0]);
    fp_node_drop(operands[1]);
    fp_node_drop(results);
    return status;
}

/* ---- the laws ---- */

/* Two results that should be equal, from the elements at two or three places. */
typedef struct difference {
    const char *law, *left, *right; /* the broken law, and how both results are made */
    const void *results[2];
    size_t places[3];
    unsigned count;
} difference;

static gpu_status report(const trial *t, const difference *d)
{
    fp_text text = {0};
    fp_text_print(&text, "the operator %s: ", d->law);
    fp_sample_name(&t->sample, d->places, d->count, &text);
    fp_text_print(&text, "; %s is ", d->left);
    fp_value_layout_write(t->sample.layout, d->results[0], &text);
    fp_text_print(&text, ", and %s is ", d->right);
    fp_value_layout_write(t->sample.layout, d->results[1], &text);
    return fp_fail_text(GPU_E_ARGUMENT, &text);
}

static const unsigned char *element(const trial *t, size_t place)
{
    return t->sample.elements + place * t->size;
}

static gpu_status check_commuting(const trial *t)
{
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = 0; j < i; j++) {
            const unsigned char *left = t->pairs + (j * t->n + i) * t->size,
                                *right = t->pairs + (i * t->n + j) * t->size;
            const void *others[] = {element(t, i), element(t, j)};
            if (fp_value_layout_alike(t->sample.layout, left, right, others, 2, FP_ULPS)) continue;
            return report(t, &(difference){.law = "does not commute, as GPU_COMMUTATIVE says it does",
                                           .left = "op(a, b)",
                                           .right = "op(b, a)",
                                           .results = {left, right},
                                           .places = {j, i},
                                           .count = 2});
        }
    }
    return GPU_OK;
}

static gpu_status compare_triples(const trial *t, const unsigned char *left, const unsigned char *right)
{
    size_t n = t->n;
    for (size_t k = 0; k < n * n * n; k++, left += t->size, right += t->size) {
        size_t a = k / (n * n), b = k / n % n, c = k % n;
        const void *others[] = {element(t, a), element(t, b), element(t, c), t->pairs + (a * n + b) * t->size,
                                t->pairs + (b * n + c) * t->size};
        if (fp_value_layout_alike(t->sample.layout, left, right, others, 5, FP_ULPS)) continue;
        return report(t, &(difference){.law = "is not associative",
                                       .left = "op(op(a, b), c)",
                                       .right = "op(a, op(b, c))",
                                       .results = {left, right},
                                       .places = {a, b, c},
                                       .count = 3});
    }
    return GPU_OK;
}

static gpu_status check_associating(const trial *t)
{
    size_t n = t->n;
    unsigned char *left = NULL, *right = NULL;
    const unsigned char *elements = t->sample.elements;
    gpu_status status = combine(t, (operand){t->pairs, n * n, n}, (operand){elements, n, 1}, n * n * n, &left);
    if (!status) status = combine(t, (operand){elements, n, n * n}, (operand){t->pairs, n * n, 1}, n * n * n, &right);
    if (!status) status = compare_triples(t, left, right);
    fp_free(left);
    fp_free(right);
    return status;
}

static size_t most_elements(size_t size)
{
    size_t most = MOST;
    while (most > 2 && most * most * most > MOST_BYTES / size) most /= 2;
    return most;
}

static gpu_status try_laws(trial *t, fp_node *node, bool commutes)
{
    gpu_status status = fp_sample_take(node, most_elements(t->size), &t->sample);
    if (status || !t->sample.length) return status;
    size_t n = t->n = t->sample.length;
    status = fp_sample_read(&t->sample);
    if (status) return status;
    const unsigned char *elements = t->sample.elements;
    status = combine(t, (operand){elements, n, n}, (operand){elements, n, 1}, n * n, &t->pairs);
    if (!status && commutes) status = check_commuting(t);
    return status ? status : check_associating(t);
}

static gpu_status check_reduce(const gpu_array *a, const gpu_operator *op)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    gpu_type type = a->node->type;
    trial t = {.g = a->g, .op = op, .type = type, .size = type->size};
    fp_operator *bound;
    status = bind(&t, &bound);
    if (status) return status;
    bool commutes = bound->commutative;
    fp_operator_drop(bound);
    status = try_laws(&t, a->node, commutes);
    fp_free(t.pairs);
    fp_sample_drop(&t.sample);
    return status;
}

gpu_status gpu_check_reduce_op(const gpu_array *a, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_check_reduce", fp_place_of(op));
    return fp_entry_end(&entry, check_reduce(a, op));
}
