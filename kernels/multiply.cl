// lint: FP_CPU=0 FP_DEPTH=8 FP_RESULTS=8 FP_FUSED=1
// lint: FP_CPU=0 FP_DEPTH=16
// lint: FP_CPU=1
// lint: FP_CPU=1 FP_FUSED=1
// out[i][j] = the combination of fp_product(a[i][k], b[k][j]) for all k, in order. Rows, columns and k are not 0.
//   FP_FUSED=0     1: a floating type's sum of products, where each product but the first is added by fma
//   FP_DEPTH=32    values of k of a tile
//   FP_COLUMNS=64  CPU: columns of a tile
//   FP_ROWS=64     CPU: rows of a tile
//   FP_VECTOR=16   CPU: elements of a vector; 0: as many as the compiler likes
//   FP_SIDE=16     GPU: work-items along each side of a tile
//   FP_RESULTS=4   GPU: a work-item computes FP_RESULTS * FP_RESULTS elements
#if !defined(FP_CPU) || !FP_DEPTH || !defined(FP_FUSED) ||                                                             \
    (FP_CPU && !(FP_COLUMNS && FP_ROWS && defined(FP_VECTOR))) || (!FP_CPU && !(FP_SIDE && FP_RESULTS))
#error "multiply.cl needs FP_DEPTH, FP_FUSED; on a CPU FP_COLUMNS, FP_ROWS, FP_VECTOR; on a GPU FP_SIDE, FP_RESULTS"
#endif

#if FP_FUSED
#define FP_ADD_PRODUCT(total, x, y) fma(x, y, total)
#else
#define FP_ADD_PRODUCT(total, x, y) fp_op(total, fp_product(x, y))
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
#else
// Work-item (down, right) has FP_RUN neighbours of each FP_SIDE * FP_RUN rows and columns of the tile. They are loaded
// as a vector.
#define FP_TILE (FP_SIDE * FP_RESULTS)
#define FP_RUN (FP_RESULTS < 4 ? FP_RESULTS : 4)
#define FP_AT(r, place) ((r) / FP_RUN * FP_SIDE * FP_RUN + (place)*FP_RUN + (r) % FP_RUN)
#define FP_PITCH (FP_TILE + (FP_TILE > 1 ? 4 : 0)) // so that neighbours in a row of `a` are stored to several banks
#define FP_STRIP (FP_SIDE < 8 ? FP_SIDE : 8)       // neighbours in a row; a warp then loads few elements of both tiles
#define FP_SHARE ((FP_TILE * FP_DEPTH + FP_WG - 1) / FP_WG)
#define FP_UNROLLED _Pragma("unroll")
#define FP_EACH(r, c)                                                                                                  \
    FP_UNROLLED for (uint r = 0; r < FP_RESULTS; r++) FP_UNROLLED for (uint c = 0; c < FP_RESULTS; c++)
#define FP_EACH_LOAD(s, e)                                                                                             \
    FP_UNROLLED for (uint s = 0, e = item; s < FP_SHARE; s++, e += FP_WG) if (FP_EVEN || e < FP_TILE * FP_DEPTH)
#define FP_EVEN (FP_TILE * FP_DEPTH % FP_WG == 0)

// Loads the tiles of values of k from `first` on. The last one is `deepest` behind it.
#define FP_LOAD_TILES(first, deepest)                                                                                  \
    FP_EACH_LOAD(s, e)                                                                                                 \
    {                                                                                                                  \
        const ulong of_a = min(e / FP_DEPTH, lowest), k_a = min(e % FP_DEPTH, (uint)(deepest));                        \
        const ulong of_b = min(e % FP_TILE, rightmost), k_b = min(e / FP_TILE, (uint)(deepest));                       \
        next_a[s] = fp_load_a(first + ((row + of_a) * inner + k_a));                                                   \
        next_b[s] = fp_load_b(first * columns + (k_b * columns + column + of_b));                                      \
    }
#define FP_LOAD(first)                                                                                                 \
    if (inner - (first) >= FP_DEPTH) {                                                                                 \
        FP_LOAD_TILES((first), FP_DEPTH - 1)                                                                           \
    } else {                                                                                                           \
        FP_LOAD_TILES((first), inner - (first)-1)                                                                      \
    }

// Appends one value of k to the elements of a work-item.
#define FP_APPEND(k)                                                                                                   \
    {                                                                                                                  \
        FP_T x[FP_RESULTS], y[FP_RESULTS];                                                                             \
        FP_UNROLLED for (uint r = 0; r < FP_RESULTS; r++) x[r] = a[k][FP_AT(r, down)];                                 \
        FP_UNROLLED for (uint c = 0; c < FP_RESULTS; c++) y[c] = b[k][FP_AT(c, right)];                                \
        FP_EACH(r, c) total[r][c] = FP_ADD_PRODUCT(total[r][c], x[r], y[c]);                                           \
    }

// Elements outside of the matrices stand for their last ones, and are not stored. While a tile is combined, the next is
// on its way.
__kernel __attribute__((reqd_work_group_size(FP_SIDE * FP_SIDE, 1, 1))) void
fp_multiply(FP_PARAMS, const ulong rows, const ulong inner, const ulong columns, __global FP_T *restrict out)
{
    __local FP_T a[FP_DEPTH][FP_PITCH] __attribute__((aligned(16))), b[FP_DEPTH][FP_TILE] __attribute__((aligned(16)));
    const ulong across = (columns + FP_TILE - 1) / FP_TILE;
    const ulong row = get_group_id(0) / across * FP_TILE, column = get_group_id(0) % across * FP_TILE;
    const uint lowest = min((ulong)FP_TILE, rows - row) - 1, rightmost = min((ulong)FP_TILE, columns - column) - 1;
    const uint item = get_local_id(0), down = item / FP_STRIP % FP_SIDE;
    const uint right = item / (FP_STRIP * FP_SIDE) * FP_STRIP + item % FP_STRIP;
    FP_T total[FP_RESULTS][FP_RESULTS], next_a[FP_SHARE], next_b[FP_SHARE];
    FP_EACH(r, c)
    total[r][c] = fp_product(fp_load_a((row + min((uint)FP_AT(r, down), lowest)) * inner),
                             fp_load_b(column + min((uint)FP_AT(c, right), rightmost)));
    if (inner > 1) {
        FP_LOAD(1ul)
    }
    for (ulong first = 1; first < inner; first += FP_DEPTH) {
        const uint depth = min((ulong)FP_DEPTH, inner - first);
        barrier(CLK_LOCAL_MEM_FENCE);
        FP_EACH_LOAD(s, e)
        {
            a[e % FP_DEPTH][e / FP_DEPTH] = next_a[s];
            b[e / FP_TILE][e % FP_TILE] = next_b[s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inner - first > FP_DEPTH) {
            FP_LOAD(first + FP_DEPTH)
        }
        if (depth == FP_DEPTH) {
            FP_UNROLLED for (uint k = 0; k < FP_DEPTH; k++) FP_APPEND(k)
        } else {
            for (uint k = 0; k < depth; k++) FP_APPEND(k)
        }
    }
    FP_EACH(r, c)
    {
        const ulong i = row + FP_AT(r, down), j = column + FP_AT(c, right);
        if (i < rows && j < columns) out[i * columns + j] = total[r][c];
    }
}
#endif
