/* An index in front of integer keys, so that a lookup reads few of them. */
#include "collections/dict.h"
#include "host/apply.h"

#include <string.h>

/* Note [index]: a binary search reads log2(n) of n keys, one after the other. The first bits of an integer key save
 * most of these steps. The numbers from the first key to the last are cut into at most 2^bits pieces of the same width,
 * a power of two. Element p of the index is the number of keys before piece p. A lookup goes through the first keys of
 * a piece, and finds the others by a binary search. If keys are spread evenly, a piece has one to four of them. If most
 * are close together, they share a piece, and the search takes about as long as without an index.
 *
 * The index is a delayed map over places. The first lookup of many keys computes it by one launch, and the dictionary
 * keeps it. */
enum { FEWEST_KEYS = 1 << 16, KEYS_OF_WANTED = 16 };

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
    const fp_captured *keys = fp_captured_named(op, "keys");
    sorted s = {.type = keys->type, .count = fp_node_most(keys->array)};
    if (!s.count) return s;
    uint32_t bits;
    memcpy(&bits, fp_captured_named(op, "bits")->bytes, sizeof bits);
    s.keys = fp_node_memory(keys->array);
    s.first = number(s.type, s.keys);
    s.range = distance(&s, s.count - 1);
    while (s.range >> s.width >> bits) s.width++;
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

/* ---- nodes ---- */

/* The logarithm of the pieces, for this many keys. An index, of one element more than pieces, has the same. */
static unsigned bits_of(size_t n)
{
    unsigned bits = 0;
    while (n >> bits > 1) bits++;
    return bits;
}

/* A map of `x` by a text that reads the keys and, unless it makes them, the starts of the pieces. */
static fp_node *map_with(fp_node *x, gpu_type type, const char *text, fp_native *native, fp_node *keys, fp_node *starts,
                         unsigned bits)
{
    gpu_array handles[] = {{.g = x->g, .node = keys}, {.g = x->g, .node = starts}};
    const gpu_array *arrays[] = {&handles[0], &handles[1]};
    const gpu_capture of_bits = {"bits", &bits, GPU_UINT, sizeof bits};
    const gpu_capture of_keys = {"keys", &arrays[0], GPU_CAPTURE_ARRAY, sizeof arrays[0]};
    const gpu_capture of_starts = {"starts", &arrays[1], GPU_CAPTURE_ARRAY, sizeof arrays[1]};
    const fp_builtin builtin = {.text = text,
                                .native = native,
                                .captures =
                                    (const gpu_capture *const[]){&of_bits, &of_keys, starts ? &of_starts : NULL, NULL}};
    fp_operator *op;
    return fp_operator_builtin(x->g, &builtin, &op) ? NULL : fp_node_map(type, op, &x, 1);
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

fp_node *fp_dict_index(const gpu_dict *d)
{
    fp_node *keys = d->keys.node;
    if (!is_indexable(d)) return NULL;
    const unsigned bits = bits_of(fp_node_most(keys));
    fp_node *pieces = fp_node_range(keys->g, GPU_ULONG, ((size_t)1 << bits) + 1);
    fp_node *index = pieces ? map_with(pieces, GPU_UINT, index_text, native_index, keys, NULL, bits) : NULL;
    fp_node_drop(pieces);
    return index;
}

bool fp_dict_uses_index(const fp_node *index, fp_node *keys, fp_node *wanted)
{
    if (!index) return false;
    return index->kind == FP_NODE_BUFFER || fp_node_most(wanted) >= fp_node_most(keys) / KEYS_OF_WANTED;
}

fp_node *fp_dict_find_by_index(fp_node *index, fp_node *keys, fp_node *wanted)
{
    if (fp_node_end_selection(wanted)) return NULL;
    return map_with(wanted, GPU_ULONG, place_text, native_place, keys, index, bits_of(index->length));
}
