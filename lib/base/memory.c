#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_ulong allocations_left;

unsigned long fp_memory_fail_at(unsigned long k)
{
    return atomic_exchange(&allocations_left, k);
}

static bool must_fail(void)
{
    unsigned long left = atomic_load_explicit(&allocations_left, memory_order_relaxed);
    while (left != 0 && !atomic_compare_exchange_weak(&allocations_left, &left, left - 1)) {
    }
    return left == 1;
}

bool fp_multiply(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

void *fp_alloc(size_t bytes)
{
    return must_fail() ? NULL : calloc(1, bytes ? bytes : 1);
}

void *fp_alloc_array(size_t n, size_t bytes)
{
    size_t total;
    return fp_multiply(n, bytes, &total) ? fp_alloc(total) : NULL;
}

void *fp_resize(void *old, size_t bytes)
{
    return must_fail() ? NULL : realloc(old, bytes ? bytes : 1);
}

bool fp_make_room(void *list, size_t count, size_t *capacity, size_t bytes)
{
    void *old;
    if (count < *capacity) return true;
    size_t wanted = *capacity ? 2 * *capacity : 8, total;
    memcpy(&old, list, sizeof old);
    void *grown = fp_multiply(wanted, bytes, &total) ? fp_resize(old, total) : NULL;
    if (!grown) return false;
    memcpy(list, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

char *fp_copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = fp_alloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

void fp_free(void *memory)
{
    free(memory);
}
