/* Sums of products by fused multiply-adds. */
#include "host/numbers.h"

#include <math.h>

/* By itself gcc -O2 only vectorizes loops whose length it knows. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* x86 has had the instruction since 2013. Programs that are built for older ones would call a function for each
 * element. So there is a second version of each loop. */
#if defined __x86_64__ && !defined __FMA__
#define VERSIONS(T, function)                                                                                          \
    LOOP(T, newer_##T, function, __attribute__((target("avx2,fma"))))                                                  \
    LOOP(T, older_##T, function, )                                                                                     \
    void fp_add_product_##T(void *x, const void *y, const void *factor, size_t n)                                      \
    {                                                                                                                  \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))                                           \
            newer_##T(x, y, *(const T *)factor, n);                                                                    \
        else                                                                                                           \
            older_##T(x, y, *(const T *)factor, n);                                                                    \
    }
#else
#define VERSIONS(T, function)                                                                                          \
    LOOP(T, only_##T, function, )                                                                                      \
    void fp_add_product_##T(void *x, const void *y, const void *factor, size_t n)                                      \
    {                                                                                                                  \
        only_##T(x, y, *(const T *)factor, n);                                                                         \
    }
#endif

#define LOOP(T, name, function, target)                                                                                \
    target static void name(T *restrict x, const T *restrict y, T factor, size_t n)                                    \
    {                                                                                                                  \
        for (size_t k = 0; k < n; k++) x[k] = function(y[k], factor, x[k]);                                            \
    }

VERSIONS(float, fmaf)
VERSIONS(double, fma)
