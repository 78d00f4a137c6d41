#include "array/array.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"

#include <stdatomic.h>
#include <string.h>

/* ---- handles ---- */

/* Stand for arrays that cannot exist: there is no gpu to own them, or no memory for a handle. */
static fp_fault no_gpu_fault = {1, GPU_E_ARGUMENT,
                                "the array was made on a NULL gpu or from a NULL array: gpu_open failed?", "", ""};
static fp_fault no_memory_fault = {1, GPU_E_MEMORY, "the host is out of memory", "", ""};
static gpu_array no_gpu = {.fault = &no_gpu_fault};
static gpu_array no_memory = {.fault = &no_memory_fault};

static atomic_uint_fast64_t live;

uint64_t fp_live_arrays(void)
{
    return atomic_load(&live);
}

static void link_array(gpu_array *a, gpu_scope *scope)
{
    a->scope = scope;
    a->previous = NULL;
    a->next = scope->arrays;
    if (a->next) a->next->previous = a;
    scope->arrays = a;
}

static void unlink_array(gpu_array *a)
{
    if (a->previous) a->previous->next = a->next;
    if (!a->previous) a->scope->arrays = a->next;
    if (a->next) a->next->previous = a->previous;
}

static void move(gpu_array *a, gpu_scope *scope)
{
    unlink_array(a);
    link_array(a, scope);
}

static void array_free(gpu_array *a)
{
    unlink_array(a);
    fp_node_drop(a->node);
    fp_fault_drop(fp_fault_of(&a->fault));
    a->g->live_arrays--;
    atomic_fetch_sub(&live, 1);
    fp_free(a);
}

static unsigned long this_thread(void)
{
    static atomic_ulong threads;
    static _Thread_local unsigned long number;
    if (!number) number = atomic_fetch_add(&threads, 1) + 1;
    return number;
}

static gpu_scope *current_scope(gpu *g)
{
    for (gpu_scope *scope = g->scopes; scope; scope = scope->older)
        if (scope->thread == this_thread()) return scope;
    return &g->root;
}

gpu_array *fp_array_new(gpu *g, fp_node *node)
{
    if (!g) return fp_last_status() == GPU_E_MEMORY ? &no_memory : &no_gpu;
    if (node && g->eager && node->kind != FP_NODE_LATER && fp_node_eval(node, FP_REASON_ASKED)) {
        fp_node_drop(node);
        node = NULL;
    }
    gpu_array *a = fp_alloc(sizeof *a);
    if (!a) {
        fp_node_drop(node);
        fp_fail_memory();
        return &no_memory;
    }
    a->g = g;
    a->node = node;
    if (!node) fp_fault_set(&a->fault, fp_fault_new(g));
    link_array(a, current_scope(g));
    g->live_arrays++;
    atomic_fetch_add(&live, 1);
    return a;
}

gpu_array *fp_array_end(fp_entry *entry, fp_node *node)
{
    gpu_array *a = fp_array_new(entry->g, node);
    fp_entry_end(entry, gpu_array_status(a));
    return a;
}

gpu *fp_array_gpu(const gpu_array *a)
{
    return a ? a->g : NULL;
}

static const fp_fault *fault_of(const gpu_array *a)
{
    const fp_fault *own = fp_fault_of(&a->fault);
    return own || !a->node ? own : fp_fault_of(&a->node->fault);
}

/* Does it carry no failure? */
static gpu_status check_fault(const gpu_array *a, const char *which)
{
    if (!a) return fp_fail(GPU_E_ARGUMENT, "the array '%s' is NULL", which);
    if (a == &no_gpu) return fp_fail_no_gpu();
    const fp_fault *fault = fault_of(a);
    return fault ? fp_fault_fail(fault) : GPU_OK;
}

gpu_status fp_array_accept(const gpu_array *a, const char *which)
{
    gpu_status status = check_fault(a, which);
    return status ? status : fp_device_check(a->g->device);
}

gpu_status fp_array_check(const gpu_array *a, const char *which)
{
    gpu_status status = fp_array_accept(a, which);
    if (status || a->node->kind != FP_NODE_LATER) return status;
    return fp_fail(GPU_E_ARGUMENT,
                   "the array '%s' is a symbol or made of one, and has elements only in calls of the function that "
                   "gpu_compile makes of it; gpu_reduced is gpu_reduce for such arrays",
                   which);
}

gpu_status gpu_array_status(const gpu_array *a)
{
    if (!a) return GPU_E_ARGUMENT;
    const fp_fault *fault = fault_of(a);
    return fault ? fault->status : GPU_OK;
}

const char *gpu_array_error(const gpu_array *a)
{
    if (!a) return "the array is NULL";
    const fp_fault *fault = fault_of(a);
    return fault ? fault->text : "";
}

void gpu_array_free(gpu_array *a)
{
    if (!a || !a->g) return;
    fp_enter("gpu_array_free", NULL);
    pthread_mutex_t *lock = &a->g->lock;
    pthread_mutex_lock(lock);
    array_free(a);
    pthread_mutex_unlock(lock);
}

static gpu_status eval(gpu_array *a, const char *which)
{
    gpu_status status = fp_array_check(a, which);
    if (status) return status;
    status = fp_node_eval(a->node, FP_REASON_ASKED);
    if (status) fp_fault_set(&a->fault, fp_fault_new(a->g));
    return status;
}

gpu_array *gpu_eval(gpu_array *a)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_eval", NULL);
    fp_entry_end(&entry, eval(a, "a"));
    return a;
}

size_t gpu_length(const gpu_array *a)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_length", NULL);
    size_t length = 0;
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_node_settle(a->node, &length);
    if (!status) status = fp_node_check(a->node);
    fp_entry_end(&entry, status);
    return status ? 0 : length;
}

gpu_type gpu_type_of(const gpu_array *a)
{
    fp_enter("gpu_type_of", NULL);
    return check_fault(a, "a") ? NULL : a->node->type;
}

/* ---- scopes ---- */

gpu_scope *gpu_scope_begin(gpu *g)
{
    fp_enter("gpu_scope_begin", NULL);
    if (!g) return NULL;
    gpu_scope *scope = fp_alloc(sizeof *scope);
    if (!scope) {
        fp_fail_memory();
        return NULL;
    }
    pthread_mutex_lock(&g->lock);
    *scope = (gpu_scope){.g = g, .outer = current_scope(g), .older = g->scopes, .thread = this_thread()};
    g->scopes = scope;
    pthread_mutex_unlock(&g->lock);
    return scope;
}

void fp_scope_clear(gpu_scope *scope)
{
    while (scope->arrays) array_free(scope->arrays);
}

/* Ends a scope and those inside it. The ones opened later come first in the stack. */
static void end_scopes(gpu *g, gpu_scope *last)
{
    unsigned long thread = last->thread;
    for (gpu_scope **at = &g->scopes; *at;) {
        gpu_scope *scope = *at;
        if (scope->thread != thread) {
            at = &scope->older;
            continue;
        }
        *at = scope->older;
        fp_scope_clear(scope);
        bool done = scope == last;
        fp_free(scope);
        if (done) return;
    }
}

void gpu_scope_end(gpu_scope *scope)
{
    if (!scope) return;
    fp_enter("gpu_scope_end", NULL);
    gpu *g = scope->g;
    pthread_mutex_lock(&g->lock);
    end_scopes(g, scope);
    pthread_mutex_unlock(&g->lock);
}

gpu_array *gpu_keep(gpu_array *a)
{
    if (!a || !a->g) return a;
    pthread_mutex_lock(&a->g->lock);
    if (a->scope->outer) move(a, a->scope->outer);
    pthread_mutex_unlock(&a->g->lock);
    return a;
}

/* Where an array belongs that takes the place of `old`: if that is in no scope of this gpu, around the scope that is
 * open. */
static gpu_scope *scope_for(const gpu_array *old, const gpu_array *a)
{
    if (old && old->g == a->g) return old->scope;
    gpu_scope *current = current_scope(a->g);
    return a->scope == current && current->outer ? current->outer : a->scope;
}

gpu_array *gpu_replace(gpu_array **u, gpu_array *v)
{
    gpu_array *old = u ? *u : NULL;
    fp_entry entry = fp_entry_begin(fp_array_gpu(v) ? v->g : fp_array_gpu(old), "gpu_replace", NULL);
    gpu_status status = u ? eval(v, "v") : fp_fail(GPU_E_ARGUMENT, "u is NULL: pass the address of a gpu_array *");
    if (!u || !v) v = fp_array_new(entry.g, NULL);
    if (u && v->g && v != old) move(v, scope_for(old, v));
    if (u) *u = v;
    fp_entry_end(&entry, status);
    if (u && v != old) gpu_array_free(old);
    return v;
}
