/* Element types by name; layouts of structs: offsets against the host's compiler and the device's, what is refused. */
#include "support/support.h"

#include "base/memory.h"
#include "cl/program.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/template.h"
#include "kernel/type.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 3
#define DEPTH (0x4u)
typedef unsigned char uchar;

GPU_STRUCT(one, char c;);
GPU_STRUCT(gaps, char a; double b; char c; short d; char e; float f; char g; int64_t h; char i;);
GPU_STRUCT(words, unsigned char a; short int b; unsigned c; long unsigned int d; signed char e; unsigned short f;
           signed g; long h; char i; long long j; unsigned long long int k; int signed long l;);
GPU_STRUCT(fixed, int8_t a; int64_t b; uint8_t c; uint32_t d; int16_t e; uint64_t f; uint16_t g; int32_t h;);
GPU_STRUCT(grid, char tag; float cells[SIDE][DEPTH][2]; uchar end, ends[010], last[1UL];);
GPU_STRUCT(
    variant, char tag; union {
        int integer;
        float parts[3];
        struct {
            short low;
            int64_t high;
        };
    } value;
    union {
        uint8_t bytes[5];
        uint16_t first;
    };);
GPU_STRUCT(inner, char a; gpu_float2 b;);
GPU_STRUCT(
    outer, char a; inner b; struct {
        char c;
        struct inner d[2];
        struct {
            double e;
        } f[2][2];
    } g[3];
    char h;);
GPU_STRUCT(outermost, char a; struct outer b[2]; inner c; char d;);
GPU_STRUCT(unlucky, char a; gpu_double4 b; char c;);
GPU_STRUCT(larger, gpu_long3 a; gpu_int2 size;);
GPU_STRUCT(huge, char a; double b[100000]; char c;);

#define VECTORS(s, NAME, T, kind)                                                                                      \
    GPU_STRUCT(vectors_##s, char a; gpu_##s##2 b; char c; gpu_##s##3 d; char e; gpu_##s##4 f; char g; gpu_##s##2 h[3];);
GPU_SCALAR_MAP(VECTORS)

#pragma pack(push, 1)
GPU_STRUCT(packed, char a; int b;);
#pragma pack(pop)

typedef struct layout_case {
    gpu_type type;
    bool has_double;
    bool agrees; /* the device lays it out as the host does */
    struct {
        const char *path;
        size_t offset;
    } leaves[16];
} layout_case;

#define AT(T, path) {#path, offsetof(T, path)},
#define VECTOR_CASE(s, NAME, T, kind)                                                                                  \
    {.type = GPU_TYPE(vectors_##s),                                                                                    \
     .has_double = kind == GPU_KIND_FLOATING && sizeof(T) == 8,                                                        \
     .agrees = sizeof(T) < 8,                                                                                          \
     .leaves = {AT(vectors_##s, a) AT(vectors_##s, b) AT(vectors_##s, c) AT(vectors_##s, d) AT(vectors_##s, e)         \
                    AT(vectors_##s, f) AT(vectors_##s, g) AT(vectors_##s, h[0])}},

static const layout_case cases[] = {
    {GPU_TYPE(one), false, true, {AT(one, c)}},
    {GPU_TYPE(gaps),
     true,
     true,
     {AT(gaps, a) AT(gaps, b) AT(gaps, c) AT(gaps, d) AT(gaps, e) AT(gaps, f) AT(gaps, g) AT(gaps, h) AT(gaps, i)}},
    {GPU_TYPE(words),
     false,
     true,
     {AT(words, a) AT(words, b) AT(words, c) AT(words, d) AT(words, e) AT(words, f) AT(words, g) AT(words, h)
          AT(words, i) AT(words, j) AT(words, k) AT(words, l)}},
    {GPU_TYPE(fixed),
     false,
     true,
     {AT(fixed, a) AT(fixed, b) AT(fixed, c) AT(fixed, d) AT(fixed, e) AT(fixed, f) AT(fixed, g) AT(fixed, h)}},
    {GPU_TYPE(grid),
     false,
     true,
     {AT(grid, tag) AT(grid, cells[0][0][0]) AT(grid, end) AT(grid, ends[0]) AT(grid, last[0])}},
    {GPU_TYPE(variant),
     false,
     true,
     {AT(variant, tag) AT(variant, value.integer) AT(variant, value.parts[0]) AT(variant, value.low)
          AT(variant, value.high) AT(variant, bytes[0]) AT(variant, first)}},
    {GPU_TYPE(inner), false, true, {AT(inner, a) AT(inner, b)}},
    {GPU_TYPE(outer),
     true,
     true,
     {AT(outer, a) AT(outer, b) AT(outer, g[0].c) AT(outer, g[0].d[0]) AT(outer, g[0].f[0][0].e) AT(outer, h)}},
    {GPU_TYPE(outermost), true, true, {AT(outermost, a) AT(outermost, b[0]) AT(outermost, c) AT(outermost, d)}},
    {GPU_TYPE(unlucky), true, false, {AT(unlucky, a) AT(unlucky, b) AT(unlucky, c)}},
    {GPU_TYPE(larger), false, false, {AT(larger, a) AT(larger, size)}},
    {GPU_TYPE(huge), true, true, {AT(huge, a) AT(huge, b[0]) AT(huge, c)}},
    GPU_SCALAR_MAP(VECTOR_CASE)};
enum { CASES = sizeof cases / sizeof cases[0] };

static gpu_type_info text_type(const char *members, size_t size, size_t align)
{
    return (gpu_type_info){.name = "s",
                           .size = size,
                           .align = align,
                           .kind = GPU_KIND_STRUCT,
                           .width = 1,
                           .members = members,
                           .unit = &gpu_unit_};
}

static fp_layout *parse(gpu_type type)
{
    fp_layout *layout = NULL;
    gpu_status status = fp_layout_parse(type, &layout);
    cr_assert_eq(status, GPU_OK, "%s: %s", type->name, gpu_error());
    return layout;
}

Test(layout, types_by_name)
{
    static const struct {
        const char *name;
        gpu_type type;
    } names[] = {{"char", GPU_CHAR},
                 {"signed char", GPU_CHAR},
                 {"char unsigned", GPU_UCHAR},
                 {"short", GPU_SHORT},
                 {"unsigned short int", GPU_USHORT},
                 {"signed", GPU_INT},
                 {"unsigned", GPU_UINT},
                 {"  unsigned \t int ", GPU_UINT},
                 {"long", GPU_LONG},
                 {"long long", GPU_LONG},
                 {"long int long unsigned", GPU_ULONG},
                 {"float", GPU_FLOAT},
                 {"double", GPU_DOUBLE},
                 {"uint", GPU_UINT},
                 {"ulong", GPU_ULONG},
                 {"uint8_t", GPU_UCHAR},
                 {" int64_t ", GPU_LONG},
                 {"float4", GPU_FLOAT4},
                 {"gpu_float4", GPU_FLOAT4},
                 {"gpu_uchar3", GPU_UCHAR3},
                 {"", NULL},
                 {" ", NULL},
                 {"long double", NULL},
                 {"unsigned float", NULL},
                 {"signed unsigned", NULL},
                 {"long long long", NULL},
                 {"signed signed int", NULL},
                 {"int int int int int int int int int int int int int int int int", NULL},
                 {"size_t", NULL},
                 {"bool", NULL},
                 {"gpu_float", NULL},
                 {"gpu_", NULL},
                 {"float5", NULL},
                 {"float4 float4", NULL},
                 {"unsigned uint", NULL},
                 {"uint unsigned", NULL}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        gpu_type type = fp_type_named(names[i].name, strlen(names[i].name));
        cr_assert_eq(type, names[i].type, "\"%s\"", names[i].name);
    }
    cr_assert_eq(fp_type_named("unsigned long", 8), GPU_UINT, "no further than the length");
}

Test(layout, descriptions_of_types)
{
    cr_assert_eq(GPU_FLOAT3->size, 16);
    cr_assert_eq(GPU_CHAR3->size, 4);
    cr_assert_eq(GPU_DOUBLE4->size, 32);
    cr_assert_eq(GPU_DOUBLE4->align, 16);
    cr_assert_eq(GPU_LONG->size, 8);
    cr_assert_str_eq(GPU_USHORT2->name, "ushort2");
    cr_assert_eq(fp_type_scalar(GPU_USHORT2), GPU_USHORT);
    cr_assert_eq(fp_type_scalar(GPU_DOUBLE4), GPU_DOUBLE);
    cr_assert_eq(fp_type_scalar(GPU_CHAR), GPU_CHAR);
    cr_assert_eq(fp_type_scalar(GPU_TYPE(inner)), GPU_TYPE(inner));
    cr_assert(fp_type_is_double(GPU_DOUBLE3) && !fp_type_is_double(GPU_FLOAT3) && !fp_type_is_double(GPU_LONG));

    gpu_type_info same = *GPU_TYPE(inner), longer = same;
    longer.members = "char a; gpu_float2 b, c;";
    cr_assert(gpu_type_equal(GPU_TYPE(inner), &same));
    cr_assert_not(gpu_type_equal(GPU_TYPE(inner), &longer));
    cr_assert_not(gpu_type_equal(GPU_TYPE(inner), GPU_TYPE(outer)));
    cr_assert_not(gpu_type_equal(GPU_INT, GPU_UINT));
    cr_assert_not(gpu_type_equal(GPU_INT, NULL));
    cr_assert(gpu_type_equal(GPU_INT, GPU_INT) && gpu_type_equal(NULL, NULL));
    cr_assert_str_eq(GPU_COMMUTATIVE->name, "");
    cr_assert(!GPU_COMMUTATIVE->type && !GPU_COMMUTATIVE->value);
}

Test(layout, offsets_are_the_host_compilers)
{
    for (size_t i = 0; i < CASES; i++) {
        const layout_case *c = &cases[i];
        fp_layout *layout = parse(c->type);
        for (size_t k = 0; k < layout->leaf_count; k++) {
            const fp_leaf *leaf = &layout->leaves[k];
            cr_assert_str_eq(leaf->path, c->leaves[k].path, "%s", c->type->name);
            cr_assert_eq(leaf->offset, c->leaves[k].offset, "%s.%s: %zu", c->type->name, leaf->path, leaf->offset);
        }
        cr_assert_null(c->leaves[layout->leaf_count].path, "%s", c->type->name);
        cr_assert_eq(layout->has_double, c->has_double, "%s", c->type->name);
        fp_layout_free(layout);
    }
}

/* Those that a device agrees with are tried on one below. */
Test(layout, rules_of_devices_without_a_device)
{
    for (size_t i = 0; i < CASES; i++) {
        const layout_case *c = &cases[i];
        fp_layout *layout = parse(c->type);
        gpu_status status = fp_layout_check(layout);
        cr_assert_eq(status, c->agrees ? GPU_OK : GPU_E_LAYOUT, "%s: %s", c->type->name, gpu_error());
        fp_layout_free(layout);
    }
}

Test(layout, used_structs_in_order)
{
    fp_layout *layout = parse(GPU_TYPE(outermost));
    cr_assert_eq(layout->use_count, 2);
    cr_assert(gpu_type_equal(layout->uses[0]->type, GPU_TYPE(outer)));
    cr_assert(gpu_type_equal(layout->uses[1]->type, GPU_TYPE(inner)));
    fp_layout_free(layout);
    layout = parse(GPU_TYPE(inner));
    cr_assert_eq(layout->use_count, 0);
    fp_layout_free(layout);
}

static const char *plain_name(void *context, gpu_type structure)
{
    (void)context;
    return structure->name;
}

Test(layout, text_for_the_device)
{
    const char *members =
        "unsigned long a, b[(2)][0x3u]; struct { int8_t c; union { gpu_float2 d; inner e; } f; } g[2];";
    gpu_type_info type = text_type(members, 104, 8);
    fp_text text = {0};
    fp_layout *layout = parse(&type);
    fp_layout_write(layout, "t1", plain_name, NULL, &text);
    cr_assert_str_eq(fp_text_string(&text), "typedef struct t1 {\n"
                                            "    ulong a;\n"
                                            "    ulong b[2][3];\n"
                                            "    struct {\n"
                                            "        char c;\n"
                                            "        union {\n"
                                            "            float2 d;\n"
                                            "            inner e;\n"
                                            "        } f;\n"
                                            "    } g[2];\n"
                                            "} t1;\n"
                                            "FP_LAYOUT_OFFSET(t1, a, a, 0)\n"
                                            "FP_LAYOUT_OFFSET(t1, b[0][0], b, 8)\n"
                                            "FP_LAYOUT_OFFSET(t1, g[0].c, g_c, 56)\n"
                                            "FP_LAYOUT_OFFSET(t1, g[0].f.d, g_f_d, 64)\n"
                                            "FP_LAYOUT_OFFSET(t1, g[0].f.e, g_f_e, 64)\n"
                                            "FP_LAYOUT_SIZE(t1, 104)\n");
    fp_layout_free(layout);
    fp_text_free(&text);
}

/* The struct and those it uses, each once. */
static void write_with_uses(gpu_type type, fp_text *out)
{
    char begin[64];
    snprintf(begin, sizeof begin, "typedef struct %s {", type->name);
    if (strstr(fp_text_string(out), begin)) return;
    fp_layout *layout = parse(type);
    for (size_t i = 0; i < layout->use_count; i++) write_with_uses(layout->uses[i]->type, out);
    fp_layout_write(layout, type->name, plain_name, NULL, out);
    fp_layout_free(layout);
}

static bool runs_on(const fp_device *device, const layout_case *c)
{
    return !c->has_double || fp_device_capabilities(device)->has_double;
}

Test(layout, the_device_checks_the_hosts_numbers)
{
    test_needs_opencl();
    fp_device *device;
    test_ok(fp_device_open(NULL, &device));
    fp_text good = {0}, bad = {0};
    test_ok(fp_template_write("prelude.cl", &good));
    test_ok(fp_template_write("prelude.cl", &bad));
    for (size_t i = 0; i < CASES; i++) {
        if (runs_on(device, &cases[i])) write_with_uses(cases[i].type, cases[i].agrees ? &good : &bad);
    }
    const char *kernel = "__kernel void k(__global int *out) { *out = 1; }\n";
    fp_text_put(&good, kernel);
    fp_text_put(&bad, kernel);
    fp_program *program;
    char *log = NULL;
    gpu_status status = fp_program_build(device, fp_text_string(&good), "", &program, &log);
    cr_assert_eq(status, GPU_OK, "%s", log ? log : gpu_error());
    fp_program_free(program);
    cr_assert_eq(fp_program_build(device, fp_text_string(&bad), "", &program, &log), GPU_E_SNIPPET);
    if (fp_device_capabilities(device)->has_double) test_has(log, "fp_layout_unlucky_b");
    test_has(log, "fp_layout_larger_");
    test_has(log, "fp_layout_vectors_long_d");
    cr_assert_null(strstr(log, "fp_layout_vectors_long_b"));
    cr_assert_null(strstr(log, "fp_layout_larger_a"));
    cr_assert_null(strstr(log, "fp_layout_larger_size"));
    fp_free(log);
    fp_text_free(&good);
    fp_text_free(&bad);
    fp_device_close(device);
}

/* The device's offsets, for the caller to free. */
static uint64_t *probe(fp_device *device, gpu_type type, const fp_layout *layout)
{
    fp_text text = {0};
    size_t bytes = (layout->leaf_count + 1) * sizeof(uint64_t);
    uint64_t *offsets = test_alloc(1, bytes);
    fp_program *program;
    fp_kernel *kernel;
    fp_buffer *buffer;
    char *log = NULL;
    fp_text_put(&text, "#define FP_LAYOUT_PROBE 1\n");
    test_ok(fp_template_write("prelude.cl", &text));
    write_with_uses(type, &text);
    fp_layout_write_probe(layout, type->name, &text);
    gpu_status status = fp_program_build(device, fp_text_string(&text), "", &program, &log);
    cr_assert_eq(status, GPU_OK, "%s", log ? log : gpu_error());
    test_ok(fp_kernel_new(program, "fp_probe", &kernel));
    test_ok(fp_buffer_new(device, bytes, &buffer));
    test_ok(fp_kernel_launch(kernel, &(fp_arg){.buffer = buffer}, 1, 1, 1));
    test_ok(fp_buffer_download(buffer, 0, offsets, bytes));
    fp_buffer_drop(buffer);
    fp_kernel_free(kernel);
    fp_program_free(program);
    fp_text_free(&text);
    return offsets;
}

Test(layout, compares_offsets_and_sizes_with_the_device)
{
    test_needs_opencl();
    static const gpu_type probed[] = {GPU_TYPE(gaps),          GPU_TYPE(variant), GPU_TYPE(outermost),
                                      GPU_TYPE(vectors_short), GPU_TYPE(unlucky), GPU_TYPE(larger),
                                      GPU_TYPE(huge)};
    fp_device *device;
    test_ok(fp_device_open(NULL, &device));
    for (size_t i = 0; i < sizeof probed / sizeof probed[0]; i++) {
        const layout_case *c = cases;
        while (c->type != probed[i]) c++;
        if (!runs_on(device, c)) continue;
        fp_layout *layout = parse(c->type);
        uint64_t *offsets = probe(device, c->type, layout);
        gpu_status status = fp_layout_compare(layout, offsets);
        cr_assert_eq(status, c->agrees ? GPU_OK : GPU_E_LAYOUT, "%s: %s", c->type->name, gpu_error());
        if (c->type == GPU_TYPE(unlucky)) {
            test_has(gpu_error(), "member 'b' is at byte 16 on the host and at byte 32 on the device");
        } else if (c->type == GPU_TYPE(larger)) {
            test_has(gpu_error(), "'larger' has 48 bytes on the host and 64 on the device");
        }
        free(offsets);
        fp_layout_free(layout);
    }
    fp_device_close(device);
}

/* A text, what the message names, what it advises. */
static const struct {
    const char *members, *names, *advises;
} refused[] = {
    {"float *p;", "'p'", "write an index"},
    {"float x, *p;", "'p'", "pointer"},
    {"const char *name;", "'name'", "pointer"},
    {"struct { int a; } *s;", "'s'", "pointer"},
    {"int (*f)(int);", "'f'", "parentheses"},
    {"int flag : 1;", "'flag'", "write a whole integer"},
    {"unsigned : 3;", "'unsigned'", "bit-field"},
    {"int a; enum color c;", "'enum'", "write int"},
    {"enum { RED } c;", "'enum'", "write int"},
    {"_Bool b;", "'_Bool'", "write uint8_t"},
    {"size_t n;", "'size_t'", "write uint64_t"},
    {"ptrdiff_t n;", "'ptrdiff_t'", "write int64_t"},
    {"long double d;", "'long double'", "double"},
    {"void v;", "'void'", "GPU_STRUCT"},
    {"const int c;", "'const'", "leave it out"},
    {"int volatile c;", "'volatile'", "leave it out"},
    {"float v[];", "'v'", "write a number"},
    {"float v[2][0];", "'v'", "at least 1"},
    {"float v[2*8];", "'[2*8]'", "a macro that is one"},
    {"float v[COUNT];", "'[COUNT]'", "a macro that is one"},
    {"float v[1.5];", "'[1.5]'", "write a number"},
    {"float v[08];", "'[08]'", "write a number"},
    {"float v[0x];", "'[0x]'", "write a number"},
    {"float v[1ulll];", "'[1ulll]'", "write a number"},
    {"float v[1f];", "'[1f]'", "write a number"},
    {"float v[-1];", "'[-1]'", "write a number"},
    {"float v[(2];", "'[(2]'", "write a number"},
    {"float v[2)];", "'[2)]'", "write a number"},
    {"float v['a'];", "'['a']'", "write a number"},
    {"float v[99999999999999999999];", "'[99999999999999999999]'", "write a number"},
    {"double v[0x1fffffffffffffff][8];", "'v'", "larger than any memory"},
    {"", "the end", "at least one member"},
    {"int a; struct { } s;", "'}'", "at least one member"},
    {"float fp_x;", "'fp_x'", "belong to the library"},
    {"struct { int a; } FP_s;", "'FP_s'", "belong to the library"},
    {"struct tag { int a; } s;", "'tag'", "leave it out"},
    {"union u x;", "'union'", "in braces"},
    {"unknown x;", "'unknown'", "GPU_STRUCT"},
    {"struct unknown x;", "'struct unknown'", "GPU_STRUCT"},
    {"struct x;", "'struct'", "GPU_STRUCT"},
    {"float4 v;", "'float4'", "gpu_float4"},
    {"unsigned float x;", "'unsigned float'", "float"},
    {"struct { int a; } s, t;", "','", "not expected"},
    {"int a", "the end", "a ';'"},
    {"int a, ;", "';'", "not expected"},
    {"float;", "'float'", "stands alone"},
    {"int x;;", "';'", "begins with its type"},
    {"int x; }", "'}'", "closes nothing"},
    {"struct { int a;", "the end", "'}' is missing"},
    {"float x = 1;", "'x'", "default value"},
    {"_Alignas(16) float x;", "'_Alignas'", "pad by hand"},
    {"float x __attribute__((packed));", "'__attribute__'", "pad by hand"},
    {"struct { float x; } __attribute__((packed)) s;", "'__attribute__'", "pad by hand"},
    {"_Static_assert(1, \"\");", "'_Static_assert'", "parentheses"},
    {"int \"x\";", "'\"x\"'", "not expected"},
    {"int /* x", "'/*'", "not expected"},
    {"#pragma pack", "'#'", "not expected"},
};

Test(layout, refused_texts)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        gpu_type_info type = text_type(refused[i].members, 4, 4);
        fp_layout *layout = NULL;
        cr_assert_eq(fp_layout_parse(&type, &layout), GPU_E_LAYOUT, "\"%s\"", refused[i].members);
        cr_assert_null(layout);
        test_has(gpu_error(), "struct 's'");
        test_has(gpu_error(), refused[i].names);
        test_has(gpu_error(), refused[i].advises);
    }
    fp_layout *layout;
    gpu_type_info type = text_type("int a; float x, *p; int b;", 4, 4);
    test_fails(GPU_E_LAYOUT, fp_layout_parse(&type, &layout));
    test_has(gpu_error(), "\"float x, *p\"");
    test_fails(GPU_E_LAYOUT, fp_layout_parse(GPU_CAPTURE_ARRAY, &layout));
}

Test(layout, sizes_must_agree)
{
    fp_layout *layout;
    test_fails(GPU_E_LAYOUT, fp_layout_parse(GPU_TYPE(packed), &layout));
    test_has(gpu_error(), "struct 'packed' has 5 bytes aligned to 1 on the host");
    test_has(gpu_error(), "its members make 8 bytes aligned to 4");
    gpu_type_info aligned = text_type("int a; int b;", 8, 8);
    test_fails(GPU_E_LAYOUT, fp_layout_parse(&aligned, &layout));
}

Test(layout, structs_of_other_files)
{
    static const char elsewhere, elsewhere_too;
    gpu_type_info theirs = text_type("float x;", 4, 4), others = text_type("int x;", 4, 4);
    gpu_type_info mine = text_type("item a;", 4, 4);
    theirs.unit = &elsewhere;
    others.unit = &elsewhere_too;
    gpu_definition a = {.kind = GPU_DEFINES_STRUCT, .name = "item", .type = &theirs, .place = {"a.c", 1, &elsewhere}};
    gpu_definition b = {
        .kind = GPU_DEFINES_STRUCT, .name = "item", .type = &others, .place = {"b.c", 1, &elsewhere_too}};
    gpu_define(&a);
    fp_layout_free(parse(&mine));
    gpu_define(&b);
    fp_layout *layout;
    test_fails(GPU_E_SNIPPET, fp_layout_parse(&mine, &layout));
    test_has(gpu_error(), "'item'");
    gpu_undefine(&b);

    /* No C file can write this, two of them can: each has a plain struct by the other's name. */
    gpu_undefine(&a);
    theirs.members = "whole w;";
    gpu_define(&a);
    gpu_definition c = {.kind = GPU_DEFINES_STRUCT, .name = "whole", .type = &mine, .place = {"c.c", 1, &gpu_unit_}};
    gpu_define(&c);
    test_fails(GPU_E_LAYOUT, fp_layout_parse(&mine, &layout));
    test_has(gpu_error(), "contains itself");
    gpu_undefine(&c);
    gpu_undefine(&a);
}

Test(layout, long_names_and_deep_nests)
{
    enum { N = 100000 };
    char *name = test_alloc(N + 1, 1);
    memset(name, 'n', N);
    fp_text text = {0};
    fp_text_print(&text, "struct { int %s; } %s;", name, name);
    gpu_type_info type = text_type(fp_text_string(&text), 4, 4);
    fp_layout *layout = parse(&type);
    cr_assert_eq(strlen(layout->leaves[0].path), 2 * N + 1);
    fp_layout_free(layout);
    fp_text_clear(&text);
    fp_text_print(&text, "%s %s;", name, name);
    type.members = fp_text_string(&text);
    type.name = name;
    test_fails(GPU_E_LAYOUT, fp_layout_parse(&type, &layout));
    fp_text_clear(&text);
    for (size_t i = 0; i < N; i++) fp_text_put(&text, "struct {");
    type = text_type(fp_text_string(&text), 4, 4);
    test_fails(GPU_E_LAYOUT, fp_layout_parse(&type, &layout));
    test_has(gpu_error(), "too many levels");
    fp_text_free(&text);
    free(name);
}

Test(layout, memory_runs_out)
{
    gpu_status status = GPU_E_MEMORY;
    unsigned long k = 0;
    while (status == GPU_E_MEMORY) {
        fp_layout *layout = NULL;
        fp_memory_fail_at(++k);
        status = fp_layout_parse(GPU_TYPE(outermost), &layout);
        fp_memory_fail_at(0);
        cr_assert_eq(!layout, status != GPU_OK);
        fp_layout_free(layout);
    }
    cr_assert_eq(status, GPU_OK, "%s", gpu_error());
    cr_assert_gt(k, 20);
}

/* A copy with a few bytes replaced, dropped or put in; no longer than it must be, so that a sanitizer sees the end. */
static char *mutate(const char *text, uint64_t *seed)
{
    static const char alphabet[] = "{}[]();,*:= #\"'/0x9azu_";
    size_t length = strlen(text), capacity = length + 5;
    char *copy = test_alloc(capacity, 1);
    memcpy(copy, text, length);
    for (unsigned changes = 1 + test_random(seed) % 4; changes && length; changes--) {
        uint64_t r = test_random(seed);
        size_t at = (size_t)(r >> 32) % length;
        char c = r & 1 ? (char)(r >> 8) : alphabet[(r >> 8) % (sizeof alphabet - 1)];
        switch (r >> 1 & 3) {
        case 0:
            memmove(copy + at, copy + at + 1, length-- - at - 1);
            break;
        case 1:
            memmove(copy + at + 1, copy + at, length++ - at);
            copy[at] = c;
            break;
        default:
            copy[at] = c;
        }
    }
    copy[length] = '\0';
    char *exact = test_alloc(strlen(copy) + 1, 1);
    memcpy(exact, copy, strlen(copy) + 1);
    free(copy);
    return exact;
}

Test(layout, damaged_texts, .timeout = 120)
{
    uint64_t seed = 2;
    unsigned long accepted = 0;
    for (size_t i = 0; i < 20000; i++) {
        gpu_type_info type = *cases[i % CASES].type;
        char *members = mutate(type.members, &seed);
        type.members = members;
        fp_layout *layout = NULL;
        gpu_status status = fp_layout_parse(&type, &layout);
        cr_assert(status == GPU_OK || status == GPU_E_LAYOUT, "\"%s\"", members);
        if (!status) {
            fp_text text = {0};
            fp_layout_write(layout, "t", plain_name, NULL, &text);
            fp_layout_write_probe(layout, "t", &text);
            cr_assert(!text.failed);
            fp_text_free(&text);
            accepted++;
        }
        fp_layout_free(layout);
        free(members);
    }
    cr_assert(accepted > 0 && accepted < 10000, "%lu accepted", accepted);
}
