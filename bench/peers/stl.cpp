// The sorts of C++: std::sort and its kin on one core, and those of libstdc++'s parallel mode on all, with OpenMP.
#include "sorts.hpp"

#include <functional>
#include <omp.h>
#include <parallel/algorithm>

namespace {
struct sequential {
    template <class I, class F> static void sort(I begin, I end, F less)
    {
        std::sort(begin, end, less);
    }

    template <class I, class F> static void stable_sort(I begin, I end, F less)
    {
        std::stable_sort(begin, end, less);
    }

    static void top(const float *begin, const float *end, float *, float *out, size_t count)
    {
        std::partial_sort_copy(begin, end, out, out + count, std::greater<float>());
    }
};

struct parallel {
    template <class I, class F> static void sort(I begin, I end, F less)
    {
        __gnu_parallel::sort(begin, end, less);
    }

    template <class I, class F> static void stable_sort(I begin, I end, F less)
    {
        __gnu_parallel::stable_sort(begin, end, less);
    }

    static void top(const float *begin, const float *end, float *room, float *out, size_t count)
    {
        float *last = std::copy(begin, end, room);
        __gnu_parallel::nth_element(room, room + count - 1, last, std::greater<float>());
        std::partial_sort_copy(room, room + count, out, out + count, std::greater<float>());
    }
};

// Sends the threads away: they would keep spinning for a while, beside the next to be measured.
void free_parallel(bench_trial *trial)
{
    omp_pause_resource_all(omp_pause_soft);
    closure_free(trial);
}

bench_trial *start_parallel(const bench_job *job)
{
    bench_trial *trial = start_sort<parallel>(job);
    if (trial) trial->free = free_parallel;
    return trial;
}

bench_trial *is_sorted(const bench_job *job)
{
    const int *x = static_cast<const int *>(job->elements), *end = x + job->n;
    return make_value<bool>([=](bool &value) {
        value = std::is_sorted(x, end);
        return true;
    });
}

const peer_entry others[] = {{"is_sorted", "int", is_sorted}};

bench_trial *start_sequential(const bench_job *job)
{
    bench_trial *trial = start_sort<sequential>(job);
    return trial ? trial : start_entry(others, job);
}
} // namespace

extern "C" const bench_peer bench_peers[] = {
    {"std", on_processor, start_sequential, nullptr}, {"gnu", on_processor, start_parallel, nullptr}, {}};
