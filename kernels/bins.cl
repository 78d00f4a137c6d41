// lint: FP_CPU=0 FP_IN=fp_pair
// lint: FP_CPU=0 FP_IN=fp_pair FP_MARKED=1 FP_ORDERED=1
// lint: FP_CPU=0 FP_IN=fp_pair FP_T=int FP_ATOMIC=1
// lint: FP_CPU=0 FP_IN=fp_pair FP_T=int FP_ATOMIC=2 FP_PLACES=0
// lint: FP_CPU=0 FP_IN=fp_pair FP_ATOMIC=5 FP_PLACES=0
// lint: FP_CPU=1 FP_IN=fp_pair FP_MARKED=1
// lint: FP_CPU=1 FP_IN=fp_pair
// Combines the values v0 of pairs in the bins of their keys w0. If a key is not below `bins`, the counter gets its
// position; the lowest position wins. A work-group combines a chunk of the pairs, in bins of its own. Row r of `rows`
// gets those of group r.
//   FP_MARKED=0            1: the operator has no identity. A mark beside a bin says whether it has a value.
//   FP_ATOMIC=0            GPU: 1 to 4: all groups combine in one row, by atomic_add, _and, _or or _xor
//                          5: no key comes twice, and all groups combine in one row
//   FP_ORDERED=0           GPU: 1: the operator does not commute
//   FP_SERIAL_MOST=1024    GPU: the most pairs that one work-item combines from left to right
//   FP_PLACES=4096         GPU: bins in local memory. If the bins are not atomic, each work-item has its own.
//   FP_ITEMS_PER_THREAD=8  GPU: pairs that a work-item has in flight
#if !defined(FP_MARKED)
#error "bins.cl needs FP_MARKED"
#endif
#if !FP_CPU && (!defined(FP_ATOMIC) || !defined(FP_ORDERED) || !defined(FP_PLACES) || !defined(FP_SERIAL_MOST))
#error "bins.cl needs FP_ATOMIC, FP_ORDERED, FP_SERIAL_MOST, FP_PLACES and FP_ITEMS_PER_THREAD on a GPU"
#endif

#if FP_CPU
#define FP_SPACE __global
#else
#define FP_SPACE __local
#endif

static inline void fp_report(const ulong i, volatile __global uint *counters, const ulong counter)
{
    atomic_max(counters + counter, ~(uint)min(i, 0xfffffffeul));
}

#if FP_MARKED
#define FP_MINE_PARAMS FP_SPACE FP_T *mine, FP_SPACE uchar *marks
#define FP_MINE mine, marks
#define FP_ROWS_PARAMS __global FP_T *rows, __global uchar *row_marks
#else
#define FP_MINE_PARAMS FP_SPACE FP_T *mine
#define FP_MINE mine
#define FP_ROWS_PARAMS const FP_T identity, __global FP_T *rows
#endif

#if FP_MARKED
#define fp_clear(place) (marks[place] = 0)
#else
#define fp_clear(place) (mine[place] = identity)
#endif

#if FP_CPU || !FP_ATOMIC
static inline void fp_add(const ulong place, const FP_T value, FP_MINE_PARAMS, FP_PARAMS)
{
#if FP_MARKED
    mine[place] = marks[place] ? fp_op(mine[place], value) : value;
    marks[place] = 1;
#else
    mine[place] = fp_op(mine[place], value);
#endif
}

// Pair i. Bin k is place k * stride + column.
static inline void fp_add_pair(const ulong i, const FP_IN pair, const ulong bins, const uint stride, const uint column,
                               volatile __global uint *counters, const ulong counter, FP_MINE_PARAMS, FP_PARAMS)
{
    if (pair.w0 < bins) {
        fp_add(pair.w0 * stride + column, pair.v0, FP_MINE, FP_ARGS);
    } else {
        fp_report(i, counters, counter);
    }
}
#endif

#if FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_bins(FP_PARAMS, const ulong bins, const ulong multiple,
                                                                     const ulong most, volatile __global uint *counters,
                                                                     const ulong counter, FP_ROWS_PARAMS)
{
    const ulong n = fp_n, chunk = fp_chunk_of(n, multiple, most);
    const ulong first = min(n, get_group_id(0) * chunk), last = min(first + chunk, n);
    __global FP_T *mine = rows + get_group_id(0) * bins;
#if FP_MARKED
    __global uchar *marks = row_marks + get_group_id(0) * bins;
#endif
    for (ulong k = 0; k < bins; k++) fp_clear(k);
    for (ulong i = first; i < last; i++) fp_add_pair(i, fp_load(i), bins, 1, 0, counters, counter, FP_MINE, FP_ARGS);
}
#elif FP_ATOMIC
#if FP_ATOMIC == 1
#define fp_atomic atomic_add
#elif FP_ATOMIC == 2
#define fp_atomic atomic_and
#elif FP_ATOMIC == 3
#define fp_atomic atomic_or
#elif FP_ATOMIC == 4
#define fp_atomic atomic_xor
#else
#define fp_atomic(place, value) (*(place) = fp_op(*(place), value))
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bins(FP_PARAMS, const ulong bins, const ulong multiple, const ulong most, volatile __global uint *counters,
        const ulong counter, const FP_T identity, volatile __global FP_T *rows)
{
    const ulong n = fp_n;
    const uint l = get_local_id(0);
#if FP_PLACES
    __local FP_T mine[FP_PLACES];
    volatile __local FP_T *places = mine;
    for (uint k = l; k < bins; k += FP_WG) mine[k] = identity;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    volatile __global FP_T *places = rows;
#endif
#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)
    for (ulong first = get_group_id(0) * (ulong)FP_TILE; first < n; first += get_num_groups(0) * (ulong)FP_TILE) {
        const uint left = (uint)min(n - first, (ulong)FP_TILE);
        FP_IN v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (k * FP_WG + l < left) v[k] = fp_load(first + l + k * FP_WG);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
            if (k * FP_WG + l >= left) continue;
            if (v[k].w0 < bins) {
                fp_atomic(places + v[k].w0, v[k].v0);
            } else {
                fp_report(first + l + k * FP_WG, counters, counter);
            }
        }
    }
#if FP_PLACES
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < bins; k += FP_WG)
        if (mine[k] != identity) fp_atomic(rows + k, mine[k]);
#endif
}
#else
// Combines the bins of two neighbouring spans of work-items, then of spans twice as long, and so on.
static inline void fp_join_items(const uint bins, FP_MINE_PARAMS, FP_PARAMS)
{
    for (uint span = 1; span < FP_WG; span *= 2) {
        const uint columns = FP_WG / (2 * span);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = get_local_id(0); p < bins * columns; p += FP_WG) {
            const uint left = p / columns * FP_WG + p % columns * 2 * span, right = left + span;
#if FP_MARKED
            if (!marks[right]) continue;
#endif
            fp_add(left, mine[right], FP_MINE, FP_ARGS);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Bin k of work-item l is place k * FP_WG + l, so items that run together access different banks.
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bins(FP_PARAMS, const ulong bins, const ulong multiple, const ulong most, volatile __global uint *counters,
        const ulong counter, FP_ROWS_PARAMS)
{
    __local FP_T mine[FP_PLACES];
#if FP_MARKED
    __local uchar marks[FP_PLACES];
#endif
    const uint l = get_local_id(0);
    const ulong n = fp_n, chunk = fp_chunk_of(n, multiple, most), row = get_group_id(0) * bins;
    const ulong begin = min(n, get_group_id(0) * chunk), end = min(begin + chunk, n);
    for (uint k = 0; k < bins; k++) fp_clear(k * FP_WG + l);
#if FP_ORDERED
    const ulong step = 1, share = (end - begin + FP_WG - 1) / FP_WG;
    ulong i = min(begin + l * share, end), last = min(i + share, end);
#else
    ulong step = FP_WG, i = begin + l, last = end;
#endif
    if (n <= FP_SERIAL_MOST) {
        i = begin;
        last = l ? begin : end;
#if !FP_ORDERED
        step = 1;
#endif
    }
    for (; i + (FP_ITEMS_PER_THREAD - 1) * step < last; i += FP_ITEMS_PER_THREAD * step) {
        FP_IN v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) v[k] = fp_load(i + k * step);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            fp_add_pair(i + k * step, v[k], bins, FP_WG, l, counters, counter, FP_MINE, FP_ARGS);
    }
    for (; i < last; i += step) fp_add_pair(i, fp_load(i), bins, FP_WG, l, counters, counter, FP_MINE, FP_ARGS);
    fp_join_items(bins, FP_MINE, FP_ARGS);
    for (uint k = l; k < bins; k += FP_WG) {
        rows[row + k] = mine[k * FP_WG];
#if FP_MARKED
        row_marks[row + k] = marks[k * FP_WG];
#endif
    }
}
#endif
