/* The function of an operator. */
#include "base/error.h"
#include "planning/write.h"

#include <string.h>

/* The elements of a value with checked subscripts. */
static void write_limit(const fp_captured *c, unsigned parameter, fp_text *out)
{
    char length[64];
    if (c->array) fp_write_length(c->array, parameter, length, sizeof length);
    if (c->array) fp_text_print(out, ", %s", length);
    if (!c->array) fp_text_print(out, ", fp_p%u", parameter);
}

void fp_write_captured_args(const fp_operator *op, unsigned parameter, fp_text *out)
{
    const unsigned report = fp_report_parameter(op, parameter);
    for (unsigned k = 0; k < op->count; k++) {
        const fp_captured *c = &op->captured[k];
        const unsigned parameters = fp_captured_parameters(c);
        if (c->part == GPU_PART_OPERATOR || fp_captured_is_fused(c)) continue;
        if (c->part == GPU_PART_GROUP) fp_text_print(out, ", fp_local%u", k);
        if (c->part == GPU_PART_GROUP) continue;
        fp_text_print(out, c->pointed ? ", &fp_p%u" : ", fp_p%u", parameter);
        if (parameters > 1 && !c->part) fp_text_print(out, c->length ? "[fp_p%u]" : " + fp_p%u", parameter + 1);
        if (c->checked) write_limit(c, parameter + (c->part ? 1 : 2), out);
        parameter += parameters;
    }
    if (op->reports) fp_text_print(out, ", fp_p%u + fp_p%u", report, report + 1);
}

/* A kernel's parameter for one of its parts. The operators that it calls are functions of the program. */
static void write_part(const fp_captured *c, const char *type, unsigned k, fp_text *out)
{
    const char *space = c->part == GPU_PART_GROUP ? "__local" : "__global";
    if (c->part == GPU_PART_OPERATOR) return;
    fp_text_print(out, ", %s%s %s *fp_v%u_%s", c->part == GPU_PART_COUNT ? "volatile " : "", space, type, k, c->name);
}

static void write_value(const fp_captured *c, const char *type, unsigned k, fp_text *out)
{
    const char *form = c->length    ? ", const %s fp_v%u_%s"
                       : c->array   ? ", const __global %s *fp_v%u_%s"
                       : c->pointed ? ", const %s *fp_v%u_%s"
                                    : ", const %s fp_v%u_%s";
    fp_text_print(out, form, type, k, c->name);
}

static gpu_status write_head(const fp_operator_frame *s, const char *name, unsigned number, fp_source *source)
{
    fp_text *out = fp_code(source);
    fp_text_print(out, "FP_INLINE %s %s%u(%s", s->result, name, number, s->at || s->op->dimensions ? "FP_PARAMS" : "");
    for (unsigned k = 0; k < s->operands && !s->at; k++)
        fp_text_print(out, "%s%s %s", k ? ", " : "", s->types[k], s->names[k]);
    if (s->index) fp_text_put(out, ", const ulong i");
    for (unsigned k = 0; k < s->op->count; k++) {
        const fp_captured *c = &s->op->captured[k];
        const char *type = fp_source_type(source, c->type);
        if (!type) return fp_last_status();
        if (c->part) write_part(c, type, k, out);
        if (!c->part && !fp_captured_is_fused(c)) write_value(c, type, k, out);
        if (c->checked && c->part != GPU_PART_GROUP) fp_text_print(out, ", const ulong fp_n%u_%s", k, c->name);
    }
    if (s->op->reports) fp_text_put(out, ", volatile __global ulong *fp_report");
    fp_text_put(out, ")\n");
    return GPU_OK;
}
/* Note [captured names]: a captured value is fp_v0_name in the program, and the words that mean it are replaced. A
 * driver's headers may define any other name as a macro. A large value is behind a pointer. */
static const char *captured_name(const fp_operator_frame *s, const fp_captured *c, bool subscript)
{
    const unsigned k = (unsigned)(c - s->op->captured);
    const char *form = c->part == GPU_PART_OPERATOR ? "fp_c%u_%s" : c->large ? "(*fp_v%u_%s)" : "fp_v%u_%s";
    fp_text_clear(s->name);
    if (fp_captured_is_fused(c)) fp_text_print(s->name, "fp_l%u(fp_i, FP_ARGS)", c->array->step);
    if (fp_captured_is_fused(c)) return fp_text_string(s->name);
    fp_text_print(s->name, form, k, c->name);
    if (!c->checked || !subscript) return fp_text_string(s->name);
    fp_text_print(s->name, "[fp_within(fp_report, %uu, ", k + 1);
    if (c->part == GPU_PART_GROUP) fp_text_print(s->name, "%zuul, (", c->extent);
    if (c->part != GPU_PART_GROUP) fp_text_print(s->name, "fp_n%u_%s, (", k, c->name);
    return fp_text_string(s->name);
}

/* Operands and captured values are an operator's own names. In the library's
 * own texts fp_result is the type of the result, and fp_operand that of the first operand. */
static bool binds_name(const void *scope, const char *word, size_t length, const char **as)
{
    const fp_operator_frame *s = scope;
    if (fp_is_named(word, length, "fp_result")) *as = s->result;
    if (fp_is_named(word, length, "fp_operand")) *as = s->types[0];
    if (s->at && fp_is_named(word, length, "at")) *as = s->at;
    if (*as) return true;
    const fp_place_name place = fp_place_named(s->op->placed, word, length);
    if (place == FP_PLACE_ROW) *as = "fp_row(i, fp_v0_fp_columns)";
    if (place == FP_PLACE_COLUMN) *as = "fp_column(i, fp_v0_fp_columns)";
    if (*as) return true;
    *as = fp_kernel_name(s->op->dimensions, word, length);
    if (*as) return true;
    const fp_captured *captured = fp_operator_captured(s->op, word, length);
    if (captured) *as = captured_name(s, captured, fp_subscript(word, length));
    if (s->op->dimensions) return captured;
    return captured || (length == 1 && strchr("xyziab", word[0])) || (s->op->keyed && fp_is_named(word, length, "key"));
}

/* The element of a fused array is written as one. The call that checks a subscript comes in the place of its '['. */
static size_t covers(const void *scope, const char *text, const fp_word *word)
{
    const fp_operator_frame *s = scope;
    const fp_captured *c = fp_operator_captured(s->op, text + word->offset, word->length);
    if (c && fp_captured_is_fused(c)) return fp_own_element(text, word);
    const size_t subscript = c && c->checked ? fp_subscript(text + word->offset, word->length) : 0;
    return subscript ? subscript : word->length;
}

static void write_argument(const fp_operator_frame *s, const char *name, size_t length, fp_text *out)
{
    const char *written = NULL;
    if (s->at && fp_is_stride(s->op->placed, name, length)) {
        fp_text_print(out, "%zu", 2 * s->reach.across + 1);
        return;
    }
    binds_name(s, name, length, &written);
    fp_text_add(out, written ? written : name, written ? strlen(written) : length);
}

/* The elements of a neighbourhood, in private memory: fp_near points to the one in the middle. */
static void write_near(const fp_operator_frame *s, fp_text *out)
{
    const size_t down = s->reach.down, across = s->reach.across, rows = 2 * down + 1, columns = 2 * across + 1;
    fp_text_print(out, "    %s near[%zu], *fp_near = near + %zu;\n", s->types[0], rows * columns,
                  down * columns + across);
    if (s->op->placed) fp_text_print(out, "#pragma unroll\n    for (int y = 0; y < %zu; y++)\n", rows);
    fp_text_print(out, "#pragma unroll\n    for (int k = 0; k < %zu; k++) ", columns);
    if (s->op->placed)
        fp_text_print(out, "near[y * %zu + k] = %s(y - %zu, k - %zu);\n", columns, s->at, down, across);
    else
        fp_text_print(out, "near[k] = %s(k - %zu);\n", s->at, across);
}

/* The call of a GPU_FUNCTION: operands in order, the others by their names. */
static gpu_status write_call(const fp_operator_frame *s, fp_source *source)
{
    const fp_snippet *snippet = s->op->snippet;
    const char *function;
    gpu_status status = fp_source_function(source, snippet->function, &function);
    if (status) return status;
    fp_text_put(fp_code(source), "{\n");
    if (s->at) write_near(s, fp_code(source));
    fp_text_print(fp_code(source), "    return %s(", function);
    for (size_t k = 0; k < snippet->signature->count; k++) {
        const fp_function_parameter *p = &snippet->signature->parameters[k];
        if (k) fp_text_put(fp_code(source), ", ");
        if (k < s->operands) fp_text_put(fp_code(source), s->at ? "fp_near" : s->names[k]);
        if (k >= s->operands) write_argument(s, p->name, p->length, fp_code(source));
    }
    fp_text_put(fp_code(source), ");\n}\n");
    return GPU_OK;
}

/* Note [operators]: an operator's text becomes the body of a function, on lines of its own. So a comment at its end
 * swallows nothing, arguments are evaluated once, and a line and column of the build log lead back to it. */
static gpu_status write_named(const fp_operator_frame *s, const char *name, unsigned number, fp_source *source)
{
    const fp_snippet *snippet = s->op->snippet;
    const fp_origin origin = {.text = snippet->text,
                              .operation = s->op->operation,
                              .place = s->op->place,
                              .owner = s->op,
                              .words = &snippet->words,
                              .unit = snippet->unit,
                              .meanings = snippet->meanings,
                              .binds = binds_name,
                              .covers = s->op->dimensions || s->op->reports ? covers : NULL,
                              .closing = s->op->reports ? "))]" : NULL,
                              .scope = s};
    gpu_status status = snippet->function ? GPU_OK : fp_source_needs(source, &origin);
    if (!status) status = write_head(s, name, number, source);
    if (!status && snippet->function) return write_call(s, source);
    if (status) return status;
    fp_text_put(fp_code(source), snippet->body ? "" : "{\n    return (\n");
    fp_source_quote(source, FP_PART_CODE, &origin);
    fp_text_put(fp_code(source), snippet->body ? "\n" : "\n    );\n}\n");
    return GPU_OK;
}

gpu_status fp_write_operator(const fp_operator_frame *s, const char *name, unsigned number, fp_source *source)
{
    fp_text captured = {0};
    fp_operator_frame named = *s;
    named.name = &captured;
    gpu_status status = write_named(&named, name, number, source);
    source->failed |= captured.failed;
    fp_text_free(&captured);
    return status;
}
