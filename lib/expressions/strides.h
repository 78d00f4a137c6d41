/* Views of matrices: element (row, column) of a view is element first + row * row_step + column * column_step of
 * another array. Steps may be negative, modulo the range of size_t. */
#ifndef FP_EXPRESSIONS_STRIDES_H
#define FP_EXPRESSIONS_STRIDES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fp_strides {
    size_t columns; /* of the view; elements are numbered row by row */
    size_t first, row_step, column_step;
} fp_strides;

/* The place of element i of a view that has columns. */
static inline size_t fp_strides_place(const fp_strides *s, size_t i)
{
    return s->first + i / s->columns * s->row_step + i % s->columns * s->column_step;
}

/* Are the elements neighbours in the other array, in the same order? */
bool fp_strides_are_run(const fp_strides *s, size_t rows);

/* A view of a view as one. `inner` has `inner_rows` rows. Not all have such a form: false. */
bool fp_strides_compose(const fp_strides *outer, size_t rows, const fp_strides *inner, size_t inner_rows,
                        fp_strides *out);

#endif
