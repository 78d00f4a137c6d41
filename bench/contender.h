/* A contender, from the benchmark's side: the worker that measures it. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include "wire.h"

#include <sys/types.h>

typedef struct contender {
    char program[4096]; /* the benchmark, or that of another build */
    char object[4096];  /* a shared object of peers; "": the library */
    char name[32];      /* in the report */
    const char *device; /* as --device, or NULL */
    int index;          /* among the object's peers */
    int core;           /* of its calls, beside a GPU */
    pid_t pid;          /* of the worker; 0: there is none */
    int socket;
    wire_hello hello;
} contender;

/* The memory that all workers see: elements, and the results of the reference. */
typedef struct shared_bytes {
    int descriptor;
    void *at;
    size_t bytes;
} shared_bytes;

bool shared_open(shared_bytes *s, const char *name);

/* Replaces the memory by `bytes` of it. False if there is not that much. */
bool shared_resize(shared_bytes *s, size_t bytes);

/* Starts a worker and reads its hello. False if it ended before. If the device is a GPU, its calling thread stays on
 * `core`: the host's part of a short call depends on the core. */
bool contender_start(contender *c, const shared_bytes *elements, const shared_bytes *wanted);

/* Asks the worker and waits for its answer. False if the worker ended, or was ended since it hangs. */
bool contender_ask(contender *c, const wire_question *q, wire_answer *a);

/* Ends the worker. False if it crashed, hung, or exited with a failure. */
bool contender_stop(contender *c);

#endif
