// lint:
// lint: FP_COMPLEX=1 FP_T=float2
// lint: FP_REPORTS=0
// The LU factors of a panel by partial pivoting: `width` columns of `rows` elements, one after the other, and width <=
// rows. One work-group computes them. Below the diagonal lu[c * rows + r] is the element of L, and else that of U. The
// diagonal of L has ones. The determinant of the first `width` rows stands behind the factors. order[r] is the row of
// the panel that became row r. The pivot is the first one of largest magnitude. NaN is one only if there is nothing
// else. A column without a pivot is left as it is.
//   FP_REPORTS=1  1: the counter gets the place of the first column without a pivot, counted from `first`
// and the slots of block/number.cl.
#if !defined(FP_COMPLEX) || !defined(FP_REPORTS)
#error "lu.cl needs FP_COMPLEX and FP_REPORTS"
#endif
#include "block/number.cl"
#include "block/place.cl"
#if FP_REPORTS
#define FP_REPORT_PARAMS , volatile __global uint *counters, const ulong counter, const ulong first
#define FP_REPORT(k) fp_report_place(first + (k), counters, counter)
#else
#define FP_REPORT_PARAMS
#define FP_REPORT(k) ((void)0)
#endif

// The row of the pivot of a column, from row k on. The items share out the rows as the elimination does.
static inline ulong fp_pivot(const __global FP_T *column, const ulong k, const ulong rows, __local FP_REAL *most,
                             __local ulong *places)
{
    const uint item = get_local_id(0);
    FP_REAL best = -1;
    ulong place = k;
    for (ulong r = k + item; r < rows; r += FP_WG) {
        const FP_REAL magnitude = fp_magnitude(column[r]);
        place = magnitude > best ? r : place;
        best = magnitude > best ? magnitude : best;
    }
    most[item] = best;
    places[item] = place;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint reach = FP_WG / 2; reach; reach /= 2) {
        const uint other = item + reach;
        if (item < reach && (most[other] > most[item] || (most[other] == most[item] && places[other] < places[item]))) {
            most[item] = most[other];
            places[item] = places[other];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return places[0];
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_lu(FP_PARAMS, const ulong rows, const ulong width, __global FP_T *lu, __global ulong *order FP_REPORT_PARAMS)
{
    __local FP_REAL most[FP_WG];
    __local ulong places[FP_WG];
    const uint item = get_local_id(0);
    FP_T determinant = FP_ONE;
    for (ulong e = item; e < rows * width; e += FP_WG) lu[e] = fp_load(e);
    for (ulong r = item; r < rows; r += FP_WG) order[r] = r;
    for (ulong k = 0; k < width; k++) {
        __global FP_T *column = lu + k * rows;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const ulong at = fp_pivot(column, k, rows, most, places);
        if (at != k) {
            for (ulong c = item; c < width; c += FP_WG) {
                const FP_T kept = lu[c * rows + k];
                lu[c * rows + k] = lu[c * rows + at];
                lu[c * rows + at] = kept;
            }
            if (item == 0) {
                const ulong kept = order[k];
                order[k] = order[at];
                order[at] = kept;
            }
            determinant = -determinant;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        const FP_T pivot = column[k];
        determinant = fp_times(determinant, pivot);
        if (fp_magnitude(pivot) == 0) {
            if (item == 0) FP_REPORT(k);
            continue;
        }
        for (ulong r = k + 1 + item; r < rows; r += FP_WG) column[r] = fp_over(column[r], pivot);
        for (ulong c = k + 1; c < width; c++) {
            __global FP_T *other = lu + c * rows;
            const FP_T factor = other[k];
            for (ulong r = k + 1 + item; r < rows; r += FP_WG) other[r] -= fp_times(column[r], factor);
        }
    }
    if (item == 0) lu[rows * width] = determinant;
}
