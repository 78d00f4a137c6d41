#include "kernel/passed.h"

#include "kernel/layout_tree.h"
#include "kernel/type.h"

const fp_passed fp_passed_pointer = {.kind = GPU_KIND_UNSIGNED, .size = sizeof(void *), .align = _Alignof(void *)};

static gpu_status note_struct(fp_passed *passed, gpu_type type, size_t offset);
static gpu_status note_members(fp_passed *passed, const fp_member *parent, size_t offset);

static gpu_status note_element(fp_passed *passed, const fp_member *m, size_t offset)
{
    if (m->first) return note_members(passed, m, offset);
    if (m->structure) return note_struct(passed, m->structure, offset);
    fp_passed_note(passed, m->type->kind, offset, m->type->size);
    return GPU_OK;
}

static gpu_status note_members(fp_passed *passed, const fp_member *parent, size_t offset)
{
    gpu_status status = GPU_OK;
    for (const fp_member *m = parent->first; m; m = m->next) {
        size_t stride = m->size / fp_member_elements(m), begin = offset + m->offset, end = begin + m->size;
        if (end > FP_PASSED_BYTES) end = FP_PASSED_BYTES;
        for (size_t at = begin; at < end && !status; at += stride) status = note_element(passed, m, at);
    }
    return status;
}

static gpu_status note_struct(fp_passed *passed, gpu_type type, size_t offset)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    status = note_members(passed, &layout->root, offset);
    fp_layout_free(layout);
    return status;
}

gpu_status fp_passed_of(gpu_type type, fp_passed *out)
{
    bool is_scalar = fp_type_is_scalar(type);
    *out = (fp_passed){.kind = is_scalar ? type->kind : GPU_KIND_STRUCT, .size = type->size, .align = type->align};
    if (type->kind == GPU_KIND_STRUCT) return note_struct(out, type, 0);
    if (!is_scalar) fp_passed_note(out, type->kind, 0, type->size);
    return GPU_OK;
}
