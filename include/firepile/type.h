/** Element types: scalars, short vectors, structs.
 *
 * A gpu_type is a pointer to a constant description. Scalars and vectors are GPU_CHAR ... GPU_DOUBLE and GPU_CHAR2 ...
 * GPU_DOUBLE4. Structs are defined by GPU_STRUCT (firepile/define.h) and named by GPU_TYPE(name). Sizes are those of
 * OpenCL C on both host and device: GPU_LONG has 8 bytes, GPU_FLOAT3 has 16.
 *
 * On the host a vector is a plain struct, gpu_float4 for GPU_FLOAT4, with the members x, y, z, w. It is aligned like
 * the device's vector, but never to more than 16 bytes, so that memory from malloc can hold it. */
#ifndef FIREPILE_TYPE_H
#define FIREPILE_TYPE_H

#include <firepile/status.h>

GPU_BEGIN_DECLS

typedef enum gpu_kind { GPU_KIND_SIGNED, GPU_KIND_UNSIGNED, GPU_KIND_FLOATING, GPU_KIND_STRUCT } gpu_kind;

/** The description of an element type. */
typedef struct gpu_type_info {
    const char *name;    /**< in OpenCL C: "float", "uint4", or the struct's name */
    size_t size;         /**< bytes of one element in an array */
    size_t align;        /**< bytes, on the host */
    gpu_kind kind;       /**< of each component */
    unsigned width;      /**< components of a vector; 1 for scalars and structs */
    const char *members; /**< a struct's member declarations, else NULL */
    const void *unit;    /**< a struct's C file (gpu_place), else NULL */
} gpu_type_info;

typedef const gpu_type_info *gpu_type;

/** Every scalar type: its name in OpenCL C, the suffix of its macro, its type on the host, its kind. */
#define GPU_SCALAR_MAP(X)                                                                                              \
    X(char, CHAR, signed char, GPU_KIND_SIGNED)                                                                        \
    X(uchar, UCHAR, unsigned char, GPU_KIND_UNSIGNED)                                                                  \
    X(short, SHORT, short, GPU_KIND_SIGNED)                                                                            \
    X(ushort, USHORT, unsigned short, GPU_KIND_UNSIGNED)                                                               \
    X(int, INT, int, GPU_KIND_SIGNED)                                                                                  \
    X(uint, UINT, unsigned int, GPU_KIND_UNSIGNED)                                                                     \
    X(long, LONG, int64_t, GPU_KIND_SIGNED)                                                                            \
    X(ulong, ULONG, uint64_t, GPU_KIND_UNSIGNED)                                                                       \
    X(float, FLOAT, float, GPU_KIND_FLOATING)                                                                          \
    X(double, DOUBLE, double, GPU_KIND_FLOATING)

#ifdef __cplusplus
#define GPU_ALIGNAS_ alignas
#else
#define GPU_ALIGNAS_ _Alignas
#endif
#define GPU_VECTOR_ALIGN_(T, n) GPU_ALIGNAS_((n) * sizeof(T) > 16 ? 16 : (n) * sizeof(T))

/* clang-format off */
#define GPU_DECLARE_TYPES_(name, NAME, T, kind)                                                                        \
    typedef struct gpu_##name##2 {                                                                                     \
        GPU_VECTOR_ALIGN_(T, 2) T x;                                                                                   \
        T y;                                                                                                           \
    } gpu_##name##2;                                                                                                   \
    typedef struct gpu_##name##3 {                                                                                     \
        GPU_VECTOR_ALIGN_(T, 4) T x;                                                                                   \
        T y, z, gpu_padding_;                                                                                          \
    } gpu_##name##3;                                                                                                   \
    typedef struct gpu_##name##4 {                                                                                     \
        GPU_VECTOR_ALIGN_(T, 4) T x;                                                                                   \
        T y, z, w;                                                                                                     \
    } gpu_##name##4;                                                                                                   \
    GPU_API extern const gpu_type_info gpu_type_##name, gpu_type_##name##2, gpu_type_##name##3, gpu_type_##name##4;
GPU_SCALAR_MAP(GPU_DECLARE_TYPES_)
#undef GPU_DECLARE_TYPES_
/* clang-format on */

#define GPU_CHAR (&gpu_type_char)
#define GPU_CHAR2 (&gpu_type_char2)
#define GPU_CHAR3 (&gpu_type_char3)
#define GPU_CHAR4 (&gpu_type_char4)
#define GPU_UCHAR (&gpu_type_uchar)
#define GPU_UCHAR2 (&gpu_type_uchar2)
#define GPU_UCHAR3 (&gpu_type_uchar3)
#define GPU_UCHAR4 (&gpu_type_uchar4)
#define GPU_SHORT (&gpu_type_short)
#define GPU_SHORT2 (&gpu_type_short2)
#define GPU_SHORT3 (&gpu_type_short3)
#define GPU_SHORT4 (&gpu_type_short4)
#define GPU_USHORT (&gpu_type_ushort)
#define GPU_USHORT2 (&gpu_type_ushort2)
#define GPU_USHORT3 (&gpu_type_ushort3)
#define GPU_USHORT4 (&gpu_type_ushort4)
#define GPU_INT (&gpu_type_int)
#define GPU_INT2 (&gpu_type_int2)
#define GPU_INT3 (&gpu_type_int3)
#define GPU_INT4 (&gpu_type_int4)
#define GPU_UINT (&gpu_type_uint)
#define GPU_UINT2 (&gpu_type_uint2)
#define GPU_UINT3 (&gpu_type_uint3)
#define GPU_UINT4 (&gpu_type_uint4)
#define GPU_LONG (&gpu_type_long)
#define GPU_LONG2 (&gpu_type_long2)
#define GPU_LONG3 (&gpu_type_long3)
#define GPU_LONG4 (&gpu_type_long4)
#define GPU_ULONG (&gpu_type_ulong)
#define GPU_ULONG2 (&gpu_type_ulong2)
#define GPU_ULONG3 (&gpu_type_ulong3)
#define GPU_ULONG4 (&gpu_type_ulong4)
#define GPU_FLOAT (&gpu_type_float)
#define GPU_FLOAT2 (&gpu_type_float2)
#define GPU_FLOAT3 (&gpu_type_float3)
#define GPU_FLOAT4 (&gpu_type_float4)
#define GPU_DOUBLE (&gpu_type_double)
#define GPU_DOUBLE2 (&gpu_type_double2)
#define GPU_DOUBLE3 (&gpu_type_double3)
#define GPU_DOUBLE4 (&gpu_type_double4)

/** Are two element types the same? Structs are the same if their names and members are, and also the structs that the
 * members name. */
GPU_API bool gpu_type_equal(gpu_type a, gpu_type b);

/** A value or an output, as the macros pass it: its address and its type as the C compiler knows it. `type` is NULL if
 * that is neither scalar nor vector; then `size` must match. A `size` of 0 (a void pointer) is not checked. */
typedef struct gpu_value {
    const void *pointer;
    gpu_type type;
    size_t size;
} gpu_value;

typedef struct gpu_output {
    void *pointer;
    gpu_type type;
    size_t size;
} gpu_output;

/** Types that the macros recognise but arrays cannot have, so that messages can name them: bool, long double, and
 * arrays or pointers. */
GPU_API extern const gpu_type_info gpu_refused_bool, gpu_refused_long_double, gpu_refused_array;

#ifdef __cplusplus
#define GPU_VALUE_(p) GPU_FOR_C_(const gpu_value *)
#define GPU_OUTPUT_(p) GPU_FOR_C_(const gpu_output *)
#else
/* clang-format off */
/* The gpu_type of a pointer's target, from the pointer's C type; NULL for other types, such as structs.
 * __builtin_classify_type gives 5 for a target that is itself a pointer or an array. */
#define GPU_CASE_(T, name) T * : &gpu_type_##name, const T * : &gpu_type_##name,
#define GPU_CASES_(name)                                                                                               \
    GPU_CASE_(gpu_##name##2, name##2) GPU_CASE_(gpu_##name##3, name##3) GPU_CASE_(gpu_##name##4, name##4)
#define GPU_KNOWN_(p) _Generic((p), void * : (char *)0, const void * : (const char *)0, default : (p))
#define GPU_OTHER_(p) (__builtin_classify_type(*GPU_KNOWN_(p)) == 5 ? &gpu_refused_array : (gpu_type)0)
#define GPU_POINTEE_(p)                                                                                                \
    _Generic((p), GPU_CASE_(char, char) GPU_CASE_(signed char, char) GPU_CASE_(unsigned char, uchar)                   \
                 GPU_CASE_(short, short) GPU_CASE_(unsigned short, ushort) GPU_CASE_(int, int)                         \
                 GPU_CASE_(unsigned int, uint) GPU_CASE_(long, long) GPU_CASE_(unsigned long, ulong)                   \
                 GPU_CASE_(long long, long) GPU_CASE_(unsigned long long, ulong) GPU_CASE_(float, float)               \
                 GPU_CASE_(double, double) GPU_CASES_(char) GPU_CASES_(uchar) GPU_CASES_(short) GPU_CASES_(ushort)     \
                 GPU_CASES_(int) GPU_CASES_(uint) GPU_CASES_(long) GPU_CASES_(ulong) GPU_CASES_(float)                 \
                 GPU_CASES_(double) _Bool * : &gpu_refused_bool, const _Bool * : &gpu_refused_bool,                    \
                 long double * : &gpu_refused_long_double, const long double * : &gpu_refused_long_double,             \
                 default : GPU_OTHER_(p))
#define GPU_POINTEE_SIZE_(p)                                                                                           \
    _Generic((p), void * : (size_t)0, const void * : (size_t)0, default : __extension__ sizeof(*(p)))
/* clang-format on */
#define GPU_VALUE_(p) (&(const gpu_value){(p), GPU_POINTEE_(p), GPU_POINTEE_SIZE_(p)})
#define GPU_OUTPUT_(p) (&(const gpu_output){(p), GPU_POINTEE_(p), GPU_POINTEE_SIZE_(p)})
#endif

GPU_END_DECLS
#endif
