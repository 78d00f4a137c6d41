#include "kernel/layout.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/layout_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void free_members(fp_member *first)
{
    while (first) {
        fp_member *next = first->next;
        free_members(first->first);
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
    fp_free(layout->leaves);
    fp_free(layout->uses);
    fp_free(layout);
}

size_t fp_layout_uses(const fp_layout *layout, const gpu_type **structs)
{
    *structs = layout->uses;
    return layout->use_count;
}

bool fp_layout_has_double(const fp_layout *layout)
{
    return layout->has_double;
}

size_t fp_layout_members(const fp_layout *layout)
{
    return layout->leaf_count;
}

size_t fp_member_elements(const fp_member *member)
{
    size_t n = 1;
    for (const char *at = strchr(fp_text_string(&member->lengths), '['); at; at = strchr(at + 1, '['))
        n *= strtoull(at + 1, NULL, 10);
    return n;
}

/* Where the text of a struct goes. */
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
    if (member->first) {
        fp_text_put(w->out, member->is_union ? "union {\n" : "struct {\n");
        write_members(w, member, depth + 1);
        fp_text_print(w->out, "%*s}", indent, "");
    } else {
        fp_text_put(w->out, member->type ? member->type->name : w->name_of(w->context, member->structure));
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
        if (!m->type || m->rank) return false;
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

gpu_status fp_layout_compare(const fp_layout *layout, gpu_type type, const uint64_t *device_offsets)
{
    static const char *const advice = "the device aligns vectors of more than 16 bytes to their whole size; put them "
                                      "first, or fill the gaps with members of your own, so that both sides agree";
    for (size_t i = 0; i < layout->leaf_count; i++) {
        const fp_leaf *leaf = &layout->leaves[i];
        if (leaf->offset == device_offsets[i]) continue;
        return fp_fail(GPU_E_LAYOUT,
                       "struct '%s': member '%s' is at byte %zu on the host and at byte %" PRIu64 " on the device: %s",
                       type->name, leaf->path, leaf->offset, device_offsets[i], advice);
    }
    uint64_t device_size = device_offsets[layout->leaf_count];
    if (layout->root.size == device_size) return GPU_OK;
    return fp_fail(GPU_E_LAYOUT, "struct '%s' has %zu bytes on the host and %" PRIu64 " on the device: %s", type->name,
                   layout->root.size, device_size, advice);
}

/* ---- the device's layout ---- */

/* What a type or member takes on devices, where OpenCL C aligns each scalar and vector to its whole size. */
typedef struct extent {
    size_t size, align;
} extent;

typedef struct placing {
    const fp_layout *layout;
    extent *inner;     /* of layout->uses */
    uint64_t *offsets; /* of leaves, */
    size_t count;      /* so far */
} placing;

static size_t round_up(size_t bytes, size_t align)
{
    return (bytes + align - 1) / align * align;
}

static extent place_members(placing *p, const fp_member *parent, size_t offset, bool notes);

/* One element of a member. */
static extent measure(placing *p, const fp_member *member)
{
    if (member->first) return place_members(p, member, 0, false);
    if (member->type) return (extent){member->type->size, member->type->size};
    size_t k = 0;
    while (p->layout->uses[k] != member->structure) k++;
    return p->inner[k];
}

/* Members of a struct or union that begins at `offset`; `notes` the leaves among them. */
static extent place_members(placing *p, const fp_member *parent, size_t offset, bool notes)
{
    extent all = {0, 1};
    for (const fp_member *m = parent->first; m; m = m->next) {
        const extent one = measure(p, m);
        size_t at = parent->is_union ? 0 : round_up(all.size, one.align), end = at + one.size * fp_member_elements(m);
        if (end > all.size) all.size = end;
        if (one.align > all.align) all.align = one.align;
        if (notes && m->first) place_members(p, m, offset + at, true);
        if (notes && !m->first) p->offsets[p->count++] = offset + at;
    }
    all.size = round_up(all.size, all.align);
    return all;
}

static gpu_status check(const fp_layout *layout, gpu_type type, extent *out);

static gpu_status check_inner(const placing *p)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < p->layout->use_count && !status; k++) {
        fp_layout *layout;
        gpu_type type = p->layout->uses[k];
        status = fp_layout_parse(type, &layout);
        if (status) return status;
        status = check(layout, type, &p->inner[k]);
        fp_layout_free(layout);
    }
    return status;
}

static gpu_status check(const fp_layout *layout, gpu_type type, extent *out)
{
    placing p = {.layout = layout};
    p.inner = fp_alloc_array(layout->use_count + 1, sizeof *p.inner);
    p.offsets = fp_alloc_array(layout->leaf_count + 1, sizeof *p.offsets);
    gpu_status status = p.inner && p.offsets ? check_inner(&p) : fp_fail_memory();
    if (!status) {
        *out = place_members(&p, &layout->root, 0, true);
        p.offsets[p.count] = out->size;
        status = fp_layout_compare(layout, type, p.offsets);
    }
    fp_free(p.inner);
    fp_free(p.offsets);
    return status;
}

gpu_status fp_layout_check(const fp_layout *layout, gpu_type type)
{
    extent unused;
    return check(layout, type, &unused);
}
