/* GPU_FUNCTION, GPU_DEVICE_FUNCTION, GPU_CONSTANT, GPU_ENUM, GPU_STRUCT: registered before main, found by address and
 * by name. */
#include "support/support.h"

#include "kernel/definition.h"
#include "kernel/type.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR 3
GPU_STRUCT(particle, float x; float y; float mass;);
GPU_FUNCTION(float, energy, (particle p), { return 0.5f * p.mass * (p.x * p.x + p.y * p.y); });
GPU_FUNCTION(int, scaled, (int a, int b), {
    int c[2] = {a, b}; /* commas and braces */
    return c[0] * FACTOR + c[1];
});
GPU_DEVICE_FUNCTION(float4, spread, (float x), { return (float4)(x, x * 2, x * 3, x * 4); });
GPU_CONSTANT(GRAVITY, 9.81f);
GPU_CONSTANT(LIMIT, (uint64_t)1 << 40);

static const char elsewhere, elsewhere_too;

static gpu_definition function(const char *name, const char *body, const void *unit, const void *address)
{
    return (gpu_definition){.kind = GPU_DEFINES_FUNCTION,
                            .name = name,
                            .result = "int",
                            .parameters = "(int x)",
                            .body = body,
                            .address = address,
                            .place = {unit == &elsewhere ? "one.c" : "two.c", 7, unit}};
}

/* What is found is a copy. */
static bool is_copy(const gpu_definition *d, const gpu_definition *of)
{
    return d && d->place.unit == of->place.unit && d->address == of->address && fp_definition_equal(d, of);
}

static const gpu_definition *find(const char *name, const void *unit)
{
    const gpu_definition *d = NULL;
    test_ok(fp_definition_find(name, strlen(name), unit, &d));
    return d;
}

Test(define, functions_are_found_by_address)
{
    const gpu_definition *d = fp_definition_at(__extension__(const void *) energy);
    cr_assert(d && d->kind == GPU_DEFINES_FUNCTION);
    cr_assert_str_eq(d->name, "energy");
    cr_assert_str_eq(d->result, "float");
    cr_assert_str_eq(d->parameters, "(particle p)");
    cr_assert_str_eq(d->body, "{ return 0.5f * p.mass * (p.x * p.x + p.y * p.y); }");
    d = fp_definition_at(spread);
    cr_assert(d && d->kind == GPU_DEFINES_DEVICE_FUNCTION);
    cr_assert_str_eq(d->result, "float4");
    cr_assert_null(fp_definition_at(NULL));
    cr_assert_null(fp_definition_at(&elsewhere));
    cr_assert_null(fp_definition_at(find("GRAVITY", NULL)));
    cr_assert_eq(scaled(2, 1), 7, "the host's side of a definition is plain C");
    cr_assert_eq(energy((particle){1, 2, 4}), 10.0f);
}

Test(define, texts_are_taken_before_macros_are_expanded)
{
    const gpu_definition *d = find("scaled", &gpu_unit_);
    cr_assert(d);
    test_has(d->body, "int c[2] = {a, b};");
    test_has(d->body, "c[0] * FACTOR + c[1]");
}

Test(define, constants_and_structs_have_types)
{
    const gpu_definition *d = find("GRAVITY", NULL);
    cr_assert(d && d->kind == GPU_DEFINES_CONSTANT && d->type == GPU_FLOAT);
    cr_assert_eq(*(const float *)d->value, 9.81f);
    d = find("LIMIT", NULL);
    cr_assert(d && d->type == GPU_ULONG && *(const uint64_t *)d->value == LIMIT);
    d = find("particle", NULL);
    cr_assert(d && d->kind == GPU_DEFINES_STRUCT && gpu_type_equal(d->type, GPU_TYPE(particle)));
    cr_assert_str_eq(d->type->members, "float x; float y; float mass;");
    cr_assert_eq(d->type->size, sizeof(particle));
}

GPU_ENUM(ONLY);
GPU_ENUM(NUMBER, POINT, TEXT);
GPU_ENUM(E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13, E14, E15);
GPU_STRUCT(
    item, int kind; union {
        int number;
        struct {
            short x;
            short y;
        } point;
        unsigned char text[12];
    };);
GPU_FUNCTION(int, value_of, (item v), {
    switch (v.kind) {
    case NUMBER:
        return v.number;
    case POINT:
        return v.point.x * v.point.y;
    case TEXT: {
        int sum = 0;
        for (int k = 0; k < 12; k++) sum += v.text[k];
        return sum;
    }
    default:
        return -E15;
    }
});
GPU_FUNCTION(item, negated, (item v), {
    item r;
    r = v;
    if (v.kind == NUMBER) r.number = -v.number;
    if (v.kind == POINT) r.point.x = (short)-v.point.x;
    return r;
});

Test(define, enumerators_are_constants_of_both_sides)
{
    cr_assert(ONLY == 0 && NUMBER == 0 && TEXT == 2 && E15 == 15);
    const gpu_definition *d = find("TEXT", &gpu_unit_);
    cr_assert(d && d->kind == GPU_DEFINES_CONSTANT && d->type == GPU_INT && *(const int *)d->value == TEXT);
    cr_assert(find("ONLY", NULL) && find("E0", NULL) && find("E14", NULL));
}

/* A tag, a union and a switch: the same on the device, on the host device, and called directly. */
Test(define, tagged_unions)
{
    enum { N = 4 };
    item items[N] = {{.kind = NUMBER, .number = -70000},
                     {.kind = POINT, .point = {-300, 7}},
                     {.kind = TEXT, .text = "hello, union"},
                     {.kind = 9}};
    int want[N], want_negated[N];
    for (int k = 0; k < N; k++) want[k] = value_of(items[k]);
    for (int k = 0; k < N; k++) want_negated[k] = value_of(negated(items[k]));
    cr_assert(want[0] == -70000 && want[1] == -2100 && want[2] == 1161 && want[3] == -15);
    setenv("FIREPILE_SMALL", "0", 1); /* on the device what is the device's */
    gpu *devices[] = {test_open(), gpu_open("host")};
    for (int k = 0; k < 2; k++) {
        gpu_array *x = gpu_array_from(devices[k], GPU_TYPE(item), items, N);
        test_holds("switch", gpu_map_to(x, GPU_INT, value_of), GPU_INT, N, want);
        test_holds("unions returned", gpu_map_to(gpu_map(x, negated), GPU_INT, value_of), GPU_INT, N, want_negated);
    }
    gpu_close(devices[1]);
    test_close(devices[0]);
}

Test(define, names_are_compared_whole)
{
    const gpu_definition *d;
    test_ok(fp_definition_find("energy_of", 6, NULL, &d));
    cr_assert(d && !strcmp(d->name, "energy"));
    cr_assert_null(find("energ", NULL));
    cr_assert_null(find("energy_of", NULL));
    cr_assert_null(find("", NULL));
}

Test(define, a_file_sees_its_own_definition_first)
{
    gpu_definition one = function("twice", "{ return x * 2; }", &elsewhere, NULL);
    gpu_definition two = function("twice", "{ return x + x; }", &elsewhere_too, NULL);
    gpu_define(&one);
    gpu_define(&two);
    cr_assert(is_copy(find("twice", &elsewhere), &one));
    cr_assert(is_copy(find("twice", &elsewhere_too), &two));
    const gpu_definition *d = &one;
    test_fails(GPU_E_SNIPPET, fp_definition_find("twice", 5, &gpu_unit_, &d));
    cr_assert_eq(d, &one, "a failure leaves the output alone");
    test_has(gpu_error(), "'twice'");
    test_has(gpu_error(), "one.c:7");
    test_has(gpu_error(), "two.c:7");
    test_fails(GPU_E_SNIPPET, fp_definition_find("twice", 5, NULL, &d));
    gpu_undefine(&two);
    two.body = one.body;
    gpu_define(&two);
    d = find("twice", &gpu_unit_);
    cr_assert(is_copy(d, &one) || is_copy(d, &two));
    gpu_undefine(&one);
    cr_assert(is_copy(find("twice", &elsewhere), &two));
    gpu_undefine(&two);
    cr_assert_null(find("twice", &elsewhere));
}

Test(define, coming_and_going)
{
    enum { N = 1000 };
    static gpu_definition many[N];
    static char addresses[N];
    for (size_t i = 0; i < N; i++) many[i] = function("many", "{ return 0; }", &elsewhere, &addresses[i]);
    unsigned long generation = fp_definition_generation();
    gpu_undefine(&many[0]);
    cr_assert_eq(fp_definition_generation(), generation, "what was not registered cannot go");
    for (size_t i = 0; i < N; i++) gpu_define(&many[i]);
    for (size_t i = 0; i < N; i++) gpu_define(&many[i]);
    cr_assert_neq(fp_definition_generation(), generation);
    for (size_t i = 0; i < N; i += 2) gpu_undefine(&many[i]);
    for (size_t i = 0; i < N; i++) {
        const gpu_definition *d = fp_definition_at(&addresses[i]);
        cr_assert(i % 2 ? is_copy(d, &many[i]) : !d, "definition %zu", i);
    }
    generation = fp_definition_generation();
    for (size_t i = 0; i < N; i++) gpu_undefine(&many[i]);
    cr_assert_neq(fp_definition_generation(), generation);
    cr_assert_null(find("many", NULL));
    cr_assert(find("energy", NULL));
}

Test(define, functions_are_equal_if_texts_and_kinds_are)
{
    gpu_definition f = function("f", "{ return x; }", &elsewhere, NULL), g = f;
    g.place = (gpu_place){"two.c", 9, &elsewhere_too};
    cr_assert(fp_definition_equal(&f, &g), "the place does not matter");
    g.body = "{ return  x; }";
    cr_assert_not(fp_definition_equal(&f, &g));
    g = f;
    g.parameters = "(long x)";
    cr_assert_not(fp_definition_equal(&f, &g));
    g = f;
    g.kind = GPU_DEFINES_DEVICE_FUNCTION;
    cr_assert_not(fp_definition_equal(&f, &g));
}

Test(define, constants_are_equal_if_types_and_bits_are)
{
    float zero = 0, minus_zero = -zero, also_zero = 0;
    int32_t integer = 0;
    gpu_definition c = {.kind = GPU_DEFINES_CONSTANT, .name = "c", .type = GPU_FLOAT, .value = &zero}, d = c;
    d.value = &also_zero;
    cr_assert(fp_definition_equal(&c, &d));
    d.value = &minus_zero;
    cr_assert_not(fp_definition_equal(&c, &d), "bits are compared, not values");
    d.value = &integer;
    d.type = GPU_INT;
    cr_assert_not(fp_definition_equal(&c, &d));
}

Test(define, structs_are_equal_if_members_are)
{
    gpu_type_info other = *GPU_TYPE(particle);
    gpu_definition s = {.kind = GPU_DEFINES_STRUCT, .name = "particle", .type = GPU_TYPE(particle)}, t = s;
    t.type = &other;
    cr_assert(fp_definition_equal(&s, &t));
    other.members = "float x; float y; int mass;";
    cr_assert_not(fp_definition_equal(&s, &t));
}

/* As plugins do that are loaded and closed while other threads work. */
static atomic_bool stop;

static void *come_and_go(void *unused)
{
    gpu_definition mine[16];
    char addresses[16];
    for (size_t i = 0; i < 16; i++) mine[i] = function("mine", "{ return 1; }", unused, &addresses[i]);
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < 16; i++) gpu_define(&mine[i]);
        for (size_t i = 0; i < 16; i++) {
            if (!is_copy(fp_definition_at(&addresses[i]), &mine[i])) atomic_store(&stop, true);
        }
        for (size_t i = 0; i < 16; i++) gpu_undefine(&mine[i]);
    }
    return NULL;
}

Test(define, finds_definitions_while_other_threads_come_and_go)
{
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) cr_assert_eq(pthread_create(&threads[i], NULL, come_and_go, NULL), 0);
    for (int round = 0; round < 2000; round++) {
        cr_assert(fp_definition_at(spread));
        cr_assert(find("GRAVITY", &gpu_unit_));
    }
    for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    cr_assert_not(atomic_load(&stop), "a definition was not found");
    cr_assert_null(find("mine", NULL));
}
