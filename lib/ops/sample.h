/* A sample: elements spread over an array, on which laws are tried. */
#ifndef FP_OPS_SAMPLE_H
#define FP_OPS_SAMPLE_H

#include "arrays/array.h"
#include "kernel/value.h"

typedef struct fp_sample {
    fp_node *node;           /* a buffer */
    size_t length;           /* of it */
    size_t stride;           /* element k of it is element k * stride of the array */
    fp_value_layout *layout; /* of elements, once they are read */
    unsigned char *elements;
} fp_sample;

/* Takes at most so many elements; all of a shorter array. */
gpu_status fp_sample_take(fp_node *node, size_t most, fp_sample *out);
/* Brings them to the host; there are some. */
gpu_status fp_sample_read(fp_sample *sample);
/* Takes one that is zero, or whose making failed, too. */
void fp_sample_drop(fp_sample *sample);

/* Writes the elements at these places, once they are read: "a = 3 (element 0), b = 1 (element 7)". */
void fp_sample_name(const fp_sample *sample, const size_t *places, unsigned count, fp_text *out);

#endif
