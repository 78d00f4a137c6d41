/* Operators that are applied to elements in memory, and walks over the elements of an expression: for the files of the
 * host device. */
#ifndef FP_HOST_INTERNAL_H
#define FP_HOST_INTERNAL_H

#include "host/apply.h"
#include "host/host.h"
#include "kernel/lex.h"

#include <string.h>

/* ---- elements ---- */

/* memcpy without a call for the most frequent sizes. */
static inline void fp_copy_element(void *out, const void *in, size_t size)
{
    if (size == 4)
        memcpy(out, in, 4);
    else if (size == 8)
        memcpy(out, in, 8);
    else
        memcpy(out, in, size);
}

/* ---- operators ---- */

/* The host's side of a function. It is made once, kept in the signature, and serves several threads at once.
 * GPU_E_ARGUMENT for a GPU_DEVICE_FUNCTION; GPU_E_TYPE for types that cannot be passed. */
gpu_status fp_host_call(fp_signature *signature, const fp_call **out);

/* Does a comparator say that `a` comes before `b`? */
bool fp_comes_before(const fp_applied *less, const unsigned char *a, const unsigned char *b);

/* Applies `of_block` to FP_BLOCK elements at a time. To one at a time if they do not lie one behind the other, or if a
 * result is an operand of the next element. */
void fp_apply_blocks(const fp_applied *applied, const fp_stretch *s, fp_native *of_block);

/* The same to the lanes of vectors, as if each were an element. */
void fp_apply_lanes(const fp_applied *applied, const fp_stretch *s, fp_native *of_block);

/* The type and the value of a number in a text. NULL: the host does not know it, or it is none of OpenCL C, `wrong`. */
gpu_type fp_literal_value(fp_slice number, void *value, bool *wrong);

/* The scalar or struct that a member is; *offset grows by where it is. NULL: it is neither, or the struct has none of
 * this name, `wrong`. */
gpu_type fp_member_find(gpu_type type, fp_slice name, size_t *offset, bool *wrong);

/* The terms of a text that is a known expression (Note [expressions on the host]), and the way to compute it. */
bool fp_expression_find(const fp_applied *applied, fp_expression *out);
gpu_status fp_expression_begin(fp_applied *applied, const fp_expression *expression);
fp_native fp_expression_apply;

/* Sets the host's own form of a text. False: there is none. The form of an expression is fp_expression_apply; then *out
 * is set, too. */
bool fp_native_find(fp_applied *applied, fp_expression *out);
/* The form of a comparator of two scalars of one type; NULL: there is none. */
fp_native *fp_native_find_order(const fp_applied *applied);

/* One of the library's own texts: an expression, or how a body begins. */
typedef struct fp_own_text {
    const char *text;
    fp_native *native;
} fp_own_text;

fp_native *fp_native_find_own(const fp_own_text *texts, size_t count, const fp_snippet *snippet);

/* The form of random elements, which lie one behind the other; NULL: the text has none. */
fp_native *fp_native_find_random(const fp_operator *op);

/* Can the host compute the request too? Fetches what it reads. `exact`: both sides give the same bits. */
bool fp_host_fetches(const fp_request *request, bool *exact);

/* ---- walks ---- */

enum { FP_BLOCK = 256 };

/* Elements one after the other, valid until the walk's next block. */
typedef struct fp_block {
    const unsigned char *elements;
    size_t count;
} fp_block;

/* A node of the expression, computed for one block after the other. */
typedef struct fp_walked {
    fp_node *node;
    unsigned domain; /* nodes of one domain are computed at the same places */
    unsigned inputs[FP_INPUTS];
    fp_applied applied;
    unsigned char *room;   /* for the elements of a block */
    unsigned char *around; /* of a stencil: the elements that a block needs */
    unsigned char *flags;  /* of a filter: 1 for those that are kept */
    size_t first, asked;   /* the places of `block`; none before the first */
    fp_block block;
} fp_walked;

typedef struct fp_walk {
    fp_walked *nodes;
    size_t count, capacity;
    unsigned domains;
    unsigned root;
    size_t room;   /* places of a block */
    size_t length; /* places of the root, before selection */
    size_t at;     /* where the next block begins */
} fp_walk;

/* Makes ready to compute the elements of a prepared node. */
gpu_status fp_walk_begin(fp_walk *walk, fp_node *node);
/* The next block; for a selection, its kept elements. False at the end. */
bool fp_walk_next(fp_walk *walk, fp_block *out);
void fp_walk_end(fp_walk *walk);

/* ---- the elements of a request's operator ---- */

/* Those of the input, or what a map makes of them. */
typedef struct fp_mapped {
    fp_applied map;      /* without an operator: there is none */
    unsigned char *room; /* for a block of its elements */
} fp_mapped;

gpu_status fp_mapped_begin(const fp_request *request, unsigned k, fp_mapped *out);
/* The elements of operator k for the block that the walk has just given, until its next one. */
const unsigned char *fp_mapped_elements(const fp_mapped *mapped, const fp_walk *walk, const fp_block *block);
void fp_mapped_end(fp_mapped *mapped);

/* ---- results ---- */

/* The number of elements of a counted output. Cuts its buffer, which had room for all. */
void fp_output_learn(const fp_output *to, uint64_t count);

/* Reports an index out of range at this position. The deferred error keeps the first one, as in kernels. */
void fp_deferred_report(const fp_deferred *deferred, size_t position);

#endif
