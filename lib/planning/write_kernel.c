/* A kernel of the user's own. */
#include "base/error.h"
#include "kernel/template.h"
#include "planning/write.h"

/* fp_cK_NAME(p0, p1): an operator that the kernel calls. */
static gpu_status write_called(const fp_captured *c, unsigned k, fp_source *source)
{
    fp_operator_frame s = {.op = c->called,
                           .result = fp_source_type(source, c->type),
                           .names = fp_operand_names(false, c->called->combines),
                           .operands = c->called->operands,
                           .index = !c->called->combines};
    fp_text *out = fp_code(source);
    if (!s.result) return fp_last_status();
    for (unsigned n = 0; n < s.operands; n++) s.types[n] = s.result;
    gpu_status status = fp_write_operator(&s, "fp_o", k, source);
    fp_text_print(out, "#define fp_c%u_%s(", k, c->name);
    for (unsigned n = 0; n < s.operands; n++) fp_text_print(out, "%sp%u", n ? ", " : "", n);
    fp_text_print(out, ") fp_o%u(", k);
    for (unsigned n = 0; n < s.operands; n++) fp_text_print(out, "%sp%u", n ? ", " : "", n);
    fp_text_put(out, s.index ? ", fp_i)\n" : ")\n");
    return status;
}

static void write_local_memory(const fp_operator *kernel, fp_source *source)
{
    fp_text *out = fp_code(source);
    fp_text_put(out, "#define FP_LOCAL_MEMORY");
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (c->part == GPU_PART_GROUP)
            fp_text_print(out, " __local %s fp_local%u[%zu];", fp_source_type(source, c->type), k, c->extent);
    }
    fp_text_put(out, "\n");
}

/* FP_STORE_COUNTS: the lengths of the results that were counted. */
static void write_counts(const fp_operator *kernel, unsigned parameter, fp_text *out)
{
    const unsigned report = fp_report_parameter(kernel, parameter);
    fp_text_put(out, "#define FP_STORE_COUNTS");
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        const unsigned p = parameter;
        parameter += fp_captured_parameters(c);
        if (c->part == GPU_PART_COUNT)
            fp_text_print(out, " fp_store_counted(fp_p%u, fp_p%u, fp_p%u, fp_p%u, fp_p%u, fp_p%u + fp_p%u, %uu);", p,
                          p + 1, p + 2, p + 3, p + 4, report, report + 1, k + 1);
    }
    fp_text_put(out, "\n");
}

gpu_status fp_write_kernel(const fp_plan *plan, fp_source *source)
{
    const fp_operator *kernel = plan->kernel;
    fp_text *out = fp_code(source);
    const fp_operator_frame s = {.op = kernel, .result = "void"};
    fp_text_print(out, "#define fp_group_columns fp_p%u\n", plan->kernel_parameter - 1);
    gpu_status status = fp_template_write("block/spawn.cl", out);
    for (unsigned k = 0; k < kernel->count && !status; k++)
        if (kernel->captured[k].called) status = write_called(&kernel->captured[k], k, source);
    if (!status) status = fp_write_operator(&s, "fp_k", 0, source);
    if (status) return status;
    write_local_memory(kernel, source);
    write_counts(kernel, plan->kernel_parameter, out);
    fp_text_put(out, "#define fp_kernel() fp_k0(FP_ARGS");
    fp_write_captured_args(kernel, plan->kernel_parameter, out);
    fp_text_put(out, ")\n");
    return GPU_OK;
}
