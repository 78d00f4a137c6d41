/* The struct types that the library keeps: one for each meaning, with copies of their texts, until the process ends. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Two structs are one type if their texts are equal and their members name the same kept types. So kept types are
 * compared by their addresses. */
typedef struct kept {
    gpu_type_info info; /* first; its `unit` is its own address, which marks a kept type */
    struct kept *next;
    uint64_t hash;
    bool made; /* its text calls inner structs fp_0, fp_1, ... after their place in `inner`; else by their names */
    gpu_type *inner;
    size_t count;
    char texts[];
} kept;

enum { CHAINS = 256 };
static kept *chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The types that this thread is keeping, each for a member of the one before. */
typedef struct keeping {
    gpu_type type;
    const struct keeping *outer;
} keeping;
static _Thread_local const keeping *innermost;

bool fp_type_is_kept(gpu_type type)
{
    return type->unit == type;
}

gpu_type fp_type_inner(gpu_type type, const char *name, size_t length)
{
    const kept *k = (const kept *)type;
    if (k->made) {
        size_t number = length > 3 && !memcmp(name, "fp_", 3) ? strtoul(name + 3, NULL, 10) : k->count;
        return number < k->count ? k->inner[number] : NULL;
    }
    for (size_t i = 0; i < k->count; i++)
        if (fp_is_named(name, length, k->inner[i]->name)) return k->inner[i];
    return NULL;
}

static void kept_free(kept *k)
{
    if (k) fp_free(k->inner);
    fp_free(k);
}

static gpu_status kept_new(gpu_type from, kept **out)
{
    size_t name = strlen(from->name) + 1, members = strlen(from->members) + 1;
    kept *k = fp_alloc(sizeof *k + name + members);
    if (!k) return fp_fail_memory();
    k->info = *from;
    k->info.name = memcpy(k->texts, from->name, name);
    k->info.members = memcpy(k->texts + name, from->members, members);
    *out = k;
    return GPU_OK;
}

static gpu_status make_inner(kept *k, size_t count)
{
    k->count = count;
    k->inner = count ? fp_alloc_array(count, sizeof *k->inner) : NULL;
    return count && !k->inner ? fp_fail_memory() : GPU_OK;
}

static bool is_same(const kept *a, const kept *b)
{
    return a->hash == b->hash && a->made == b->made && a->info.size == b->info.size && a->info.align == b->info.align &&
           a->count == b->count && !strcmp(a->info.name, b->info.name) && !strcmp(a->info.members, b->info.members) &&
           (!a->count || !memcmp(a->inner, b->inner, a->count * sizeof *a->inner));
}

/* Returns the kept type that says the same, or keeps `k` itself. Takes `k` over. */
static gpu_type insert(kept *k)
{
    k->hash = fp_hash(k->info.members, strlen(k->info.members), fp_hash(k->info.name, strlen(k->info.name), k->made));
    k->info.unit = &k->info;
    pthread_mutex_lock(&lock);
    kept **chain = &chains[k->hash % CHAINS], *found = *chain;
    while (found && !is_same(found, k)) found = found->next;
    if (!found) k->next = *chain;
    if (!found) *chain = k;
    pthread_mutex_unlock(&lock);
    if (found) kept_free(k);
    return found ? &found->info : &k->info;
}

/* Copies the texts before it reads them, and keeps the structs that they name on the way. */
static gpu_status keep(gpu_type type, gpu_type *out)
{
    kept *k = NULL;
    fp_layout *layout = NULL;
    gpu_status status = kept_new(type, &k);
    if (!status) status = fp_layout_parse(&k->info, &layout);
    if (!status) status = make_inner(k, layout->use_count);
    for (size_t i = 0; !status && i < k->count; i++) k->inner[i] = layout->uses[i]->type;
    fp_layout_free(layout);
    if (status) kept_free(k);
    if (!status) *out = insert(k);
    return status;
}

gpu_status fp_type_keep(gpu_type type, gpu_type *out)
{
    fp_layout *none;
    if (type->kind != GPU_KIND_STRUCT || fp_type_is_kept(type)) {
        *out = type;
        return GPU_OK;
    }
    if (!type->members) return fp_layout_parse(type, &none);
    for (const keeping *outer = innermost; outer; outer = outer->outer)
        if (outer->type == type)
            return fp_fail(GPU_E_LAYOUT,
                           "struct '%s' contains itself: two C files use one name for two structs, rename one",
                           type->name);
    const keeping this = {type, innermost};
    innermost = &this;
    gpu_status status = keep(type, out);
    innermost = this.outer;
    return status;
}

gpu_status fp_type_make(const gpu_type_info *info, const gpu_type *inner, size_t count, gpu_type *out)
{
    kept *k = NULL;
    gpu_status status = kept_new(info, &k);
    if (!status) status = make_inner(k, count);
    if (status) {
        kept_free(k);
        return status;
    }
    if (count) memcpy(k->inner, inner, count * sizeof *inner);
    k->made = true;
    *out = insert(k);
    return GPU_OK;
}

bool gpu_type_equal(gpu_type a, gpu_type b)
{
    if (a == b) return true;
    if (!a || !b || !a->members || !b->members) return false;
    if (a->size != b->size || strcmp(a->name, b->name) != 0 || strcmp(a->members, b->members) != 0) return false;
    gpu_type kept_a, kept_b;
    if (fp_type_keep(a, &kept_a) || fp_type_keep(b, &kept_b)) return a->unit == b->unit;
    return kept_a == kept_b;
}
