/* A schedule: the steps that put a node, or all that a launch reads, into buffers. Evaluation executes it, gpu_explain
 * prints it. */
#ifndef FP_PLANNING_SCHEDULE_H
#define FP_PLANNING_SCHEDULE_H

#include "expressions/task.h"
#include "host/host.h"

/* The state of a node at the end of the schedule so far. */
typedef struct fp_fact {
    uint64_t consumer;
    unsigned made; /* the number of its step, from 1 on; 0: it has none */
    bool part;     /* that step makes it a part of its input's buffer */
    bool on_host;
    bool clear; /* no stored node below is left to be scheduled */
    /* For gpu_explain: */
    unsigned shown;  /* the step that it was printed for last */
    unsigned domain; /* the domain in which its bytes were counted last */
} fp_fact;

/* One node becomes a buffer. */
typedef struct fp_scheduled {
    fp_node *node;
    fp_node *task;    /* the delayed task, run with the maps between it and the node; NULL: none */
    fp_reason reason; /* why the expression ends here */
    bool part;        /* it becomes a part of its input's buffer; nothing is computed */
    fp_foreseen seen;
    unsigned number; /* For gpu_explain: of its last launch */
} fp_scheduled;

typedef struct fp_schedule {
    gpu *g;
    uint64_t visit;
    fp_fact *facts;
    size_t fact_count, fact_capacity;
    fp_scheduled *steps;
    size_t count, capacity;
    fp_fact none;          /* when memory has run out */
    const fp_fault *fault; /* why it cannot be computed; NULL: nothing is known */
    bool failed;           /* memory has run out */
} fp_schedule;

/* Starts an empty one, with the memory of the gpu's last. */
void fp_schedule_begin(fp_schedule *schedule, gpu *g);
void fp_schedule_end(fp_schedule *schedule);
/* Frees the memory that was kept for the next one. */
void fp_schedules_free(gpu *g);

/* Adds the steps that make the node a buffer. */
void fp_schedule_node(fp_schedule *schedule, fp_node *node, fp_reason reason);
/* Adds the steps before a launch that reads the node, or before an operator is applied. `selections`: the template
 * reads those itself. */
void fp_schedule_input(fp_schedule *schedule, fp_node *node, bool selections);
void fp_schedule_captured(fp_schedule *schedule, const fp_operator *op);
/* Adds the steps before the node is computed. */
void fp_schedule_inputs(fp_schedule *schedule, fp_node *node);

/* Is the node a buffer after the first `steps` steps? */
bool fp_schedule_is_buffer(fp_schedule *schedule, fp_node *node, unsigned steps);
/* Valid until the next call. */
fp_fact *fp_schedule_fact(fp_schedule *schedule, fp_node *node);
/* Is it a selection then? */
bool fp_schedule_is_selection(fp_schedule *schedule, fp_node *node, unsigned steps);

#endif
