/* The layout of user structs: parsed from the member text of a GPU_STRUCT, written out again for the device. */
#ifndef FP_KERNEL_LAYOUT_H
#define FP_KERNEL_LAYOUT_H

#include "base/text.h"
#include "kernel/lex.h"

#include <firepile/define.h>

typedef struct fp_layout fp_layout;

/* A member is of a type of ours, of a registered struct, or a struct or union in place, with members of its own. */
typedef struct fp_member {
    fp_slice name;                  /* empty: anonymous */
    gpu_type type;                  /* NULL: a struct or union in place */
    const fp_layout *inner;         /* of a registered struct, whose type is kept */
    struct fp_member *first, *last; /* its members: its own, or those of `inner` */
    bool is_union;
    fp_text lengths; /* "[2][3]" */
    size_t elements; /* 6 of these; 1 of what is no array */
    size_t offset;   /* in the struct or union around it */
    size_t size;
    size_t align;
    struct fp_member *next;
} fp_member;

/* A member that has no members of its own, or element 0 of an array of such. */
typedef struct fp_leaf {
    char *path; /* "a[0].b" */
    size_t offset;
} fp_leaf;

struct fp_layout {
    gpu_type type;
    fp_member root;
    fp_layout **uses; /* the structs that members name directly, in order of appearance, each once */
    size_t use_count, use_capacity;
    fp_leaf *leaves;
    size_t leaf_count, leaf_capacity;
    bool has_double; /* in a member, nested ones included */
};

/* Parses type->members and computes offsets by the host's rules. GPU_E_LAYOUT with the member, its text and what to
 * write instead, for anything outside the grammar (firepile/define.h) and for sizes that disagree with type->size or
 * type->align. */
gpu_status fp_layout_parse(gpu_type type, fp_layout **out);
void fp_layout_free(fp_layout *layout);

/* GPU_E_LAYOUT unless devices place each member where the host does. Their rules are those of OpenCL C, so no
 * device is asked. */
gpu_status fp_layout_check(const fp_layout *layout);

/* Writes `typedef struct NAME { ... } NAME;` in OpenCL C, with the device's own names for types; `name_of` gives the
 * name a kept struct has in this program. Then one line for each leaf member and one for the size, so that the
 * device's compiler checks the host's numbers and its build log names the culprit:
 *     FP_LAYOUT_OFFSET(NAME, path.to.member, path_to_member, 12)
 *     FP_LAYOUT_SIZE(NAME, 16)
 * (defined in kernels/prelude.cl; arrays are checked at element 0). */
void fp_layout_write(const fp_layout *layout, const char *name,
                     const char *(*name_of)(void *context, gpu_type structure), void *context, fp_text *out);

/* Writes "M(double, sum) M(float4, place)", the members' types and names, for the argument of a macro that takes a
 * macro. False, and nothing, if a member is no scalar and no vector. */
bool fp_layout_write_list(const fp_layout *layout, fp_text *out);

/* Writes a probe: the text of a kernel `fp_probe(__global ulong *out)` that stores the device's offset of each leaf in
 * order, then the size. */
void fp_layout_write_probe(const fp_layout *layout, const char *name, fp_text *out);

/* GPU_E_LAYOUT naming the first member whose offset differs, with both offsets, or the two sizes; GPU_OK if everything
 * agrees. The offsets come from a probe or from the rules. */
gpu_status fp_layout_compare(const fp_layout *layout, const uint64_t *device_offsets);

#endif
