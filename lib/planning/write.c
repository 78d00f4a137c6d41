/* The program of a plan: slots, prelude, definitions, operators, fp_load and fp_op, template. */
#include "planning/write.h"
#include "base/error.h"
#include "kernel/layout.h"
#include "kernel/template.h"
#include "kernel/type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void write_slots(const fp_plan *plan, fp_text *out)
{
    for (unsigned k = 0; k < plan->slot_count; k++)
        fp_text_print(out, "#define %s %" PRIu64 "\n", plan->slots[k].name, plan->slots[k].value);
}

/* FP_PARAMS declares the kernel's parameters in every function that reads elements. FP_ARGS passes them. */
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
        const char *form = p->counter   ? "%svolatile __global %s *fp_p%zu"
                           : p->made    ? "%s__global %s *restrict fp_p%zu"
                           : p->pointer ? "%sconst __global %s *fp_p%zu"
                                        : "%sconst %s fp_p%zu";
        fp_text_print(&params, form, comma, type, k);
        fp_text_print(&args, "%sfp_p%zu", comma, k);
    }
    if (args.failed || params.failed) source->failed = true;
    fp_text_print(fp_code(source), "#define FP_PARAMS %s\n#define FP_ARGS %s\n#define fp_n %s\n",
                  fp_text_string(&params), fp_text_string(&args), plan->counted ? "fp_p0[fp_p1]" : "fp_p0");
    fp_text_free(&args);
    fp_text_free(&params);
    return status;
}

/* The function of a step's operator, fp_sK. That of a search compares an element of its source with one of its input,
 * which has the same type. */
static gpu_status write_step_operator(const fp_plan *plan, unsigned number, fp_source *source)
{
    const fp_node *node = plan->steps[number].node;
    fp_operator_frame s = {
        .op = node->op, .names = fp_operand_names(node->op->keyed, node->op->combines), .index = !node->op->combines};
    s.result = node->op->predicate ? "bool" : fp_source_type(source, node->type);
    if (node->kind == FP_NODE_FIND) s.types[s.operands++] = fp_source_type(source, node->gather.source->type);
    if (node->kind == FP_NODE_FIND && !s.types[0]) return fp_last_status();
    for (unsigned k = 0; k < FP_INPUTS && node->inputs[k]; k++, s.operands++) {
        s.types[s.operands] = fp_source_type(source, node->inputs[k]->type);
        if (!s.types[s.operands]) return fp_last_status();
    }
    char at[32];
    if (node->kind == FP_NODE_STENCIL) {
        snprintf(at, sizeof at, "fp_at%u", number);
        const char *numbers = node->op->placed ? "dy, dx" : "k";
        fp_text_print(fp_code(source), "#define %s(%s) fp_n%u(i, %s, FP_ARGS)\n", at, numbers, number, numbers);
        s.at = at;
        s.reach = node->stencil.reach;
    }
    return s.result ? fp_write_operator(&s, "fp_s", number, source) : fp_last_status();
}

/* One load reads a struct of a suitable size, whatever its members. */
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

static void write_operands(const fp_plan *plan, unsigned number, const char *index, const char *at, fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    const bool around = step->node->kind == FP_NODE_STENCIL;
    if (step->node->op->region)
        fp_text_print(out, "!fp_%s(%s, fp_p%u) ? v%u%s : ", fp_region_names[step->node->op->region], index,
                      step->parameter, step->inputs[0], at);
    fp_text_print(out, step->node->op->negated ? "!fp_s%u(" : "fp_s%u(", number);
    if (around) fp_text_put(out, "FP_ARGS");
    for (unsigned k = 0; k < FP_INPUTS && step->node->inputs[k] && !around; k++)
        fp_text_print(out, "%sv%u%s", k ? ", " : "", step->inputs[k], at);
    if (!step->node->op->combines) fp_text_print(out, ", %s", index);
    fp_write_captured_args(step->node->op, step->parameter, out);
    fp_text_put(out, ")");
}

/* Does the template give row and column of the view's elements, in the domain that is being written? */
static bool knows_place(const fp_plan *plan, const fp_step *step)
{
    return plan->placed && step->placed && step->domain == plan->root + 1;
}

static void write_unit_or_parameter(size_t value, unsigned parameter, fp_text *out)
{
    if (value == 1) fp_text_put(out, ", 1");
    if (value != 1) fp_text_print(out, ", fp_p%u", parameter);
}

static void write_view(const fp_plan *plan, unsigned number, const char *index, fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    const fp_strides *strides = &step->node->strides;
    const unsigned p = step->parameter;
    fp_text_print(out, "fp_l%u(", step->inputs[0]);
    if (knows_place(plan, step)) fp_text_put(out, "fp_strided_in(row, column");
    if (!knows_place(plan, step)) fp_text_print(out, "fp_strided(%s, fp_p%u", index, p);
    fp_text_print(out, ", fp_p%u", p + 1);
    write_unit_or_parameter(strides->row_step, p + 2, out);
    write_unit_or_parameter(strides->column_step, p + 3, out);
    fp_text_put(out, "), FP_ARGS)");
}

/* The value of a step at `index`, given its inputs' values v0, v1, ... with `at` behind them: "" or "[k]". */
static void write_value(const fp_plan *plan, unsigned number, const char *type, const char *index, const char *at,
                        fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    fp_node *node = step->node;
    unsigned p = step->parameter, input = step->inputs[0];
    char length[64];
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
    case FP_NODE_SLICE:
        if (node->slice.start) fp_text_print(out, "fp_l%u(%s + fp_p%u[fp_p%u], FP_ARGS)", input, index, p, p + 1);
        if (!node->slice.start) fp_text_print(out, "fp_l%u(%s + fp_p%u, FP_ARGS)", input, index, p);
        break;
    case FP_NODE_REVERSE:
        fp_write_length(node->inputs[0], p, length, sizeof length);
        fp_text_print(out, "fp_l%u(%s - 1 - (%s), FP_ARGS)", input, length, index);
        break;
    case FP_NODE_PREVIOUS:
        fp_text_print(out, "fp_l%u((%s) - ((%s) > 0), FP_ARGS)", input, index, index);
        break;
    case FP_NODE_CONCAT:
        fp_text_print(out, "(%s) < fp_p%u ? fp_l%u(%s, FP_ARGS) : fp_l%u(%s - fp_p%u, FP_ARGS)", index, p, input, index,
                      step->inputs[1], index, p);
        break;
    case FP_NODE_STRIDED:
        write_view(plan, number, index, out);
        break;
    case FP_NODE_GATHER:
        fp_text_print(out, "fp_g%u((ulong)v%u%s, %s, FP_ARGS)", number, input, at, index);
        break;
    case FP_NODE_FIND:
        fp_text_print(out, "fp_b%u(v%u%s, FP_ARGS)", number, input, at);
        break;
    case FP_NODE_MAP:
    case FP_NODE_STENCIL:
        write_operands(plan, number, index, at, out);
        break;
    case FP_NODE_FILTER:
        fp_text_print(out, "v%u%s", input, at);
        break;
    case FP_NODE_INDICES:
        fp_text_print(out, "(ulong)(%s)", index);
        break;
    case FP_NODE_TASK:
    case FP_NODE_SYMBOL:
        break;
    }
}

/* Writes element i of a step into vK. If a filter drops it, the steps that follow are not computed: they may rely on
 * the filter. The root's own filter gives the element all the same. */
static void write_narrow(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    if (fp_node_filters(plan->steps[number].node)) {
        if (number == plan->root) {
            fp_text_put(out, "    *out = ");
            write_value(plan, number, type, "i", "", out);
            fp_text_put(out, ";\n");
        }
        fp_text_put(out, "    if (!");
        write_operands(plan, number, "i", "", out);
        fp_text_put(out, ") return false;\n");
    }
    fp_text_print(out, "    const %s v%u = ", type, number);
    write_value(plan, number, type, "i", "", out);
    fp_text_put(out, ";\n");
}

/* Writes elements i, ..., i + FP_VECTOR - 1 into vK[0], ...; i is a multiple of FP_VECTOR. NVIDIA's compiler takes
 * (i | k) / 4 for i / 4, so that random elements share their work, and (i + k) / 4 not. */
static void write_wide(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    unsigned p = step->parameter, wide = plan->wide;
    fp_text_print(out, "    %s v%u[FP_VECTOR];\n", type, number);
    const char *kept = fp_node_selection(step->node) ? "if (keep[k]) " : "";
    if (fp_node_filters(step->node)) {
        fp_text_print(out, "#pragma unroll\n    for (uint k = 0; k < FP_VECTOR; k++) keep[k] = %s",
                      fp_node_selection(step->node->inputs[0]) ? "keep[k] && " : "");
        write_operands(plan, number, "(i | k)", "[k]", out);
        fp_text_put(out, ";\n");
        kept = "";
    }
    if (step->node->kind == FP_NODE_BUFFER) {
        fp_text_print(out, "    const %s%u q%u = *(const __global %s%u *)(fp_p%u + fp_p%u + i);\n", type, wide, number,
                      type, wide, p, p + 1);
        for (unsigned k = 0; k < wide; k++) fp_text_print(out, "    v%u[%u] = q%u.s%x;\n", number, k, number, k);
    } else if (step->node->kind == FP_NODE_SLICE) {
        fp_text_print(out, "    fp_w%u(i + fp_p%u, v%u, FP_ARGS);\n", step->inputs[0], p, number);
    } else {
        fp_text_print(out, "#pragma unroll\n    for (uint k = 0; k < FP_VECTOR; k++) %sv%u[k] = ", kept, number);
        write_value(plan, number, type, "(i | k)", "[k]", out);
        fp_text_put(out, ";\n");
    }
}

/* Marks the steps that are computed for one element of `root`: no slice or task is in between. */
static void mark_domain(const fp_plan *plan, unsigned root, unsigned number)
{
    fp_step *step = &plan->steps[number];
    if (step->domain == root + 1 || step->node->kind == FP_NODE_TASK) return;
    step->domain = root + 1;
    if (!fp_node_stays(step->node)) return;
    for (unsigned k = 0; k < FP_INPUTS && step->node->inputs[k]; k++) mark_domain(plan, root, step->inputs[k]);
}

static void write_domain_steps(const fp_plan *plan, unsigned root, bool wide, fp_source *source)
{
    for (unsigned k = 0; k <= root; k++) {
        if (plan->steps[k].domain != root + 1) continue;
        const char *type = fp_source_type(source, plan->steps[k].node->type);
        if (wide) write_wide(plan, k, type, fp_code(source));
        if (!wide) write_narrow(plan, k, type, fp_code(source));
    }
}

/* Note [domains]: fp_lR(i) computes each step that the root R needs at index i once, however often the expression names
 * it. A slice needs its input at another index, so that input is the root of another domain. A selection has fp_kR(i,
 * &v), which also says whether the element is kept. */
static void write_domain(const fp_plan *plan, unsigned root, fp_source *source)
{
    fp_text *out = fp_code(source);
    const char *type = fp_source_type(source, plan->steps[root].node->type);
    const char *place = plan->placed && root == plan->root ? "const ulong row, const ulong column, " : "";
    bool selected = fp_node_selection(plan->steps[root].node) != NULL;
    mark_domain(plan, root, root);
    if (selected) fp_text_print(out, "FP_INLINE bool fp_k%u(const ulong i, %s *out, FP_PARAMS)\n{\n", root, type);
    if (!selected) fp_text_print(out, "FP_INLINE %s fp_l%u(const ulong i, %sFP_PARAMS)\n{\n", type, root, place);
    write_domain_steps(plan, root, false, source);
    fp_text_print(out, selected ? "    *out = v%u;\n    return true;\n}\n" : "    return v%u;\n}\n", root);
    if (plan->wide == 1) return;
    fp_text_print(out, "FP_INLINE void fp_w%u(const ulong i, %s *v%s, FP_PARAMS)\n{\n", root, type,
                  selected ? ", bool *keep" : "");
    write_domain_steps(plan, root, true, source);
    fp_text_print(out, "#pragma unroll\n    for (uint k = 0; k < FP_VECTOR; k++) v[k] = v%u[k];\n}\n", root);
}

static bool is_root(const fp_plan *plan, unsigned number)
{
    const fp_operator *kernel = plan->kernel;
    if (number == plan->root) return true;
    for (unsigned k = 0; kernel && k < kernel->count; k++)
        if (fp_captured_is_fused(&kernel->captured[k]) && kernel->captured[k].array->step == number) return true;
    for (size_t k = 0; k < plan->step_count; k++) {
        const fp_step *step = &plan->steps[k];
        if (fp_node_stays(step->node)) continue;
        for (unsigned n = 0; n < FP_INPUTS && step->node->inputs[n]; n++)
            if (step->inputs[n] == number) return true;
    }
    return false;
}

/* A stencil's neighbours are elements of another domain, so its operator comes behind that. */
static gpu_status write_stencil(const fp_plan *plan, unsigned number, fp_source *source)
{
    fp_write_neighbours(plan, number, fp_source_type(source, plan->steps[number].node->type), fp_code(source));
    return write_step_operator(plan, number, source);
}

static gpu_status write_steps(const fp_plan *plan, fp_source *source)
{
    for (unsigned k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        const char *type = fp_source_type(source, node->type);
        if (!type) return fp_last_status();
        if (node->kind == FP_NODE_BUFFER && is_raw(plan, node->type))
            write_raw_read(k, node->type, type, fp_code(source));
        if (node->kind == FP_NODE_GATHER) fp_write_gather(plan, k, type, fp_code(source));
        bool applies = node->op && node->kind != FP_NODE_TASK && node->kind != FP_NODE_STENCIL;
        gpu_status status = applies ? write_step_operator(plan, k, source) : GPU_OK;
        if (status) return status;
        if (node->kind == FP_NODE_FIND)
            fp_write_find(plan, k, fp_source_type(source, node->inputs[0]->type), fp_code(source));
    }
    for (unsigned k = 0; k < plan->step_count; k++) {
        gpu_status status = plan->steps[k].node->kind == FP_NODE_STENCIL ? write_stencil(plan, k, source) : GPU_OK;
        if (status) return status;
        if (is_root(plan, k)) write_domain(plan, k, source);
    }
    return GPU_OK;
}

/* FP_MEMBERS(M), the members of an FP_T that a CPU computes from scalars: M(type, name) for each. */
static void write_members(const fp_plan *plan, fp_source *source)
{
    fp_text list = {0};
    for (size_t k = 0; plan->g->policy.cpu && fp_plan_reads_scalars(plan) && k < source->struct_count; k++)
        if (source->structs[k].type == plan->type && fp_layout_write_list(source->structs[k].layout, &list))
            fp_text_print(fp_code(source), "#define FP_MEMBERS(M)%s\n", fp_text_string(&list));
    if (list.failed) source->failed = true;
    fp_text_free(&list);
}

static bool is_tuple(const fp_plan *plan)
{
    return plan->combine_count > 1 || plan->absence == FP_ABSENCE_MARKED;
}

/* Puts the element x, which has this index, into an FP_T, `all`. That is a single value, or a tuple with a value for
 * each operator, which may be marked. */
static void write_fill(const fp_plan *plan, const char *index, fp_text *out)
{
    const bool tuple = is_tuple(plan);
    for (unsigned k = 0; k < plan->combine_count; k++) {
        const fp_combine *c = &plan->combines[k];
        fp_text_put(out, "    all");
        if (tuple) fp_text_print(out, ".v%u", k);
        if (c->map) fp_text_print(out, " = fp_m%u(x, %s", k, index);
        if (c->map) fp_write_captured_args(c->map, c->map_parameter, out);
        fp_text_put(out, c->map ? ");\n" : " = x;\n");
    }
    if (plan->absence == FP_ABSENCE_MARKED) fp_text_put(out, "    all.kept0 = 1;\n");
}

static bool has_maps(const fp_plan *plan)
{
    return plan->combine_count && plan->combines[0].map;
}

/* fp_nothing: the FP_T of an absent element. */
static void write_nothing(const fp_plan *plan, fp_text *out)
{
    if (plan->absence == FP_ABSENCE_NEUTRAL) fp_text_print(out, "#define fp_nothing fp_p%u\n", plan->neutral);
    if (plan->absence == FP_ABSENCE_MARKED)
        fp_text_put(out, "static inline FP_T fp_none(void)\n{\n    FP_T all = {0};\n    return all;\n}\n"
                         "#define fp_nothing fp_none()\n");
}

/* fp_take(i, &v) and fp_take_wide(i, v, keep); fp_load for templates that combine elements. Maps rely on the filter. */
static void write_selected_load(const fp_plan *plan, const char *type, fp_text *out)
{
    fp_text_print(out,
                  "#define fp_take(i, v) fp_k%u(i, v, FP_ARGS)\n#define fp_take_wide(i, v, keep) fp_w%u(i, v, keep, "
                  "FP_ARGS)\n",
                  plan->root, plan->root);
    if (!plan->combine_count) return;
    fp_text_print(out, "FP_INLINE FP_T fp_load_kept(const ulong i, FP_PARAMS)\n{\n    %s x;\n    FP_T all;\n", type);
    fp_text_put(out, "    if (!fp_take(i, &x)) return fp_nothing;\n");
    write_fill(plan, "i", out);
    fp_text_put(out, "    return all;\n}\n#define fp_load(i) fp_load_kept(i, FP_ARGS)\n");
    if (plan->wide == 1) return;
    fp_text_print(out,
                  "FP_INLINE void fp_load_kept_wide(const ulong i, FP_T *v, FP_PARAMS)\n{\n    %s w[FP_VECTOR];\n"
                  "    bool keep[FP_VECTOR];\n    fp_take_wide(i, w, keep);\n#pragma unroll\n"
                  "    for (uint k = 0; k < FP_VECTOR; k++) {\n    const %s x = w[k];\n    FP_T all;\n%s",
                  type, type, has_maps(plan) ? "    if (keep[k]) {\n" : "");
    write_fill(plan, "i + k", out);
    fp_text_print(out,
                  "%s    v[k] = keep[k] ? all : fp_nothing;\n    }\n}\n"
                  "#define fp_load_wide(i, v) fp_load_kept_wide(i, v, FP_ARGS)\n",
                  has_maps(plan) ? "    }\n" : "");
}

static void write_filled_load(const fp_plan *plan, const char *type, fp_text *out)
{
    fp_text_print(out,
                  "FP_INLINE FP_T fp_load_filled(const ulong i, FP_PARAMS)\n{\n    const %s x = fp_l%u(i, FP_ARGS);\n"
                  "    FP_T all;\n",
                  type, plan->root);
    write_fill(plan, "i", out);
    fp_text_put(out, "    return all;\n}\n#define fp_load(i) fp_load_filled(i, FP_ARGS)\n");
    if (plan->wide == 1) return;
    fp_text_print(out,
                  "FP_INLINE void fp_load_filled_wide(const ulong i, FP_T *v, FP_PARAMS)\n{\n    %s w[FP_VECTOR];\n"
                  "    fp_w%u(i, w, FP_ARGS);\n#pragma unroll\n    for (uint k = 0; k < FP_VECTOR; k++) {\n"
                  "    const %s x = w[k];\n    FP_T all;\n",
                  type, plan->root, type);
    write_fill(plan, "i + k", out);
    fp_text_put(out, "    v[k] = all;\n    }\n}\n#define fp_load_wide(i, v) fp_load_filled_wide(i, v, FP_ARGS)\n");
}

/* fp_load(i), or fp_load_in(i, row, column), and fp_load_wide(i, v): the root's elements, as FP_T where the template
 * combines them. FP_IN is their type. */
static void write_load(const fp_plan *plan, const char *type, fp_text *out)
{
    fp_text_print(out, "#define FP_IN %s\n", type);
    write_nothing(plan, out);
    if (fp_node_selection(plan->steps[plan->root].node)) {
        write_selected_load(plan, type, out);
    } else if (is_tuple(plan) || has_maps(plan)) {
        write_filled_load(plan, type, out);
    } else if (plan->placed) {
        fp_text_print(out, "#define fp_load_in(i, row, column) fp_l%u(i, row, column, FP_ARGS)\n", plan->root);
    } else {
        fp_text_print(out, "#define fp_load(i) fp_l%u(i, FP_ARGS)\n#define fp_load_wide(i, v) fp_w%u(i, v, FP_ARGS)\n",
                      plan->root, plan->root);
    }
}

/* fp_fetch_ahead(i): prefetches AHEAD bytes behind element i, in each buffer that the root reads in order. It is one
 * expression, so that it may be the body of a loop. FP_LINE: the elements in a cache line of one of the buffers. */
static void write_fetch_ahead(const fp_plan *plan, fp_text *out)
{
    enum { AHEAD = 4096, LINE = 64 };
    size_t largest = 1;
    fp_text_put(out, "#define fp_fetch_ahead(i) ((void)0");
    for (unsigned k = 0; k <= plan->root && plan->g->capabilities->fetches_ahead; k++) {
        const fp_step *step = &plan->steps[k];
        if (step->domain != plan->root + 1 || step->node->kind != FP_NODE_BUFFER) continue;
        const size_t size = step->node->type->size;
        fp_text_print(out, ", __builtin_prefetch(fp_p%u + fp_p%u + (i) + %zu)", step->parameter, step->parameter + 1,
                      AHEAD / size);
        if (size > largest) largest = size;
    }
    fp_text_print(out, ")\n#define FP_LINE %zu\n", largest < LINE ? LINE / largest : 1);
}

/* fp_store_wide(p, v): FP_VECTOR elements to an aligned place. */
static void write_store(const fp_plan *plan, const char *type, fp_text *out)
{
    if (plan->wide == 1 || !fp_type_is_scalar(plan->type)) return;
    fp_text_print(out, "#define fp_store_wide(p, v) (*(__global %s%u *)(p) = (%s%u)(", type, plan->wide, type,
                  plan->wide);
    for (unsigned k = 0; k < plan->wide; k++) fp_text_print(out, "%s(v)[%u]", k ? ", " : "", k);
    fp_text_put(out, "))\n");
}

/* fp_epilogue(i, v): the FP_OUT that is stored for element i, of which the template has v. */
static void write_epilogue(const fp_plan *plan, const char *type, fp_source *source)
{
    unsigned task = plan->epilogue;
    fp_text *out = fp_code(source);
    if (!plan->has_epilogue) {
        fp_text_print(out, "#define FP_OUT %s\n#define fp_epilogue(i, v) (v)\n", type);
        return;
    }
    while (plan->steps[task].node->kind != FP_NODE_TASK) task = plan->steps[task].inputs[0];
    fp_text_print(out, "#define FP_OUT %s\n", fp_source_type(source, plan->steps[plan->epilogue].node->type));
    fp_text_print(out, "static inline FP_OUT fp_epilogue_of(const ulong i, const %s v%u, FP_PARAMS)\n{\n", type, task);
    mark_domain(plan, plan->epilogue, plan->epilogue);
    write_domain_steps(plan, plan->epilogue, false, source);
    fp_text_print(out, "    return v%u;\n}\n#define fp_epilogue(i, v) fp_epilogue_of(i, v, FP_ARGS)\n", plan->epilogue);
}

/* fp_op(a, b): the one operator, or each on its own member. */
static void write_op(const fp_plan *plan, fp_text *out)
{
    const bool marked = plan->absence == FP_ABSENCE_MARKED, tuple = is_tuple(plan);
    fp_text_put(out, "static inline FP_T fp_op_all(const FP_T a, const FP_T b, FP_PARAMS)\n{\n");
    if (marked) fp_text_put(out, "    if (!a.kept0) return b;\n    if (!b.kept0) return a;\n");
    fp_text_put(out, marked ? "    FP_T all = a;\n" : "    FP_T all;\n");
    for (unsigned k = 0; k < plan->combine_count; k++) {
        if (tuple) fp_text_print(out, "    all.v%u = fp_o%u(a.v%u, b.v%u", k, k, k, k);
        if (!tuple) fp_text_print(out, "    all = fp_o%u(a, b", k);
        fp_write_captured_args(plan->combines[k].op, plan->combines[k].parameter, out);
        fp_text_put(out, ");\n");
    }
    fp_text_put(out, "    return all;\n}\n#define fp_op(a, b) fp_op_all(a, b, FP_ARGS)\n");
}

static void write_less(const fp_plan *plan, const char *type, fp_text *out)
{
    fp_text_print(out, "static inline bool fp_less_of(const %s a, const %s b, FP_PARAMS)\n{\n    return fp_o0(a, b",
                  type, type);
    fp_write_captured_args(plan->combines[0].op, plan->combines[0].parameter, out);
    fp_text_put(out, ");\n}\n#define fp_less(a, b) fp_less_of(a, b, FP_ARGS)\n");
}

/* The function of a map before operator k, fp_mK. */
static gpu_status write_map(const fp_plan *plan, unsigned k, const char *result, fp_source *source)
{
    const fp_operator_frame s = {.op = plan->combines[k].map,
                                 .result = result,
                                 .types = {fp_source_type(source, plan->steps[plan->root].node->type)},
                                 .names = fp_operand_names(false, false),
                                 .operands = 1,
                                 .index = true};
    return s.types[0] ? fp_write_operator(&s, "fp_m", k, source) : fp_last_status();
}

static gpu_status write_combines(const fp_plan *plan, fp_source *source)
{
    for (unsigned k = 0; k < plan->combine_count; k++) {
        const fp_combine *c = &plan->combines[k];
        const char *type = fp_source_type(source, c->type);
        if (!type) return fp_last_status();
        const fp_operator_frame s = {.op = c->op,
                                     .result = plan->compares ? "bool" : type,
                                     .types = {type, type},
                                     .names = fp_operand_names(false, true),
                                     .operands = 2};
        gpu_status status = fp_write_operator(&s, "fp_o", k, source);
        if (!status && c->map) status = write_map(plan, k, type, source);
        if (status) return status;
        if (plan->compares) write_less(plan, type, fp_code(source));
    }
    if (plan->combine_count && !plan->compares) write_op(plan, fp_code(source));
    return GPU_OK;
}

/* fp_product(x, y), and the loads of the two arrays that the root is made of. */
static gpu_status write_product(const fp_plan *plan, fp_source *source)
{
    const fp_step *root = &plan->steps[plan->root];
    const char *type = fp_source_type(source, plan->product.type);
    fp_text *out = fp_code(source);
    if (!type) return fp_last_status();
    const fp_operator_frame s = {.op = plan->product.op,
                                 .result = type,
                                 .types = {type, type},
                                 .names = fp_operand_names(false, false),
                                 .operands = 2};
    gpu_status status = fp_write_operator(&s, "fp_m", 0, source);
    if (status) return status;
    fp_text_put(out, "#define fp_product(x, y) fp_m0(x, y");
    fp_write_captured_args(plan->product.op, plan->product.parameter, out);
    fp_text_print(out, ")\n#define fp_load_a(i) fp_l%u(i, FP_ARGS)\n#define fp_load_b(i) fp_l%u(i, FP_ARGS)\n",
                  root->inputs[0], root->inputs[1]);
    return GPU_OK;
}

/* fp_edges: may elements near the edges be loaded? A template sets it to 0 where none are. */
static gpu_status write_edges(const fp_plan *plan, fp_source *source)
{
    const fp_split *split = &plan->split;
    fp_text *out = fp_code(source);
    if (!split->dimensions) fp_text_put(out, "#define fp_edges 1\n");
    if (split->dimensions) fp_text_print(out, "#define fp_edges fp_p%u\n", split->edges);
    if (split->dimensions == 1) fp_text_put(out, "#define fp_columns fp_n\n");
    if (split->dimensions == 2) fp_text_print(out, "#define fp_columns fp_p%u\n", split->columns_parameter);
    return fp_template_write("block/edge.cl", out);
}

/* The template for the shape, cpu/NAME.cl or gpu/NAME.cl; NAME.cl if it is the same for both. */
static gpu_status write_template(const fp_plan *plan, fp_text *out)
{
    fp_text of_shape = {0}, of_both = {0};
    fp_text_print(&of_shape, "%s/%s.cl", plan->g->policy.cpu ? "cpu" : "gpu", plan->template);
    fp_text_print(&of_both, "%s.cl", plan->template);
    gpu_status status = of_shape.failed || of_both.failed ? fp_fail_memory() : GPU_OK;
    if (!status) status = fp_template_write((fp_template_exists(of_shape.bytes) ? &of_shape : &of_both)->bytes, out);
    fp_text_free(&of_shape);
    fp_text_free(&of_both);
    return status;
}

gpu_status fp_plan_write(const fp_plan *plan, fp_source *source)
{
    write_slots(plan, &source->parts[FP_PART_SLOTS]);
    gpu_status status = fp_template_write("prelude.cl", &source->parts[FP_PART_PRELUDE]);
    const char *type = status ? NULL : fp_source_type(source, plan->type);
    if (!status && !type) status = fp_last_status();
    if (status) return status;
    /* PoCL does not inline long functions of elements on its own. Calls share no work, and ask for edges again. */
    const bool stencils = fp_plan_has_stencils(plan);
    const char *always = fp_plan_shared(plan) > 1 || stencils ? " __attribute__((always_inline))" : "";
    fp_text_print(fp_code(source), "#define FP_T %s\n#define FP_INLINE static inline%s\n", type, always);
    write_members(plan, source);
    for (unsigned k = 0; k < plan->name_count; k++)
        fp_text_print(fp_code(source), "#define %s %s\n", plan->names[k].name,
                      fp_source_type(source, plan->names[k].type));
    status = write_parameters(plan, source);
    if (!status && stencils) status = write_edges(plan, source);
    if (!status && plan->reports) status = fp_template_write("block/report.cl", fp_code(source));
    if (!status && fp_plan_has_matrices(plan)) status = fp_template_write("block/matrix.cl", fp_code(source));
    if (!status) status = write_steps(plan, source);
    if (!status) status = write_combines(plan, source);
    if (!status && plan->multiplies) status = write_product(plan, source);
    if (!status && plan->kernel) status = fp_write_kernel(plan, source);
    if (status) return status;
    write_load(plan, fp_source_type(source, plan->steps[plan->root].node->type), fp_code(source));
    if (plan->g->policy.cpu) write_fetch_ahead(plan, fp_code(source));
    write_store(plan, type, fp_code(source));
    write_epilogue(plan, type, source);
    return write_template(plan, &source->parts[FP_PART_TEMPLATE]);
}
