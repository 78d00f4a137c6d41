/* Operators and orders of elements in plain C, and data to sort. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "support.h"

/* The operators that the library recognises, and two that do not commute. */
typedef enum test_operator {
    TEST_ADD,
    TEST_MULTIPLY,
    TEST_MIN,
    TEST_MAX,
    TEST_AND,
    TEST_OR,
    TEST_XOR,
    TEST_FIRST,
    TEST_LAST,
    TEST_OPERATORS
} test_operator;

/* The operator's text for elements of `type`; NULL if it has none. */
const char *test_snippet(test_operator op, gpu_type type);
test_number test_apply(test_operator op, gpu_type type, test_number p, test_number q);

/* test_random_fill, but products overflow late: the factors are odd, and for floating types 1 and -1 with a few 2. */
void test_operand_fill(test_operator op, gpu_type type, void *out, size_t n);

/* p < q. */
bool test_less(gpu_type type, test_number p, test_number q);

/* Does the element `p` come before `q`? */
typedef bool test_before(gpu_type type, const void *p, const void *q);

/* The elements' own order: NaN comes last. And from the largest down, NaN last. */
bool test_ascending(gpu_type type, const void *p, const void *q);
bool test_descending(gpu_type type, const void *p, const void *q);

/* A stable sort: order[i] becomes the index of the element that comes i-th. */
void test_order(gpu_type type, const void *array, size_t n, test_before *before, uint64_t *order);

/* The elements at `indices`, one after the other. */
void test_gather(gpu_type type, const void *array, const uint64_t *indices, size_t n, void *out);

/* All bits random; rising; falling; all the same; five values; the ends of the type's range, and for floating types
 * NaN, infinities and zeros of both signs. */
typedef enum test_pattern {
    TEST_BITS,
    TEST_RISING,
    TEST_FALLING,
    TEST_EQUAL,
    TEST_FEW,
    TEST_EXTREMES,
    TEST_PATTERNS
} test_pattern;

void test_pattern_fill(test_pattern pattern, gpu_type type, void *out, size_t n, uint64_t seed);

/* Unsigned integers as large as a floating type: they tell -0 from 0, and one NaN from another. Else `type`. */
gpu_type test_bits(gpu_type type);

/* Fails the test unless `a` has the elements of `data` at `order`, n of them, bit by bit. */
#define test_holds_ordered(what, a, type, data, order, n)                                                              \
    test_holds_ordered_at(__FILE__, __LINE__, (what), (a), (type), (data), (order), (n))
void test_holds_ordered_at(const char *file, int line, const char *what, const gpu_array *a, gpu_type type,
                           const void *data, const uint64_t *order, size_t n);

#endif
