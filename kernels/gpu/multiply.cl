// lint: FP_DEPTH=8 FP_RESULTS=8 FP_FUSED=1
// lint: FP_DEPTH=16
// out[i][j] = the combination of fp_product(a[i][k], b[k][j]) for all k, in order. Rows, columns and k are not 0.
//   FP_DEPTH=32    values of k of a tile
//   FP_SIDE=16     work-items along each side of a tile
//   FP_RESULTS=4   a work-item computes FP_RESULTS * FP_RESULTS elements
// and the slot of block/product.cl.
#if !FP_DEPTH || !FP_SIDE || !FP_RESULTS
#error "multiply.cl needs FP_DEPTH, FP_SIDE and FP_RESULTS on a GPU"
#endif
#include "block/product.cl"

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
