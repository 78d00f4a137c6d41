// Intel's Threading Building Blocks: std::sort and std::stable_sort with a parallel policy.
#include "sorts.hpp"

#include <execution>
#include <functional>

namespace {
struct tasks {
    template <class I, class F> static void sort(I begin, I end, F less)
    {
        std::sort(std::execution::par, begin, end, less);
    }

    template <class I, class F> static void stable_sort(I begin, I end, F less)
    {
        std::stable_sort(std::execution::par, begin, end, less);
    }

    static void top(const float *begin, const float *end, float *room, float *out, size_t count)
    {
        float *last = std::copy(begin, end, room);
        std::nth_element(std::execution::par, room, room + count - 1, last, std::greater<float>());
        std::partial_sort_copy(room, room + count, out, out + count, std::greater<float>());
    }
};
} // namespace

extern "C" const bench_peer bench_peers[] = {{"tbb", on_processor, start_sort<tasks>, nullptr}, {}};
