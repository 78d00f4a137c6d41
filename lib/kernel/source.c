#include "kernel/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/check.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/lex.h"
#include "kernel/type.h"

#include <string.h>

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
    fp_origin *new = FP_PUSH(source->origins, source->origin_count, source->origin_capacity);
    source->failed |= !new;
    if (!new) return 0;
    *new = (fp_origin){
        .text = origin->text, .operation = origin->operation, .place = origin->place, .owner = origin->owner};
    return (unsigned)source->origin_count - 1;
}

static void add_span(fp_source *source, fp_span span, const char *bytes)
{
    if (!span.length) return;
    fp_span *new = FP_PUSH(source->spans, source->span_count, source->span_capacity);
    source->failed |= !new;
    if (!new) return;
    *new = span;
    new->begin = source->parts[span.part].length;
    fp_text_add(&source->parts[span.part], bytes, span.length);
}

static gpu_status look_up(const fp_origin *origin, const fp_word *word, const gpu_definition **definition)
{
    const gpu_definition *known = origin->meanings ? origin->meanings[word - origin->words->list] : &fp_disputed;
    *definition = known;
    if (known != &fp_disputed) return GPU_OK;
    return fp_definition_find(origin->text + word->offset, word->length, origin->unit, definition);
}

/* The definition that a word of a text means, or NULL. *as is the word that the scope puts in its place, or NULL. */
static gpu_status meaning(const fp_origin *origin, const fp_word *word, const gpu_definition **definition,
                          const char **as)
{
    const char *name = origin->text + word->offset;
    *definition = NULL;
    *as = NULL;
    if (word->member || word->own || (origin->binds && origin->binds(origin->scope, name, word->length, as)))
        return GPU_OK;
    gpu_status status = look_up(origin, word, definition);
    const gpu_definition *d = *definition;
    bool function = d && (d->kind == GPU_DEFINES_FUNCTION || d->kind == GPU_DEFINES_DEVICE_FUNCTION);
    if (function && !word->called) *definition = NULL;
    return status;
}

/* What to write for a word: the name of its definition in this program, its scope's word, or NULL for itself. */
static const char *replacement(const fp_source *source, const fp_origin *origin, const fp_word *word)
{
    const gpu_definition *d;
    const char *as;
    if (meaning(origin, word, &d, &as) || !d) return as;
    gpu_type type = NULL;
    if (d->kind == GPU_DEFINES_STRUCT && fp_definition_type(d, &type)) return NULL;
    for (size_t k = 0; d->kind == GPU_DEFINES_STRUCT && k < source->struct_count; k++)
        if (source->structs[k].type == type) return source->structs[k].name;
    for (size_t k = 0; k < source->included_count; k++)
        if (source->included[k].definition == d) return source->included[k].name;
    return NULL;
}

typedef struct quotation {
    fp_source *source;
    const fp_origin *origin;
    fp_part part;
    unsigned index; /* of the origin */
    size_t done;    /* bytes of the text */
    bool *closes;   /* of each byte: `closing` is written for it; NULL: of none */
} quotation;

/* The bytes up to `end`, as they are. */
static void quote_plain(quotation *q, size_t end)
{
    add_span(q->source, (fp_span){q->part, 0, end - q->done, q->done, end - q->done, q->index},
             q->origin->text + q->done);
    q->done = end;
}

/* `covered` bytes of the text, as `written`. */
static void quote_as(quotation *q, const char *written, size_t covered)
{
    add_span(q->source, (fp_span){q->part, 0, strlen(written), q->done, covered, q->index}, written);
    q->done += covered;
}

static void quote_until(quotation *q, size_t end)
{
    for (size_t k = q->done; q->closes && k < end; k++) {
        if (!q->closes[k]) continue;
        quote_plain(q, k);
        quote_as(q, q->origin->closing, 1);
    }
    quote_plain(q, end);
}

/* The ']' of the '[' at this offset; 0: there is none. */
static size_t closing_bracket(const char *text, size_t open)
{
    size_t depth = 0;
    for (fp_token t = fp_lex(text, open); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        depth += fp_token_is(text, t, '[');
        depth -= fp_token_is(text, t, ']');
        if (!depth) return t.offset;
    }
    return 0;
}

static void quote_word(quotation *q, const fp_word *word, const char *written)
{
    const fp_origin *o = q->origin;
    const size_t covered = o->covers ? o->covers(o->scope, o->text, word) : word->length;
    const size_t last = word->offset + covered - 1;
    quote_until(q, word->offset);
    quote_as(q, written, covered);
    if (q->closes && o->text[last] == '[') q->closes[closing_bracket(o->text, last)] = true;
}

void fp_source_quote(fp_source *source, fp_part part, const fp_origin *origin)
{
    const size_t length = strlen(origin->text);
    quotation q = {.source = source, .origin = origin, .part = part, .index = add_origin(source, origin)};
    if (origin->closing) q.closes = fp_alloc_array(length + 1, sizeof *q.closes);
    source->failed |= origin->closing && !q.closes;
    for (size_t k = 0; k < origin->words->count; k++) {
        const fp_word *word = &origin->words->list[k];
        const char *written = word->offset < q.done ? NULL : replacement(source, origin, word);
        if (written) quote_word(&q, word, written);
    }
    quote_until(&q, length);
    fp_free(q.closes);
}

/* The lines around an expression belong to its origin. Compilers miss something in the last one, "\n    );", and find a
 * result of a wrong type in the first one. */
static const char opening[] = "    return (\n";
enum { OPENING = sizeof opening - 1, CLOSING = 7 };

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
        const bool first = !k || source->spans[k - 1].origin != span->origin;
        const bool last = k + 1 == source->span_count || source->spans[k + 1].origin != span->origin;
        const bool opens = first && begin >= OPENING && !strncmp(assembled + begin - OPENING, opening, OPENING);
        if (at < begin - (opens ? OPENING : 0) || at >= begin + span->length + (last ? CLOSING : 0)) continue;
        const size_t inside = at > begin ? at - begin : 0;
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

static const char *name_of_struct(void *context, gpu_type structure)
{
    return fp_source_type(context, structure);
}

static gpu_status add_struct(fp_source *source, gpu_type type)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    for (size_t k = 0; k < layout->use_count; k++) {
        if (fp_source_type(source, layout->uses[k]->type)) continue;
        fp_layout_free(layout);
        return fp_last_status();
    }
    char *name = new_name('t', source->struct_count, type->name);
    fp_struct *new = name ? FP_PUSH(source->structs, source->struct_count, source->struct_capacity) : NULL;
    if (!new) {
        fp_free(name);
        fp_layout_free(layout);
        return out_of_memory(source);
    }
    *new = (fp_struct){type, name, layout};
    fp_layout_write(layout, name, name_of_struct, source, &source->parts[FP_PART_DEFINITIONS]);
    return GPU_OK;
}

const char *fp_source_type(fp_source *source, gpu_type type)
{
    if (type->kind != GPU_KIND_STRUCT) return type->name;
    if (fp_type_keep(type, &type)) return NULL;
    for (size_t k = 0; k < source->struct_count; k++)
        if (source->structs[k].type == type) return source->structs[k].name;
    return add_struct(source, type) ? NULL : source->structs[source->struct_count - 1].name;
}

/* Writes a constant's value in OpenCL C with the same bits. */
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

/* The parts of a function's text. */
enum { RESULT, PARAMETERS, BODY, TEXTS };

/* The name of a parameter means the parameter, and no definition. */
static bool binds_parameter(const void *scope, const char *word, size_t length, const char **as)
{
    (void)as;
    return fp_words_name(scope, word, length);
}

static gpu_status write_function(fp_source *source, const gpu_definition *d, const char *name)
{
    const char *texts[TEXTS] = {d->result, d->parameters, d->body};
    fp_words words[TEXTS] = {{0}};
    fp_origin origins[TEXTS];
    fp_words bound;
    bool found = fp_parameters_find(d->parameters, &bound);
    for (int k = 0; k < TEXTS && found; k++)
        found = fp_words_find(texts[k], k == PARAMETERS ? FP_TEXT_PARAMETERS : FP_TEXT_CODE, d->place.unit, &words[k]);
    gpu_status status = found ? fp_function_text_check(d, &bound, &words[BODY]) : out_of_memory(source);
    for (int k = 0; k < TEXTS && !status; k++) {
        origins[k] = (fp_origin){.text = texts[k],
                                 .operation = d->name,
                                 .place = d->place,
                                 .words = &words[k],
                                 .unit = d->place.unit,
                                 .binds = k == RESULT ? NULL : binds_parameter,
                                 .scope = &bound};
        status = fp_source_needs(source, &origins[k]);
    }
    fp_text *out = &source->parts[FP_PART_DEFINITIONS];
    /* The library's own are parts of loops that PoCL vectorizes; it would call long functions. */
    if (!d->place.unit) fp_text_put(out, "static inline __attribute__((always_inline)) ");
    for (int k = 0; k < TEXTS && !status; k++) {
        fp_source_quote(source, FP_PART_DEFINITIONS, &origins[k]);
        fp_text_print(out, k == RESULT ? "\n%s" : "\n", name);
    }
    for (int k = 0; k < TEXTS; k++) fp_free(words[k].list);
    fp_free(bound.list);
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
    if (!constant && fp_definition_check_loaded(d)) return fp_last_status();
    if (constant && (!d->type || !fp_type_is_scalar(d->type)))
        return fp_fail(GPU_E_TYPE, "GPU_CONSTANT %s (%s:%d) is no scalar of a device: char ... double", d->name,
                       d->place.file, d->place.line);
    char *name = new_name(constant ? 'c' : 'f', source->included_count, d->name);
    *index = source->included_count;
    fp_included *new = name ? FP_PUSH(source->included, source->included_count, source->included_capacity) : NULL;
    if (!new) {
        fp_free(name);
        return out_of_memory(source);
    }
    *new = (fp_included){d, name, constant};
    if (constant) {
        write_constant(d, name, &source->parts[FP_PART_DEFINITIONS]);
        return GPU_OK;
    }
    gpu_status status = write_function(source, d, name);
    source->included[*index].complete = true;
    return status;
}

gpu_status fp_source_needs(fp_source *source, const fp_origin *origin)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < origin->words->count && !status; k++) {
        const gpu_definition *d;
        const char *as;
        size_t index;
        gpu_type type;
        status = meaning(origin, &origin->words->list[k], &d, &as);
        if (status || !d) continue;
        if (d->kind == GPU_DEFINES_STRUCT) {
            status = fp_definition_type(d, &type);
            if (!status && !fp_source_type(source, type)) status = fp_last_status();
        } else {
            status = include(source, d, &index);
        }
    }
    return status;
}

gpu_status fp_source_function(fp_source *source, const gpu_definition *function, const char **name)
{
    size_t index;
    gpu_status status = include(source, function, &index);
    if (!status) *name = source->included[index].name;
    return status;
}
