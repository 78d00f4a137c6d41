#include "kernel/abi_class.h"

#include "kernel/layout_tree.h"
#include "kernel/type.h"

const fp_abi_class fp_abi_class_pointer = {
    .kind = GPU_KIND_UNSIGNED, .size = sizeof(void *), .align = _Alignof(void *)};

static gpu_status note_struct(fp_abi_class *class, gpu_type type, size_t offset);
static gpu_status note_members(fp_abi_class *class, const fp_member *parent, size_t offset);

static gpu_status note_element(fp_abi_class *class, const fp_member *m, size_t offset)
{
    if (m->first) return note_members(class, m, offset);
    if (m->structure) return note_struct(class, m->structure, offset);
    fp_abi_class_note(class, m->type->kind, offset, m->type->size);
    return GPU_OK;
}

static gpu_status note_members(fp_abi_class *class, const fp_member *parent, size_t offset)
{
    gpu_status status = GPU_OK;
    for (const fp_member *m = parent->first; m; m = m->next) {
        size_t stride = m->size / fp_member_elements(m), begin = offset + m->offset, end = begin + m->size;
        if (end > FP_PASSED_BYTES) end = FP_PASSED_BYTES;
        for (size_t at = begin; at < end && !status; at += stride) status = note_element(class, m, at);
    }
    return status;
}

static gpu_status note_struct(fp_abi_class *class, gpu_type type, size_t offset)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    status = note_members(class, &layout->root, offset);
    fp_layout_free(layout);
    return status;
}

gpu_status fp_abi_class_of(gpu_type type, fp_abi_class *out)
{
    bool is_scalar = fp_type_is_scalar(type);
    *out = (fp_abi_class){.kind = is_scalar ? type->kind : GPU_KIND_STRUCT, .size = type->size, .align = type->align};
    if (type->kind == GPU_KIND_STRUCT) return note_struct(out, type, 0);
    if (!is_scalar) fp_abi_class_note(out, type->kind, 0, type->size);
    return GPU_OK;
}
