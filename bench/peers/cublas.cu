// cuBLAS on the first CUDA device, in plain float: its default mode has no TF32. The memory and the handle are there
// before the clock starts. It takes a matrix for its transpose, since it goes column by column.
#include "closure.hpp"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <vector>

namespace {
bool check(cudaError_t status)
{
    if (status != cudaSuccess) std::fprintf(stderr, "cublas: %s\n", cudaGetErrorString(status));
    return status == cudaSuccess;
}

bool check(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS) std::fprintf(stderr, "cublas: status %d\n", int(status));
    return status == CUBLAS_STATUS_SUCCESS;
}

int side_of(size_t n)
{
    size_t side = std::sqrt(double(n));
    while (side * side > n) side--;
    while ((side + 1) * (side + 1) <= n) side++;
    return int(side);
}

// A square matrix `in`, the result `out`, and a vector of ones.
struct matrices {
    cublasHandle_t handle = nullptr;
    float *in = nullptr, *out = nullptr, *ones = nullptr;
    int side;

    explicit matrices(size_t n) : side(side_of(n))
    {
    }

    ~matrices()
    {
        if (handle) cublasDestroy(handle);
        cudaFree(in);
        cudaFree(out);
        cudaFree(ones);
    }

    size_t bytes() const
    {
        return size_t(side) * side * sizeof(float);
    }

    bool prepare(const void *elements)
    {
        const std::vector<float> one(side, 1);
        return check(cudaMalloc(&in, bytes())) && check(cudaMalloc(&out, bytes())) &&
               check(cudaMalloc(&ones, side * sizeof(float))) && check(cublasCreate(&handle)) &&
               check(cudaMemcpy(in, elements, bytes(), cudaMemcpyHostToDevice)) &&
               check(cudaMemcpy(ones, one.data(), side * sizeof(float), cudaMemcpyHostToDevice));
    }
};

const float one = 1, zero = 0;

cublasStatus_t multiply(const matrices &m)
{
    return cublasSgemm(m.handle, CUBLAS_OP_N, CUBLAS_OP_N, m.side, m.side, m.side, &one, m.in, m.side, m.in, m.side,
                       &zero, m.out, m.side);
}

cublasStatus_t transpose(const matrices &m)
{
    return cublasSgeam(m.handle, CUBLAS_OP_T, CUBLAS_OP_N, m.side, m.side, &one, m.in, m.side, &zero, m.out, m.side,
                       m.out, m.side);
}

cublasStatus_t add_rows(const matrices &m)
{
    return cublasSgemv(m.handle, CUBLAS_OP_T, m.side, m.side, &one, m.in, m.side, m.ones, 1, &zero, m.out, 1);
}

cublasStatus_t add_columns(const matrices &m)
{
    return cublasSgemv(m.handle, CUBLAS_OP_N, m.side, m.side, &one, m.in, m.side, m.ones, 1, &zero, m.out, 1);
}

// The result has as many rows as the matrix, or one.
template <cublasStatus_t call(const matrices &), bool one_row> bench_trial *make(const bench_job *job)
{
    auto m = std::make_shared<matrices>(job->n);
    if (!m->prepare(job->elements)) return nullptr;
    return make_trial([=] { return check(call(*m)) && check(cudaDeviceSynchronize()); },
                      [=](void *out) {
                          const size_t bytes = one_row ? m->side * sizeof(float) : m->bytes();
                          return check(cudaMemcpy(out, m->out, bytes, cudaMemcpyDeviceToHost));
                      });
}

const peer_entry entries[] = {{"multiply", "float", make<multiply, false>},
                              {"transpose", "float", make<transpose, false>},
                              {"reduce_rows", "float", make<add_rows, true>},
                              {"reduce_columns", "float", make<add_columns, true>}};

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

extern "C" const bench_peer bench_peers[] = {{"cublas", usable, start, nullptr}, {}};
