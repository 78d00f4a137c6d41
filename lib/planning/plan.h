/* A plan: one kernel launch in the making. The walk over an expression gives its arguments and the key of the kernel.
 * The source is written only if no kernel is found. The gpu is locked throughout. */
#ifndef FP_PLANNING_PLAN_H
#define FP_PLANNING_PLAN_H

#include "expressions/request.h"

/* A numbered parameter of the kernel, fp_p0, fp_p1, ... */
typedef struct fp_parameter {
    gpu_type type;
    bool pointer; /* to constant elements of that type */
    bool counter; /* pointer to words that the kernel changes */
    bool made;    /* pointer to elements that the kernel writes */
    fp_arg arg;
    size_t size; /* the value of an index parameter */
} fp_parameter;

/* One node of the expression. */
typedef struct fp_step {
    fp_node *node;
    unsigned inputs[FP_INPUTS];
    unsigned parameter; /* the first of its own */
    bool moved;         /* fp_plan_edges: it is read at other places than the root */
    bool placed;        /* fp_plan_places: a view with the template's rows and columns */
    unsigned domain;    /* while the program is written: the root it was last marked for */
} fp_step;

/* An operator that the template applies: fp_op(a, b), or one of its members. */
typedef struct fp_combine {
    const fp_operator *op;
    gpu_type type;
    unsigned parameter;
    const fp_operator *map; /* makes its elements from those of the root; NULL: it takes those */
    unsigned map_parameter;
} fp_combine;

typedef struct fp_slot {
    const char *name;
    uint64_t value;
} fp_slot;

/* A type that the template uses by a name of its own. */
typedef struct fp_name {
    const char *name;
    gpu_type type;
} fp_name;

/* The stand-in for an element that a selection did not keep, or that an empty array does not have. */
typedef enum fp_absence {
    FP_ABSENCE_NONE,    /* all elements are there */
    FP_ABSENCE_NEUTRAL, /* the operator's identity */
    FP_ABSENCE_MARKED   /* FP_T has a last member `kept0`, which is 0 then */
} fp_absence;

/* A template that loads elements near the edges of an array or a matrix apart from the others. */
typedef struct fp_split {
    unsigned dimensions; /* 0: it loads all alike */
    fp_reach margin;
    size_t columns; /* of a matrix */
    unsigned columns_parameter;
    unsigned edges; /* the parameter that the template sets to 0 where there are no edges */
} fp_split;

enum { FP_PLAN_SLOTS = 20, FP_PLAN_COMBINES = 8, FP_PLAN_NAMES = 6 };

typedef struct fp_plan {
    gpu *g;
    const char *template; /* "reduce": kernels/cpu/reduce.cl or kernels/gpu/reduce.cl with the kernel fp_reduce */
    gpu_type type;        /* FP_T */
    fp_slot slots[FP_PLAN_SLOTS];
    unsigned slot_count;
    fp_step *steps;
    size_t step_count, step_capacity;
    fp_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    fp_combine combines[FP_PLAN_COMBINES];
    unsigned combine_count;
    bool multiplies;           /* fp_product(x, y), fp_load_a(i) and fp_load_b(i): the root is a concatenation */
    fp_combine product;        /* the operator of fp_product */
    const fp_operator *kernel; /* the user's: fp_kernel(); NULL: there is none */
    unsigned kernel_parameter;
    const fp_output *outputs; /* of its results */
    bool reports;             /* an operator has some: fp_report_once */
    bool compares;            /* the one operator is a comparator: fp_less(a, b), and there is no fp_op */
    fp_name names[FP_PLAN_NAMES];
    unsigned name_count;
    fp_absence absence;
    unsigned neutral;  /* the parameter that has it */
    size_t length;     /* of the elements of fp_load; a bound where it is */
    bool counted;      /* known to the device alone */
    unsigned root;     /* the step that fp_load reads */
    bool has_epilogue; /* maps are applied as the result is stored */
    unsigned epilogue; /* the step of the last map */
    fp_split split;
    bool placed;   /* fp_load_in(i, row, column) instead of fp_load(i) */
    unsigned wide; /* elements of fp_load_wide; 1: there is none */
    fp_arg *args;
    size_t arg_capacity;
    fp_text key;
    uint64_t visit;
    bool failed;
} fp_plan;

/* Starts the gpu's plan: a template, the type FP_T of its results, and the expression of fp_load(i), whose length is
 * fp_n. For a selection fp_take(i, &v) gives an element, and says whether it is kept. */
gpu_status fp_plan_begin(fp_plan **plan, const char *template, gpu_type type, const fp_ready *input);

/* Adds an operator of fp_op(a, b). With several, FP_T is a tuple (fp_tuple_type), and each combines its own member. */
void fp_plan_combine(fp_plan *plan, const fp_operator *op, gpu_type type);

/* Gives the operator that was added last a map. It combines the values of the map. */
void fp_plan_map(fp_plan *plan, const fp_operator *map);

/* Adds fp_less(a, b) of `type` instead of fp_op. */
void fp_plan_compare(fp_plan *plan, const fp_operator *less, gpu_type type);

/* Adds the operator of fp_product(x, y) of `type`. The elements are one array after the other: fp_load_a(i) and
 * fp_load_b(i). */
void fp_plan_product(fp_plan *plan, const fp_operator *op, gpu_type type);

/* Adds a kernel of the user's own, fp_kernel() in a place with FP_LOCAL_MEMORY. Its results go to `outputs`, which live
 * until the launch. `group_columns`: the groups in a row of a space of two dimensions. */
void fp_plan_kernel(fp_plan *plan, const fp_operator *kernel, const fp_output *outputs, size_t group_columns);

/* Has the template apply maps as it stores its result. `maps` is the last of a chain of maps over a delayed task. */
void fp_plan_epilogue(fp_plan *plan, fp_node *maps);

/* A type of the template: #define NAME TYPE. `name` is a literal. */
void fp_plan_name(fp_plan *plan, const char *name, gpu_type type);

/* For templates that combine elements of which some may be absent. Their stand-in fp_nothing is the identity (a value
 * of FP_T). Without one, FP_T is fp_tuple_type with `kept0`. Comes before fp_plan_combine. */
void fp_plan_absence(fp_plan *plan, const void *identity);

/* A number of the template: #define NAME VALUE. `name` is a literal. */
void fp_plan_slot(fp_plan *plan, const char *name, uint64_t value);

/* The slots of GPU shapes whose items work on vectors: FP_VECTOR, the elements of one; FP_WIDE, 1 if one wide load
 * reads it, since only scalars at aligned places are read; FP_IN_FLIGHT, the vectors that an item has in flight. */
void fp_plan_vectors(fp_plan *plan, unsigned vector);

/* The slots FP_SPLIT, FP_MARGIN and FP_MARGIN_DOWN of a template that loads elements near the edges apart from the
 * others. fp_edges may be 0 for elements that lie at least as far from the edges. An array is one row. */
void fp_plan_edges(fp_plan *plan);

/* For templates that know the row and column of each element: fp_load_in(i, row, column) instead of fp_load(i). Views
 * with this number of columns then need no division. */
void fp_plan_places(fp_plan *plan, size_t columns);

bool fp_plan_has_stencils(const fp_plan *plan);
/* Are there views, or operators that are given row and column? */
bool fp_plan_has_matrices(const fp_plan *plan);

/* Are all elements that are read from memory scalars? */
bool fp_plan_reads_scalars(const fp_plan *plan);

/* Neighbouring elements that share work, beginning at multiples of their number; 1: none do. */
unsigned fp_plan_shared(const fp_plan *plan);

/* The bytes of the largest element that is read from memory, or shares work with its neighbours; 0 if none is. */
size_t fp_plan_largest_read(const fp_plan *plan);

/* Finds or builds the kernel, and launches it with the plan's parameters and then `args`. A launch without groups is
 * GPU_E_INTERNAL, since callers handle empty arrays. */
gpu_status fp_plan_launch(fp_plan *plan, const fp_arg *args, unsigned count, size_t groups, size_t group_size);

void fp_plan_free(fp_plan *plan);

/* Writes the program of a plan. */
gpu_status fp_plan_write(const fp_plan *plan, fp_source *source);

#endif
