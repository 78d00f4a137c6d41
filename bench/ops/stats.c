/* Mean, variance, least and largest in one pass. */
#include "../op.h"

/* Sums of the differences to the first element, which is about where the others are: so the variance loses no digits to
 * a mean that is far from zero. */
GPU_STRUCT(moments, double sum; double squares; float first; float least; float largest;);
GPU_FUNCTION(moments, moments_of, (float x, float first), {
    moments m;
    double difference = (double)x - (double)first;
    m.sum = difference;
    m.squares = difference * difference;
    m.first = first;
    m.least = x;
    m.largest = x;
    return m;
});
GPU_FUNCTION(moments, add_moments, (moments p, moments q), {
    p.sum += q.sum;
    p.squares += q.squares;
    p.least = q.least < p.least ? q.least : p.least;
    p.largest = q.largest > p.largest ? q.largest : p.largest;
    return p;
});

typedef struct statistics {
    double mean, variance;
    float least, largest;
} statistics;

static statistics statistics_of(moments m, size_t n)
{
    double count = (double)n, mean = m.sum / count;
    return (statistics){(double)m.first + mean, m.squares / count - mean * mean, m.least, m.largest};
}

static gpu_status stats(const gpu_array *in, void *out)
{
    moments total;
    gpu_array *first = gpu_slice(in, 0, 1);
    gpu_array *each = gpu_map_to(in, GPU_TYPE(moments), "moments_of(x, first[0])", GPU_ARG(first));
    gpu_status status = gpu_reduce(each, add_moments, &total, GPU_COMMUTATIVE);
    if (!status) *(statistics *)out = statistics_of(total, gpu_length(in));
    gpu_array_free(first);
    gpu_array_free(each);
    return status;
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    moments total = moments_of(x[0], x[0]);
    for (size_t i = 1; i < n; i++) total = add_moments(total, moments_of(x[i], x[0]));
    *(statistics *)out = statistics_of(total, n);
    return 1;
}

BENCH_OP(stats_float, .name = "stats", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(statistics),
         .most_on_cpu = BENCH_FAR_ON_CPU, .generate = bench_generate_float, .value = stats, .reference = reference);
