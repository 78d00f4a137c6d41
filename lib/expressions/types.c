#include "expressions/types.h"

#include "base/error.h"
#include "base/memory.h"
#include "expressions/entry.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <string.h>

/* Compares texts too: another description may have the same address. */
static bool is_checked(const fp_checked_type *c, gpu_type type, unsigned long generation)
{
    return c->given == type && c->generation == generation && c->unit == type->unit && type->members &&
           c->kept->size == type->size && c->kept->align == type->align && !strcmp(c->kept->name, type->name) &&
           !strcmp(c->kept->members, type->members);
}

static gpu_status check_double(gpu *g, gpu_type type)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    if (layout->has_double && !g->capabilities->has_double)
        status = fp_fail(GPU_E_TYPE, "struct %s has a double, and the device %s has none", type->name,
                         g->capabilities->name);
    if (!status) status = fp_layout_check(layout);
    fp_layout_free(layout);
    return status;
}

/* The entry of `type`, or room for a new one. */
static fp_checked_type *checked_entry(gpu *g, gpu_type type)
{
    for (size_t k = 0; k < g->checked_count; k++)
        if (g->checked_types[k].given == type) return &g->checked_types[k];
    fp_checked_type *grown = fp_resize(g->checked_types, (g->checked_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    g->checked_types = grown;
    return &grown[g->checked_count];
}

static gpu_status check_struct(gpu *g, gpu_type *type)
{
    const unsigned long generation = fp_definition_generation();
    fp_checked_type *entry = checked_entry(g, *type);
    gpu_type kept;
    if (!entry) return fp_fail_memory();
    bool is_new = entry == &g->checked_types[g->checked_count];
    if (is_new || !is_checked(entry, *type, generation)) {
        gpu_status status = fp_type_keep(*type, &kept);
        if (!status) status = check_double(g, kept);
        if (status) return status;
        *entry = (fp_checked_type){*type, (*type)->unit, generation, kept};
        g->checked_count += is_new;
    }
    *type = entry->kept;
    return GPU_OK;
}

gpu_status fp_gpu_check_type(gpu *g, gpu_type *of)
{
    gpu_type type = *of;
    if (!g) return fp_fail_no_gpu();
    gpu_status status = fp_device_check(g->device);
    if (status) return status;
    if (!type) return fp_fail(GPU_E_ARGUMENT, "the element type is NULL: GPU_FLOAT, GPU_TYPE(name), ...");
    if (type == GPU_CAPTURE_ARRAY) return fp_fail(GPU_E_TYPE, "GPU_CAPTURE_ARRAY is no element type");
    if (fp_type_refused(type)) return fp_fail(GPU_E_TYPE, "no array has elements of the type %s", type->name);
    if (type->kind == GPU_KIND_STRUCT) return check_struct(g, of);
    if (fp_type_is_double(type) && !g->capabilities->has_double)
        return fp_fail(GPU_E_TYPE, "the device %s has no double: use GPU_FLOAT", g->capabilities->name);
    return GPU_OK;
}

/* A struct type in the making: the text of its members, the struct types among them, its size so far, its alignment. */
typedef struct members {
    fp_text text;
    gpu_type inner[FP_TUPLE_MEMBERS];
    size_t inner_count;
    size_t size;
    size_t align;
} members;

/* The index of a member's struct type among those of all members. */
static size_t place_of(members *m, gpu_type type)
{
    size_t k = 0;
    while (k < m->inner_count && m->inner[k] != type) k++;
    if (k == m->inner_count) m->inner[m->inner_count++] = type;
    return k;
}

static void add_member(members *m, gpu_type type, const char *name, unsigned number)
{
    if (type->kind == GPU_KIND_STRUCT)
        fp_text_print(&m->text, "fp_%zu %s%u; ", place_of(m, type), name, number);
    else
        fp_text_print(&m->text, "%s%s %s%u; ", type->width > 1 ? "gpu_" : "", type->name, name, number);
    m->size = fp_round_up(m->size, type->align) + type->size;
    if (type->align > m->align) m->align = type->align;
}

/* Frees the members' text. */
static gpu_type made_type(const char *name, members *m)
{
    gpu_type type = NULL;
    const gpu_type_info info = {.name = name,
                                .size = fp_round_up(m->size, m->align),
                                .align = m->align,
                                .kind = GPU_KIND_STRUCT,
                                .width = 1,
                                .members = fp_text_string(&m->text)};
    if (m->text.failed)
        fp_fail_memory();
    else if (fp_type_make(&info, m->inner, m->inner_count, &type))
        type = NULL;
    fp_text_free(&m->text);
    return type;
}

gpu_type fp_tuple_type(const gpu_type *types, unsigned count, bool marked)
{
    members m = {.size = 0};
    for (unsigned k = 0; k < count; k++) add_member(&m, types[k], "v", k);
    if (marked) add_member(&m, GPU_UINT, "kept", 0);
    return made_type("fp_tuple", &m);
}

size_t fp_tuple_member(const gpu_type *types, unsigned k)
{
    size_t end = 0;
    for (unsigned before = 0; before < k; before++) end = fp_round_up(end, types[before]->align) + types[before]->size;
    return fp_round_up(end, types[k]->align);
}

size_t fp_tuple_mark(const gpu_type *types, unsigned count)
{
    const unsigned last = count - 1;
    return fp_round_up(fp_tuple_member(types, last) + types[last]->size, GPU_UINT->align);
}

gpu_type fp_pair_type(gpu_type v, gpu_type w, bool marked)
{
    members m = {.size = 0};
    add_member(&m, v, "v", 0);
    add_member(&m, w, "w", 0);
    if (marked) add_member(&m, GPU_UINT, "mark", 0);
    return made_type("fp_pair", &m);
}

size_t fp_pair_second(gpu_type v, gpu_type w)
{
    return fp_round_up(v->size, w->align);
}

size_t fp_pair_mark(gpu_type v, gpu_type w)
{
    return fp_round_up(fp_pair_second(v, w) + w->size, GPU_UINT->align);
}
