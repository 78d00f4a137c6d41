// Boost.Compute on the same device, the same queue and the same buffer.
#include "closure.hpp"
#include "elements.h"

#include <boost/compute/algorithm/count_if.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/transform_reduce.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/types/struct.hpp>

namespace bc = boost::compute;

BOOST_COMPUTE_ADAPT_STRUCT(candidate, candidate, (value, index, x, y))

namespace {
BOOST_COMPUTE_FUNCTION(candidate, better_on_device, (candidate p, candidate q),
                       { return p.value > q.value || (p.value == q.value && p.index < q.index) ? p : q; });

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

bench_trial *map(const bench_job *job)
{
    using bc::lambda::_1;
    input<float> in(job);
    auto out = std::make_shared<bc::vector<float>>(job->n, in.queue.get_context());
    return make_trial(
        [=]() mutable {
            bc::transform(in.begin, in.end, out->begin(), _1 * 2.0f + 1.0f, in.queue);
            in.queue.finish();
            return true;
        },
        [=](void *host) mutable {
            bc::copy(out->begin(), out->end(), static_cast<float *>(host), in.queue);
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
    {"reduce", "float", sum<float>},     {"reduce", "int", sum<int>},
    {"reduce", "double", sum<double>},   {"min", "float", least},
    {"argmax", "candidate", argmax},     {"map", "float", map},
    {"map_reduce", "float", map_reduce}, {"count", "int", count},
    {"reduce_all", "float", reduce_all},
};

bench_trial *start(const bench_job *job)
{
    return start_entry(entries, job);
}
} // namespace

extern "C" const bench_peer bench_peers[] = {{"boost", nullptr, start}, {nullptr, nullptr, nullptr}};
