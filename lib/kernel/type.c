#include "kernel/type.h"

#include "base/text.h"

#include <firepile/spawn.h>
#include <string.h>

#define VECTOR(scalar, n, kind_)                                                                                       \
    const gpu_type_info gpu_type_##scalar##n = {.name = #scalar #n,                                                    \
                                                .size = sizeof(gpu_##scalar##n),                                       \
                                                .align = _Alignof(gpu_##scalar##n),                                    \
                                                .kind = kind_,                                                         \
                                                .width = n};
#define SCALAR_AND_VECTORS(scalar, NAME, T, kind_)                                                                     \
    const gpu_type_info gpu_type_##scalar = {                                                                          \
        .name = #scalar, .size = sizeof(T), .align = _Alignof(T), .kind = kind_, .width = 1};                          \
    VECTOR(scalar, 2, kind_)                                                                                           \
    VECTOR(scalar, 3, kind_)                                                                                           \
    VECTOR(scalar, 4, kind_)
GPU_SCALAR_MAP(SCALAR_AND_VECTORS)

const gpu_type_info gpu_capture_array_type = {.name = "gpu_array *",
                                              .size = sizeof(gpu_array *),
                                              .align = _Alignof(gpu_array *),
                                              .kind = GPU_KIND_STRUCT,
                                              .width = 1};

const gpu_type_info gpu_capture_part_type = {.name = "part of a kernel",
                                             .size = sizeof(gpu_part),
                                             .align = _Alignof(gpu_part),
                                             .kind = GPU_KIND_STRUCT,
                                             .width = 1};

const gpu_type_info fp_type_bool = {
    .name = "bool", .size = sizeof(bool), .align = _Alignof(bool), .kind = GPU_KIND_UNSIGNED, .width = 1};

/* These have no members, so each equals itself alone. */
#define REFUSED(id, name_, T)                                                                                          \
    const gpu_type_info gpu_refused_##id = {                                                                           \
        .name = name_, .size = sizeof(T), .align = _Alignof(T), .kind = GPU_KIND_STRUCT, .width = 1};
REFUSED(bool, "bool", bool)
REFUSED(long_double, "long double", long double)
REFUSED(array, "arrays or pointers", void *)

const fp_refused *fp_type_refused(gpu_type type)
{
    static const fp_refused all[] = {
        {&gpu_refused_bool, "give a bool as large as a uchar to gpu_array_from(g, GPU_UCHAR, data, n)",
         "pass a pointer to the elements' type", "is a bool: make it a uchar"},
        {&gpu_refused_long_double, "devices have none: convert them to double", "pass a pointer to the elements' type",
         "is a long double: make it a double"},
        {&gpu_refused_array,
         "of a two-dimensional array pass &a[0][0], and rows * columns for n; pointers mean nothing on a device",
         "of a two-dimensional array pass &a[0][0]",
         "is an array or a pointer: make a gpu_array of what it has or points to, and capture that"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].type == type) return &all[k];
    return NULL;
}

const gpu_capture gpu_commutative = {.name = ""};

/* Each scalar, followed by its vectors. */
#define ROW(scalar, NAME, T, kind)                                                                                     \
    &gpu_type_##scalar, &gpu_type_##scalar##2, &gpu_type_##scalar##3, &gpu_type_##scalar##4,
static const gpu_type types[] = {GPU_SCALAR_MAP(ROW)};
enum { ROW_LENGTH = 4, TYPES = sizeof types / sizeof types[0] };

bool fp_type_holds(gpu_type type, gpu_type from)
{
    if (type == from || from == &fp_type_bool) return true;
    if (type == &fp_type_bool) return from == GPU_UCHAR;
    if (type->kind == GPU_KIND_FLOATING) return from->kind != GPU_KIND_FLOATING || from->size <= type->size;
    if (type->kind == from->kind) return from->size <= type->size;
    return type->kind == GPU_KIND_SIGNED && from->kind == GPU_KIND_UNSIGNED && from->size < type->size;
}

gpu_type fp_type_scalar(gpu_type type)
{
    if (type->width == 1) return type;
    size_t i = 0;
    while (types[i] != type) i++;
    return types[i - i % ROW_LENGTH];
}

/* The next word from *at on; its length is 0 at the end. */
static const char *next_word(const char **at, const char *end, size_t *length)
{
    const char *word = *at;
    while (word < end && strchr(" \t\n\v\f\r", *word)) word++;
    const char *after = word;
    while (after < end && !strchr(" \t\n\v\f\r", *after)) after++;
    *at = after;
    *length = (size_t)(after - word);
    return word;
}

/* C allows the words of a type in any order, so they are counted: one hexadecimal digit for each word. */
enum { SIGNED = 1, UNSIGNED = 0x10, CHAR = 0x100, SHORT = 0x1000, INT = 0x10000, LONG = 0x100000, FLOAT = 0x1000000 };
enum { DOUBLE = 0x10000000, MOST_WORDS = 4 };

static int weight(const char *word, size_t length)
{
    static const struct {
        const char *word;
        int weight;
    } weights[] = {{"signed", SIGNED}, {"unsigned", UNSIGNED}, {"char", CHAR},   {"short", SHORT},
                   {"int", INT},       {"long", LONG},         {"float", FLOAT}, {"double", DOUBLE}};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        if (fp_is_named(word, length, weights[i].word)) return weights[i].weight;
    }
    return 0;
}

static gpu_type of_words(int sum)
{
    static const struct {
        int words; /* without the sign */
        gpu_type type, positive;
    } meanings[] = {{INT, GPU_INT, GPU_UINT},        {CHAR, GPU_CHAR, GPU_UCHAR},
                    {SHORT, GPU_SHORT, GPU_USHORT},  {SHORT + INT, GPU_SHORT, GPU_USHORT},
                    {LONG, GPU_LONG, GPU_ULONG},     {LONG + INT, GPU_LONG, GPU_ULONG},
                    {2 * LONG, GPU_LONG, GPU_ULONG}, {2 * LONG + INT, GPU_LONG, GPU_ULONG},
                    {FLOAT, GPU_FLOAT, NULL},        {DOUBLE, GPU_DOUBLE, NULL}};
    const int sign = sum & 0xff, words = sign && sum == sign ? INT : sum - sign;
    if (sign && sign != SIGNED && sign != UNSIGNED) return NULL;
    for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++) {
        if (meanings[k].words != words) continue;
        if (sign && !meanings[k].positive) return NULL;
        return sign == UNSIGNED ? meanings[k].positive : meanings[k].type;
    }
    return NULL;
}

static gpu_type of_name(const char *name, size_t length)
{
    static const struct {
        const char *name;
        gpu_type type;
    } exact[] = {{"int8_t", GPU_CHAR}, {"uint8_t", GPU_UCHAR}, {"int16_t", GPU_SHORT}, {"uint16_t", GPU_USHORT},
                 {"int32_t", GPU_INT}, {"uint32_t", GPU_UINT}, {"int64_t", GPU_LONG},  {"uint64_t", GPU_ULONG}};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (fp_is_named(name, length, exact[i].name)) return exact[i].type;
    }
    bool prefixed = length > 4 && memcmp(name, "gpu_", 4) == 0;
    for (size_t i = 0; i < TYPES; i++) {
        if (fp_is_named(name, length, types[i]->name)) return types[i];
        if (prefixed && types[i]->width > 1 && fp_is_named(name + 4, length - 4, types[i]->name)) return types[i];
    }
    return NULL;
}

gpu_type fp_type_named(const char *name, size_t length)
{
    const char *at = name, *end = name + length;
    int sum = 0;
    for (unsigned words = 0; words <= MOST_WORDS; words++) {
        size_t n, more;
        const char *word = next_word(&at, end, &n);
        if (!n) return of_words(sum);
        int w = weight(word, n);
        if (!w) {
            next_word(&at, end, &more);
            return words || more ? NULL : of_name(word, n);
        }
        sum += w;
    }
    return NULL;
}
