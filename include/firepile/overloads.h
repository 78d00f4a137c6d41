/** Overloads for C++, in the namespace firepile, in place of the macros of C. In C this header declares nothing.
 *
 * firepile::NAME does what the macro gpu_NAME does. It takes the arguments in the same order, with these differences:
 * - an element type is a template argument, firepile::range<float>(g, n), or is taken from a pointer or a value
 * - captures are firepile::arg("k", k) in place of GPU_ARG(k); the mark GPU_COMMUTATIVE is gpu_commutative
 * - the parts of a kernel take their name, variable and gpu_type, firepile::result("y", y, GPU_FLOAT, n)
 * - the value of firepile::fill and the bounds of firepile::histogram are passed by reference.
 *
 * The place of the call comes from the compiler. Functions without a macro, such as gpu_length, are the same in C++.
 *
 * GPU_FUNCTIONs, GPU_STRUCTs and GPU_CONSTANTs are defined in a C file. That file can hand out the address of a
 * GPU_FUNCTION, which is an operator in C++ too, and the gpu_type of a struct. Calls that take an element type take
 * such a type as an argument. Structs are read and filled in through pointers to void, whose sizes nobody checks.
 *
 *     float k = 3, sum;
 *     gpu_array *x = firepile::array_of(g, data, n);
 *     gpu_array *y = firepile::map(x, "x * k", firepile::arg("k", k));
 *     if (firepile::reduce(y, "a + b", &sum)) std::fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_OVERLOADS_H
#define FIREPILE_OVERLOADS_H

#include <firepile/bins.h>
#include <firepile/by_key.h>
#include <firepile/compile.h>
#include <firepile/copy.h>
#include <firepile/dict.h>
#include <firepile/file.h>
#include <firepile/histogram.h>
#include <firepile/law.h>
#include <firepile/map.h>
#include <firepile/matrix.h>
#include <firepile/merge.h>
#include <firepile/move.h>
#include <firepile/reduce.h>
#include <firepile/repeat.h>
#include <firepile/scan.h>
#include <firepile/select.h>
#include <firepile/sort.h>
#include <firepile/sorted.h>
#include <firepile/spawn.h>
#include <firepile/statistics.h>
#include <firepile/stencil.h>
#include <firepile/window.h>

#ifdef __cplusplus
#include <cstddef>
#include <initializer_list>

namespace firepile {

/** The element type of a C++ type: a scalar, or a vector such as gpu_float4. Other types have none. */
template <class T> struct element {
    static gpu_type type() {
        static_assert(sizeof(T) == 0,
                      "firepile: no element type belongs to this C++ type: elements are char ... double and "
                      "gpu_float4 or its like; give a bool as a uchar, a long double as a double, of a "
                      "two-dimensional array &a[0][0], and structs as void with the gpu_type of a C file");
        return nullptr;
    }
};
#define GPU_ELEMENT_(T, description)                                                                                   \
    template <> struct element<T> {                                                                                    \
        static gpu_type type() { return &description; }                                                                \
    };
#define GPU_ELEMENTS_(name, NAME, T, kind)                                                                             \
    GPU_ELEMENT_(gpu_##name##2, gpu_type_##name##2)                                                                    \
    GPU_ELEMENT_(gpu_##name##3, gpu_type_##name##3)                                                                    \
    GPU_ELEMENT_(gpu_##name##4, gpu_type_##name##4)
GPU_SCALAR_MAP(GPU_ELEMENTS_)
GPU_ELEMENT_(char, gpu_type_char)
GPU_ELEMENT_(signed char, gpu_type_char)
GPU_ELEMENT_(unsigned char, gpu_type_uchar)
GPU_ELEMENT_(short, gpu_type_short)
GPU_ELEMENT_(unsigned short, gpu_type_ushort)
GPU_ELEMENT_(int, gpu_type_int)
GPU_ELEMENT_(unsigned, gpu_type_uint)
GPU_ELEMENT_(long, gpu_type_long)
GPU_ELEMENT_(unsigned long, gpu_type_ulong)
GPU_ELEMENT_(long long, gpu_type_long)
GPU_ELEMENT_(unsigned long long, gpu_type_ulong)
GPU_ELEMENT_(float, gpu_type_float)
GPU_ELEMENT_(double, gpu_type_double)
#undef GPU_ELEMENTS_
#undef GPU_ELEMENT_

/** The place of a call, as its last, default argument. */
struct caller {
    explicit caller(const char *file = __builtin_FILE(), int line = __builtin_LINE()) : place{file, line, &gpu_unit_} {}
    gpu_place place;
};

/** An operator, a snippet or the address of a GPU_FUNCTION, and the place of the call. */
struct operation {
    operation(const char *text, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : snippet(text), function(nullptr), place{file, line, &gpu_unit_} {}
    template <class R, class... A>
    operation(R (*f)(A...), const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : snippet(nullptr), function(reinterpret_cast<const void *>(f)), place{file, line, &gpu_unit_} {}
    const char *snippet;
    const void *function;
    gpu_place place;
};

/** A captured value or array, and its name in the snippet. It must live until the call that takes it has returned. */
template <class T> gpu_capture arg(const char *name, const T &value) {
    return {name, &value, element<T>::type(), sizeof value};
}

inline gpu_capture arg(const char *name, const bool &value) { return {name, &value, GPU_UCHAR, sizeof value}; }

inline gpu_capture arg(const char *name, gpu_array *const &array) {
    return {name, &array, GPU_CAPTURE_ARRAY, sizeof array};
}

inline gpu_capture arg(const char *name, const gpu_array *const &array) {
    return {name, &array, GPU_CAPTURE_ARRAY, sizeof array};
}

/** The same of a struct, whose type a C file hands out. */
template <class T> gpu_capture arg(const char *name, gpu_type type, const T &value) {
    return {name, &value, type, sizeof value};
}

/* ---- arguments of the functions behind the macros: each is a temporary of the call ---- */

/* An operator with its captures. */
template <size_t N> struct bound_operation {
    const gpu_capture *list[N + 1];
    operation op;
    gpu_operator bound;
    operator const gpu_operator *() {
        bound = {op.snippet, op.function, list, &op.place};
        return &bound;
    }
};

template <class... C> bound_operation<sizeof...(C)> bind(const operation &op, const C &...captures) {
    return {{&captures..., nullptr}, op, {}};
}

/* A value, and an output. */
struct in {
    gpu_value value;
    template <class T> explicit in(const T *p) : value{p, element<T>::type(), sizeof(T)} {}
    explicit in(const void *p) : value{p, nullptr, 0} {}
    operator const gpu_value *() const { return &value; }
};

struct out {
    gpu_output output;
    template <class T> explicit out(T *p) : output{p, element<T>::type(), sizeof(T)} {}
    explicit out(void *p) : output{p, nullptr, 0} {}
    operator const gpu_output *() const { return &output; }
};

/* ---- arrays ---- */

template <class T> gpu_array *array_of(gpu *g, const T *data, size_t n, const caller &at = caller()) {
    return gpu_array_of_op(g, in(data), n, &at.place);
}

inline gpu_array *array_from(gpu *g, gpu_type type, const void *data, size_t n, const caller &at = caller()) {
    return gpu_array_from_op(g, type, data, n, &at.place);
}

template <class T> gpu_array *range(gpu *g, size_t n, const caller &at = caller()) {
    return gpu_range_op(g, element<T>::type(), n, &at.place);
}

template <class T> gpu_array *fill(gpu *g, const T &value, size_t n, const caller &at = caller()) {
    return gpu_fill_op(g, element<T>::type(), in(&value), n, &at.place);
}

inline gpu_array *fill(gpu *g, gpu_type type, const void *value, size_t n, const caller &at = caller()) {
    return gpu_fill_op(g, type, in(value), n, &at.place);
}

inline gpu_array *slice(const gpu_array *a, size_t first, size_t n, const caller &at = caller()) {
    return gpu_slice_op(a, first, n, &at.place);
}

template <class T> GPU_CHECKED gpu_status read(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_read_op(a, out(to), &at.place);
}

template <class T>
GPU_CHECKED gpu_status read_n(const gpu_array *a, T *to, size_t capacity, size_t *n, const caller &at = caller()) {
    return gpu_read_n_op(a, out(to), capacity, n, &at.place);
}

inline gpu_array *copy_to(const gpu_array *a, gpu *other, const caller &at = caller()) {
    return gpu_copy_to_op(a, other, &at.place);
}

inline gpu_array *load_npy(gpu *g, const char *path, const caller &at = caller()) {
    return gpu_load_npy_op(g, path, &at.place);
}

inline GPU_CHECKED gpu_status save_npy(const gpu_array *a, const char *path, const caller &at = caller()) {
    return gpu_save_npy_op(a, path, &at.place);
}

/* ---- map ---- */

template <class... C> gpu_array *map(const gpu_array *a, operation op, const C &...captures) {
    return gpu_map_op(a, nullptr, bind(op, captures...));
}

template <class T, class... C> gpu_array *map_to(const gpu_array *a, operation op, const C &...captures) {
    return gpu_map_op(a, element<T>::type(), bind(op, captures...));
}

template <class... C> gpu_array *map_to(const gpu_array *a, gpu_type type, operation op, const C &...captures) {
    return gpu_map_op(a, type, bind(op, captures...));
}

template <class... C> gpu_array *map2(const gpu_array *a, const gpu_array *b, operation op, const C &...captures) {
    return gpu_map2_op(a, b, nullptr, bind(op, captures...));
}

template <class T, class... C>
gpu_array *map2_to(const gpu_array *a, const gpu_array *b, operation op, const C &...captures) {
    return gpu_map2_op(a, b, element<T>::type(), bind(op, captures...));
}

template <class... C>
gpu_array *map2_to(const gpu_array *a, const gpu_array *b, gpu_type type, operation op, const C &...captures) {
    return gpu_map2_op(a, b, type, bind(op, captures...));
}

template <class... C>
gpu_array *map3(const gpu_array *a, const gpu_array *b, const gpu_array *c, operation op, const C &...captures) {
    return gpu_map3_op(a, b, c, nullptr, bind(op, captures...));
}

template <class T, class... C>
gpu_array *map3_to(const gpu_array *a, const gpu_array *b, const gpu_array *c, operation op, const C &...captures) {
    return gpu_map3_op(a, b, c, element<T>::type(), bind(op, captures...));
}

template <class... C>
gpu_array *map3_to(const gpu_array *a, const gpu_array *b, const gpu_array *c, gpu_type type, operation op,
                   const C &...captures) {
    return gpu_map3_op(a, b, c, type, bind(op, captures...));
}

template <class T> gpu_array *zip(const gpu_array *a, const gpu_array *b, const caller &at = caller()) {
    return gpu_zip_op(a, b, element<T>::type(), &at.place);
}

inline gpu_array *zip(const gpu_array *a, const gpu_array *b, gpu_type type, const caller &at = caller()) {
    return gpu_zip_op(a, b, type, &at.place);
}

/* ---- spawn ---- */

/** A part of a kernel: a temporary of the call of firepile::spawn. */
struct part : gpu_capture {
    part(const char *called, gpu_part_kind kind, gpu_type elements, size_t count, gpu_array **made,
         const gpu_array *from)
        : gpu_capture{called, nullptr, GPU_CAPTURE_PART, sizeof(gpu_part)}, body{kind, elements, count,
                                                                                 made, from,     nullptr} {
        value = &body;
    }
    part(const part &) = delete;
    gpu_part body;
};

struct group : part {
    group(const char *called, gpu_type elements, size_t count)
        : part(called, GPU_PART_GROUP, elements, count, nullptr, nullptr) {}
};

struct result : part {
    result(const char *called, gpu_array *&made, gpu_type elements, size_t length)
        : part(called, GPU_PART_RESULT, elements, length, &made, nullptr) {}
};

struct result_from : part {
    result_from(const char *called, gpu_array *&made, const gpu_array *from)
        : part(called, GPU_PART_FROM, nullptr, 0, &made, from) {}
};

/** `name` is that of the result with _count behind it. */
struct result_count : part {
    result_count(const char *called, gpu_array **count) : part(called, GPU_PART_COUNT, GPU_UINT, 1, count, nullptr) {}
};

struct arg_operator : part {
    arg_operator(const char *called, gpu_type elements, const operation &f)
        : part(called, GPU_PART_OPERATOR, elements, 0, nullptr, nullptr), none(nullptr),
          op(f), bound{op.snippet, op.function, &none, &op.place} {
        body.op = &bound;
    }
    const gpu_capture *none;
    operation op;
    gpu_operator bound;
};

template <class... P> gpu_status spawn(gpu *g, const gpu_space &space, operation kernel, const P &...parts) {
    return gpu_spawn_op(g, space, bind(kernel, parts...));
}

/* ---- reduce, scan, windows, stencils ---- */

template <class T, class... C>
GPU_CHECKED gpu_status reduce(const gpu_array *a, operation op, T *to, const C &...captures) {
    return gpu_reduce_op(a, bind(op, captures...), out(to));
}

template <class T, class... C>
GPU_CHECKED gpu_status fold(const gpu_array *a, const T *start, operation op, T *to, const C &...captures) {
    return gpu_fold_op(a, in(start), bind(op, captures...), out(to));
}

template <class... C> gpu_array *reduced(const gpu_array *a, operation op, const C &...captures) {
    return gpu_reduced_op(a, bind(op, captures...));
}

template <class... C> gpu_array *block_reduce(const gpu_array *a, size_t block, operation op, const C &...captures) {
    return gpu_block_reduce_op(a, block, bind(op, captures...));
}

template <class... C> gpu_array *window_reduce(const gpu_array *a, size_t width, operation op, const C &...captures) {
    return gpu_window_reduce_op(a, width, bind(op, captures...));
}

/** The edge is GPU_EDGE_CLAMP or its like, or the element outside. */
template <class T, class... C>
gpu_array *bin_reduce(const gpu_array *keys, const gpu_array *values, size_t bins, const T *start, operation op,
                      const C &...captures) {
    return gpu_bin_reduce_op(keys, values, bins, in(start), bind(op, captures...));
}

template <class... C>
gpu_array *stencil(const gpu_array *a, size_t radius, const gpu_edge *edge, operation op, const C &...captures) {
    return gpu_stencil_op(a, radius, edge, bind(op, captures...));
}

template <class T, class... C>
gpu_array *stencil(const gpu_array *a, size_t radius, const T &outside, operation op, const C &...captures) {
    const in value(&outside);
    const gpu_edge edge = {GPU_EDGE_KIND_VALUE, value};
    return gpu_stencil_op(a, radius, &edge, bind(op, captures...));
}

template <class... C> gpu_array *scan(const gpu_array *a, operation op, const C &...captures) {
    return gpu_scan_op(a, bind(op, captures...));
}

template <class T, class... C>
gpu_array *scan_exclusive(const gpu_array *a, const T *start, operation op, const C &...captures) {
    return gpu_scan_exclusive_op(a, in(start), bind(op, captures...));
}

template <class T> GPU_CHECKED gpu_status sum(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_sum_op(a, out(to), &at.place);
}

template <class T> GPU_CHECKED gpu_status product(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_product_op(a, out(to), &at.place);
}

template <class T> GPU_CHECKED gpu_status min(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_min_op(a, out(to), &at.place);
}

template <class T> GPU_CHECKED gpu_status max(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_max_op(a, out(to), &at.place);
}

inline GPU_CHECKED gpu_status argmin(const gpu_array *a, size_t *index, const caller &at = caller()) {
    return gpu_argmin_op(a, index, &at.place);
}

inline GPU_CHECKED gpu_status argmax(const gpu_array *a, size_t *index, const caller &at = caller()) {
    return gpu_argmax_op(a, index, &at.place);
}

template <class... C>
GPU_CHECKED gpu_status count(const gpu_array *a, operation pred, size_t *n, const C &...captures) {
    return gpu_count_op(a, bind(pred, captures...), n);
}

template <class... C> GPU_CHECKED gpu_status any(const gpu_array *a, operation pred, bool *yes, const C &...captures) {
    return gpu_any_op(a, bind(pred, captures...), yes);
}

template <class... C> GPU_CHECKED gpu_status all(const gpu_array *a, operation pred, bool *yes, const C &...captures) {
    return gpu_all_op(a, bind(pred, captures...), yes);
}

/* An argument of reduce_all or map_reduce_all: an operator, an output or a capture. */
inline gpu_item item(const char *text) { return {text, 1, nullptr, 0}; }

inline gpu_item item(const gpu_capture &capture) { return {&capture, 2, nullptr, 0}; }

template <class R, class... A> gpu_item item(R (*function)(A...)) {
    return {reinterpret_cast<const void *>(function), 0, nullptr, 0};
}

template <class T> gpu_item item(T *to) { return {to, 0, element<T>::type(), sizeof(T)}; }

inline gpu_item item(const operation &op) {
    return {op.snippet ? op.snippet : op.function, op.snippet ? 1 : 0, nullptr, 0};
}

template <class... A> GPU_CHECKED gpu_status reduce_all(const gpu_array *a, operation first, const A &...others) {
    const gpu_item items[] = {item(first), item(others)..., {nullptr, 3, nullptr, 0}};
    return gpu_reduce_all_items(a, items, &first.place);
}

template <class... A> GPU_CHECKED gpu_status map_reduce_all(const gpu_array *a, operation first, const A &...others) {
    const gpu_item items[] = {item(first), item(others)..., {nullptr, 3, nullptr, 0}};
    return gpu_map_reduce_all_items(a, items, &first.place);
}

template <class T> GPU_CHECKED gpu_status mean(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_mean_op(a, out(to), &at.place);
}

template <class T, class U>
GPU_CHECKED gpu_status variance(const gpu_array *a, T *mean, U *variance, const caller &at = caller()) {
    return gpu_variance_op(a, out(mean), out(variance), &at.place);
}

template <class T> GPU_CHECKED gpu_status quantile(const gpu_array *a, double q, T *to, const caller &at = caller()) {
    return gpu_quantile_op(a, q, out(to), &at.place);
}

template <class T> GPU_CHECKED gpu_status median(const gpu_array *a, T *to, const caller &at = caller()) {
    return gpu_median_op(a, out(to), &at.place);
}

template <class T>
gpu_status histogram(const gpu_array *a, const T &low, const T &high, size_t bins, gpu_array **counts,
                     gpu_array **outside, const caller &at = caller()) {
    return gpu_histogram_op(a, in(&low), in(&high), bins, counts, outside, &at.place);
}

/* ---- select ---- */

template <class... C> gpu_array *filter(const gpu_array *a, operation pred, const C &...captures) {
    return gpu_filter_op(a, bind(pred, captures...));
}

template <class... C>
gpu_status partition(const gpu_array *a, operation pred, gpu_array **yes, gpu_array **no, const C &...captures) {
    return gpu_partition_op(a, bind(pred, captures...), yes, no);
}

template <class... C> gpu_array *take_while(const gpu_array *a, operation pred, const C &...captures) {
    return gpu_take_while_op(a, bind(pred, captures...));
}

template <class... C> gpu_array *drop_while(const gpu_array *a, operation pred, const C &...captures) {
    return gpu_drop_while_op(a, bind(pred, captures...));
}

template <class... C>
gpu_status span(const gpu_array *a, operation pred, gpu_array **prefix, gpu_array **rest, const C &...captures) {
    return gpu_span_op(a, bind(pred, captures...), prefix, rest);
}

template <class T> gpu_array *find(const gpu_array *a, const T *value, const caller &at = caller()) {
    return gpu_find_op(a, in(value), &at.place);
}

template <class... C> gpu_array *find_if(const gpu_array *a, operation pred, const C &...captures) {
    return gpu_find_if_op(a, bind(pred, captures...));
}

template <class T>
GPU_CHECKED gpu_status index_of(const gpu_array *a, const T *value, size_t *index, const caller &at = caller()) {
    return gpu_index_of_op(a, in(value), index, &at.place);
}

template <class... C>
GPU_CHECKED gpu_status index_if(const gpu_array *a, operation pred, size_t *index, const C &...captures) {
    return gpu_index_if_op(a, bind(pred, captures...), index);
}

inline gpu_array *unique(const gpu_array *a, const caller &at = caller()) { return gpu_unique_op(a, &at.place); }

template <class... C> gpu_array *unique_by(const gpu_array *a, operation equal, const C &...captures) {
    return gpu_unique_by_op(a, bind(equal, captures...));
}

/* ---- by key ---- */

template <class... C>
gpu_status reduce_by_key(const gpu_array *keys, const gpu_array *values, operation op, gpu_array **k, gpu_array **v,
                         const C &...captures) {
    return gpu_reduce_by_key_op(keys, values, bind(op, captures...), k, v);
}

template <class... C>
gpu_array *scan_by_key(const gpu_array *keys, const gpu_array *values, operation op, const C &...captures) {
    return gpu_scan_by_key_op(keys, values, bind(op, captures...));
}

template <class... C>
gpu_status group_reduce(const gpu_array *keys, const gpu_array *values, operation op, gpu_array **k, gpu_array **v,
                        const C &...captures) {
    return gpu_group_reduce_op(keys, values, bind(op, captures...), k, v);
}

inline gpu_status runs(const gpu_array *a, gpu_array **values, gpu_array **lengths, const caller &at = caller()) {
    return gpu_runs_op(a, values, lengths, &at.place);
}

/* ---- sort ---- */

/** firepile::sort takes a comparator, too, as firepile::sort_by. */
inline gpu_array *sort(const gpu_array *a, const caller &at = caller()) {
    return gpu_sort_op(a, nullptr, nullptr, &at.place);
}

template <class... C> gpu_array *sort(const gpu_array *a, operation less, const C &...captures) {
    return gpu_sort_op(a, nullptr, bind(less, captures...), &less.place);
}

template <class... C> gpu_array *sort_by(const gpu_array *a, operation less, const C &...captures) {
    return gpu_sort_op(a, nullptr, bind(less, captures...), &less.place);
}

inline gpu_array *sort_with(const gpu_array *a, const gpu_sort_options *options, const caller &at = caller()) {
    return gpu_sort_op(a, options, nullptr, &at.place);
}

template <class... C>
gpu_array *sort_with(const gpu_array *a, const gpu_sort_options *options, operation less, const C &...captures) {
    return gpu_sort_op(a, options, bind(less, captures...), &less.place);
}

inline gpu_array *sort_descending(const gpu_array *a, const caller &at = caller()) {
    return gpu_sort_descending_op(a, &at.place);
}

template <class T, class... C> gpu_array *sort_key(const gpu_array *a, operation key, const C &...captures) {
    return gpu_sort_key_op(a, element<T>::type(), bind(key, captures...));
}

inline gpu_array *argsort(const gpu_array *a, const caller &at = caller()) { return gpu_argsort_op(a, &at.place); }

template <class... C> gpu_array *argsort_by(const gpu_array *a, operation less, const C &...captures) {
    return gpu_argsort_by_op(a, bind(less, captures...));
}

inline gpu_status sort_pairs(const gpu_array *keys, const gpu_array *values, gpu_array **k, gpu_array **v,
                             const caller &at = caller()) {
    return gpu_sort_pairs_op(keys, values, nullptr, k, v, &at.place);
}

template <class... C>
gpu_status sort_pairs_by(const gpu_array *keys, const gpu_array *values, operation less, gpu_array **k, gpu_array **v,
                         const C &...captures) {
    return gpu_sort_pairs_op(keys, values, bind(less, captures...), k, v, &less.place);
}

inline gpu_array *top(const gpu_array *a, size_t k, const caller &at = caller()) { return gpu_top_op(a, k, &at.place); }

inline gpu_status top_pairs(const gpu_array *keys, const gpu_array *values, size_t n, gpu_array **k, gpu_array **v,
                            const caller &at = caller()) {
    return gpu_top_pairs_op(keys, values, n, k, v, &at.place);
}

inline GPU_CHECKED gpu_status is_sorted(const gpu_array *a, bool *yes, const caller &at = caller()) {
    return gpu_is_sorted_op(a, yes, &at.place);
}

inline gpu_array *merge(const gpu_array *a, const gpu_array *b, const caller &at = caller()) {
    return gpu_merge_op(a, b, &at.place);
}

/* ---- sorted arrays ---- */

inline gpu_array *lower_bound(const gpu_array *sorted, const gpu_array *values, const caller &at = caller()) {
    return gpu_lower_bound_op(sorted, values, &at.place);
}

inline gpu_array *upper_bound(const gpu_array *sorted, const gpu_array *values, const caller &at = caller()) {
    return gpu_upper_bound_op(sorted, values, &at.place);
}

inline gpu_array *contains(const gpu_array *sorted, const gpu_array *values, const caller &at = caller()) {
    return gpu_contains_op(sorted, values, &at.place);
}

inline gpu_array *set_union(const gpu_array *a, const gpu_array *b, const caller &at = caller()) {
    return gpu_set_union_op(a, b, &at.place);
}

inline gpu_array *set_intersection(const gpu_array *a, const gpu_array *b, const caller &at = caller()) {
    return gpu_set_intersection_op(a, b, &at.place);
}

inline gpu_array *set_difference(const gpu_array *a, const gpu_array *b, const caller &at = caller()) {
    return gpu_set_difference_op(a, b, &at.place);
}

/* ---- move ---- */

inline gpu_array *gather(const gpu_array *a, const gpu_array *indices, const caller &at = caller()) {
    return gpu_gather_op(a, indices, &at.place);
}

inline gpu_array *scatter(const gpu_array *into, const gpu_array *indices, const gpu_array *a,
                          const caller &at = caller()) {
    return gpu_scatter_op(into, indices, a, &at.place);
}

inline gpu_array *reverse(const gpu_array *a, const caller &at = caller()) { return gpu_reverse_op(a, &at.place); }

inline gpu_array *concat(const gpu_array *a, const gpu_array *b, const caller &at = caller()) {
    return gpu_concat_op(a, b, &at.place);
}

inline gpu_array *repeat(const gpu_array *a, const gpu_array *counts, const caller &at = caller()) {
    return gpu_repeat_op(a, counts, &at.place);
}

/* ---- laws ---- */

template <class... C> GPU_CHECKED gpu_status check_reduce(const gpu_array *a, operation op, const C &...captures) {
    return gpu_check_reduce_op(a, bind(op, captures...));
}

template <class... C> GPU_CHECKED gpu_status check_order(const gpu_array *a, operation less, const C &...captures) {
    return gpu_check_order_op(a, bind(less, captures...));
}

/* ---- compile ---- */

template <class T> gpu_array *symbol(gpu *g, const caller &at = caller()) {
    return gpu_symbol_op(g, element<T>::type(), &at.place);
}

inline gpu_array *symbol(gpu *g, gpu_type type, const caller &at = caller()) {
    return gpu_symbol_op(g, type, &at.place);
}

template <class T> gpu_array *symbol_value(gpu *g, const caller &at = caller()) {
    return gpu_symbol_value_op(g, element<T>::type(), &at.place);
}

inline gpu_array *symbol_value(gpu *g, gpu_type type, const caller &at = caller()) {
    return gpu_symbol_value_op(g, type, &at.place);
}

/* An array, and the place of the call. */
struct placed {
    placed(const gpu_array *array, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : a(array), place{file, line, &gpu_unit_} {}
    const gpu_array *a;
    gpu_place place;
};

/** firepile::compile(&function, result, symbols...) */
template <class... A, class... S>
GPU_CHECKED gpu_status compile(gpu_status (**function)(A...), placed result, const S *...symbols) {
    const gpu_array *const list[] = {symbols..., nullptr};
    return gpu_compile_op(function, sizeof *function, result.a, list, sizeof...(S), nullptr, &result.place);
}

/* Results, and the place of the call. */
struct results {
    results(std::initializer_list<const gpu_array *> list, const char *file = __builtin_FILE(),
            int line = __builtin_LINE())
        : all{list.begin(), list.size()}, place{file, line, &gpu_unit_} {}
    gpu_results all;
    gpu_place place;
};

/** firepile::compile_all(&function, {result, ...}, symbols...) */
template <class... A, class... S>
GPU_CHECKED gpu_status compile_all(gpu_status (**function)(A...), const results &made, const S *...symbols) {
    const gpu_array *const list[] = {symbols..., nullptr};
    return gpu_compile_all_op(function, sizeof *function, &made.all, list, sizeof...(S), nullptr, &made.place);
}

/* ---- dictionaries ---- */

template <class... C>
gpu_dict *dict_of(const gpu_array *keys, const gpu_array *values, operation op, const C &...captures) {
    return gpu_dict_of_op(keys, values, nullptr, bind(op, captures...));
}

template <class... C>
gpu_dict *dict_of_by(const gpu_array *keys, const gpu_array *values, operation less, operation op,
                     const C &...captures) {
    return gpu_dict_of_op(keys, values, bind(less, captures...), bind(op, captures...));
}

template <class K, class V>
GPU_CHECKED gpu_status dict_read(const gpu_dict *d, K *keys, V *values, size_t capacity, size_t *n,
                                 const caller &at = caller()) {
    return gpu_dict_read_op(d, out(keys), out(values), capacity, n, &at.place);
}

template <class T>
gpu_array *dict_get(const gpu_dict *d, const gpu_array *keys, const T *otherwise, const caller &at = caller()) {
    return gpu_dict_get_op(d, keys, in(otherwise), &at.place);
}

inline gpu_array *dict_get(const gpu_dict *d, const gpu_array *keys, std::nullptr_t, const caller &at = caller()) {
    return gpu_dict_get_op(d, keys, nullptr, &at.place);
}

inline gpu_array *dict_has(const gpu_dict *d, const gpu_array *keys, const caller &at = caller()) {
    return gpu_dict_has_op(d, keys, &at.place);
}

template <class T>
GPU_CHECKED gpu_status dict_contains(const gpu_dict *d, const T *key, bool *yes, const caller &at = caller()) {
    return gpu_dict_contains_op(d, in(key), yes, &at.place);
}

template <class T>
GPU_CHECKED gpu_status dict_contains_value(const gpu_dict *d, const T *value, bool *yes, const caller &at = caller()) {
    return gpu_dict_contains_value_op(d, in(value), yes, &at.place);
}

template <class... C> gpu_dict *dict_map(const gpu_dict *d, operation op, const C &...captures) {
    return gpu_dict_map_op(d, nullptr, bind(op, captures...));
}

template <class T, class... C> gpu_dict *dict_map_to(const gpu_dict *d, operation op, const C &...captures) {
    return gpu_dict_map_op(d, element<T>::type(), bind(op, captures...));
}

template <class... C> gpu_dict *dict_filter(const gpu_dict *d, operation pred, const C &...captures) {
    return gpu_dict_filter_op(d, bind(pred, captures...));
}

template <class... C> gpu_dict *dict_merge(const gpu_dict *a, const gpu_dict *b, operation op, const C &...captures) {
    return gpu_dict_merge_op(a, b, bind(op, captures...));
}

template <class... C>
gpu_dict *dict_intersect(const gpu_dict *a, const gpu_dict *b, operation op, const C &...captures) {
    return gpu_dict_intersect_op(a, b, bind(op, captures...));
}

inline gpu_dict *dict_remove(const gpu_dict *d, const gpu_array *keys, const caller &at = caller()) {
    return gpu_dict_remove_op(d, keys, &at.place);
}

inline gpu_status dict_join(const gpu_dict *d, const gpu_array *keys, const gpu_array *values, gpu_array **k,
                            gpu_array **left, gpu_array **right, const caller &at = caller()) {
    return gpu_dict_join_op(d, keys, values, k, left, right, &at.place);
}

/* ---- matrices ---- */

template <class T>
gpu_matrix *matrix_of(gpu *g, const T *data, size_t rows, size_t columns, const caller &at = caller()) {
    return gpu_matrix_of_op(g, in(data), rows, columns, &at.place);
}

inline gpu_matrix *matrix_from(const gpu_array *a, size_t rows, size_t columns, const caller &at = caller()) {
    return gpu_matrix_from_op(a, rows, columns, &at.place);
}

template <class T> gpu_matrix *matrix_identity(gpu *g, size_t n, const caller &at = caller()) {
    return gpu_matrix_identity_op(g, element<T>::type(), n, &at.place);
}

template <class T> GPU_CHECKED gpu_status matrix_read(const gpu_matrix *m, T *to, const caller &at = caller()) {
    return gpu_matrix_read_op(m, out(to), &at.place);
}

template <class... C> gpu_matrix *matrix_map(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_map_op(m, nullptr, bind(op, captures...));
}

template <class T, class... C> gpu_matrix *matrix_map_to(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_map_op(m, element<T>::type(), bind(op, captures...));
}

template <class... C>
gpu_matrix *matrix_map_to(const gpu_matrix *m, gpu_type type, operation op, const C &...captures) {
    return gpu_matrix_map_op(m, type, bind(op, captures...));
}

template <class... C>
gpu_matrix *matrix_map2(const gpu_matrix *a, const gpu_matrix *b, operation op, const C &...captures) {
    return gpu_matrix_map2_op(a, b, nullptr, bind(op, captures...));
}

template <class... C> gpu_matrix *matrix_map_lower(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_map_lower_op(m, bind(op, captures...));
}

template <class... C> gpu_matrix *matrix_map_upper(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_map_upper_op(m, bind(op, captures...));
}

template <class... C> gpu_matrix *matrix_map_diagonal(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_map_diagonal_op(m, bind(op, captures...));
}

template <class... C> gpu_matrix *matrix_map_antidiagonal(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_map_antidiagonal_op(m, bind(op, captures...));
}

/** The edge is GPU_EDGE_CLAMP or its like, or the element outside. */
template <class... C>
gpu_matrix *matrix_stencil(const gpu_matrix *m, size_t radius, const gpu_edge *edge, operation op,
                           const C &...captures) {
    return gpu_matrix_stencil_op(m, radius, edge, bind(op, captures...));
}

template <class T, class... C>
gpu_matrix *matrix_stencil(const gpu_matrix *m, size_t radius, const T &outside, operation op, const C &...captures) {
    const in value(&outside);
    const gpu_edge edge = {GPU_EDGE_KIND_VALUE, value};
    return gpu_matrix_stencil_op(m, radius, &edge, bind(op, captures...));
}

inline gpu_matrix *matrix_transpose(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_transpose_op(m, &at.place);
}

inline gpu_matrix *matrix_conjugate_transpose(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_conjugate_transpose_op(m, &at.place);
}

inline gpu_matrix *matrix_flip_rows(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_flip_rows_op(m, &at.place);
}

inline gpu_matrix *matrix_flip_columns(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_flip_columns_op(m, &at.place);
}

inline gpu_matrix *matrix_block(const gpu_matrix *m, size_t row, size_t column, size_t rows, size_t columns,
                                const caller &at = caller()) {
    return gpu_matrix_block_op(m, row, column, rows, columns, &at.place);
}

inline gpu_array *matrix_row(const gpu_matrix *m, size_t i, const caller &at = caller()) {
    return gpu_matrix_row_op(m, i, &at.place);
}

inline gpu_array *matrix_column(const gpu_matrix *m, size_t j, const caller &at = caller()) {
    return gpu_matrix_column_op(m, j, &at.place);
}

inline gpu_array *matrix_diagonal(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_diagonal_op(m, &at.place);
}

inline gpu_matrix *matrix_multiply(const gpu_matrix *a, const gpu_matrix *b, const caller &at = caller()) {
    return gpu_matrix_multiply_op(a, b, &at.place);
}

template <class... C>
gpu_matrix *matrix_multiply_by(const gpu_matrix *a, const gpu_matrix *b, operation map, operation combine,
                               const C &...captures) {
    return gpu_matrix_multiply_by_op(a, b, bind(map, captures...), bind(combine, captures...));
}

inline gpu_array *matrix_apply(const gpu_matrix *m, const gpu_array *v, const caller &at = caller()) {
    return gpu_matrix_apply_op(m, v, &at.place);
}

inline gpu_matrix *matrix_cross(const gpu_matrix *a, const gpu_matrix *b, const caller &at = caller()) {
    return gpu_matrix_cross_op(a, b, &at.place);
}

inline gpu_matrix *matrix_solve(const gpu_matrix *m, const gpu_matrix *b, const caller &at = caller()) {
    return gpu_matrix_solve_op(m, b, &at.place);
}

inline gpu_matrix *matrix_inverse(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_inverse_op(m, &at.place);
}

template <class T> GPU_CHECKED gpu_status matrix_determinant(const gpu_matrix *m, T *to, const caller &at = caller()) {
    return gpu_matrix_determinant_op(m, out(to), &at.place);
}
template <class... C> gpu_array *matrix_reduce_rows(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_reduce_rows_op(m, bind(op, captures...));
}

template <class... C> gpu_array *matrix_reduce_columns(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_reduce_columns_op(m, bind(op, captures...));
}

template <class... C> gpu_matrix *matrix_scan_rows(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_scan_rows_op(m, bind(op, captures...));
}

template <class... C> gpu_matrix *matrix_scan_columns(const gpu_matrix *m, operation op, const C &...captures) {
    return gpu_matrix_scan_columns_op(m, bind(op, captures...));
}

inline gpu_matrix *matrix_sort_rows(const gpu_matrix *m, const caller &at = caller()) {
    return gpu_matrix_sort_rows_op(m, &at.place);
}

template <class... C>
gpu_matrix *matrix_outer(const gpu_array *a, const gpu_array *b, operation op, const C &...captures) {
    return gpu_matrix_outer_op(a, b, bind(op, captures...));
}

} // namespace firepile

#endif
#endif
