/* An open device and everything made on it. */
#ifndef FP_EXPRESSIONS_GPU_H
#define FP_EXPRESSIONS_GPU_H

#include "cl/hold.h"
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

/* The modes of a launch. Only the first one takes memory on the device. */
typedef enum fp_mode {
    FP_MODE_LAUNCHES,
    FP_MODE_BUILDS, /* its kernel is built (Note [rehearsals]) */
    FP_MODE_COUNTS  /* it is counted */
} fp_mode;

/* A computation that was counted, not run. */
typedef struct fp_foreseen {
    bool on_host;
    unsigned launches;
    bool epilogue; /* one of the launches applies maps as it stores */
    bool moves;    /* all elements move several times */
} fp_foreseen;

/* The words of the ticket buffer: tickets, counts of the digits of a key, and one of keys that are not plain. */
enum { FP_TICKETS = 4, FP_DIGITS = 256, FP_ZEROS = FP_TICKETS + 8 * FP_DIGITS + 1 };

/* The status words of tiles. */
typedef struct fp_tile_status {
    fp_buffer *buffer; /* NULL until the first scan */
    uint32_t launches; /* since the words were cleared */
} fp_tile_status;

/* A struct type of a call, which was checked, and the kept type that it stands for. Holds while its texts and all
 * definitions stay the same. */
typedef struct fp_checked_type {
    gpu_type given;
    const void *unit;
    unsigned long generation;
    gpu_type kept;
} fp_checked_type;

struct gpu {
    pthread_mutex_t lock; /* guards the members below, and all arrays and nodes of this gpu */
    fp_device *device;
    const fp_capabilities *capabilities;
    fp_policy policy;
    _Atomic uint64_t host_runs; /* primitives that ran on the host */
    fp_kernels kernels;
    fp_snippets snippets;
    gpu_scope root;
    gpu_scope *scopes;            /* the newest open one */
    struct fp_plan *plan;         /* reused by each operation */
    struct fp_schedule *schedule; /* likewise */
    struct fp_sequence *sequence; /* likewise */
    fp_send send;                 /* sends the launches that are held back; NULL: none are */
    struct fp_node *dropped;      /* nodes that are being dropped, while `drops` is set */
    bool drops;
    fp_buffer *ticket;             /* zeros that each launch leaves zero */
    fp_tile_status tile_status[2]; /* for look-back: words, and pairs of words */
    fp_slab *slabs;                /* of counters */
    struct fp_deferred *deferred;  /* all that live */
    fp_checked_type *checked_types;
    size_t checked_count;
    fp_fault *last_fault;
    uint64_t serial;              /* of nodes and launches */
    struct fp_compiled *compiled; /* functions */
    fp_mode mode;
    fp_foreseen counted;                /* while launches are counted */
    const struct fp_supposed *supposed; /* while launches are counted: nodes that count as computed */
    bool eager;
    bool verify;        /* results of the device are compared with the host's */
    uint64_t checked;   /* primitives that were compared */
    uint64_t different; /* differences found */
    uint64_t unchecked; /* launches that were not compared */
    FILE *trace;
    _Atomic uint64_t live_arrays;
};

#endif
