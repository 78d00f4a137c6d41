/* Lookups of many keys in dictionaries of many integer keys, which go by an index: keys that are spread evenly, and
 * keys that are not; all types of keys; keys that are not there; lengths that only the device knows; compiled
 * functions; memory that runs out. */
#include "support/reference.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = (1 << 16) + 77 }; /* the index is for dictionaries of 2^16 keys and more */

/* Sorted keys, all different, the place of each as its value. */
typedef enum spread { EVENLY, CLOSE_TOGETHER, CONSECUTIVE, SPREADS } spread;
static const char *const names_of_spreads[] = {"evenly", "close together, but for the first and last", "consecutively"};

/* Key k of `n`, as a distance from the smallest number of `bits` bits. */
static uint64_t distance_of(spread s, uint64_t k, uint64_t n, unsigned bits)
{
    const uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (s == EVENLY) return k * (most / n);
    if (s == CONSECUTIVE) return most / 2 - n / 2 + k;
    return k == 0 ? 0 : k == n - 1 ? most : most / 3 + 2 * k;
}

static uint64_t smallest(gpu_type type)
{
    return type->kind == GPU_KIND_SIGNED ? (uint64_t)1 << (8 * type->size - 1) : 0;
}

/* The number's lowest bytes are the key. */
static void put(gpu_type type, unsigned char *keys, size_t k, uint64_t number)
{
    const uint32_t narrow = (uint32_t)number;
    memcpy(keys + k * type->size, type->size == 4 ? (const void *)&narrow : &number, type->size);
}

/* Sorted keys, the keys to look up (each of them twice, and the number after it), and the right places. */
typedef struct table {
    unsigned char *keys, *wanted;
    int *places;
    size_t n, m;
} table;

static table table_new(gpu_type type, spread s, size_t n)
{
    table t = {test_alloc(n, type->size), test_alloc(3 * n, type->size), test_alloc(3 * n, sizeof(int)), n, 3 * n};
    const unsigned bits = 8 * (unsigned)type->size;
    for (size_t k = 0; k < n; k++) {
        const uint64_t at = distance_of(s, k, n, bits), next = k + 1 < n ? distance_of(s, k + 1, n, bits) : at + 2;
        put(type, t.keys, k, at + smallest(type));
        put(type, t.wanted, 3 * k, at + smallest(type));
        put(type, t.wanted, 3 * k + 1, at + 1 + smallest(type));
        put(type, t.wanted, 3 * k + 2, at + smallest(type));
        t.places[3 * k] = t.places[3 * k + 2] = (int)k;
        t.places[3 * k + 1] = next == at + 1 ? (int)k + 1 : -1;
    }
    if (s == CLOSE_TOGETHER) t.places[3 * n - 2] = 0; /* the largest number, and 1, is the smallest */
    return t;
}

static void table_free(table t)
{
    free(t.keys);
    free(t.wanted);
    free(t.places);
}

static gpu_dict *places_of(gpu *g, gpu_array *keys, size_t n)
{
    return gpu_dict_of(keys, gpu_range(g, GPU_INT, n), "a");
}

static void check(gpu *g, gpu_type type, spread s)
{
    char what[120];
    gpu_scope *scope = gpu_scope_begin(g);
    table t = table_new(type, s, test_limit(KEYS));
    gpu_dict *d = places_of(g, gpu_array_from(g, type, t.keys, t.n), t.n);
    snprintf(what, sizeof what, "places of %zu keys of type %s, spread %s", t.n, type->name, names_of_spreads[s]);
    test_holds(what, gpu_dict_get(d, gpu_array_from(g, type, t.wanted, t.m), &(int){-1}), GPU_INT, t.m, t.places);
    table_free(t);
    gpu_scope_end(scope);
}

Test(dict_index, finds_keys_of_all_integer_types_however_they_are_spread)
{
    const gpu_type types[] = {GPU_INT, GPU_UINT, GPU_LONG, GPU_ULONG};
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(types); k++)
        for (spread s = 0; s < SPREADS; s++) check(g, types[k], s);
    test_close(g);
}

static const int absent = -1;

static bool plans_are_whole(void)
{
    return !test_eager() && test_limit(KEYS) == KEYS;
}

/* ---- values beside their keys ---- */

GPU_STRUCT(short_pair, short a; short b;);

static void use_gpu_shapes(void)
{
    if (!test_runs_gpu_shapes()) cr_skip_test("this driver does not run the shapes of GPUs");
    const char *policy = getenv("FIREPILE_POLICY");
    if (!policy || !strstr(policy, "gpu")) setenv("FIREPILE_POLICY", "gpu", 1);
}

/* Does computing the array read keys and values side by side? */
static bool has_entries(const gpu_array *a)
{
    return strstr(gpu_explain(a), "entries") != NULL;
}

/* Values of a type, made of places by two texts that are each other's inverse. */
static void check_values(gpu *g, gpu_type key, gpu_type value, const char *of_place, const char *to_place)
{
    char what[120];
    gpu_scope *scope = gpu_scope_begin(g);
    table t = table_new(key, CLOSE_TOGETHER, test_limit(KEYS));
    gpu_dict *places = places_of(g, gpu_array_from(g, key, t.keys, t.n), t.n);
    gpu_dict *d = gpu_dict_map_to(places, value, of_place);
    gpu_array *none = gpu_map_to(gpu_fill(g, GPU_INT, &absent, 1), value, of_place);
    unsigned char otherwise[16];
    test_ok(gpu_read_op(none, &(gpu_output){otherwise, value, value->size}, GPU_HERE));
    gpu_array *wanted = gpu_array_from(g, key, t.wanted, t.m);
    gpu_array *found = gpu_dict_get_op(d, wanted, &(gpu_value){otherwise, value, value->size}, GPU_HERE);
    snprintf(what, sizeof what, "values of type %s of keys of type %s", value->name, key->name);
    test_holds(what, gpu_map_to(found, GPU_INT, to_place), GPU_INT, t.m, t.places);
    table_free(t);
    gpu_scope_end(scope);
}

Test(dict_index, finds_values_of_all_sizes_in_the_shapes_of_gpus)
{
    const gpu_type keys[] = {GPU_INT, GPU_ULONG};
    use_gpu_shapes();
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        check_values(g, keys[k], GPU_FLOAT, "(float)x", "(int)x");
        check_values(g, keys[k], GPU_LONG, "(long)x << 40", "(int)(x >> 40)");
        check_values(g, keys[k], GPU_TYPE(short_pair), "{ short_pair p; p.a = x; p.b = x >> 16; return p; }",
                     "(int)(ushort)x.a | (int)x.b << 16");
        check_values(g, keys[k], GPU_INT4, "(int4)(x, 0, 0, x)", "x.w");
    }
    test_close(g);
}

Test(dict_index, finds_values_however_keys_are_spread_in_the_shapes_of_gpus)
{
    use_gpu_shapes();
    gpu *g = test_open();
    for (spread s = 0; s < SPREADS; s++) check(g, GPU_UINT, s);
    test_close(g);
}

Test(dict_index, has_entries_for_values_of_four_and_eight_bytes_on_gpus)
{
    test_needs_opencl();
    use_gpu_shapes();
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_array *keys = gpu_array_from(g, GPU_INT, t.keys, t.n);
    gpu_dict *d = places_of(g, keys, t.n), *wide = gpu_dict_map_to(d, GPU_INT4, "(int4)(x)");
    const gpu_int4 zero = {0};
    gpu_array *with = gpu_dict_get(d, keys, &absent), *without = gpu_dict_get(wide, keys, &zero);
    cr_assert(!plans_are_whole() || has_entries(with), "%s", gpu_explain(with));
    cr_assert(!plans_are_whole() || !has_entries(without), "%s", gpu_explain(without));
    table_free(t);
    test_close(g);
}

/* ---- when it is used ---- */

/* Does computing the array read an index? */
static bool has_index(const gpu_array *a)
{
    return strstr(gpu_explain(a), "captures starts") != NULL;
}

Test(dict_index, is_made_when_many_keys_are_looked_up_and_kept_for_few)
{
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_dict *d = places_of(g, gpu_array_from(g, GPU_INT, t.keys, t.n), t.n);
    gpu_array *many = gpu_array_from(g, GPU_INT, t.wanted, t.m), *few = gpu_slice(many, 0, 3);
    gpu_array *before = gpu_dict_get(d, few, &absent);
    cr_assert(!plans_are_whole() || !has_index(before), "%s", gpu_explain(before));
    test_holds("a few keys", before, GPU_INT, 3, t.places);
    gpu_array *all = gpu_dict_get(d, many, &absent);
    cr_assert(!plans_are_whole() || has_index(all), "%s", gpu_explain(all));
    test_holds("all keys", all, GPU_INT, t.m, t.places);
    gpu_array *after = gpu_dict_get(d, few, &absent);
    cr_assert(!plans_are_whole() || has_index(after), "%s", gpu_explain(after));
    test_holds("a few keys by the index of the dictionary", after, GPU_INT, 3, t.places);
    table_free(t);
    test_close(g);
}

Test(dict_index, is_computed_once_for_all_lookups_in_a_dictionary)
{
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_dict *d = gpu_dict_eval(places_of(g, gpu_array_from(g, GPU_INT, t.keys, t.n), t.n));
    gpu_array *many = gpu_array_from(g, GPU_INT, t.wanted, t.m);
    gpu_eval(gpu_dict_get(d, many, &absent));
    const unsigned long before = test_stats(g).kernels_launched;
    gpu_eval(gpu_dict_get(d, many, &absent));
    const unsigned long launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || launches <= 1, "%lu launches", launches);
    table_free(t);
    test_close(g);
}

Test(dict_index, is_not_made_for_keys_of_two_bytes)
{
    gpu *g = test_open();
    const size_t n = test_limit(KEYS);
    gpu_array *keys = gpu_map_to(gpu_range(g, GPU_UINT, n), GPU_USHORT, "x");
    gpu_dict *d = gpu_dict_of(keys, gpu_fill(g, GPU_INT, &(int){1}, n), "a + b");
    gpu_array *counts = gpu_dict_get(d, keys, &absent);
    int *want = test_alloc(n, sizeof *want);
    for (size_t i = 0; i < n; i++) want[i] = i % 65536 + 65536 < n || i >= 65536 ? 2 : 1;
    cr_assert(!has_index(counts), "%s", gpu_explain(counts));
    test_holds("counts of keys of two bytes", counts, GPU_INT, n, want);
    free(want);
    test_close(g);
}

/* Each key is there twice: the dictionary has half as many keys as it was made of, which the device alone knows. */
Test(dict_index, works_with_a_number_of_keys_that_the_device_alone_knows)
{
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_array *keys = gpu_array_from(g, GPU_INT, t.keys, t.n), *twice = gpu_concat(keys, keys);
    gpu_dict *d = places_of(g, twice, 2 * t.n);
    gpu_array *wanted = gpu_array_from(g, GPU_INT, t.wanted, t.m);
    test_holds("keys that were given twice", gpu_dict_get(d, wanted, &absent), GPU_INT, t.m, t.places);
    table_free(t);
    test_close(g);
}

Test(dict_index, of_a_dictionary_without_keys_finds_none)
{
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_array *keys = gpu_array_from(g, GPU_INT, t.keys, t.n);
    gpu_dict *d = gpu_dict_filter(places_of(g, keys, t.n), "x < 0");
    unsigned char *none = test_alloc(t.n, 1);
    memset(none, 0, t.n);
    test_holds("keys of an empty dictionary", gpu_dict_has(d, keys), GPU_UCHAR, t.n, none);
    free(none);
    table_free(t);
    test_close(g);
}

Test(dict_index, serves_joins_and_intersections)
{
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_array *keys = gpu_array_from(g, GPU_INT, t.keys, t.n), *places = gpu_range(g, GPU_INT, t.n), *k, *left, *right;
    int *twice = test_alloc(t.n, sizeof *twice);
    for (size_t i = 0; i < t.n; i++) twice[i] = 2 * (int)i;
    gpu_dict *d = places_of(g, keys, t.n);
    test_holds("an intersection", gpu_dict_values(gpu_dict_intersect(d, d, "a + b")), GPU_INT, t.n, twice);
    test_ok(gpu_dict_join(d, keys, places, &k, &left, &right));
    test_holds("a join", gpu_map2(left, right, "x + y"), GPU_INT, t.n, twice);
    free(twice);
    table_free(t);
    test_close(g);
}

Test(dict_index, serves_compiled_functions)
{
    gpu *g = test_open();
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_dict *d = places_of(g, gpu_array_from(g, GPU_INT, t.keys, t.n), t.n);
    gpu_array *wanted = gpu_array_from(g, GPU_INT, t.wanted, t.m), *symbol = gpu_symbol(g, GPU_INT), *out;
    gpu_status (*look_up)(gpu_array * *out, const gpu_array *wanted) = NULL;
    test_ok(gpu_compile(&look_up, gpu_dict_get(d, symbol, &absent), symbol));
    for (size_t m = t.m; m > 2; m /= 50) {
        test_ok(look_up(&out, gpu_slice(wanted, 0, m)));
        test_holds("a compiled lookup", out, GPU_INT, m, t.places);
    }
    table_free(t);
    test_close(g);
}

/* ---- when memory runs out ---- */

/* The first lookup in a dictionary, with allocation k made to fail; NULL: so did the lookup. Is the fault left over? */
static gpu_array *look_up_with_fault(const gpu_dict *places, const gpu_array *wanted, unsigned long k, bool *left)
{
    gpu_dict *d = gpu_dict_eval(gpu_dict_map(places, "x"));
    fp_memory_fail_at(k);
    gpu_array *found = gpu_dict_get(d, wanted, &absent);
    *left = fp_memory_fail_at(0) > 0;
    const gpu_status status = gpu_array_status(found);
    cr_assert(!status || status == GPU_E_MEMORY, "allocation %lu: %s", k, gpu_array_error(found));
    return status ? NULL : found;
}

/* The allocations that make an index or entries a delayed array. More are needed to compute it. */
enum { DELAYED = 3 };

/* Makes each allocation of a lookup fail in turn. Returns how many lookups did without what `has` asks for, and found
 * the same. */
static unsigned count_lookups_without(gpu *g, bool (*has)(const gpu_array *a))
{
    table t = table_new(GPU_INT, EVENLY, test_limit(KEYS));
    gpu_dict *d = gpu_dict_eval(places_of(g, gpu_array_from(g, GPU_INT, t.keys, t.n), t.n));
    gpu_array *wanted = gpu_array_from(g, GPU_INT, t.wanted, t.m);
    unsigned without = 0;
    bool left = false;
    gpu_eval(look_up_with_fault(d, wanted, 0, &left)); /* builds the kernels */
    for (unsigned long k = 1; !left; k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *found = look_up_with_fault(d, wanted, k, &left);
        const bool lacks = found && !has(found);
        if (lacks) test_holds("a lookup when memory runs out", found, GPU_INT, t.m, t.places);
        without += lacks;
        gpu_scope_end(scope);
    }
    table_free(t);
    return without;
}

Test(dict_index, is_done_without_when_there_is_no_memory_for_it)
{
    gpu *g = test_open();
    const unsigned without = count_lookups_without(g, has_index);
    cr_assert(!plans_are_whole() || without > DELAYED, "%u lookups had no index", without);
    test_close(g);
}

static bool has_entries_or_no_index(const gpu_array *a)
{
    return has_entries(a) || !has_index(a);
}

Test(dict_index, is_used_without_entries_when_there_is_no_memory_for_them)
{
    test_needs_opencl();
    use_gpu_shapes();
    gpu *g = test_open();
    const unsigned without = count_lookups_without(g, has_entries_or_no_index);
    cr_assert(!plans_are_whole() || without > DELAYED, "%u lookups had no entries", without);
    test_close(g);
}
