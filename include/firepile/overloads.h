/** Overloads for C++, in the namespace firepile, in place of the macros of C. In C this header declares nothing.
 *
 * Overloads take element types from pointers, and the place of the call from the compiler. For operations without an
 * overload call the function behind the macro: gpu_partition_op, gpu_histogram_op, ... GPU_FUNCTIONs, GPU_STRUCTs and
 * GPU_CONSTANTs are defined in a C file. That file can hand out the address of a GPU_FUNCTION, which is an operator in
 * C++ too.
 *
 *     float k = 3, sum;
 *     gpu_array *x = firepile::array_of(g, data, n);
 *     gpu_array *y = firepile::map(x, "x * k", firepile::arg("k", k));
 *     if (firepile::reduce(y, "a + b", &sum)) std::fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_OVERLOADS_H
#define FIREPILE_OVERLOADS_H

#include <firepile/bins.h>
#include <firepile/map.h>
#include <firepile/reduce.h>
#include <firepile/scan.h>
#include <firepile/select.h>
#include <firepile/sort.h>
#include <firepile/stencil.h>

#ifdef __cplusplus

namespace firepile {

/** The element type of a C++ type: a scalar, or a vector such as gpu_float4. Other types have none. */
template <class T> struct element {
    static_assert(sizeof(T) == 0,
                  "firepile: no element type belongs to this C++ type: elements are char ... double and "
                  "gpu_float4 or its like; give a bool as a uchar, a long double as a double, of a "
                  "two-dimensional array &a[0][0], and structs to gpu_array_from_op of a C file");
    static gpu_type type() { return nullptr; }
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

/* Calls `call` with the operator and its captures. */
template <class F, class... C>
auto with(const operation &op, F call, const C &...captures)
    -> decltype(call(static_cast<const gpu_operator *>(nullptr))) {
    const gpu_capture *const list[] = {&captures..., nullptr};
    const gpu_operator bound = {op.snippet, op.function, list, &op.place};
    return call(&bound);
}

/** gpu_array_of, and gpu_read. */
template <class T> gpu_array *array_of(gpu *g, const T *data, size_t n, const caller &at = caller()) {
    const gpu_value from = {data, element<T>::type(), sizeof(T)};
    return gpu_array_of_op(g, &from, n, &at.place);
}

template <class T> GPU_CHECKED gpu_status read(const gpu_array *a, T *out, const caller &at = caller()) {
    const gpu_output to = {out, element<T>::type(), sizeof(T)};
    return gpu_read_op(a, &to, &at.place);
}

/** gpu_map and gpu_map2. map_to<T> and map2_to<T> change the element type. */
template <class... C> gpu_array *map(const gpu_array *a, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_map_op(a, nullptr, o); }, captures...);
}

template <class T, class... C> gpu_array *map_to(const gpu_array *a, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_map_op(a, element<T>::type(), o); }, captures...);
}

template <class... C> gpu_array *map2(const gpu_array *a, const gpu_array *b, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_map2_op(a, b, nullptr, o); }, captures...);
}

template <class T, class... C>
gpu_array *map2_to(const gpu_array *a, const gpu_array *b, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_map2_op(a, b, element<T>::type(), o); }, captures...);
}

/** gpu_reduce, gpu_reduced, gpu_scan. */
template <class T, class... C>
GPU_CHECKED gpu_status reduce(const gpu_array *a, operation op, T *out, const C &...captures) {
    const gpu_output to = {out, element<T>::type(), sizeof(T)};
    return with(
        op, [&](const gpu_operator *o) { return gpu_reduce_op(a, o, &to); }, captures...);
}

template <class... C> gpu_array *reduced(const gpu_array *a, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_reduced_op(a, o); }, captures...);
}

template <class... C> gpu_array *scan(const gpu_array *a, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_scan_op(a, o); }, captures...);
}

/** gpu_filter, gpu_sort, gpu_sort_by. */
template <class... C> gpu_array *filter(const gpu_array *a, operation pred, const C &...captures) {
    return with(
        pred, [=](const gpu_operator *o) { return gpu_filter_op(a, o); }, captures...);
}

inline gpu_array *sort(const gpu_array *a, const caller &at = caller()) {
    return gpu_sort_op(a, nullptr, nullptr, &at.place);
}

template <class... C> gpu_array *sort(const gpu_array *a, operation less, const C &...captures) {
    return with(
        less, [=](const gpu_operator *o) { return gpu_sort_op(a, nullptr, o, o->place); }, captures...);
}

/** gpu_bin_reduce. */
template <class T, class... C>
gpu_array *bin_reduce(const gpu_array *keys, const gpu_array *values, size_t bins, const T *start, operation op,
                      const C &...captures) {
    const gpu_value from = {start, element<T>::type(), sizeof(T)};
    return with(
        op, [=](const gpu_operator *o) { return gpu_bin_reduce_op(keys, values, bins, &from, o); }, captures...);
}

/** gpu_stencil. The edge is GPU_EDGE_CLAMP or its like, or the element outside. */
template <class... C>
gpu_array *stencil(const gpu_array *a, size_t radius, const gpu_edge *edge, operation op, const C &...captures) {
    return with(
        op, [=](const gpu_operator *o) { return gpu_stencil_op(a, radius, edge, o); }, captures...);
}

template <class T, class... C>
gpu_array *stencil(const gpu_array *a, size_t radius, const T &outside, operation op, const C &...captures) {
    const gpu_value value = {&outside, element<T>::type(), sizeof(T)};
    const gpu_edge edge = {GPU_EDGE_KIND_VALUE, &value};
    return stencil(a, radius, &edge, op, captures...);
}

} // namespace firepile

#endif
#endif
