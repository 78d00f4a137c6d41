#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"

#include <string.h>

/* Note [scans in runs]: the error of a long sum in a row grows with the number of elements, that of a device with its
 * logarithm. So scans that round combine runs of RUN elements, and then each run with the value of all before it. */
enum { RUN = 4 * FP_BLOCK };

typedef struct scan {
    fp_applied applied;
    size_t size;
    size_t run; /* results that are combined in a row */
    const void *start;
    unsigned char *out; /* of the first result that is an element's */
    size_t count;       /* of those */
} scan;

/* Computes each result of a run from the one before it and an element. */
static gpu_status scan_runs(const scan *s, fp_node *node)
{
    fp_walk walk;
    fp_block block;
    unsigned char *to = s->out;
    gpu_status status = fp_walk_begin(&walk, node);
    for (size_t at = 0, count; !status && fp_walk_next(&walk, &block); at += count, to += count * s->size) {
        count = block.count < s->count - at ? block.count : s->count - at;
        const bool begins = at % s->run == 0 && !(s->start && at == 0), used = begins && count;
        if (used) memcpy(to, block.elements, s->size);
        fp_apply(&s->applied, &(fp_stretch){.out = to + used * s->size,
                                            .out_stride = s->size,
                                            .in = {to + used * s->size - s->size, block.elements + used * s->size},
                                            .stride = {s->size, s->size},
                                            .count = count - used});
    }
    fp_walk_end(&walk);
    return status;
}

/* Combines each run with the last result before it. */
static gpu_status join_runs(const scan *s)
{
    unsigned char *room = s->count > s->run ? fp_alloc_array(s->run, s->size) : NULL;
    if (s->count > s->run && !room) return fp_fail_memory();
    for (size_t at = s->run; at < s->count; at += s->run) {
        unsigned char *to = s->out + at * s->size;
        const size_t count = s->count - at < s->run ? s->count - at : s->run;
        memcpy(room, to, count * s->size);
        fp_apply(
            &s->applied,
            &(fp_stretch){
                .out = to, .out_stride = s->size, .in = {to - s->size, room}, .stride = {0, s->size}, .count = count});
    }
    fp_free(room);
    return GPU_OK;
}

/* An exclusive scan begins with the start, and has no result behind the last element. */
gpu_status fp_host_scan(const fp_request *r)
{
    fp_node *node = r->input.node;
    const size_t n = fp_node_most(node), size = node->type->size;
    scan s = {.applied = fp_applied_to_two(r->ops[0], node->type), .size = size, .start = r->start};
    s.run = fp_type_rounds(node->type) && n > RUN ? RUN : n + 1;
    s.out = (unsigned char *)fp_output_memory(r, 0) + (r->start ? size : 0);
    s.count = r->start ? n - 1 : n;
    gpu_status status = fp_apply_begin(&s.applied);
    if (status) return status;
    if (r->start) memcpy(s.out - size, r->start, size);
    status = scan_runs(&s, node);
    if (!status) status = join_runs(&s);
    fp_apply_end(&s.applied);
    return status;
}
