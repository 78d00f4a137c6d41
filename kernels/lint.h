// Stands in for a generated program, so that `make check` can give the kernels to a compiler as they are.
#ifndef FP_CPU
#define FP_CPU 0
#endif
#ifndef FP_ORDERED
#define FP_ORDERED 0
#endif
#ifndef FP_SERIAL_MOST
#define FP_SERIAL_MOST 1024
#endif
#ifndef FP_START
#define FP_START 0
#endif
#ifndef FP_SERIAL
#define FP_SERIAL 0
#endif
#ifndef FP_WIDE
#define FP_WIDE 1
#endif
#ifndef FP_PACKED
#define FP_PACKED 1
#endif
#ifndef FP_SWEEP
#define FP_SWEEP 0
#endif
#ifndef FP_HUGE
#define FP_HUGE 0
#endif
#ifndef FP_SPLIT
#define FP_SPLIT 0
#endif
#ifndef FP_RUNNING
#define FP_RUNNING 0
#endif
#ifndef FP_DESCENDING
#define FP_DESCENDING 0
#endif
#ifndef FP_FLOATING
#define FP_FLOATING 1
#endif
#ifndef FP_SIGNED
#define FP_SIGNED 0
#endif
#ifndef FP_FUSED
#define FP_FUSED 0
#endif
#ifndef FP_STAGED
#define FP_STAGED 0
#endif
#ifndef FP_APART
#define FP_APART 0
#endif
#define FP_KEYED (FP_APART > 0)
#ifndef FP_STRUCT
#define FP_STRUCT 0
#endif
#define FP_VALUE int
#define FP_RUN 16
#define FP_BITS uint
#define FP_COUNT uint
#define fp_less(a, b) ((a) < (b))
#ifndef FP_COUNTED
#define FP_COUNTED 0
#endif
#ifdef FP_PAIRS
#define FP_KEY int
#else
#define FP_KEY float
#endif
#define FP_DISTANCE uint
#define FP_RESULT float
#define FP_UNIT 4
#define FP_PART 16
#define FP_TURN 4
#define FP_PASSES 4
#ifndef FP_WARP
#define FP_WARP 32
#endif
#ifndef FP_SMALL
#define FP_SMALL 1
#endif
#define FP_WG 256
#define FP_ITEMS 4
#define FP_LANES 8
typedef struct {
    float v0;
    int w0;
    uint mark0;
} fp_lint_in;
#if FP_APART
#define FP_T fp_lint_in
#elif FP_STRUCT
typedef struct {
    float sum;
    int count;
} fp_lint_struct;
#define FP_T fp_lint_struct
#define FP_MEMBERS(M) M(float, sum) M(int, count)
#else
#define FP_T float
#endif
#define FP_PARAMS const ulong fp_p0, const __global float *fp_p1
#define FP_ARGS fp_p0, fp_p1
#define fp_n fp_p0
#if defined(FP_PAIRS) || FP_APART
#define FP_IN fp_lint_in
#define fp_load(i) ((fp_lint_in){fp_p1[i], (int)(i), (i) == 0})
#elif FP_STRUCT
#define FP_IN float
#define fp_load(i) ((fp_lint_struct){fp_p1[i], 1})
#else
#define FP_IN float
#define fp_load(i) fp_p1[i]
#endif
#define fp_take(i, v) (*(v) = fp_p1[i], *(v) > 0)
#define fp_take_wide(i, v, keep) (*(v) = fp_p1[i], *(keep) = true)
#define fp_load_wide(i, v) ((v)[0] = (v)[1] = (v)[2] = (v)[3] = fp_p1[i])
#define fp_store_wide(p, v) (*(__global float4 *)(p) = (float4)((v)[0], (v)[1], (v)[2], (v)[3]))
#if FP_STRUCT
static inline FP_T fp_op(const FP_T a, const FP_T b)
{
    return (FP_T){a.sum + b.sum, a.count + b.count};
}
#else
#define fp_op(a, b) ((a) + (b))
#endif
#if FP_APART || FP_STRUCT
#define FP_OUT FP_IN
#define fp_finish(i, v) (v)
#else
#define FP_OUT long
#define fp_finish(i, v) ((long)(v) + (long)(i))
#endif
#define FP_ROLLED
#define fp_fence_device() mem_fence(CLK_GLOBAL_MEM_FENCE)
// NVIDIA's compiler knows the word, clang in OpenCL mode only this spelling.
#define asm __asm__
