// Trials made of closures, for peers in C++ and CUDA.
#ifndef BENCH_CLOSURE_HPP
#define BENCH_CLOSURE_HPP

#include "../peer.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace {
struct closure_trial : bench_trial {
    std::function<bool()> body;
    std::function<bool(void *)> result;
};

// No exception leaves a peer.
template <class F> bool guarded(F f)
{
    try {
        return f();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "bench: a peer failed: %s\n", failure.what());
        return false;
    }
}

bool closure_run(bench_trial *trial)
{
    return guarded(static_cast<closure_trial *>(trial)->body);
}

bool closure_read(bench_trial *trial, void *out)
{
    return guarded([&] { return static_cast<closure_trial *>(trial)->result(out); });
}

void closure_free(bench_trial *trial)
{
    delete static_cast<closure_trial *>(trial);
}

bench_trial *make_trial(std::function<bool()> body, std::function<bool(void *)> result)
{
    closure_trial *t = new closure_trial;
    t->run = closure_run;
    t->read = closure_read;
    t->free = closure_free;
    t->body = std::move(body);
    t->result = std::move(result);
    return t;
}

// A trial whose result is the value that `compute(T &)` brings to the host. Reading it poisons it, so that the next run
// has to bring one.
template <class T, class F> bench_trial *make_value(F compute)
{
    auto value = std::make_shared<T>();
    return make_trial([=]() mutable { return compute(*value); },
                      [=](void *out) {
                          std::memcpy(out, value.get(), sizeof(T));
                          std::memset(static_cast<void *>(value.get()), 0x5a, sizeof(T));
                          return true;
                      });
}

struct peer_entry {
    const char *op, *type;
    bench_trial *(*make)(const bench_job *);
};

template <size_t N> bench_trial *start_entry(const peer_entry (&entries)[N], const bench_job *job)
{
    bench_trial *trial = nullptr;
    for (const peer_entry &e : entries) {
        if (std::strcmp(e.op, job->op) || std::strcmp(e.type, job->type)) continue;
        guarded([&] { return (trial = e.make(job)) != nullptr; });
    }
    return trial;
}
} // namespace
#endif
