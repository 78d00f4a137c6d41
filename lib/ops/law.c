#include "base/error.h"
#include "host/host.h"
#include "ops/sample.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

#include <firepile/law.h>

enum { MOST = 64, GROUP = 64 };

static gpu_status launch(fp_request *r)
{
    const fp_node *node = r->input.node;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "law", node->type, &r->input);
    if (status) return status;
    fp_plan_compare(plan, r->ops[0], node->type);
    const fp_arg args[] = {{.buffer = r->outputs[0].buffer}};
    return fp_plan_launch(plan, args, 1, MOST, fp_group_of(&node->g->policy, GROUP));
}

static const fp_primitive trial = {.name = "law", .launch = launch, .run = fp_host_law, .decides = true};

/* Fails with the broken law, and the elements that break it. */
static gpu_status broken(fp_sample *s, uint32_t found)
{
    static const char *const laws[] = {"a comes before itself", "a comes before b, and b before a",
                                       "a comes before b and b before c, but a not before c",
                                       "b is like a and like c, but a is not like c"};
    static const unsigned named[] = {1, 2, 3, 3};
    size_t n = s->length, triple = found / 4, law = found % 4;
    const size_t places[] = {triple / (n * n), triple / n % n, triple % n};
    fp_text text = {0};
    gpu_status status = fp_sample_read(s);
    if (status) return status;
    fp_text_print(&text, "the comparator is no strict weak order: %s; ", laws[law]);
    fp_sample_name(s, places, named[law], &text);
    return fp_fail_text(GPU_E_ARGUMENT, &text);
}

static gpu_status try_order(fp_sample *s, fp_operator *less)
{
    fp_node *result = NULL;
    uint32_t seen = 0;
    fp_request r = {.primitive = &trial,
                    .ops = &less,
                    .op_count = 1,
                    .outputs = {{.type = GPU_UINT, .length = 1, .zeroed = true}},
                    .output_count = 1};
    gpu_status status = fp_node_prepare(s->node, &less, 1, &r.input);
    if (!status) status = fp_execute(&r, &result);
    if (!status) status = fp_buffer_download(result->buffer, 0, &seen, sizeof seen);
    fp_node_drop(result);
    return status || !seen ? status : broken(s, ~seen);
}

static gpu_status check_order(const gpu_array *a, const gpu_operator *less)
{
    fp_operator *bound;
    fp_sample s = {0};
    gpu_status status = fp_array_check(a, "a");
    if (!status)
        status = fp_operator_bind(
            a->g, less, &(fp_operator_kind){"gpu_check_order", 2, FP_OPERATOR_DECIDES, {a->node->type}, NULL}, &bound);
    if (status) return status;
    bound->predicate = true;
    status = fp_sample_take(a->node, MOST, &s);
    if (!status && s.length) status = try_order(&s, bound);
    fp_sample_drop(&s);
    fp_operator_drop(bound);
    return status;
}

gpu_status gpu_check_order_op(const gpu_array *a, const gpu_operator *less)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_check_order", fp_place_of(less));
    return fp_entry_end(&entry, check_order(a, less));
}
