/* An open device and everything made on it. */
#ifndef FP_EXPRESSIONS_GPU_H
#define FP_EXPRESSIONS_GPU_H

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
typedef struct fp_tile_status {
    fp_buffer *buffer; /* NULL until the first scan */
    uint32_t launches; /* since the words were cleared */
} fp_tile_status;

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
    const fp_capabilities *capabilities;
    fp_policy policy;
    _Atomic uint64_t host_runs; /* how often something ran on the host */
    fp_kernels kernels;
    fp_snippets snippets;
    gpu_scope root;
    gpu_scope *scopes;            /* the newest open one */
    struct fp_plan *plan;         /* reused by one operation after the other, */
    struct fp_schedule *schedule; /* like this */
    struct fp_node *dropped;      /* nodes that are dropped, while `drops` is set */
    bool drops;
    fp_buffer *ticket;             /* zeros that each launch leaves zero */
    fp_tile_status tile_status[2]; /* of look-back: words, and pairs of words */
    fp_slab *slabs;                /* of counters */
    struct fp_deferred *deferred;  /* that live */
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

#endif
