// Sorts on the processor, by the functions of a library: `S` has sort, stable_sort and top.
#ifndef BENCH_SORTS_HPP
#define BENCH_SORTS_HPP

#include "closure.hpp"
#include "elements.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace {
enum { TOP = 100 };

// fill(x, n, out) makes at most n elements and returns how many there are.
template <class T, class V, class F> bench_trial *make_array(const bench_job *job, F fill)
{
    auto out = std::make_shared<std::vector<V>>(job->n);
    auto count = std::make_shared<size_t>(0);
    const T *x = static_cast<const T *>(job->elements);
    size_t n = job->n;
    return make_trial(
        [=]() mutable {
            *count = fill(x, n, out->data());
            return true;
        },
        [=](void *host) {
            std::copy_n(out->data(), *count, static_cast<V *>(host));
            return true;
        });
}

template <class S, class T> bench_trial *sort(const bench_job *job)
{
    return make_array<T, T>(job, [](const T *x, size_t n, T *out) {
        std::copy_n(x, n, out);
        S::sort(out, out + n, std::less<T>());
        return n;
    });
}

template <class S> bench_trial *sort_by(const bench_job *job)
{
    return make_array<float, float>(job, [](const float *x, size_t n, float *out) {
        std::copy_n(x, n, out);
        S::stable_sort(out, out + n, [](float a, float b) { return a < b; });
        return n;
    });
}

template <class S> bench_trial *sort_pairs(const bench_job *job)
{
    auto room = std::make_shared<std::vector<keyed>>(job->n);
    auto keys = std::make_shared<std::vector<unsigned>>(job->n);
    return make_array<keyed, unsigned>(job, [=](const keyed *x, size_t n, unsigned *values) {
        keyed *pairs = room->data();
        std::copy_n(x, n, pairs);
        S::stable_sort(pairs, pairs + n, [](const keyed &a, const keyed &b) { return a.key < b.key; });
        for (size_t i = 0; i < n; i++) {
            (*keys)[i] = pairs[i].key;
            values[i] = pairs[i].value;
        }
        return n;
    });
}

// Keys move beside their indices: to look them up would take longer.
template <class S> bench_trial *argsort(const bench_job *job)
{
    struct indexed {
        float key;
        unsigned index;
    };
    auto room = std::make_shared<std::vector<indexed>>(job->n);
    return make_array<float, size_t>(job, [=](const float *x, size_t n, size_t *out) {
        indexed *pairs = room->data();
        for (size_t i = 0; i < n; i++) pairs[i] = {x[i], unsigned(i)};
        S::stable_sort(pairs, pairs + n, [](const indexed &a, const indexed &b) { return a.key < b.key; });
        for (size_t i = 0; i < n; i++) out[i] = pairs[i].index;
        return n;
    });
}

template <class S> bench_trial *top(const bench_job *job)
{
    auto room = std::make_shared<std::vector<float>>(job->n);
    return make_array<float, float>(job, [=](const float *x, size_t n, float *out) {
        size_t count = std::min(n, size_t(TOP));
        S::top(x, x + n, room->data(), out, count);
        return count;
    });
}

// Sums first, then keys.
template <class S> bench_trial *group_sum(const bench_job *job)
{
    auto room = std::make_shared<std::vector<int>>(job->n);
    auto keys = std::make_shared<std::vector<int>>(job->n);
    return make_array<int, int>(job, [=](const int *x, size_t n, int *sums) {
        int *sorted = room->data();
        std::copy_n(x, n, sorted);
        S::stable_sort(sorted, sorted + n, [](int a, int b) { return key_of(a) < key_of(b); });
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || key_of(sorted[i]) != key_of(sorted[i - 1])) {
                (*keys)[count] = key_of(sorted[i]);
                sums[count++] = 0;
            }
            sums[count - 1] += value_of(sorted[i]);
        }
        return count;
    });
}

// Most take seconds for larger arrays: three stand for all.
bool takes_long(const bench_job *job)
{
    static const char *const taken[][2] = {
        {"sort", "uint"}, {"sort", "float"}, {"sort_by", "float"}, {"top_100", "float"}};
    if (job->n <= 1 << 20) return false;
    for (auto &names : taken)
        if (!std::strcmp(job->op, names[0]) && !std::strcmp(job->type, names[1])) return false;
    return true;
}

// They are compared with processors only: on a GPU's machine they would take the most time of all.
bool on_processor(cl_device_id device)
{
    cl_device_type type = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    return type & CL_DEVICE_TYPE_CPU;
}

template <class S> bench_trial *start_sort(const bench_job *job)
{
    if (takes_long(job)) return nullptr;
    static const peer_entry entries[] = {
        {"sort", "uint", sort<S, unsigned>},  {"sort", "int", sort<S, int>},
        {"sort", "float", sort<S, float>},    {"sort", "ulong", sort<S, unsigned long>},
        {"sort", "double", sort<S, double>},  {"sort_by", "float", sort_by<S>},
        {"bitonic", "float", sort<S, float>}, {"sort_pairs", "uint2", sort_pairs<S>},
        {"argsort", "float", argsort<S>},     {"top_100", "float", top<S>},
        {"group_sum", "int", group_sum<S>},
    };
    return start_entry(entries, job);
}
} // namespace
#endif
