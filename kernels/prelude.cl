// What every generated program begins with. The program then defines, before its template:
//   FP_T        the element type of the results
//   FP_PARAMS   the parameters that lead to the inputs; every function that calls fp_load or fp_op takes them
//   FP_ARGS     their names, to pass them on
//   fp_n        how many elements there are
//   fp_load(i)  the element at index i
//   fp_op(a, b) the operator, where the template combines elements
//   fp_finish(i, v) what is stored, an FP_OUT, where the result at index i is v, of templates that can be finished:
//                   maps of it, or v

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// The results of + - * / are those of plain C, on every device.
#pragma OPENCL FP_CONTRACT OFF

// Where captured arrays lie: a word of functions that are host code too.
#define GPU_GLOBAL __global

// The names that host code uses for the same types.
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define FP_VECTORS(T)                                                                                                  \
    typedef T##2 gpu_##T##2;                                                                                           \
    typedef T##3 gpu_##T##3;                                                                                           \
    typedef T##4 gpu_##T##4;
FP_VECTORS(char)
FP_VECTORS(uchar)
FP_VECTORS(short)
FP_VECTORS(ushort)
FP_VECTORS(int)
FP_VECTORS(uint)
FP_VECTORS(long)
FP_VECTORS(ulong)
FP_VECTORS(float)
#ifdef cl_khr_fp64
FP_VECTORS(double)
#endif

// The host's layout of a struct, checked by the device's compiler: a build log with fp_layout_ names the culprit.
#ifdef FP_LAYOUT_PROBE
#define FP_LAYOUT_OFFSET(T, path, id, offset)
#define FP_LAYOUT_SIZE(T, size)
#else
#define FP_LAYOUT_OFFSET(T, path, id, offset)                                                                          \
    typedef char fp_layout_##T##_##id[__builtin_offsetof(T, path) == (offset) ? 1 : -1];
#define FP_LAYOUT_SIZE(T, size) typedef char fp_layout_##T##_[sizeof(T) == (size) ? 1 : -1];
#endif

// The contiguous share, a multiple of `unit`, of each of at most `most` workers on n > 0 elements: as on the host.
static inline ulong fp_share(const ulong n, const ulong unit, const ulong most)
{
    const ulong share = (n + most - 1) / most;
    return (share + unit - 1) / unit * unit;
}

// Before a loop of a few turns. The compiler would take longer to unroll it, or to make vectors of it, than the loop
// runs.
#if FP_CPU && defined(__clang__)
#define FP_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define FP_ROLLED
#endif

// What this work-item wrote is seen by every work-item of the device that sees what it writes next.
#ifdef __NV_CL_C_VERSION
#define fp_fence_device() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#else
#define fp_fence_device() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
