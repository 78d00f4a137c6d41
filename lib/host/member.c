/* Members of structs and vectors in texts. */
#include "host/internal.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <string.h>

/* The scalar or struct that a member is, and where it is in its struct. NULL: there is none, or it is an array. */
static gpu_type member_of_struct(const fp_layout *layout, fp_slice name, size_t *offset, bool *wrong)
{
    const fp_member *m = layout->root.first;
    while (m && !fp_slice_equal(m->name, name)) m = m->next;
    *wrong = !m;
    if (!m || m->lengths.length) return NULL;
    *offset += m->offset;
    return m->type;
}

static gpu_type member_of_vector(gpu_type vector, fp_slice name, size_t *offset)
{
    static const char names[] = "xyzw";
    const char *at = name.length == 1 ? memchr(names, *name.bytes, sizeof names - 1) : NULL;
    if (!at || at - names >= vector->width) return NULL;
    *offset += (size_t)(at - names) * fp_type_scalar(vector)->size;
    return fp_type_scalar(vector);
}

gpu_type fp_member_find(gpu_type type, fp_slice name, size_t *offset, bool *wrong)
{
    fp_layout *layout;
    *wrong = false;
    if (type->kind != GPU_KIND_STRUCT) return member_of_vector(type, name, offset);
    if (fp_layout_parse(type, &layout)) return NULL;
    const gpu_type member = member_of_struct(layout, name, offset, wrong);
    fp_layout_free(layout);
    return member;
}
