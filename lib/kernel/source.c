#include "kernel/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <string.h>

/* Makes room for one more in a growing list. */
static bool room(fp_source *source, void *list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    size_t wanted = *capacity ? 2 * *capacity : 8;
    void *grown = fp_resize(*(void **)list, wanted * size);
    if (!grown) {
        source->failed = true;
        return false;
    }
    *(void **)list = grown;
    *capacity = wanted;
    return true;
}

void fp_source_free(fp_source *source)
{
    for (int k = 0; k < FP_PARTS; k++) fp_text_free(&source->parts[k]);
    for (size_t k = 0; k < source->struct_count; k++) {
        fp_free(source->structs[k].name);
        fp_layout_free(source->structs[k].layout);
    }
    for (size_t k = 0; k < source->included_count; k++) fp_free(source->included[k].name);
    fp_free(source->spans);
    fp_free(source->origins);
    fp_free(source->structs);
    fp_free(source->included);
    *source = (fp_source){0};
}

void fp_source_assemble(const fp_source *source, fp_text *out)
{
    for (int k = 0; k < FP_PARTS; k++) {
        fp_text_add(out, source->parts[k].bytes, source->parts[k].length);
        if (source->parts[k].failed) out->failed = true;
    }
}

/* ---- quoting, and finding the way back ---- */

static unsigned add_origin(fp_source *source, const fp_origin *origin)
{
    if (!room(source, &source->origins, source->origin_count, &source->origin_capacity, sizeof *origin)) return 0;
    source->origins[source->origin_count] = *origin;
    return (unsigned)source->origin_count++;
}

static void add_span(fp_source *source, fp_span span, const char *bytes)
{
    if (!span.length || !room(source, &source->spans, source->span_count, &source->span_capacity, sizeof span)) return;
    span.begin = source->parts[span.part].length;
    source->spans[source->span_count++] = span;
    fp_text_add(&source->parts[span.part], bytes, span.length);
}

/* What a word of a text becomes: the name in this program of the definition it means, else NULL. */
static const char *replacement(const fp_source *source, const fp_origin *origin, const fp_word *word, const void *unit)
{
    const gpu_definition *d;
    const char *text = origin->text + word->offset;
    if (word->member) return NULL;
    const char *name = origin->rename ? origin->rename(origin->owner, text, word->length) : NULL;
    if (name) return name;
    if (fp_definition_find(text, word->length, unit, &d) || !d) return NULL;
    if (d->kind == GPU_DEFINES_STRUCT) {
        for (size_t k = 0; k < source->struct_count; k++)
            if (gpu_type_equal(source->structs[k].type, d->type)) return source->structs[k].name;
        return NULL;
    }
    if (d->kind != GPU_DEFINES_CONSTANT && !word->called) return NULL;
    for (size_t k = 0; k < source->included_count; k++)
        if (source->included[k].definition == d) return source->included[k].name;
    return NULL;
}

void fp_source_quote(fp_source *source, fp_part part, const fp_origin *origin, const fp_words *words, const void *unit)
{
    unsigned index = add_origin(source, origin);
    const char *text = origin->text;
    size_t done = 0;
    for (size_t k = 0; k < words->count; k++) {
        const fp_word *word = &words->list[k];
        const char *name = replacement(source, origin, word, unit);
        if (!name) continue;
        add_span(source, (fp_span){part, 0, word->offset - done, done, word->offset - done, index}, text + done);
        add_span(source, (fp_span){part, 0, strlen(name), word->offset, word->length, index}, name);
        done = word->offset + word->length;
    }
    size_t rest = strlen(text) - done;
    add_span(source, (fp_span){part, 0, rest, done, rest, index}, text + done);
}

enum { CLOSING = 7 };

static size_t offset_of(const char *text, unsigned line, unsigned column)
{
    const char *at = text;
    for (; line > 1; line--) {
        const char *end = strchr(at, '\n');
        if (!end) break;
        at = end + 1;
    }
    size_t length = strcspn(at, "\n");
    size_t skip = column > 0 ? column - 1 : 0;
    return (size_t)(at - text) + (skip < length ? skip : length);
}

bool fp_source_locate(const fp_source *source, const char *assembled, unsigned line, unsigned column,
                      const fp_origin **origin, size_t *offset)
{
    size_t at = offset_of(assembled, line, column), base[FP_PARTS] = {0};
    for (int k = 1; k < FP_PARTS; k++) base[k] = base[k - 1] + source->parts[k - 1].length;
    for (size_t k = 0; k < source->span_count; k++) {
        const fp_span *span = &source->spans[k];
        size_t begin = base[span->part] + span->begin;
        /* What closes a text, "\n    );", still belongs to it: that is where compilers miss something. */
        bool last = k + 1 == source->span_count || source->spans[k + 1].origin != span->origin;
        if (at < begin || at >= begin + span->length + (last ? CLOSING : 0)) continue;
        size_t inside = at - begin;
        *origin = &source->origins[span->origin];
        *offset = span->offset + (inside < span->offset_length ? inside : span->offset_length - (last ? 0 : 1));
        return true;
    }
    return false;
}

/* ---- definitions ---- */

static gpu_status out_of_memory(fp_source *source)
{
    source->failed = true;
    return fp_fail_memory();
}

static char *new_name(char letter, size_t number, const char *name)
{
    fp_text text = {0};
    fp_text_print(&text, "fp_%c%zu_%s", letter, number, name);
    if (!text.failed) return text.bytes;
    fp_text_free(&text);
    return NULL;
}

static const char *name_of_struct(void *context, const gpu_definition *definition)
{
    return fp_source_type(context, definition->type);
}

static gpu_status add_struct(fp_source *source, gpu_type type)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    const gpu_definition *const *uses;
    size_t count = fp_layout_uses(layout, &uses);
    for (size_t k = 0; k < count; k++) {
        if (fp_source_type(source, uses[k]->type)) continue;
        fp_layout_free(layout);
        return fp_last_status();
    }
    char *name = new_name('t', source->struct_count, type->name);
    if (!name || !room(source, &source->structs, source->struct_count, &source->struct_capacity, sizeof(fp_struct))) {
        fp_free(name);
        fp_layout_free(layout);
        return out_of_memory(source);
    }
    source->structs[source->struct_count++] = (fp_struct){type, name, layout};
    fp_layout_write(layout, name, name_of_struct, source, &source->parts[FP_PART_DEFINITIONS]);
    return GPU_OK;
}

const char *fp_source_type(fp_source *source, gpu_type type)
{
    if (type->kind != GPU_KIND_STRUCT) return type->name;
    for (size_t k = 0; k < source->struct_count; k++)
        if (gpu_type_equal(source->structs[k].type, type)) return source->structs[k].name;
    return add_struct(source, type) ? NULL : source->structs[source->struct_count - 1].name;
}

/* A constant's value in OpenCL C, the same bits. */
static void write_constant(const gpu_definition *d, const char *name, fp_text *out)
{
    unsigned char bytes[8] = {0};
    memcpy(bytes, d->value, d->type->size);
    uint64_t bits;
    memcpy(&bits, bytes, 8);
    if (d->type == GPU_FLOAT) {
        fp_text_print(out, "#define %s as_float(0x%08xu)\n", name, (unsigned)bits);
    } else if (d->type == GPU_DOUBLE) {
        fp_text_print(out, "#define %s as_double(0x%016llxUL)\n", name, (unsigned long long)bits);
    } else {
        fp_text_print(out, "#define %s ((%s)0x%llxUL)\n", name, d->type->name, (unsigned long long)bits);
    }
}

static gpu_status write_function(fp_source *source, const gpu_definition *d, const char *name)
{
    const char *texts[3] = {d->result, d->parameters, d->body};
    fp_words words[3] = {{0}};
    gpu_status status = GPU_OK;
    for (int k = 0; k < 3 && !status; k++) {
        if (!fp_words_find(texts[k], &words[k])) status = out_of_memory(source);
        if (!status) status = fp_source_needs(source, texts[k], &words[k], d->place.unit);
    }
    fp_text *out = &source->parts[FP_PART_DEFINITIONS];
    for (int k = 0; k < 3 && !status; k++) {
        fp_source_quote(source, FP_PART_DEFINITIONS, &(fp_origin){texts[k], d->name, d->place, NULL, NULL}, &words[k],
                        d->place.unit);
        fp_text_print(out, k == 0 ? "\n%s" : "\n", name);
    }
    for (int k = 0; k < 3; k++) fp_free(words[k].list);
    return status;
}

static gpu_status include(fp_source *source, const gpu_definition *d, size_t *index)
{
    for (size_t k = 0; k < source->included_count; k++) {
        if (source->included[k].definition != d) continue;
        *index = k;
        if (source->included[k].complete) return GPU_OK;
        return fp_fail(GPU_E_SNIPPET, "%s (%s:%d) calls itself: OpenCL C has no recursion, write a loop", d->name,
                       d->place.file, d->place.line);
    }
    bool constant = d->kind == GPU_DEFINES_CONSTANT;
    if (constant && (!d->type || !fp_type_is_scalar(d->type)))
        return fp_fail(GPU_E_TYPE, "GPU_CONSTANT %s (%s:%d) is no scalar", d->name, d->place.file, d->place.line);
    char *name = new_name(constant ? 'c' : 'f', source->included_count, d->name);
    if (!name ||
        !room(source, &source->included, source->included_count, &source->included_capacity, sizeof(fp_included))) {
        fp_free(name);
        return out_of_memory(source);
    }
    *index = source->included_count++;
    source->included[*index] = (fp_included){d, name, constant};
    if (constant) {
        write_constant(d, name, &source->parts[FP_PART_DEFINITIONS]);
        return GPU_OK;
    }
    gpu_status status = write_function(source, d, name);
    source->included[*index].complete = true;
    return status;
}

gpu_status fp_source_needs(fp_source *source, const char *text, const fp_words *words, const void *unit)
{
    for (size_t k = 0; k < words->count; k++) {
        const fp_word *word = &words->list[k];
        const gpu_definition *d;
        size_t index;
        if (word->member) continue;
        gpu_status status = fp_definition_find(text + word->offset, word->length, unit, &d);
        if (!status && d && d->kind == GPU_DEFINES_STRUCT) {
            status = fp_source_type(source, d->type) ? GPU_OK : fp_last_status();
        } else if (!status && d && (d->kind == GPU_DEFINES_CONSTANT || word->called)) {
            status = include(source, d, &index);
        }
        if (status) return status;
    }
    return GPU_OK;
}

gpu_status fp_source_function(fp_source *source, const gpu_definition *function, const char **name)
{
    size_t index;
    gpu_status status = include(source, function, &index);
    if (!status) *name = source->included[index].name;
    return status;
}
