#include "kernel/definition.h"

#include "base/error.h"
#include "base/hash.h"
#include "kernel/type.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Definitions come before main and go after it, so the table is static and needs no start and no end. Functions are
 * looked up by address at every call, names only when source is assembled: hence chains by address. */
enum { CHAINS = 256 };
static gpu_definition *chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong generation;

static size_t chain_of(const void *address)
{
    return fp_hash(&address, sizeof address, 0) % CHAINS;
}

static size_t chain_of_definition(const gpu_definition *d)
{
    return chain_of(d->address ? d->address : d);
}

/* The link that points to `d`, or the one that ends the chain where it belongs. */
static gpu_definition **link_to(const gpu_definition *d)
{
    gpu_definition **link = &chains[chain_of_definition(d)];
    while (*link && *link != d) link = &(*link)->next;
    return link;
}

void gpu_define(gpu_definition *definition)
{
    pthread_mutex_lock(&lock);
    gpu_definition **link = link_to(definition);
    if (!*link) {
        definition->next = NULL;
        *link = definition;
        atomic_fetch_add(&generation, 1);
    }
    pthread_mutex_unlock(&lock);
}

void gpu_undefine(gpu_definition *definition)
{
    pthread_mutex_lock(&lock);
    gpu_definition **link = link_to(definition);
    if (*link) {
        *link = definition->next;
        atomic_fetch_add(&generation, 1);
    }
    pthread_mutex_unlock(&lock);
}

unsigned long fp_definition_generation(void)
{
    return atomic_load(&generation);
}

const gpu_definition *fp_definition_at(const void *address)
{
    if (!address) return NULL;
    pthread_mutex_lock(&lock);
    const gpu_definition *d = chains[chain_of(address)];
    while (d && d->address != address) d = d->next;
    pthread_mutex_unlock(&lock);
    return d;
}

static const gpu_definition *first_from(size_t chain)
{
    while (chain < CHAINS && !chains[chain]) chain++;
    return chain < CHAINS ? chains[chain] : NULL;
}

static const gpu_definition *after(const gpu_definition *d)
{
    return d->next ? d->next : first_from(chain_of_definition(d) + 1);
}

static bool is_named(const gpu_definition *d, const char *name, size_t length)
{
    return strlen(d->name) == length && memcmp(d->name, name, length) == 0;
}

/* The definition in `unit`; else the first one found elsewhere, and in *other one that disagrees with it. */
static const gpu_definition *look_up(const char *name, size_t length, const void *unit, const gpu_definition **other)
{
    const gpu_definition *found = NULL;
    for (const gpu_definition *d = first_from(0); d; d = after(d)) {
        if (!is_named(d, name, length)) continue;
        if (unit && d->place.unit == unit) {
            *other = NULL;
            return d;
        }
        if (!found) found = d;
        if (!fp_definition_equal(found, d)) *other = d;
    }
    return found;
}

static const char *file_of(const gpu_definition *d)
{
    return d->place.file ? d->place.file : "(unknown file)";
}

gpu_status fp_definition_find(const char *name, size_t length, const void *unit, const gpu_definition **out)
{
    const gpu_definition *other = NULL;
    pthread_mutex_lock(&lock);
    const gpu_definition *found = look_up(name, length, unit, &other);
    pthread_mutex_unlock(&lock);
    if (other)
        return fp_fail(GPU_E_SNIPPET,
                       "'%.*s' has two meanings, at %s:%d and at %s:%d, and none in the file that uses it: define it "
                       "there too, or make the two agree, or rename one",
                       (int)length, name, file_of(found), found->place.line, file_of(other), other->place.line);
    *out = found;
    return GPU_OK;
}

bool fp_definition_is_struct(const char *name, size_t length, const void *unit)
{
    const gpu_definition *other = NULL;
    pthread_mutex_lock(&lock);
    const gpu_definition *found = look_up(name, length, unit, &other);
    pthread_mutex_unlock(&lock);
    return found && found->kind == GPU_DEFINES_STRUCT;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool fp_definition_equal(const gpu_definition *a, const gpu_definition *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || !same(a->name, b->name)) return false;
    switch (a->kind) {
    case GPU_DEFINES_CONSTANT:
        return a->type && gpu_type_equal(a->type, b->type) && memcmp(a->value, b->value, a->type->size) == 0;
    case GPU_DEFINES_STRUCT:
        return gpu_type_equal(a->type, b->type);
    case GPU_DEFINES_FUNCTION:
    case GPU_DEFINES_DEVICE_FUNCTION:
        return same(a->result, b->result) && same(a->parameters, b->parameters) && same(a->body, b->body);
    }
    return false;
}
