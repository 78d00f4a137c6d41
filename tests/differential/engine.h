/* The engine of the differential test. Each value exists twice, as a gpu_array and as a plain C array. A step makes
 * values of values on both sides. */
#ifndef DIFFERENTIAL_ENGINE_H
#define DIFFERENTIAL_ENGINE_H

#include "kinds.h"

enum { MOST_INPUTS = 3, MOST_VALUES = 64, MOST_STEPS = 256, MOST_SCOPES = 4, MOST_BYTES = 64 };

/* A set of statuses, and those of values that depend on an index out of range, and so on. */
#define STATUS(code) (1u << (code))
#define SOUND STATUS(GPU_OK)

/* `data` holds the `n` elements that the array should have. `status` is the set of what a reader may report: for most
 * values SOUND alone. If it is anything else, there are no elements to compare. */
typedef struct value {
    const kind *kind;
    size_t n;
    char *data;
    unsigned status;
    gpu_array *a; /* NULL: it is not there */
    int scope;    /* how many scopes were open when it was made */
} value;

typedef struct operation operation;

/* One call. What it draws at random comes from `seed`, so that it is the same when other steps are left out. */
typedef struct step {
    const operation *op;
    uint64_t seed, shared;          /* shared: sources of one length have the same */
    size_t most;                    /* elements of a source */
    int in[MOST_INPUTS], t, out[2]; /* numbers of values, -1: none; t: the captured array */
    const rule *rule, *second;
    bool as_text;
    const kind *to;
    bool left_out;
} step;

/* What a step draws. */
typedef struct drawn {
    size_t number[4];
    char k[MOST_BYTES], start[MOST_BYTES]; /* elements */
    const void *data;
    uint64_t *indices;
    size_t count; /* of data or indices */
} drawn;

/* What operators capture, where the library finds it until the call has been made. */
typedef struct bound {
    gpu_capture k, t, m;
    const gpu_capture *list[4];
    gpu_operator op;
} bound;

/* A failure to be made: of allocation or OpenCL call number `at` of a run, 0: none. */
typedef struct fault {
    unsigned long (*fail_at)(unsigned long k);
    unsigned long at;
    bool left; /* the run did not reach it */
} fault;

typedef struct run {
    gpu *g;
    const char *mode;
    bool host;   /* the host device: recognised texts and GPU_FUNCTIONs only */
    size_t most; /* elements of a source */
    value values[MOST_VALUES];
    gpu_scope *scopes[MOST_SCOPES];
    int open;
    unsigned failures; /* statuses that gpu_finish may report */
    fault fault;
    unsigned faults; /* statuses that any call may report: those of the fault */
    drawn drawn;
    bound bound[2];
    gpu_array *t; /* what the step captures */
    unsigned m;
    captured captured;
    FILE *log;
    char *text; /* what has been logged */
    size_t text_length;
    char failure[1024]; /* "": none so far */
    uint64_t soil;      /* random numbers that are left in memory */
    uint64_t state;     /* of random numbers */
    size_t compared;    /* elements */
} run;

/* How an operation uses its operator. */
typedef enum list { NO_RULE, MAPS, MAPS2, MAPS3, TESTS, JOINS, ORDERS, TO_INT, FROM_INT, KEYS, PLACES, DECISIONS } list;

/* What an operation takes, and the type of what it gives. */
typedef enum takes { ANY, SCALAR, COMPARED, INTS } takes; /* COMPARED: scalars and vectors */
typedef enum gives { NOTHING, SAME, SECOND, CHOSEN, AS_ULONG, AS_INT, AS_UCHAR, AS_INT2 } gives;

enum {
    SAME_KIND = 1,    /* the second input has the first one's type, */
    SAME_LENGTH = 2,  /* and its length; */
    KEEPS_LENGTH = 4, /* the results as well */
    IN_PART = 8,      /* may not look at all elements: a failure may stay unseen */
    SIZED = 16,       /* draws numbers from lengths: those of arrays that failed are not known */
    NO_SYMBOLS = 32,
    NO_NAN = 64,  /* a comparator that orders no NaN */
    PAIRED = 128, /* the two results are equally long */
};

struct operation {
    const char *name;
    unsigned weight;
    int inputs;
    takes takes;
    gives gives[2];
    list list;
    unsigned flags;
    /* The plain C: false if this call is better not made. `draw`, which may be NULL, goes before. */
    void (*draw)(run *r, const step *s, const value *const in[]);
    bool (*refer)(run *r, const step *s, const value *const in[], value *const out[]);
    void (*make)(run *r, const step *s, gpu_array *const in[], gpu_array *out[]);
    /* Or a call that makes no array. */
    void (*check)(run *r, const step *s, value *v);
};

/* The three parts of an operation. */
#define DRAW(name) static void name(run *r, const step *s, const value *const in[])
#define REFER(name) static bool name(run *r, const step *s, const value *const in[], value *const out[])
#define MAKE(name) static void name(run *r, const step *s, gpu_array *const in[], gpu_array *out[])
#define CHECK(name) static void name(run *r, const step *s, value *v)
#define UNUSED (void)r, (void)s, (void)in, (void)out

/* Lists that end with an operation that has no name. */
extern const operation sources[], element_steps[], move_steps[], reduce_steps[], key_steps[], sort_steps[],
    sorted_steps[], collection_steps[], reduce_checks[], select_checks[], observations[];

/* ---- values.c ---- */

/* The kind of AS_ULONG and its like; else NULL. */
const kind *kind_always(gives gives);
size_t below(run *r, size_t n);
void *element(const value *v, size_t i);
void give(value *out, size_t n);
void give_part(value *out, const value *v, size_t first, size_t n);
void copy(value *out, size_t i, const void *element);
void apply(const run *r, const rule *rule, void *out, const void *x, const void *y, uint64_t i);
bool says(const run *r, const rule *rule, const void *x, uint64_t i); /* of a predicate */
bool before(const run *r, const rule *rule, const void *x, const void *y);
bool is_equal(const kind *k, const void *p, const void *q); /* NaN equals nothing */
bool has_nan(const value *v);
/* Does a reduction by this operator give the same bits in any order? */
bool stays_exact(const rule *rule, const value *v);
bool is_small(const value *v);                                     /* floating numbers are small enough to go on with */
void draw_element(run *r, const step *s, const value *const in[]); /* start: one that is there, or some other one */
void element_of(const kind *k, uint64_t bits, void *out);
void same_elements(run *r, const char *what, const kind *k, size_t n, const void *got, const void *want);

/* The first failure is kept. */
void fail(run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Was the call right to report this? True where it succeeded and `wanted` is SOUND, so that results can be compared. */
bool reported(run *r, const char *what, gpu_status got, unsigned wanted);

/* Which input the operator works on. */
int operand_of(const step *s);
const gpu_operator *operator_of(run *r, const step *s, const rule *rule);
const gpu_operator *second_operator_of(run *r, const step *s, const rule *rule);
gpu_value value_of(const kind *k, const void *element);
gpu_output output_of(const kind *k, void *element);
bool reads(run *r, const char *what, const value *v);

/* ---- run.c ---- */

/* What is done in one run, in order. */
typedef struct program {
    step steps[MOST_STEPS];
    size_t count;
} program;

/* False, and r->failure tells why and r->text what was done, if something is not as it should be. */
bool program_runs(run *r, const program *p);
void describe(const run *r, const step *s, FILE *to);
void program_begins(run *r);
void program_ends(run *r);

/* Parts of a step. */
const kind *kind_given(const step *s, gives gives, const value *const in[]);
unsigned inherited(const step *s, const value *const in[], const value *t);
void draw_captured(run *r, const step *s, const value *const in[], const value *t);
bool refers(run *r, const step *s, const value *const in[], value *const out[]);

/* ---- pipeline.c ---- */

/* What a pipeline is made of: the steps of all its runs, and the values between them. */
typedef struct shape {
    step steps[MOST_STEPS];
    size_t count, values;
    const kind *kinds[MOST_VALUES];
    int classes[MOST_VALUES]; /* values of one class are equally long */
    const kind *used[2];
    unsigned texts; /* of 8 operators so many are texts */
    size_t most;    /* elements of a source */
    uint64_t state;
} shape;

void shape_draw(shape *p, uint64_t seed, bool host, bool symbols);
void shape_program(const shape *p, uint64_t seed, program *out);
/* Leaves out what the failure does not need. */
void program_minimise(run *r, program *p);

/* ---- compiled.c ---- */

/* A pipeline of symbols as a C function that is called `calls` times. False: a failure. */
bool shape_compiles(run *r, const shape *p, uint64_t seed, unsigned calls);

#endif
