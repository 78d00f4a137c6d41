/* The program of a plan: slots, prelude, definitions, operators, fp_load and fp_op, template. */
#include "array/plan.h"
#include "base/error.h"
#include "kernel/template.h"
#include "kernel/type.h"

#include <inttypes.h>
#include <string.h>

static const char *const operand_names[2][FP_INPUTS] = {{"x", "y", "z"}, {"a", "b", NULL}};

static fp_text *code(fp_source *source)
{
    return &source->parts[FP_PART_CODE];
}

static void write_slots(const fp_plan *plan, fp_text *out)
{
    for (unsigned k = 0; k < plan->slot_count; k++)
        fp_text_print(out, "#define %s %" PRIu64 "\n", plan->slots[k].name, plan->slots[k].value);
}

/* FP_PARAMS, the kernel's parameters as every function that reads elements takes them on, and FP_ARGS, to pass them. */
static gpu_status write_parameters(const fp_plan *plan, fp_source *source)
{
    fp_text args = {0}, params = {0};
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < plan->parameter_count && !status; k++) {
        const fp_parameter *p = &plan->parameters[k];
        const char *type = fp_source_type(source, p->type);
        if (!type) status = fp_last_status();
        if (status) break;
        const char *comma = k ? ", " : "";
        if (p->pointer) fp_text_print(&params, "%sconst __global %s *fp_p%zu", comma, type, k);
        if (!p->pointer) fp_text_print(&params, "%sconst %s fp_p%zu", comma, type, k);
        fp_text_print(&args, "%sfp_p%zu", comma, k);
    }
    if (args.failed || params.failed) source->failed = true;
    fp_text_print(code(source), "#define FP_PARAMS %s\n#define FP_ARGS %s\n#define fp_n fp_p0\n",
                  fp_text_string(&params), fp_text_string(&args));
    fp_text_free(&args);
    fp_text_free(&params);
    return status;
}

/* ", fp_p4, fp_p5 + fp_p6": the captured values of an operator. */
static void write_captured_args(const fp_operator *op, unsigned parameter, fp_text *out)
{
    for (unsigned k = 0; k < op->count; k++) {
        fp_text_print(out, ", fp_p%u", parameter++);
        if (op->captured[k].array) fp_text_print(out, " + fp_p%u", parameter++);
    }
}

/* What an operator's function looks like from inside. */
typedef struct signature {
    const fp_operator *op;
    const char *result;
    const char *types[FP_INPUTS];
    const char *const *names;
    unsigned operands;
    bool index; /* takes i */
} signature;

static gpu_status write_head(const signature *s, const char *name, unsigned number, fp_source *source)
{
    fp_text *out = code(source);
    fp_text_print(out, "static inline %s %s%u(", s->result, name, number);
    for (unsigned k = 0; k < s->operands; k++) fp_text_print(out, "%s%s %s", k ? ", " : "", s->types[k], s->names[k]);
    if (s->index) fp_text_put(out, ", const ulong i");
    for (unsigned k = 0; k < s->op->count; k++) {
        const fp_captured *c = &s->op->captured[k];
        const char *type = fp_source_type(source, c->type);
        if (!type) return fp_last_status();
        fp_text_print(out, c->array ? ", const __global %s *%s" : ", const %s %s", type, c->name);
    }
    fp_text_put(out, ")\n");
    return GPU_OK;
}

/* How the value of a large capture is written, given its name; NULL for other words. */
static const char *value_of_capture(const void *owner, const char *word, size_t length)
{
    const fp_operator *op = owner;
    for (unsigned k = 0; k < op->count; k++)
        if (op->captured[k].large && !strncmp(op->captured[k].name, word, length) && !op->captured[k].name[length])
            return op->captured[k].large;
    return NULL;
}

static void write_argument(const fp_operator *op, const char *name, size_t length, fp_text *out)
{
    const char *large = value_of_capture(op, name, length);
    fp_text_add(out, large ? large : name, large ? strlen(large) : length);
}

/* The call of a GPU_FUNCTION: operands in order, the others by their names. */
static gpu_status write_call(const signature *s, fp_source *source)
{
    const fp_snippet *snippet = s->op->snippet;
    const char *function;
    gpu_status status = fp_source_function(source, snippet->function, &function);
    if (status) return status;
    fp_text_print(code(source), "{\n    return %s(", function);
    for (size_t k = 0; k < snippet->parameters.count; k++) {
        const fp_word *name = &snippet->parameters.list[k];
        if (k) fp_text_put(code(source), ", ");
        if (k < s->operands) fp_text_put(code(source), s->names[k]);
        if (k >= s->operands)
            write_argument(s->op, snippet->function->parameters + name->offset, name->length, code(source));
    }
    fp_text_put(code(source), ");\n}\n");
    return GPU_OK;
}

/* Note [operators]: an operator's text becomes the body of a function, on lines of its own. So a comment at its end
 * swallows nothing, arguments are evaluated once, and a line and column of the build log lead back to it. */
static gpu_status write_operator(const signature *s, const char *name, unsigned number, fp_source *source)
{
    const fp_snippet *snippet = s->op->snippet;
    gpu_status status =
        snippet->function ? GPU_OK : fp_source_needs(source, snippet->text, &snippet->words, snippet->unit);
    if (!status) status = write_head(s, name, number, source);
    if (!status && snippet->function) return write_call(s, source);
    if (status) return status;
    const fp_origin origin = {snippet->text, s->op->operation, s->op->place, s->op, value_of_capture};
    fp_text_put(code(source), snippet->body ? "" : "{\n    return (\n");
    fp_source_quote(source, FP_PART_CODE, &origin, &snippet->words, snippet->unit);
    fp_text_put(code(source), snippet->body ? "\n" : "\n    );\n}\n");
    return GPU_OK;
}

/* FP_VALUE(i, x0, x1, x2): the value of a map at index i, given its inputs' values. */
static gpu_status write_map(const fp_plan *plan, unsigned number, fp_source *source)
{
    const fp_step *step = &plan->steps[number];
    const fp_node *node = step->node;
    signature s = {.op = node->op, .names = operand_names[0], .index = true};
    s.result = node->op->predicate ? "bool" : fp_source_type(source, node->type);
    for (; s.operands < FP_INPUTS && node->inputs[s.operands]; s.operands++) {
        s.types[s.operands] = fp_source_type(source, node->inputs[s.operands]->type);
        if (!s.types[s.operands]) return fp_last_status();
    }
    if (!s.result) return fp_last_status();
    gpu_status status = write_operator(&s, "fp_s", number, source);
    if (status) return status;
    fp_text *out = code(source);
    fp_text_print(out, "#define FP_VALUE(i, x0, x1, x2) fp_s%u(", number);
    for (unsigned k = 0; k < s.operands; k++) fp_text_print(out, "x%u, ", k);
    fp_text_put(out, "i");
    write_captured_args(node->op, step->parameter, out);
    fp_text_put(out, ")\n");
    return GPU_OK;
}

/* Structs of a size that one load can fetch are read by one load, whatever their members. */
static bool is_raw(const fp_plan *plan, gpu_type type)
{
    return !plan->g->policy.cpu && type->kind == GPU_KIND_STRUCT && (type->size == 8 || type->size == 16);
}

/* FP_VALUE(i, ...) of the other steps. */
static gpu_status write_value(const fp_plan *plan, unsigned number, const char *type, fp_source *source)
{
    const fp_step *step = &plan->steps[number];
    unsigned p = step->parameter;
    fp_text *out = code(source);
    if (step->node->kind == FP_NODE_MAP) return write_map(plan, number, source);
    fp_text_put(out, "#define FP_VALUE(i, x0, x1, x2) ");
    if (step->node->kind == FP_NODE_BUFFER && is_raw(plan, step->node->type)) {
        fp_text_print(out, "fp_read%u(fp_p%u + fp_p%u + i)\n", number, p, p + 1);
    } else if (step->node->kind == FP_NODE_BUFFER) {
        fp_text_print(out, "fp_p%u[fp_p%u + i]\n", p, p + 1);
    } else if (step->node->kind == FP_NODE_RANGE) {
        fp_text_print(out, "(%s)(i)\n", type);
    } else if (step->node->kind == FP_NODE_FILL) {
        fp_text_print(out, "fp_p%u\n", p);
    } else {
        fp_text_print(out, "fp_l%u(i + fp_p%u, FP_ARGS)\n", step->inputs[0], p);
    }
    return GPU_OK;
}

static void write_raw_read(unsigned number, gpu_type type, const char *name, fp_text *out)
{
    fp_text_print(
        out,
        "static inline %s fp_read%u(const __global %s *p)\n{\n    union {\n        uint%zu raw;\n        %s value;\n"
        "    } u;\n    u.raw = *(const __global uint%zu *)p;\n    return u.value;\n}\n",
        name, number, name, type->size / 4, name, type->size / 4);
}

/* fp_wK(i, v, ...): elements i, i + 1, ..., i + FP_WIDE - 1 of a step, i a multiple of FP_WIDE. */
static void write_wide(const fp_plan *plan, unsigned number, const char *type, fp_source *source)
{
    const fp_step *step = &plan->steps[number];
    const fp_node *node = step->node;
    fp_text *out = code(source);
    unsigned p = step->parameter;
    fp_text_print(out, "static inline void fp_w%u(const ulong i, %s *v, FP_PARAMS)\n{\n", number, type);
    if (node->kind == FP_NODE_BUFFER) {
        fp_text_print(out, "    const %s%u q = *(const __global %s%u *)(fp_p%u + fp_p%u + i);\n", type, plan->wide,
                      type, plan->wide, p, p + 1);
        for (unsigned k = 0; k < plan->wide; k++) fp_text_print(out, "    v[%u] = q.s%x;\n", k, k);
    } else if (node->kind == FP_NODE_SHIFT) {
        fp_text_print(out, "    fp_w%u(i + fp_p%u, v, FP_ARGS);\n", step->inputs[0], p);
    } else {
        unsigned inputs = 0;
        for (; inputs < FP_INPUTS && node->inputs[inputs]; inputs++)
            fp_text_print(out, "    %s x%u[FP_WIDE];\n    fp_w%u(i, x%u, FP_ARGS);\n",
                          fp_source_type(source, node->inputs[inputs]->type), inputs, step->inputs[inputs], inputs);
        fp_text_put(out, "#pragma unroll\n    for (uint k = 0; k < FP_WIDE; k++) v[k] = FP_VALUE(i + k");
        for (unsigned k = 0; k < FP_INPUTS; k++) fp_text_print(out, k < inputs ? ", x%u[k]" : ", 0", k);
        fp_text_put(out, ");\n");
    }
    fp_text_put(out, "}\n");
}

static gpu_status write_step(const fp_plan *plan, unsigned number, fp_source *source)
{
    const fp_step *step = &plan->steps[number];
    const fp_node *node = step->node;
    const char *type = fp_source_type(source, node->type);
    if (!type) return fp_last_status();
    fp_text *out = code(source);
    if (node->kind == FP_NODE_BUFFER && is_raw(plan, node->type)) write_raw_read(number, node->type, type, out);
    gpu_status status = write_value(plan, number, type, source);
    if (status) return status;
    fp_text_print(out, "static inline %s fp_l%u(const ulong i, FP_PARAMS)\n{\n    return FP_VALUE(i", type, number);
    for (unsigned k = 0; k < FP_INPUTS; k++) {
        bool used = node->kind == FP_NODE_MAP && node->inputs[k];
        if (used) fp_text_print(out, ", fp_l%u(i, FP_ARGS)", step->inputs[k]);
        if (!used) fp_text_put(out, ", 0");
    }
    fp_text_put(out, ");\n}\n");
    if (plan->wide > 1) write_wide(plan, number, type, source);
    fp_text_put(out, "#undef FP_VALUE\n");
    return GPU_OK;
}

/* fp_load(i) and fp_load_wide(i, v): the root's elements, or tuples with that element in each member. */
static void write_load(const fp_plan *plan, const char *type, fp_text *out)
{
    if (plan->combine_count < 2) {
        fp_text_print(out, "#define fp_load(i) fp_l%u(i, FP_ARGS)\n#define fp_load_wide(i, v) fp_w%u(i, v, FP_ARGS)\n",
                      plan->root, plan->root);
        return;
    }
    fp_text_print(out, "static inline FP_T fp_tuple_of(const %s x)\n{\n    FP_T all;\n", type);
    for (unsigned k = 0; k < plan->combine_count; k++) fp_text_print(out, "    all.v%u = x;\n", k);
    fp_text_print(out, "    return all;\n}\n#define fp_load(i) fp_tuple_of(fp_l%u(i, FP_ARGS))\n", plan->root);
    if (plan->wide == 1) return;
    fp_text_print(out,
                  "static inline void fp_tuples_of(const ulong i, FP_T *v, FP_PARAMS)\n{\n    %s x[FP_WIDE];\n"
                  "    fp_w%u(i, x, FP_ARGS);\n#pragma unroll\n    for (uint k = 0; k < FP_WIDE; k++) v[k] = "
                  "fp_tuple_of(x[k]);\n}\n#define fp_load_wide(i, v) fp_tuples_of(i, v, FP_ARGS)\n",
                  type, plan->root);
}

/* fp_store_wide(p, v): FP_WIDE elements to an aligned place. */
static void write_store(const fp_plan *plan, const char *type, fp_text *out)
{
    if (plan->wide == 1 || !fp_type_is_scalar(plan->type)) return;
    fp_text_print(out, "#define fp_store_wide(p, v) (*(__global %s%u *)(p) = (%s%u)(", type, plan->wide, type,
                  plan->wide);
    for (unsigned k = 0; k < plan->wide; k++) fp_text_print(out, "%s(v)[%u]", k ? ", " : "", k);
    fp_text_put(out, "))\n");
}

/* fp_op(a, b): the one operator, or each on its own member. */
static void write_op(const fp_plan *plan, fp_text *out)
{
    bool tuple = plan->combine_count > 1;
    fp_text_put(out, "static inline FP_T fp_op_all(const FP_T a, const FP_T b, FP_PARAMS)\n{\n    FP_T all;\n");
    for (unsigned k = 0; k < plan->combine_count; k++) {
        if (tuple) fp_text_print(out, "    all.v%u = fp_o%u(a.v%u, b.v%u", k, k, k, k);
        if (!tuple) fp_text_print(out, "    all = fp_o%u(a, b", k);
        write_captured_args(plan->combines[k].op, plan->combines[k].parameter, out);
        fp_text_put(out, ");\n");
    }
    fp_text_put(out, "    return all;\n}\n#define fp_op(a, b) fp_op_all(a, b, FP_ARGS)\n");
}

static gpu_status write_combines(const fp_plan *plan, fp_source *source)
{
    for (unsigned k = 0; k < plan->combine_count; k++) {
        const fp_combine *c = &plan->combines[k];
        const char *type = fp_source_type(source, c->type);
        if (!type) return fp_last_status();
        const signature s = {
            .op = c->op, .result = type, .types = {type, type}, .names = operand_names[1], .operands = 2};
        gpu_status status = write_operator(&s, "fp_o", k, source);
        if (status) return status;
    }
    if (plan->combine_count) write_op(plan, code(source));
    return GPU_OK;
}

gpu_status fp_plan_write(const fp_plan *plan, fp_source *source)
{
    fp_text *slots = &source->parts[FP_PART_SLOTS], template = {0};
    write_slots(plan, slots);
    gpu_status status = fp_template_write("prelude.cl", slots);
    const char *type = status ? NULL : fp_source_type(source, plan->type);
    if (!status && !type) status = fp_last_status();
    if (status) return status;
    fp_text_print(code(source), "#define FP_T %s\n", type);
    status = write_parameters(plan, source);
    for (unsigned k = 0; k < plan->step_count && !status; k++) status = write_step(plan, k, source);
    if (!status) status = write_combines(plan, source);
    if (status) return status;
    write_load(plan, fp_source_type(source, plan->steps[plan->root].node->type), code(source));
    write_store(plan, type, code(source));
    fp_text_print(&template, "%s.cl", plan->template);
    status = template.failed ? fp_fail_memory() : fp_template_write(template.bytes, &source->parts[FP_PART_TEMPLATE]);
    fp_text_free(&template);
    return status;
}
