#include "kernel/definition.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/type.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* A definition as the library keeps it. Its texts, its value and its type are copies, since the object that holds the
 * originals may be unloaded. Records are never freed: kernels and arrays may refer to them. A definition that comes
 * again gets its old record. */
typedef struct record {
    gpu_definition d; /* first; `next` links records */
    const gpu_definition *given;
    gpu_type_info info; /* d.type of a struct points here */
    gpu_type kept;      /* the kept type of a struct; NULL: nobody has asked for it */
    unsigned long kept_generation;
    char texts[];
} record;

/* Definitions come before main and go after it, so the table is static. The chains are by address: functions are looked
 * up by address at every call, names only when source is assembled. */
enum { CHAINS = 256 };
static gpu_definition *chains[CHAINS];
static gpu_definition *gone;
static atomic_bool lost; /* memory ran out for a definition */
static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_ulong generation;

const gpu_definition fp_disputed = {.name = "(disputed)"};

static void make_mutex(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* The lock is recursive: comparing structs looks up the definitions of their members. */
static void lock(void)
{
    pthread_once(&once, make_mutex);
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static record *record_of(const gpu_definition *d)
{
    return (record *)(uintptr_t)d;
}

static size_t chain_of(const void *address)
{
    return fp_hash(&address, sizeof address, 0) % CHAINS;
}

/* The link that points to the record of `given`, or the one that ends the chain where it belongs. */
static gpu_definition **link_to(const gpu_definition *given)
{
    gpu_definition **link = &chains[chain_of(given->address ? given->address : given)];
    while (*link && record_of(*link)->given != given) link = &(*link)->next;
    return link;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- copies ---- */

static size_t value_bytes(const gpu_definition *d)
{
    return d->kind == GPU_DEFINES_CONSTANT && d->type && d->value ? d->type->size : 0;
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* The offsets of a definition's texts, except those of its type. */
static const size_t texts[] = {offsetof(gpu_definition, name), offsetof(gpu_definition, result),
                               offsetof(gpu_definition, parameters), offsetof(gpu_definition, body),
                               offsetof(gpu_definition, place.file)};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char **text_of(const gpu_definition *d, size_t k)
{
    return (const char **)((uintptr_t)d + texts[k]);
}

static size_t copied_bytes(const gpu_definition *d)
{
    size_t bytes = value_bytes(d);
    for (size_t k = 0; k < TEXTS; k++) bytes += text_bytes(*text_of(d, k));
    if (d->kind == GPU_DEFINES_STRUCT) bytes += text_bytes(d->type->name) + text_bytes(d->type->members);
    return bytes;
}

static const void *copy(char **at, const void *bytes, size_t n)
{
    if (!n) return NULL;
    void *copied = memcpy(*at, bytes, n);
    *at += n;
    return copied;
}

static const char *copy_text(char **at, const char *text)
{
    return copy(at, text, text_bytes(text));
}

static record *record_new(const gpu_definition *given)
{
    record *made = fp_alloc(sizeof *made + copied_bytes(given));
    if (!made) return NULL;
    char *at = made->texts;
    made->given = given;
    made->d = *given;
    made->d.value = copy(&at, given->value, value_bytes(given));
    for (size_t k = 0; k < TEXTS; k++) *text_of(&made->d, k) = copy_text(&at, *text_of(given, k));
    if (given->kind != GPU_DEFINES_STRUCT) return made;
    made->info = *given->type;
    made->info.name = copy_text(&at, given->type->name);
    made->info.members = copy_text(&at, given->type->members);
    made->d.type = &made->info;
    return made;
}

static bool same_type(gpu_type a, gpu_type b)
{
    if (a == b) return true;
    return a && b && a->size == b->size && a->align == b->align && a->unit == b->unit && same(a->name, b->name) &&
           same(a->members, b->members);
}

static bool is_copy_of(const gpu_definition *d, const gpu_definition *given)
{
    for (size_t k = 0; k < TEXTS; k++)
        if (!same(*text_of(d, k), *text_of(given, k))) return false;
    return record_of(d)->given == given && d->kind == given->kind && d->address == given->address &&
           d->place.unit == given->place.unit && d->place.line == given->place.line && d->loose == given->loose &&
           d->math == given->math && value_bytes(d) == value_bytes(given) && same_type(d->type, given->type) &&
           (!value_bytes(d) || !memcmp(d->value, given->value, value_bytes(d)));
}

/* ---- coming and going ---- */

/* The old record of a definition that comes again. */
static gpu_definition *take_gone(const gpu_definition *given)
{
    for (gpu_definition **link = &gone, *d; (d = *link); link = &d->next) {
        if (!is_copy_of(d, given)) continue;
        *link = d->next;
        return d;
    }
    return NULL;
}

void gpu_define(gpu_definition *definition)
{
    lock();
    gpu_definition **link = link_to(definition);
    if (!*link) {
        gpu_definition *d = take_gone(definition);
        record *made = d ? record_of(d) : record_new(definition);
        if (!made) atomic_store(&lost, true);
        if (made) made->d.next = NULL;
        if (made) *link = &made->d;
        atomic_fetch_add(&generation, 1);
    }
    unlock();
}

void gpu_undefine(gpu_definition *definition)
{
    lock();
    gpu_definition **link = link_to(definition), *d = *link;
    if (d) {
        *link = d->next;
        d->next = gone;
        gone = d;
        atomic_fetch_add(&generation, 1);
    }
    unlock();
}

static bool is_gone(const gpu_definition *definition)
{
    lock();
    const gpu_definition *d = gone;
    while (d && d != definition) d = d->next;
    unlock();
    return d;
}

gpu_status fp_definition_check_loaded(const gpu_definition *function)
{
    if (!is_gone(function)) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "the function %s (%s:%d) is gone: the shared object that defines it was unloaded; compute what uses "
                   "the function before (gpu_eval), or keep the object loaded",
                   function->name, fp_definition_file(function), function->place.line);
}

bool fp_definitions_lost(void)
{
    return atomic_load(&lost);
}

unsigned long fp_definition_generation(void)
{
    return atomic_load(&generation);
}

const gpu_definition *fp_definition_at(const void *address)
{
    if (!address) return NULL;
    lock();
    const gpu_definition *d = chains[chain_of(address)];
    while (d && d->address != address) d = d->next;
    unlock();
    return d;
}

/* The definition in `unit`, else the first one found elsewhere. *other is one that disagrees with it, or NULL. */
static const gpu_definition *look_up(const char *name, size_t length, const void *unit, const gpu_definition **other)
{
    const gpu_definition *found = NULL, *own = NULL;
    *other = NULL;
    lock();
    for (size_t chain = 0; chain < CHAINS && !own; chain++) {
        for (const gpu_definition *d = chains[chain]; d && !own; d = d->next) {
            if (d->kind == GPU_DEFINES_COMPILED || d->kind == GPU_DEFINES_KERNEL || !fp_is_named(name, length, d->name))
                continue;
            if (d->place.unit == unit) own = d;
            if (!found) found = d;
            if (!own && !fp_definition_equal(found, d)) *other = d;
        }
    }
    unlock();
    if (own) *other = NULL;
    return own ? own : found;
}

const char *fp_definition_file(const gpu_definition *d)
{
    return d->place.file ? d->place.file : "(unknown file)";
}

gpu_status fp_definition_find(const char *name, size_t length, const void *unit, const gpu_definition **out)
{
    const gpu_definition *other, *found = look_up(name, length, unit, &other);
    if (other)
        return fp_fail(GPU_E_SNIPPET,
                       "'%.*s' has two meanings, at %s:%d and at %s:%d, and none in the file that uses it: define it "
                       "there too, or make the two agree, or rename one",
                       (int)length, name, fp_definition_file(found), found->place.line, fp_definition_file(other),
                       other->place.line);
    *out = found;
    return GPU_OK;
}

bool fp_definition_is_struct(const char *name, size_t length, const void *unit)
{
    const gpu_definition *other, *found = look_up(name, length, unit, &other);
    return found && found->kind == GPU_DEFINES_STRUCT;
}

const gpu_definition *fp_definition_meaning(const char *name, size_t length, const void *unit)
{
    const gpu_definition *other, *found = look_up(name, length, unit, &other);
    return other ? &fp_disputed : found;
}

const gpu_definition *fp_definition_kernel(const char *name, size_t length, const void *unit)
{
    const gpu_definition *found = NULL;
    lock();
    for (size_t chain = 0; chain < CHAINS && !found; chain++)
        for (const gpu_definition *d = chains[chain]; d && !found; d = d->next)
            if (d->kind == GPU_DEFINES_KERNEL && d->place.unit == unit && fp_is_named(name, length, d->name)) found = d;
    unlock();
    return found;
}

gpu_status fp_definition_type(const gpu_definition *definition, gpu_type *type)
{
    record *r = record_of(definition);
    gpu_status status = GPU_OK;
    lock();
    if (!r->kept || (r->kept_generation != fp_definition_generation() && !is_gone(definition)))
        status = fp_type_keep(&r->info, &r->kept);
    if (!status) r->kept_generation = fp_definition_generation();
    *type = r->kept;
    unlock();
    return status;
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
    case GPU_DEFINES_COMPILED:
    case GPU_DEFINES_KERNEL:
        return same(a->result, b->result) && same(a->parameters, b->parameters) && same(a->body, b->body);
    }
    return false;
}
