/* Searches in sorted arrays, and sets. The arrays are sorted by delayed sorts. */
#include "engine.h"

#include <stdlib.h>

static value sorted(const value *v)
{
    value out = *v;
    uint64_t *order = test_alloc(v->n, sizeof *order);
    test_order(v->kind->type, v->data, v->n, test_ascending, order);
    give(&out, v->n);
    test_gather(v->kind->type, v->data, order, v->n, out.data);
    free(order);
    return out;
}

static bool precedes(const kind *k, const void *p, const void *q)
{
    return test_ascending(k->type, p, q);
}

/* ---- searches ---- */

/* The first element that is not less than x or, for `upper`, is greater. */
static size_t bound_of(const value *v, const void *x, bool upper)
{
    size_t low = 0, high = v->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const void *at = element(v, middle);
        if (upper ? !precedes(v->kind, x, at) : precedes(v->kind, at, x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool refer_bound(const value *const in[], bool upper, value *out)
{
    value v = sorted(in[0]);
    give(out, in[1]->n);
    for (size_t i = 0; i < in[1]->n; i++) ((uint64_t *)out->data)[i] = bound_of(&v, element(in[1], i), upper);
    free(v.data);
    return true;
}

REFER(refer_lower_bound)
{
    UNUSED;
    return refer_bound(in, false, out[0]);
}

MAKE(make_lower_bound)
{
    UNUSED;
    out[0] = gpu_lower_bound(gpu_sort(in[0]), in[1]);
}

REFER(refer_upper_bound)
{
    UNUSED;
    return refer_bound(in, true, out[0]);
}

MAKE(make_upper_bound)
{
    UNUSED;
    out[0] = gpu_upper_bound(gpu_sort(in[0]), in[1]);
}

REFER(refer_contains)
{
    UNUSED;
    value v = sorted(in[0]);
    give(out[0], in[1]->n);
    for (size_t i = 0; i < in[1]->n; i++) {
        const void *x = element(in[1], i);
        out[0]->data[i] = bound_of(&v, x, true) > bound_of(&v, x, false);
    }
    free(v.data);
    return true;
}

MAKE(make_contains)
{
    UNUSED;
    out[0] = gpu_contains(gpu_sort(in[0]), in[1]);
}

/* ---- sets ---- */

typedef enum set { UNION, INTERSECTION, DIFFERENCE } set;

static size_t copy_all(value *out, size_t n, const value *v, size_t from, size_t end)
{
    for (; from < end; from++) copy(out, n++, element(v, from));
    return n;
}

/* Elements that are equal stand together: `m` of them from `i` on in a, and `k` from `j` on in b. */
static void combine(set set, const value *a, const value *b, value *out)
{
    size_t i = 0, j = 0, n = 0;
    give(out, a->n + b->n);
    while (i < a->n || j < b->n) {
        const bool first = j == b->n || (i < a->n && !precedes(a->kind, element(b, j), element(a, i)));
        const void *x = first ? element(a, i) : element(b, j);
        const size_t m = bound_of(a, x, true) - i, k = bound_of(b, x, true) - j, both = m < k ? m : k;
        if (set == UNION) n = copy_all(out, copy_all(out, n, a, i, i + m), b, j + both, j + k);
        if (set == INTERSECTION) n = copy_all(out, n, a, i, i + both);
        if (set == DIFFERENCE) n = copy_all(out, n, a, i + both, i + m);
        i += m;
        j += k;
    }
    out->n = n;
}

static bool refer_set(const value *const in[], set set, value *out)
{
    if (in[0]->n + in[1]->n > 100000) return false;
    value a = sorted(in[0]), b = sorted(in[1]);
    combine(set, &a, &b, out);
    free(a.data);
    free(b.data);
    return true;
}

REFER(refer_union)
{
    UNUSED;
    return refer_set(in, UNION, out[0]);
}

MAKE(make_union)
{
    UNUSED;
    out[0] = gpu_set_union(gpu_sort(in[0]), gpu_sort(in[1]));
}

REFER(refer_intersection)
{
    UNUSED;
    return refer_set(in, INTERSECTION, out[0]);
}

MAKE(make_intersection)
{
    UNUSED;
    out[0] = gpu_set_intersection(gpu_sort(in[0]), gpu_sort(in[1]));
}

REFER(refer_difference)
{
    UNUSED;
    return refer_set(in, DIFFERENCE, out[0]);
}

MAKE(make_difference)
{
    UNUSED;
    out[0] = gpu_set_difference(gpu_sort(in[0]), gpu_sort(in[1]));
}

const operation sorted_steps[] = {
    {"lower_bound",
     2,
     2,
     SCALAR,
     {AS_ULONG},
     NO_RULE,
     SAME_KIND | IN_PART,
     NULL,
     refer_lower_bound,
     make_lower_bound,
     NULL},
    {"upper_bound",
     1,
     2,
     SCALAR,
     {AS_ULONG},
     NO_RULE,
     SAME_KIND | IN_PART,
     NULL,
     refer_upper_bound,
     make_upper_bound,
     NULL},
    {"contains", 1, 2, SCALAR, {AS_UCHAR}, NO_RULE, SAME_KIND | IN_PART, NULL, refer_contains, make_contains, NULL},
    {"set_union", 1, 2, SCALAR, {SAME}, NO_RULE, SAME_KIND | SIZED, NULL, refer_union, make_union, NULL},
    {"set_intersection",
     1,
     2,
     SCALAR,
     {SAME},
     NO_RULE,
     SAME_KIND | SIZED,
     NULL,
     refer_intersection,
     make_intersection,
     NULL},
    {"set_difference", 1, 2, SCALAR, {SAME}, NO_RULE, SAME_KIND | SIZED, NULL, refer_difference, make_difference, NULL},
    {0},
};
