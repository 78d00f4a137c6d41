// lint:
// A group brings elements into local memory. Global memory is read side by side, and a work-item can read neighbours.
//   FP_IN_FLIGHT=16  elements that a work-item brings, all under way at once
#if !FP_IN_FLIGHT
#error "block/gpu/stage.cl needs FP_IN_FLIGHT"
#endif

#define FP_STAGED (FP_WG * FP_IN_FLIGHT)

// Where the tile has element i. Work-items whose elements begin 2, 4, ..., 32 apart read different banks.
#define FP_PADDED(i) ((i) + (i) / 32)
// The same of i + k * FP_WG, with one addition where FP_WG permits.
#define FP_PADDED_STEP(i, k) (FP_WG % 32 ? FP_PADDED((i) + (k)*FP_WG) : FP_PADDED(i) + (k)*FP_PADDED(FP_WG))

// tile = the elements first, ..., first + FP_STAGED - 1, as far as there are some. With a condition on each load the
// compiler would not have all of them under way.
static inline void fp_stage(const ulong first, __local FP_T *tile, FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (first + FP_STAGED <= fp_n) {
        FP_T v[FP_IN_FLIGHT];
#pragma unroll
        for (uint k = 0; k < FP_IN_FLIGHT; k++) v[k] = fp_load(first + l + k * FP_WG);
#pragma unroll
        for (uint k = 0; k < FP_IN_FLIGHT; k++) tile[FP_PADDED_STEP(l, k)] = v[k];
    } else {
        for (uint i = l; i < FP_STAGED && first + i < fp_n; i += FP_WG) tile[FP_PADDED(i)] = fp_load(first + i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
