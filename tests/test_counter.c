/* Device counters, which are handed out again and again. */
#include "expressions/counter.h"
#include "support/support.h"

enum { MANY = 2000 };

static uint64_t value_of(fp_buffer *buffer, unsigned index)
{
    uint64_t value = 77;
    test_ok(fp_buffer_download(buffer, index * sizeof value, &value, sizeof value));
    return value;
}

/* Stands for a kernel that stores a count. */
static void store(fp_counter counter, uint64_t value)
{
    const size_t offset = counter.index * sizeof value;
    test_ok(fp_buffer_upload(fp_counter_buffer(counter), offset, &value, sizeof value));
    test_ok(fp_buffer_upload(fp_counter_shown(counter), offset, &value, sizeof value));
}

static void check_zero(const char *policy)
{
    setenv("FIREPILE_POLICY", policy, 1);
    gpu *g = test_open();
    fp_counter kept, next;
    test_ok(fp_counter_new(g, true, &kept));
    store(kept, 5);
    for (int k = 0; k < MANY; k++) {
        test_ok(fp_counter_new(g, true, &next));
        cr_assert(value_of(fp_counter_buffer(next), next.index) == 0, "%s: call %d", policy, k);
        cr_assert(value_of(fp_counter_shown(next), next.index) == 0, "%s: call %d", policy, k);
        store(next, 9);
        fp_counter_free(next, false);
    }
    cr_assert_eq(value_of(fp_counter_buffer(kept), kept.index), 5, "%s: a counter in use was cleared", policy);
    fp_counter_free(kept, false);
    test_close(g);
}

Test(counter, is_zero_where_that_matters)
{
    test_needs_opencl();
    check_zero("cpu");
    if (test_runs_gpu_shapes()) check_zero("gpu");
}

Test(counter, is_cleared_together_with_others)
{
    test_needs_opencl();
    gpu *g = test_open();
    fp_counter counter;
    test_ok(fp_counter_new(g, true, &counter));
    fp_counter_free(counter, false);
    const uint64_t before = test_stats(g).driver_calls;
    for (int k = 0; k < MANY; k++) {
        test_ok(fp_counter_new(g, true, &counter));
        fp_counter_free(counter, false);
    }
    cr_assert_leq(test_stats(g).driver_calls - before, 16);
    test_close(g);
}
