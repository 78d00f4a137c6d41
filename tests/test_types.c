/* Struct types: what makes two of them one, and two files whose structs have one name. */
#include "support/support.h"
#include "support/twins.h"

#include "kernel/type.h"

#include <string.h>

GPU_STRUCT(twin_inner, float v;);
GPU_STRUCT(twin_outer, twin_inner in; int id;);
GPU_STRUCT(twin_item, float w; int id;);

enum { N = 4 };
static const int ids[N] = {7, 3, 5, 1}, keys[N] = {2, 1, 2, 1};

Test(types, equal_texts_of_other_structs_are_other_types)
{
    gpu_type_info same = *GPU_TYPE(twin_outer);
    cr_assert(gpu_type_equal(GPU_TYPE(twin_outer), &same), "two descriptions of one type");
    cr_assert_not(gpu_type_equal(GPU_TYPE(twin_outer), twin_outer_type()));
    cr_assert_not(gpu_type_equal(GPU_TYPE(twin_inner), twin_type()));

    gpu *g = test_open();
    twin_outer items[2] = {{{1.5f}, 1}, {{2.5f}, 2}};
    gpu_array *ours = gpu_array_from(g, GPU_TYPE(twin_outer), items, 2);
    gpu_array *theirs = gpu_array_from(g, twin_outer_type(), items, 2), *places = gpu_range(g, GPU_INT, 2);
    cr_assert(gpu_type_equal(gpu_type_of(ours), GPU_TYPE(twin_outer)));
    cr_assert_not(gpu_type_equal(gpu_type_of(ours), gpu_type_of(theirs)));
    test_array_fails(GPU_E_TYPE, gpu_concat(ours, theirs));
    test_array_fails(GPU_E_TYPE, gpu_scatter(ours, places, theirs));
    gpu_status status = gpu_array_status(gpu_eval(twin_map(ours)));
    cr_assert(status == GPU_E_TYPE || status == GPU_E_SNIPPET, "a function of the other type: %s",
              gpu_status_name(status));
    test_close(g);
}

Test(types, a_description_may_change_where_it_stands)
{
    gpu *g = test_open();
    gpu_type_info description = *GPU_TYPE(twin_item);
    char members[] = "float w; int id;";
    twin_item item = {1, 2};
    description.members = members;
    gpu_array *before = gpu_array_from(g, &description, &item, 1);
    memcpy(members, "int w; float id;", sizeof members);
    gpu_array *after = gpu_array_from(g, &description, &item, 1);
    cr_assert(gpu_type_equal(gpu_type_of(before), GPU_TYPE(twin_item)), "an array keeps its type");
    cr_assert_not(gpu_type_equal(gpu_type_of(after), gpu_type_of(before)));
    test_array_fails(GPU_E_TYPE, gpu_concat(before, after));
    test_close(g);
}

Test(types, kept_once)
{
    gpu_type one, two, theirs;
    gpu_type_info same = *GPU_TYPE(twin_outer);
    test_ok(fp_type_keep(GPU_TYPE(twin_outer), &one));
    test_ok(fp_type_keep(&same, &two));
    test_ok(fp_type_keep(twin_outer_type(), &theirs));
    cr_assert(one == two && one != theirs && fp_type_is_kept(one) && !fp_type_is_kept(&same));
    test_ok(fp_type_keep(one, &two));
    cr_assert_eq(one, two);
    test_ok(fp_type_keep(GPU_FLOAT3, &one));
    cr_assert_eq(one, GPU_FLOAT3);
}

/* Are these the numbers of the items, in this order? */
static void has_ids(const char *what, const gpu_array *a, size_t n, const int *want)
{
    test_holds(what, gpu_map_to(a, GPU_INT, "x.id"), GPU_INT, n, want);
}

/* What sorts items beside keys. */
static void try_sorts(gpu *g, const gpu_array *x)
{
    gpu_array *k = gpu_array_of(g, keys, N), *sk, *sv;
    has_ids("sort_key", gpu_sort_key(x, GPU_INT, "x.id"), N, (int[]){1, 3, 5, 7});
    test_ok(gpu_sort_pairs(k, x, &sk, &sv));
    has_ids("sort_pairs", sv, N, (int[]){3, 1, 7, 5});
    test_ok(gpu_sort_pairs_by(k, x, "a > b", &sk, &sv));
    has_ids("sort_pairs_by", sv, N, (int[]){7, 5, 3, 1});
    test_ok(gpu_sort_pairs_by(x, k, "a.id < b.id", &sk, &sv));
    has_ids("keys", sk, N, (int[]){1, 3, 5, 7});
    has_ids("sort_by", gpu_sort_by(x, "a.id < b.id"), N, (int[]){1, 3, 5, 7});
    has_ids("scatter", gpu_scatter(x, gpu_reverse(gpu_range(g, GPU_INT, N)), x), N, (int[]){1, 5, 3, 7});
}

/* What combines items beside keys, or with a mark. */
static void try_reductions(gpu *g, const gpu_array *x)
{
    gpu_array *k = gpu_array_of(g, keys, N), *rk, *rv;
    test_ok(gpu_group_reduce(k, x, "a.id > b.id ? a : b", &rk, &rv));
    has_ids("group_reduce", rv, 2, (int[]){3, 7});
    test_ok(gpu_reduce_by_key(k, x, "b", &rk, &rv));
    has_ids("reduce_by_key", rv, N, ids);
    has_ids("scan_by_key", gpu_scan_by_key(k, x, "a"), N, ids);
    has_ids("scan", gpu_scan(x, "a.id > b.id ? b : a"), N, (int[]){7, 3, 3, 1});
    has_ids("reduced", gpu_reduced(gpu_filter(x, "x.id < 6"), "a.id > b.id ? a : b"), 1, (int[]){5});
    has_ids("block_reduce", gpu_block_reduce(x, 2, "b"), 2, (int[]){3, 1});
}

static void try_selections(const gpu_array *x)
{
    gpu_array *yes, *no;
    gpu_partition(x, "x.id > 3", &yes, &no);
    has_ids("partition", yes, 2, (int[]){7, 5});
    has_ids("the others", no, 2, (int[]){3, 1});
    has_ids("concat", gpu_concat(gpu_reverse(x), gpu_filter(x, "x.id == 5")), N + 1, (int[]){1, 5, 3, 7, 5});
}

Test(types, two_files_with_one_struct_name, .timeout = 300)
{
    gpu *g = test_open();
    twin_item items[N], first = {0, 0}, last = {0, 0};
    for (int k = 0; k < N; k++) items[k] = (twin_item){-1, ids[k]};
    gpu_array *both[] = {gpu_array_from(g, GPU_TYPE(twin_item), items, N), twin_items(g, ids, N)};
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(gpu_array_status(both[k]), GPU_OK, "%s", gpu_array_error(both[k]));
        try_sorts(g, both[k]);
        try_reductions(g, both[k]);
        try_selections(both[k]);
    }
    test_ok(gpu_reduce_all(both[0], "a", &first, "b", &last));
    cr_assert(first.id == 7 && last.id == 1, "%d %d", first.id, last.id);
    test_close(g);
}

Test(types, both_in_one_pipeline)
{
    gpu *g = test_open();
    twin_item items[N], mine = {0.5f, 100};
    for (int k = 0; k < N; k++) items[k] = (twin_item){-1, ids[k]};
    gpu_array *ours = gpu_array_from(g, GPU_TYPE(twin_item), items, N), *theirs = twin_items(g, ids, N), *sk, *sv;
    test_holds("two arrays", gpu_map2_to(ours, theirs, GPU_INT, "10 * x.id + y.id"), GPU_INT, N,
               (int[]){77, 33, 55, 11});
    test_holds("a captured one", gpu_map_to(theirs, GPU_INT, "x.id + p.id", GPU_ARG_AS(p, GPU_TYPE(twin_item), mine)),
               GPU_INT, N, (int[]){107, 103, 105, 101});
    test_ok(gpu_sort_pairs_by(ours, theirs, "a.id < b.id", &sk, &sv));
    has_ids("keys", sk, N, (int[]){1, 3, 5, 7});
    has_ids("values", sv, N, (int[]){1, 3, 5, 7});
    test_ok(gpu_sort_pairs_by(theirs, ours, "a.id < b.id", &sk, &sv));
    has_ids("values", sv, N, (int[]){1, 3, 5, 7});
    test_close(g);
}
