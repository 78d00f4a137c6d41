/* The words of a text, and which of them it declares. */
#ifndef FP_KERNEL_WORDS_H
#define FP_KERNEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* An identifier of a text, outside comments and quotes. */
typedef struct fp_word {
    size_t offset;
    size_t length;
    bool called;   /* a parenthesis follows */
    bool member;   /* after . or -> */
    bool own;      /* the text declares it: a variable, a type, a label, a member of a struct; it means no definition */
    bool declared; /* it is declared here */
    bool outer;    /* declared in the outermost block or among the parameters */
} fp_word;

typedef struct fp_words {
    const char *text;
    fp_word *list;
    size_t count;
} fp_words;

typedef enum fp_text_kind {
    FP_TEXT_CODE,      /* an expression, a type, or a body in braces */
    FP_TEXT_PARAMETERS /* "(float x, const uint n)" */
} fp_text_kind;

/* Splits a text into words; false when memory runs out. `unit` is the C file whose structs are meant (NULL: none in
 * particular).
 *
 * Note [declarations]: names are found as C finds them. A declaration stands where a statement or the head of a for
 * begins, in a list of parameters, or in a struct. It begins with a type (one of OpenCL C, a struct, a typedef), or
 * with two names, which is nothing else in C. So `{x * SCALE, 1}` declares nothing, and neither does `; k * STEP <
 * n;`. A name means the declaration until its block ends. */
bool fp_words_find(const char *text, fp_text_kind kind, const void *unit, fp_words *out);

/* The names of the parameters in "(float x, const uint n)"; false when memory runs out. */
bool fp_parameters_find(const char *text, fp_words *out);

/* Does a word of this text mean a value of this name? Members and the text's own names do not. */
bool fp_word_means(const char *text, const fp_word *word, const char *value);

/* Is `word` one of the words? */
bool fp_words_name(const fp_words *words, const char *word, size_t length);

#endif
