// cuRAND's Philox 4x32-10 on the first CUDA device. The memory and the generator are there before the clock starts.
#include "closure.hpp"

#include <cuda_runtime.h>
#include <curand.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {
bool check(cudaError_t status)
{
    if (status != cudaSuccess) std::fprintf(stderr, "curand: %s\n", cudaGetErrorString(status));
    return status == cudaSuccess;
}

bool check(curandStatus_t status)
{
    if (status != CURAND_STATUS_SUCCESS) std::fprintf(stderr, "curand: status %d\n", int(status));
    return status == CURAND_STATUS_SUCCESS;
}

// Uniform floats, and the sum of the first of them on the host. An odd length is rounded up.
struct uniform {
    curandGenerator_t generator = nullptr;
    float *data = nullptr;
    size_t n, few;

    explicit uniform(size_t length) : n((length + 1) / 2 * 2), few(std::min<size_t>(length, 4096))
    {
    }

    ~uniform()
    {
        if (generator) curandDestroyGenerator(generator);
        cudaFree(data);
    }

    bool prepare()
    {
        return check(cudaMalloc(&data, n * sizeof *data)) &&
               check(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10)) &&
               check(curandSetPseudoRandomGeneratorSeed(generator, 1));
    }

    bool run(float &sum)
    {
        std::vector<float> first(few);
        bool done = check(curandGenerateUniform(generator, data, n)) &&
                    check(cudaMemcpy(first.data(), data, few * sizeof *data, cudaMemcpyDeviceToHost));
        sum = std::accumulate(first.begin(), first.end(), 0.0f);
        return done;
    }
};

bench_trial *random_floats(const bench_job *job)
{
    auto numbers = std::make_shared<uniform>(job->n);
    if (!numbers->prepare()) return nullptr;
    return make_value<float>([=](float &sum) { return numbers->run(sum); });
}

const peer_entry entries[] = {{"random", "float", random_floats}};

bench_trial *start(const bench_job *job)
{
    return start_entry(entries, job);
}

// It is compared with a GPU only.
bool usable(cl_device_id device)
{
    cl_device_type type = 0;
    int devices = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    return (type & CL_DEVICE_TYPE_GPU) && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}
} // namespace

extern "C" const bench_peer bench_peers[] = {{"curand", usable, start, nullptr}, {}};
