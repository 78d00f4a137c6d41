/* An index in front of integer keys, so that a lookup reads few of them; and entries, so that it finds the value beside
 * the key. */
#include "collections/dict.h"
#include "host/apply.h"
#include "planning/eval.h"

#include <string.h>

/* Note [index]: a binary search reads log2(n) of n keys, one after the other. The first bits of an integer key save
 * most of these steps. The numbers from the first key to the last are cut into at most 2^bits pieces of the same width,
 * a power of two. Element p of the index is the number of keys before piece p. A lookup goes through the first keys of
 * a piece, and finds the others by a binary search. If keys are spread evenly, a piece has one to four of them. If most
 * are close together, they share a piece, and the search takes about as long as without an index.
 *
 * The index is a map over places. The first lookup of many keys computes it at its call, by one launch, and the
 * dictionary keeps it. If there is no memory for it, the lookup is a search without one, and the next lookup tries
 * again. The same holds for entries. */
enum { FEWEST_KEYS = 1 << 16, KEYS_OF_WANTED = 16 };

/* The logarithm of the most pieces on a GPU, whose cache holds an index of 16 MiB. */
enum { MOST_BITS_ON_GPUS = 22 };

/* Note [entries]: a GPU reads a line of memory for each key that it looks up, and another for its value. So it gets the
 * keys and values a second time, side by side: an entry is the distance of a key from the first one, and the bits of
 * its value, in two words. A lookup reads two entries at a time. A word has the bytes of a key or, if a value has more,
 * of a value. The first lookup of values that goes by the index computes the entries, and the dictionary keeps them.
 * CPUs gain nothing from them. */

/* Distances from the first key have no sign, and the order of the keys. */
#define RANGE_AND_WIDTH                                                                                                \
    "const ulong range = (ulong)keys[keys_length - 1] - (ulong)keys[0];\n"                                             \
    "const uint width = (uint)max(64 - (int)clz(range) - (int)bits, 0);\n"

static const char index_text[] =
    "{\n"
    "if (keys_length == 0) return 0;\n" RANGE_AND_WIDTH "if (x > range >> width) return (uint)keys_length;\n"
    "uint low = 0;\n"
    "for (uint high = (uint)keys_length; low < high;) {\n"
    "    const uint middle = low + (high - low) / 2;\n"
    "    if ((ulong)keys[middle] - (ulong)keys[0] < x << width) low = middle + 1;\n"
    "    else high = middle;\n"
    "}\n"
    "return low;\n"
    "}";

static const char place_text[] =
    "{\n"
    "if (keys_length == 0) return ULONG_MAX;\n" RANGE_AND_WIDTH "const ulong from = (ulong)x - (ulong)keys[0];\n"
    "if (from > range) return ULONG_MAX;\n"
    "uint low = starts[from >> width];\n"
    "for (uint k = 0; k < 8 && keys[low] < x; k++) low++;\n"
    "for (uint high = keys[low] < x ? starts[(from >> width) + 1] : low; low < high;) {\n"
    "    const uint middle = low + (high - low) / 2;\n"
    "    if (keys[middle] < x) low = middle + 1;\n"
    "    else high = middle;\n"
    "}\n"
    "return keys[low] == x ? (ulong)low : ULONG_MAX;\n"
    "}";

/* Entries 2 x and 2 x + 1. After an odd number of keys the last one is there twice. */
#define ENTRIES_TEXT(word, word4, bits)                                                                                \
    "{\n"                                                                                                              \
    "if (keys_length == 0) return (" word4 ")(0);\n"                                                                   \
    "const ulong last = keys_length - 1, k = min(2 * x, last), l = min(2 * x + 1, last);\n"                            \
    "const __global " bits " *words = (const __global " bits " *)values;\n"                                            \
    "return (" word4 ")((" word ")((ulong)keys[k] - (ulong)keys[0]), words[k],\n"                                      \
    "                   (" word ")((ulong)keys[l] - (ulong)keys[0]), words[l]);\n"                                     \
    "}"

#define VALUE_TEXT(word, word4)                                                                                        \
    "{\n"                                                                                                              \
    "if (keys_length == 0) return otherwise;\n" RANGE_AND_WIDTH "const ulong from = (ulong)x - (ulong)keys[0];\n"      \
    "if (from > range) return otherwise;\n"                                                                            \
    "const " word " wanted = (" word ")from;\n"                                                                        \
    "uint low = starts[from >> width] / 2;\n" word4 " e = entries[low];\n"                                             \
    "for (uint k = 0; k < 4 && e.z < wanted; k++) e = entries[++low];\n"                                               \
    "if (e.z < wanted) {\n"                                                                                            \
    "    for (uint high = starts[(from >> width) + 1] / 2; low < high;) {\n"                                           \
    "        const uint middle = low + (high - low) / 2;\n"                                                            \
    "        if (entries[middle].z < wanted) low = middle + 1;\n"                                                      \
    "        else high = middle;\n"                                                                                    \
    "    }\n"                                                                                                          \
    "    e = entries[low];\n"                                                                                          \
    "}\n"                                                                                                              \
    "if (e.x != wanted && e.z != wanted) return otherwise;\n"                                                          \
    "union { " word " bits; fp_result value; } found;\n"                                                               \
    "found.bits = e.x == wanted ? e.y : e.w;\n"                                                                        \
    "return found.value;\n"                                                                                            \
    "}"

static const char value_in_uints_text[] = VALUE_TEXT("uint", "uint4");
static const char value_in_ulongs_text[] = VALUE_TEXT("ulong", "ulong4");

/* How entries lie, by the bytes of a word and of a value. */
typedef struct layout {
    size_t word, value;
    gpu_type entries;
    const char *entries_text, *value_text;
} layout;

static const layout layouts[] = {
    {4, 4, GPU_UINT4, ENTRIES_TEXT("uint", "uint4", "uint"), value_in_uints_text},
    {8, 4, GPU_ULONG4, ENTRIES_TEXT("ulong", "ulong4", "uint"), value_in_ulongs_text},
    {8, 8, GPU_ULONG4, ENTRIES_TEXT("ulong", "ulong4", "ulong"), value_in_ulongs_text},
};

static const layout *layout_of(gpu_type key, gpu_type value)
{
    const size_t word = key->size > value->size ? key->size : value->size;
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
        if (word == layouts[k].word && value->size == layouts[k].value) return &layouts[k];
    return NULL;
}

/* ---- the host's side ---- */

typedef struct sorted {
    gpu_type type;
    const unsigned char *keys;
    uint64_t count, first, range;
    unsigned width;
} sorted;

static uint64_t number(gpu_type type, const unsigned char *key)
{
    uint64_t n;
    fp_convert(type, key, GPU_ULONG, &n);
    return n;
}

static uint64_t distance(const sorted *s, uint64_t k)
{
    return number(s->type, s->keys + k * s->type->size) - s->first;
}

static sorted captured_keys(const fp_operator *op)
{
    const fp_captured *keys = fp_captured_named(op, "keys"), *bits = fp_captured_named(op, "bits");
    sorted s = {.type = keys->type, .count = fp_node_most(keys->array)};
    if (!s.count) return s;
    s.keys = fp_node_memory(keys->array);
    s.first = number(s.type, s.keys);
    s.range = distance(&s, s.count - 1);
    while (bits && s.range >> s.width >> number(GPU_UINT, bits->bytes)) s.width++;
    return s;
}

/* The first key from `low` on, and before `high`, that is at this distance or farther; else `high`. */
static uint64_t first_from(const sorted *s, uint64_t from, uint64_t low, uint64_t high)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (distance(s, middle) < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void native_index(const fp_applied *applied, const fp_stretch *s)
{
    const sorted keys = captured_keys(applied->op);
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t piece = number(GPU_ULONG, s->in[0] + e * s->stride[0]);
        uint64_t start = keys.count;
        if (piece <= keys.range >> keys.width) start = first_from(&keys, piece << keys.width, 0, keys.count);
        fp_convert(GPU_ULONG, &start, applied->result, s->out + e * s->out_stride);
    }
}

static uint64_t place_of(const sorted *s, const uint32_t *starts, uint64_t from)
{
    if (!s->count || from > s->range) return FP_NOWHERE;
    const uint64_t piece = from >> s->width, place = first_from(s, from, starts[piece], starts[piece + 1]);
    return distance(s, place) == from ? place : FP_NOWHERE;
}

static void native_place(const fp_applied *applied, const fp_stretch *s)
{
    const sorted keys = captured_keys(applied->op);
    const uint32_t *starts = fp_node_memory(fp_captured_named(applied->op, "starts")->array);
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t from = number(keys.type, s->in[0] + e * s->stride[0]) - keys.first;
        const uint64_t place = place_of(&keys, starts, from);
        memcpy(s->out + e * s->out_stride, &place, sizeof place);
    }
}

/* Writes entry k, two words of `word` bytes. */
static void put_entry(unsigned char *entry, size_t word, const sorted *keys, const fp_captured *values, uint64_t k)
{
    const size_t size = values->type->size;
    const uint64_t from = distance(keys, k);
    memcpy(entry, &from, word);
    memcpy(entry + word, (const unsigned char *)fp_node_memory(values->array) + k * size, size);
}

static void native_entries(const fp_applied *applied, const fp_stretch *s)
{
    const sorted keys = captured_keys(applied->op);
    const fp_captured *values = fp_captured_named(applied->op, "values");
    const size_t half = applied->result->size / 2;
    for (size_t e = 0; e < s->count; e++) {
        unsigned char *entries = s->out + e * s->out_stride;
        memset(entries, 0, 2 * half);
        const uint64_t first = 2 * number(GPU_ULONG, s->in[0] + e * s->stride[0]), last = keys.count - 1;
        for (uint64_t k = first; k < first + 2 && keys.count; k++)
            put_entry(entries + (k - first) * half, half / 2, &keys, values, k < last ? k : last);
    }
}

static void native_value(const fp_applied *applied, const fp_stretch *s)
{
    const sorted keys = captured_keys(applied->op);
    const uint32_t *starts = fp_node_memory(fp_captured_named(applied->op, "starts")->array);
    const fp_captured *entries = fp_captured_named(applied->op, "entries");
    const fp_captured *otherwise = fp_captured_named(applied->op, "otherwise");
    const unsigned char *words = fp_node_memory(entries->array);
    const size_t word = entries->type->size / 4;
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t from = number(keys.type, s->in[0] + e * s->stride[0]) - keys.first;
        const uint64_t place = place_of(&keys, starts, from);
        const void *value = place == FP_NOWHERE ? otherwise->bytes : words + (2 * place + 1) * word;
        memcpy(s->out + e * s->out_stride, value, applied->result->size);
    }
}

/* ---- nodes ---- */

/* The logarithm of the pieces, for this many keys. An index, of one element more than pieces, has the same. */
static unsigned bits_of(size_t n)
{
    unsigned bits = 0;
    while (n >> bits > 1) bits++;
    return bits;
}

/* The captures of a text. */
enum { CAPTURES = 5 };
typedef struct captures {
    unsigned count;
    gpu_array handles[CAPTURES];
    const gpu_array *arrays[CAPTURES];
    gpu_capture all[CAPTURES];
    const gpu_capture *list[CAPTURES + 1];
} captures;

static void add(captures *c, const char *name, gpu_type type, const void *value, size_t size)
{
    c->all[c->count] = (gpu_capture){name, value, type, size};
    c->list[c->count] = &c->all[c->count];
    c->count++;
}

static void add_array(captures *c, const char *name, fp_node *node)
{
    c->handles[c->count] = (gpu_array){.g = node->g, .node = node};
    c->arrays[c->count] = &c->handles[c->count];
    add(c, name, GPU_CAPTURE_ARRAY, &c->arrays[c->count], sizeof *c->arrays);
}

static fp_node *map_with(fp_node *x, gpu_type type, const char *text, fp_native *native, const captures *c)
{
    const fp_builtin builtin = {.text = text, .native = native, .captures = c->list};
    fp_operator *op;
    return fp_operator_builtin(x->g, &builtin, &op) ? NULL : fp_node_map(type, op, &x, 1);
}

/* The same of all places below `length`. */
static fp_node *map_places(fp_node *keys, size_t length, gpu_type type, const char *text, fp_native *native,
                           const captures *c)
{
    fp_node *places = fp_node_range(keys->g, GPU_ULONG, length);
    fp_node *map = places ? map_with(places, type, text, native, c) : NULL;
    fp_node_drop(places);
    return map;
}

/* Keys of one or two bytes are few. */
static bool is_indexable(const gpu_dict *d)
{
    fp_node *keys = d->keys.node;
    const gpu_type type = keys->type;
    if (keys->kind == FP_NODE_SYMBOL || !d->natural || type->size < sizeof(uint32_t)) return false;
    if (type->kind != GPU_KIND_SIGNED && type->kind != GPU_KIND_UNSIGNED) return false;
    return fp_node_most(keys) >= FEWEST_KEYS && fp_node_most(keys) <= UINT32_MAX;
}

/* Computes a new node; NULL: it failed, and nothing needs it. */
static fp_node *computed(fp_node *node)
{
    if (!node || !fp_node_eval(node, FP_REASON_CAPTURED)) return node;
    fp_node_drop(node);
    return NULL;
}

static fp_node *index_of(fp_node *keys)
{
    captures c = {0};
    uint32_t bits = bits_of(fp_node_most(keys));
    if (!keys->g->policy.cpu && bits > MOST_BITS_ON_GPUS) bits = MOST_BITS_ON_GPUS;
    add(&c, "bits", GPU_UINT, &bits, sizeof bits);
    add_array(&c, "keys", keys);
    return map_places(keys, ((size_t)1 << bits) + 1, GPU_UINT, index_text, native_index, &c);
}

fp_node *fp_dict_index(const gpu_dict *d, fp_node *wanted)
{
    gpu_dict *known = (gpu_dict *)d; /* the index is a cache: d has the same keys and values */
    if (known->index || !is_indexable(d)) return known->index;
    const bool many =
        wanted->kind == FP_NODE_SYMBOL || fp_node_most(wanted) >= fp_node_most(d->keys.node) / KEYS_OF_WANTED;
    if (many) known->index = computed(index_of(d->keys.node));
    return known->index;
}

static fp_node *entries_of(fp_node *keys, fp_node *values, const layout *of)
{
    captures c = {0};
    add_array(&c, "keys", keys);
    add_array(&c, "values", values);
    return map_places(keys, (fp_node_most(keys) + 1) / 2, of->entries, of->entries_text, native_entries, &c);
}

fp_node *fp_dict_entries(const gpu_dict *d)
{
    gpu_dict *known = (gpu_dict *)d; /* likewise */
    fp_node *keys = d->keys.node;
    const layout *of = layout_of(keys->type, d->values->type);
    if (!known->index || !of || keys->g->policy.cpu || d->values->kind == FP_NODE_SYMBOL) return NULL;
    if (!known->entries) known->entries = computed(entries_of(keys, d->values, of));
    return known->entries;
}

fp_node *fp_dict_find_by_index(fp_node *index, fp_node *keys, fp_node *wanted)
{
    const uint32_t bits = bits_of(index->length);
    captures c = {0};
    if (fp_node_end_selection(wanted)) return NULL;
    add(&c, "bits", GPU_UINT, &bits, sizeof bits);
    add_array(&c, "keys", keys);
    add_array(&c, "starts", index);
    return map_with(wanted, GPU_ULONG, place_text, native_place, &c);
}

fp_node *fp_dict_values_by_index(fp_node *places, fp_node *entries, gpu_type type, const void *otherwise)
{
    fp_node *keys = fp_captured_named(places->op, "keys")->array,
            *index = fp_captured_named(places->op, "starts")->array;
    const uint32_t bits = bits_of(index->length);
    captures c = {0};
    add(&c, "bits", GPU_UINT, &bits, sizeof bits);
    add(&c, "otherwise", type, otherwise, type->size);
    add_array(&c, "keys", keys);
    add_array(&c, "starts", index);
    add_array(&c, "entries", entries);
    return map_with(places->inputs[0], type, layout_of(keys->type, type)->value_text, native_value, &c);
}
