#include "expressions/task.h"

#include "base/memory.h"

fp_task *fp_task_keep(fp_task *task)
{
    task->references++;
    return task;
}

void fp_task_drop(fp_task *task)
{
    if (!task || --task->references) return;
    for (unsigned k = 0; k < task->input_count; k++) fp_node_drop(task->inputs[k]);
    fp_operator_drop(task->op);
    fp_free(task);
}
