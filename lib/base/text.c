#include "base/text.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

bool fp_text_reserve(fp_text *text, size_t more)
{
    if (text->failed) return false;
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity) return true;
    size_t capacity = needed + needed / 2 + 32;
    char *bytes = fp_resize(text->bytes, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void fp_text_put(fp_text *text, const char *string)
{
    fp_text_add(text, string, strlen(string));
}

void fp_text_vprint(fp_text *text, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0) {
        text->failed = true;
        return;
    }
    if (!fp_text_reserve(text, (size_t)n)) return;
    vsnprintf(text->bytes + text->length, (size_t)n + 1, format, values);
    text->length += (size_t)n;
}

void fp_text_print(fp_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fp_text_vprint(text, format, values);
    va_end(values);
}

void fp_text_clear(fp_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->bytes) text->bytes[0] = '\0';
}

void fp_text_free(fp_text *text)
{
    fp_free(text->bytes);
    *text = (fp_text){0};
}

const char *fp_text_string(const fp_text *text)
{
    return text->bytes && !text->failed ? text->bytes : "";
}

bool fp_is_named(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && !memcmp(name, other, length);
}
