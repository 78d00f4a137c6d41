/* Texts that are small expressions of scalars and members, as lists of terms. */
#ifndef FP_HOST_EXPRESSION_H
#define FP_HOST_EXPRESSION_H

#include "expressions/operator.h"
#include "host/compute.h"
#include "kernel/exact.h"

typedef enum fp_term_kind {
    FP_TERM_OPERAND,
    FP_TERM_NEIGHBOUR, /* of a stencil */
    FP_TERM_PLACE,     /* the index, row or column */
    FP_TERM_CONSTANT,
    FP_TERM_ELEMENT, /* element 0 of a captured array, or its length */
    FP_TERM_CONVERT,
    FP_TERM_MEMBER, /* of an operand that is a struct or vector */
    FP_TERM_COMPUTE,
    FP_TERM_CHOOSE
} fp_term_kind;

/* A value that the terms before it lead to. */
typedef struct fp_term {
    fp_term_kind kind;
    gpu_type type;
    unsigned in[FP_INPUTS]; /* terms; of an operand or its member: the operand's number */
    bool is_flag;           /* an int that is 0 or 1 */
    bool is_lane;           /* of a vector */
    size_t offset;          /* of a member, also of a captured struct */
    union {
        unsigned char bytes[8]; /* of a constant */
        const fp_captured *captured;
        ptrdiff_t away; /* of a neighbour */
        fp_place_name place;
        fp_conversion *convert;
        fp_compute *compute;
    };
} fp_term;

enum { FP_MOST_TERMS = 32, FP_MOST_MEMBERS = 16 };

/* A member of a result that is a struct. */
typedef struct fp_stored {
    unsigned term;
    size_t offset;
} fp_stored;

/* The last term is the result, unless that has members. */
typedef struct fp_expression {
    fp_term terms[FP_MOST_TERMS];
    unsigned count;
    fp_stored members[FP_MOST_MEMBERS];
    unsigned member_count;
    fp_exactness exactness;
    const char *wrong; /* with the text, which no device would compile; NULL: nothing that is known */
    size_t wrong_at;   /* the offset in it */
} fp_expression;

#endif
