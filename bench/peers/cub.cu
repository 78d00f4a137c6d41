// CUB and Thrust on the first CUDA device. CUB's temporary storage is there before the clock starts; Thrust takes its
// own.
#include "closure.hpp"
#include "elements.h"

#include <cub/cub.cuh>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <limits>

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

// call(temporary, bytes, out) is a call of cub::DeviceReduce.
template <class T, class F> bench_trial *make_cub(F call)
{
    size_t bytes = 0;
    if (!check(call(nullptr, bytes, static_cast<T *>(nullptr)))) return nullptr;
    memory temporary = allocate(bytes), out = allocate(sizeof(T));
    if (!temporary || !out) return nullptr;
    return make_value<T>([=](T &value) mutable {
        return check(call(temporary.get(), bytes, static_cast<T *>(out.get()))) &&
               check(cudaMemcpy(&value, out.get(), sizeof value, cudaMemcpyDeviceToHost));
    });
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

// call(in, out) enqueues a map.
template <class F> bench_trial *make_map(const bench_job *job, F call)
{
    input<float> in(job);
    memory out = allocate(in.n * sizeof(float));
    if (!out) return nullptr;
    return make_trial(
        [=] { return call(in, static_cast<float *>(out.get())) && check(cudaDeviceSynchronize()); },
        [=](void *host) { return check(cudaMemcpy(host, out.get(), in.n * sizeof(float), cudaMemcpyDeviceToHost)); });
}

bench_trial *cub_map(const bench_job *job)
{
    return make_map(job, [](const input<float> &in, float *out) {
        return check(cub::DeviceTransform::Transform(in.begin, out, in.n, twice_plus_one()));
    });
}

bench_trial *thrust_map(const bench_job *job)
{
    return make_map(job, [](const input<float> &in, float *out) {
        thrust::transform(thrust::device, in.begin, in.end, out, twice_plus_one());
        return true;
    });
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

const peer_entry cub_entries[] = {
    {"reduce", "float", cub_sum<float>},     {"reduce", "int", cub_sum<int>},
    {"reduce", "double", cub_sum<double>},   {"min", "float", cub_min},
    {"argmax", "candidate", cub_argmax},     {"map", "float", cub_map},
    {"map_reduce", "float", cub_map_reduce}, {"count", "int", cub_count},
    {"reduce_all", "float", cub_reduce_all},
};

const peer_entry thrust_entries[] = {
    {"reduce", "float", thrust_sum<float>},     {"reduce", "int", thrust_sum<int>},
    {"reduce", "double", thrust_sum<double>},   {"map", "float", thrust_map},
    {"map_reduce", "float", thrust_map_reduce}, {"count", "int", thrust_count},
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
} // namespace

extern "C" const bench_peer bench_peers[] = {
    {"cub", usable, cub_start}, {"thrust", usable, thrust_start}, {nullptr, nullptr, nullptr}};
