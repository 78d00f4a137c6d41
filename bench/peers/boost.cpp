// Boost.Compute on the same device, the same queue and the same buffer.
#include "closure.hpp"
#include "elements.h"

#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/count_if.hpp>
#include <boost/compute/algorithm/find.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/iota.hpp>
#include <boost/compute/algorithm/is_sorted.hpp>
#include <boost/compute/algorithm/partition_copy.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/reduce_by_key.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/stable_sort.hpp>
#include <boost/compute/algorithm/stable_sort_by_key.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/transform_reduce.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/iterator/constant_iterator.hpp>
#include <boost/compute/iterator/transform_iterator.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/types/struct.hpp>

namespace bc = boost::compute;

BOOST_COMPUTE_ADAPT_STRUCT(candidate, candidate, (value, index, x, y))

namespace {
BOOST_COMPUTE_FUNCTION(candidate, better_on_device, (candidate p, candidate q),
                       { return p.value > q.value || (p.value == q.value && p.index < q.index) ? p : q; });
BOOST_COMPUTE_FUNCTION(float, chain_term_on_device, (float x), {
    float half_x = x / 2;
    return half_x > 2 || half_x < -2 ? half_x * 6 : 0;
});
BOOST_COMPUTE_FUNCTION(int, key_on_device, (int x), { return x >> 4; });
BOOST_COMPUTE_FUNCTION(int, value_on_device, (int x), { return x & 15; });
BOOST_COMPUTE_FUNCTION(bool, less_on_device, (float a, float b), { return a < b; });
BOOST_COMPUTE_FUNCTION(bc::uint_, key_of_pair, (bc::uint2_ p), { return p.x; });
BOOST_COMPUTE_FUNCTION(bc::uint_, value_of_pair, (bc::uint2_ p), { return p.y; });

template <class T> struct input {
    bc::command_queue queue;
    bc::buffer_iterator<T> begin, end;

    explicit input(const bench_job *job)
        : queue(job->queue), begin(bc::buffer(job->buffer), 0), end(bc::buffer(job->buffer), job->n)
    {
    }
};

template <class T, class F> bench_trial *make_reduce(const bench_job *job, F op)
{
    input<T> in(job);
    return make_value<T>([=](T &value) mutable {
        bc::reduce(in.begin, in.end, &value, op, in.queue);
        return true;
    });
}

template <class T> bench_trial *sum(const bench_job *job)
{
    return make_reduce<T>(job, bc::plus<T>());
}

bench_trial *least(const bench_job *job)
{
    return make_reduce<float>(job, bc::min<float>());
}

bench_trial *argmax(const bench_job *job)
{
    return make_reduce<candidate>(job, better_on_device);
}

// call(out) fills an array of at most n elements and returns how many there are.
template <class T, class F> bench_trial *make_array(const bench_job *job, F call)
{
    bc::command_queue queue(job->queue);
    auto out = std::make_shared<bc::vector<T>>(job->n, queue.get_context());
    auto count = std::make_shared<size_t>(0);
    return make_trial(
        [=]() mutable {
            *count = call(out->begin());
            queue.finish();
            return true;
        },
        [=](void *host) mutable {
            bc::copy_n(out->begin(), *count, static_cast<T *>(host), queue);
            return true;
        });
}

bench_trial *map(const bench_job *job)
{
    using bc::lambda::_1;
    input<float> in(job);
    return make_array<float>(job, [=](bc::buffer_iterator<float> out) mutable {
        return size_t(bc::transform(in.begin, in.end, out, _1 * 2.0f + 1.0f, in.queue) - out);
    });
}

// Not of structs: it would take a zero for the sum of none.
template <class T> bench_trial *scan(const bench_job *job)
{
    input<T> in(job);
    return make_array<T>(job, [=](bc::buffer_iterator<T> out) mutable {
        return size_t(bc::inclusive_scan(in.begin, in.end, out, bc::plus<T>(), in.queue) - out);
    });
}

bool on_gpu(const bench_job *job)
{
    return bc::command_queue(job->queue).get_device().type() & bc::device::gpu;
}

// On processors the calls below need half a second and more for larger arrays, many times what the others need.
bool takes_long(const bench_job *job)
{
    return job->n > 1 << 24 && !on_gpu(job);
}

// On processors a sort of more elements does.
bool takes_seconds(const bench_job *job)
{
    return job->n > 1 << 20 && !on_gpu(job);
}

template <int percent> bench_trial *filter(const bench_job *job)
{
    if (takes_long(job)) return nullptr;
    using bc::lambda::_1;
    input<int> in(job);
    return make_array<int>(job, [=](bc::buffer_iterator<int> out) mutable {
        return size_t(bc::copy_if(in.begin, in.end, out, _1 < percent * 10000, in.queue) - out);
    });
}

bench_trial *partition(const bench_job *job)
{
    if (takes_long(job)) return nullptr;
    using bc::lambda::_1;
    input<int> in(job);
    bc::vector<int> rest(job->n, in.queue.get_context());
    return make_array<int>(job, [=](bc::buffer_iterator<int> out) mutable {
        auto ends = bc::partition_copy(in.begin, in.end, out, rest.begin(), _1 < 500000, in.queue);
        return size_t(ends.first - out);
    });
}

bench_trial *runs(const bench_job *job)
{
    if (takes_long(job)) return nullptr;
    input<int> in(job);
    bc::vector<int> keys(job->n, in.queue.get_context());
    return make_array<bc::ulong_>(job, [=](bc::buffer_iterator<bc::ulong_> out) mutable {
        auto ones = bc::make_constant_iterator<bc::ulong_>(1);
        return size_t(bc::reduce_by_key(in.begin, in.end, ones, keys.begin(), out, in.queue).second - out);
    });
}

bench_trial *by_key(const bench_job *job)
{
    if (takes_long(job)) return nullptr;
    input<int> in(job);
    bc::vector<int> keys(job->n, in.queue.get_context());
    return make_array<int>(job, [=](bc::buffer_iterator<int> out) mutable {
        auto first = bc::make_transform_iterator(in.begin, key_on_device);
        auto last = bc::make_transform_iterator(in.end, key_on_device);
        auto values = bc::make_transform_iterator(in.begin, value_on_device);
        return size_t(bc::reduce_by_key(first, last, values, keys.begin(), out, in.queue).second - out);
    });
}

// These sort in place: what they sort is a copy. On processors two types stand for all where they take seconds.
template <class T> bench_trial *sort(const bench_job *job)
{
    if (takes_seconds(job) && std::strcmp(job->type, "uint") && std::strcmp(job->type, "float")) return nullptr;
    input<T> in(job);
    return make_array<T>(job, [=](bc::buffer_iterator<T> out) mutable {
        auto end = bc::copy(in.begin, in.end, out, in.queue);
        bc::sort(out, end, in.queue);
        return size_t(end - out);
    });
}

bench_trial *sort_by(const bench_job *job)
{
    input<float> in(job);
    return make_array<float>(job, [=](bc::buffer_iterator<float> out) mutable {
        auto end = bc::copy(in.begin, in.end, out, in.queue);
        bc::stable_sort(out, end, less_on_device, in.queue);
        return size_t(end - out);
    });
}

bench_trial *sort_pairs(const bench_job *job)
{
    if (takes_seconds(job)) return nullptr;
    input<bc::uint2_> in(job);
    bc::vector<bc::uint_> keys(job->n, in.queue.get_context());
    return make_array<bc::uint_>(job, [=](bc::buffer_iterator<bc::uint_> values) mutable {
        bc::transform(in.begin, in.end, keys.begin(), key_of_pair, in.queue);
        auto end = bc::transform(in.begin, in.end, values, value_of_pair, in.queue);
        bc::stable_sort_by_key(keys.begin(), keys.end(), values, bc::less<bc::uint_>(), in.queue);
        return size_t(end - values);
    });
}

bench_trial *argsort(const bench_job *job)
{
    if (takes_seconds(job)) return nullptr;
    input<float> in(job);
    bc::vector<float> keys(job->n, in.queue.get_context());
    return make_array<bc::ulong_>(job, [=](bc::buffer_iterator<bc::ulong_> indices) mutable {
        bc::copy(in.begin, in.end, keys.begin(), in.queue);
        bc::iota(indices, indices + keys.size(), bc::ulong_(0), in.queue);
        bc::stable_sort_by_key(keys.begin(), keys.end(), indices, bc::less<float>(), in.queue);
        return keys.size();
    });
}

bench_trial *is_sorted(const bench_job *job)
{
    input<int> in(job);
    return make_value<bool>([=](bool &value) mutable {
        value = bc::is_sorted(in.begin, in.end, in.queue);
        return true;
    });
}

// Each element is its index.
bench_trial *find(const bench_job *job, size_t value)
{
    input<int> in(job);
    return make_value<size_t>([=](size_t &index) mutable {
        auto found = bc::find(in.begin, in.end, int(value), in.queue);
        index = found == in.end ? size_t(-1) : size_t(found - in.begin);
        return true;
    });
}

bench_trial *map_reduce(const bench_job *job)
{
    using bc::lambda::_1;
    input<float> in(job);
    return make_value<float>([=](float &value) mutable {
        bc::transform_reduce(in.begin, in.end, &value, _1 * 23.0f, bc::plus<float>(), in.queue);
        return true;
    });
}

bench_trial *find_start(const bench_job *job)
{
    return find(job, 0);
}

bench_trial *find_middle(const bench_job *job)
{
    return find(job, job->n / 2);
}

bench_trial *find_end(const bench_job *job)
{
    return find(job, job->n - 1);
}

bench_trial *find_none(const bench_job *job)
{
    return find(job, job->n);
}

bench_trial *chain(const bench_job *job)
{
    input<float> in(job);
    return make_value<float>([=](float &value) mutable {
        bc::transform_reduce(in.begin, in.end, &value, chain_term_on_device, bc::plus<float>(), in.queue);
        return true;
    });
}

bench_trial *count(const bench_job *job)
{
    using bc::lambda::_1;
    input<int> in(job);
    return make_value<size_t>([=](size_t &value) mutable {
        value = bc::count_if(in.begin, in.end, _1 % 2 == 0, in.queue);
        return true;
    });
}

bench_trial *reduce_all(const bench_job *job)
{
    input<float> in(job);
    return make_value<summary>([=](summary &value) mutable {
        bc::reduce(in.begin, in.end, &value.sum, bc::plus<float>(), in.queue);
        bc::reduce(in.begin, in.end, &value.least, bc::min<float>(), in.queue);
        bc::reduce(in.begin, in.end, &value.largest, bc::max<float>(), in.queue);
        return true;
    });
}

const peer_entry entries[] = {
    {"reduce", "float", sum<float>},
    {"reduce", "int", sum<int>},
    {"reduce", "double", sum<double>},
    {"min", "float", least},
    {"argmax", "candidate", argmax},
    {"map", "float", map},
    {"map_reduce", "float", map_reduce},
    {"count", "int", count},
    {"reduce_all", "float", reduce_all},
    {"chain", "float", chain},
    {"scan", "int", scan<int>},
    {"scan", "double", scan<double>},
    {"filter_1", "int", filter<1>},
    {"filter_50", "int", filter<50>},
    {"filter_99", "int", filter<99>},
    {"partition", "int", partition},
    {"runs", "int", runs},
    {"by_key", "int", by_key},
    {"sort", "uint", sort<bc::uint_>},
    {"sort", "int", sort<int>},
    {"sort", "float", sort<float>},
    {"sort", "ulong", sort<bc::ulong_>},
    {"sort", "double", sort<double>},
    {"sort_by", "float", sort_by},
    {"bitonic", "float", sort<float>},
    {"sort_pairs", "uint2", sort_pairs},
    {"argsort", "float", argsort},
    {"is_sorted", "int", is_sorted},
    {"find_start", "int", find_start},
    {"find_middle", "int", find_middle},
    {"find_end", "int", find_end},
    {"find_none", "int", find_none},
};

bench_trial *start(const bench_job *job)
{
    return start_entry(entries, job);
}
} // namespace

extern "C" const bench_peer bench_peers[] = {{"boost", nullptr, start, nullptr}, {}};
