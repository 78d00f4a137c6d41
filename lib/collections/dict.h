/* Dictionaries as handles, and calls that make them step by step. The gpu is locked throughout. */
#ifndef FP_COLLECTIONS_DICT_H
#define FP_COLLECTIONS_DICT_H

#include "arrays/array.h"

#include <firepile/dict.h>

struct gpu_dict {
    gpu_array keys;  /* the handle, which a scope owns; in error if the dictionary is */
    fp_node *values; /* NULL if in error */
    fp_operator *less;
    bool natural;     /* `less` is the keys' own order */
    fp_node *index;   /* Note [index]; NULL: no lookup has made it */
    fp_node *entries; /* Note [entries]; likewise */
};

/* Makes the failure that a dictionary carries this thread's failure again; GPU_OK if there is none. NULL is
 * GPU_E_ARGUMENT. `which` names the parameter. fp_dict_check also refuses symbols, as fp_array_check does. */
gpu_status fp_dict_accept(const gpu_dict *d, const char *which);
gpu_status fp_dict_check(const gpu_dict *d, const char *which);

/* The gpu of a dictionary; NULL if it has none. */
gpu *fp_dict_gpu(const gpu_dict *d);

/* ---- calls ---- */

enum { FP_DICT_STEPS = 12 };

/* A call on dictionaries. Each of its steps is a task, which is run, or kept for gpu_compile. After a failure the other
 * steps do nothing. */
typedef struct fp_dict_call {
    fp_entry entry;
    gpu_status status;
    fp_operator *less; /* of the keys */
    bool natural;
    fp_operator *op; /* the user's */
    fp_node *made[FP_DICT_STEPS];
    unsigned count;
} fp_dict_call;

/* A call on the parameter `which`, with the order of its keys; and one on `keys` of the same type, too. */
fp_dict_call fp_dict_begin(gpu *g, const gpu_dict *d, const char *which, const char *operation, const gpu_place *place);
fp_dict_call fp_dict_begin_with(const gpu_dict *d, const gpu_array *keys, const char *operation,
                                const gpu_place *place);

/* Binds the user's operator, of any kind. */
void fp_dict_bind(fp_dict_call *call, const gpu_operator *op, const fp_operator_kind *kind);

/* Runs or keeps a step, which has its run, operator, inputs and types of results. The call owns the results, of which
 * the first is returned, and keeps them until its end; NULL after a failure. */
fp_node *fp_dict_step(fp_dict_call *call, fp_task task);

/* For each of `wanted`, its place in `source`, which `less` sorts, or FP_NOWHERE. */
fp_node *fp_dict_find(fp_dict_call *call, fp_operator *less, fp_node *source, fp_node *wanted);

/* The same in the keys of a dictionary, by an index where that is faster. */
fp_node *fp_dict_look_up(fp_dict_call *call, const gpu_dict *d, fp_node *wanted);

/* Note [index] in dict_index.c: the index for a lookup of `wanted`, which the dictionary owns. Computes it if they are
 * many. NULL: the lookup goes without. */
fp_node *fp_dict_index(const gpu_dict *d, fp_node *wanted);
/* The places of `wanted` in `keys`; NULL and a failure when memory runs out. */
fp_node *fp_dict_find_by_index(fp_node *index, fp_node *keys, fp_node *wanted);

/* Note [entries] in dict_index.c: the entries of a dictionary that has an index. The dictionary owns them. NULL: the
 * lookup goes without. */
fp_node *fp_dict_entries(const gpu_dict *d);
/* The values, of this type, at places found by an index, and `otherwise` for FP_NOWHERE; NULL and a failure when memory
 * runs out. */
fp_node *fp_dict_values_by_index(fp_node *places, fp_node *entries, gpu_type type, const void *otherwise);

/* The places for which `op` of both nodes is not zero. */
fp_node *fp_dict_select(fp_dict_call *call, fp_operator *op, fp_node *a, fp_node *b);

/* The places of those of `found` that are a place, or not one. */
fp_node *fp_dict_select_found(fp_dict_call *call, fp_node *found, bool is_there);

/* The elements of `source` at these places; `absent`: an index out of range is a key that is not there. */
fp_node *fp_dict_gather(fp_dict_call *call, fp_node *source, fp_node *places, bool absent);

/* The rows, of a key and a value beside it, whose key is in `d`: their keys, the values in `d`, and the values beside.
 */
void fp_dict_join(fp_dict_call *call, const gpu_dict *d, fp_node *keys, fp_node *values, fp_node **rows);

/* Ends a call that makes a dictionary of two nodes in the call's order. */
gpu_dict *fp_dict_end(fp_dict_call *call, fp_node *keys, fp_node *values);
/* Ends a call that makes an array. */
gpu_array *fp_dict_array_end(fp_dict_call *call, fp_node *node);
/* Ends a call; drops what it made. */
gpu_status fp_dict_call_end(fp_dict_call *call);

#endif
