// lint:
// lint: FP_FUSED=1
// out[i][j] = the combination of fp_product(a[i][k], b[k][j]) for all k, in order. Rows, columns and k are not 0.
//   FP_DEPTH=32    values of k of a tile
//   FP_COLUMNS=64  columns of a tile
//   FP_ROWS=64     rows of a tile
//   FP_VECTOR=16   elements of a vector; 0: as many as the compiler likes
// and the slot of block/product.cl.
#if !FP_DEPTH || !FP_COLUMNS || !FP_ROWS || !defined(FP_VECTOR)
#error "multiply.cl needs FP_DEPTH, FP_COLUMNS, FP_ROWS and FP_VECTOR on a CPU"
#endif
#include "block/product.cl"

// Appends FP_UNROLL values of k to a row of totals, which stay in registers meanwhile. The loop along the row of b
// becomes vectors. On their own compilers take half of the widest ones.
#define FP_UNROLL 4
#if FP_VECTOR && defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // some operators have no vectors
#define FP_VECTORS_OF_ROW _Pragma("clang loop vectorize_width(FP_VECTOR)")
#else
#define FP_VECTORS_OF_ROW
#endif
#define FP_APPEND(n)                                                                                                   \
    {                                                                                                                  \
        FP_T x[n];                                                                                                     \
        for (uint u = 0; u < n; u++) x[u] = fp_load_a((row + r) * inner + first + k + u);                              \
        FP_VECTORS_OF_ROW for (uint c = 0; c < FP_COLUMNS; c++)                                                        \
        {                                                                                                              \
            FP_T v = total[r][c];                                                                                      \
            _Pragma("unroll") for (uint u = 0; u < n; u++) v = FP_ADD_PRODUCT(v, x[u], b[k + u][c]);                   \
            total[r][c] = v;                                                                                           \
        }                                                                                                              \
    }

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_multiply(FP_PARAMS, const ulong rows, const ulong inner, const ulong columns, __global FP_T *restrict out)
{
    const ulong across = (columns + FP_COLUMNS - 1) / FP_COLUMNS;
    const ulong row = get_group_id(0) / across * FP_ROWS, column = get_group_id(0) % across * FP_COLUMNS;
    const uint height = min((ulong)FP_ROWS, rows - row), width = min((ulong)FP_COLUMNS, columns - column);
    FP_T total[FP_ROWS][FP_COLUMNS], b[FP_DEPTH][FP_COLUMNS];
    for (ulong first = 0; first < inner; first += FP_DEPTH) {
        const uint depth = min((ulong)FP_DEPTH, inner - first);
        for (uint k = 0; k < depth; k++) {
            for (uint c = 0; c < width; c++) b[k][c] = fp_load_b((first + k) * columns + column + c);
            for (uint c = width; c < FP_COLUMNS; c++) b[k][c] = b[k][0];
        }
        for (uint r = 0; r < height; r++) {
            uint k = 0;
            if (first == 0) {
                const FP_T x = fp_load_a((row + r) * inner);
                for (uint c = 0; c < FP_COLUMNS; c++) total[r][c] = fp_product(x, b[0][c]);
                k = 1;
            }
            for (; k + FP_UNROLL <= depth; k += FP_UNROLL) FP_APPEND(FP_UNROLL)
            for (; k < depth; k++) FP_APPEND(1)
        }
    }
    for (uint r = 0; r < height; r++)
        for (uint c = 0; c < width; c++) out[(row + r) * columns + column + c] = total[r][c];
}
