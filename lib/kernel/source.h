/* The text of a program while it is assembled: slots, definitions, operators, template. A table leads from its lines
 * back to the users' texts. Compilers number the lines of the whole text (NVIDIA's ignores #line), so positions in a
 * build log are looked up here. */
#ifndef FP_KERNEL_SOURCE_H
#define FP_KERNEL_SOURCE_H

#include "base/text.h"
#include "kernel/snippet.h"

/* The parts of a program, in this order. */
typedef enum fp_part {
    FP_PART_SLOTS,
    FP_PART_PRELUDE,
    FP_PART_DEFINITIONS,
    FP_PART_CODE,
    FP_PART_TEMPLATE,
    FP_PARTS
} fp_part;

/* The text of an operator or a definition. */
typedef struct fp_origin {
    const char *text;
    const char *operation; /* "gpu_map", or a definition's name */
    gpu_place place;
    const void *owner; /* the caller's */
    /* The rest is needed for quoting only. `binds`, which may be NULL, tells whether a word is a name of the scope and
     * no definition. It may set *as to what is written instead of it. */
    const fp_words *words;
    const void *unit;
    const gpu_definition *const *meanings; /* of the words, as fp_snippet has them; NULL: look them up in `unit` */
    bool (*binds)(const void *scope, const char *word, size_t length, const char **as);
    /* The bytes from a word on that are written as that; NULL: the word's. If they end with a '[', `closing` is written
     * for its ']'. */
    size_t (*covers)(const void *scope, const char *text, const fp_word *word);
    const char *closing;
    const void *scope;
} fp_origin;

/* `length` bytes at `begin` of a part came from `offset` of an origin's text. */
typedef struct fp_span {
    fp_part part;
    size_t begin;
    size_t length;
    size_t offset;
    size_t offset_length; /* differs from length where a name was replaced */
    unsigned origin;
} fp_span;

/* A struct type that the program defines. */
typedef struct fp_struct {
    gpu_type type;
    char *name; /* in the program */
    struct fp_layout *layout;
} fp_struct;

typedef struct fp_included {
    const gpu_definition *definition;
    char *name;
    bool complete; /* false while its own needs are being included */
} fp_included;

typedef struct fp_source {
    fp_text parts[FP_PARTS];
    fp_span *spans;
    size_t span_count, span_capacity;
    fp_origin *origins;
    size_t origin_count, origin_capacity;
    fp_struct *structs;
    size_t struct_count, struct_capacity;
    fp_included *included;
    size_t included_count, included_capacity;
    bool failed; /* memory ran out */
} fp_source;

void fp_source_free(fp_source *source);

/* The name of an element type in this program. Defines a struct first, with those it holds. NULL after a failure
 * (GPU_E_LAYOUT, GPU_E_MEMORY). */
const char *fp_source_type(fp_source *source, gpu_type type);

/* Includes what a text names: functions, constants, structs, and what those name. Excluded are names that the text
 * declares or that its scope binds. */
gpu_status fp_source_needs(fp_source *source, const fp_origin *origin);

/* Appends a user's text to a part, with the names that definitions have in this program, and remembers where it came
 * from. fp_source_needs must have succeeded. */
void fp_source_quote(fp_source *source, fp_part part, const fp_origin *origin);

/* The name of a function in this program. Includes the function if need be. */
gpu_status fp_source_function(fp_source *source, const gpu_definition *function, const char **name);

/* All parts together. */
void fp_source_assemble(const fp_source *source, fp_text *out);

/* Finds the origin, and the offset in its text, of a line and column (from 1) of the assembled text. False if the
 * library wrote that place. */
bool fp_source_locate(const fp_source *source, const char *assembled, unsigned line, unsigned column,
                      const fp_origin **origin, size_t *offset);

#endif
