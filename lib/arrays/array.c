#include "arrays/array.h"

#include "arrays/read.h"
#include "base/error.h"
#include "base/memory.h"
#include "planning/eval.h"

#include <stdatomic.h>

/* ---- handles ---- */

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
    if (a->release) a->release(a);
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

gpu_array *fp_handle_new(gpu *g, fp_node *node, size_t size)
{
    if (!g) return NULL;
    if (node && g->eager && node->kind != FP_NODE_SYMBOL && fp_node_eval(node, FP_REASON_ASKED)) {
        fp_node_drop(node);
        node = NULL;
    }
    gpu_array *a = fp_alloc(size);
    if (!a) {
        fp_node_drop(node);
        fp_fail_memory();
        return NULL;
    }
    a->g = g;
    a->node = node;
    if (!node) fp_fault_set(&a->fault, fp_fault_new(g));
    link_array(a, current_scope(g));
    g->live_arrays++;
    atomic_fetch_add(&live, 1);
    return a;
}

gpu_array *fp_array_new(gpu *g, fp_node *node)
{
    gpu_array *a = fp_handle_new(g, node, sizeof *a);
    if (a) return a;
    return fp_last_status() == GPU_E_MEMORY ? &fp_array_no_memory : &fp_array_no_gpu;
}

gpu_array *fp_array_end(fp_entry *entry, fp_node *node)
{
    gpu_array *a = fp_array_new(entry->g, node);
    fp_entry_end(entry, gpu_array_status(a));
    return a;
}

gpu_array *fp_task_array(fp_entry *entry, fp_task *task, gpu_status status)
{
    if (!status && !task->result_count) fp_task_gives(task, task->inputs[0]->type);
    return fp_array_end(entry, fp_task_result(task, status));
}

gpu_status fp_two_check(gpu_array **one, gpu_array **two)
{
    return one && two ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "an output pointer is NULL: both arrays are made");
}

gpu_status fp_two_end(fp_entry *entry, fp_task *task, gpu_status status, gpu_array **one, gpu_array **two)
{
    gpu_array *arrays[2];
    fp_node *nodes[FP_RESULTS] = {NULL};
    status = fp_task_end(task, status, nodes);
    for (int k = 0; k < 2; k++) {
        arrays[k] = fp_array_new(entry->g, nodes[k]);
        if (!status) status = gpu_array_status(arrays[k]);
    }
    if (one) *one = arrays[0];
    if (two) *two = arrays[1];
    return fp_entry_end(entry, status);
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
    if (!status) status = fp_node_wait_length(a->node, &length);
    if (!status) status = fp_node_check(a->node);
    fp_entry_end(&entry, status);
    return status ? 0 : length;
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

/* The scope for an array that takes the place of `old`. If `old` is in no scope of this gpu, it is the one around the
 * open scope. */
static gpu_scope *scope_for(const gpu_array *old, const gpu_array *a)
{
    if (old && old->g == a->g) return old->scope;
    gpu_scope *current = current_scope(a->g);
    return a->scope == current && current->outer ? current->outer : a->scope;
}

void fp_handle_follow(gpu_array *a, const gpu_array *old)
{
    if (a->g && a != old) move(a, scope_for(old, a));
}

gpu_array *gpu_replace(gpu_array **u, gpu_array *v)
{
    gpu_array *old = u ? *u : NULL;
    fp_entry entry = fp_entry_begin(fp_array_gpu(v) ? v->g : fp_array_gpu(old), "gpu_replace", NULL);
    gpu_status status = u ? eval(v, "v") : fp_fail(GPU_E_ARGUMENT, "u is NULL: pass the address of a gpu_array *");
    if (!u || !v) v = fp_array_new(entry.g, NULL);
    if (u) fp_handle_follow(v, old);
    if (u) *u = v;
    fp_entry_end(&entry, status);
    if (u && v != old) gpu_array_free(old);
    return v;
}
