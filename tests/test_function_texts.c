/* What a function's text may be, and a struct's layout: whether a program is accepted depends neither on the length
 * of its arrays nor on where they are computed. */
#include "support/refusals.h"

#include <stdlib.h>

static void begin(void)
{
    unsetenv("FIREPILE_SMALL"); /* as programs run */
}

TestSuite(function_texts, .init = begin, .timeout = 600);

/* ---- names, and the rules of snippets ---- */

GPU_FUNCTION(float, of_half, (float half), { return half + 5; });
GPU_DEVICE_FUNCTION(float, of_kernel, (float kernel), { return kernel; });
GPU_FUNCTION(float, with_local, (float x), {
    float local = x * 2;
    return local;
});
GPU_FUNCTION(float, with_global, (float a, float b), {
    float sum = a, global = sum + b;
    return global;
});
GPU_FUNCTION(bool, with_kernel, (float x), {
    const float kernel = x;
    return kernel > 0;
});
GPU_FUNCTION(int, with_constant, (float a, float b), {
    float constant = a;
    return constant < b;
});
GPU_FUNCTION(float, with_uint, (float x), {
    float uint = 1;
    return x + uint;
});
GPU_FUNCTION(float, with_sampler, (float x), {
    for (int sampler_t = 0; sampler_t < 3; sampler_t++) x++;
    return x;
});
GPU_FUNCTION(float, with_image, (float x), {
    float image2d_array_msaa_depth_t = 1;
    return x + image2d_array_msaa_depth_t;
});
GPU_FUNCTION(float, with_event, (float x), {
    float *event_t = &x;
    return *event_t;
});
GPU_FUNCTION(float, with_queue, (float x), {
    float queue_t[2] = {x, x};
    return queue_t[1];
});
GPU_FUNCTION(float, with_float4, (float x), {
    float float4 = x;
    return float4;
});
GPU_FUNCTION(float, calls_local, (float x), { return with_local(x) + 1; });

#define WORD(function, word)                                                                                           \
    function,                                                                                                          \
        .status = GPU_E_SNIPPET,                                                                                       \
        .parts = {"test_function_texts.c:", "'" word "' is a word of OpenCL C", "call the parameter or the variable"}

Test(function_texts, names_that_are_words_of_the_device)
{
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(of_half), "half"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(of_kernel, "kernel"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_local), "local"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(calls_local), "local"));
    TEST_REFUSE(TEST_OF_TWO, NULL, WORD(TEST_FUNCTION(with_global), "global"));
    TEST_REFUSE(TEST_ASKS, NULL, WORD(TEST_FUNCTION(with_kernel), "kernel"));
    TEST_REFUSE(TEST_COMPARES, NULL, WORD(TEST_FUNCTION(with_constant), "constant"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_uint), "uint"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_sampler), "sampler_t"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_image), "image2d_array_msaa_depth_t"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_event), "event_t"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_queue), "queue_t"));
    TEST_REFUSE(TEST_OF_ONE, NULL, WORD(TEST_FUNCTION(with_float4), "float4"));
}

GPU_FUNCTION(float, library_name, (float x), {
    float fp_x = x;
    return fp_x;
});
GPU_DEVICE_FUNCTION(float, no_return, (float x), {
    if (x > 2) x = 1;
});
GPU_FUNCTION(float, recursive, (float x), { return x < 1 ? x : recursive(x - 1); });

Test(function_texts, rules_of_snippets)
{
    TEST_REFUSE(TEST_OF_ONE, NULL, TEST_FUNCTION(library_name), .status = GPU_E_SNIPPET,
                .parts = {"in library_name: names that start with fp_ or FP_ belong to the library"});
    TEST_REFUSE(TEST_OF_ONE, NULL, no_return, .status = GPU_E_SNIPPET, .parts = {"in no_return: ", "returns nothing"});
    TEST_REFUSE(TEST_OF_ONE, NULL, TEST_FUNCTION(recursive), .status = GPU_E_SNIPPET,
                .parts = {"recursive", "calls itself"});
}

/* Types, casts and members are no names of variables; a function may be called like a word. */
GPU_STRUCT(sizes, unsigned char byte; uint64_t whole;);
GPU_FUNCTION(float, kernel, (float x), { return x + 1; });
GPU_FUNCTION(float, with_types, (float x, GPU_GLOBAL const float *table), {
    const unsigned char byte = (unsigned char)x;
    float const *const copy = &x;
    GPU_GLOBAL const float *first = table;
    size_t n = (size_t)sizeof(size_t);
    sizes s = {byte, (uint64_t)n};
    bool yes = (bool)s.byte;
    return kernel(first[0]) + (float const)s.whole + (float)yes + 0 * *copy;
});

Test(function_texts, words_of_the_device_that_are_no_variables)
{
    gpu_array *table;
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        const float numbers[] = {5};
        gpu_array *x = gpu_array_of(g, ((const float[]){0, 1}), 2);
        table = gpu_array_of(g, numbers, 1);
        test_holds("types", gpu_map(x, with_types, GPU_ARG(table)), GPU_FLOAT, 2, (float[]){14, 15});
        test_close(g);
    }
}

/* ---- what only the compiler tells ---- */

static float host_only(float x)
{
    return x + 1;
}
GPU_FUNCTION(float, calls_host, (float x), { return host_only(x); });
GPU_FUNCTION(float, calls_its_caller, (float x), { return calls_host(x); });
GPU_FUNCTION(float, of_variable_length, (float x), {
    int n = 3;
    float v[n];
    v[0] = x;
    return v[0];
});
GPU_FUNCTION(float, of_a_text, (float x), {
    const char *text = "abc";
    return x + (float)text[1];
});
GPU_FUNCTION(float, very_long, (float x), {
    long double y = (long double)x;
    return (float)y;
});
GPU_FUNCTION(float, long_number, (float x), { return (float)(x * 1.0L); });
GPU_FUNCTION(int, long_long, (float x), {
    long long y = (long long)x;
    return (int)y;
});

/* Few elements go to the compiler as many do. */
Test(function_texts, what_compilers_refuse_does_not_depend_on_the_length)
{
    static const void *const functions[] = {TEST_FUNCTION(calls_host),         TEST_FUNCTION(calls_its_caller),
                                            TEST_FUNCTION(of_variable_length), TEST_FUNCTION(of_a_text),
                                            TEST_FUNCTION(very_long),          TEST_FUNCTION(long_number),
                                            TEST_FUNCTION(long_long)};
    test_needs_opencl();
    gpu *g = test_open();
    static float data[1100];
    for (size_t f = 0; f < COUNT_OF(functions); f++) {
        gpu_status status[COUNT_OF(test_both_lengths)];
        for (size_t n = 0; n < COUNT_OF(test_both_lengths); n++) {
            const uint64_t launched = test_stats(g).kernels_launched;
            gpu_array *x = gpu_array_of(g, data, test_both_lengths[n]);
            status[n] = gpu_array_status(gpu_eval(gpu_map_op(x, NULL, &(gpu_operator){.function = functions[f]})));
            cr_assert(status[n] || test_stats(g).kernels_launched > launched, "function %zu ran on the host", f);
        }
        cr_assert_eq(status[0], status[1], "function %zu: %s", f, gpu_error());
    }
    test_close(g);
}

/* ---- layouts ---- */

GPU_STRUCT(unlucky, char c; gpu_double4 v;);
GPU_STRUCT(larger, gpu_long4 v; int n;);
GPU_STRUCT(outer, int n; unlucky inner;);
GPU_STRUCT(lucky, gpu_double4 v; gpu_float3 w; char c[16];);
GPU_FUNCTION(float, with_unlucky, (float x), {
    unlucky u;
    u.c = (char)x;
    return (float)u.c;
});

#define UNLUCKY "struct 'unlucky': member 'v' is at byte 16 on the host and at byte 32 on the device"

static void refuse_layout(gpu_array *a, const char *part)
{
    cr_assert_eq(gpu_array_status(a), GPU_E_LAYOUT, "%s", gpu_array_error(a));
    test_has(gpu_array_error(a), part);
}

/* When an array is made or a value captured, however many there are, and nothing is computed. */
Test(function_texts, layouts_that_host_and_device_do_not_share)
{
    static const unsigned char zeros[1100 * 256];
    static const size_t counts[] = {0, 1, 1000, 1100};
    unlucky u = {0};
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        for (size_t n = 0; n < COUNT_OF(counts); n++) {
            refuse_layout(gpu_array_from(g, GPU_TYPE(unlucky), zeros, counts[n]), UNLUCKY);
            refuse_layout(gpu_array_from(g, GPU_TYPE(larger), zeros, counts[n]),
                          "'larger' has 48 bytes on the host and 64 on the device");
            refuse_layout(gpu_array_from(g, GPU_TYPE(outer), zeros, counts[n]), UNLUCKY);
            refuse_layout(gpu_fill(g, GPU_TYPE(unlucky), &u, counts[n]), UNLUCKY);
            gpu_array *x = gpu_range(g, GPU_FLOAT, counts[n]);
            refuse_layout(gpu_map_to(x, GPU_TYPE(unlucky), "{ unlucky u; return u; }"), UNLUCKY);
            refuse_layout(gpu_map(x, "x + u.c", GPU_ARG_AS(u, GPU_TYPE(unlucky), u)), UNLUCKY);
            refuse_layout(gpu_map(x, with_unlucky), UNLUCKY);
            test_array_ok(gpu_array_from(g, GPU_TYPE(lucky), zeros, counts[n]));
        }
        refuse_layout(gpu_symbol(g, GPU_TYPE(unlucky)), UNLUCKY);
        test_close(g);
    }
}
