#include "papers.h"

#include <ctype.h>

/* Where a character stands: the two kinds of comment, a string or character literal, or code. */
typedef enum place { CODE, LINE_COMMENT, BLOCK_COMMENT, LITERAL } place;

typedef struct reader {
    place place;
    int quote; /* the one that ends the literal */
} reader;

/* Takes one character in; `next` is the one behind it. True if it belongs to the code. */
static bool take(reader *r, int c, int next, FILE *f)
{
    switch (r->place) {
    case CODE:
        if (c == '/' && (next == '/' || next == '*')) {
            r->place = next == '/' ? LINE_COMMENT : BLOCK_COMMENT;
            fgetc(f);
            return false;
        }
        if (c == '"' || c == '\'') *r = (reader){LITERAL, c};
        return !isspace(c);
    case LINE_COMMENT:
        if (c == '\n') r->place = CODE;
        return false;
    case BLOCK_COMMENT:
        if (c == '*' && next == '/') {
            r->place = CODE;
            fgetc(f);
        }
        return false;
    case LITERAL:
        if (c == '\\') fgetc(f);
        if (c == r->quote) r->place = CODE;
        return true;
    }
    return false;
}

static int peek(FILE *f)
{
    int c = fgetc(f);
    if (c != EOF) ungetc(c, f);
    return c;
}

size_t lines_of_code(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    reader r = {CODE, 0};
    size_t lines = 0;
    bool code = false;
    for (int c = fgetc(f); c != EOF; c = fgetc(f)) {
        if (take(&r, c, peek(f), f)) code = true;
        if (c == '\n') {
            lines += code;
            code = false;
        }
    }
    fclose(f);
    return lines + code;
}
