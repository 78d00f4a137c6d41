// lint:
// lint: FP_COMPLEX=1 FP_T=float2
// lint: FP_UPPER=1
// Substitution: each row of `out`, as a column, is the solution of a triangular system whose right side is that row of
// the input. Column c of the factors begins at lu[c * pitch].
//   FP_WIDTH=64  rows and columns of the triangle at most
//   FP_UPPER=0   1: the triangle is U; 0: it is L, which has ones on its diagonal
// and the slots of block/number.cl.
#if !FP_WIDTH || !defined(FP_UPPER) || !defined(FP_COMPLEX)
#error "triangular.cl needs FP_WIDTH, FP_UPPER and FP_COMPLEX"
#endif
#include "block/number.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_triangular(FP_PARAMS, const ulong rows, const ulong width, const ulong pitch, const ulong chunk,
              const __global FP_T *restrict lu, __global FP_T *restrict out)
{
    FP_T x[FP_WIDTH];
    const ulong first = get_global_id(0) * chunk, last = min(first + chunk, rows);
    for (ulong row = first; row < last; row++) {
        for (ulong k = 0; k < width; k++) x[k] = fp_load(row * width + k);
        for (ulong j = width; FP_UPPER && j-- > 0;) {
            const __global FP_T *column = lu + j * pitch;
            x[j] = fp_over(x[j], column[j]);
            for (ulong k = 0; k < j; k++) x[k] -= fp_times(column[k], x[j]);
        }
        for (ulong j = 0; !FP_UPPER && j < width; j++) {
            const __global FP_T *column = lu + j * pitch;
            for (ulong k = j + 1; k < width; k++) x[k] -= fp_times(column[k], x[j]);
        }
        for (ulong k = 0; k < width; k++) out[row * width + k] = x[k];
    }
}
