// The part of block/cpu/reduce.cl that combines elements in any order: lanes are independent, so the compiler
// vectorizes them.
//   FP_LANES=8           lanes, a power of two
//   FP_ROLL=0            1: each element takes long, so one copy of its text is as fast as one for each lane
//   FP_SERIAL_MOST=1024  the most elements that are combined from left to right; 0: any order will do
//   FP_MEMBERS           optional: FP_MEMBERS(M) is M(type, name) for each member of the struct FP_T
#if !defined(FP_LANES) || !defined(FP_ROLL) || !defined(FP_SERIAL_MOST)
#error "block/cpu/lanes.cl needs FP_LANES, FP_ROLL and FP_SERIAL_MOST"
#endif

// The accumulators of all lanes. With FP_MEMBERS, for structs that are computed from scalars, they are a struct of
// arrays, which the compiler vectorizes. Structs that are read from memory are an array of structs: to split them takes
// longer than to combine them.
#ifdef FP_MEMBERS
#define FP_LANES_OF(T, name) T name[FP_LANES];
#define FP_ONE_OF(T, name) T name;
typedef union {
    FP_MEMBERS(FP_ONE_OF)
} fp_widest;

// The lanes of a vector. A pragma makes the compiler turn the whole loop over lanes into vectors, which it keeps in
// registers. It makes no vectors of a loop that it unrolls by itself. Vectors of 64 bytes are slower with 8 lanes, and
// faster with more.
#define FP_VECTOR_BYTES (FP_LANES > 8 ? 64 : 32)
#define FP_LANE_VECTOR (FP_VECTOR_BYTES / sizeof(fp_widest) < FP_LANES ? FP_VECTOR_BYTES / sizeof(fp_widest) : FP_LANES)
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // some operators have no vectors
#define FP_PRAGMA(text) _Pragma(#text)
#define FP_VECTORS_OF(width, count) FP_PRAGMA(clang loop vectorize_width(width) interleave_count(count))
#define FP_LANE_LOOP FP_VECTORS_OF(FP_LANE_VECTOR, FP_LANES / FP_LANE_VECTOR)
#else
#define FP_LANE_LOOP
#endif
#define FP_GET_MEMBER(T, name) v.name = lanes->name[k];
#define FP_SET_MEMBER(T, name) lanes->name[k] = v.name;
typedef struct {
    FP_MEMBERS(FP_LANES_OF)
} fp_lanes;

static inline FP_T fp_lane(const fp_lanes *lanes, const uint k)
{
    FP_T v;
    FP_MEMBERS(FP_GET_MEMBER)
    return v;
}

static inline void fp_set_lane(fp_lanes *lanes, const uint k, const FP_T v)
{
    FP_MEMBERS(FP_SET_MEMBER)
}
#else
#if FP_ROLL
#define FP_LANE_LOOP FP_ROLLED
#elif defined(FP_FLOAT_FUNCTIONS) && FP_LANES >= 16
#define FP_LANE_LOOP FP_NEIGHBOURS
#else
#define FP_LANE_LOOP _Pragma("unroll")
#endif
typedef struct {
    FP_T v[FP_LANES];
} fp_lanes;

static inline FP_T fp_lane(const fp_lanes *lanes, const uint k)
{
    return lanes->v[k];
}

static inline void fp_set_lane(fp_lanes *lanes, const uint k, const FP_T v)
{
    lanes->v[k] = v;
}
#endif

// Few elements, in order, one after the other. There is at least one.
static inline FP_T fp_reduce_few(const ulong first, const ulong last, FP_PARAMS)
{
    FP_T total = fp_load(first);
    FP_ROLLED
    for (ulong i = first + 1; i < last; i++) total = fp_op(total, fp_load(i));
    return total;
}

static inline FP_T fp_reduce_item(const ulong first, const ulong last, FP_PARAMS)
{
    if (last - first < max(2 * FP_LANES, FP_SERIAL_MOST + 1)) return fp_reduce_few(first, last, FP_ARGS);
    fp_lanes lanes;
#if FP_ROLL
    FP_ROLLED
#endif
    for (uint k = 0; k < FP_LANES; k++) fp_set_lane(&lanes, k, fp_load(first + k));
    ulong i = first + FP_LANES;
    for (; i + FP_LANES <= last; i += FP_LANES) {
#pragma unroll
        for (uint k = 0; k < FP_LANES; k += FP_LINE) fp_fetch_ahead(i + k);
        FP_LANE_LOOP
        for (uint k = 0; k < FP_LANES; k++) fp_set_lane(&lanes, k, fp_op(fp_lane(&lanes, k), fp_load(i + k)));
    }
    FP_ROLLED
    for (uint k = 0; i + k < last; k++) fp_set_lane(&lanes, k, fp_op(fp_lane(&lanes, k), fp_load(i + k)));
    FP_ROLLED
    for (uint width = FP_LANES / 2; width > 0; width /= 2) {
        FP_ROLLED
        for (uint k = 0; k < width; k++) fp_set_lane(&lanes, k, fp_op(fp_lane(&lanes, k), fp_lane(&lanes, k + width)));
    }
    return fp_lane(&lanes, 0);
}
