/* Calls of functions whose arguments all lie in registers. */
#ifndef FP_FFI_REGISTERS_H
#define FP_FFI_REGISTERS_H

#include "ffi/call.h"

enum { FP_INTEGER_REGISTERS = 6, FP_FLOATING_REGISTERS = 8 };

/* The register of a parameter, and how it is read. */
typedef struct fp_register {
    unsigned char number;
    unsigned char reader;
} fp_register;

typedef struct fp_registers {
    gpu_kind kind; /* of the result */
    size_t size;
    size_t count; /* of the parameters */
    fp_register list[FP_INTEGER_REGISTERS + FP_FLOATING_REGISTERS];
} fp_registers;

/* False if a parameter or the result is a struct, if there are too few registers, and on machines that are not those of
 * Note [registers]. */
bool fp_registers_assign(fp_registers *out, const fp_abi_class *result, const fp_abi_class *parameters, size_t count);

void fp_registers_loop(const fp_registers *registers, void (*function)(void), const fp_loop_places *places);

#endif
