/* Device counters: eight bytes of device memory each, for numbers that the device computes and the host may ask for.
 * Counts: lengths in counters. The gpu is locked throughout. */
#ifndef FP_EXPRESSIONS_COUNTER_H
#define FP_EXPRESSIONS_COUNTER_H

#include "expressions/gpu.h"

typedef struct fp_counter {
    fp_slab *slab;
    unsigned index;
} fp_counter;

/* A free counter; zero if that matters. */
gpu_status fp_counter_new(gpu *g, bool zero, fp_counter *out);
/* Gives a counter back. `zero`: it is known to be zero. */
void fp_counter_free(fp_counter counter, bool zero);
/* The buffer in which the counter has its index. */
fp_buffer *fp_counter_buffer(fp_counter counter);
/* The same for numbers that only the host reads. The buffer lies in its memory, if the device has such buffers. */
fp_buffer *fp_counter_shown(fp_counter counter);

void fp_slabs_free(gpu *g);

/* A length that the device computes. Shared by the arrays that have it. */
typedef struct fp_count {
    unsigned references;
    fp_counter counter;
    bool known;
    size_t value; /* once it is known */
} fp_count;

/* With one reference; NULL and a failure when memory runs out. */
fp_count *fp_count_new(gpu *g);
fp_count *fp_count_known(size_t value);
fp_count *fp_count_keep(fp_count *count);
void fp_count_drop(fp_count *count);
/* The host has computed it itself. */
void fp_count_learn(fp_count *count, size_t value);
/* Waits until it is known. */
gpu_status fp_count_wait(fp_count *count);

enum { FP_COUNT_ARGS = 3 };

/* The arguments of a kernel that stores the count (kernels/block/count.cl). *index lives as long as they do. */
void fp_count_args(const fp_count *count, uint64_t *index, fp_arg *args);
/* Waits for the commands so far, and reads the count. Works without the lock. */
gpu_status fp_count_read(const fp_count *count, uint64_t *out);

#endif
