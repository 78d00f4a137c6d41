#define _POSIX_C_SOURCE 200809L /* isatty, clock_gettime */

#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the bar ---- */

static bool bar_is_shown;

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

bool bar_is_due(void)
{
    static double next;
    double now = now_ms();
    if (now < next || !isatty(STDERR_FILENO)) return false;
    next = now + 100;
    return true;
}

void show_bar(const char *title, double share, size_t numbers)
{
    static const char marks[] = "##############################";
    double shown = fmin(share, 1);
    clear_bar();
    fprintf(stderr, "%s ", title);
    if (shown >= 0) fprintf(stderr, "[%-30.*s] %3.0f %%  ", (int)(shown * 30), marks, shown * 100);
    fprintf(stderr, "%zu numbers", numbers);
    bar_is_shown = true;
}

void clear_bar(void)
{
    if (bar_is_shown) fputs("\r\033[K", stderr);
    bar_is_shown = false;
}

/* ---- failures ---- */

/* The bytes of the UTF-8 character at `text`. 0 if it is none, or a control character. */
static int printable(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80) return 0;
    bool control = (c[0] < ' ' && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
    return control ? 0 : length;
}

/* Messages quote files. Bytes that could move a terminal's cursor or change its title are written as \x1b. */
static void print_harmless(const char *text)
{
    while (*text) {
        int length = printable(text);
        if (length)
            fprintf(stderr, "%.*s", length, text);
        else
            fprintf(stderr, "\\x%02x", (unsigned char)*text);
        text += length ? length : 1;
    }
}

void fail(const char *format, ...)
{
    char text[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    clear_bar();
    fputs("summary: ", stderr);
    print_harmless(text);
    fputc('\n', stderr);
    exit(1);
}

/* Printed text may still wait for room on a full disk. */
void end_output(void)
{
    if (fflush(stdout) || ferror(stdout)) fail("cannot write the results: %s", strerror(errno));
}

void *resize(void *old, size_t bytes)
{
    void *grown = realloc(old, bytes);
    if (!grown) fail("not enough memory for %zu bytes", bytes);
    return grown;
}
