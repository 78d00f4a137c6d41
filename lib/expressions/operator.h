/* Operators: a text or a function with what it captured. */
#ifndef FP_EXPRESSIONS_OPERATOR_H
#define FP_EXPRESSIONS_OPERATOR_H

#include "expressions/gpu.h"

#include <firepile/spawn.h>

typedef struct fp_node fp_node;

/* Elements that an operator takes at most. */
enum { FP_INPUTS = 3 };

/* Values of more bytes do not become kernel arguments but buffers of one element. */
enum { FP_MOST_VALUE_BYTES = 128 };

/* Of elements that have work in common. */
enum { FP_SHARED_BYTES = 16 };

/* A value that an operator captured: the bytes of a scalar or struct, or an array. A large struct is kept as an
 * array of one element, since kernel arguments are few bytes. */
typedef struct fp_captured {
    const char *name;
    gpu_type type; /* of an array: of its elements */
    fp_node *array;
    const void *bytes;
    bool length;        /* the value is the number of the array's elements (Note [lengths of captured arrays]) */
    bool large;         /* the array stands for the value of its one element */
    bool subscripted;   /* array: the snippet reads element 0 of it, and does nothing else with it */
    bool pointed;       /* bytes: the snippet gets their address */
    bool checked;       /* FIREPILE_CHECK: subscripts `name[...]` are (Note [subscripts]) */
    bool own_element;   /* array: a kernel reads its elements as name[i] alone (Note [own elements]), or copies it */
    gpu_part_kind part; /* of a kernel; 0: it is none of its parts */
    size_t extent;      /* of local memory or a GPU_PART_RESULT: elements */
    unsigned output;    /* of a result or its count: which of the request's outputs */
    struct fp_operator *called; /* of GPU_PART_OPERATOR; owned */
} fp_captured;

/* Is it one of the arrays that a kernel makes? */
static inline bool fp_captured_is_made(const fp_captured *c)
{
    return c->part == GPU_PART_RESULT || c->part == GPU_PART_FROM || c->part == GPU_PART_COUNT;
}

/* What an operator does to elements on the host (host/apply.h). */
struct fp_applied;
struct fp_stretch;
typedef void fp_native(const struct fp_applied *applied, const struct fp_stretch *s);

/* Elements of a matrix. A triangle has its diagonal. */
typedef enum fp_region {
    FP_REGION_ALL,
    FP_REGION_LOWER,
    FP_REGION_UPPER,
    FP_REGION_DIAGONAL,
    FP_REGION_ANTIDIAGONAL
} fp_region;

/* The functions of kernels/block/matrix.cl: fp_lower and its like. */
extern const char *const fp_region_names[];

/* An operator with what it captured, in one block of memory. */
typedef struct fp_operator {
    unsigned references;
    struct fp_operator *base; /* whose texts and values it has, too: fp_operator_with; else NULL */
    struct fp_operator *map;  /* of a product: gives what this one combines, of x and y; else NULL; owned */
    const fp_snippet *snippet;
    const char *operation; /* "gpu_map" */
    gpu_place place;
    bool commutative;            /* the user's word */
    bool builtin;                /* the library's text */
    bool fused;                  /* of a product of real floats: each term but the first is added by fma */
    fp_native *native;           /* builtin: the same on the host; NULL: lib/host knows the text */
    bool unbounded;              /* builtin: magnitudes of elements do not bound what it rounds (Note [verifying]) */
    bool shares;                 /* the elements in FP_SHARED_BYTES bytes have work in common */
    bool predicate;              /* its value counts as yes or no */
    bool negated;                /* ... and as no or yes */
    bool combines;               /* its operands are a and b, and there is no i: a reduction's operator in a map */
    bool keyed;                  /* its operands are key and x */
    bool placed;                 /* it may use row and column (Note [places in matrices]) */
    uint64_t columns;            /* of the matrix that a placed one is applied to, which its call sets */
    fp_region region;            /* likewise: the elements that it is applied to; the others stay */
    unsigned dimensions;         /* of the space of a kernel; 0: it is no kernel */
    unsigned operands;           /* of an operator that a kernel calls */
    struct fp_deferred *reports; /* of errors that it finds on the device; NULL: it finds none */
    unsigned count;
    fp_captured captured[];
} fp_operator;

/* How a sort orders elements. */
typedef struct fp_order {
    fp_operator *less; /* of two keys; owned */
    gpu_type key;
    gpu_type value; /* of pairs of key and value, which are compared by their keys; NULL: elements are keys */
    bool natural;   /* `less` is the key's own order, descending or not */
    bool descending;
} fp_order;

/* Is it `name[i]` from this word on, and how many bytes? 0: it is not. */
size_t fp_own_element(const char *text, const fp_word *word);

/* Is it `name[` from this word on, and how many bytes? 0: it is not. */
size_t fp_subscript(const char *name, size_t length);

/* Does the operator's text use `i`? */
bool fp_operator_uses_index(const fp_operator *op);

/* An operator kind: what an operation asks of its operator. A function takes elements of `types`; NULL stands for the
 * first of them. It returns an element of `result`; NULL: its value counts as yes or no. */
typedef struct fp_operator_kind {
    const char *operation; /* "gpu_map" */
    unsigned operands;
    unsigned traits;
    gpu_type types[FP_INPUTS];
    gpu_type result;
} fp_operator_kind;

enum {
    FP_OPERATOR_INDEX = 1,    /* it is given `i` too */
    FP_OPERATOR_BUILTIN = 2,  /* the library's snippet */
    FP_OPERATOR_SYMBOLS = 4,  /* captured arrays may be symbols and what is made of them */
    FP_OPERATOR_DECIDES = 8,  /* its value counts as yes or no */
    FP_OPERATOR_SHARES = 16,  /* the elements in FP_SHARED_BYTES bytes have work in common */
    FP_OPERATOR_KEYED = 32,   /* its operands are called key and x */
    FP_OPERATOR_AROUND = 64,  /* its operand is a neighbourhood: at(k), or a pointer; of a matrix if PLACED */
    FP_OPERATOR_PLACED = 128, /* it is given `row` and `column` too, of a matrix */
    FP_OPERATOR_KERNEL = 256, /* a kernel: it has parts, and places of its own (fp_kernel_name) */
    FP_OPERATOR_SQUARE = 512, /* its space has two dimensions */
    FP_OPERATOR_TERM = 1024   /* its operands are elements, x and y, and there is no i: a term of a product */
};

/* The operation to call with an operator of so many values, in the place of the one that it is given to; NULL: none. */
const char *fp_operation_of(const fp_operator_kind *kind, size_t values);

/* The names of an operator's operands. */
static inline const char *const *fp_operand_names(bool keyed, bool combines)
{
    static const char *const names[][FP_INPUTS] = {{"x", "y", "z"}, {"a", "b", NULL}, {"key", "x", NULL}};
    return names[keyed ? 2 : combines];
}

/* "the kernel add_up (sum.c:7)"; "the kernel" if it is a text. */
void fp_kernel_write(const fp_operator *kernel, struct fp_text *out);
/* FIREPILE_CHECK fills results with one byte, and with another one in the next run. Refuses an element that both runs
 * left as it was: each of these two has `length` elements. */
gpu_status fp_kernel_check_written(const fp_operator *kernel, const fp_captured *result, size_t length,
                                   const unsigned char *const *runs);
/* The byte that results are filled with before a run. */
static inline unsigned char fp_kernel_fill(unsigned run)
{
    return (unsigned char)(0x5a + run);
}

/* The value that the operator captured by this name; NULL: none. */
const fp_captured *fp_operator_captured(const fp_operator *op, const char *name, size_t length);
const fp_captured *fp_captured_named(const fp_operator *op, const char *name);

/* Is a function one that fits its kind and what it captured? GPU_E_ARGUMENT for too few parameters and for those
 * that nothing is given to, GPU_E_TYPE for types (Note [functions]). */
gpu_status fp_function_check(gpu *g, const fp_operator *op, const fp_operator_kind *kind);

/* Note [places in matrices]: `row` is i / columns, and `column` is i % columns. The number of columns is the first
 * captured value of a placed operator, under a name that no user has. */
/* Is this the name of a place: i, row or column? FP_PLACES: it is not. */
typedef enum fp_place_name { FP_PLACE_INDEX, FP_PLACE_ROW, FP_PLACE_COLUMN, FP_PLACES } fp_place_name;
fp_place_name fp_place_named(bool placed, const char *name, size_t length);
/* Is this the parameter of a function that takes the neighbours in a matrix: the elements from one of their rows to the
 * next? */
static inline bool fp_is_stride(bool placed, const char *name, size_t length)
{
    return placed && fp_is_named(name, length, "stride");
}
/* The place of element i. */
uint64_t fp_operator_place(const fp_operator *op, fp_place_name place, uint64_t i);

/* The token for a name that all kernels have, such as `item`; NULL: it is none. */
const char *fp_kernel_name(unsigned dimensions, const char *name, size_t length);

/* Checks a kernel's text for mistakes that a compiler would call by names of the library. */
gpu_status fp_kernel_check_names(const fp_snippet *snippet, const gpu_operator *op, unsigned dimensions);

/* Checks how a kernel's text calls its operators. */
gpu_status fp_kernel_check_calls(const fp_operator *kernel);

/* A hash of the names and kinds of what an operator captures; never 0. A warm call compares it, and does not check them
 * again. Other names have the same hash once in 2^64 pairs. The call then takes what the text does with those names. */
uint64_t fp_operator_names(const gpu_operator *op, const fp_operator_kind *kind);

/* Checks the parameters of a GPU_KERNEL. GPU_E_ARGUMENT if one has no part of its name, GPU_E_TYPE if the types
 * differ. */
gpu_status fp_kernel_check(const fp_operator *kernel);

/* Has the captured value a length, NAME_length: is it an array, a kernel's result or its local memory? */
bool fp_capture_has_length(const gpu_capture *capture);

/* Checks a part of a kernel. */
gpu_status fp_part_check(gpu *g, const gpu_operator *kernel, const gpu_capture *capture, bool later);
/* The length of the name of the result that a count shortens; 0: it is no name of a count. */
size_t fp_count_stem(const char *name);
/* The result that a count shortens. */
const fp_captured *fp_part_shortened(const fp_operator *kernel, const fp_captured *count);

/* The place of the call that an operator was given to. The operator may be NULL. */
static inline const gpu_place *fp_place_of(const gpu_operator *op)
{
    return op ? op->place : NULL;
}

/* Binds an operator to its captures. */
gpu_status fp_operator_bind(gpu *g, const gpu_operator *op, const fp_operator_kind *kind, fp_operator **out);
/* The same for a snippet of the library's own, and the operation under way. `captures` may be NULL. */
gpu_status fp_operator_bind_own(gpu *g, const char *snippet, const gpu_capture *const *captures, fp_operator **out);
/* The same with the host's side of it. */
typedef struct fp_builtin {
    const char *text;
    fp_native *native; /* as fp_operator has it */
    bool unbounded;    /* likewise */
    const gpu_capture *const *captures;
} fp_builtin;
gpu_status fp_operator_builtin(gpu *g, const fp_builtin *builtin, fp_operator **out);
fp_operator *fp_operator_keep(fp_operator *op);
void fp_operator_drop(fp_operator *op);
/* The same with another array in the place of each that is captured, and reports of its own; NULL when memory runs out.
 */
fp_operator *fp_operator_with(gpu *g, fp_operator *op, fp_node *const *arrays);

#endif
