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

/* Operands and captured values are an operator's own names; a large captured value is written "(*name)". */
static bool binds_name(const void *scope, const char *word, size_t length, const char **as)
{
    const fp_operator *op = scope;
    for (unsigned k = 0; k < op->count; k++) {
        if (strncmp(op->captured[k].name, word, length) != 0 || op->captured[k].name[length]) continue;
        *as = op->captured[k].large;
        return true;
    }
    return length == 1 && strchr("xyziab", word[0]);
}

static void write_argument(const fp_operator *op, const char *name, size_t length, fp_text *out)
{
    const char *large = NULL;
    binds_name(op, name, length, &large);
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
    const fp_origin origin = {.text = snippet->text,
                              .operation = s->op->operation,
                              .place = s->op->place,
                              .owner = s->op,
                              .words = &snippet->words,
                              .unit = snippet->unit,
                              .binds = binds_name,
                              .scope = s->op};
    gpu_status status = snippet->function ? GPU_OK : fp_source_needs(source, &origin);
    if (!status) status = write_head(s, name, number, source);
    if (!status && snippet->function) return write_call(s, source);
    if (status) return status;
    fp_text_put(code(source), snippet->body ? "" : "{\n    return (\n");
    fp_source_quote(source, FP_PART_CODE, &origin);
    fp_text_put(code(source), snippet->body ? "\n" : "\n    );\n}\n");
    return GPU_OK;
}

/* The function of a map's operator, fp_sK. */
static gpu_status write_map_operator(const fp_plan *plan, unsigned number, fp_source *source)
{
    const fp_node *node = plan->steps[number].node;
    signature s = {.op = node->op, .names = operand_names[0], .index = true};
    s.result = node->op->predicate ? "bool" : fp_source_type(source, node->type);
    for (; s.operands < FP_INPUTS && node->inputs[s.operands]; s.operands++) {
        s.types[s.operands] = fp_source_type(source, node->inputs[s.operands]->type);
        if (!s.types[s.operands]) return fp_last_status();
    }
    return s.result ? write_operator(&s, "fp_s", number, source) : fp_last_status();
}

/* Structs of a size that one load can fetch are read by one load, whatever their members. */
static bool is_raw(const fp_plan *plan, gpu_type type)
{
    return !plan->g->policy.cpu && type->kind == GPU_KIND_STRUCT && (type->size == 8 || type->size == 16);
}

static void write_raw_read(unsigned number, gpu_type type, const char *name, fp_text *out)
{
    fp_text_print(out,
                  "static inline %s fp_read%u(const __global %s *p)\n{\n    union {\n        uint%zu raw;\n        %s "
                  "value;\n    } u;\n    u.raw = *(const __global uint%zu *)p;\n    return u.value;\n}\n",
                  name, number, name, type->size / 4, name, type->size / 4);
}

/* The value of a step at `index`, given its inputs' values v0, v1, ... with `at` behind them: "" or "[k]". */
static void write_value(const fp_plan *plan, unsigned number, const char *type, const char *index, const char *at,
                        fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    const fp_node *node = step->node;
    unsigned p = step->parameter;
    switch (node->kind) {
    case FP_NODE_BUFFER:
        if (is_raw(plan, node->type)) fp_text_print(out, "fp_read%u(fp_p%u + fp_p%u + %s)", number, p, p + 1, index);
        if (!is_raw(plan, node->type)) fp_text_print(out, "fp_p%u[fp_p%u + %s]", p, p + 1, index);
        break;
    case FP_NODE_RANGE:
        fp_text_print(out, "(%s)(%s)", type, index);
        break;
    case FP_NODE_FILL:
        fp_text_print(out, node->buffer ? "*fp_p%u" : "fp_p%u", p);
        break;
    case FP_NODE_SHIFT:
        fp_text_print(out, "fp_l%u(%s + fp_p%u, FP_ARGS)", step->inputs[0], index, p);
        break;
    case FP_NODE_MAP:
        fp_text_print(out, "fp_s%u(", number);
        for (unsigned k = 0; k < FP_INPUTS && node->inputs[k]; k++) fp_text_print(out, "v%u%s, ", step->inputs[k], at);
        fp_text_put(out, index);
        write_captured_args(node->op, step->parameter, out);
        fp_text_put(out, ")");
        break;
    }
}

/* Element i of a step into vK. */
static void write_narrow(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    fp_text_print(out, "    const %s v%u = ", type, number);
    write_value(plan, number, type, "i", "", out);
    fp_text_put(out, ";\n");
}

/* Elements i, ..., i + FP_UNIT - 1 into vK[0], ...; i is a multiple of FP_UNIT. */
static void write_wide(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    unsigned p = step->parameter, wide = plan->wide;
    fp_text_print(out, "    %s v%u[FP_UNIT];\n", type, number);
    if (step->node->kind == FP_NODE_BUFFER) {
        fp_text_print(out, "    const %s%u q%u = *(const __global %s%u *)(fp_p%u + fp_p%u + i);\n", type, wide, number,
                      type, wide, p, p + 1);
        for (unsigned k = 0; k < wide; k++) fp_text_print(out, "    v%u[%u] = q%u.s%x;\n", number, k, number, k);
    } else if (step->node->kind == FP_NODE_SHIFT) {
        fp_text_print(out, "    fp_w%u(i + fp_p%u, v%u, FP_ARGS);\n", step->inputs[0], p, number);
    } else {
        fp_text_print(out, "#pragma unroll\n    for (uint k = 0; k < FP_UNIT; k++) v%u[k] = ", number);
        write_value(plan, number, type, "i + k", "[k]", out);
        fp_text_put(out, ";\n");
    }
}

/* Marks the steps that are computed for one element of `root`: those that no slice stands between. */
static void mark_domain(const fp_plan *plan, unsigned root, unsigned number)
{
    fp_step *step = &plan->steps[number];
    if (step->domain == root + 1) return;
    step->domain = root + 1;
    if (step->node->kind != FP_NODE_MAP) return;
    for (unsigned k = 0; k < FP_INPUTS && step->node->inputs[k]; k++) mark_domain(plan, root, step->inputs[k]);
}

/* Note [domains]: fp_lR(i) computes each step that the root R needs at index i once, one after the other, however often
 * the expression names it. A slice needs its input at another index: that input is the root of a domain of its own. */
static void write_domain(const fp_plan *plan, unsigned root, fp_source *source)
{
    fp_text *out = code(source);
    const char *type = fp_source_type(source, plan->steps[root].node->type);
    mark_domain(plan, root, root);
    fp_text_print(out, "static inline %s fp_l%u(const ulong i, FP_PARAMS)\n{\n", type, root);
    for (unsigned k = 0; k <= root; k++)
        if (plan->steps[k].domain == root + 1)
            write_narrow(plan, k, fp_source_type(source, plan->steps[k].node->type), out);
    fp_text_print(out, "    return v%u;\n}\n", root);
    if (plan->wide == 1) return;
    fp_text_print(out, "static inline void fp_w%u(const ulong i, %s *v, FP_PARAMS)\n{\n", root, type);
    for (unsigned k = 0; k <= root; k++)
        if (plan->steps[k].domain == root + 1)
            write_wide(plan, k, fp_source_type(source, plan->steps[k].node->type), out);
    fp_text_print(out, "#pragma unroll\n    for (uint k = 0; k < FP_UNIT; k++) v[k] = v%u[k];\n}\n", root);
}

static bool is_root(const fp_plan *plan, unsigned number)
{
    if (number == plan->root) return true;
    for (size_t k = 0; k < plan->step_count; k++)
        if (plan->steps[k].node->kind == FP_NODE_SHIFT && plan->steps[k].inputs[0] == number) return true;
    return false;
}

static gpu_status write_steps(const fp_plan *plan, fp_source *source)
{
    for (unsigned k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        const char *type = fp_source_type(source, node->type);
        if (!type) return fp_last_status();
        if (node->kind == FP_NODE_BUFFER && is_raw(plan, node->type)) write_raw_read(k, node->type, type, code(source));
        gpu_status status = node->kind == FP_NODE_MAP ? write_map_operator(plan, k, source) : GPU_OK;
        if (status) return status;
    }
    for (unsigned k = 0; k < plan->step_count; k++)
        if (is_root(plan, k)) write_domain(plan, k, source);
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
                  "static inline void fp_tuples_of(const ulong i, FP_T *v, FP_PARAMS)\n{\n    %s x[FP_UNIT];\n"
                  "    fp_w%u(i, x, FP_ARGS);\n#pragma unroll\n    for (uint k = 0; k < FP_UNIT; k++) v[k] = "
                  "fp_tuple_of(x[k]);\n}\n#define fp_load_wide(i, v) fp_tuples_of(i, v, FP_ARGS)\n",
                  type, plan->root);
}

/* fp_store_wide(p, v): FP_UNIT elements to an aligned place. */
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
    if (!status) status = write_steps(plan, source);
    if (!status) status = write_combines(plan, source);
    if (status) return status;
    write_load(plan, fp_source_type(source, plan->steps[plan->root].node->type), code(source));
    write_store(plan, type, code(source));
    fp_text_print(&template, "%s.cl", plan->template);
    status = template.failed ? fp_fail_memory() : fp_template_write(template.bytes, &source->parts[FP_PART_TEMPLATE]);
    fp_text_free(&template);
    return status;
}
