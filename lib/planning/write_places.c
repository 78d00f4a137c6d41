/* Elements at places of their own: those of gathers, searches and the neighbours of stencils. */
#include "kernel/layout.h"
#include "planning/write.h"

#include <stdio.h>

void fp_write_length(fp_node *node, unsigned parameter, char *out, size_t room)
{
    snprintf(out, room, fp_node_count(node) ? "fp_p%u[fp_p%u]" : "fp_p%u", parameter, parameter + 1);
}

/* Of a length. */
static unsigned length_parameters(const fp_captured *c)
{
    return c->array && fp_node_count(c->array) ? 2 : 1;
}

unsigned fp_captured_parameters(const fp_captured *captured)
{
    const unsigned limit = captured->checked ? length_parameters(captured) : 0;
    if (captured->part == GPU_PART_COUNT) return 2 + FP_COUNT_ARGS;
    if (captured->part == GPU_PART_RESULT || captured->part == GPU_PART_FROM) return 1 + limit;
    if (captured->part || fp_captured_is_fused(captured)) return 0;
    if (captured->length) return length_parameters(captured);
    return captured->array ? 2 + limit : 1;
}

unsigned fp_report_parameter(const fp_operator *op, unsigned parameter)
{
    for (unsigned k = 0; k < op->count; k++) parameter += fp_captured_parameters(&op->captured[k]);
    return parameter;
}

/* Reports the first index that is out of range. Such indices give zeros. */
void fp_write_gather(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    fp_node *source = plan->steps[number].node->gather.source;
    unsigned p = plan->steps[number].parameter, counter = p + (fp_node_count(source) ? 4 : 3);
    char length[64];
    fp_write_length(source, p + 2, length, sizeof length);
    fp_text_print(out,
                  "static inline %s fp_g%u(const ulong at, const ulong i, FP_PARAMS)\n{\n"
                  "    if (at < %s) return fp_p%u[fp_p%u + at];\n"
                  "    atomic_max(fp_p%u + 2 * fp_p%u, ~(uint)min(i, 0xfffffffeul));\n"
                  "    const %s none = %s;\n    return none;\n}\n",
                  type, number, length, p, p + 1, counter, counter + 1, type,
                  source->type->kind == GPU_KIND_STRUCT ? "{0}" : "0");
}

/* The search of a source that fp_sK sorts: the first element that does not come before x, unless x comes before it. */
void fp_write_find(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    const fp_node *node = plan->steps[number].node;
    unsigned p = plan->steps[number].parameter, captured = p + (fp_node_count(node->gather.source) ? 4 : 3);
    char length[64];
    fp_write_length(node->gather.source, p + 2, length, sizeof length);
    fp_text_print(out,
                  "static inline ulong fp_b%u(const %s x, FP_PARAMS)\n{\n    ulong low = 0;\n"
                  "    for (ulong high = %s; low < high;) {\n"
                  "        const ulong middle = low + (high - low) / 2;\n"
                  "        if (fp_s%u(fp_p%u[fp_p%u + middle], x",
                  number, type, length, number, p, p + 1);
    fp_write_captured_args(node->op, captured, out);
    fp_text_print(out,
                  ")) low = middle + 1;\n        else high = middle;\n    }\n"
                  "    return low < %s && !fp_s%u(x, fp_p%u[fp_p%u + low]",
                  length, number, p, p + 1);
    fp_write_captured_args(node->op, captured, out);
    fp_text_put(out, ") ? low : ULONG_MAX;\n}\n");
}

/* The parameter behind the captured values of an operator. */
static unsigned after_captured(const fp_step *step)
{
    const fp_operator *op = step->node->op;
    return fp_report_parameter(op, step->parameter) + (op->reports ? 2 : 0);
}

static const char *const places_of_edges[] = {[GPU_EDGE_KIND_CLAMP] = "fp_clamped",
                                              [GPU_EDGE_KIND_WRAP] = "fp_wrapped",
                                              [GPU_EDGE_KIND_REFLECT] = "fp_reflected"};

static void write_neighbours_in_array(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    fp_node *node = step->node, *input = node->inputs[0];
    const unsigned p = after_captured(step), value = p + (fp_node_count(input) ? 2 : 1), from = step->inputs[0];
    char length[64];
    fp_write_length(input, p, length, sizeof length);
    fp_text_print(out,
                  "FP_INLINE %s fp_n%u(const ulong i, const long k, FP_PARAMS)\n{\n"
                  "    if (!fp_edges || i + k < %s) return fp_l%u(i + k, FP_ARGS);\n",
                  type, number, length, from);
    if (node->stencil.edge == GPU_EDGE_KIND_VALUE) fp_text_print(out, "    return fp_p%u;\n}\n", value);
    if (node->stencil.edge == GPU_EDGE_KIND_VALUE) return;
    fp_text_print(out, "    return fp_l%u(%s((long)i + k, %s), FP_ARGS);\n}\n", from,
                  places_of_edges[node->stencil.edge], length);
}

/* The parameters are the columns, the first captured value, and behind the captured values the rows. */
static void write_neighbours_in_matrix(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    const fp_step *step = &plan->steps[number];
    const gpu_edge_kind edge = step->node->stencil.edge;
    const unsigned rows = after_captured(step), from = step->inputs[0];
    fp_text_print(out,
                  "FP_INLINE %s fp_n%u(const ulong i, const long dy, const long dx, FP_PARAMS)\n{\n"
                  "    const ulong columns = fp_p%u, rows = fp_p%u, at = i + dy * columns + dx;\n"
                  "    if (!fp_edges) return fp_l%u(at, FP_ARGS);\n"
                  "    const ulong row = fp_row(i, columns), column = i - row * columns;\n"
                  "    if (row + dy < rows && column + dx < columns) return fp_l%u(at, FP_ARGS);\n",
                  type, number, step->parameter, rows, from, from);
    if (edge == GPU_EDGE_KIND_VALUE) fp_text_print(out, "    return fp_p%u;\n}\n", rows + 1);
    if (edge == GPU_EDGE_KIND_VALUE) return;
    fp_text_print(
        out, "    return fp_l%u(%s((long)row + dy, rows) * columns + %s((long)column + dx, columns), FP_ARGS);\n}\n",
        from, places_of_edges[edge], places_of_edges[edge]);
}

void fp_write_neighbours(const fp_plan *plan, unsigned number, const char *type, fp_text *out)
{
    if (plan->steps[number].node->op->placed)
        write_neighbours_in_matrix(plan, number, type, out);
    else
        write_neighbours_in_array(plan, number, type, out);
}
