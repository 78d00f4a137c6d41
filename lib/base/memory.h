/* Host memory: checked sizes, a way to make any allocation fail in a test. */
#ifndef FP_BASE_MEMORY_H
#define FP_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when there is no memory; the caller reports it with fp_fail_memory. Zeroed. fp_free takes what they return. */
void *fp_alloc(size_t bytes);
void *fp_alloc_array(size_t n, size_t bytes);
void *fp_resize(void *old, size_t bytes);
/* Appends to a list: the place of the new item, or NULL when there is no memory. */
#define FP_PUSH(list, count, capacity)                                                                                 \
    (fp_make_room(&(list), (count), &(capacity), sizeof *(list)) ? &(list)[(count)++] : NULL)
/* Makes room for one more in a list of `count` items. `list` is the address of its pointer. */
bool fp_make_room(void *list, size_t count, size_t *capacity, size_t bytes);
char *fp_copy_text(const char *text);
void fp_free(void *memory);

/* *product = a * b; false when that overflows. */
bool fp_multiply(size_t a, size_t b, size_t *product);

/* a / b, rounded up. */
static inline size_t fp_ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* The next multiple of `step` from n on. */
static inline size_t fp_round_up(size_t n, size_t step)
{
    return fp_ceiling(n, step) * step;
}

/* Test hook: the k-th allocation from now on fails (1: the next one); 0 turns that off. Returns how many allocations
 * were left before the failure (0: it has happened). */
unsigned long fp_memory_fail_at(unsigned long k);

#endif
