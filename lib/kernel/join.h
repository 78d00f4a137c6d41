/* Programs that are parts of another one, whose kernel calls theirs, one after the other. */
#ifndef FP_KERNEL_JOIN_H
#define FP_KERNEL_JOIN_H

#include "kernel/source.h"

/* A program as a part. In its texts a byte stands for the part's number, behind each name that other parts may have. */
typedef struct fp_joinable {
    fp_text text;
    fp_text parameters; /* of its kernel */
    fp_text arguments;  /* the same, to pass them on */
    fp_text function;   /* its kernel */
} fp_joinable;

/* Reads a program with the kernel `function`. *out is empty if it cannot be a part: then its kernel has parameters that
 * cannot be read here, or a function of it asks for the number of work-groups. */
void fp_joinable_read(const fp_source *source, const char *function, fp_joinable *out);
void fp_joinable_free(fp_joinable *joinable);

static inline bool fp_joinable_empty(const fp_joinable *joinable)
{
    return !joinable->text.length;
}

/* Writes a program whose kernel, fp_joined, runs the parts. It has the parameters of each part, and behind them the
 * number of the part's work-groups. The last ones are those of fp_show (kernels/block/meet.cl), and if `meets` those of
 * fp_meet. Else the launch has one work-group. */
gpu_status fp_programs_join(const fp_joinable *const *parts, unsigned count, size_t group_size, bool meets,
                            fp_source *out);

#endif
