#include "ffi/abi.h"

#include "base/error.h"

/* Note [structs by value]
 *
 * libffi has no unions and no arrays, and 3.4.4 passes a struct of an integer and a floating half wrongly: when only
 * the last integer register is left, it copies all 16 bytes there, and over the first floating argument. So it is not
 * given the members of a struct. The System V ABI of x86-64 looks at a struct in halves: one of more than 16 bytes
 * travels in memory; else each eight bytes with an integer in them go into an integer register, any others into a
 * floating one; if not all of them find a register, the struct travels in memory. What the members are called, and
 * whether they lie in arrays, structs or unions, has no part in it.
 *
 * A parameter that finds its registers is therefore given to libffi as one or two parameters of eight bytes, and what
 * travels in memory as a struct of that size and alignment. Other ABIs ask more of the members (are all of them
 * float?), and nobody has looked for libffi's faults there: only scalars are passed. */
#if defined __x86_64__ && !defined __ILP32__ && !defined _WIN32
enum { STRUCTS_BY_VALUE = true };
#else
enum { STRUCTS_BY_VALUE = false };
#endif

enum { HALF = 8, INTEGER_REGISTERS = 6, FLOATING_REGISTERS = 8 };

/* libffi counts the bytes of a call in 32 bits. */
enum { MOST_BYTES = 1 << 24 };

typedef struct registers {
    unsigned integers, floats;
} registers;

void fp_abi_class_note(fp_abi_class *class, gpu_kind kind, size_t offset, size_t size)
{
    unsigned *halves = kind == GPU_KIND_FLOATING ? &class->floats : &class->integers;
    for (size_t at = offset; at < offset + size && at < FP_PASSED_BYTES; at++) *halves |= 1U << at / HALF;
}

static bool in_memory(const fp_abi_class *p)
{
    return p->kind == GPU_KIND_STRUCT && p->size > FP_PASSED_BYTES;
}

static unsigned halves_of(const fp_abi_class *p)
{
    return p->kind == GPU_KIND_STRUCT && p->size > HALF ? 2 : 1;
}

static bool is_floating(const fp_abi_class *p, unsigned half)
{
    return p->kind == GPU_KIND_STRUCT ? !(p->integers >> half & 1) : p->kind == GPU_KIND_FLOATING;
}

bool fp_abi_class_check(const fp_abi_class *p, const char **why_not)
{
    if (p->kind != GPU_KIND_STRUCT) return true;
    *why_not = "is passed in a way that is not known for this machine: pass its members one by one";
    if (!STRUCTS_BY_VALUE) return false;
    /* A half of padding takes no register: no type of ours has one. */
    for (unsigned half = 0; half < halves_of(p) && !in_memory(p); half++)
        if (!((p->integers | p->floats) >> half & 1)) return false;
    *why_not = "is too large to be passed by value";
    return p->size <= MOST_BYTES;
}

static ffi_type *scalar(const fp_abi_class *p)
{
    static ffi_type *const integers[][2] = {{&ffi_type_uint8, &ffi_type_sint8},
                                            {&ffi_type_uint16, &ffi_type_sint16},
                                            {&ffi_type_uint32, &ffi_type_sint32},
                                            {&ffi_type_uint64, &ffi_type_sint64}};
    if (p->kind == GPU_KIND_FLOATING) return p->size == sizeof(float) ? &ffi_type_float : &ffi_type_double;
    return integers[p->size == 1 ? 0 : p->size == 2 ? 1 : p->size == 4 ? 2 : 3][p->kind == GPU_KIND_SIGNED];
}

static size_t bytes_of_half(const fp_abi_class *p, unsigned half)
{
    return p->size > (half + 1) * HALF ? HALF : p->size - half * HALF;
}

/* A scalar by which libffi chooses the right register, or memory. It reads a floating half by the scalar's size, and an
 * integer one by the struct's. */
static ffi_type *mark(const fp_abi_class *p, unsigned half)
{
    if (in_memory(p) || !is_floating(p, half)) return &ffi_type_uint64;
    return bytes_of_half(p, half) == sizeof(float) ? &ffi_type_float : &ffi_type_double;
}

static ffi_type *whole(const fp_abi_class *p, fp_ffi_struct *room)
{
    if (p->kind != GPU_KIND_STRUCT) return scalar(p);
    room->elements[0] = mark(p, 0);
    if (halves_of(p) > 1) room->elements[1] = mark(p, 1);
    room->type = (ffi_type){p->size, (unsigned short)p->align, FFI_TYPE_STRUCT, room->elements};
    return &room->type;
}

static ffi_type *part(const fp_abi_class *p, unsigned half, fp_ffi_struct *room)
{
    room->elements[0] = mark(p, half);
    room->type = (ffi_type){bytes_of_half(p, half), 1, FFI_TYPE_STRUCT, room->elements};
    return &room->type;
}

/* Takes registers for all halves, or none. */
static bool take(registers *left, const fp_abi_class *p)
{
    registers r = *left;
    for (unsigned half = 0; half < halves_of(p); half++) {
        unsigned *kind = is_floating(p, half) ? &r.floats : &r.integers;
        if (in_memory(p) || *kind == 0) return false;
        --*kind;
    }
    *left = r;
    return true;
}

static void add_pieces(fp_abi_arguments *out, const fp_abi_class *parameters, size_t count, registers left)
{
    for (size_t k = 0; k < count; k++) {
        const fp_abi_class *p = &parameters[k];
        bool split = take(&left, p) && halves_of(p) == 2;
        for (unsigned half = 0; half <= split; half++, out->count++) {
            fp_abi_argument *piece = &out->list[out->count];
            piece->parameter = k;
            piece->offset = half * HALF;
            out->types[out->count] = split ? part(p, half, &piece->structure) : whole(p, &piece->structure);
        }
    }
}

size_t fp_abi_arguments_bytes(size_t parameters)
{
    return 2 * parameters * (sizeof(fp_abi_argument) + sizeof(ffi_type *));
}

gpu_status fp_abi_arguments_prepare(fp_abi_arguments *out, void *room, const fp_abi_class *result,
                                    const fp_abi_class *parameters, size_t count)
{
    out->count = 0;
    out->list = room;
    out->types = (ffi_type **)(out->list + 2 * count);
    registers left = {INTEGER_REGISTERS, FLOATING_REGISTERS};
    if (in_memory(result)) left.integers--; /* for the result's address */
    add_pieces(out, parameters, count, left);
    if (!ffi_prep_cif(&out->cif, FFI_DEFAULT_ABI, (unsigned)out->count, whole(result, &out->result), out->types))
        return GPU_OK;
    return fp_fail(GPU_E_INTERNAL, "libffi refuses a function of %zu parameters", count);
}
