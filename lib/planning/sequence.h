/* Launches of short arrays that follow one another: they are held back, and become one launch. */
#ifndef FP_PLANNING_SEQUENCE_H
#define FP_PLANNING_SEQUENCE_H

#include "expressions/node.h"

typedef struct fp_sequence fp_sequence;

/* A launch of a built kernel. */
typedef struct fp_launch {
    fp_built *built;
    const fp_arg *args;
    unsigned count;
    size_t groups, group_size;
} fp_launch;

/* Launches, or holds the launch back if it computes a short array, of `length` elements. */
gpu_status fp_sequence_launch(gpu *g, const fp_launch *launch, size_t length);

/* A launch computes the node: if it is held back and fails, the node carries the fault. */
void fp_sequence_made(fp_node *node);

/* Sends the launches that are held as one, which copies `bytes` of a buffer for the host in the end. Returns a buffer
 * that begins with them, and whose download waits for them. NULL: no launch was held, or they stayed apart. */
fp_buffer *fp_sequence_show(gpu *g, fp_buffer *from, size_t offset, size_t bytes);

void fp_sequence_free(gpu *g);

#endif
