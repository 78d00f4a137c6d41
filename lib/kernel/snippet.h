/* Operators' texts. Each is checked, split into words and kept once, so that a warm call compares a pointer. */
#ifndef FP_KERNEL_SNIPPET_H
#define FP_KERNEL_SNIPPET_H

#include "base/text.h"
#include "kernel/exact.h"
#include "kernel/signature.h"
#include "kernel/words.h"

#include <firepile/define.h>
#include <firepile/operator.h>

/* Operators whose algebra is known: they commute, and some have an identity. */
typedef enum fp_known {
    FP_KNOWN_NONE,
    FP_KNOWN_ADD,
    FP_KNOWN_MULTIPLY,
    FP_KNOWN_AND,
    FP_KNOWN_OR,
    FP_KNOWN_XOR,
    FP_KNOWN_MIN,
    FP_KNOWN_MAX,
    FP_KNOWN_FMIN,
    FP_KNOWN_FMAX
} fp_known;

/* Whose text it is. The library's own may use reserved names. A kernel's returns nothing. */
typedef enum fp_snippet_use { FP_USE_OPERATOR, FP_USE_OWN, FP_USE_KERNEL } fp_snippet_use;

/* An operator's text in one C file, or a function. It lives as long as its table. */
typedef struct fp_snippet {
    struct fp_snippet *next;
    uint64_t hash;
    uint32_t id; /* equal ids: equal texts */
    fp_snippet_use use;
    bool body;         /* { ... return ...; } and not an expression */
    bool assigns;      /* it is an expression, and its value is what it assigns */
    fp_known known;    /* of a and b */
    fp_known known_xy; /* of x and y: what a map of two arrays computes */
    char *given;       /* the text as it came; of a function: its name */
    char *text;        /* fp_lex_plain of `given` */
    const gpu_definition *function;
    const void *unit;
    unsigned long generation; /* of the definitions, when this was made */
    fp_words words;
    const gpu_definition **meanings; /* of the words, when this was made: NULL nothing, &fp_disputed several */
    fp_signature *signature;         /* of a function */
    const gpu_definition *kernel;    /* the GPU_KERNEL whose body it is; NULL: the text stands alone */
    fp_signature *kernel_signature;
    gpu_type *structs; /* the structs that a function and those that it calls need */
    size_t struct_count;
    fp_exactness exactness;
    uint64_t checked;    /* fp_operator_names of the captures that the text was last checked with; 0: of none */
    unsigned char *uses; /* what it does with each of these captures (Note [uses] in expressions/operator.c) */
    unsigned use_count;  /* the number of these captures */
} fp_snippet;

typedef struct fp_snippets {
    fp_snippet **buckets;
    size_t size; /* a power of two, or 0 */
    uint32_t count;
} fp_snippets;

/* The kept snippet of an operator's text or function. GPU_E_SNIPPET for a text that is neither an expression nor a body
 * in braces, whose brackets, quotes or comments do not balance, or that uses a reserved name or a directive.
 * GPU_E_ARGUMENT for NULL, and for neither text nor known function. Functions fail as fp_signature_new and
 * fp_source_function do. */
gpu_status fp_snippet_intern(fp_snippets *table, const gpu_operator *op, fp_snippet_use use, fp_snippet **out);
void fp_snippets_free(fp_snippets *table);

/* Is it this short expression, blanks and comments aside? */
bool fp_snippet_is(const fp_snippet *snippet, const char *expression);

/* Appends "\n  LINE\n  " and a caret under `offset` of `text`. */
void fp_snippet_point(const char *text, size_t offset, fp_text *out);

/* GPU_E_SNIPPET with a message that ends as fp_snippet_point writes. */
gpu_status fp_snippet_refuse(const char *text, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* May a captured value have this name? GPU_E_ARGUMENT says why not. `kernel`: x, y, z, a and b are no operands. */
gpu_status fp_capture_name_check(const char *name, bool kernel);

#endif
