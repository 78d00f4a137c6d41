/* A growing byte string. When memory runs out it turns `failed`, later calls do nothing, and one check at the end is
 * enough. Always ends with a NUL that `length` does not count; `bytes` is never NULL after the first append. */
#ifndef FP_BASE_TEXT_H
#define FP_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct fp_text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool failed;
} fp_text;

/* Makes room for so many bytes more. False if the text is `failed`. */
bool fp_text_reserve(fp_text *text, size_t more);

static inline void fp_text_add(fp_text *text, const void *bytes, size_t n)
{
    const bool fits = n < text->capacity - text->length && !text->failed;
    if (!fits && !fp_text_reserve(text, n)) return;
    if (n) memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    text->bytes[text->length] = '\0';
}

void fp_text_put(fp_text *text, const char *string);
void fp_text_print(fp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fp_text_vprint(fp_text *text, const char *format, va_list values);
void fp_text_clear(fp_text *text); /* empty, memory kept */
void fp_text_free(fp_text *text);

/* The string, "" if nothing was added or memory ran out. */
const char *fp_text_string(const fp_text *text);

/* Is a name of `length` bytes the other one? */
bool fp_is_named(const char *name, size_t length, const char *other);

#endif
