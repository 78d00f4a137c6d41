#include "ffi/abi.h"

#include "base/error.h"
#include "base/memory.h"
#include "ffi/registers.h"

#include <string.h>

struct fp_call {
    void (*function)(void);
    fp_loop *loop;   /* NULL: there is none */
    bool registered; /* by registers */
    fp_registers registers;
    size_t parameters;
    size_t size;  /* of the result */
    bool widened; /* libffi makes the result wider */
    fp_abi_arguments arguments;
};

gpu_status fp_call_make(const void *address, const fp_abi_class *result, const fp_abi_class *parameters, size_t count,
                        fp_call **out)
{
    fp_call *call = fp_alloc(sizeof *call + fp_abi_arguments_bytes(count));
    if (!call) return fp_fail_memory();
    call->function = __extension__(void (*)(void)) address;
    call->loop = fp_loop_find(result, parameters, count);
    call->registered = fp_registers_assign(&call->registers, result, parameters, count);
    call->parameters = count;
    call->size = result->size;
    bool integer = result->kind == GPU_KIND_SIGNED || result->kind == GPU_KIND_UNSIGNED;
    call->widened = integer && result->size < sizeof(ffi_arg);
    gpu_status status = fp_abi_arguments_prepare(&call->arguments, call + 1, result, parameters, count);
    if (status) fp_free(call);
    if (!status) *out = call;
    return status;
}

void fp_call_free(fp_call *call)
{
    fp_free(call);
}

bool fp_call_is_fast(const fp_call *call)
{
    return call->loop || call->registered;
}

static void narrow(ffi_arg wide, size_t size, void *result)
{
    uint8_t one = (uint8_t)wide;
    uint16_t two = (uint16_t)wide;
    uint32_t four = (uint32_t)wide;
    memcpy(result, size == 1 ? (void *)&one : size == 2 ? (void *)&two : (void *)&four, size);
}

static void call_by_libffi(const fp_call *call, void *result, void *const *arguments)
{
    void *values[2 * FP_MOST_PARAMETERS]; /* libffi changes the list that it gets, so this is a copy */
    ffi_arg wide = 0;
    const fp_abi_arguments *p = &call->arguments;
    for (size_t k = 0; k < p->count; k++) values[k] = (char *)arguments[p->list[k].parameter] + p->list[k].offset;
    ffi_call((ffi_cif *)(uintptr_t)&p->cif, call->function, call->widened ? &wide : result, values);
    if (call->widened) narrow(wide, call->size, result);
}

void fp_call_run(const fp_call *call, void *result, void *const *arguments)
{
    static const size_t none[FP_MOST_PARAMETERS];
    const fp_loop_places once = {
        .out = result, .in = (const unsigned char *const *)arguments, .stride = none, .count = 1};
    if (call->registered)
        fp_registers_loop(&call->registers, call->function, &once);
    else
        call_by_libffi(call, result, arguments);
}

static void loop_by_libffi(const fp_call *call, const fp_loop_places *p)
{
    void *arguments[FP_MOST_PARAMETERS];
    for (size_t e = 0; e < p->count; e++) {
        for (size_t k = 0; k < call->parameters; k++) arguments[k] = (void *)(uintptr_t)(p->in[k] + e * p->stride[k]);
        call_by_libffi(call, p->value, arguments);
        memcpy(p->out + e * p->out_stride, p->value, call->size);
    }
}

void fp_call_loop(const fp_call *call, const fp_loop_places *p)
{
    if (call->loop)
        call->loop(call->function, p);
    else if (call->registered)
        fp_registers_loop(&call->registers, call->function, p);
    else
        loop_by_libffi(call, p);
}
