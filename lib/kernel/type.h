/* Questions about element types. */
#ifndef FP_KERNEL_TYPE_H
#define FP_KERNEL_TYPE_H

#include <firepile/type.h>

/* The scalar type of a vector's components; the type itself for scalars and structs. */
gpu_type fp_type_scalar(gpu_type type);

/* The library's one description of a struct type, with copies of its texts and its inner structs. Two types are the
 * same if and only if their kept types are one pointer. Scalars and vectors are their own kept types. Kept types live
 * as long as the process. GPU_E_LAYOUT for members outside the grammar. */
gpu_status fp_type_keep(gpu_type type, gpu_type *out);
bool fp_type_is_kept(gpu_type type);

/* The kept type that a member of a kept type names; NULL if it names none. */
gpu_type fp_type_inner(gpu_type type, const char *name, size_t length);

/* Keeps a struct type that the library makes. Its text calls a member's kept struct fp_0, fp_1, ... after the place in
 * `inner`, since two structs may have one name. */
gpu_status fp_type_make(const gpu_type_info *info, const gpu_type *inner, size_t count, gpu_type *out);

/* The type with a C or OpenCL C name ("unsigned int", "uint", "uint32_t", "gpu_float4", "float4", "long"), with any
 * blanks between the words; NULL if the library has none. */
gpu_type fp_type_named(const char *name, size_t length);

/* `bool`, which is no element type: a number becomes one by a comparison with 0. */
extern const gpu_type_info fp_type_bool;

/* Does a scalar of `type` hold each value that one of `from` can have, but for the rounding of an integer to a
 * floating number? A bool holds those of a uchar, which is what a captured bool is. */
bool fp_type_holds(gpu_type type, gpu_type from);

/* Advice about a type that arrays cannot have: among an array's data, behind a pointer to a value or an output, and in
 * a captured variable (this one also names the type). */
typedef struct fp_refused {
    gpu_type type;
    const char *data, *value, *captured;
} fp_refused;

/* NULL if it is none of gpu_refused_bool and its like. */
const fp_refused *fp_type_refused(gpu_type type);

static inline bool fp_type_is_scalar(gpu_type type)
{
    return type->kind != GPU_KIND_STRUCT && type->width == 1;
}

/* May combining such elements round, so that the order of combining shows? A struct may hold anything. */
static inline bool fp_type_rounds(gpu_type type)
{
    return type->kind != GPU_KIND_SIGNED && type->kind != GPU_KIND_UNSIGNED;
}

static inline bool fp_type_is_double(gpu_type type)
{
    return type->kind == GPU_KIND_FLOATING && type->size / (type->width == 3 ? 4 : type->width) == 8;
}

#endif
