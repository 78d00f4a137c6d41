/* Arrays of two gpus in one call: the call fails and says so. Nothing is computed. */
#include "support/support.h"

typedef struct sides {
    gpu *g, *other;
    gpu_array *x, *y; /* of each one */
} sides;

static sides open_sides(void)
{
    sides s = {test_open(), gpu_open(NULL), NULL, NULL};
    cr_assert(s.other, "%s", gpu_error());
    s.x = gpu_range(s.g, GPU_INT, 4);
    s.y = gpu_range(s.other, GPU_INT, 4);
    return s;
}

static void close_sides(const sides *s)
{
    gpu_close(s->other);
    test_close(s->g);
}

#define REFUSED(a) check_refused(#a, gpu_array_status(a))
#define FAILS(call) check_refused(#call, (call))
static void check_refused(const char *call, gpu_status status)
{
    cr_assert_eq(status, GPU_E_ARGUMENT, "%s gave %s", call, gpu_status_name(status));
    test_has(gpu_error(), "different gpus");
}

Test(errors_gpus, elementwise_operations_refuse_arrays_of_two)
{
    sides s = open_sides();
    REFUSED(gpu_map2(s.x, s.y, "x + y"));
    REFUSED(gpu_map3(s.x, s.x, s.y, "x + y + z"));
    REFUSED(gpu_gather(s.x, s.y));
    REFUSED(gpu_scatter(s.x, s.y, s.x));
    REFUSED(gpu_scatter(s.x, s.x, s.y));
    REFUSED(gpu_concat(s.x, s.y));
    REFUSED(gpu_repeat(s.x, s.y));
    close_sides(&s);
}

Test(errors_gpus, operations_on_keys_and_values_refuse_arrays_of_two)
{
    sides s = open_sides();
    gpu_array *keys, *values;
    REFUSED(gpu_bin_reduce(s.x, s.y, 4, &(int){0}, "a + b"));
    REFUSED(gpu_scan_by_key(s.x, s.y, "a + b"));
    FAILS(gpu_reduce_by_key(s.x, s.y, "a + b", &keys, &values));
    FAILS(gpu_group_reduce(s.x, s.y, "a + b", &keys, &values));
    FAILS(gpu_sort_pairs(s.x, s.y, &keys, &values));
    close_sides(&s);
}

Test(errors_gpus, operations_on_sorted_arrays_refuse_arrays_of_two)
{
    sides s = open_sides();
    REFUSED(gpu_lower_bound(s.x, s.y));
    REFUSED(gpu_merge(s.x, s.y));
    REFUSED(gpu_set_union(s.x, s.y));
    close_sides(&s);
}

Test(errors_gpus, dictionaries_refuse_arrays_of_two)
{
    sides s = open_sides();
    gpu_array *k, *left, *right;
    gpu_dict *d = gpu_dict_of(s.x, s.x, "a + b");
    FAILS(gpu_dict_status(gpu_dict_of(s.x, s.y, "a + b")));
    REFUSED(gpu_dict_get(d, s.y, &(int){0}));
    FAILS(gpu_dict_status(gpu_dict_merge(d, gpu_dict_of(s.y, s.y, "a + b"), "a + b")));
    FAILS(gpu_dict_join(d, s.y, s.y, &k, &left, &right));
    FAILS(gpu_dict_join(d, s.x, s.y, &k, &left, &right));
    close_sides(&s);
}

Test(errors_gpus, matrices_refuse_arrays_of_two)
{
    sides s = open_sides();
    gpu_matrix *m = gpu_matrix_from(s.x, 2, 2), *other = gpu_matrix_from(s.y, 2, 2);
    FAILS(gpu_matrix_status(gpu_matrix_map2(m, other, "x + y")));
    FAILS(gpu_matrix_status(gpu_matrix_multiply(m, other)));
    REFUSED(gpu_matrix_apply(m, gpu_slice(s.y, 0, 2)));
    FAILS(gpu_matrix_status(gpu_matrix_outer(s.x, s.y, "x * y")));
    close_sides(&s);
}
