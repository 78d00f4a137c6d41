/* The layout of user structs: parsed from the member text of a GPU_STRUCT, written out again for the device. */
#ifndef FP_KERNEL_LAYOUT_H
#define FP_KERNEL_LAYOUT_H

#include "base/text.h"

#include <firepile/define.h>

typedef struct fp_layout fp_layout;

/* Parses type->members and computes offsets by the host's rules. GPU_E_LAYOUT with the member, its text and what to
 * write instead, for anything outside the grammar (firepile/define.h) and for sizes that disagree with type->size or
 * type->align. */
gpu_status fp_layout_parse(gpu_type type, fp_layout **out);
void fp_layout_free(fp_layout *layout);

/* The kept structs that members name directly, in order of appearance, each once. */
size_t fp_layout_uses(const fp_layout *layout, const gpu_type **structs);

/* Does any member, nested ones included, have a component of type double? */
bool fp_layout_has_double(const fp_layout *layout);

/* GPU_E_LAYOUT unless devices place each member where the host does. Their rules are those of OpenCL C, so no
 * device is asked. */
gpu_status fp_layout_check(const fp_layout *layout, gpu_type type);

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

/* A probe: the text of a kernel `fp_probe(__global ulong *out)` that stores the device's offset of each leaf member in
 * order, then the size. `members` of them come before the size. */
void fp_layout_write_probe(const fp_layout *layout, const char *name, fp_text *out);
size_t fp_layout_members(const fp_layout *layout);

/* After a probe, or with what the rules say: GPU_E_LAYOUT naming the first member whose offset differs, with both
 * offsets, or the two sizes; GPU_OK if everything agrees. */
gpu_status fp_layout_compare(const fp_layout *layout, gpu_type type, const uint64_t *device_offsets);

#endif
