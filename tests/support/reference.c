#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *test_snippet(test_operator op, gpu_type type)
{
    static const char *const integer[] = {"a + b", "a * b", "min(a, b)", "max(a, b)", "a & b",
                                          "a | b", "a ^ b", "a",         "b"};
    if (type->kind != GPU_KIND_FLOATING) return integer[op];
    if (op == TEST_AND || op == TEST_OR || op == TEST_XOR) return NULL;
    return op == TEST_MIN ? "fmin(a, b)" : op == TEST_MAX ? "fmax(a, b)" : integer[op];
}

test_number test_apply(test_operator op, gpu_type type, test_number p, test_number q)
{
    test_number smaller = test_less(type, q, p) ? q : p, larger = test_less(type, p, q) ? q : p;
    if (type->kind == GPU_KIND_FLOATING && op == TEST_ADD) return (test_number){.f = p.f + q.f};
    if (type->kind == GPU_KIND_FLOATING && op == TEST_MULTIPLY) return (test_number){.f = p.f * q.f};
    const test_number results[] = {{.u = p.u + q.u}, {.u = p.u * q.u}, smaller, larger, {.u = p.u & q.u},
                                   {.u = p.u | q.u}, {.u = p.u ^ q.u}, p,       q};
    return results[op];
}

void test_operand_fill(test_operator op, gpu_type type, void *out, size_t n)
{
    test_random_fill(type, out, n, 11 + (uint64_t)op);
    for (size_t i = 0; op == TEST_MULTIPLY && i < n; i++) {
        test_number v = test_get(type, out, i);
        if (type->kind != GPU_KIND_FLOATING)
            v.u |= 1;
        else
            v.f = i % 9973 == 5 && i < 1000000 ? 2 : v.f > 0 ? 1 : -1;
        test_put(type, out, i, v);
    }
}

bool test_less(gpu_type type, test_number p, test_number q)
{
    if (type->kind == GPU_KIND_FLOATING) return p.f < q.f;
    return type->kind == GPU_KIND_SIGNED ? p.s < q.s : p.u < q.u;
}

static bool is_nan(gpu_type type, test_number v)
{
    return type->kind == GPU_KIND_FLOATING && isnan(v.f);
}

bool test_ascending(gpu_type type, const void *p, const void *q)
{
    test_number v = test_get(type, p, 0), w = test_get(type, q, 0);
    return test_less(type, v, w) || (is_nan(type, w) && !is_nan(type, v));
}

bool test_descending(gpu_type type, const void *p, const void *q)
{
    test_number v = test_get(type, p, 0), w = test_get(type, q, 0);
    return test_less(type, w, v) || (is_nan(type, w) && !is_nan(type, v));
}

/* The two ascending halves of from[low, high) become to[low, high). */
static void merge(gpu_type type, const char *array, test_before *before, const uint64_t *from, size_t low,
                  size_t middle, size_t high, uint64_t *to)
{
    for (size_t left = low, right = middle, i = low; i < high; i++) {
        bool is_right = left == middle || (right < high && before(type, array + from[right] * type->size,
                                                                  array + from[left] * type->size));
        to[i] = from[is_right ? right++ : left++];
    }
}

void test_order(gpu_type type, const void *array, size_t n, test_before *before, uint64_t *order)
{
    uint64_t *spare = test_alloc(n, sizeof *spare);
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t run = 1; run < n; run *= 2) {
        memcpy(spare, order, n * sizeof *spare);
        for (size_t low = 0; low < n; low += 2 * run) {
            size_t middle = low + run < n ? low + run : n, high = middle + run < n ? middle + run : n;
            merge(type, array, before, spare, low, middle, high, order);
        }
    }
    free(spare);
}

void test_gather(gpu_type type, const void *array, const uint64_t *indices, size_t n, void *out)
{
    const char *from = array;
    for (size_t i = 0; i < n; i++) memcpy((char *)out + i * type->size, from + indices[i] * type->size, type->size);
}

static test_number extreme(gpu_type type, uint64_t choice)
{
    uint64_t top = UINT64_C(1) << (8 * type->size - 1);
    double most = type == GPU_FLOAT ? (double)FLT_MAX : DBL_MAX, least = ldexp(1, type == GPU_FLOAT ? -149 : -1074);
    const uint64_t whole[] = {0, 1, UINT64_MAX, top, top - 1, top + 1, 127};
    const double real[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0, most, -most, least, -least, 1, -1};
    if (type->kind == GPU_KIND_FLOATING) return (test_number){.f = real[choice % COUNT_OF(real)]};
    return (test_number){.u = whole[choice % COUNT_OF(whole)]};
}

static test_number patterned(test_pattern pattern, gpu_type type, size_t i, size_t n, uint64_t *seed)
{
    size_t steps = type->size > 2 ? n : 100, step = type->size > 2 ? i : i * 100 / n;
    switch (pattern) {
    case TEST_RISING:
        return test_whole(type, (int64_t)step);
    case TEST_FALLING:
        return test_whole(type, (int64_t)(steps - step));
    case TEST_EQUAL:
        return test_whole(type, INT64_C(0x0101010101010101)); /* O14 */
    case TEST_FEW:
        return test_whole(type, (int64_t)(test_random(seed) % 5) * 50);
    default:
        return extreme(type, test_random(seed));
    }
}

void test_pattern_fill(test_pattern pattern, gpu_type type, void *out, size_t n, uint64_t seed)
{
    if (pattern == TEST_BITS) {
        test_random_fill(GPU_UCHAR, out, n * type->size, seed);
        return;
    }
    for (size_t i = 0; i < n; i++) test_put(type, out, i, patterned(pattern, type, i, n, &seed));
}

gpu_type test_bits(gpu_type type)
{
    return type == GPU_FLOAT ? GPU_UINT : type == GPU_DOUBLE ? GPU_ULONG : type;
}

void test_holds_ordered_at(const char *file, int line, const char *what, const gpu_array *a, gpu_type type,
                           const void *data, const uint64_t *order, size_t n)
{
    void *want = test_alloc(n, type->size);
    test_gather(type, data, order, n, want);
    if (gpu_array_status(a)) test_end_if_refused(gpu_array_error(a));
    cr_assert(gpu_type_equal(gpu_type_of(a), type), "%s:%d: %s: elements of another type", file, line, what);
    test_holds_at(file, line, what, a, test_bits(type), n, want);
    free(want);
}
