/* What a function declares against what it is given: the same answer whatever the operation, the device and the
 * length. */
#include "support/refusals.h"

#include "kernel/type.h"

#include <stdlib.h>
#include <string.h>

static void begin(void)
{
    unsetenv("FIREPILE_SMALL"); /* as programs run */
}

TestSuite(function_checks, .init = begin, .timeout = 600);

/* ---- captured arrays ---- */

GPU_FUNCTION(float, looked_up, (float x, GPU_GLOBAL const float *table), { return x + table[0]; });
GPU_DEVICE_FUNCTION(float, looked_up_there, (float x, __global const float *table), { return x + table[0]; });
GPU_FUNCTION(bool, is_listed, (float x, GPU_GLOBAL const float *table), { return x < table[0]; });
GPU_FUNCTION(float, capped, (float a, float b, GPU_GLOBAL const float *table),
             { return a + b < table[0] ? a + b : table[0]; });
GPU_FUNCTION(bool, nearer, (float a, float b, GPU_GLOBAL const float *table), { return a - table[0] < b - table[0]; });

static gpu_array *table;
static const gpu_capture table_capture = {"table", &table, GPU_CAPTURE_ARRAY, sizeof table};

static void capture_ints(gpu *g, test_refusal *r)
{
    table = gpu_array_of(g, ((const int[]){3, 4}), 2);
    r->captures[0] = &table_capture;
}

static void capture_floats(gpu *g, test_refusal *r)
{
    table = gpu_array_of(g, ((const float[]){3, 4}), 2);
    r->captures[0] = &table_capture;
}

#define OF_INTS                                                                                                        \
    .status = GPU_E_TYPE, .parts = {"the parameter 'table' of ", "is an array of float, and gets an array of int",     \
                                    "GPU_GLOBAL const int *table"}

Test(function_checks, captured_arrays_of_another_type)
{
    TEST_REFUSE(TEST_OF_ONE, capture_ints, TEST_FUNCTION(looked_up), OF_INTS);
    TEST_REFUSE(TEST_OF_ONE, capture_ints, looked_up_there, OF_INTS);
    TEST_REFUSE(TEST_ASKS, capture_ints, TEST_FUNCTION(is_listed), OF_INTS);
    TEST_REFUSE(TEST_OF_TWO, capture_ints, TEST_FUNCTION(capped), OF_INTS);
    TEST_REFUSE(TEST_COMPARES, capture_ints, TEST_FUNCTION(nearer), OF_INTS);
}

GPU_FUNCTION(float, writes, (float x, GPU_GLOBAL float *table), { return table[0] = x; });
GPU_DEVICE_FUNCTION(float, writes_there, (float x, __global float *table), { return table[0] = x; });
GPU_FUNCTION(float, writes_both, (float a, float b, GPU_GLOBAL float *table), { return table[0] = a + b; });

#define WRITES                                                                                                         \
    .status = GPU_E_TYPE,                                                                                              \
    .parts = {"cannot be an operator: its parameter", "float *table\": 'table' points to", "write GPU_GLOBAL const"}

Test(function_checks, parameters_that_could_change_a_captured_array)
{
    TEST_REFUSE(TEST_OF_ONE, capture_floats, TEST_FUNCTION(writes), WRITES);
    TEST_REFUSE(TEST_OF_ONE, capture_floats, writes_there, WRITES);
    TEST_REFUSE(TEST_ASKS, capture_floats, TEST_FUNCTION(writes), WRITES);
    TEST_REFUSE(TEST_OF_TWO, capture_floats, TEST_FUNCTION(writes_both), WRITES);
    TEST_REFUSE(TEST_COMPARES, capture_floats, TEST_FUNCTION(writes_both), WRITES);
}

GPU_FUNCTION(float, from_host_memory, (float x, const float *table), { return x + table[0]; });
GPU_FUNCTION(float, by_value, (float x, float table), { return x + table; });

static const float seven = 7;
static const gpu_capture seven_capture = {"table", &seven, GPU_FLOAT, sizeof seven};

static void capture_seven(gpu *g, test_refusal *r)
{
    (void)g;
    r->captures[0] = &seven_capture;
}

Test(function_checks, arrays_and_values_that_are_taken_for_each_other)
{
    TEST_REFUSE(TEST_OF_ONE, capture_floats, TEST_FUNCTION(from_host_memory), .status = GPU_E_TYPE,
                .parts = {"from_host_memory", "'table' is a pointer", "write GPU_GLOBAL const"});
    TEST_REFUSE(TEST_OF_ONE, capture_floats, TEST_FUNCTION(by_value), .status = GPU_E_TYPE,
                .parts = {"'table' of by_value(float x, float table)", "is of type float, and gets an array of float",
                          "declare it as GPU_GLOBAL const float *table"});
    TEST_REFUSE(TEST_OF_ONE, capture_seven, TEST_FUNCTION(looked_up), .status = GPU_E_TYPE,
                .parts = {"is an array of float, and gets float",
                          "declare it as float table, or capture a gpu_array of float"});
}

/* ---- structs, results, numbers of parameters ---- */

GPU_STRUCT(place_on_a_line, float x;);
GPU_STRUCT(mass, float kilograms;);
GPU_FUNCTION(mass, heavier, (mass m), {
    m.kilograms *= 2;
    return m;
});
GPU_DEVICE_FUNCTION(mass, heavier_there, (mass m), { return m; });
GPU_FUNCTION(mass, both_masses, (mass a, mass b), {
    a.kilograms += b.kilograms;
    return a;
});
GPU_FUNCTION(bool, is_lighter, (mass a, mass b), { return a.kilograms < b.kilograms; });
GPU_FUNCTION(mass, mass_of, (float x), {
    mass m = {x};
    return m;
});

#define OTHER_STRUCT(function)                                                                                         \
    TEST_FUNCTION(function), .elements = GPU_TYPE(place_on_a_line), .status = GPU_E_TYPE,                              \
                             .parts = {#function "(mass ", "is of type mass, and gets place_on_a_line",                \
                                       "gpu_map_to(array, GPU_TYPE(mass), ...)"}

Test(function_checks, structs_of_another_type)
{
    TEST_REFUSE(TEST_MAPS, NULL, OTHER_STRUCT(heavier));
    TEST_REFUSE(TEST_MAPS, NULL, heavier_there, .elements = GPU_TYPE(place_on_a_line), .status = GPU_E_TYPE,
                .parts = {"'m' of heavier_there(mass m)", "is of type mass, and gets place_on_a_line"});
    TEST_REFUSE(TEST_COMBINES, NULL, OTHER_STRUCT(both_masses));
    TEST_REFUSE(TEST_COMPARES, NULL, OTHER_STRUCT(is_lighter));
    TEST_REFUSE(TEST_OF_ONE, NULL, TEST_FUNCTION(heavier), .status = GPU_E_TYPE,
                .parts = {"is of type mass, and gets float", "declare it as float m"});
}

GPU_FUNCTION(void, nothing, (float x), { (void)x; });
GPU_DEVICE_FUNCTION(void, nothing_there, (float x), { (void)x; });

Test(function_checks, results_that_are_no_elements)
{
    TEST_REFUSE(TEST_OF_ONE, NULL, TEST_FUNCTION(nothing), .status = GPU_E_TYPE,
                .parts = {"nothing", "its result \"void\"", "returns what it computes"});
    TEST_REFUSE(TEST_OF_ONE, NULL, nothing_there, .status = GPU_E_TYPE,
                .parts = {"nothing_there", "its result \"void\""});
    TEST_REFUSE(TEST_ASKS, NULL, TEST_FUNCTION(nothing), .status = GPU_E_TYPE, .parts = {"its result \"void\""});
    TEST_REFUSE(TEST_MAPS | TEST_KEYS, NULL, TEST_FUNCTION(mass_of), .status = GPU_E_TYPE,
                .parts = {"the result of mass_of(float x)", "is of type mass, and the elements are float",
                          "GPU_TYPE(mass), mass_of)"});
    TEST_REFUSE(TEST_ASKS, NULL, TEST_FUNCTION(mass_of), .status = GPU_E_TYPE,
                .parts = {"the result of mass_of(float x)", "asks for yes or no"});
}

GPU_FUNCTION(float, of_one_value, (float a), { return a; });
GPU_FUNCTION(float, of_two, (float x, float missing), { return x + missing; });
GPU_FUNCTION(float, of_index, (float a, float b, uint64_t i), { return a + b + (float)i; });
GPU_FUNCTION(float, of_operand, (float a, float b), { return a + b; });

Test(function_checks, numbers_of_parameters)
{
    TEST_REFUSE(TEST_OF_TWO, NULL, TEST_FUNCTION(of_one_value), .status = GPU_E_ARGUMENT,
                .parts = {"of_one_value(float a)", "takes 1 value, and ", " passes 2 values"});
    TEST_REFUSE(TEST_OF_ONE, NULL, TEST_FUNCTION(of_two), .status = GPU_E_ARGUMENT,
                .parts = {"of_two(float x, float missing)", "GPU_ARG(missing)"});
    TEST_REFUSE(TEST_COMBINES, NULL, TEST_FUNCTION(of_index), .status = GPU_E_ARGUMENT,
                .parts = {"of_index", "a parameter 'i' that is no operand", "no index"});
    TEST_REFUSE(TEST_OF_ONE, NULL, TEST_FUNCTION(of_operand), .status = GPU_E_ARGUMENT,
                .parts = {"of_operand", "a parameter 'b' that is no operand", "passes 1 value"});
}

GPU_FUNCTION(float, of_two_and_step, (float a, float b, float step), { return a + b * step; });

static void advises(const gpu_array *a, const char *advice)
{
    cr_assert_eq(gpu_array_status(a), GPU_E_ARGUMENT);
    test_has(gpu_array_error(a), advice);
}

Test(function_checks, another_operation_for_another_number_of_parameters)
{
    gpu *g = test_open();
    const float step = 2;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 4);
    gpu_matrix *m = gpu_matrix_from(x, 2, 2);
    float sum;
    advises(gpu_map(x, of_operand), "gpu_map passes 1 value; call gpu_map2, which passes 2");
    advises(gpu_map(x, of_two), "call gpu_map2, which passes 2, or capture a value of that name with GPU_ARG(missing)");
    advises(gpu_map(x, of_two_and_step, GPU_ARG(step)), "call gpu_map2, which passes 2");
    advises(gpu_map2(x, x, of_one_value), "takes 1 value, and gpu_map2 passes 2 values: call gpu_map, which passes 1");
    advises(gpu_map3(x, x, x, of_operand), "takes 2 values, and gpu_map3 passes 3 values: call gpu_map2");
    advises(gpu_sort_by(x, of_one_value), "gpu_sort_by passes 2 values: call gpu_sort_key, which passes 1");
    advises(gpu_sort_key(x, GPU_FLOAT, of_operand), "gpu_sort_key passes 1 value; call gpu_sort_by");
    advises(gpu_scan(x, of_one_value), "gpu_scan passes 2 values: call gpu_map, which passes 1");
    advises(gpu_matrix_array(gpu_matrix_map(m, of_operand)), "call gpu_matrix_map2, which passes 2");
    advises(gpu_filter(x, of_operand),
            "gpu_filter passes 1 value; to capture a value, call it something else than 'b'");
    test_fails(GPU_E_ARGUMENT, gpu_reduce(x, of_one_value, &sum));
    test_has(gpu_error(), "takes 1 value, and gpu_reduce passes 2 values: call gpu_map, which passes 1");
    test_close(g);
}

/* ---- narrowing ---- */

/* The least and the largest value of an integer type, as floating numbers. */
static double least(gpu_type t)
{
    return t->kind == GPU_KIND_SIGNED ? -(double)(UINT64_C(1) << (8 * t->size - 1)) : 0;
}

static double largest(gpu_type t)
{
    unsigned bits = 8 * (unsigned)t->size - (t->kind == GPU_KIND_SIGNED);
    return 2 * (double)(UINT64_C(1) << (bits - 1));
}

static bool is_floating(gpu_type t)
{
    return t->kind == GPU_KIND_FLOATING;
}

static bool holds(gpu_type type, gpu_type from)
{
    if (is_floating(type)) return !is_floating(from) || from->size <= type->size;
    return !is_floating(from) && least(type) <= least(from) && largest(from) <= largest(type);
}

Test(function_checks, types_that_hold_all_values_of_others)
{
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        for (size_t f = 0; f < TEST_SCALARS; f++)
            cr_assert_eq(fp_type_holds(type, test_scalars[f]), holds(type, test_scalars[f]), "%s for %s", type->name,
                         test_scalars[f]->name);
        cr_assert(fp_type_holds(type, &fp_type_bool));
        cr_assert_eq(fp_type_holds(&fp_type_bool, type), type == GPU_UCHAR);
    }
}

GPU_FUNCTION(int, of_int, (int x), { return x; });
GPU_DEVICE_FUNCTION(int, of_int_there, (int x), { return x; });
GPU_FUNCTION(int, add_ints, (int a, int b), { return a + b; });
GPU_FUNCTION(bool, less_ints, (int a, int b), { return a < b; });
GPU_FUNCTION(unsigned, of_unsigned, (unsigned x), { return x; });
GPU_FUNCTION(float, add_floats, (float a, float b), { return a + b; });

#define NARROWS(function, parameter, to, from, ELEMENTS, TO)                                                           \
    function, .elements = ELEMENTS, .status = GPU_E_TYPE,                                                              \
              .parts = {"the parameter '" parameter "' of ",                                                           \
                        "is of type " to ", and gets " from ": " to " does not hold all",                              \
                        "declare it as " from " " parameter ", or ", "gpu_map_to(array, " #TO ", ...)"}

Test(function_checks, elements_that_a_parameter_does_not_hold)
{
    TEST_REFUSE(TEST_OF_ONE, NULL, NARROWS(TEST_FUNCTION(of_int), "x", "int", "long", GPU_LONG, GPU_INT));
    TEST_REFUSE(TEST_OF_ONE, NULL, NARROWS(of_int_there, "x", "int", "float", GPU_FLOAT, GPU_INT));
    TEST_REFUSE(TEST_OF_ONE, NULL, NARROWS(TEST_FUNCTION(of_unsigned), "x", "uint", "short", GPU_SHORT, GPU_UINT));
    TEST_REFUSE(TEST_ASKS, NULL, NARROWS(TEST_FUNCTION(of_int), "x", "int", "uint", GPU_UINT, GPU_INT));
    TEST_REFUSE(TEST_OF_TWO, NULL, NARROWS(TEST_FUNCTION(add_ints), "a", "int", "long", GPU_LONG, GPU_INT));
    TEST_REFUSE(TEST_OF_TWO, NULL, NARROWS(TEST_FUNCTION(add_floats), "a", "float", "double", GPU_DOUBLE, GPU_FLOAT));
    TEST_REFUSE(TEST_COMPARES, NULL, NARROWS(TEST_FUNCTION(less_ints), "a", "int", "float", GPU_FLOAT, GPU_INT));
}

GPU_FUNCTION(float, scaled, (float x, float factor), { return x * factor; });
GPU_FUNCTION(int, shifted, (int x, int factor), { return x + factor; });

static const double deep = 1.23456789;
static const int64_t far = INT64_C(4294967298);
static const gpu_capture deep_capture = {"factor", &deep, GPU_DOUBLE, sizeof deep};
static const gpu_capture far_capture = {"factor", &far, GPU_LONG, sizeof far};

static void capture_deep(gpu *g, test_refusal *r)
{
    (void)g;
    r->captures[0] = &deep_capture;
}

static void capture_far(gpu *g, test_refusal *r)
{
    (void)g;
    r->captures[0] = &far_capture;
}

Test(function_checks, captured_values_that_a_parameter_does_not_hold)
{
    TEST_REFUSE(TEST_OF_ONE, capture_deep, TEST_FUNCTION(scaled), .status = GPU_E_TYPE,
                .parts = {"the parameter 'factor' of scaled(", "is of type float, and gets double",
                          "declare it as double factor, or capture a float"});
    TEST_REFUSE(TEST_OF_ONE, capture_far, TEST_FUNCTION(shifted), .elements = GPU_INT, .status = GPU_E_TYPE,
                .parts = {"the parameter 'factor' of shifted(", "is of type int, and gets long"});
}

GPU_FUNCTION(float, third, (int x), { return (float)x / 3; });
GPU_DEVICE_FUNCTION(float, third_there, (int x), { return x / 3.0f; });
GPU_FUNCTION(double, mean, (double a, double b), { return (a + b) / 2; });

Test(function_checks, results_that_an_element_does_not_hold)
{
    TEST_REFUSE(TEST_MAPS, NULL, TEST_FUNCTION(third), .elements = GPU_INT, .status = GPU_E_TYPE,
                .parts = {"the result of third(int x)", "is of type float, and the elements are int",
                          "gpu_map_to(..., GPU_FLOAT, third)"});
    TEST_REFUSE(TEST_MAPS, NULL, third_there, .elements = GPU_INT, .status = GPU_E_TYPE,
                .parts = {"gpu_map_to(..., GPU_FLOAT, third_there)"});
    TEST_REFUSE(TEST_MAPS_FIRST, NULL, TEST_FUNCTION(third), .elements = GPU_INT, .status = GPU_E_TYPE,
                .parts = {"is of type float, and the elements are int", "or take an output of type float"});
    TEST_REFUSE(TEST_KEYS, NULL, TEST_FUNCTION(third), .elements = GPU_INT, .status = GPU_E_TYPE,
                .parts = {"gpu_sort_key(..., GPU_FLOAT, third)"});
    TEST_REFUSE(TEST_MAPS_TWO, NULL, TEST_FUNCTION(mean), .status = GPU_E_TYPE,
                .parts = {"gpu_map2_to(..., GPU_DOUBLE, mean)"});
    TEST_REFUSE(TEST_COMBINES, NULL, TEST_FUNCTION(mean), .status = GPU_E_TYPE,
                .parts = {"is of type double, and the elements are float", "declare it as float",
                          "gpu_map_to(array, GPU_DOUBLE, ...)"});
}

GPU_FUNCTION(float, as_float, (int64_t x, int8_t i), { return (float)(x + i); });
GPU_FUNCTION(double, weighed, (double x, double weight, bool flag, float i), { return flag ? x * weight + i : 0; });
GPU_FUNCTION(bool, is_odd, (uint8_t x), { return x % 2 == 1; });
GPU_FUNCTION(double, is_large, (int x), { return x > 3 ? 0.5 : 0; });

/* What rounds but does not narrow, the index, predicates of any scalar, and snippets, which convert as C does. */
Test(function_checks, conversions_that_are_allowed)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        int data[] = {1, 2, 3, 4, 5, 6};
        bool flag = true;
        uint16_t weight = 3;
        gpu_array *x = gpu_array_of(g, data, 6), *bytes = gpu_array_of(g, ((const uint8_t[]){1, 2, 3, 4, 5, 6}), 6);
        test_holds("as_float", gpu_map_to(x, GPU_FLOAT, as_float), GPU_FLOAT, 6, (float[]){1, 3, 5, 7, 9, 11});
        test_holds("weighed", gpu_map_to(x, GPU_DOUBLE, weighed, GPU_ARG(weight), GPU_ARG(flag)), GPU_DOUBLE, 6,
                   (double[]){3, 7, 11, 15, 19, 23});
        test_holds("is_odd", gpu_map(bytes, is_odd), GPU_UCHAR, 6, (uint8_t[]){1, 0, 1, 0, 1, 0});
        test_holds("filtered", gpu_filter(x, is_large), GPU_INT, 3, (int[]){4, 5, 6});
        test_holds("x", gpu_map_to(x, GPU_UCHAR, "x"), GPU_UCHAR, 6, (uint8_t[]){1, 2, 3, 4, 5, 6});
        if (!host) test_holds("a text", gpu_map(x, "x * 0.5f"), GPU_INT, 6, (int[]){0, 1, 1, 2, 2, 3});
        test_close(g);
    }
}
