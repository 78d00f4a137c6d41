/* Operators that are refused: by operations of every kind that takes one, for few elements and for many, on the device
 * and on the host. */
#ifndef TEST_REFUSALS_H
#define TEST_REFUSALS_H

#include "support/support.h"

/* Lengths on both sides of what the host computes. */
extern const size_t test_both_lengths[2];

/* The device that is tested, or the host. */
gpu *test_open_side(bool host);

/* Kinds of operations, by what they give a function and take from it. */
enum {
    TEST_MAPS = 1,        /* gpu_map, of an array and of a symbol */
    TEST_KEYS = 2,        /* gpu_sort_key */
    TEST_MAPS_TWO = 4,    /* gpu_map2 */
    TEST_COMBINES = 8,    /* reductions and scans */
    TEST_ASKS = 16,       /* predicates */
    TEST_COMPARES = 32,   /* comparators */
    TEST_MAPS_FIRST = 64, /* gpu_map_reduce_all */
    TEST_OF_ONE = TEST_MAPS | TEST_MAPS_FIRST | TEST_KEYS,
    TEST_OF_TWO = TEST_MAPS_TWO | TEST_COMBINES
};

typedef struct test_refusal {
    const void *function;
    const gpu_capture *captures[4]; /* ends with NULL */
    gpu_type elements;              /* NULL: float */
    gpu_status status;
    const char *parts[4]; /* of the text, beside the caller's place */
} test_refusal;

/* `capture`, unless it is NULL, sets the captures of one gpu. */
typedef void test_capture(gpu *g, test_refusal *r);
void test_refuse(const test_refusal *r, unsigned kinds, test_capture *capture);

/* Also GPU_DEVICE_FUNCTIONs, which are addresses already. */
#define TEST_FUNCTION(name) __extension__(const void *)(name)
#define TEST_REFUSE(kinds, capture, ...) test_refuse(&(const test_refusal){__VA_ARGS__}, (kinds), (capture))

#endif
