/* Plain C on all the processor's cores: a simple loop for each core's share, and a loop over the shares. */
#include "../peer.h"
#include "elements.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* That there is one for vectors glibc tells only those that compile with -ffast-math. */
#if defined(__GLIBC__) && defined(__x86_64__)
#pragma omp declare simd notinbranch
extern float expf(float);
#endif

enum { MOST_SHARES = 1024 };

/* Returns the number of results. A second array, where there is one, follows the first one's room for n. */
typedef size_t omp_function(const void *in, size_t n, void *out);

/* One for each core, none empty but the only one. */
static size_t count_shares(size_t n)
{
    size_t cores = (size_t)omp_get_max_threads(), most = cores < MOST_SHARES ? cores : MOST_SHARES;
    return n < most ? n + !n : most;
}

/* COMBINE_SHARES(type, total, n, operator, value of the elements begin, ..., end - 1): combines in order what the
 * shares of n elements give. A reduction clause on the outer loop would keep clang from vectorising the inner one. */
#define COMBINE_SHARES(V, total, n, op, ...)                                                                           \
    V total;                                                                                                           \
    do {                                                                                                               \
        V value[MOST_SHARES];                                                                                          \
        size_t shares = count_shares(n);                                                                               \
        _Pragma("omp parallel for schedule(static)") for (size_t k = 0; k < shares; k++)                               \
        {                                                                                                              \
            size_t begin = (n)*k / shares, end = (n) * (k + 1) / shares;                                               \
            value[k] = __VA_ARGS__;                                                                                    \
        }                                                                                                              \
        total = value[0];                                                                                              \
        for (size_t k = 1; k < shares; k++) total = op(total, value[k]);                                               \
    } while (0)

/* IN_SHARES(name, element type, result type, operator): of all elements what name_share makes of some. */
#define IN_SHARES(name, T, V, op)                                                                                      \
    static size_t name(const void *in, size_t n, void *out)                                                            \
    {                                                                                                                  \
        const T *x = in;                                                                                               \
        COMBINE_SHARES(V, total, n, op, name##_share(x + begin, end - begin));                                         \
        *(V *)out = total;                                                                                             \
        return 1;                                                                                                      \
    }                                                                                                                  \
    extern const char in_shares_ends_

#define ADD(p, q) ((p) + (q))
#define LESSER(p, q) ((p) < (q) ? (p) : (q))
#define LARGER(p, q) ((p) > (q) ? (p) : (q))

#define SUM(T)                                                                                                         \
    static T sum_##T##_share(const T *x, size_t n)                                                                     \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        _Pragma("omp simd reduction(+ : sum)") for (size_t i = 0; i < n; i++) sum += x[i];                             \
        return sum;                                                                                                    \
    }                                                                                                                  \
    IN_SHARES(sum_##T, T, T, ADD)

#define SERIAL_SHARE(name, T, op)                                                                                      \
    static T name##_share(const T *x, size_t n)                                                                        \
    {                                                                                                                  \
        T total = x[0];                                                                                                \
        for (size_t i = 1; i < n; i++) total = op(total, x[i]);                                                        \
        return total;                                                                                                  \
    }                                                                                                                  \
    extern const char serial_share_ends_

#define SERIAL(name, T, op)                                                                                            \
    SERIAL_SHARE(name, T, op);                                                                                         \
    IN_SHARES(name, T, T, op)

SUM(float);
SUM(int);
SUM(double);
SERIAL(argmax, candidate, better);
SERIAL(product, matrix, times);
SERIAL(compose, affine, then);

static float least_share(const float *x, size_t n)
{
    float least = x[0];
#pragma omp simd reduction(min : least)
    for (size_t i = 0; i < n; i++) least = LESSER(x[i], least);
    return least;
}
IN_SHARES(least, float, float, LESSER);

static float map_sum_share(const float *x, size_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += x[i] * 23;
    return sum;
}
IN_SHARES(map_sum, float, float, ADD);

static size_t count_share(const int *x, size_t n)
{
    size_t even = 0;
#pragma omp simd reduction(+ : even)
    for (size_t i = 0; i < n; i++) even += x[i] % 2 == 0;
    return even;
}
IN_SHARES(count, int, size_t, ADD);

static summary summarise_share(const float *x, size_t n)
{
    float sum = 0, least = x[0], largest = x[0];
#pragma omp simd reduction(+ : sum) reduction(min : least) reduction(max : largest)
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        least = x[i] < least ? x[i] : least;
        largest = x[i] > largest ? x[i] : largest;
    }
    return (summary){sum, least, largest};
}
IN_SHARES(summarise, float, summary, join);

static float chain_share(const float *x, size_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += chain_term(x[i]);
    return sum;
}
IN_SHARES(chain, float, float, ADD);

/* Floats are added up in blocks, and the sums of blocks in double: in one float small terms would get lost. */
enum { BLOCK = 4096 };

static size_t end_of_block(size_t begin, size_t n)
{
    return n - begin < BLOCK ? n : begin + BLOCK;
}

static powers sum_powers_share(const float *x, size_t n)
{
    double sum = 0, squares = 0;
    float largest = x[0];
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        size_t end = end_of_block(begin, n);
        float part = 0, part_of_squares = 0;
#pragma omp simd reduction(+ : part, part_of_squares) reduction(max : largest)
        for (size_t i = begin; i < end; i++) {
            part += x[i];
            part_of_squares += x[i] * x[i];
            largest = LARGER(x[i], largest);
        }
        sum += (double)part;
        squares += (double)part_of_squares;
    }
    return (powers){(float)sum, (float)squares, largest};
}
IN_SHARES(sum_powers, float, powers, join_powers);

static double squares_share(const float *x, size_t n)
{
    double sum = 0;
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        size_t end = end_of_block(begin, n);
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (size_t i = begin; i < end; i++) part += square_term(x[i]);
        sum += (double)part;
    }
    return sum;
}

static size_t squares(const void *in, size_t n, void *out)
{
    const float *x = in;
    COMBINE_SHARES(double, sum, n, ADD, squares_share(x + begin, end - begin));
    *(float *)out = (float)sum;
    return 1;
}

static moments moments_share(const float *x, size_t n, float first)
{
    double sum = 0, squares = 0;
    float least = x[0], largest = x[0];
#pragma omp simd reduction(+ : sum, squares) reduction(min : least) reduction(max : largest)
    for (size_t i = 0; i < n; i++) {
        double difference = (double)x[i] - (double)first;
        sum += difference;
        squares += difference * difference;
        least = LESSER(x[i], least);
        largest = LARGER(x[i], largest);
    }
    return (moments){sum, squares, first, least, largest};
}

static size_t stats(const void *in, size_t n, void *out)
{
    const float *x = in;
    COMBINE_SHARES(moments, total, n, add_moments, moments_share(x + begin, end - begin, x[0]));
    *(statistics *)out = statistics_of(total, n);
    return 1;
}

static float dot_share(const float *x, const float *y, size_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += dot_term(x[i], y[i]);
    return sum;
}

static size_t dot(const void *in, size_t n, void *out)
{
    const float *x = in, *y = x + n / 2;
    COMBINE_SHARES(float, sum, n / 2, ADD, dot_share(x + begin, y + begin, end - begin));
    *(float *)out = sum;
    return 1;
}

static float largest_share(const float *x, size_t n)
{
    float largest = x[0];
#pragma omp simd reduction(max : largest)
    for (size_t i = 0; i < n; i++) largest = LARGER(x[i], largest);
    return largest;
}

static double powers_share(const float *x, size_t n, float largest, float *restrict y)
{
    double sum = 0;
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        size_t end = end_of_block(begin, n);
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (size_t i = begin; i < end; i++) part += y[i] = expf(x[i] - largest);
        sum += (double)part;
    }
    return sum;
}

/* The powers are kept: storing them takes less than computing them again. */
static size_t softmax(const void *in, size_t n, void *out)
{
    const float *x = in;
    float *restrict y = out;
    COMBINE_SHARES(float, largest, n, LARGER, largest_share(x + begin, end - begin));
    COMBINE_SHARES(double, sum, n, ADD, powers_share(x + begin, end - begin, largest, y + begin));
    float scale = (float)(1 / sum);
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++) y[i] *= scale;
    return n;
}

static size_t map(const void *in, size_t n, void *out)
{
    const float *x = in;
    float *restrict y = out;
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++) y[i] = x[i] * 2 + 1;
    return n;
}

static float diffused(const float *x, size_t n, size_t i)
{
    return x[i] + 0.25f * (x[i ? i - 1 : 0] - 2 * x[i] + x[i + 1 < n ? i + 1 : i]);
}

static size_t stencil(const void *in, size_t n, void *out)
{
    const float *x = in;
    float *restrict y = out;
    const size_t last = n ? n - 1 : 0;
#pragma omp parallel for simd
    for (size_t i = 1; i < last; i++) y[i] = x[i] + 0.25f * (x[i - 1] - 2 * x[i] + x[i + 1]);
    if (n) y[0] = diffused(x, n, 0);
    if (n) y[n - 1] = diffused(x, n, n - 1);
    return n;
}

/* SCAN(name, type, operator, its neutral element), with name_share for the sum of a share: the first sweep adds the
 * shares up, the second one starts each with the sum of those before it. */
#define SCAN(name, T, op, ...)                                                                                         \
    static size_t scan_##name(const void *in, size_t n, void *out)                                                     \
    {                                                                                                                  \
        const T *x = in;                                                                                               \
        T *restrict y = out, sum[MOST_SHARES];                                                                         \
        size_t shares = count_shares(n);                                                                               \
        _Pragma("omp parallel for schedule(static)") for (size_t k = 0; k < shares; k++)                               \
        {                                                                                                              \
            size_t begin = n * k / shares, end = n * (k + 1) / shares;                                                 \
            sum[k] = name##_share(x + begin, end - begin);                                                             \
        }                                                                                                              \
        _Pragma("omp parallel for schedule(static)") for (size_t k = 0; k < shares; k++)                               \
        {                                                                                                              \
            size_t begin = n * k / shares, end = n * (k + 1) / shares;                                                 \
            T total = __VA_ARGS__;                                                                                     \
            for (size_t j = 0; j < k; j++) total = op(total, sum[j]);                                                  \
            for (size_t i = begin; i < end; i++) y[i] = total = op(total, x[i]);                                       \
        }                                                                                                              \
        return n;                                                                                                      \
    }                                                                                                                  \
    extern const char scan_ends_

SERIAL_SHARE(compose64, affine64, follow);
SCAN(sum_int, int, ADD, 0);
SCAN(sum_double, double, ADD, 0);
SCAN(compose64, affine64, follow, {1, 0});

/* A share of the elements, and of the results made from them. */
typedef struct omp_share {
    size_t begin, end;      /* elements */
    size_t first, last;     /* results */
    size_t elements, total; /* elements and results of all shares */
} omp_share;

typedef unsigned int count_function(const int *x, size_t begin, size_t end);
typedef void place_function(const int *x, const omp_share *s, void *out);

/* The first sweep counts each share's results, the second one makes them, in their places. */
static size_t select_in_shares(const int *x, size_t n, void *out, count_function *count, place_function *place)
{
    size_t first[MOST_SHARES + 1], shares = count_shares(n);
    first[0] = 0;
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < shares; k++) first[k + 1] = count(x, n * k / shares, n * (k + 1) / shares);
    for (size_t k = 0; k < shares; k++) first[k + 1] += first[k];
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < shares; k++) {
        omp_share s = {n * k / shares, n * (k + 1) / shares, first[k], first[k + 1], n, first[shares]};
        place(x, &s, out);
    }
    return first[shares];
}

/* No branch depends on the elements. The last result ends the loop: none is written into the next share's place. */
#define FILTER(percent)                                                                                                \
    static unsigned int count_##percent(const int *x, size_t begin, size_t end)                                        \
    {                                                                                                                  \
        unsigned int kept = 0;                                                                                         \
        _Pragma("omp simd reduction(+ : kept)") for (size_t i = begin; i < end; i++) kept += x[i] < percent * 10000;   \
        return kept;                                                                                                   \
    }                                                                                                                  \
    static void place_##percent(const int *x, const omp_share *s, void *out)                                           \
    {                                                                                                                  \
        int *restrict y = out;                                                                                         \
        for (size_t i = s->begin, at = s->first; at < s->last; i++) {                                                  \
            y[at] = x[i];                                                                                              \
            at += x[i] < percent * 10000;                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static size_t filter_##percent(const void *in, size_t n, void *out)                                                \
    {                                                                                                                  \
        return select_in_shares(in, n, out, count_##percent, place_##percent);                                         \
    }                                                                                                                  \
    extern const char filter_ends_

FILTER(1);
FILTER(50);
FILTER(99);

/* The others follow the selected ones. */
static void place_halves(const int *x, const omp_share *s, void *out)
{
    int *restrict y = out;
    size_t yes = s->first, no = s->total + s->begin - s->first;
    for (size_t i = s->begin; i < s->end; i++) {
        size_t kept = x[i] < 500000;
        y[kept ? yes : no] = x[i];
        yes += kept;
        no += 1 - kept;
    }
}

static size_t partition(const void *in, size_t n, void *out)
{
    return select_in_shares(in, n, out, count_50, place_halves);
}

#define SELF(x) (x)
#define ONE(x) 1

/* BY_KEY(name, key of an element, value of an element, type of the sums): pairs of neighbours are shared out; a pair of
 * different keys ends a run. The last run ends with the elements. Sums first, then keys. */
#define BY_KEY(name, KEY, VALUE, V)                                                                                    \
    static unsigned int name##_ends(const int *x, size_t begin, size_t end)                                            \
    {                                                                                                                  \
        unsigned int ends = 0;                                                                                         \
        _Pragma("omp simd reduction(+ : ends)") for (size_t i = begin; i < end; i++) ends +=                           \
            KEY(x[i]) != KEY(x[i + 1]);                                                                                \
        return ends;                                                                                                   \
    }                                                                                                                  \
    static V name##_before(const int *x, size_t i)                                                                     \
    {                                                                                                                  \
        V sum = 0;                                                                                                     \
        for (size_t j = i; j > 0 && KEY(x[j - 1]) == KEY(x[i]); j--) sum += VALUE(x[j - 1]);                           \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void name##_place(const int *x, const omp_share *s, void *out)                                              \
    {                                                                                                                  \
        V *restrict sums = out, sum = name##_before(x, s->begin);                                                      \
        int *restrict keys = (int *)(sums + s->elements + 1);                                                          \
        for (size_t i = s->begin, at = s->first; at < s->last; i++) {                                                  \
            size_t ends = KEY(x[i]) != KEY(x[i + 1]);                                                                  \
            sum += VALUE(x[i]);                                                                                        \
            sums[at] = sum;                                                                                            \
            keys[at] = KEY(x[i]);                                                                                      \
            sum = ends ? 0 : sum;                                                                                      \
            at += ends;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    static size_t name(const void *in, size_t n, void *out)                                                            \
    {                                                                                                                  \
        const int *x = in;                                                                                             \
        V *sums = out;                                                                                                 \
        size_t at = select_in_shares(x, n - 1, out, name##_ends, name##_place);                                        \
        sums[at] = name##_before(x, n - 1) + VALUE(x[n - 1]);                                                          \
        ((int *)(sums + n))[at] = KEY(x[n - 1]);                                                                       \
        return at + 1;                                                                                                 \
    }                                                                                                                  \
    extern const char by_key_ends_

BY_KEY(runs, SELF, ONE, size_t);
BY_KEY(by_key, key_of, value_of, int);

/* The elements are below 2^16. */
static void count_by_top_bits(const unsigned int *x, size_t n, int bits, size_t *count)
{
    size_t bins = (size_t)1 << bits;
    memset(count, 0, bins * sizeof *count);
#pragma omp parallel for reduction(+ : count[:bins])
    for (size_t i = 0; i < n; i++) count[x[i] >> (16 - bits)]++;
}

#define HISTOGRAM(bits, bins)                                                                                          \
    static size_t histogram_##bins(const void *in, size_t n, void *out)                                                \
    {                                                                                                                  \
        count_by_top_bits(in, n, bits, out);                                                                           \
        return bins;                                                                                                   \
    }                                                                                                                  \
    extern const char histogram_ends_

HISTOGRAM(8, 256);
HISTOGRAM(16, 65536);

#define ADD_IN_BINS(T)                                                                                                 \
    static void add_in_bins_##T(const unsigned int *x, size_t n, size_t bins, T *sums)                                 \
    {                                                                                                                  \
        memset(sums, 0, bins * sizeof *sums);                                                                          \
        _Pragma("omp parallel for reduction(+ : sums[:bins])") for (size_t i = 0; i < n; i++) sums[x[i] & 0xffff] +=   \
            (T)(x[i] >> 16);                                                                                           \
    }                                                                                                                  \
    extern const char add_in_bins_ends_

ADD_IN_BINS(int);
ADD_IN_BINS(float);

#define BINS(name, bins, T)                                                                                            \
    static size_t name(const void *in, size_t n, void *out)                                                            \
    {                                                                                                                  \
        add_in_bins_##T(in, n, bins, out);                                                                             \
        return bins;                                                                                                   \
    }                                                                                                                  \
    extern const char bins_ends_

BINS(bins_24, 24, int);
BINS(bins_24_float, 24, float);
BINS(bins_65536, 65536, int);
BINS(bins_65536_float, 65536, float);

/* The first place of `value`, or `end`. Only a piece that has it is searched one by one. */
static size_t find_in(const int *x, size_t begin, size_t end, int value)
{
    for (size_t stop; begin < end; begin = stop) {
        int hits = 0;
        stop = end - begin < 1024 ? end : begin + 1024;
#pragma omp simd reduction(| : hits)
        for (size_t i = begin; i < stop; i++) hits |= x[i] == value;
        if (!hits) continue;
        while (x[begin] != value) begin++;
        return begin;
    }
    return end;
}

/* The cores take blocks from the front until there is none before the lowest place that was found. */
static size_t find(const int *x, size_t n, int value, size_t *index)
{
    size_t next = 0, lowest = n;
#pragma omp parallel
    for (;;) {
        size_t begin, known, block = 65536;
#pragma omp critical
        {
            begin = next;
            next += block;
            known = lowest;
        }
        if (begin >= known) break;
        size_t end = n - begin < block ? n : begin + block, at = find_in(x, begin, end, value);
        if (at == end) continue;
#pragma omp critical
        lowest = at < lowest ? at : lowest;
    }
    *index = lowest == n ? (size_t)-1 : lowest;
    return 1;
}

/* Each element is its index. */
#define FIND(where, position)                                                                                          \
    static size_t find_##where(const void *in, size_t n, void *out)                                                    \
    {                                                                                                                  \
        return find(in, n, (int)(position), out);                                                                      \
    }                                                                                                                  \
    extern const char find_ends_

FIND(start, 0);
FIND(middle, n / 2);
FIND(end, n - 1);
FIND(none, n);

/* ---- square matrices ---- */

static size_t side_of(size_t n)
{
    size_t side = (size_t)sqrt((double)n);
    while (side * side > n) side--;
    while ((side + 1) * (side + 1) <= n) side++;
    return side;
}

/* PRODUCT(name, value at first, next value): a core has some rows. It takes a block of the inner index for all of them,
 * so that those rows of the second factor stay in its cache. */
#define PRODUCT(name, start, next)                                                                                     \
    static size_t name(const void *in, size_t n, void *out)                                                            \
    {                                                                                                                  \
        enum { BLOCK = 64 };                                                                                           \
        const size_t side = side_of(n), shares = count_shares(side);                                                   \
        const float *a = in;                                                                                           \
        float *c = out;                                                                                                \
        _Pragma("omp parallel for schedule(static)") for (size_t s = 0; s < shares; s++)                               \
        {                                                                                                              \
            const size_t top = side * s / shares, bottom = side * (s + 1) / shares;                                    \
            for (size_t i = top * side; i < bottom * side; i++) c[i] = start;                                          \
            for (size_t first = 0; first < side; first += BLOCK)                                                       \
                for (size_t i = top; i < bottom; i++)                                                                  \
                    for (size_t k = first; k < first + BLOCK && k < side; k++) {                                       \
                        const float x = a[i * side + k];                                                               \
                        float *row = c + i * side;                                                                     \
                        _Pragma("omp simd") for (size_t j = 0; j < side; j++)                                          \
                        {                                                                                              \
                            const float y = a[k * side + j];                                                           \
                            row[j] = next;                                                                             \
                        }                                                                                              \
                    }                                                                                                  \
        }                                                                                                              \
        return side * side;                                                                                            \
    }                                                                                                                  \
    extern const char product_ends_

PRODUCT(multiply, 0, row[j] + x * y);
PRODUCT(min_plus, HUGE_VALF, LESSER(x + y, row[j]));

/* Tile by tile, along the rows of the input. */
static size_t transpose(const void *in, size_t n, void *out)
{
    enum { TILE = 16 };
    const size_t side = side_of(n);
    const float *x = in;
    float *y = out;
#pragma omp parallel for schedule(static)
    for (size_t left = 0; left < side; left += TILE)
        for (size_t top = 0; top < side; top += TILE)
            for (size_t r = top; r < top + TILE && r < side; r++)
                for (size_t c = left; c < left + TILE && c < side; c++) y[r * side + c] = x[c * side + r];
    return side * side;
}

static size_t add_rows(const void *in, size_t n, void *out)
{
    const size_t side = side_of(n);
    float *sums = out;
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < side; r++) sums[r] = sum_float_share((const float *)in + r * side, side);
    return side;
}

/* Row by row, as they lie in memory. A core has some rows, and sums of its own. */
static size_t add_columns(const void *in, size_t n, void *out)
{
    const size_t side = side_of(n);
    const float *x = in;
    float *sums = out;
    memset(sums, 0, side * sizeof *sums);
#pragma omp parallel for reduction(+ : sums[:side])
    for (size_t r = 0; r < side; r++)
#pragma omp simd
        for (size_t c = 0; c < side; c++) sums[c] += x[r * side + c];
    return side;
}

static size_t matrix_stencil(const void *in, size_t n, void *out)
{
    const size_t side = side_of(n), last = side - 1;
    float *y = out;
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < side; r++) {
        const float *x = (const float *)in + r * side, *above = r ? x - side : x, *below = r < last ? x + side : x;
        float *to = y + r * side;
        for (size_t c = 0; c < side; c += last ? last : 1)
            to[c] = x[c] + 0.25f * (above[c] + x[c ? c - 1 : c] + x[c < last ? c + 1 : c] + below[c] - 4 * x[c]);
#pragma omp simd
        for (size_t c = 1; c < last; c++) to[c] = x[c] + 0.25f * (above[c] + x[c - 1] + x[c + 1] + below[c] - 4 * x[c]);
    }
    return side * side;
}

/* Bytes of a result; of room for the results, in all and for each element. */
#define A_VALUE(T) sizeof(T), sizeof(T), 0
#define AN_ARRAY(T) sizeof(T), 0, sizeof(T)

static const struct omp_entry {
    const char *op, *type;
    omp_function *function;
    size_t result, room, room_each;
} entries[] = {
    {"reduce", "float", sum_float, A_VALUE(float)},
    {"reduce", "int", sum_int, A_VALUE(int)},
    {"reduce", "double", sum_double, A_VALUE(double)},
    {"min", "float", least, A_VALUE(float)},
    {"argmax", "candidate", argmax, A_VALUE(candidate)},
    {"ordered", "matrix", product, A_VALUE(matrix)},
    {"ordered", "affine", compose, A_VALUE(affine)},
    {"map", "float", map, AN_ARRAY(float)},
    {"stencil", "float", stencil, AN_ARRAY(float)},
    {"multiply", "float", multiply, AN_ARRAY(float)},
    {"min_plus", "float", min_plus, AN_ARRAY(float)},
    {"transpose", "float", transpose, AN_ARRAY(float)},
    {"reduce_rows", "float", add_rows, AN_ARRAY(float)},
    {"reduce_columns", "float", add_columns, AN_ARRAY(float)},
    {"matrix_stencil", "float", matrix_stencil, AN_ARRAY(float)},
    {"map_reduce", "float", map_sum, A_VALUE(float)},
    {"count", "int", count, A_VALUE(size_t)},
    {"reduce_all", "float", summarise, A_VALUE(summary)},
    {"map_reduce_all", "float", sum_powers, A_VALUE(powers)},
    {"chain", "float", chain, A_VALUE(float)},
    {"softmax", "float", softmax, AN_ARRAY(float)},
    {"stats", "float", stats, A_VALUE(statistics)},
    {"squares", "float", squares, A_VALUE(float)},
    {"dot", "float", dot, A_VALUE(float)},
    {"scan", "int", scan_sum_int, AN_ARRAY(int)},
    {"scan", "double", scan_sum_double, AN_ARRAY(double)},
    {"scan", "affine64", scan_compose64, AN_ARRAY(affine64)},
    {"filter_1", "int", filter_1, AN_ARRAY(int)},
    {"filter_50", "int", filter_50, AN_ARRAY(int)},
    {"filter_99", "int", filter_99, AN_ARRAY(int)},
    {"partition", "int", partition, AN_ARRAY(int)},
    {"runs", "int", runs, sizeof(size_t), 0, sizeof(size_t) + sizeof(int)},
    {"by_key", "int", by_key, sizeof(int), 0, 2 * sizeof(int)},
    {"hist_256", "uint", histogram_256, sizeof(size_t), 256 * sizeof(size_t), 0},
    {"hist_65536", "uint", histogram_65536, sizeof(size_t), 65536 * sizeof(size_t), 0},
    {"bins_24", "uint", bins_24, sizeof(int), 24 * sizeof(int), 0},
    {"bins_24_float", "uint", bins_24_float, sizeof(float), 24 * sizeof(float), 0},
    {"bins_65536", "uint", bins_65536, sizeof(int), 65536 * sizeof(int), 0},
    {"bins_65536_float", "uint", bins_65536_float, sizeof(float), 65536 * sizeof(float), 0},
    {"find_start", "int", find_start, A_VALUE(size_t)},
    {"find_middle", "int", find_middle, A_VALUE(size_t)},
    {"find_end", "int", find_end, A_VALUE(size_t)},
    {"find_none", "int", find_none, A_VALUE(size_t)},
};

typedef struct omp_trial {
    bench_trial trial;
    const struct omp_entry *entry;
    const void *in;
    void *out;
    size_t n, results;
} omp_trial;

static bool run(bench_trial *trial)
{
    omp_trial *t = (omp_trial *)trial;
    t->results = t->entry->function(t->in, t->n, t->out);
    return true;
}

static bool read_result(bench_trial *trial, void *out)
{
    omp_trial *t = (omp_trial *)trial;
    memcpy(out, t->out, t->results * t->entry->result);
    return true;
}

/* Sends the threads away: they would keep spinning for a while, beside the next to be measured. */
static void free_trial(bench_trial *trial)
{
    omp_pause_resource_all(omp_pause_soft);
    free(((omp_trial *)trial)->out);
    free(trial);
}

static bench_trial *start(const bench_job *job)
{
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        const struct omp_entry *e = &entries[k];
        if (strcmp(e->op, job->op) || strcmp(e->type, job->type)) continue;
        omp_trial *t = malloc(sizeof *t);
        void *out = calloc(1, e->room + e->room_each * job->n);
        if (t && out) {
            *t = (omp_trial){{run, read_result, free_trial}, e, job->elements, out, job->n, 0};
            return &t->trial;
        }
        free(t);
        free(out);
    }
    return NULL;
}

const bench_peer bench_peers[] = {{"openmp", NULL, start, NULL}, {0}};
