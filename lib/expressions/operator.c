#include "expressions/operator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/switch.h"
#include "expressions/handle.h"
#include "expressions/names.h"
#include "expressions/types.h"
#include "kernel/definition.h"
#include "kernel/lex.h"
#include "kernel/type.h"

#include <string.h>

/* The room for an operator's captures: the number of values, and the bytes beside the list. */
typedef struct captured_extent {
    unsigned count;
    size_t bytes;
} captured_extent;

static bool is_large(const gpu_capture *capture)
{
    return capture->type != GPU_CAPTURE_ARRAY && capture->size > FP_MOST_VALUE_BYTES;
}

static size_t aligned(size_t bytes)
{
    return fp_round_up(bytes, 16);
}

/* Is it `name[0]` from this word on? */
static bool is_element_0(const char *text, const fp_word *word)
{
    fp_token open = fp_lex(text, word->offset + word->length), index = fp_next(text, open);
    bool zero = index.kind == FP_TOKEN_NUMBER && index.length == 1 && text[index.offset] == '0';
    return fp_token_is(text, open, '[') && zero && fp_token_is(text, fp_lex(text, index.offset + 1), ']');
}

/* Does an & stand before this word, parentheses aside? && is another token. */
static bool is_addressed(const char *text, const fp_word *word)
{
    char last = '\0';
    for (fp_token t = fp_lex(text, 0); t.offset < word->offset; t = fp_next(text, t)) {
        bool both = fp_token_is(text, t, '&') && text[t.offset + 1] == '&';
        if (both) t.length = 2;
        if (!fp_token_is(text, t, '(')) last = both ? '\0' : text[t.offset];
    }
    return last == '&';
}

/* Reads the text element 0 of this array, and does nothing else with it? */
static bool is_subscripted(const fp_snippet *snippet, const char *name)
{
    const char *text = snippet->text;
    for (size_t k = 0; k < snippet->words.count; k++) {
        const fp_word *word = &snippet->words.list[k];
        if (!fp_word_means(text, word, name)) continue;
        if (!is_element_0(text, word) || is_addressed(text, word)) return false;
    }
    return !snippet->function;
}

/* Note [own elements]: a delayed array is fused into a kernel whose items read nothing but element i of it: name[i] is
 * computed there. Another i, or the address of the element, needs a buffer. */
static bool is_read_as_own(const fp_snippet *snippet, const char *name)
{
    const char *text = snippet->text;
    const fp_words *words = &snippet->words;
    for (size_t k = 0; k < words->count; k++) {
        const fp_word *word = &words->list[k];
        if (!fp_word_means(text, word, name)) continue;
        if (!fp_own_element(text, word) || words->list[k + 1].own || is_addressed(text, word)) return false;
    }
    return snippet->use == FP_USE_KERNEL;
}

/* An array in a struct becomes a pointer when it is named alone. */
static bool may_hold_arrays(gpu_type type)
{
    const char *text = type->kind == GPU_KIND_STRUCT ? type->members : "";
    if (strchr(text, '[')) return true;
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t))
        if (t.kind == FP_TOKEN_WORD && fp_definition_is_struct(text + t.offset, t.length, type->unit)) return true;
    return false;
}

/* Note [single values]: an array of one element that is known to the host need not be in a buffer for a snippet that
 * only reads element 0 of it: it becomes an argument of the kernel, and the snippet gets its address. That is one of
 * private memory: a snippet that makes a pointer of it gets a buffer, as it does of any other array. */
static bool is_single(const fp_node *array)
{
    return array->kind == FP_NODE_FILL && array->length == 1 && array->value;
}

/* Note [lengths of captured arrays]: an operator that captures an array `table` may use table_length, the number of its
 * elements, unless that name has another meaning there. It is captured as if the user had, behind all others. The
 * results and the local memory of a kernel have lengths, too. */
static const char length_suffix[] = "_length";

static bool is_length_of(const char *array, const char *name, size_t length)
{
    const size_t stem = strlen(array);
    return length == stem + sizeof length_suffix - 1 && !memcmp(name, array, stem) &&
           !memcmp(name + stem, length_suffix, sizeof length_suffix - 1);
}

/* Does the operator use the length of what it captures? */
static bool uses_length(const fp_snippet *snippet, const gpu_operator *op, const gpu_capture *capture)
{
    const char *array = capture->name;
    if (!fp_capture_has_length(capture)) return false;
    const fp_signature *f = snippet->kernel ? snippet->kernel_signature : snippet->signature;
    for (size_t k = 0; f && k < f->count; k++) {
        const fp_function_parameter *p = &f->parameters[k];
        if (is_length_of(array, p->name, p->length)) return !fp_captures_name(op, p->name, p->length);
    }
    for (size_t k = 0; !f && k < snippet->words.count; k++) {
        const fp_word *word = &snippet->words.list[k];
        const char *name = snippet->text + word->offset;
        if (word->member || word->own || snippet->meanings[k] || !is_length_of(array, name, word->length)) continue;
        return !fp_captures_name(op, name, word->length);
    }
    return false;
}

/* Note [uses]: what a text does with a captured value depends on the text, and on the names and kinds of all captures.
 * The snippet keeps it for those that it was checked with last, so that a warm call need not search. */
enum { USES_LENGTH = 1, READS_ELEMENT_0 = 2, READS_OWN = 4 };

static gpu_status find_uses(fp_snippet *snippet, const gpu_operator *op)
{
    unsigned count = 0;
    while (op->captures && op->captures[count]) count++;
    unsigned char *uses = count ? fp_resize(snippet->uses, count) : snippet->uses;
    if (count && !uses) return fp_fail_memory();
    snippet->uses = uses;
    snippet->use_count = count;
    snippet->checked = 0;
    for (unsigned k = 0; k < count; k++) {
        const gpu_capture *c = op->captures[k];
        uses[k] = 0;
        if (fp_is_mark(c) || !c->name) continue; /* `measure` refuses a value without a name */
        if (uses_length(snippet, op, c)) uses[k] |= USES_LENGTH;
        if (is_subscripted(snippet, c->name)) uses[k] |= READS_ELEMENT_0;
        if (is_read_as_own(snippet, c->name)) uses[k] |= READS_OWN;
    }
    return GPU_OK;
}

/* Of one of the operator's captures. */
static unsigned uses_of(const fp_snippet *snippet, const gpu_operator *op, const gpu_capture *const *at)
{
    const size_t k = (size_t)(at - op->captures);
    return k < snippet->use_count ? snippet->uses[k] : 0;
}

/* Two captured values of one name are refused. */
static gpu_status check_once(const gpu_operator *op, const gpu_capture *const *at)
{
    for (const gpu_capture *const *before = op->captures; before < at; before++)
        if (!fp_is_mark(*before) && !strcmp((*before)->name, (*at)->name))
            return fp_fail(GPU_E_ARGUMENT, "two captured values are called '%s': rename one", (*at)->name);
    return GPU_OK;
}

static gpu_status check_name(const gpu_operator *op, const gpu_capture *const *at, bool kernel)
{
    const char *name = (*at)->name;
    gpu_status status = fp_capture_name_check(name, kernel);
    if (!status && kernel && fp_kernel_name(2, name, strlen(name)))
        return fp_fail(
            GPU_E_ARGUMENT,
            "a captured value cannot be called '%s', a name of all kernels; use GPU_ARG_NAMED(other_name, %s)", name,
            name);
    return status ? status : check_once(op, at);
}

static gpu_status check_capture(gpu *g, const gpu_operator *op, const gpu_capture *c, unsigned traits)
{
    const bool later = traits & FP_OPERATOR_SYMBOLS, kernel = traits & FP_OPERATOR_KERNEL;
    gpu_status status = GPU_OK;
    if (!c->value) return fp_fail(GPU_E_ARGUMENT, "the captured value '%s' has no address", c->name);
    if (c->type == GPU_CAPTURE_PART && !kernel)
        return fp_fail(GPU_E_ARGUMENT, "'%s' is a part of a kernel, which gpu_spawn alone takes", c->name);
    if (c->type == GPU_CAPTURE_PART) return fp_part_check(g, op, c, later);
    const fp_refused *refused = fp_type_refused(c->type);
    if (refused) return fp_fail(GPU_E_TYPE, "the captured variable '%s' %s", c->name, refused->captured);
    if (!c->type)
        return fp_fail(GPU_E_ARGUMENT,
                       "the captured value '%s' is neither scalar, vector nor gpu_array: use GPU_ARG_AS(%s, "
                       "GPU_TYPE(its_struct), %s)",
                       c->name, c->name, c->name);
    if (c->type == GPU_CAPTURE_ARRAY) {
        const gpu_array *a = *(gpu_array *const *)c->value;
        status = later ? fp_array_accept(a, c->name) : fp_array_check(a, c->name);
        if (status) return status;
        return fp_array_gpu(a) == g
                   ? GPU_OK
                   : fp_fail(GPU_E_ARGUMENT, "the captured array '%s' belongs to another gpu", c->name);
    }
    if (c->size != c->type->size)
        return fp_fail(GPU_E_TYPE, "the captured value '%s' has %zu bytes, and a %s has %zu", c->name, c->size,
                       c->type->name, c->type->size);
    gpu_type type = c->type;
    return fp_gpu_check_type(g, &type);
}

/* The array that the capture is, or starts as; NULL: it is local memory, or a result of a given length. */
static fp_node *captured_node(const gpu_capture *c)
{
    if (c->type == GPU_CAPTURE_ARRAY) return (*(gpu_array *const *)c->value)->node;
    const gpu_part *part = c->value;
    return part->kind == GPU_PART_FROM ? part->from->node : NULL;
}

static size_t captured_bytes(const gpu_capture *c)
{
    if (c->type == GPU_CAPTURE_PART) return 0;
    if (c->type != GPU_CAPTURE_ARRAY) return is_large(c) ? 0 : c->size;
    const fp_node *array = captured_node(c);
    return is_single(array) ? array->type->size : 0;
}

static gpu_status measure(gpu *g, const gpu_operator *op, const fp_snippet *snippet, unsigned traits, bool checked,
                          captured_extent *out)
{
    *out = (captured_extent){0};
    for (const gpu_capture *const *at = op->captures; at && *at; at++) {
        if (fp_is_mark(*at)) continue;
        gpu_status status = checked ? GPU_OK : check_name(op, at, traits & FP_OPERATOR_KERNEL);
        if (!status) status = check_capture(g, op, *at, traits);
        if (status) return status;
        out->count++;
        out->bytes += aligned(strlen((*at)->name) + 1);
        out->bytes += aligned(captured_bytes(*at));
        if (!(uses_of(snippet, op, at) & USES_LENGTH)) continue;
        out->count++;
        out->bytes += aligned(strlen((*at)->name) + sizeof length_suffix) + aligned(sizeof(uint64_t));
    }
    return GPU_OK;
}

static void *take(char **block, const void *bytes, size_t n)
{
    void *at = memcpy(*block, bytes, n);
    *block += aligned(n);
    return at;
}

static fp_node *one_element(gpu *g, const gpu_capture *from, gpu_type type)
{
    fp_buffer *buffer;
    if (fp_buffer_new_on_host(g->device, from->size, from->value, &buffer)) return NULL;
    fp_node *node = fp_node_buffer(g, type, 1, buffer, 0);
    fp_buffer_drop(buffer);
    return node;
}

/* The one element that the text reads of a single value is there. */
static void set_array(fp_captured *c, fp_node *array, char **block)
{
    if (c->subscripted && !c->length && is_single(array)) {
        c->bytes = take(block, array->value, c->type->size);
        c->pointed = true;
        c->checked = false;
        c->array = NULL;
    } else {
        c->array = fp_node_keep(array);
    }
}

static gpu_status capture(gpu *g, unsigned uses, fp_captured *to, const gpu_capture *from, char **block)
{
    to->name = take(block, from->name, strlen(from->name) + 1);
    to->type = from->type;
    to->large = is_large(from);
    if (from->type == GPU_CAPTURE_PART) return GPU_OK;
    if (from->type == GPU_CAPTURE_ARRAY) {
        fp_node *array = captured_node(from);
        to->type = array->type;
        to->subscripted = uses & READS_ELEMENT_0 && !may_hold_arrays(array->type);
        to->own_element = uses & READS_OWN;
        set_array(to, array, block);
    } else if (fp_gpu_check_type(g, &to->type)) {
        return fp_last_status();
    } else if (is_large(from)) {
        to->array = one_element(g, from, to->type);
        if (!to->array) return fp_last_status();
    } else {
        to->bytes = take(block, from->value, from->size);
    }
    return GPU_OK;
}

/* `block` has room for the name and a number. */
static void capture_length(unsigned uses, fp_captured *to, const gpu_capture *from, char **block)
{
    const size_t stem = strlen(from->name);
    fp_node *array = captured_node(from);
    memcpy(*block, from->name, stem);
    memcpy(*block + stem, length_suffix, sizeof length_suffix);
    to->name = *block;
    to->type = GPU_ULONG;
    *block += aligned(stem + sizeof length_suffix);
    if (array) {
        to->length = true;
        to->own_element = from->type == GPU_CAPTURE_PART || uses & READS_OWN;
        to->array = fp_node_keep(array);
    } else {
        const uint64_t count = ((const gpu_part *)from->value)->count;
        to->bytes = take(block, &count, sizeof count);
    }
}

bool fp_operator_uses_index(const fp_operator *op)
{
    if (op->placed) return true;
    const fp_snippet *snippet = op->snippet;
    const fp_words *words = &snippet->words;
    const fp_signature *f = snippet->signature;
    for (size_t k = 0; f && k < f->count; k++)
        if (fp_is_named(f->parameters[k].name, f->parameters[k].length, "i")) return true;
    for (size_t k = 0; !f && k < words->count; k++)
        if (fp_word_means(snippet->text, &words->list[k], "i")) return true;
    return false;
}

/* ---- binding ---- */

/* A function's parameters; for a text, the operands that it names: a and b, or x, y and z. */
static unsigned operands_of(const fp_snippet *snippet, bool *combines)
{
    unsigned most = 1;
    *combines = false;
    if (snippet->function) return (unsigned)snippet->signature->count;
    for (size_t k = 0; k < snippet->words.count; k++) {
        const fp_word *word = &snippet->words.list[k];
        const char name = snippet->text[word->offset];
        if (word->member || word->own || word->length > 1) continue;
        *combines |= name == 'a' || name == 'b';
        if ((name == 'y' || name == 'z') && (unsigned)(name - 'x' + 1) > most) most = (unsigned)(name - 'x' + 1);
    }
    return *combines ? 2 : most;
}

static gpu_status bind_called(gpu *g, const gpu_part *part, fp_captured *to)
{
    fp_snippet *snippet;
    bool combines;
    gpu_status status = fp_snippet_intern(&g->snippets, part->op, FP_USE_OPERATOR, &snippet);
    if (status) return status;
    const unsigned operands = operands_of(snippet, &combines);
    if (!operands || operands > FP_INPUTS)
        return fp_fail(GPU_E_ARGUMENT, "the operator '%s' takes %u values; 1 to %d are possible", to->name, operands,
                       FP_INPUTS);
    const fp_operator_kind kind = {
        fp_operation(), operands, combines || snippet->function ? 0 : FP_OPERATOR_INDEX, {to->type}, to->type};
    status = fp_operator_bind(g, part->op, &kind, &to->called);
    if (status) return status;
    to->called->combines = !(kind.traits & FP_OPERATOR_INDEX);
    to->called->operands = operands;
    return GPU_OK;
}

const fp_captured *fp_part_shortened(const fp_operator *kernel, const fp_captured *count)
{
    return fp_operator_captured(kernel, count->name, fp_count_stem(count->name));
}

static gpu_status bind_part(gpu *g, const gpu_part *part, fp_captured *to, unsigned *outputs)
{
    to->part = part->kind;
    to->type = part->type;
    to->extent = part->count;
    if (part->kind == GPU_PART_FROM) {
        to->array = fp_node_keep(part->from->node);
        to->type = to->array->type;
    }
    gpu_status status = fp_gpu_check_type(g, &to->type);
    if (status || !fp_captured_is_made(to)) return status ? status : part->op ? bind_called(g, part, to) : GPU_OK;
    to->output = (*outputs)++;
    if (to->output >= GPU_SPAWN_RESULTS)
        return fp_fail(GPU_E_ARGUMENT, "a kernel makes at most %d arrays, counts included", GPU_SPAWN_RESULTS);
    return GPU_OK;
}

static fp_snippet_use use_of(const fp_operator_kind *kind)
{
    if (kind->traits & FP_OPERATOR_KERNEL) return FP_USE_KERNEL;
    return kind->traits & FP_OPERATOR_BUILTIN ? FP_USE_OWN : FP_USE_OPERATOR;
}

/* Fills in the captured values, lengths last. */
static gpu_status capture_all(gpu *g, const gpu_operator *op, fp_operator *bound, char *block)
{
    const fp_snippet *snippet = bound->snippet;
    gpu_status status = GPU_OK;
    unsigned outputs = 0;
    for (const gpu_capture *const *at = op->captures; at && *at && !status; at++) {
        if (fp_is_mark(*at)) bound->commutative = true;
        if (fp_is_mark(*at)) continue;
        fp_captured *to = &bound->captured[bound->count++];
        status = capture(g, uses_of(snippet, op, at), to, *at, &block);
        if (!status && (*at)->type == GPU_CAPTURE_PART) status = bind_part(g, (*at)->value, to, &outputs);
    }
    for (const gpu_capture *const *at = op->captures; at && *at && !status; at++)
        if (uses_of(snippet, op, at) & USES_LENGTH)
            capture_length(uses_of(snippet, op, at), &bound->captured[bound->count++], *at, &block);
    return status;
}

/* Note [subscripts]: with FIREPILE_CHECK a text's subscripts `name[...]` of captured arrays, results and local memory
 * go through fp_within (kernels/block/report.cl). It reports an index that is out of range, and gives 0. An array
 * without elements has the scrap of the report in its place. Pointers made of an array are not followed. */
static bool has_subscripts(const fp_snippet *snippet, const char *name)
{
    const char *text = snippet->text;
    for (size_t k = 0; k < snippet->words.count; k++) {
        const fp_word *word = &snippet->words.list[k];
        if (fp_word_means(text, word, name) && fp_subscript(text + word->offset, word->length)) return true;
    }
    return false;
}

static void check_subscripts(fp_operator *op)
{
    if (!op->count || op->builtin || op->snippet->function || !fp_is_on("FIREPILE_CHECK")) return;
    for (unsigned k = 0; k < op->count; k++) {
        fp_captured *c = &op->captured[k];
        const bool elements = c->part ? c->part <= GPU_PART_FROM : c->array && !c->length && !c->large;
        c->checked = elements && has_subscripts(op->snippet, c->name);
        c->own_element = false;
    }
}

static bool has_reports(const fp_operator *op)
{
    bool has = false;
    for (unsigned k = 0; k < op->count; k++) has |= op->captured[k].checked || op->captured[k].part == GPU_PART_COUNT;
    return has;
}

/* An operator that may find something wrong on the device has reports of its own, which all that it makes inherits. */
static gpu_status add_reports(gpu *g, fp_operator *op)
{
    size_t scrap = 0;
    op->reports = NULL;
    if (!has_reports(op)) return GPU_OK;
    for (unsigned k = 0; k < op->count; k++)
        if (op->captured[k].type->size > scrap) scrap = op->captured[k].type->size;
    op->reports = fp_deferred_reports(g, scrap);
    gpu_status status = op->reports ? GPU_OK : fp_last_status();
    for (unsigned k = 0; k < op->count && !status; k++) {
        const fp_captured *c = &op->captured[k], *of = c->part == GPU_PART_COUNT ? fp_part_shortened(op, c) : c;
        status = fp_deferred_add_name(op->reports, of->name, of != c);
    }
    return status;
}

gpu_status fp_operator_bind(gpu *g, const gpu_operator *op, const fp_operator_kind *kind, fp_operator **out)
{
    fp_snippet *snippet;
    captured_extent extent;
    gpu_status status = fp_snippet_intern(&g->snippets, op, use_of(kind), &snippet);
    const uint64_t names = status ? 0 : fp_operator_names(op, kind);
    const bool checked = !status && snippet->checked == names;
    if (!status && !checked) status = find_uses(snippet, op);
    if (!status) status = measure(g, op, snippet, kind->traits, checked, &extent);
    if (!status && !checked) status = fp_check_captured_names(op, kind);
    if (!status && !checked) status = fp_check_text(snippet, op, kind);
    if (status) return status;
    const char *file = op->place && op->place->file ? op->place->file : "";
    const bool placed = kind->traits & FP_OPERATOR_PLACED;
    size_t head = aligned(sizeof **out + (extent.count + placed) * sizeof(fp_captured));
    fp_operator *bound = fp_alloc(head + extent.bytes + aligned(strlen(file) + 1));
    if (!bound) return fp_fail_memory();
    char *block = (char *)bound + head;
    bound->references = 1;
    bound->snippet = snippet;
    bound->operation = kind->operation;
    bound->builtin = kind->traits & FP_OPERATOR_BUILTIN;
    bound->shares = kind->traits & FP_OPERATOR_SHARES;
    bound->keyed = kind->traits & FP_OPERATOR_KEYED;
    bound->placed = placed;
    bound->dimensions = fp_space_dimensions(kind);
    if (placed)
        bound->captured[bound->count++] =
            (fp_captured){.name = "fp_columns", .type = GPU_ULONG, .bytes = &bound->columns};
    if (op->place) bound->place = *op->place;
    if (*file) bound->place.file = take(&block, file, strlen(file) + 1);
    status = capture_all(g, op, bound, block);
    if (!status && snippet->function) status = fp_function_check(g, bound, kind);
    if (!status && snippet->kernel) status = fp_kernel_check(bound);
    if (!status && bound->dimensions && !checked) status = fp_kernel_check_calls(bound);
    if (!status) snippet->checked = names;
    if (!status) check_subscripts(bound);
    if (!status) status = add_reports(g, bound);
    if (status) fp_operator_drop(bound);
    if (!status) *out = bound;
    return status;
}

gpu_status fp_operator_bind_own(gpu *g, const char *snippet, const gpu_capture *const *captures, fp_operator **out)
{
    const fp_operator_kind kind = {.operation = fp_operation(), .traits = FP_OPERATOR_BUILTIN};
    return fp_operator_bind(g, &(gpu_operator){.snippet = snippet, .captures = captures}, &kind, out);
}

gpu_status fp_operator_builtin(gpu *g, const fp_builtin *builtin, fp_operator **out)
{
    gpu_status status = fp_operator_bind_own(g, builtin->text, builtin->captures, out);
    if (status) return status;
    (*out)->native = builtin->native;
    (*out)->unbounded = builtin->unbounded;
    return GPU_OK;
}

fp_operator *fp_operator_keep(fp_operator *op)
{
    op->references++;
    return op;
}

void fp_operator_drop(fp_operator *op)
{
    if (!op || --op->references) return;
    for (unsigned k = 0; k < op->count; k++) fp_node_drop(op->captured[k].array);
    for (unsigned k = 0; k < op->count && !op->base; k++) fp_operator_drop(op->captured[k].called);
    fp_deferred_settle(op->reports);
    fp_operator_drop(op->base);
    fp_operator_drop(op->map);
    fp_free(op);
}

/* ---- other arrays in the place of those captured ---- */

/* The map of a product captures what its operator captures, and perhaps other lengths. */
static gpu_status set_map(gpu *g, fp_operator *made, const fp_operator *op, fp_node *const *arrays)
{
    fp_node **own = fp_alloc_array(op->map->count, sizeof *own);
    if (!own) return fp_fail_memory();
    for (unsigned k = 0; k < op->map->count; k++)
        for (unsigned j = 0; j < op->count; j++)
            if (op->captured[j].array == op->map->captured[k].array) own[k] = arrays[j];
    made->map = fp_operator_with(g, op->map, own);
    fp_free(own);
    return made->map ? GPU_OK : fp_last_status();
}

fp_operator *fp_operator_with(gpu *g, fp_operator *op, fp_node *const *arrays)
{
    size_t head = aligned(sizeof *op + op->count * sizeof(fp_captured)), values = 0;
    for (unsigned k = 0; k < op->count; k++) values += op->captured[k].array ? aligned(op->captured[k].type->size) : 0;
    fp_operator *made = fp_alloc(head + values);
    if (!made) {
        fp_fail_memory();
        return NULL;
    }
    memcpy(made, op, sizeof *op + op->count * sizeof(fp_captured));
    made->references = 1;
    made->base = fp_operator_keep(op);
    made->map = NULL;
    char *block = (char *)made + head;
    for (unsigned k = 0; k < op->count; k++)
        if (op->captured[k].array) set_array(&made->captured[k], arrays[k], &block);
    gpu_status status = op->reports ? add_reports(g, made) : GPU_OK;
    if (!status && op->map) status = set_map(g, made, op, arrays);
    if (!status) return made;
    fp_operator_drop(made);
    return NULL;
}
