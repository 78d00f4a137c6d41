/* The types of a GPU_FUNCTION, from its registered text, and the way to call its host side. */
#ifndef FP_HOST_SIGNATURE_H
#define FP_HOST_SIGNATURE_H

#include "ffi/call.h"

#include <firepile/define.h>

typedef struct fp_function_parameter {
    const char *name; /* in the function's text; `length` bytes */
    size_t length;
    gpu_type type;
    bool array; /* a pointer to constant elements of that type */
} fp_function_parameter;

typedef struct fp_signature {
    struct fp_signature *next;
    const gpu_definition *function;
    unsigned long generation; /* of the definitions, when this was made */
    fp_call *call;
    gpu_type result;
    size_t count;
    fp_function_parameter parameters[];
} fp_signature;

enum { FP_SIGNATURE_CHAINS = 64 };
typedef struct fp_signatures {
    fp_signature *chains[FP_SIGNATURE_CHAINS];
} fp_signatures;

/* `bool`, which is no element type: a number becomes one by a comparison with 0. `size_t` and its like are the integer
 * types of their size. */
extern const gpu_type_info fp_type_bool;

/* The signature of a function, made once and kept in the table. GPU_E_ARGUMENT for a GPU_DEVICE_FUNCTION; GPU_E_TYPE,
 * with function, parameter and type, for what cannot be called; GPU_E_LAYOUT for a struct outside the grammar. A table
 * is used under a lock; what it returns lives as long as it does, and serves several threads at once. */
gpu_status fp_signature_of(fp_signatures *table, const gpu_definition *function, const fp_signature **out);
void fp_signatures_free(fp_signatures *table);

#endif
