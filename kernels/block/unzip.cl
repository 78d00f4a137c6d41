// lint:
// lint: FP_UNZIP=1 FP_T=fp_pair
// lint: FP_UNZIP=2 FP_T=fp_pair
// Stores the elements that a launch of a sort has moved. The last launch unzips pairs; by onesweep, each does.
//   FP_UNZIP=0    0: stores fp_epilogue(i, x), an FP_OUT
//                 1: unzips pairs: keys go to one array, values to another
//                 2: stores only the values of pairs
//   FP_KEY=float  type of keys
//   FP_VALUE=int  type of values
#if !defined(FP_UNZIP) || (FP_UNZIP && !(defined(FP_KEY) && defined(FP_VALUE)))
#error "block/unzip.cl needs FP_UNZIP and, for pairs, FP_KEY and FP_VALUE"
#endif
#if FP_UNZIP == 0
#define FP_OUT_PARAMS __global FP_OUT *restrict out
#define FP_OUT_ARGS out
#define FP_PUT(i, x) out[i] = fp_epilogue(i, x)
#define FP_PUT_KEY(i, key) FP_PUT(i, key)
#define FP_PUT_VALUE(i, value) (void)(value)
#elif FP_UNZIP == 1
#define FP_OUT_PARAMS __global FP_KEY *restrict keys, __global FP_VALUE *restrict values
#define FP_OUT_ARGS keys, values
#define FP_PUT_KEY(i, key) keys[i] = (key)
#else
#define FP_OUT_PARAMS __global FP_VALUE *restrict values
#define FP_OUT_ARGS values
#define FP_PUT_KEY(i, key) (void)(key)
#endif
#if FP_UNZIP
#define FP_PUT_VALUE(i, value) values[i] = (value)
#define FP_PUT(i, x) FP_PUT_KEY(i, (x).v0), FP_PUT_VALUE(i, (x).w0)
#endif

static inline void fp_put(const ulong i, const FP_IN x, FP_OUT_PARAMS, FP_PARAMS)
{
    FP_PUT(i, x);
}
