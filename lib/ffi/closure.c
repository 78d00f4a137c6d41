#include "ffi/closure.h"

#include "base/error.h"
#include "base/memory.h"
#include "ffi/abi.h"

#include <string.h>

struct fp_closure {
    ffi_closure *writable; /* libffi's, with the code */
    void *code;
    fp_handler *handler;
    void *context;
    size_t count;
    fp_abi_arguments arguments;
};

/* Joins parameters that came as two pieces. */
static void enter(ffi_cif *cif, void *result, void **values, void *user)
{
    const fp_closure *closure = user;
    const fp_abi_argument *list = closure->arguments.list;
    void *arguments[FP_MOST_PARAMETERS];
    _Alignas(16) unsigned char whole[FP_MOST_PARAMETERS][FP_PASSED_BYTES];
    (void)cif;
    for (size_t k = 0; k < closure->arguments.count; k++) {
        size_t parameter = list[k].parameter;
        bool second = list[k].offset != 0;
        if (!second) arguments[parameter] = values[k];
        if (!second) continue;
        memcpy(whole[parameter], arguments[parameter], list[k].offset);
        memcpy(whole[parameter] + list[k].offset, values[k], list[k].structure.type.size);
        arguments[parameter] = whole[parameter];
    }
    *(ffi_arg *)result = (ffi_arg)closure->handler(closure->context, arguments);
}

static gpu_status prepare(fp_closure *closure, const fp_abi_class *parameters)
{
    const fp_abi_class result = {.kind = GPU_KIND_UNSIGNED, .size = sizeof(gpu_status), .align = _Alignof(gpu_status)};
    gpu_status status = fp_abi_arguments_prepare(&closure->arguments, closure + 1, &result, parameters, closure->count);
    if (status) return status;
    closure->writable = ffi_closure_alloc(sizeof *closure->writable, &closure->code);
    if (!closure->writable)
        return fp_fail(GPU_E_MEMORY, "there is no memory for code: the system may forbid to make some");
    if (!ffi_prep_closure_loc(closure->writable, &closure->arguments.cif, enter, closure, closure->code)) return GPU_OK;
    return fp_fail(GPU_E_INTERNAL, "libffi makes no function of %zu parameters", closure->count);
}

gpu_status fp_closure_make(const fp_abi_class *parameters, size_t count, fp_handler *handler, void *context,
                           fp_closure **out)
{
    fp_closure *closure = fp_alloc(sizeof *closure + fp_abi_arguments_bytes(count));
    if (!closure) return fp_fail_memory();
    closure->handler = handler;
    closure->context = context;
    closure->count = count;
    gpu_status status = prepare(closure, parameters);
    if (status) fp_closure_free(closure);
    if (!status) *out = closure;
    return status;
}

void fp_closure_free(fp_closure *closure)
{
    if (closure && closure->writable) ffi_closure_free(closure->writable);
    fp_free(closure);
}

void *fp_closure_code(const fp_closure *closure)
{
    return closure->code;
}
