// Every generated program begins with the template's slots and this file. All templates have the slots
//   FP_CPU      1: a work-item computes a contiguous chunk
//               0: a work-group computes a tile, its items neighbouring elements
//   FP_WG       work-items of a work-group
//   FP_COUNTED  1: only the device knows fp_n
// Before the template the program then defines
//   FP_T               type of the results' elements
//   FP_IN              type of the input's elements
//   FP_PARAMS          the parameters for the inputs; every function that calls fp_load or fp_op takes them
//   FP_ARGS            their names, to pass them on
//   fp_n               the number of elements
//   fp_load(i)         the element at index i
//   fp_load_in(i, row, column)  the same, for a template that goes through a matrix
//   fp_take(i, &v)     the element at index i of a selection's source; false if the filter drops it
//   fp_fetch_ahead(i)  CPU: prefetches elements some way behind element i
//   FP_LINE            elements of a cache line, after which it prefetches another one
//   fp_op(a, b)        the operator of a template that combines elements
//   fp_less(a, b)      the comparator of a template that sorts
//   fp_epilogue(i, v)  the FP_OUT to store as element i, if the result is v: maps of v, or v itself

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// The results of + - * / are those of plain C, on every device: no fused multiply-add.
#pragma OPENCL FP_CONTRACT OFF

// The address space of captured arrays, for functions that are host code too.
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

// Both halves of a * b, x the lower. NVIDIA's compiler would multiply twice, or go on in 64 bits.
static inline gpu_uint2 fp_halves(const uint a, const uint b)
{
#ifdef __NV_CL_C_VERSION
    gpu_uint2 halves;
    asm("{\n.reg .b64 t;\nmul.wide.u32 t, %2, %3;\nmov.b64 {%0, %1}, t;\n}"
        : "=r"(halves.x), "=r"(halves.y)
        : "r"(a), "r"(b));
    return halves;
#else
    const ulong product = (ulong)a * b;
    return (gpu_uint2)((uint)product, (uint)(product >> 32));
#endif
}

// The device's compiler checks that a struct has the host's layout. If not, fp_layout_... in the build log names struct
// and member.
#ifdef FP_LAYOUT_PROBE
#define FP_LAYOUT_OFFSET(T, path, id, offset)
#define FP_LAYOUT_SIZE(T, size)
#else
#define FP_LAYOUT_OFFSET(T, path, id, offset)                                                                          \
    typedef char fp_layout_##T##_##id[__builtin_offsetof(T, path) == (offset) ? 1 : -1];
#define FP_LAYOUT_SIZE(T, size) typedef char fp_layout_##T##_[sizeof(T) == (size) ? 1 : -1];
#endif

// Elements of a chunk, a multiple of `multiple`, if at most `most` chunks divide n > 0 elements. The host has the same
// function.
static inline ulong fp_chunk_of(const ulong n, const ulong multiple, const ulong most)
{
    const ulong chunk = (n + most - 1) / most;
    return (chunk + multiple - 1) / multiple * multiple;
}

// A work-item of the device that sees a write made behind the fence also sees the writes made before it. So does the
// host, behind the second fence.
#ifdef __NV_CL_C_VERSION
#define fp_fence_device() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define fp_fence_system() asm volatile("fence.acq_rel.sys;" ::: "memory")
#else
#define fp_fence_device() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define fp_fence_system() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
