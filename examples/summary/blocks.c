#define _POSIX_C_SOURCE 200809L /* fileno, fseeko, ftello */

#include "blocks.h"
#include "terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

block new_block(void)
{
    return (block){.values = resize(NULL, BLOCK * sizeof(double)), .lines = resize(NULL, BLOCK * sizeof(size_t))};
}

void free_block(block *b)
{
    free(b->values);
    free(b->lines);
}

/* ---- the input ---- */

void open_input(input *in, const char *path, const char *column)
{
    bool piped = !path || !strcmp(path, "-");
    FILE *file = piped ? stdin : fopen(path, "r");
    struct stat facts;
    if (!file) fail("%s: %s", path, strerror(errno));
    *in = (input){.r = {.file = file, .name = piped ? "standard input" : path, .column = column}};
    in->begin = ftello(file);
    if (in->begin >= 0 && !fstat(fileno(file), &facts)) in->size = facts.st_size - in->begin;
    begin_reading(&in->r);
}

void close_input(input *in)
{
    fclose(in->r.file);
    if (in->copy) fclose(in->copy);
    free(in->r.text);
}

bool begin_again(input *in)
{
    FILE *file = in->begin >= 0 ? in->r.file : in->copy;
    if (!file) return false;
    in->again = true;
    in->total = in->count;
    in->count = in->records = 0;
    if (fseeko(file, in->begin >= 0 ? in->begin : 0, SEEK_SET)) fail("the second look: %s", strerror(errno));
    if (!in->copy) begin_reading(&in->r);
    return true;
}

/* ---- blocks of it ---- */

/* Below 0 if the size of the input is unknown. */
static double share_read(const input *in, size_t count)
{
    if (in->again) return (double)count / (double)in->total;
    return in->size > 0 ? (double)(ftello(in->r.file) - in->begin) / (double)in->size : -1;
}

static void show_progress(const input *in, size_t count)
{
    if (bar_is_due()) show_bar(in->again ? "histogram" : "reading", share_read(in, count), count);
}

static void fill_from_text(input *in, block *b)
{
    while (b->count < BLOCK && read_record(&in->r)) {
        if (++in->records % 4096 == 0) show_progress(in, in->count + b->count);
        b->lines[b->count] = in->r.line;
        if (find_number(&in->r, &b->values[b->count])) b->count++;
    }
}

static void fill_from_copy(input *in, block *b)
{
    show_progress(in, in->count);
    b->count = fread(b->values, sizeof *b->values, BLOCK, in->copy);
}

/* A failure costs the histogram, and nothing else. */
static void keep_copy(input *in, const block *b)
{
    if (in->begin >= 0 || in->copy_error) return;
    if (!in->copy) in->copy = tmpfile();
    if (in->copy && fwrite(b->values, sizeof *b->values, b->count, in->copy) == b->count) return;
    in->copy_error = errno;
    if (in->copy) fclose(in->copy);
    in->copy = NULL;
}

bool read_block(input *in, block *b)
{
    b->count = 0;
    if (in->again && in->copy)
        fill_from_copy(in, b);
    else
        fill_from_text(in, b);
    if (!in->again && b->count) keep_copy(in, b);
    in->count += b->count;
    return b->count;
}

/* ---- to the device ---- */

static gpu_array *upload_narrow(gpu *g, block *b)
{
    float *narrow = resize(NULL, b->count * sizeof *narrow);
    for (size_t k = 0; k < b->count; k++) b->values[k] = narrow[k] = (float)b->values[k];
    gpu_array *x = gpu_array_of(g, narrow, b->count);
    free(narrow);
    return x;
}

gpu_array *upload(gpu *g, block *b)
{
    gpu_array *x = gpu_array_of(g, b->values, b->count);
    b->narrow = gpu_array_status(x) == GPU_E_TYPE;
    return b->narrow ? upload_narrow(g, b) : x;
}
