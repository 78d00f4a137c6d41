/* What is to be done before a node, or all that a launch reads, is in buffers: a list of steps. Evaluation executes it,
 * gpu_explain prints it. */
#ifndef FP_PLANNING_SCHEDULE_H
#define FP_PLANNING_SCHEDULE_H

#include "expressions/task.h"
#include "host/host.h"

/* What a node is by the end of the schedule so far. */
typedef struct fp_fact {
    uint64_t consumer;
    unsigned made; /* by the step of this number, from 1 on; 0: it is not, or was a buffer before */
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
    fp_node *task; /* a delayed task, which is run with the maps between it and the node; NULL: a map or a selection */
    fp_reason reason; /* why the expression ends here */
    bool part;        /* nothing is computed: it becomes a part of its input's buffer */
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

/* Adds what makes the node a buffer. */
void fp_schedule_node(fp_schedule *schedule, fp_node *node, fp_reason reason);
/* Adds what a launch that reads the node needs, with the arrays that its operators captured. A template that reads
 * `selections` has none computed. */
void fp_schedule_input(fp_schedule *schedule, fp_node *node, bool selections);
void fp_schedule_captured(fp_schedule *schedule, const fp_operator *op);
/* Adds what the node's own inputs need. */
void fp_schedule_inputs(fp_schedule *schedule, fp_node *node);

/* What the node is after the first `steps` steps. */
bool fp_schedule_is_buffer(fp_schedule *schedule, fp_node *node, unsigned steps);
/* Valid until the next call. */
fp_fact *fp_schedule_fact(fp_schedule *schedule, fp_node *node);
/* Is it a selection then? */
bool fp_schedule_is_selection(fp_schedule *schedule, fp_node *node, unsigned steps);

#endif
