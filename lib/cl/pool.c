#include "cl/internal.h"

#include <stddef.h>
#include <stdint.h>

#define BUFFER_OF(link, member) ((fp_buffer *)(void *)((char *)(link)-offsetof(fp_buffer, member)))

static void list_start(fp_link *head)
{
    head->previous = head;
    head->next = head;
}

static void list_insert(fp_link *head, fp_link *member)
{
    member->previous = head;
    member->next = head->next;
    head->next->previous = member;
    head->next = member;
}

static void list_remove(fp_link *member)
{
    member->previous->next = member->next;
    member->next->previous = member->previous;
}

static unsigned log2_floor(size_t n)
{
    return 63u - (unsigned)__builtin_clzll(n);
}

/* The leading one and the next three bits of a size are kept: eight steps from one power of two to the next. */
size_t fp_pool_round(size_t bytes)
{
    if (bytes <= FP_POOL_LEAST) return FP_POOL_LEAST;
    if (bytes > SIZE_MAX / 2) return bytes;
    size_t step = ((size_t)1 << log2_floor(bytes)) / FP_POOL_STEPS;
    return (bytes + step - 1) & ~(step - 1);
}

/* Every buffer of a bucket has the bucket's rounded size or more, and less than the next one's. */
static unsigned bucket_of(size_t bytes)
{
    unsigned log = log2_floor(bytes);
    size_t step = bytes / (((size_t)1 << log) / FP_POOL_STEPS) - FP_POOL_STEPS;
    return (log - FP_POOL_LEAST_LOG) * FP_POOL_STEPS + (unsigned)step;
}

static void detach(fp_pool *pool, fp_buffer *buffer)
{
    list_remove(&buffer->by_size);
    list_remove(&buffer->by_age);
    pool->bytes -= buffer->bytes;
}

/* The oldest buffer, if more than `most_bytes` are free; else NULL. */
static fp_buffer *take_oldest(fp_pool *pool, uint64_t most_bytes)
{
    fp_buffer *oldest = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->bytes > most_bytes) oldest = BUFFER_OF(pool->by_age.previous, by_age);
    if (oldest) detach(pool, oldest);
    pthread_mutex_unlock(&pool->lock);
    return oldest;
}

/* Gives memory back to the driver, oldest first, until at most `most_bytes` are free. The pool is not locked as the
 * driver is called: the call first sends the launches that are held back, and these give buffers to the pool. */
static void shrink(fp_device *device, uint64_t most_bytes)
{
    for (fp_buffer *oldest; (oldest = take_oldest(&device->pool, most_bytes));) fp_buffer_free(oldest);
}

void fp_pool_start(fp_device *device)
{
    fp_pool *pool = &device->pool;
    pthread_mutex_init(&pool->lock, NULL);
    list_start(&pool->by_age);
    for (unsigned k = 0; k < FP_POOL_LISTS; k++) list_start(&pool->by_size[k]);
    pool->most_bytes = device->capabilities.memory_bytes / 2;
}

void fp_pool_end(fp_device *device)
{
    fp_pool_trim(device);
    pthread_mutex_destroy(&device->pool.lock);
}

void fp_pool_trim(fp_device *device)
{
    shrink(device, 0);
}

/* One of a list's newest buffers with at least so many bytes, or NULL. */
static fp_buffer *find_large(const fp_link *list, size_t bytes)
{
    enum { LOOKED_AT = 8 };
    const fp_link *at = list->next;
    for (int k = 0; k < LOOKED_AT && at != list; k++, at = at->next)
        if (BUFFER_OF(at, by_size)->bytes >= bytes) return BUFFER_OF(at, by_size);
    return NULL;
}

/* Takes one from the first of the lists that has any. */
static fp_buffer *take(fp_pool *pool, unsigned first, unsigned end, size_t bytes)
{
    fp_buffer *found = NULL;
    pthread_mutex_lock(&pool->lock);
    for (unsigned k = first; !found && k < end; k++) found = find_large(&pool->by_size[k], bytes);
    if (found) detach(pool, found);
    pthread_mutex_unlock(&pool->lock);
    return found;
}

fp_buffer *fp_pool_take(fp_device *device, size_t bytes)
{
    unsigned first = bucket_of(bytes), end = first + FP_POOL_STEPS;
    return take(&device->pool, first, end < FP_POOL_BUCKETS ? end : FP_POOL_BUCKETS, bytes);
}

fp_buffer *fp_pool_take_host_visible(fp_device *device)
{
    return take(&device->pool, FP_POOL_HOST_VISIBLE, FP_POOL_LISTS, 0);
}

void fp_pool_give(fp_buffer *buffer)
{
    fp_device *device = buffer->device;
    fp_pool *pool = &device->pool;
    pthread_mutex_lock(&pool->lock);
    list_insert(&pool->by_size[buffer->shown ? FP_POOL_HOST_VISIBLE : bucket_of(buffer->bytes)], &buffer->by_size);
    list_insert(&pool->by_age, &buffer->by_age);
    pool->bytes += buffer->bytes;
    pthread_mutex_unlock(&pool->lock);
    shrink(device, pool->most_bytes);
}
