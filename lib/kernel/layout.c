#include "kernel/layout.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

static void free_members(fp_member *first)
{
    while (first) {
        fp_member *next = first->next;
        if (!first->inner) free_members(first->first);
        fp_text_free(&first->lengths);
        fp_free(first);
        first = next;
    }
}

void fp_layout_free(fp_layout *layout)
{
    if (!layout) return;
    free_members(layout->root.first);
    for (size_t i = 0; i < layout->leaf_count; i++) fp_free(layout->leaves[i].path);
    for (size_t i = 0; i < layout->use_count; i++) fp_layout_free(layout->uses[i]);
    fp_free(layout->leaves);
    fp_free(layout->uses);
    fp_free(layout);
}

/* The target of a struct's text. */
typedef struct writer {
    fp_text *out;
    const char *(*name_of)(void *context, gpu_type structure);
    void *context;
} writer;

static void write_members(const writer *w, const fp_member *parent, unsigned depth);

static void write_member(const writer *w, const fp_member *member, unsigned depth)
{
    int indent = (int)(4 * depth);
    fp_text_print(w->out, "%*s", indent, "");
    if (!member->type) {
        fp_text_put(w->out, member->is_union ? "union {\n" : "struct {\n");
        write_members(w, member, depth + 1);
        fp_text_print(w->out, "%*s}", indent, "");
    } else {
        fp_text_put(w->out, member->inner ? w->name_of(w->context, member->type) : member->type->name);
    }
    if (member->name.length) fp_text_put(w->out, " ");
    fp_text_add(w->out, member->name.bytes, member->name.length);
    fp_text_put(w->out, fp_text_string(&member->lengths));
    fp_text_put(w->out, ";\n");
}

static void write_members(const writer *w, const fp_member *parent, unsigned depth)
{
    for (const fp_member *m = parent->first; m; m = m->next) write_member(w, m, depth);
}

/* "a[0].b" as an identifier: a_b */
static void write_identifier(const char *path, fp_text *out)
{
    for (const char *c = path; *c; c++) {
        if (*c == '[') {
            c += 2;
        } else {
            fp_text_add(out, *c == '.' ? "_" : c, 1);
        }
    }
}

void fp_layout_write(const fp_layout *layout, const char *name,
                     const char *(*name_of)(void *context, gpu_type structure), void *context, fp_text *out)
{
    const writer w = {out, name_of, context};
    fp_text_print(out, "typedef struct %s {\n", name);
    write_members(&w, &layout->root, 1);
    fp_text_print(out, "} %s;\n", name);
    for (size_t i = 0; i < layout->leaf_count; i++) {
        const fp_leaf *leaf = &layout->leaves[i];
        fp_text_print(out, "FP_LAYOUT_OFFSET(%s, %s, ", name, leaf->path);
        write_identifier(leaf->path, out);
        fp_text_print(out, ", %zu)\n", leaf->offset);
    }
    fp_text_print(out, "FP_LAYOUT_SIZE(%s, %zu)\n", name, layout->root.size);
}

bool fp_layout_write_list(const fp_layout *layout, fp_text *out)
{
    for (const fp_member *m = layout->root.first; m; m = m->next)
        if (!m->type || m->inner || m->lengths.length) return false;
    for (const fp_member *m = layout->root.first; m; m = m->next)
        fp_text_print(out, " M(%s, %.*s)", m->type->name, (int)m->name.length, m->name.bytes);
    return true;
}

void fp_layout_write_probe(const fp_layout *layout, const char *name, fp_text *out)
{
    fp_text_print(out, "__kernel void fp_probe(__global ulong *fp_out)\n{\n    __private %s fp_p;\n", name);
    for (size_t i = 0; i < layout->leaf_count; i++) {
        fp_text_print(out, "    fp_out[%zu] = (ulong)((__private char *)&fp_p.%s - (__private char *)&fp_p);\n", i,
                      layout->leaves[i].path);
    }
    fp_text_print(out, "    fp_out[%zu] = sizeof(%s);\n}\n", layout->leaf_count, name);
}

gpu_status fp_layout_compare(const fp_layout *layout, const uint64_t *device_offsets)
{
    static const char *const advice = "the device aligns vectors of more than 16 bytes to their whole size; put them "
                                      "first, or fill the gaps with members of your own, so that both sides agree";
    for (size_t i = 0; i < layout->leaf_count; i++) {
        const fp_leaf *leaf = &layout->leaves[i];
        if (leaf->offset == device_offsets[i]) continue;
        return fp_fail(GPU_E_LAYOUT,
                       "struct '%s': member '%s' is at byte %zu on the host and at byte %" PRIu64 " on the device: %s",
                       layout->type->name, leaf->path, leaf->offset, device_offsets[i], advice);
    }
    uint64_t device_size = device_offsets[layout->leaf_count];
    if (layout->root.size == device_size) return GPU_OK;
    return fp_fail(GPU_E_LAYOUT, "struct '%s' has %zu bytes on the host and %" PRIu64 " on the device: %s",
                   layout->type->name, layout->root.size, device_size, advice);
}

/* ---- the device's layout ---- */

/* The size of a type or member on devices, where OpenCL C aligns each scalar and vector to its whole size. */
typedef struct extent {
    size_t size, align;
} extent;

/* Places the members of a struct or union that begins at `offset`. Appends the offsets of its leaves at *offsets, which
 * is NULL for one element of an array. */
static extent place_members(const fp_member *parent, size_t offset, uint64_t **offsets)
{
    extent all = {0, 1};
    for (const fp_member *m = parent->first; m; m = m->next) {
        const extent one = m->first ? place_members(m, 0, NULL) : (extent){m->type->size, m->type->size};
        size_t at = parent->is_union ? 0 : fp_round_up(all.size, one.align), end = at + one.size * m->elements;
        if (end > all.size) all.size = end;
        if (one.align > all.align) all.align = one.align;
        if (offsets && !m->type) place_members(m, offset + at, offsets);
        if (offsets && m->type) *(*offsets)++ = offset + at;
    }
    all.size = fp_round_up(all.size, all.align);
    return all;
}

gpu_status fp_layout_check(const fp_layout *layout)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < layout->use_count && !status; k++) status = fp_layout_check(layout->uses[k]);
    if (status) return status;
    uint64_t *offsets = fp_alloc_array(layout->leaf_count + 1, sizeof *offsets), *end = offsets;
    if (!offsets) return fp_fail_memory();
    const extent all = place_members(&layout->root, 0, &end);
    *end = all.size;
    status = fp_layout_compare(layout, offsets);
    fp_free(offsets);
    return status;
}
