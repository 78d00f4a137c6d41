// lint: FP_CPU=0 FP_DEPTH=16
// lint: FP_CPU=1
// out[i][j] = the combination of fp_product(a[i][k], b[k][j]) for all k, in order. Rows, columns and k are not 0.
//   FP_DEPTH=32    values of k of a tile
//   FP_COLUMNS=64  CPU: columns of a tile
//   FP_ROWS=64     CPU: rows of a tile
//   FP_VECTOR=16   CPU: elements of a vector; 0: as many as the compiler likes
//   FP_SIDE=16     GPU: work-items along each side of a tile
//   FP_RESULTS=4   GPU: a work-item computes FP_RESULTS * FP_RESULTS elements
#if !defined(FP_CPU) || !FP_DEPTH || (FP_CPU && !(FP_COLUMNS && FP_ROWS && defined(FP_VECTOR))) ||                     \
    (!FP_CPU && !(FP_SIDE && FP_RESULTS))
#error "multiply.cl needs FP_DEPTH; FP_COLUMNS, FP_ROWS and FP_VECTOR on a CPU; FP_SIDE and FP_RESULTS on a GPU"
#endif

#if FP_CPU
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
            _Pragma("unroll") for (uint u = 0; u < n; u++) v = fp_op(v, fp_product(x[u], b[k + u][c]));                \
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
#else
#define FP_TILE (FP_SIDE * FP_RESULTS)
#define FP_EACH                                                                                                        \
    _Pragma("unroll") for (uint r = 0; r < FP_RESULTS; r++) _Pragma("unroll") for (uint c = 0; c < FP_RESULTS; c++)

// Appends one value of k to the elements of a work-item.
#define FP_APPEND(k)                                                                                                   \
    {                                                                                                                  \
        FP_T x[FP_RESULTS], y[FP_RESULTS];                                                                             \
        _Pragma("unroll") for (uint r = 0; r < FP_RESULTS; r++) x[r] = a[down + r * FP_SIDE][k];                       \
        _Pragma("unroll") for (uint c = 0; c < FP_RESULTS; c++) y[c] = b[k][right + c * FP_SIDE];                      \
        FP_EACH total[r][c] = fp_op(total[r][c], fp_product(x[r], y[c]));                                              \
    }

// Elements outside of the matrices stand for their last ones, and are not stored.
__kernel __attribute__((reqd_work_group_size(FP_SIDE * FP_SIDE, 1, 1))) void
fp_multiply(FP_PARAMS, const ulong rows, const ulong inner, const ulong columns, __global FP_T *restrict out)
{
    __local FP_T a[FP_TILE][FP_DEPTH], b[FP_DEPTH][FP_TILE];
    const ulong across = (columns + FP_TILE - 1) / FP_TILE;
    const ulong row = get_group_id(0) / across * FP_TILE, column = get_group_id(0) % across * FP_TILE;
    const uint item = get_local_id(0), down = item / FP_SIDE, right = item % FP_SIDE;
    FP_T total[FP_RESULTS][FP_RESULTS];
    FP_EACH total[r][c] = fp_product(fp_load_a(min(row + down + r * FP_SIDE, rows - 1) * inner),
                                     fp_load_b(min(column + right + c * FP_SIDE, columns - 1)));
    for (ulong first = 1; first < inner; first += FP_DEPTH) {
        const uint depth = min((ulong)FP_DEPTH, inner - first);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint e = item; e < FP_TILE * FP_DEPTH; e += FP_SIDE * FP_SIDE) {
            const uint of_a = e / FP_DEPTH, k_a = e % FP_DEPTH, k_b = e / FP_TILE, of_b = e % FP_TILE;
            a[of_a][k_a] = fp_load_a(min(row + of_a, rows - 1) * inner + min(first + k_a, inner - 1));
            b[k_b][of_b] = fp_load_b(min(first + k_b, inner - 1) * columns + min(column + of_b, columns - 1));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (depth == FP_DEPTH) {
#pragma unroll
            for (uint k = 0; k < FP_DEPTH; k++) FP_APPEND(k)
        } else {
            for (uint k = 0; k < depth; k++) FP_APPEND(k)
        }
    }
    FP_EACH
    {
        const ulong i = row + down + r * FP_SIDE, j = column + right + c * FP_SIDE;
        if (i < rows && j < columns) out[i * columns + j] = total[r][c];
    }
}
#endif
