#include "ops/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = sizeof magic - 1, MOST_HEADER = 1 << 20, ALIGN = 64 };

gpu_status fp_npy_refuse(const char *path, size_t at, const char *what)
{
    return fp_fail(GPU_E_ARGUMENT, "%s, byte %zu: %s", path, at, what);
}

/* ---- types ---- */

static const struct {
    const char *name;
    const gpu_type_info *type;
} types[] = {{"i1", &gpu_type_char},    {"u1", &gpu_type_uchar}, {"b1", &gpu_type_uchar},  {"i2", &gpu_type_short},
             {"u2", &gpu_type_ushort},  {"i4", &gpu_type_int},   {"u4", &gpu_type_uint},   {"i8", &gpu_type_long},
             {"u8", &gpu_type_ulong},   {"f4", &gpu_type_float}, {"f8", &gpu_type_double}, {"c8", &gpu_type_float2},
             {"c16", &gpu_type_double2}};

static bool is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one;
}

/* Of the name's type, or of a component's. */
static const char *name_of(gpu_type type)
{
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k].type == type) return types[k].name;
    return NULL;
}

/* ---- reading ---- */

typedef struct reader {
    const char *path;
    char *text;
    size_t length, at, first; /* first: where the text stands in the file */
} reader;

static gpu_status refuse(const reader *r, const char *what)
{
    return fp_npy_refuse(r->path, r->first + r->at, what);
}

static void skip_blanks(reader *r)
{
    while (r->at < r->length && (r->text[r->at] == ' ' || r->text[r->at] == '\n')) r->at++;
}

static bool take(reader *r, char wanted)
{
    skip_blanks(r);
    const bool found = r->at < r->length && r->text[r->at] == wanted;
    r->at += found;
    return found;
}

static bool take_word(reader *r, const char *word)
{
    const size_t n = strlen(word);
    const bool found = n <= r->length - r->at && !memcmp(r->text + r->at, word, n);
    r->at += found ? n : 0;
    return found;
}

/* A quoted text, which is short. */
static bool take_text(reader *r, char *out, size_t room)
{
    const char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : '\0';
    size_t n = 0;
    while (quote && r->at < r->length && r->text[r->at] != quote && n + 1 < room) out[n++] = r->text[r->at++];
    out[n] = '\0';
    return quote && take(r, quote);
}

static gpu_status read_type(reader *r, fp_npy *out)
{
    char name[16];
    const size_t at = r->at;
    if (!take_text(r, name, sizeof name)) {
        r->at = at;
        return fp_fail(GPU_E_TYPE, "%s, byte %zu: the elements are records: save each member as an array", r->path,
                       r->first + at);
    }
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (*name && strchr("<>|=", *name) && !strcmp(name + 1, types[k].name)) out->type = types[k].type;
    out->swapped = *name == (is_little() ? '>' : '<');
    if (out->type) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "%s, byte %zu: there are no elements of type '%s': convert them by astype", r->path,
                   r->first + at, name);
}

static gpu_status read_number(reader *r, size_t *product)
{
    const size_t at = r->at;
    size_t number = 0;
    while (r->at < r->length && r->text[r->at] >= '0' && r->text[r->at] <= '9') {
        const size_t digit = (size_t)(r->text[r->at++] - '0');
        if (!fp_multiply(number, 10, &number) || number > SIZE_MAX - digit) return refuse(r, "the number is too large");
        number += digit;
    }
    if (r->at == at) return refuse(r, "a number is expected");
    return fp_multiply(*product, number, product) ? GPU_OK : refuse(r, "there are more elements than can be counted");
}

static gpu_status read_shape(reader *r, size_t *length, unsigned *dimensions)
{
    *length = 1;
    *dimensions = 0;
    if (!take(r, '(')) return refuse(r, "a '(' is expected, and a number for each dimension");
    while (!take(r, ')')) {
        gpu_status status = read_number(r, length);
        if (status) return status;
        ++*dimensions;
        if (take(r, ',')) continue;
        return take(r, ')') ? GPU_OK : refuse(r, "a ',' or a ')' is expected");
    }
    return GPU_OK;
}

static gpu_status read_order(reader *r, bool *fortran)
{
    *fortran = take_word(r, "True");
    return *fortran || take_word(r, "False") ? GPU_OK : refuse(r, "True or False is expected");
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
static gpu_status read_dictionary(reader *r, fp_npy *out)
{
    bool fortran = false, shaped = false;
    unsigned dimensions = 0;
    char key[16];
    gpu_status status = take(r, '{') ? GPU_OK : refuse(r, "a '{' is expected");
    while (!status && !take(r, '}')) {
        if (!take_text(r, key, sizeof key) || !take(r, ':')) return refuse(r, "a key and a ':' are expected");
        skip_blanks(r);
        const bool is_shape = !strcmp(key, "shape");
        if (is_shape)
            status = read_shape(r, &out->length, &dimensions);
        else if (!strcmp(key, "descr"))
            status = read_type(r, out);
        else if (!strcmp(key, "fortran_order"))
            status = read_order(r, &fortran);
        else
            status = refuse(r, "the key is not 'descr', 'fortran_order' or 'shape'");
        shaped |= is_shape;
        if (!status && !take(r, ',') && !(r->at < r->length && r->text[r->at] == '}'))
            status = refuse(r, "a ',' or a '}' is expected");
    }
    if (!status && !(out->type && shaped)) status = refuse(r, "'descr' or 'shape' is missing");
    if (!status && fortran && dimensions > 1)
        status = refuse(r, "the array is in Fortran's order: save numpy.ascontiguousarray of it");
    return status;
}

static gpu_status read_text(FILE *file, reader *r, fp_npy *out)
{
    r->text = fp_alloc(r->length + 1);
    if (!r->text) return fp_fail_memory();
    const size_t n = fread(r->text, 1, r->length, file);
    gpu_status status =
        n == r->length ? read_dictionary(r, out) : fp_npy_refuse(r->path, r->first + n, "the file ends");
    fp_free(r->text);
    return status;
}

gpu_status fp_npy_read(FILE *file, const char *path, fp_npy *out)
{
    unsigned char begin[MAGIC + 6] = {0};
    *out = (fp_npy){.length = 0};
    if (fread(begin, 1, MAGIC + 4, file) != MAGIC + 4 || memcmp(begin, magic, MAGIC) != 0)
        return fp_npy_refuse(path, 0, "no .npy file begins so");
    const unsigned version = begin[MAGIC];
    if (version < 1 || version > 3) return fp_npy_refuse(path, MAGIC, "the format is not 1.0, 2.0 or 3.0");
    size_t length = begin[MAGIC + 2] + 256 * (size_t)begin[MAGIC + 3];
    if (version > 1) {
        if (fread(begin + MAGIC + 4, 1, 2, file) != 2) return fp_npy_refuse(path, MAGIC + 4, "the file ends");
        length += 65536 * (begin[MAGIC + 4] + 256 * (size_t)begin[MAGIC + 5]);
    }
    if (length > MOST_HEADER) return fp_npy_refuse(path, MAGIC + 2, "the header is longer than a megabyte");
    return read_text(file, &(reader){.path = path, .length = length, .first = version > 1 ? MAGIC + 6 : MAGIC + 4},
                     out);
}

/* ---- writing ---- */

gpu_status fp_npy_write(gpu_type type, size_t length, fp_text *out)
{
    const char *whole = name_of(type), *name = whole ? whole : name_of(fp_type_scalar(type));
    if (type->kind == GPU_KIND_STRUCT || !name)
        return fp_fail(GPU_E_TYPE, "elements of type %s are no numbers: save each member as an array", type->name);
    const char order = name[1] == '1' && !name[2] ? '|' : is_little() ? '<' : '>';
    fp_text text = {0};
    fp_text_print(&text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%zu,", order, name, length);
    if (!whole) fp_text_print(&text, " %u", (unsigned)type->width);
    fp_text_put(&text, "), }");
    while ((MAGIC + 4 + text.length + 1) % ALIGN) fp_text_put(&text, " ");
    fp_text_put(&text, "\n");
    fp_text_print(out, "%s%c", magic, 1);
    fp_text_add(out, (const char[]){0, (char)(text.length % 256), (char)(text.length / 256)}, 3);
    fp_text_add(out, text.bytes, text.length);
    const bool failed = text.failed || out->failed;
    fp_text_free(&text);
    return failed ? fp_fail_memory() : GPU_OK;
}
