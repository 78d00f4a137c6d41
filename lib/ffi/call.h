/* Calls of C functions whose types are known only when the program runs. */
#ifndef FP_FFI_CALL_H
#define FP_FFI_CALL_H

#include <firepile/type.h>

/* The properties of a value's type that matter to a call. A pointer is an unsigned integer. */
typedef struct fp_abi_class {
    gpu_kind kind; /* GPU_KIND_STRUCT: a struct, vectors too */
    size_t size;
    size_t align;
    /* Of a struct: bit k is set if such a scalar lies in the eight bytes from 8 k on; only the first 16 bytes count. */
    unsigned integers, floats;
} fp_abi_class;

enum { FP_PASSED_BYTES = 16, FP_MOST_PARAMETERS = 127 /* what C compilers must accept */ };

/* Notes that scalars of this kind, or of a union's member of this kind, fill `size` bytes at `offset` of a struct. */
void fp_abi_class_note(fp_abi_class *class, gpu_kind kind, size_t offset, size_t size);

/* Can such a value be passed and returned on this machine? *why_not goes on from the type's name. */
bool fp_abi_class_check(const fp_abi_class *class, const char **why_not);

typedef struct fp_call fp_call;

/* A call of the function at `address`, of at most FP_MOST_PARAMETERS parameters. They and the result have passed
 * fp_abi_class_check. */
gpu_status fp_call_make(const void *address, const fp_abi_class *result, const fp_abi_class *parameters, size_t count,
                        fp_call **out);
void fp_call_free(fp_call *call);

/* The addresses and strides, in bytes, of arguments and results. */
typedef struct fp_loop_places {
    unsigned char *out;
    size_t out_stride;
    const unsigned char *const *in; /* of each parameter */
    const size_t *stride;
    size_t count;
    void *value; /* room for a result */
} fp_loop_places;

typedef void fp_loop(void (*function)(void), const fp_loop_places *places);

/* A compiled loop, for one to three parameters of one arithmetic type and a result of that type, an int or a bool; else
 * NULL. */
fp_loop *fp_loop_find(const fp_abi_class *result, const fp_abi_class *parameters, size_t count);

/* Is libffi not needed? A hundred calls then take the time of a few. */
bool fp_call_is_fast(const fp_call *call);

/* Calls it for each place. A result may be an argument of the next call. */
void fp_call_loop(const fp_call *call, const fp_loop_places *places);

/* Calls it. Each argument, and the room for the result, is as large and as aligned as its type says; the result does
 * not overlap an argument. Several threads may use one call at once. */
void fp_call_run(const fp_call *call, void *result, void *const *arguments);

#endif
