/* Matrices as handles, and calls that make them. The gpu is locked throughout. */
#ifndef FP_COLLECTIONS_MATRIX_H
#define FP_COLLECTIONS_MATRIX_H

#include "arrays/array.h"

#include <firepile/matrix.h>

struct gpu_matrix {
    gpu_array array; /* the handle, which a scope owns: the elements, row by row */
    size_t rows, columns;
};

/* Makes the failure that a matrix carries this thread's failure again; GPU_OK if there is none. NULL and symbols are
 * GPU_E_ARGUMENT. `which` names the parameter. */
gpu_status fp_matrix_check(const gpu_matrix *m, const char *which);

/* The gpu of a matrix; NULL if it has none. */
gpu *fp_matrix_gpu(const gpu_matrix *m);

/* Adds a matrix to the inputs of a task; failures name it. A second one must be of the gpu of the first. */
gpu_status fp_matrix_input(fp_task *task, const gpu_matrix *m, const char *which);

/* The number of elements; GPU_E_ARGUMENT if it is too large. */
gpu_status fp_matrix_length(size_t rows, size_t columns, size_t *length);

/* GPU_E_TYPE unless the elements of 'a' and 'b' have one type. */
gpu_status fp_matrix_same_type(const fp_task *task);

/* Ends a task and its call. The result has the first input's type unless the task says otherwise. */
gpu_matrix *fp_matrix_end(fp_entry *entry, fp_task *task, gpu_status status, size_t rows, size_t columns);

/* The operator of a product of numbers: "a + b" with the map "x * y", or that of complex numbers. GPU_E_TYPE. */
gpu_status fp_matrix_sum_of_products(gpu *g, gpu_type type, fp_operator **out);

/* The matrix with rows and columns swapped; NULL on failure. */
fp_node *fp_matrix_transposed(fp_node *node, size_t rows, size_t columns);

#endif
