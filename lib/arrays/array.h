/* Arrays: handles in scopes. */
#ifndef FP_ARRAYS_ARRAY_H
#define FP_ARRAYS_ARRAY_H

#include "arrays/read.h"
#include "expressions/entry.h"
#include "expressions/handle.h"
#include "planning/task.h"

/* A handle for a node, in the current scope; takes over the reference. NULL stands for the failure just made: the
 * handle is in error. Never returns NULL. The gpu is locked, or NULL. */
gpu_array *fp_array_new(gpu *g, fp_node *node);

/* The same of `size` bytes, for a collection whose first member is the handle; the others are zero. NULL if there is no
 * gpu or no memory. */
gpu_array *fp_handle_new(gpu *g, fp_node *node, size_t size);

/* A node of elements of the host's, whose pointer has their type. The gpu is locked, or NULL. */
fp_node *fp_array_upload(gpu *g, const gpu_value *data, size_t n);

/* Moves a handle to the scope of the one whose place it takes in a loop (gpu_replace); that one may be NULL. */
void fp_handle_follow(gpu_array *a, const gpu_array *old);

/* A handle for a node; ends the call. */
gpu_array *fp_array_end(fp_entry *entry, fp_node *node);

/* Ends a task and its call. The array is the one result, of the first input's type unless the task says otherwise. */
gpu_array *fp_task_array(fp_entry *entry, fp_task *task, gpu_status status);

/* The same for two results. fp_two_check fails unless both outputs are given. fp_two_end sets those that are not NULL:
 * to the results or, on failure, to arrays in error. */
gpu_status fp_two_check(gpu_array **one, gpu_array **two);
gpu_status fp_two_end(fp_entry *entry, fp_task *task, gpu_status status, gpu_array **one, gpu_array **two);

/* Handles that exist now, in the whole process. */
uint64_t fp_live_arrays(void);

/* Frees the arrays of a scope; the gpu is locked. */
void fp_scope_clear(gpu_scope *scope);

/* gpu_open_with: the user's cl_context and cl_command_queue. */
gpu *fp_gpu_adopt(void *context, void *queue);

/* Locks the gpu and sends the launches that are held back. */
void fp_gpu_send(gpu *g);

#endif
