// The overloads for C++, on the host device: values, captures, types, and where a failure says that it stands.
#include <firepile.h>
#include <firepile/random.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

static int failures;

static void expect(bool good, const char *what)
{
    if (good) return;
    std::printf("overloads: %s: %s\n", what, gpu_error());
    failures++;
}

// GPU_FUNCTIONs of a C file, which gives their addresses away.
extern "C" int (*twice_address(void))(int);
extern "C" int (*sum_address(void))(const int *);
extern "C" int (*chosen_address(void))(int, std::uint64_t, bool, const int *);

// A failure of the call in `line` says so.
static void expect_place(int line, const char *operation)
{
    char place[64];
    std::snprintf(place, sizeof place, "overloads.cpp:%d: %s: ", line, operation);
    expect(std::strstr(gpu_error(), place) != nullptr, place);
}

// Values of every kind that an operator captures.
static void capture(const gpu_array *x)
{
    int got[5] = {0};
    for (const bool from_table : {true, false}) {
        gpu_array *y =
            firepile::map(x, chosen_address(), firepile::arg("from_table", from_table), firepile::arg("table", x));
        expect(!firepile::read(y, got) && got[0] == (from_table ? 2 : 5), "a bool and a const array as captures");
    }
    gpu_array *y = firepile::map(x, chosen_address(), firepile::arg("from_table", true),
                                 firepile::arg("table", firepile::map(x, twice_address())));
    expect(!firepile::read(y, got) && got[0] == 4, "captures that are temporary");
}

// Calls without an operator know where they stand, too.
static void fail(gpu *g)
{
    double wrong = 0;
    gpu_array *none = firepile::array_of(g, static_cast<const int *>(nullptr), 5);
    expect_place(__LINE__ - 1, "gpu_array_of");
    expect(firepile::read(none, &wrong) == GPU_E_ARGUMENT, "the data are NULL");
    expect(firepile::read(firepile::array_of(g, "abc", 3), &wrong) == GPU_E_TYPE, "a double for chars");
    expect_place(__LINE__ - 1, "gpu_read");
    (void)firepile::sort(nullptr);
    expect_place(__LINE__ - 1, "gpu_sort");
    expect(firepile::reduce(nullptr, "a + b", &wrong) == GPU_E_ARGUMENT, "NULL for an array");
    expect_place(__LINE__ - 1, "gpu_reduce");
}

// Random numbers, orders of an array, and where a failure stands.
static void draw(gpu *g, const gpu_array *x)
{
    unsigned words[5];
    float numbers[5];
    int sum = 0;
    expect(!firepile::read(firepile::random<unsigned>(g, 5, 7), words) && words[4] == gpu_philox(7, 1).x, "random");
    expect(!firepile::read(firepile::random_normal<float>(g, 5, 7), numbers), "random_normal");
    expect(!firepile::reduce(firepile::shuffle(x, 7), "a + b", &sum) && sum == 15, "shuffle");
    expect(!firepile::reduce(firepile::sample(x, 5, 7), "a + b", &sum) && sum == 15, "sample");
    const int line = __LINE__ + 1;
    gpu_array *many = firepile::sample(x, 6, 7);
    expect(gpu_array_status(many) == GPU_E_ARGUMENT, "a sample of too many");
    expect_place(line, "gpu_sample");
}

int main()
{
    gpu *g = gpu_open("host");
    const int data[] = {5, 3, 4, 1, 2};
    int sum = 0, sorted[5] = {0}, sums[5] = {0}, squares[5] = {0};
    double total = 0;
    gpu_array *x = firepile::array_of(g, data, 5);
    gpu_array *twice = firepile::map(x, twice_address());
    expect(!firepile::reduce(twice, "a + b", &sum) && sum == 30, "map, reduce");
    expect(!firepile::read(firepile::sort(x), sorted) && sorted[0] == 1 && sorted[4] == 5, "sort");
    expect(!firepile::read(firepile::scan(x, "a + b"), sums) && sums[4] == 15, "scan");
    expect(!firepile::read(firepile::filter(firepile::map2(x, x, "x * y"), "x"), squares) && squares[0] == 25,
           "filter, map2");
    expect(!firepile::read(firepile::sort(x, "a > b"), sorted) && sorted[0] == 5, "sort by a comparator");
    expect(!firepile::reduce(firepile::map_to<double>(x, "x"), "a + b", &total) && total == 15, "map_to");
    expect(!firepile::read(firepile::reduced(firepile::map2_to<int>(x, x, "x * y"), "a + b"), &sum) && sum == 55,
           "map2_to, reduced");
    expect(firepile::reduce(x, "a + b", &total) == GPU_E_TYPE, "a double for ints");
    const int line = __LINE__ + 1;
    gpu_array *bad = firepile::map(x, "x + k + table[0]", firepile::arg("k", 3), firepile::arg("table", x));
    char place[64];
    std::snprintf(place, sizeof place, "overloads.cpp:%d: in gpu_map: the operator \"x + k + table[0]\"", line);
    expect(firepile::read(bad, sorted) == GPU_E_SNIPPET && std::strstr(gpu_error(), place), place);
    expect(!firepile::read(firepile::stencil(x, 1, GPU_EDGE_WRAP, sum_address()), sums) && sums[0] == 5 + 2 + 3 &&
               !firepile::read(firepile::stencil(x, 1, 10, sum_address()), sums) && sums[4] == 1 + 2 + 10,
           "stencil");
    int none = 0, bins[6] = {0};
    expect(!firepile::read(firepile::bin_reduce(x, x, 6, &none, "a + b"), bins) && bins[3] == 3, "bin_reduce");
    capture(x);
    draw(g, x);
    fail(g);
    gpu_close(g);
    return failures != 0;
}
