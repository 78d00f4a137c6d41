// CUB and Thrust on the first CUDA device. CUB's temporary storage is there before the clock starts; Thrust takes its
// own.
#include "closure.hpp"
#include "elements.h"

#include <cub/cub.cuh>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {
#define DEVICE_OPERATOR(name, result, parameters, value)                                                               \
    struct name {                                                                                                      \
        __host__ __device__ result operator() parameters const                                                         \
        {                                                                                                              \
            return value;                                                                                              \
        }                                                                                                              \
    }

DEVICE_OPERATOR(times_23, float, (float x), x * 23);
DEVICE_OPERATOR(twice_plus_one, float, (float x), x * 2 + 1);
DEVICE_OPERATOR(is_even, bool, (int x), x % 2 == 0);
DEVICE_OPERATOR(count_even, size_t, (int x), x % 2 == 0);
DEVICE_OPERATOR(take_better, candidate, (candidate p, candidate q), better(p, q));
DEVICE_OPERATOR(summary_of, summary, (float x), (summary{x, x, x}));
DEVICE_OPERATOR(join_summaries, summary, (summary p, summary q), join(p, q));
DEVICE_OPERATOR(make_powers, powers, (float x), powers_of(x));
DEVICE_OPERATOR(add_powers, powers, (powers p, powers q), join_powers(p, q));
DEVICE_OPERATOR(follow_affine, affine64, (affine64 p, affine64 q), follow(p, q));
DEVICE_OPERATOR(take_key, int, (int x), key_of(x));
DEVICE_OPERATOR(take_value, int, (int x), value_of(x));
DEVICE_OPERATOR(key_of_pair, unsigned int, (keyed p), p.key);
DEVICE_OPERATOR(value_of_pair, unsigned int, (keyed p), p.value);
DEVICE_OPERATOR(widen, unsigned long long, (int x), x);
DEVICE_OPERATOR(halve, float, (float x), x / 2);
DEVICE_OPERATOR(is_large, bool, (float x), x > 2 || x < -2);
DEVICE_OPERATOR(times_6, float, (float x), x * 6);
DEVICE_OPERATOR(is_less, bool, (float a, float b), a < b);
DEVICE_OPERATOR(term_of_chain, float, (float x), chain_term(x));

DEVICE_OPERATOR(join_moments, moments, (moments p, moments q), add_moments(p, q));
DEVICE_OPERATOR(square_of, float, (float x), square_term(x));
DEVICE_OPERATOR(product_of, float, (float x, float y), dot_term(x, y));

// The first element is read where it lies.
struct moments_from {
    const float *first;
    __host__ __device__ moments operator()(float x) const
    {
        return moments_of(x, *first);
    }
};

// Of softmax, with values that the host knows; and with those that only the device does.
struct power_of {
    float largest;
    __host__ __device__ float operator()(float x) const
    {
        return power_term(x, largest);
    }
};

struct share_of {
    float largest, sum;
    __host__ __device__ float operator()(float x) const
    {
        return share_term(x, largest, sum);
    }
};

struct power_on_device {
    const float *largest;
    __host__ __device__ float operator()(float x) const
    {
        return power_term(x, *largest);
    }
};

struct share_on_device {
    const float *largest, *sum;
    __host__ __device__ float operator()(float x) const
    {
        return share_term(x, *largest, *sum);
    }
};

template <int percent> struct is_kept {
    __host__ __device__ bool operator()(int x) const
    {
        return x < percent * 10000;
    }
};

bool check(cudaError_t status)
{
    if (status != cudaSuccess) std::fprintf(stderr, "cub: %s\n", cudaGetErrorString(status));
    return status == cudaSuccess;
}

// Memory of the device that the closures share; NULL if there is none.
using memory = std::shared_ptr<void>;
memory allocate(size_t bytes)
{
    void *p = nullptr;
    return check(cudaMalloc(&p, bytes ? bytes : 1)) ? memory(p, cudaFree) : memory();
}

// The elements, on the device.
template <class T> struct input {
    memory data;
    size_t n;
    const T *begin, *end;

    explicit input(const bench_job *job) : data(allocate(job->n * sizeof(T))), n(job->n)
    {
        begin = static_cast<const T *>(data.get());
        end = begin + n;
        if (!data || !check(cudaMemcpy(data.get(), job->elements, n * sizeof(T), cudaMemcpyHostToDevice)))
            throw std::bad_alloc();
    }
};

// call(temporary, bytes, out) is a call of cub::DeviceReduce; finish(value) makes a V of what it leaves.
template <class T, class V, class F, class G> bench_trial *make_cub(F call, G finish)
{
    size_t bytes = 0;
    if (!check(call(nullptr, bytes, static_cast<T *>(nullptr)))) return nullptr;
    memory temporary = allocate(bytes), out = allocate(sizeof(T));
    if (!temporary || !out) return nullptr;
    return make_value<V>([=](V &value) mutable {
        T reduced;
        bool done = check(call(temporary.get(), bytes, static_cast<T *>(out.get()))) &&
                    check(cudaMemcpy(&reduced, out.get(), sizeof reduced, cudaMemcpyDeviceToHost));
        if (done) value = finish(reduced);
        return done;
    });
}

template <class T, class F> bench_trial *make_cub(F call)
{
    return make_cub<T, T>(call, [](T value) { return value; });
}

template <class T> bench_trial *cub_sum(const bench_job *job)
{
    input<T> in(job);
    return make_cub<T>([=](void *temporary, size_t &bytes, T *out) {
        return cub::DeviceReduce::Sum(temporary, bytes, in.begin, out, in.n);
    });
}

bench_trial *cub_min(const bench_job *job)
{
    input<float> in(job);
    return make_cub<float>([=](void *temporary, size_t &bytes, float *out) {
        return cub::DeviceReduce::Min(temporary, bytes, in.begin, out, in.n);
    });
}

bench_trial *cub_argmax(const bench_job *job)
{
    input<candidate> in(job);
    const candidate nothing = {-std::numeric_limits<float>::infinity(), 0xffffffffu, 0, 0};
    return make_cub<candidate>([=](void *temporary, size_t &bytes, candidate *out) {
        return cub::DeviceReduce::Reduce(temporary, bytes, in.begin, out, in.n, take_better(), nothing);
    });
}

bench_trial *cub_map_reduce(const bench_job *job)
{
    input<float> in(job);
    return make_cub<float>([=](void *temporary, size_t &bytes, float *out) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, cuda::std::plus<float>(),
                                                  times_23(), 0.0f);
    });
}

bench_trial *cub_count(const bench_job *job)
{
    input<int> in(job);
    return make_cub<size_t>([=](void *temporary, size_t &bytes, size_t *out) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, cuda::std::plus<size_t>(),
                                                  count_even(), size_t(0));
    });
}

bench_trial *cub_reduce_all(const bench_job *job)
{
    input<float> in(job);
    const float infinity = std::numeric_limits<float>::infinity();
    const summary nothing = {0, infinity, -infinity};
    return make_cub<summary>([=](void *temporary, size_t &bytes, summary *out) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, join_summaries(), summary_of(),
                                                  nothing);
    });
}

bench_trial *cub_map_reduce_all(const bench_job *job)
{
    input<float> in(job);
    const powers nothing = {0, 0, -std::numeric_limits<float>::infinity()};
    return make_cub<powers>([=](void *temporary, size_t &bytes, powers *out) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, add_powers(), make_powers(),
                                                  nothing);
    });
}

// The filter's elements that are dropped count as 0.
bench_trial *cub_chain(const bench_job *job)
{
    input<float> in(job);
    return make_cub<float>([=](void *temporary, size_t &bytes, float *out) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, cuda::std::plus<float>(),
                                                  term_of_chain(), 0.0f);
    });
}

moments no_moments(const bench_job *job)
{
    const float infinity = std::numeric_limits<float>::infinity();
    return {0, 0, *static_cast<const float *>(job->elements), infinity, -infinity};
}

bench_trial *cub_stats(const bench_job *job)
{
    input<float> in(job);
    const moments nothing = no_moments(job);
    return make_cub<moments, statistics>(
        [=](void *temporary, size_t &bytes, moments *out) {
            return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, join_moments(),
                                                      moments_from{in.begin}, nothing);
        },
        [=](moments total) { return statistics_of(total, in.n); });
}

bench_trial *cub_squares(const bench_job *job)
{
    input<float> in(job);
    return make_cub<float>([=](void *temporary, size_t &bytes, float *out) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, out, in.n, cuda::std::plus<float>(),
                                                  square_of(), 0.0f);
    });
}

bench_trial *cub_dot(const bench_job *job)
{
    input<float> in(job);
    return make_cub<float>([=](void *temporary, size_t &bytes, float *out) {
        auto pairs = thrust::make_zip_iterator(in.begin, in.begin + in.n / 2);
        return cub::DeviceReduce::TransformReduce(temporary, bytes, pairs, out, in.n / 2, cuda::std::plus<float>(),
                                                  thrust::make_zip_function(product_of()), 0.0f);
    });
}

template <class T> bool copy_to_host(void *host, const memory &from, size_t n)
{
    return check(cudaMemcpy(host, from.get(), n * sizeof(T), cudaMemcpyDeviceToHost));
}

// enqueue(out) makes n elements; read(host, out, n) brings them to the host.
template <class T, class F>
bench_trial *make_array(size_t n, F enqueue, bool (*read)(void *, const memory &, size_t) = copy_to_host<T>)
{
    memory out = allocate(n * sizeof(T));
    if (!out) return nullptr;
    return make_trial([=]() mutable { return enqueue(static_cast<T *>(out.get())) && check(cudaDeviceSynchronize()); },
                      [=](void *host) { return read(host, out, n); });
}

// call(temporary, bytes, out) is a call of CUB's that makes n elements.
template <class T, class F>
bench_trial *make_cub_array(size_t n, F call, bool (*read)(void *, const memory &, size_t) = copy_to_host<T>)
{
    size_t bytes = 0;
    if (!check(call(nullptr, bytes, static_cast<T *>(nullptr)))) return nullptr;
    memory temporary = allocate(bytes);
    if (!temporary) return nullptr;
    return make_array<T>(
        n, [=](T *out) mutable { return check(call(temporary.get(), bytes, out)); }, read);
}

bench_trial *cub_map(const bench_job *job)
{
    input<float> in(job);
    return make_array<float>(in.n, [=](float *out) {
        return check(cub::DeviceTransform::Transform(in.begin, out, in.n, twice_plus_one()));
    });
}

// The largest and the sum stay on the device: no call waits but the last.
bench_trial *cub_softmax(const bench_job *job)
{
    input<float> in(job);
    memory values = allocate(2 * sizeof(float));
    if (!values) return nullptr;
    auto value = [=](size_t k) { return static_cast<float *>(values.get()) + k; };
    auto find_largest = [=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::Max(temporary, bytes, in.begin, value(0), in.n);
    };
    auto add_powers = [=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::TransformReduce(temporary, bytes, in.begin, value(1), in.n, cuda::std::plus<float>(),
                                                  power_on_device{value(0)}, 0.0f);
    };
    size_t for_largest = 0, for_sum = 0;
    if (!check(find_largest(nullptr, for_largest)) || !check(add_powers(nullptr, for_sum))) return nullptr;
    memory temporary = allocate(std::max(for_largest, for_sum));
    if (!temporary) return nullptr;
    return make_array<float>(in.n, [=](float *out) mutable {
        return check(find_largest(temporary.get(), for_largest)) && check(add_powers(temporary.get(), for_sum)) &&
               check(cub::DeviceTransform::Transform(in.begin, out, in.n, share_on_device{value(0), value(1)}));
    });
}

bench_trial *thrust_map(const bench_job *job)
{
    input<float> in(job);
    return make_array<float>(in.n, [=](float *out) {
        thrust::transform(thrust::device, in.begin, in.end, out, twice_plus_one());
        return true;
    });
}

// The quickest type that CUB takes for a number of elements.
int as_int(size_t n)
{
    if (n > size_t(std::numeric_limits<int>::max())) throw std::length_error("more elements than an int counts");
    return int(n);
}

template <class T, class F> bench_trial *make_scan(const bench_job *job, F op)
{
    input<T> in(job);
    return make_cub_array<T>(in.n, [=](void *temporary, size_t &bytes, T *out) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, in.begin, out, op, as_int(in.n));
    });
}

template <class T> bench_trial *cub_scan(const bench_job *job)
{
    return make_scan<T>(job, cuda::std::plus<T>());
}

bench_trial *cub_scan_affine(const bench_job *job)
{
    return make_scan<affine64>(job, follow_affine());
}

template <class T> bench_trial *cub_sort(const bench_job *job)
{
    input<T> in(job);
    return make_cub_array<T>(in.n, [=](void *temporary, size_t &bytes, T *out) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in.begin, out, as_int(in.n));
    });
}

bench_trial *cub_sort_by(const bench_job *job)
{
    input<float> in(job);
    return make_cub_array<float>(in.n, [=](void *temporary, size_t &bytes, float *out) {
        return cub::DeviceMergeSort::StableSortKeysCopy(temporary, bytes, in.begin, out, as_int(in.n), is_less());
    });
}

// The sort by a comparator that need not be stable.
bench_trial *cub_bitonic(const bench_job *job)
{
    input<float> in(job);
    return make_cub_array<float>(in.n, [=](void *temporary, size_t &bytes, float *out) {
        return cub::DeviceMergeSort::SortKeysCopy(temporary, bytes, in.begin, out, as_int(in.n), is_less());
    });
}

// Keys and values in two arrays.
struct pairs {
    memory keys, values;
    size_t n;

    explicit pairs(const bench_job *job) : n(job->n)
    {
        input<keyed> in(job);
        keys = allocate(n * sizeof(unsigned int));
        values = allocate(n * sizeof(unsigned int));
        if (!keys || !values) throw std::bad_alloc();
        thrust::transform(thrust::device, in.begin, in.end, key_array(), key_of_pair());
        thrust::transform(thrust::device, in.begin, in.end, value_array(), value_of_pair());
    }

    unsigned int *key_array() const
    {
        return static_cast<unsigned int *>(keys.get());
    }

    unsigned int *value_array() const
    {
        return static_cast<unsigned int *>(values.get());
    }
};

bench_trial *cub_sort_pairs(const bench_job *job)
{
    pairs in(job);
    memory keys = allocate(in.n * sizeof(unsigned int));
    if (!keys) return nullptr;
    return make_cub_array<unsigned int>(in.n, [=](void *temporary, size_t &bytes, unsigned int *values) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.key_array(),
                                               static_cast<unsigned int *>(keys.get()), in.value_array(), values,
                                               as_int(in.n));
    });
}

// call(temporary, bytes, out, count) is a call of CUB's that makes at most n elements. The host gets the number.
template <class T, class F> bench_trial *make_selection(size_t n, F call)
{
    size_t bytes = 0;
    if (!check(call(nullptr, bytes, static_cast<T *>(nullptr), static_cast<int *>(nullptr)))) return nullptr;
    memory temporary = allocate(bytes), out = allocate(n * sizeof(T)), count = allocate(sizeof(int));
    if (!temporary || !out || !count) return nullptr;
    auto made = std::make_shared<int>(0);
    return make_trial(
        [=]() mutable {
            return check(call(temporary.get(), bytes, static_cast<T *>(out.get()), static_cast<int *>(count.get()))) &&
                   copy_to_host<int>(made.get(), count, 1);
        },
        [=](void *host) { return copy_to_host<T>(host, out, size_t(*made)); });
}

template <int percent> bench_trial *cub_filter(const bench_job *job)
{
    input<int> in(job);
    return make_selection<int>(in.n, [=](void *temporary, size_t &bytes, int *out, int *count) {
        return cub::DeviceSelect::If(temporary, bytes, in.begin, out, count, as_int(in.n), is_kept<percent>());
    });
}

// The elements that are not kept stand at the end of `out`.
bench_trial *cub_partition(const bench_job *job)
{
    input<int> in(job);
    return make_selection<int>(in.n, [=](void *temporary, size_t &bytes, int *out, int *count) {
        return cub::DevicePartition::If(temporary, bytes, in.begin, out, count, as_int(in.n), is_kept<50>());
    });
}

// Counts in 32 bits, which is quicker, and stores 64 as the others do.
bench_trial *cub_runs(const bench_job *job)
{
    input<int> in(job);
    memory values = allocate(in.n * sizeof(int));
    if (!values) return nullptr;
    return make_selection<unsigned long long>(
        in.n, [=](void *temporary, size_t &bytes, unsigned long long *out, int *count) {
            auto lengths = thrust::make_transform_output_iterator(out, widen());
            return cub::DeviceRunLengthEncode::Encode(temporary, bytes, in.begin, static_cast<int *>(values.get()),
                                                      lengths, count, as_int(in.n));
        });
}

bench_trial *cub_by_key(const bench_job *job)
{
    input<int> in(job);
    memory keys = allocate(in.n * sizeof(int));
    if (!keys) return nullptr;
    return make_selection<int>(in.n, [=](void *temporary, size_t &bytes, int *out, int *count) {
        return cub::DeviceReduce::ReduceByKey(
            temporary, bytes, thrust::make_transform_iterator(in.begin, take_key()), static_cast<int *>(keys.get()),
            thrust::make_transform_iterator(in.begin, take_value()), out, count, cuda::std::plus<int>(), as_int(in.n));
    });
}

bool widen_to_host(void *host, const memory &from, size_t n)
{
    std::vector<unsigned int> narrow(n);
    if (!copy_to_host<unsigned int>(narrow.data(), from, n)) return false;
    std::copy(narrow.begin(), narrow.end(), static_cast<unsigned long long *>(host));
    return true;
}

// Counts in 32 bits, which is quicker; they are widened outside the timing.
template <int bins> bench_trial *cub_histogram(const bench_job *job)
{
    input<unsigned int> in(job);
    auto call = [=](void *temporary, size_t &bytes, unsigned int *out) {
        return cub::DeviceHistogram::HistogramEven(temporary, bytes, in.begin, out, bins + 1, 0u, 65536u, as_int(in.n));
    };
    return make_cub_array<unsigned int>(bins, call, widen_to_host);
}

struct low_half {
    __host__ __device__ unsigned int operator()(unsigned int x) const { return x & 0xffff; }
};

template <class T> struct high_half {
    __host__ __device__ T operator()(unsigned int x) const { return T(x >> 16); }
};

// Sorted by as many bits as the keys have, then reduced by key, then put into bins that are zero.
template <class T, int bins, int bits> bench_trial *cub_bins(const bench_job *job)
{
    input<unsigned int> in(job);
    memory keys = allocate(in.n * sizeof(unsigned int)), values = allocate(in.n * sizeof(T));
    memory sorted_keys = allocate(in.n * sizeof(unsigned int)), sorted_values = allocate(in.n * sizeof(T));
    memory names = allocate(bins * sizeof(unsigned int)), sums = allocate(bins * sizeof(T));
    memory runs = allocate(sizeof(int));
    if (!keys || !values || !sorted_keys || !sorted_values || !names || !sums || !runs) return nullptr;
    auto *k = static_cast<unsigned int *>(keys.get()), *sk = static_cast<unsigned int *>(sorted_keys.get());
    auto *v = static_cast<T *>(values.get()), *sv = static_cast<T *>(sorted_values.get());
    auto *group = static_cast<unsigned int *>(names.get());
    auto *sum = static_cast<T *>(sums.get());
    auto *count = static_cast<int *>(runs.get());
    size_t for_sort = 0, for_runs = 0;
    auto sort = [=](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, k, sk, v, sv, as_int(in.n), 0, bits);
    };
    auto reduce = [=](void *temporary, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(temporary, bytes, sk, group, sv, sum, count, cuda::std::plus<T>(),
                                              as_int(in.n));
    };
    if (!check(sort(nullptr, for_sort)) || !check(reduce(nullptr, for_runs))) return nullptr;
    memory temporary = allocate(std::max(for_sort, for_runs));
    if (!temporary) return nullptr;
    const std::vector<memory> kept{keys, values, sorted_keys, sorted_values, names, sums, runs};
    return make_array<T>(bins, [=](T *out) mutable {
        if (kept.empty()) return false; // they live as long as this function
        thrust::transform(thrust::device, in.begin, in.end, k, low_half());
        thrust::transform(thrust::device, in.begin, in.end, v, high_half<T>());
        int made = 0;
        if (!check(sort(temporary.get(), for_sort)) || !check(reduce(temporary.get(), for_runs))) return false;
        if (!check(cudaMemset(out, 0, bins * sizeof(T)))) return false;
        if (!check(cudaMemcpy(&made, count, sizeof made, cudaMemcpyDeviceToHost))) return false;
        thrust::scatter(thrust::device, sum, sum + made, group, out);
        return true;
    });
}

// Indices of 32 bits, which are there before the clock starts; they are widened outside the timing too.
bench_trial *cub_argsort(const bench_job *job)
{
    input<float> in(job);
    memory keys = allocate(in.n * sizeof(float)), indices = allocate(in.n * sizeof(unsigned int));
    if (!keys || !indices) return nullptr;
    unsigned int *first = static_cast<unsigned int *>(indices.get());
    thrust::sequence(thrust::device, first, first + in.n);
    auto call = [=](void *temporary, size_t &bytes, unsigned int *out) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.begin, static_cast<float *>(keys.get()),
                                               static_cast<const unsigned int *>(indices.get()), out, as_int(in.n));
    };
    return make_cub_array<unsigned int>(in.n, call, widen_to_host);
}

template <class T> bench_trial *thrust_sum(const bench_job *job)
{
    input<T> in(job);
    return make_value<T>([=](T &value) {
        value = thrust::reduce(thrust::device, in.begin, in.end);
        return true;
    });
}

bench_trial *thrust_map_reduce(const bench_job *job)
{
    input<float> in(job);
    return make_value<float>([=](float &value) {
        value = thrust::transform_reduce(thrust::device, in.begin, in.end, times_23(), 0.0f, thrust::plus<float>());
        return true;
    });
}

bench_trial *thrust_count(const bench_job *job)
{
    input<int> in(job);
    return make_value<size_t>([=](size_t &value) {
        value = size_t(thrust::count_if(thrust::device, in.begin, in.end, is_even()));
        return true;
    });
}

// Each value comes back to the host, which the next call gets it from.
bench_trial *thrust_softmax(const bench_job *job)
{
    input<float> in(job);
    return make_array<float>(in.n, [=](float *out) {
        const float lowest = -std::numeric_limits<float>::infinity();
        float largest = thrust::reduce(thrust::device, in.begin, in.end, lowest, thrust::maximum<float>());
        float sum =
            thrust::transform_reduce(thrust::device, in.begin, in.end, power_of{largest}, 0.0f, thrust::plus<float>());
        thrust::transform(thrust::device, in.begin, in.end, out, share_of{largest, sum});
        return true;
    });
}

bench_trial *thrust_stats(const bench_job *job)
{
    input<float> in(job);
    const moments nothing = no_moments(job);
    return make_value<statistics>([=](statistics &value) {
        value = statistics_of(
            thrust::transform_reduce(thrust::device, in.begin, in.end, moments_from{in.begin}, nothing, join_moments()),
            in.n);
        return true;
    });
}

bench_trial *thrust_squares(const bench_job *job)
{
    input<float> in(job);
    return make_value<float>([=](float &value) {
        value = thrust::transform_reduce(thrust::device, in.begin, in.end, square_of(), 0.0f, thrust::plus<float>());
        return true;
    });
}

bench_trial *thrust_dot(const bench_job *job)
{
    input<float> in(job);
    return make_value<float>([=](float &value) {
        const float *middle = in.begin + in.n / 2;
        value =
            thrust::inner_product(thrust::device, in.begin, middle, middle, 0.0f, thrust::plus<float>(), product_of());
        return true;
    });
}

// The filter is a call of its own, the maps around it are fused into it and into the reduction.
bench_trial *thrust_chain(const bench_job *job)
{
    input<float> in(job);
    memory out = allocate(in.n * sizeof(float));
    if (!out) return nullptr;
    return make_value<float>([=](float &value) {
        float *kept = static_cast<float *>(out.get());
        auto first = thrust::make_transform_iterator(in.begin, halve());
        float *last = thrust::copy_if(thrust::device, first, first + in.n, kept, is_large());
        value = thrust::transform_reduce(thrust::device, kept, last, times_6(), 0.0f, thrust::plus<float>());
        return true;
    });
}

// Thrust sorts in place: what it sorts is a copy.
bench_trial *thrust_argsort(const bench_job *job)
{
    input<float> in(job);
    memory sorted = allocate(in.n * sizeof(float));
    if (!sorted) return nullptr;
    return make_array<unsigned long long>(in.n, [=](unsigned long long *indices) {
        float *keys = static_cast<float *>(sorted.get());
        thrust::copy(thrust::device, in.begin, in.end, keys);
        thrust::sequence(thrust::device, indices, indices + in.n);
        thrust::stable_sort_by_key(thrust::device, keys, keys + in.n, indices);
        return true;
    });
}

// There is no selection: all are sorted.
bench_trial *thrust_top(const bench_job *job)
{
    input<float> in(job);
    memory sorted = allocate(in.n * sizeof(float));
    if (!sorted) return nullptr;
    size_t count = std::min(in.n, size_t(100));
    return make_array<float>(count, [=](float *out) {
        float *all = static_cast<float *>(sorted.get());
        thrust::copy(thrust::device, in.begin, in.end, all);
        thrust::sort(thrust::device, all, all + in.n, thrust::greater<float>());
        thrust::copy_n(thrust::device, all, count, out);
        return true;
    });
}

bench_trial *thrust_group_sum(const bench_job *job)
{
    input<int> in(job);
    memory keys = allocate(in.n * sizeof(int)), values = allocate(in.n * sizeof(int));
    memory groups = allocate(in.n * sizeof(int)), sums = allocate(in.n * sizeof(int));
    if (!keys || !values || !groups || !sums) return nullptr;
    auto made = std::make_shared<size_t>(0);
    return make_trial(
        [=]() {
            int *k = static_cast<int *>(keys.get()), *v = static_cast<int *>(values.get());
            int *first = static_cast<int *>(sums.get());
            thrust::transform(thrust::device, in.begin, in.end, k, take_key());
            thrust::transform(thrust::device, in.begin, in.end, v, take_value());
            thrust::stable_sort_by_key(thrust::device, k, k + in.n, v);
            auto ends = thrust::reduce_by_key(thrust::device, k, k + in.n, v, static_cast<int *>(groups.get()), first);
            *made = size_t(ends.second - first);
            return true;
        },
        [=](void *host) { return copy_to_host<int>(host, sums, *made); });
}

bench_trial *thrust_is_sorted(const bench_job *job)
{
    input<int> in(job);
    return make_value<bool>([=](bool &value) {
        value = thrust::is_sorted(thrust::device, in.begin, in.end);
        return true;
    });
}

// Each element is its index.
bench_trial *find(const bench_job *job, size_t wanted)
{
    input<int> in(job);
    return make_value<size_t>([=](size_t &index) {
        const int *found = thrust::find(thrust::device, in.begin, in.end, int(wanted));
        index = found == in.end ? size_t(-1) : size_t(found - in.begin);
        return true;
    });
}

bench_trial *thrust_find_start(const bench_job *job)
{
    return find(job, 0);
}

bench_trial *thrust_find_middle(const bench_job *job)
{
    return find(job, job->n / 2);
}

bench_trial *thrust_find_end(const bench_job *job)
{
    return find(job, job->n - 1);
}

bench_trial *thrust_find_none(const bench_job *job)
{
    return find(job, job->n);
}

const peer_entry cub_entries[] = {
    {"reduce", "float", cub_sum<float>},
    {"reduce", "int", cub_sum<int>},
    {"reduce", "double", cub_sum<double>},
    {"min", "float", cub_min},
    {"argmax", "candidate", cub_argmax},
    {"map", "float", cub_map},
    {"map_reduce", "float", cub_map_reduce},
    {"count", "int", cub_count},
    {"reduce_all", "float", cub_reduce_all},
    {"map_reduce_all", "float", cub_map_reduce_all},
    {"chain", "float", cub_chain},
    {"softmax", "float", cub_softmax},
    {"stats", "float", cub_stats},
    {"squares", "float", cub_squares},
    {"dot", "float", cub_dot},
    {"scan", "int", cub_scan<int>},
    {"scan", "double", cub_scan<double>},
    {"scan", "affine64", cub_scan_affine},
    {"filter_1", "int", cub_filter<1>},
    {"filter_50", "int", cub_filter<50>},
    {"filter_99", "int", cub_filter<99>},
    {"partition", "int", cub_partition},
    {"runs", "int", cub_runs},
    {"by_key", "int", cub_by_key},
    {"hist_256", "uint", cub_histogram<256>},
    {"hist_65536", "uint", cub_histogram<65536>},
    {"bins_24", "uint", cub_bins<int, 24, 5>},
    {"bins_24_float", "uint", cub_bins<float, 24, 5>},
    {"bins_65536", "uint", cub_bins<int, 65536, 16>},
    {"bins_65536_float", "uint", cub_bins<float, 65536, 16>},
    {"sort", "uint", cub_sort<unsigned int>},
    {"sort", "int", cub_sort<int>},
    {"sort", "float", cub_sort<float>},
    {"sort", "ulong", cub_sort<unsigned long long>},
    {"sort", "double", cub_sort<double>},
    {"sort_by", "float", cub_sort_by},
    {"bitonic", "float", cub_bitonic},
    {"sort_pairs", "uint2", cub_sort_pairs},
    {"argsort", "float", cub_argsort},
};

const peer_entry thrust_entries[] = {
    {"reduce", "float", thrust_sum<float>},
    {"reduce", "int", thrust_sum<int>},
    {"reduce", "double", thrust_sum<double>},
    {"map", "float", thrust_map},
    {"map_reduce", "float", thrust_map_reduce},
    {"count", "int", thrust_count},
    {"chain", "float", thrust_chain},
    {"softmax", "float", thrust_softmax},
    {"stats", "float", thrust_stats},
    {"squares", "float", thrust_squares},
    {"dot", "float", thrust_dot},
    {"argsort", "float", thrust_argsort},
    {"top_100", "float", thrust_top},
    {"group_sum", "int", thrust_group_sum},
    {"is_sorted", "int", thrust_is_sorted},
    {"find_start", "int", thrust_find_start},
    {"find_middle", "int", thrust_find_middle},
    {"find_end", "int", thrust_find_end},
    {"find_none", "int", thrust_find_none},
};

bench_trial *cub_start(const bench_job *job)
{
    return start_entry(cub_entries, job);
}

bench_trial *thrust_start(const bench_job *job)
{
    return start_entry(thrust_entries, job);
}

// They are compared with a GPU only.
bool usable(cl_device_id device)
{
    cl_device_type type = 0;
    int devices = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    return (type & CL_DEVICE_TYPE_GPU) && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

// Read back from the binary: CUB tunes itself by the architecture of the code that it was compiled to.
__global__ void compiled()
{
}

bool built_for(char *text, size_t bytes)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp device;
    snprintf(text, bytes, "another architecture");
    if (cudaFuncGetAttributes(&attributes, compiled) != cudaSuccess) return false;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return false;
    int own = 10 * device.major + device.minor;
    snprintf(text, bytes, "sm_%d, CUDA %d.%d, CUB %d.%d.%d, on sm_%d", attributes.ptxVersion, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, own);
    return attributes.ptxVersion == own;
}
} // namespace

extern "C" const bench_peer bench_peers[] = {
    {"cub", usable, cub_start, built_for}, {"thrust", usable, thrust_start, built_for}, {}};
