/* The program of a plan: slots, prelude, definitions, operators, fp_load and fp_op, template. */
#include "array/plan.h"
#include "base/error.h"
#include "kernel/template.h"

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
    fp_text_print(code(source), "#define FP_PARAMS %s\n#define FP_ARGS %s\n#define fp_n fp_p0\n", fp_text_string(&params),
                  fp_text_string(&args));
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
        if (k >= s->operands) fp_text_add(code(source), snippet->function->parameters + name->offset, name->length);
    }
    fp_text_put(code(source), ");\n}\n");
    return GPU_OK;
}

/* Note [operators]: an operator's text becomes the body of a function, on lines of its own. So a comment at its end swallows
 * nothing, arguments are evaluated once, and a line and column of the build log lead back to it. */
static gpu_status write_operator(const signature *s, const char *name, unsigned number, fp_source *source)
{
    const fp_snippet *snippet = s->op->snippet;
    gpu_status status = snippet->function
                            ? GPU_OK
                            : fp_source_needs(source, snippet->text, &snippet->words, snippet->unit);
    if (!status) status = write_head(s, name, number, source);
    if (!status && snippet->function) return write_call(s, source);
    if (status) return status;
    const fp_origin origin = {snippet->text, s->op->operation, s->op->place, (void *)(uintptr_t)s->op};
    fp_text_put(code(source), snippet->body ? "" : "{\n    return (\n");
    fp_source_quote(source, FP_PART_CODE, &origin, &snippet->words, snippet->unit);
    fp_text_put(code(source), snippet->body ? "\n" : "\n    );\n}\n");
    return GPU_OK;
}

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
    fp_text_print(out, "#define FP_VALUE fp_s%u(", number);
    for (unsigned k = 0; k < s.operands; k++) fp_text_print(out, "fp_l%u(i, FP_ARGS), ", step->inputs[k]);
    fp_text_put(out, "i");
    write_captured_args(node->op, step->parameter, out);
    fp_text_put(out, ")\n");
    return GPU_OK;
}

/* FP_VALUE: element i of a step, which its function returns. */
static gpu_status write_value(const fp_plan *plan, unsigned number, fp_source *source)
{
    const fp_step *step = &plan->steps[number];
    unsigned p = step->parameter;
    switch (step->node->kind) {
    case FP_NODE_BUFFER:
        fp_text_print(code(source), "#define FP_VALUE fp_p%u[fp_p%u + i]\n", p, p + 1);
        return GPU_OK;
    case FP_NODE_RANGE:
        fp_text_print(code(source), "#define FP_VALUE (%s)i\n", step->node->type->name);
        return GPU_OK;
    case FP_NODE_FILL:
        fp_text_print(code(source), "#define FP_VALUE fp_p%u\n", p);
        return GPU_OK;
    case FP_NODE_SHIFT:
        fp_text_print(code(source), "#define FP_VALUE fp_l%u(i + fp_p%u, FP_ARGS)\n", step->inputs[0], p);
        return GPU_OK;
    case FP_NODE_MAP:
        return write_map(plan, number, source);
    }
    return fp_fail(GPU_E_INTERNAL, "a node of unknown kind");
}

static gpu_status write_step(const fp_plan *plan, unsigned number, fp_source *source)
{
    const char *type = fp_source_type(source, plan->steps[number].node->type);
    gpu_status status = type ? write_value(plan, number, source) : fp_last_status();
    if (status) return status;
    fp_text_print(code(source), "static inline %s fp_l%u(const ulong i, FP_PARAMS)\n{\n    return FP_VALUE;\n}\n#undef FP_VALUE\n",
                  type, number);
    return GPU_OK;
}

/* fp_load(i): the root's element, or a tuple with that element in each member. */
static void write_load(const fp_plan *plan, const char *type, fp_text *out)
{
    if (plan->combine_count < 2) {
        fp_text_print(out, "#define fp_load(i) fp_l%u(i, FP_ARGS)\n", plan->root);
        return;
    }
    fp_text_print(out, "static inline FP_T fp_load_all(const ulong i, FP_PARAMS)\n{\n    const %s x = fp_l%u(i, FP_ARGS);\n",
                  type, plan->root);
    fp_text_put(out, "    FP_T all;\n");
    for (unsigned k = 0; k < plan->combine_count; k++) fp_text_print(out, "    all.v%u = x;\n", k);
    fp_text_put(out, "    return all;\n}\n#define fp_load(i) fp_load_all(i, FP_ARGS)\n");
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
    fp_text_print(&template, "%s.cl", plan->template);
    status = fp_template_write(fp_text_string(&template), &source->parts[FP_PART_TEMPLATE]);
    fp_text_free(&template);
    return status;
}
