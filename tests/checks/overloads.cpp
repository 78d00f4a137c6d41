// The overloads for C++, on the host device: every one of them, captures, types, and where a failure says that it
// stands.
#include <firepile.h>
#include <firepile/interop.h>
#include <firepile/random.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

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
extern "C" int (*total_address(void))(int, int, int);
extern "C" int (*below_address(void))(int, int);
extern "C" int (*half_address(void))(int);
extern "C" int (*distance_address(void))(int, int);
extern "C" int (*near_address(void))(int, int, int);
extern "C" int (*larger_address(void))(int, int);
extern "C" int (*nearer_address(void))(int, int, int);
extern "C" int (*times_address(void))(int, const int *);
// Of structs the C file gives away their type. C++ sees them as the same members.
extern "C" gpu_type pair_type(void);
extern "C" int (*plus_address(void))(int, gpu_int2);

template <size_t N, class T> static void holds(const char *what, const gpu_array *a, const T (&want)[N])
{
    T got[N + 1];
    size_t n = 0;
    bool good = !firepile::read_n(a, got, N + 1, &n) && n == N;
    for (size_t i = 0; good && i < N; i++) good = got[i] == want[i];
    expect(good, what);
}

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

// What makes arrays, and moves their elements.
static void make(gpu *g, const gpu_array *x)
{
    char path[] = "/tmp/firepile-overloads-XXXXXX";
    const int file = mkstemp(path);
    gpu_array *far = firepile::slice(firepile::range<int>(g, 10), 7, 3);
    holds("range, slice", far, {7, 8, 9});
    holds("fill", firepile::fill(g, 2.5f, 2), {2.5f, 2.5f});
    holds("array_from", firepile::array_from(g, GPU_UCHAR, "ab", 2), {(unsigned char)'a', (unsigned char)'b'});
    holds("reverse", firepile::reverse(far), {9, 8, 7});
    holds("concat", firepile::concat(far, far), {7, 8, 9, 7, 8, 9});
    gpu_array *places = firepile::reverse(firepile::range<int>(g, 3));
    holds("gather", firepile::gather(x, places), {4, 3, 5});
    holds("scatter", firepile::scatter(x, places, far), {9, 8, 7, 1, 2});
    holds("repeat", firepile::repeat(far, places), {7, 7, 8});
    holds("copy_to", firepile::copy_to(far, g), {7, 8, 9});
    expect(!firepile::save_npy(far, path), "save_npy");
    holds("load_npy", firepile::load_npy(g, path), {7, 8, 9});
    close(file);
    std::remove(path);
    gpu_array *carried = nullptr;
    expect(!gpu_array_status(gpu_replace(&carried, firepile::map(far, twice_address()))), "gpu_replace");
    holds("gpu_replace", carried, {14, 16, 18});
    firepile::array_wrap(g, GPU_INT, nullptr, 1);
    expect_place(__LINE__ - 1, "gpu_array_wrap");
}

static void map(gpu *g, const gpu_array *x)
{
    holds("map3", firepile::map3(x, x, x, total_address()), {15, 9, 12, 3, 6});
    holds("map3_to", firepile::map3_to<double>(x, x, x, total_address()), {15., 9., 12., 3., 6.});
    holds("map_to a type", firepile::map_to(x, GPU_LONG, "x"), {5L, 3L, 4L, 1L, 2L});
    gpu_int2 pairs[5];
    expect(!firepile::read(firepile::zip<gpu_int2>(x, firepile::map(x, twice_address())), pairs) && pairs[1].y == 6,
           "zip");
    gpu_array *structs = firepile::zip(x, x, pair_type());
    expect(!firepile::read(structs, static_cast<void *>(pairs)) && pairs[4].x == 2 && pairs[4].y == 2, "structs");
    const gpu_int2 three = {3, 0};
    holds("a struct as a capture", firepile::map(x, plus_address(), firepile::arg("by", pair_type(), three)),
          {8, 6, 7, 4, 5});
    expect(!firepile::read(firepile::fill(g, pair_type(), &three, 1), static_cast<void *>(pairs)) && pairs[0].x == 3,
           "fill with a struct");
}

static void reduce(const gpu_array *x)
{
    const int ten = 10, four = 4;
    int out = 0, other = 0;
    size_t n = 0;
    bool yes = false;
    double mean = 0, variance = 0, value = 0;
    expect(!firepile::fold(x, &ten, "a + b", &out) && out == 25, "fold");
    holds("block_reduce", firepile::block_reduce(x, 2, "a + b"), {8, 5, 2});
    holds("window_reduce", firepile::window_reduce(x, 4, "a + b"), {13, 10});
    holds("scan_exclusive", firepile::scan_exclusive(x, &ten, "a + b"), {10, 15, 18, 22, 23});
    expect(!firepile::sum(x, &out) && out == 15, "sum");
    expect(!firepile::product(x, &out) && out == 120, "product");
    expect(!firepile::min(x, &out) && out == 1, "min");
    expect(!firepile::max(x, &out) && out == 5, "max");
    expect(!firepile::argmin(x, &n) && n == 3, "argmin");
    expect(!firepile::argmax(x, &n) && n == 0, "argmax");
    expect(!firepile::count(x, below_address(), &n, firepile::arg("k", four)) && n == 3, "count");
    expect(!firepile::any(x, below_address(), &yes, firepile::arg("k", four)) && yes, "any");
    expect(!firepile::all(x, below_address(), &yes, firepile::arg("k", four)) && !yes, "all");
    expect(!firepile::reduce_all(x, "a + b", &out, "max(a, b)", &other) && out == 15 && other == 5, "reduce_all");
    expect(!firepile::reduce_all(x, larger_address(), &out, nearer_address(), &other, firepile::arg("to", four)) &&
               out == 5 && other == 4,
           "reduce_all by functions, with a capture");
    expect(!firepile::map_reduce_all(x, "x * x", "a + b", &mean, "x > k", "a + b", &n, firepile::arg("k", four)) &&
               mean == 55 && n == 1,
           "map_reduce_all");
    expect(!firepile::mean(x, &mean) && mean == 3, "mean");
    expect(!firepile::variance(x, &mean, &variance) && mean == 3 && variance == 2, "variance");
    expect(!firepile::quantile(x, 0.25, &value) && value == 2, "quantile");
    expect(!firepile::median(x, &value) && value == 3, "median");
    gpu_array *counts, *outside;
    expect(!firepile::histogram(x, 0, 4, 2, &counts, &outside), "histogram");
    holds("histogram", counts, {1UL, 2UL});
    holds("outside of a histogram", outside, {2UL});
    expect(!firepile::check_reduce(x, "a + b"), "check_reduce");
    expect(firepile::check_order(x, "a <= b") == GPU_E_ARGUMENT, "check_order");
    expect_place(__LINE__ - 1, "gpu_check_order");
}

static void select(const gpu_array *x)
{
    const int four = 4;
    size_t n = 0;
    gpu_array *yes, *no;
    const gpu_capture k = firepile::arg("k", four);
    expect(!firepile::partition(x, below_address(), &yes, &no, k), "partition");
    holds("partition", yes, {3, 1, 2});
    holds("the others", no, {5, 4});
    expect(!firepile::span(no, below_address(), &yes, &no, k) && gpu_length(yes) == 0, "span");
    expect(gpu_length(firepile::take_while(x, below_address(), k)) == 0, "take_while");
    holds("drop_while", firepile::drop_while(x, below_address(), k), {5, 3, 4, 1, 2});
    holds("find", firepile::find(x, &four), {2UL});
    holds("find_if", firepile::find_if(x, below_address(), k), {1UL, 3UL, 4UL});
    expect(!firepile::index_of(x, &four, &n) && n == 2, "index_of");
    expect(!firepile::index_if(x, below_address(), &n, k) && n == 1, "index_if");
    holds("unique", firepile::unique(firepile::map(x, half_address())), {2, 1, 2, 0, 1});
    holds("unique_by", firepile::unique_by(x, near_address(), k), {5});
}

static void sort(const gpu_array *x)
{
    const gpu_sort_options descending = {GPU_SORT_MERGE, true};
    const int three = 3;
    bool yes = false;
    gpu_array *k, *v;
    holds("sort_by", firepile::sort_by(x, "a > b"), {5, 4, 3, 2, 1});
    holds("sort_with", firepile::sort_with(x, &descending), {5, 4, 3, 2, 1});
    holds("sort_with a comparator", firepile::sort_with(x, &descending, "a > b"), {1, 2, 3, 4, 5});
    gpu_array *down = firepile::sort_descending(x), *up = firepile::sort(x);
    holds("sort_descending", down, {5, 4, 3, 2, 1});
    holds("sort_key", firepile::sort_key<int>(x, distance_address(), firepile::arg("k", three)), {3, 4, 2, 5, 1});
    holds("argsort", firepile::argsort(x), {3UL, 4UL, 1UL, 2UL, 0UL});
    holds("argsort_by", firepile::argsort_by(x, "a > b"), {0UL, 2UL, 1UL, 4UL, 3UL});
    expect(!firepile::sort_pairs(x, down, &k, &v), "sort_pairs");
    holds("sort_pairs", v, {2, 1, 4, 3, 5});
    expect(!firepile::sort_pairs_by(x, down, "a > b", &k, &v), "sort_pairs_by");
    holds("sort_pairs_by", v, {5, 3, 4, 1, 2});
    holds("top", firepile::top(x, 2), {5, 4});
    expect(!firepile::top_pairs(x, down, 2, &k, &v), "top_pairs");
    holds("top_pairs", v, {5, 3});
    expect(!firepile::is_sorted(up, &yes) && yes, "is_sorted");
    holds("merge", firepile::merge(up, firepile::slice(up, 1, 2)), {1, 2, 2, 3, 3, 4, 5});
    gpu_array *some = firepile::slice(up, 1, 2);
    holds("lower_bound", firepile::lower_bound(some, up), {0UL, 0UL, 1UL, 2UL, 2UL});
    holds("upper_bound", firepile::upper_bound(some, up), {0UL, 1UL, 2UL, 2UL, 2UL});
    const unsigned char contained[] = {0, 1, 1, 0, 0};
    holds("contains", firepile::contains(some, up), contained);
    holds("set_union", firepile::set_union(some, up), {1, 2, 3, 4, 5});
    holds("set_intersection", firepile::set_intersection(some, up), {2, 3});
    holds("set_difference", firepile::set_difference(up, some), {1, 4, 5});
    gpu_array *keys = firepile::map(up, half_address());
    expect(!firepile::reduce_by_key(keys, up, "a + b", &k, &v), "reduce_by_key");
    holds("reduce_by_key", v, {1, 5, 9});
    holds("scan_by_key", firepile::scan_by_key(keys, up, "a + b"), {1, 2, 5, 4, 9});
    expect(!firepile::group_reduce(keys, up, "a + b", &k, &v), "group_reduce");
    holds("group_reduce", k, {0, 1, 2});
    expect(!firepile::runs(keys, &k, &v), "runs");
    holds("runs", v, {1UL, 2UL, 2UL});
}

static void compile(gpu *g, const gpu_array *x)
{
    gpu_array *p = firepile::symbol<int>(g), *k = firepile::symbol_value<int>(g);
    gpu_status (*scale)(int *, const gpu_array *, int);
    int out = 0;
    expect(!firepile::compile(
               &scale, firepile::reduced(firepile::map(p, times_address(), firepile::arg("k", k)), "a + b"), p, k) &&
               !scale(&out, x, 3) && out == 45,
           "compile");
    gpu_status (*ends)(int *, int *, const gpu_array *);
    int least = 0;
    expect(!firepile::compile_all(&ends, {firepile::reduced(p, "min(a, b)"), firepile::reduced(p, "max(a, b)")}, p) &&
               !ends(&least, &out, x) && least == 1 && out == 5,
           "compile_all");
    expect(firepile::compile_all(&ends, {x}, p) == GPU_E_ARGUMENT, "compile_all without a symbol");
    expect_place(__LINE__ - 1, "gpu_compile_all");
    expect(firepile::compile(&scale, x, p) == GPU_E_ARGUMENT, "compile without a symbol");
    expect_place(__LINE__ - 1, "gpu_compile");
    expect(!gpu_array_status(firepile::symbol(g, pair_type())), "a symbol for structs");
    expect(!gpu_array_status(firepile::symbol_value(g, GPU_INT)), "a symbol for a value");
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

// Dictionaries of 2: 1, 4: 2, ... made of dictionaries.
static void change(const gpu_dict *d, const gpu_array *x)
{
    const int key = 4, value = 5;
    int values[5];
    unsigned char has[5];
    bool is_key = false, is_value = false;
    gpu_array *k, *left, *right;
    expect(!firepile::dict_contains(d, &key, &is_key) && is_key, "dict_contains");
    expect(!firepile::dict_contains_value(d, &value, &is_value) && is_value, "dict_contains_value");
    expect(!firepile::read(firepile::dict_has(d, x), has) && !has[0] && has[2], "dict_has");
    expect(!firepile::read(gpu_dict_values(firepile::dict_map(d, "key + x")), values) && values[4] == 15, "dict_map");
    expect(gpu_type_of(gpu_dict_values(firepile::dict_map_to<float>(d, "x / 2.0f"))) == GPU_FLOAT, "dict_map_to");
    expect(gpu_dict_size(firepile::dict_filter(d, "key > 5")) == 3, "dict_filter");
    expect(gpu_dict_size(firepile::dict_of_by(x, x, "a > b", "a")) == 5, "dict_of_by");
    expect(gpu_dict_size(firepile::dict_merge(d, d, "a + b")) == 5, "dict_merge");
    expect(gpu_dict_size(firepile::dict_intersect(d, d, "a + b")) == 5, "dict_intersect");
    expect(gpu_dict_size(firepile::dict_remove(d, x)) == 3, "dict_remove");
    expect(!firepile::dict_join(d, x, x, &k, &left, &right) && gpu_length(k) == 2, "dict_join");
}

// Dictionaries, and where a failed lookup stands.
static void look_up(const gpu_array *x)
{
    int keys[5], values[5];
    std::size_t n = 0;
    const int none = -1;
    gpu_dict *d = firepile::dict_of(firepile::map(x, twice_address()), x, "a + b");
    expect(!firepile::dict_read(d, keys, values, 5, &n) && n == 5 && keys[4] == 10 && values[4] == 5, "dict_of");
    expect(!firepile::read(firepile::dict_get(d, x, &none), values) && values[0] == -1 && values[2] == 2, "dict_get");
    const int line = __LINE__ + 1;
    gpu_array *absent = firepile::dict_get(d, x, nullptr);
    expect(firepile::read(absent, values) == GPU_E_RANGE, "a key that is not there");
    expect_place(line, "gpu_dict_get");
    change(d, x);
}

// The matrix of 2 1 and 1 1.
static void solve(gpu *g)
{
    const float data[] = {2, 1, 1, 1};
    float determinant = 0;
    gpu_matrix *m = firepile::matrix_of(g, data, 2, 2), *inverse = firepile::matrix_inverse(m);
    holds("matrix_inverse", gpu_matrix_array(inverse), {1.0f, -1.0f, -1.0f, 2.0f});
    holds("matrix_solve", gpu_matrix_array(firepile::matrix_solve(m, m)), {1.0f, 0.0f, 0.0f, 1.0f});
    expect(!firepile::matrix_determinant(m, &determinant) && determinant == 1, "matrix_determinant");
    gpu_matrix *conjugate = firepile::matrix_conjugate_transpose(m);
    holds("matrix_conjugate_transpose", gpu_matrix_array(conjugate), {2.0f, 1.0f, 1.0f, 1.0f});
    const float vectors[] = {1, 0, 0, 0, 1, 0};
    gpu_matrix *both = firepile::matrix_of(g, vectors, 2, 3), *turned = firepile::matrix_flip_rows(both);
    gpu_array *cross = gpu_matrix_array(firepile::matrix_cross(both, turned));
    holds("matrix_cross", cross, {0.0f, 0.0f, 1.0f, 0.0f, 0.0f, -1.0f});
    const int line = __LINE__ + 1;
    gpu_matrix *wrong = firepile::matrix_solve(both, both);
    expect(gpu_matrix_status(wrong) == GPU_E_ARGUMENT, "a system of a matrix that is no square");
    expect_place(line, "gpu_matrix_solve");
}

// Matrices of 1 2 3 and 4 5 6.
static void arrange(gpu *g)
{
    const int data[] = {1, 2, 3, 4, 5, 6};
    int read[6] = {0};
    gpu_matrix *m = firepile::matrix_of(g, data, 2, 3), *t = firepile::matrix_transpose(m);
    expect(!firepile::matrix_read(t, read) && read[1] == 4, "matrix_of, matrix_transpose, matrix_read");
    holds("matrix_from", firepile::matrix_row(firepile::matrix_from(gpu_matrix_array(m), 3, 2), 1), {3, 4});
    holds("matrix_identity", gpu_matrix_array(firepile::matrix_identity<int>(g, 2)), {1, 0, 0, 1});
    holds("matrix_map", firepile::matrix_row(firepile::matrix_map(m, "x + row + column"), 1), {5, 7, 9});
    gpu_matrix *halves = firepile::matrix_map_to<float>(m, "x / 2.0f");
    holds("matrix_map_to", firepile::matrix_column(halves, 2), {1.5f, 3.0f});
    expect(gpu_type_of(gpu_matrix_array(firepile::matrix_map_to(m, GPU_LONG, "x"))) == GPU_LONG, "matrix_map_to");
    holds("matrix_map2", firepile::matrix_column(firepile::matrix_map2(m, m, "x * y"), 0), {1, 16});
    holds("matrix_map_lower", gpu_matrix_array(firepile::matrix_map_lower(m, "0")), {0, 2, 3, 0, 0, 6});
    holds("matrix_map_upper", gpu_matrix_array(firepile::matrix_map_upper(m, "0")), {0, 0, 0, 4, 0, 0});
    holds("matrix_map_diagonal", gpu_matrix_array(firepile::matrix_map_diagonal(m, "0")), {0, 2, 3, 4, 0, 6});
    holds("matrix_map_antidiagonal", gpu_matrix_array(firepile::matrix_map_antidiagonal(m, "0")), {1, 2, 0, 4, 0, 6});
    gpu_matrix *sums = firepile::matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at(0, 1) + at(1, 0)");
    holds("matrix_stencil", gpu_matrix_array(sums), {6, 8, 9, 9, 11, 12});
    sums = firepile::matrix_stencil(m, 1, 10, "at(0, 1) + at(1, 0)");
    holds("matrix_stencil", gpu_matrix_array(sums), {6, 8, 16, 15, 16, 20});
    holds("matrix_flip_rows", gpu_matrix_array(firepile::matrix_flip_rows(m)), {4, 5, 6, 1, 2, 3});
    holds("matrix_flip_columns", gpu_matrix_array(firepile::matrix_flip_columns(m)), {3, 2, 1, 6, 5, 4});
    holds("matrix_block", gpu_matrix_array(firepile::matrix_block(m, 0, 1, 2, 1)), {2, 5});
    holds("matrix_diagonal", firepile::matrix_diagonal(m), {1, 5});
    holds("matrix_multiply", gpu_matrix_array(firepile::matrix_multiply(m, t)), {14, 32, 32, 77});
    gpu_matrix *longest = firepile::matrix_multiply_by(m, t, "x + y", "a > b ? a : b");
    holds("matrix_multiply_by", gpu_matrix_array(longest), {6, 9, 9, 12});
    holds("matrix_reduce_rows", firepile::matrix_reduce_rows(m, "a + b"), {6, 15});
    holds("matrix_reduce_columns", firepile::matrix_reduce_columns(m, "a + b"), {5, 7, 9});
    holds("matrix_scan_rows", gpu_matrix_array(firepile::matrix_scan_rows(m, "a + b")), {1, 3, 6, 4, 9, 15});
    holds("matrix_scan_columns", gpu_matrix_array(firepile::matrix_scan_columns(m, "a + b")), {1, 2, 3, 5, 7, 9});
    gpu_matrix *reversed = firepile::matrix_flip_columns(m);
    holds("matrix_sort_rows", gpu_matrix_array(firepile::matrix_sort_rows(reversed)), {1, 2, 3, 4, 5, 6});
    gpu_array *two = firepile::matrix_column(m, 0);
    holds("matrix_outer", gpu_matrix_array(firepile::matrix_outer(two, two, "x * y")), {1, 4, 4, 16});
    holds("matrix_apply", firepile::matrix_apply(m, firepile::matrix_row(m, 0)), {14, 32});
    const int line = __LINE__ + 1;
    gpu_matrix *wrong = firepile::matrix_from(gpu_matrix_array(m), 2, 2);
    expect(gpu_matrix_status(wrong) == GPU_E_ARGUMENT, "a matrix of too many elements");
    expect_place(line, "gpu_matrix_from");
}

/* The host device runs no texts. */
static void spawn(gpu *g, gpu_array *x)
{
    gpu_array *y, *z, *count;
    const gpu_space space = gpu_space_of(g, 5);
    const gpu_status status =
        firepile::spawn(g, space, "{ t[item] = f(x[i], 1); z[0] = 1; y[atomic_inc(y_count)] = t[item]; }",
                        firepile::arg("x", x), firepile::arg_operator("f", GPU_INT, "a + b"),
                        firepile::group("t", GPU_INT, space.items), firepile::result("y", y, GPU_INT, 5),
                        firepile::result_from("z", z, x), firepile::result_count("y_count", &count));
    expect(status == GPU_E_DEVICE && gpu_array_status(y) == GPU_E_DEVICE && gpu_array_status(count) == GPU_E_DEVICE,
           "spawn");
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
    gpu_array *bad = firepile::map(x, "x + k + table[1]", firepile::arg("k", 3), firepile::arg("table", x));
    char place[64];
    std::snprintf(place, sizeof place, "overloads.cpp:%d: in gpu_map: the operator \"x + k + table[1]\"", line);
    expect(firepile::read(bad, sorted) == GPU_E_SNIPPET && std::strstr(gpu_error(), place), place);
    expect(!firepile::read(firepile::stencil(x, 1, GPU_EDGE_WRAP, sum_address()), sums) && sums[0] == 5 + 2 + 3 &&
               !firepile::read(firepile::stencil(x, 1, 10, sum_address()), sums) && sums[4] == 1 + 2 + 10,
           "stencil");
    int none = 0, bins[6] = {0};
    expect(!firepile::read(firepile::bin_reduce(x, x, 6, &none, "a + b"), bins) && bins[3] == 3, "bin_reduce");
    capture(x);
    spawn(g, x);
    make(g, x);
    map(g, x);
    reduce(x);
    select(x);
    sort(x);
    compile(g, x);
    draw(g, x);
    look_up(x);
    arrange(g);
    solve(g);
    fail(g);
    gpu_close(g);
    return failures != 0;
}
