/** Matrices: rows and columns of elements.
 *
 * A gpu_matrix is a value, as a gpu_array is: no operation changes it. It is an array, gpu_matrix_array, with a number
 * of rows and one of columns; the elements stand row by row. Rows and columns count from 0.
 *
 * Types     any element type. Both matrices of gpu_matrix_multiply have one type. GPU_FLOAT2 and GPU_DOUBLE2 are
 *           complex numbers, x + iy, in gpu_matrix_multiply, _apply, _conjugate_transpose, _solve, _inverse and
 *           _determinant. Other vectors are GPU_E_TYPE there.
 * Shape     the host knows it. A matrix may have no rows or no columns.
 * Snippet   of gpu_matrix_map and its kin: x (y), the elements; row and column, their place; and i, which is row *
 *           columns + column; all three are ulongs. Functions take x (y) first, then any of row, column and i.
 * Cost      maps are delayed as gpu_map is. So are views: gpu_matrix_transpose, _flip_rows, _flip_columns, _block,
 *           _row, _column and _diagonal copy nothing, and are fused into what follows. A view of a view is one view.
 * Owner     the scope, as of an array (firepile/array.h).
 * Errors    as those of arrays: a failed matrix is in error, which passes on to all that is made from it. NULL counts
 *           as in error. GPU_E_ARGUMENT for shapes that do not fit, GPU_E_RANGE for rows and columns that do not exist,
 *           GPU_E_TYPE, GPU_E_SNIPPET, GPU_E_MEMORY, an input's failure.
 * Compiled  gpu_matrix_from makes a matrix of a symbol. gpu_compile and gpu_explain take gpu_matrix_array(m).
 * Source    GPUMatrix: GPU Parallel Collections for Scala, appendix A.
 *
 * Example
 *     float values[] = {1, 2, 3, 4, 5, 6};
 *     gpu_matrix *m = gpu_matrix_of(g, values, 2, 3), *t = gpu_matrix_transpose(m);
 *     gpu_matrix *above = gpu_matrix_map(m, "row < column ? x : 0");
 *     gpu_matrix *sum = gpu_matrix_map2(m, above, "x + y"), *corner = gpu_matrix_block(sum, 0, 1, 2, 2);
 *     gpu_matrix *blurred = gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "(at(0, -1) + at(0, 0) + at(0, 1)) / 3");
 *     gpu_array *first = gpu_matrix_apply(corner, gpu_matrix_column(corner, 0));
 *     gpu_matrix *product = gpu_matrix_multiply(m, t), *paths = gpu_matrix_multiply_by(m, t, "x + y", "fmin(a, b)");
 *     gpu_matrix *solution = gpu_matrix_solve(product, m);
 *     float transposed[6], two[2], d;
 *     if (gpu_matrix_read(t, transposed) || gpu_read(first, two) || gpu_matrix_determinant(product, &d) ||
 *         gpu_matrix_read(solution, values))
 *         fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_MATRIX_H
#define FIREPILE_MATRIX_H

#include <firepile/operator.h>
#include <firepile/stencil.h>

GPU_BEGIN_DECLS

typedef struct gpu_matrix gpu_matrix;

/** A matrix of rows * columns elements, copied from `data`, whose pointer has their type. For a struct, give
 * gpu_matrix_from an array of gpu_array_from. */
#define gpu_matrix_of(g, data, rows, columns) gpu_matrix_of_op((g), GPU_VALUE_(data), (rows), (columns), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_of_op(gpu *g, const gpu_value *data, size_t rows, size_t columns,
                                     const gpu_place *place);

/** The elements of an array, row by row. Copies nothing. Waits only if the device alone knows the array's length.
 * Errors    GPU_E_ARGUMENT unless the array has rows * columns elements. */
#define gpu_matrix_from(a, rows, columns) gpu_matrix_from_op((a), (rows), (columns), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_from_op(const gpu_array *a, size_t rows, size_t columns, const gpu_place *place);

/** n rows and columns, 1 on the diagonal and 0 elsewhere. Delayed.
 * Errors    GPU_E_TYPE unless `type` is a scalar. */
#define gpu_matrix_identity(g, type, n) gpu_matrix_identity_op((g), (type), (n), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_identity_op(gpu *g, gpu_type type, size_t n, const gpu_place *place);

/** The elements, row by row. They are not copied. The array of a matrix in error is in error too. */
GPU_API gpu_array *gpu_matrix_array(const gpu_matrix *m);

/** The shape; 0 for a matrix in error (gpu_error() then says why). Never waits. */
GPU_API size_t gpu_matrix_rows(const gpu_matrix *m);
GPU_API size_t gpu_matrix_columns(const gpu_matrix *m);

/** Copies all elements to `out`, row by row, as gpu_read does. */
#define gpu_matrix_read(m, ...) gpu_matrix_read_op((m), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_matrix_read_op(const gpu_matrix *m, const gpu_output *out, const gpu_place *place);

/** gpu_matrix_map(m, op, captures...) */
#define gpu_matrix_map(m, ...) gpu_matrix_map_to_((m), NULL, __VA_ARGS__, NULL)
/** gpu_matrix_map_to(m, type, op, captures...): a map that changes the element type */
#define gpu_matrix_map_to(m, type, ...) gpu_matrix_map_to_((m), (type), __VA_ARGS__, NULL)
#define gpu_matrix_map_to_(m, type, op, ...) gpu_matrix_map_op(m, type, GPU_OPERATOR_(op, __VA_ARGS__))
/** A NULL `type` means that of the elements. */
GPU_API gpu_matrix *gpu_matrix_map_op(const gpu_matrix *m, gpu_type type, const gpu_operator *op);

/** gpu_matrix_map2(a, b, op, captures...): of two matrices of one shape. The result has the element type of `a`. */
#define gpu_matrix_map2(a, b, ...) gpu_matrix_map2_((a), (b), __VA_ARGS__, NULL)
#define gpu_matrix_map2_(a, b, op, ...) gpu_matrix_map2_op(a, b, NULL, GPU_OPERATOR_(op, __VA_ARGS__))
/** A NULL `type` means that of the elements of `a`. */
GPU_API gpu_matrix *gpu_matrix_map2_op(const gpu_matrix *a, const gpu_matrix *b, gpu_type type, const gpu_operator *op);

/** gpu_matrix_map_lower(m, op, captures...): op of the elements with column <= row, the lower triangle with its
 * diagonal. The others stay. */
#define gpu_matrix_map_lower(m, ...) gpu_matrix_map_lower_((m), __VA_ARGS__, NULL)
#define gpu_matrix_map_lower_(m, op, ...) gpu_matrix_map_lower_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_map_lower_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_map_upper(m, op, captures...): the same with column >= row. */
#define gpu_matrix_map_upper(m, ...) gpu_matrix_map_upper_((m), __VA_ARGS__, NULL)
#define gpu_matrix_map_upper_(m, op, ...) gpu_matrix_map_upper_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_map_upper_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_map_diagonal(m, op, captures...): the same with column == row. */
#define gpu_matrix_map_diagonal(m, ...) gpu_matrix_map_diagonal_((m), __VA_ARGS__, NULL)
#define gpu_matrix_map_diagonal_(m, op, ...) gpu_matrix_map_diagonal_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_map_diagonal_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_map_antidiagonal(m, op, captures...): the same with row + column == columns - 1, the diagonal from the
 * top right corner down. */
#define gpu_matrix_map_antidiagonal(m, ...) gpu_matrix_map_antidiagonal_((m), __VA_ARGS__, NULL)
#define gpu_matrix_map_antidiagonal_(m, op, ...) gpu_matrix_map_antidiagonal_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_map_antidiagonal_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_stencil(m, radius, edge, op, captures...): op of each element and its neighbours, as gpu_stencil
 * (firepile/stencil.h). Delayed; delayed operators on `m` are computed first, and so are views.
 * Snippet   at(dy, dx): the neighbour at row + dy and column + dx, for ints from -radius to radius; row, column and i.
 *           A GPU_FUNCTION takes `const float *near` first, or its like, and `int stride` (or size_t) by its name:
 *           the neighbour is near[dy * stride + dx]. It may also take row, column, i and captured values.
 * Edges     those of gpu_stencil, for the row and for the column of the neighbour.
 * Errors    as gpu_stencil's. The neighbourhood of a function, (2 * radius + 1)^2 elements, has at most 4096 bytes. */
#define gpu_matrix_stencil(m, radius, edge, ...) gpu_matrix_stencil_((m), (radius), (edge), __VA_ARGS__, NULL)
#define gpu_matrix_stencil_(m, radius, edge, op, ...)                                                                  \
    gpu_matrix_stencil_op(m, radius, edge, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_stencil_op(const gpu_matrix *m, size_t radius, const gpu_edge *edge,
                                          const gpu_operator *op);

/** Rows become columns: element (row, column) is element (column, row) of `m`. */
#define gpu_matrix_transpose(m) gpu_matrix_transpose_op((m), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_transpose_op(const gpu_matrix *m, const gpu_place *place);

/** The transpose, and each element its complex conjugate. The transpose of a matrix of scalars. Delayed.
 * Errors    GPU_E_TYPE unless the elements are scalars or complex numbers. */
#define gpu_matrix_conjugate_transpose(m) gpu_matrix_conjugate_transpose_op((m), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_conjugate_transpose_op(const gpu_matrix *m, const gpu_place *place);

/** The rows from the last to the first: top becomes bottom. */
#define gpu_matrix_flip_rows(m) gpu_matrix_flip_rows_op((m), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_flip_rows_op(const gpu_matrix *m, const gpu_place *place);

/** The columns from the last to the first: left becomes right. */
#define gpu_matrix_flip_columns(m) gpu_matrix_flip_columns_op((m), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_flip_columns_op(const gpu_matrix *m, const gpu_place *place);

/** gpu_matrix_block(m, row, column, rows, columns): the part of m that begins at this row and column, with `rows` rows
 * and `columns` columns. */
#define gpu_matrix_block(m, row, column, rows, columns)                                                                \
    gpu_matrix_block_op((m), (row), (column), (rows), (columns), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_block_op(const gpu_matrix *m, size_t row, size_t column, size_t rows, size_t columns,
                                        const gpu_place *place);

/** The elements of row i. */
#define gpu_matrix_row(m, i) gpu_matrix_row_op((m), (i), GPU_HERE)
GPU_API gpu_array *gpu_matrix_row_op(const gpu_matrix *m, size_t i, const gpu_place *place);

/** The elements of column j. */
#define gpu_matrix_column(m, j) gpu_matrix_column_op((m), (j), GPU_HERE)
GPU_API gpu_array *gpu_matrix_column_op(const gpu_matrix *m, size_t j, const gpu_place *place);

/** The elements (k, k), as many as the smaller of rows and columns. */
#define gpu_matrix_diagonal(m) gpu_matrix_diagonal_op((m), GPU_HERE)
GPU_API gpu_array *gpu_matrix_diagonal_op(const gpu_matrix *m, const gpu_place *place);

/** gpu_matrix_multiply(a, b): element (row, column) is the sum of the products of row `row` of `a` and column `column`
 * of `b`. Computed by this call: maps and views of both are fused into it.
 * Cost      one launch, that reads tiles. Sums are in the order of the inner index on every device. Real floats have
 *           the bits of a loop in C that adds each product but the first by fma. An inner dimension of 0 gives zeros.
 * Errors    GPU_E_ARGUMENT unless `a` has as many columns as `b` has rows. GPU_E_TYPE unless both have one type, of
 *           scalars or complex numbers. */
#define gpu_matrix_multiply(a, b) gpu_matrix_multiply_op((a), (b), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_multiply_op(const gpu_matrix *a, const gpu_matrix *b, const gpu_place *place);

/** gpu_matrix_multiply_by(a, b, map, combine, captures...): the same by any two operators, of elements of any one type.
 * `map` takes x and y, an element of `a` and one of `b`; `combine` takes a and b, two values of `map`. Both share the
 * captures. Values are combined in the order of the inner index, so `combine` need neither commute nor be associative.
 * Errors    GPU_E_EMPTY if the inner dimension is 0, unless `combine` has a known identity. */
#define gpu_matrix_multiply_by(a, b, ...) gpu_matrix_multiply_by_((a), (b), __VA_ARGS__, NULL)
#define gpu_matrix_multiply_by_(a, b, map, combine, ...)                                                               \
    gpu_matrix_multiply_by_op(a, b, GPU_OPERATOR_(map, __VA_ARGS__), GPU_OPERATOR_(combine, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_multiply_by_op(const gpu_matrix *a, const gpu_matrix *b, const gpu_operator *map,
                                              const gpu_operator *combine);

/** gpu_matrix_apply(m, v): the product of a matrix and a vector, one element a row. As gpu_matrix_multiply of a matrix
 * of one column, but products are rounded before they are added, and a GPU combines those of a row as
 * gpu_matrix_reduce_rows does.
 * Errors    GPU_E_ARGUMENT unless the array has an element for each column. */
#define gpu_matrix_apply(m, v) gpu_matrix_apply_op((m), (v), GPU_HERE)
GPU_API gpu_array *gpu_matrix_apply_op(const gpu_matrix *m, const gpu_array *v, const gpu_place *place);

/** gpu_matrix_cross(a, b): the cross product of each row of `a` with that row of `b`, vectors of three. Delayed, but
 * `a` and `b` are stored first.
 * Errors    GPU_E_ARGUMENT unless both have three columns and equally many rows. GPU_E_TYPE unless both have one scalar
 *           type. */
#define gpu_matrix_cross(a, b) gpu_matrix_cross_op((a), (b), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_cross_op(const gpu_matrix *a, const gpu_matrix *b, const gpu_place *place);

/** gpu_matrix_solve(m, b): the x whose product gpu_matrix_multiply(m, x) is b. `m` is a square matrix. Each column of
 * `b` is a right side, and becomes a column of x. Computed by this call: LU factors with partial pivoting, by panels of
 * 64 columns. Float, double, and their complex numbers.
 * Cost      no wait. Five launches for up to 64 rows, and about eight more for each further 64. Most of the time of a
 *           large system is in gpu_matrix_multiply. Device memory for three times the elements of `m` and `b`.
 * Errors    GPU_E_ARGUMENT unless `m` is square and `b` has as many rows. GPU_E_TYPE for other types. A singular matrix
 *           is GPU_E_ARGUMENT, which names the first column without a pivot; a read reports it, since only the device
 *           knows. A matrix that is close to a singular one is no error.
 * Source    Golub and Van Loan: Matrix Computations, 3.2 to 3.4. */
#define gpu_matrix_solve(m, b) gpu_matrix_solve_op((m), (b), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_solve_op(const gpu_matrix *m, const gpu_matrix *b, const gpu_place *place);

/** The inverse: gpu_matrix_solve with the identity as right sides. Prefer gpu_matrix_solve, which is faster and more
 * accurate. */
#define gpu_matrix_inverse(m) gpu_matrix_inverse_op((m), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_inverse_op(const gpu_matrix *m, const gpu_place *place);

/** gpu_matrix_determinant(m, &d): the determinant, of the elements' type. It is 0 if a column has no pivot, and 1 if
 * there are no rows. Computed and read by this call, with one wait.
 * Cost      the launches of gpu_matrix_solve without right sides.
 * Errors    as gpu_matrix_solve, but a singular matrix is none. */
#define gpu_matrix_determinant(m, ...) gpu_matrix_determinant_op((m), GPU_OUTPUT_((__VA_ARGS__)), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_matrix_determinant_op(const gpu_matrix *m, const gpu_output *out,
                                                         const gpu_place *place);

/** gpu_matrix_reduce_rows(m, op, captures...): one value a row, combined in order. Delayed. As gpu_block_reduce: up to
 * 32 elements that may round are combined from left to right.
 * Errors    GPU_E_EMPTY if rows have no elements, unless op has a known identity. */
#define gpu_matrix_reduce_rows(m, ...) gpu_matrix_reduce_rows_((m), __VA_ARGS__, NULL)
#define gpu_matrix_reduce_rows_(m, op, ...) gpu_matrix_reduce_rows_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_matrix_reduce_rows_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_reduce_columns(m, op, captures...): one value a column, combined in order from the top down. Delayed. Up
 * to 32 rows that may round are combined one after the other. The matrix is read row by row, without a transpose.
 * Errors    as gpu_matrix_reduce_rows, if columns have no elements. */
#define gpu_matrix_reduce_columns(m, ...) gpu_matrix_reduce_columns_((m), __VA_ARGS__, NULL)
#define gpu_matrix_reduce_columns_(m, op, ...) gpu_matrix_reduce_columns_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_matrix_reduce_columns_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_scan_rows(m, op, captures...): the running combinations of each row (firepile/scan.h). Computed by this
 * call, as gpu_scan_by_key. */
#define gpu_matrix_scan_rows(m, ...) gpu_matrix_scan_rows_((m), __VA_ARGS__, NULL)
#define gpu_matrix_scan_rows_(m, op, ...) gpu_matrix_scan_rows_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_scan_rows_op(const gpu_matrix *m, const gpu_operator *op);

/** gpu_matrix_scan_columns(m, op, captures...): the running combinations of each column, from the top down. */
#define gpu_matrix_scan_columns(m, ...) gpu_matrix_scan_columns_((m), __VA_ARGS__, NULL)
#define gpu_matrix_scan_columns_(m, op, ...) gpu_matrix_scan_columns_op(m, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_scan_columns_op(const gpu_matrix *m, const gpu_operator *op);

/** Sorts each row, in the elements' own order (firepile/sort.h). Computed by this call, by two gpu_sort_pairs.
 * Errors    GPU_E_TYPE unless the elements are scalars. */
#define gpu_matrix_sort_rows(m) gpu_matrix_sort_rows_op((m), GPU_HERE)
GPU_API gpu_matrix *gpu_matrix_sort_rows_op(const gpu_matrix *m, const gpu_place *place);

/** gpu_matrix_outer(a, b, op, captures...): op of every element x of the array `a` and every y of `b`: element (row,
 * column) has a[row] and b[column]. The result has the element type of `a`. Delayed. Waits only if the device alone
 * knows a length. Symbols are GPU_E_ARGUMENT, since their lengths come later. */
#define gpu_matrix_outer(a, b, ...) gpu_matrix_outer_((a), (b), __VA_ARGS__, NULL)
#define gpu_matrix_outer_(a, b, op, ...) gpu_matrix_outer_op(a, b, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_matrix *gpu_matrix_outer_op(const gpu_array *a, const gpu_array *b, const gpu_operator *op);

/** Computes the elements into a buffer now. Returns `m`, which is in error on failure. Does not wait for the device. */
GPU_API gpu_matrix *gpu_matrix_eval(gpu_matrix *m);

/** GPU_OK, or the failure a matrix carries; never waits. */
GPU_API gpu_status gpu_matrix_status(const gpu_matrix *m);

/** The text of the failure a matrix carries; "" if there is none. Valid until the matrix is freed. */
GPU_API const char *gpu_matrix_error(const gpu_matrix *m);

/** Frees `m` early. Arrays and matrices made from it stay valid. NULL is fine. */
GPU_API void gpu_matrix_free(gpu_matrix *m);

/** Moves `m` to the scope around its own, or to its gpu, so that it outlives its scope. Returns `m`. */
GPU_API gpu_matrix *gpu_matrix_keep(gpu_matrix *m);

/** Carries a matrix from one step of a loop to the next, as gpu_replace carries an array. */
GPU_API gpu_matrix *gpu_matrix_replace(gpu_matrix **u, gpu_matrix *v);

GPU_END_DECLS
#endif
