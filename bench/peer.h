/* What the benchmark asks of an alternative, in C, C++ or CUDA. Each file in bench/peers becomes a shared object that
 * the benchmark loads if it could be built. A peer gets the elements of one operation and prepares as it likes, outside
 * the timing. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_job {
    const char *op; /* the names of a bench_op and of its element type */
    const char *type;
    size_t n;
    size_t element;         /* bytes */
    const void *elements;   /* on the host */
    cl_mem buffer;          /* the same on the device, from the buffer's start on */
    cl_command_queue queue; /* of the device */
} bench_job;

/* An operation that is ready to run. False means that it failed. */
typedef struct bench_trial bench_trial;
struct bench_trial {
    bool (*run)(bench_trial *trial);             /* until the value, or the finished array's length, is on the host */
    bool (*read)(bench_trial *trial, void *out); /* copies what the last run made */
    void (*free)(bench_trial *trial);
};

typedef struct bench_peer {
    const char *name;
    bool (*usable)(cl_device_id device);         /* NULL: always */
    bench_trial *(*start)(const bench_job *job); /* NULL if the peer does not have the operation */
    /* Writes for which architecture the peer was built; false if it is not that of the device. NULL: there is one. */
    bool (*built_for)(char *text, size_t bytes);
} bench_peer;

/* The peers of a shared object; the last one has no name. */
extern const bench_peer bench_peers[];

#ifdef __cplusplus
}
#endif
#endif
