/* The way to call the host side of a GPU_FUNCTION. */
#include "host/internal.h"

#include "base/error.h"
#include "kernel/abi_class.h"
#include "kernel/definition.h"

static gpu_status refuse(const gpu_definition *f, const fp_function_parameter *p, gpu_type type, const char *why)
{
    int length = p ? (int)p->length : 0;
    return fp_fail(GPU_E_TYPE, "%s (%s:%d) cannot be called on the host: its %s%.*s%s is a %s, which %s", f->name,
                   f->place.file, f->place.line, p ? "parameter '" : "result", length, p ? p->name : "", p ? "'" : "",
                   type->name, why);
}

/* `p` is NULL for the result. */
static gpu_status describe(const gpu_definition *f, const fp_function_parameter *p, gpu_type type, fp_abi_class *out)
{
    const char *why_not;
    gpu_status status = fp_abi_class_of(type, out);
    if (status || fp_abi_class_check(out, &why_not)) return status;
    return refuse(f, p, type, why_not);
}

static gpu_status make(fp_signature *s)
{
    fp_abi_class result, classes[FP_MOST_PARAMETERS];
    const gpu_definition *f = s->function;
    gpu_status status = describe(f, NULL, s->result, &result);
    for (size_t k = 0; k < s->count && !status; k++) {
        const fp_function_parameter *p = &s->parameters[k];
        const bool pointer = p->array || p->near || p->local;
        if (pointer) classes[k] = fp_abi_class_pointer;
        if (!pointer) status = describe(f, p, p->type, &classes[k]);
    }
    return status ? status : fp_call_make(f->address, &result, classes, s->count, &s->call);
}

gpu_status fp_host_call(fp_signature *signature, const fp_call **out)
{
    const gpu_definition *f = signature->function;
    if (f->kind != GPU_DEFINES_FUNCTION && f->kind != GPU_DEFINES_KERNEL)
        return fp_fail(GPU_E_ARGUMENT, "%s (%s:%d) has no host side: define it with GPU_FUNCTION", f->name,
                       f->place.file, f->place.line);
    gpu_status status = fp_definition_check_loaded(f);
    if (!status && !signature->call) status = make(signature);
    if (!status) *out = signature->call;
    return status;
}
