/* The meanings of the names in an operator's text, and the names that it may not use. */
#include "expressions/names.h"

#include "base/error.h"
#include "base/text.h"
#include "kernel/slip.h"

#include <string.h>

bool fp_captures_name(const gpu_operator *op, const char *name, size_t length)
{
    for (const gpu_capture *const *at = op->captures; at && *at; at++)
        if (!fp_is_mark(*at) && (*at)->name && fp_is_named(name, length, (*at)->name)) return true;
    return false;
}

/* Does a map take elements, and not a reduction two values? */
static bool takes_elements(const fp_operator_kind *kind)
{
    return kind->traits & (FP_OPERATOR_INDEX | FP_OPERATOR_TERM);
}

static const char *const *names_of_operands(const fp_operator_kind *kind)
{
    return fp_operand_names(kind->traits & FP_OPERATOR_KEYED, !takes_elements(kind));
}

/* The meaning of a name in an operator's text, or NULL. */
static const char *meaning_of(const gpu_operator *op, const fp_operator_kind *kind, const char *name, size_t length)
{
    const bool indexed = kind->traits & FP_OPERATOR_INDEX, around = kind->traits & FP_OPERATOR_AROUND;
    if (fp_kernel_name(fp_space_dimensions(kind), name, length)) return "a name of all kernels";
    const char *const *operands = names_of_operands(kind);
    for (unsigned k = 0; k < kind->operands && !around; k++)
        if (fp_is_named(name, length, operands[k])) return takes_elements(kind) ? "an element" : "an operand";
    const fp_place_name place = fp_place_named(kind->traits & FP_OPERATOR_PLACED, name, length);
    if (indexed && place < FP_PLACES) return place == FP_PLACE_INDEX ? "the index" : "a place";
    if (around && fp_is_named(name, length, "at")) return "the function of the neighbours";
    return fp_captures_name(op, name, length) ? "a captured value" : NULL;
}

/* The body's own block is that of the operands, in which each name can be declared once. */
static gpu_status check_variables(const fp_snippet *snippet, const gpu_operator *op, const fp_operator_kind *kind)
{
    for (size_t k = 0; k < snippet->words.count; k++) {
        const fp_word *word = &snippet->words.list[k];
        const char *name = snippet->text + word->offset, *means;
        if (!word->outer || !(means = meaning_of(op, kind, name, word->length))) continue;
        return fp_snippet_refuse(snippet->text, word->offset, "'%.*s' is %s here: give the variable another name",
                                 (int)word->length, name, means);
    }
    return GPU_OK;
}

/* Other operands have names of one letter, which no captured value may have. */
static gpu_status check_word(const gpu_operator *op, unsigned has_it, const char *word, const char *what)
{
    if (!has_it || !fp_captures_name(op, word, strlen(word))) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "a captured value cannot be called '%s', which is %s here; use GPU_ARG_NAMED(other_name, %s)", word,
                   what, word);
}

gpu_status fp_check_captured_names(const gpu_operator *op, const fp_operator_kind *kind)
{
    const unsigned placed = kind->traits & FP_OPERATOR_PLACED;
    gpu_status status = check_word(op, kind->traits & FP_OPERATOR_KEYED, "key", "an operand");
    if (!status) status = check_word(op, placed, "row", "a place");
    if (!status) status = check_word(op, placed && kind->traits & FP_OPERATOR_AROUND, "stride", "a step");
    return status ? status : check_word(op, placed, "column", "a place");
}

/* ---- operands ---- */

static void write_operands(const fp_operator_kind *kind, fp_text *out)
{
    const char *const *names = names_of_operands(kind);
    for (unsigned k = 0; k < kind->operands; k++)
        fp_text_print(out, "%s%s", k == 0 ? "" : k + 1 < kind->operands ? ", " : " and ", names[k]);
}

/* ": gpu_map2 has x and y", if the word is y or z. */
static void write_other(const fp_operator_kind *kind, char word, fp_text *out)
{
    const unsigned values = word == 'y' ? 2 : word == 'z' ? 3 : 0;
    const char *other = takes_elements(kind) ? fp_operation_of(kind, values) : NULL;
    if (other) fp_text_print(out, ": %s has %s", other, values == 2 ? "x and y" : "x, y and z");
}

static gpu_status refuse_operand(const fp_snippet *snippet, const fp_word *word, const fp_operator_kind *kind)
{
    fp_text names = {0};
    write_operands(kind, &names);
    write_other(kind, snippet->text[word->offset], &names);
    gpu_status status = fp_snippet_refuse(
        snippet->text, word->offset, "'%.*s' has no meaning in %s, whose operand%s %s", (int)word->length,
        snippet->text + word->offset, kind->operation, kind->operands > 1 ? "s are" : " is", fp_text_string(&names));
    fp_text_free(&names);
    return status;
}

/* Refuses operands of other operations, such as the a and b of a reduction in a map. Their letters mean no definition.
 */
static gpu_status check_operands(const fp_snippet *snippet, const gpu_operator *op, const fp_operator_kind *kind)
{
    static const char *const operands[] = {"a", "b", "x", "y", "z", "key"};
    for (size_t k = 0; k < snippet->words.count; k++) {
        const fp_word *word = &snippet->words.list[k];
        const char *name = snippet->text + word->offset;
        const bool is_defined = word->length > 1 && snippet->meanings[k];
        if (word->member || word->own || is_defined || meaning_of(op, kind, name, word->length)) continue;
        for (unsigned n = 0; n < sizeof operands / sizeof *operands; n++)
            if (fp_is_named(name, word->length, operands[n])) return refuse_operand(snippet, word, kind);
    }
    return GPU_OK;
}

/* A kernel has none, and a stencil has neighbours. */
static bool has_operands(const fp_operator_kind *kind)
{
    return kind->operands > 0 && !(kind->traits & (FP_OPERATOR_KERNEL | FP_OPERATOR_AROUND));
}

gpu_status fp_check_text(const fp_snippet *snippet, const gpu_operator *op, const fp_operator_kind *kind)
{
    if (snippet->function || kind->traits & FP_OPERATOR_BUILTIN) return GPU_OK;
    gpu_status status = check_variables(snippet, op, kind);
    if (!status && fp_space_dimensions(kind)) status = fp_kernel_check_names(snippet, op, fp_space_dimensions(kind));
    if (!status && has_operands(kind)) status = check_operands(snippet, op, kind);
    if (status || !snippet->assigns || !(kind->traits & FP_OPERATOR_DECIDES)) return status;
    return fp_slip_refuse_decision(snippet->text);
}
