/** Dictionaries: keys, each with a value.
 *
 * A gpu_dict is a value, as a gpu_array is: no operation changes it. Its keys are in order, and each is there once.
 * Keys and values are arrays, gpu_dict_keys and gpu_dict_values, so all operations on arrays serve dictionaries too.
 *
 * Types     keys are scalars in their own order (firepile/sort.h), or of any type with a comparator. Values have any
 *           type. Keys that are looked up have the type of the dictionary's keys.
 * Order     two keys are equal if neither comes before the other. So -0 and 0 are one key, and all NaN are one key, the
 *           last. Of equal keys the first that was given is kept. A comparator is a strict weak order, as for
 *           gpu_sort_by; else results are unspecified. A dictionary keeps its comparator and the captures, and passes
 *           them on to dictionaries made of it.
 * Snippet   op of gpu_dict_of, gpu_dict_merge and gpu_dict_intersect: a and b, two values. less: a and b, two keys. op
 *           of gpu_dict_map, and a predicate: key, x (its value), and i, the place of the key. Functions take key and x
 *           first.
 * Shape     once keys were combined or selected, the device alone knows their number (firepile/select.h). Only
 *           gpu_dict_size, gpu_dict_read, gpu_dict_merge, gpu_dict_contains and gpu_dict_contains_value wait, and calls
 *           with keys and values whose lengths are not plainly equal.
 * Cost      gpu_dict_of is a gpu_sort_pairs and a gpu_reduce_by_key. Lookups are binary searches: delayed, and fused
 *           into their consumer. 2^16 and more int, uint, long or ulong keys in their own order get an index, which
 *           later lookups use too: the first lookup of at least a sixteenth as many makes it, by one launch. It takes
 *           two to four bytes a key; on GPUs at most 16 MiB. There gpu_dict_get with `otherwise`, of values of four or
 *           eight bytes, also gets keys and values side by side, by a launch more: another eight or 16 bytes a key.
 *           Both are computed at the call. A lookup for which there is no memory for them is slower, and does without.
 *           Where the device alone knows the number of keys, its bound counts: the elements that gpu_dict_of was given.
 *           gpu_dict_map is delayed as gpu_map is. gpu_dict_filter, gpu_dict_intersect, gpu_dict_remove and
 *           gpu_dict_join are one launch that selects places, when the result is needed; keys and values are then
 *           gathered, delayed. gpu_dict_remove also sorts the keys that it is given.
 * Owner     the scope, as of an array (firepile/array.h).
 * Errors    as those of arrays: a failed dictionary is in error, which passes on to all that is made from it. NULL
 *           counts as in error. GPU_E_TYPE, GPU_E_ARGUMENT, GPU_E_SNIPPET, GPU_E_MEMORY, an input's failure.
 * Source    GPUMap: GPU Parallel Collections for Scala, appendix A.
 *
 * Example
 *     int days[] = {3, 1, 3, 2, 1};
 *     gpu_array *day = gpu_array_of(g, days, 5), *delay = gpu_array_of(g, data, 5);
 *     gpu_dict *total = gpu_dict_of(day, delay, "a + b");
 *     gpu_array *share = gpu_map2(delay, gpu_dict_get(total, day, NULL), "x / y");
 *     gpu_dict *late = gpu_dict_filter(total, "x > 15 && key != 1");
 *     gpu_dict *hours = gpu_dict_map(late, "x / 60");
 *     gpu_array *known = gpu_dict_has(hours, day), *or_none = gpu_dict_get(hours, day, &(float){0});
 *     int keys[5];
 *     float values[5];
 *     size_t count;
 *     if (gpu_dict_read(hours, keys, values, 5, &count)) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_DICT_H
#define FIREPILE_DICT_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

typedef struct gpu_dict gpu_dict;

/** gpu_dict_of(keys, values, op, captures...): the keys, each with the combination of its values, in their order. "b"
 * keeps the last value, "a" the first. The operator must be associative; it need not commute.
 * Errors    GPU_E_ARGUMENT unless there are as many keys as values. GPU_E_TYPE if keys have no order of their own. */
#define gpu_dict_of(keys, values, ...) gpu_dict_of_((keys), (values), __VA_ARGS__, NULL)
#define gpu_dict_of_(keys, values, op, ...) gpu_dict_of_op(keys, values, NULL, GPU_OPERATOR_(op, __VA_ARGS__))
/** gpu_dict_of_by(keys, values, less, op, captures...): keys in the order of a comparator. Both operators share the
 * captures. */
#define gpu_dict_of_by(keys, values, ...) gpu_dict_of_by_((keys), (values), __VA_ARGS__, NULL)
#define gpu_dict_of_by_(keys, values, less, op, ...)                                                                   \
    gpu_dict_of_op(keys, values, GPU_OPERATOR_(less, __VA_ARGS__), GPU_OPERATOR_(op, __VA_ARGS__))
/** A NULL `less` means the keys' own order. */
GPU_API gpu_dict *gpu_dict_of_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *less,
                                 const gpu_operator *op);

/** The keys, in order, and their values. Neither is copied. Arrays of a dictionary that is in error are in error too.
 * */
GPU_API gpu_array *gpu_dict_keys(const gpu_dict *d);
GPU_API gpu_array *gpu_dict_values(const gpu_dict *d);

/** The number of keys; 0 for a dictionary in error (gpu_error() then says why). Waits, if the device alone knows it. */
GPU_API size_t gpu_dict_size(const gpu_dict *d);

/** gpu_dict_read(d, keys, values, capacity, &n): copies keys and values to the host. Both outputs have room for
 * `capacity` elements, and *n becomes the number of keys.
 * Errors    GPU_E_RANGE if there are more keys than `capacity`, GPU_E_TYPE if an output points to another type. Nothing
 *           is written after a failure. */
#define gpu_dict_read(d, keys, values, capacity, n)                                                                    \
    gpu_dict_read_op((d), GPU_OUTPUT_(keys), GPU_OUTPUT_(values), (capacity), (n), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_dict_read_op(const gpu_dict *d, const gpu_output *keys, const gpu_output *values,
                                                size_t capacity, size_t *n, const gpu_place *place);

/** gpu_dict_get(d, keys, &otherwise): the value of each of `keys`, delayed; `otherwise` for a key that is not there. If
 * `otherwise` is NULL, a key that is not there is GPU_E_RANGE, which reads of the result and gpu_finish report. */
#define gpu_dict_get(d, keys, ...) gpu_dict_get_op((d), (keys), GPU_VALUE_((__VA_ARGS__)), GPU_HERE)
GPU_API gpu_array *gpu_dict_get_op(const gpu_dict *d, const gpu_array *keys, const gpu_value *otherwise,
                                   const gpu_place *place);

/** For each of `keys`, 1 if it is there, else 0 (GPU_UCHAR). Delayed. */
#define gpu_dict_has(d, keys) gpu_dict_has_op((d), (keys), GPU_HERE)
GPU_API gpu_array *gpu_dict_has_op(const gpu_dict *d, const gpu_array *keys, const gpu_place *place);

/** gpu_dict_contains(d, &key, &yes): is this key there? One launch and one wait. */
#define gpu_dict_contains(d, key, yes) gpu_dict_contains_op((d), GPU_VALUE_(key), (yes), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_dict_contains_op(const gpu_dict *d, const gpu_value *key, bool *yes,
                                                    const gpu_place *place);

/** gpu_dict_contains_value(d, &value, &yes): does a key have this value? Cost and equality as for gpu_index_of: NaN
 * equals nothing, and structs are GPU_E_TYPE. */
#define gpu_dict_contains_value(d, value, yes) gpu_dict_contains_value_op((d), GPU_VALUE_(value), (yes), GPU_HERE)
GPU_API GPU_CHECKED gpu_status gpu_dict_contains_value_op(const gpu_dict *d, const gpu_value *value, bool *yes,
                                                          const gpu_place *place);

/** gpu_dict_map(d, op, captures...): the same keys, each with op(key, x). Delayed. */
#define gpu_dict_map(d, ...) gpu_dict_map_to_((d), NULL, __VA_ARGS__, NULL)
/** gpu_dict_map_to(d, type, op, captures...): a map that changes the type of the values. */
#define gpu_dict_map_to(d, type, ...) gpu_dict_map_to_((d), (type), __VA_ARGS__, NULL)
#define gpu_dict_map_to_(d, type, op, ...) gpu_dict_map_op(d, type, GPU_OPERATOR_(op, __VA_ARGS__))
/** A NULL `type` means that of the values. */
GPU_API gpu_dict *gpu_dict_map_op(const gpu_dict *d, gpu_type type, const gpu_operator *op);

/** gpu_dict_filter(d, pred, captures...): the keys for which the predicate is not zero, with their values. */
#define gpu_dict_filter(d, ...) gpu_dict_filter_((d), __VA_ARGS__, NULL)
#define gpu_dict_filter_(d, pred, ...) gpu_dict_filter_op(d, GPU_OPERATOR_(pred, __VA_ARGS__))
GPU_API gpu_dict *gpu_dict_filter_op(const gpu_dict *d, const gpu_operator *pred);

/** gpu_dict_merge(a, b, op, captures...): all keys of both, in the order of `a`. The value of a key that both have is
 * op(the value in a, the value in b). Waits for sizes that the device alone knows.
 * Cost      a launch that merges, and a gpu_reduce_by_key. Two dictionaries with comparators that were given apart are
 *           sorted instead: their orders may differ.
 * Errors    GPU_E_TYPE unless both have keys of one type, and values of one type. */
#define gpu_dict_merge(a, b, ...) gpu_dict_merge_((a), (b), __VA_ARGS__, NULL)
#define gpu_dict_merge_(a, b, op, ...) gpu_dict_merge_op(a, b, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_dict *gpu_dict_merge_op(const gpu_dict *a, const gpu_dict *b, const gpu_operator *op);

/** gpu_dict_intersect(a, b, op, captures...): the keys of `a` that `b` has too; values and errors as for
 * gpu_dict_merge. */
#define gpu_dict_intersect(a, b, ...) gpu_dict_intersect_((a), (b), __VA_ARGS__, NULL)
#define gpu_dict_intersect_(a, b, op, ...) gpu_dict_intersect_op(a, b, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_dict *gpu_dict_intersect_op(const gpu_dict *a, const gpu_dict *b, const gpu_operator *op);

/** The dictionary without these keys, which may repeat, and need not be there. */
#define gpu_dict_remove(d, keys) gpu_dict_remove_op((d), (keys), GPU_HERE)
GPU_API gpu_dict *gpu_dict_remove_op(const gpu_dict *d, const gpu_array *keys, const gpu_place *place);

/** gpu_dict_join(d, keys, values, &k, &left, &right): the inner join, many to one. Each of `keys` that is in `d` gives
 * one row, in the order of `keys`: the key, its value in `d`, and its value in `values`. Outputs are always set; a
 * failure is also returned.
 * Errors    GPU_E_ARGUMENT unless there are as many keys as values. */
#define gpu_dict_join(d, keys, values, k, left, right)                                                                 \
    gpu_dict_join_op((d), (keys), (values), (k), (left), (right), GPU_HERE)
GPU_API gpu_status gpu_dict_join_op(const gpu_dict *d, const gpu_array *keys, const gpu_array *values, gpu_array **k,
                                    gpu_array **left, gpu_array **right, const gpu_place *place);

/** Computes keys and values into buffers now. Returns `d`, which is in error on failure. Does not wait for the device.
 * */
GPU_API gpu_dict *gpu_dict_eval(gpu_dict *d);

/** GPU_OK, or the failure a dictionary carries; never waits. */
GPU_API gpu_status gpu_dict_status(const gpu_dict *d);

/** The text of the failure a dictionary carries; "" if there is none. Valid until the dictionary is freed. */
GPU_API const char *gpu_dict_error(const gpu_dict *d);

/** Frees `d` early. Arrays and dictionaries made from it stay valid. NULL is fine. */
GPU_API void gpu_dict_free(gpu_dict *d);

/** Moves `d` to the scope around its own, or to its gpu, so that it outlives its scope. Returns `d`. */
GPU_API gpu_dict *gpu_dict_keep(gpu_dict *d);

/** Carries a dictionary from one step of a loop to the next, as gpu_replace carries an array. */
GPU_API gpu_dict *gpu_dict_replace(gpu_dict **u, gpu_dict *v);

GPU_END_DECLS
#endif
