/* An open device and everything made on it. */
#ifndef FP_ARRAY_GPU_H
#define FP_ARRAY_GPU_H

#include "kernel/cache.h"
#include "kernel/policy.h"
#include "kernel/snippet.h"

#include <firepile/array.h>
#include <pthread.h>
#include <stdio.h>

/* Arrays form a ring through their scope; scopes form a stack through their gpu. */
struct gpu_scope {
    gpu *g;
    gpu_scope *outer; /* the scope around it on the same thread, or the gpu's root */
    gpu_scope *older; /* the scope opened before, by any thread */
    unsigned long thread;
    gpu_array *arrays;
};

typedef struct fp_fault fp_fault;
typedef struct fp_slab fp_slab;

/* What becomes of a launch. Only the first way takes memory on the device. */
typedef enum fp_mode {
    FP_MODE_LAUNCHES,
    FP_MODE_BUILDS, /* its kernel is built (Note [rehearsals]) */
    FP_MODE_COUNTS  /* it is counted */
} fp_mode;

/* What was counted: on the host, or so many launches. */
typedef struct fp_foreseen {
    bool on_host;
    unsigned launches;
    bool epilogue; /* one of them applies maps as it stores, */
    bool moves;    /* and all elements move several times */
} fp_foreseen;

/* The numbers in the ticket buffer: tickets, and behind them counts of the digits of a key. */
enum { FP_TICKETS = 4, FP_DIGITS = 256, FP_ZEROS = FP_TICKETS + 8 * FP_DIGITS };

/* What tiles tell each other by. */
typedef struct fp_flags {
    fp_buffer *buffer; /* NULL until the first scan */
    uint32_t launches; /* since the flags were cleared */
} fp_flags;

/* A struct type that a call was given, whose layout is sound, and the kept one it stands for. Holds while its texts and
 * all definitions stay as they were. */
typedef struct fp_checked_type {
    gpu_type given;
    const void *unit;
    unsigned long generation;
    gpu_type kept;
} fp_checked_type;

struct gpu {
    pthread_mutex_t lock; /* over what changes below, and over all arrays and nodes of this gpu */
    fp_device *device;
    const fp_facts *facts;
    fp_policy policy;
    _Atomic uint64_t host_runs; /* how often something ran on the host */
    fp_kernels kernels;
    fp_snippets snippets;
    gpu_scope root;
    gpu_scope *scopes;     /* the newest open one */
    struct fp_plan *plan;  /* reused by one operation after the other */
    fp_buffer *ticket;     /* zeros that each launch leaves zero */
    fp_flags flags[2];     /* of look-back: words, and pairs of words */
    fp_slab *slabs;        /* of cells */
    struct fp_risk *risks; /* that live */
    fp_checked_type *checked_types;
    size_t checked_count;
    fp_fault *last_fault;
    uint64_t serial;              /* of nodes and launches */
    struct fp_compiled *compiled; /* functions */
    fp_mode mode;
    fp_foreseen counted;                /* while launches are counted, */
    const struct fp_supposed *supposed; /* as if others were computed already */
    bool eager;
    bool verify;        /* what the device computes is compared with what the host does */
    uint64_t checked;   /* operations that were, */
    uint64_t different; /* differences found, */
    uint64_t unchecked; /* and launches that were not compared */
    FILE *trace;
    _Atomic uint64_t live_arrays;
};

/* One public call, from fp_entry_begin to fp_entry_end: holds the gpu's lock until fp_entry_unlock, and is what
 * FIREPILE_TRACE tells about. */
typedef struct fp_entry {
    gpu *g;
    bool locked;
    uint64_t start_ns;
    gpu_stats before;
    uint64_t host_runs; /* before */
} fp_entry;

/* Enters `operation` and locks g (may be NULL). */
fp_entry fp_entry_begin(gpu *g, const char *operation, const gpu_place *place);
void fp_entry_unlock(fp_entry *entry);
/* Locks again what fp_entry_unlock unlocked. */
void fp_entry_relock(fp_entry *entry);
/* Unlocks and traces; returns `status`. */
gpu_status fp_entry_end(fp_entry *entry, gpu_status status);

/* gpu_open_with: the user's cl_context and cl_command_queue. */
gpu *fp_gpu_adopt(void *context, void *queue);

/* GPU_E_ARGUMENT for a NULL gpu, with the reason why this thread's last gpu_open failed. */
gpu_status fp_fail_no_gpu(void);

/* GPU_E_TYPE, GPU_E_LAYOUT or GPU_E_DEVICE unless the device can hold elements of this type. *type becomes the kept
 * one (fp_type_keep): the user's description may be unloaded while arrays of its type live. */
gpu_status fp_gpu_check_type(gpu *g, gpu_type *type);

/* The kept struct type of `count` members v0, v1, ... of type `element` and, if it is `marked`, a uint `kept0`.
 * NULL when memory runs out. */
gpu_type fp_tuple_type(gpu_type element, unsigned count, bool marked);
/* Where `kept0` lies in it. */
size_t fp_tuple_mark(gpu_type element, unsigned count);

/* The struct type of members v0 and w0 of these types and, if `marked`, a uint `mark0`. Likewise. */
gpu_type fp_pair_type(gpu_type v, gpu_type w, bool marked);
/* Where `w0` and `mark0` lie in it. */
size_t fp_pair_second(gpu_type v, gpu_type w);
size_t fp_pair_mark(gpu_type v, gpu_type w);

#endif
