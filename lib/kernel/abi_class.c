#include "kernel/abi_class.h"

#include "kernel/layout.h"
#include "kernel/type.h"

const fp_abi_class fp_abi_class_pointer = {
    .kind = GPU_KIND_UNSIGNED, .size = sizeof(void *), .align = _Alignof(void *)};

static void note_members(fp_abi_class *class, const fp_member *parent, size_t offset)
{
    for (const fp_member *m = parent->first; m; m = m->next) {
        size_t stride = m->size / m->elements, begin = offset + m->offset, end = begin + m->size;
        for (size_t at = begin; at < end && at < FP_PASSED_BYTES; at += stride) {
            if (m->first)
                note_members(class, m, at);
            else
                fp_abi_class_note(class, m->type->kind, at, m->type->size);
        }
    }
}

gpu_status fp_abi_class_of(gpu_type type, fp_abi_class *out)
{
    bool is_scalar = fp_type_is_scalar(type);
    *out = (fp_abi_class){.kind = is_scalar ? type->kind : GPU_KIND_STRUCT, .size = type->size, .align = type->align};
    if (type->kind != GPU_KIND_STRUCT && !is_scalar) fp_abi_class_note(out, type->kind, 0, type->size);
    if (type->kind != GPU_KIND_STRUCT) return GPU_OK;
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    note_members(out, &layout->root, 0);
    fp_layout_free(layout);
    return GPU_OK;
}
