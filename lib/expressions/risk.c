#include "expressions/risk.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { PARENTS = 2, PREFIX = 512, DEEP = 32 };

typedef enum risk_kind { RISK_RANGE, RISK_EMPTY, RISK_JOIN } risk_kind;

struct fp_risk {
    gpu *g;
    unsigned references;
    unsigned depth;
    uint64_t visit; /* the walk over risks that came by last: they share parts */
    risk_kind kind;
    fp_risk *parents[PARENTS];
    fp_risk *previous, *next; /* the open ones of the gpu */
    bool settled;             /* nothing more will be computed */
    bool fine;                /* settled and looked at */
    gpu_status status;        /* once it is known to have come true */
    uint32_t seen;            /* what was on the device */
    fp_cell cell;
    fp_buffer *buffer;
    size_t offset;
    size_t length;
    char text[PREFIX + 128]; /* "main.c:12: gpu_gather: ", then the failure's text */
};

static fp_risk *risk_new(gpu *g, risk_kind kind)
{
    fp_risk *risk = fp_alloc(sizeof *risk);
    if (!risk) {
        fp_fail_memory();
        return NULL;
    }
    *risk = (fp_risk){.g = g, .references = 1, .kind = kind, .next = g->risks, .settled = kind != RISK_RANGE};
    if (risk->next) risk->next->previous = risk;
    g->risks = risk;
    fp_place_text(risk->text, PREFIX / 2);
    size_t at = strlen(risk->text);
    snprintf(risk->text + at, PREFIX / 2, "%s: ", fp_operation());
    return risk;
}

fp_risk *fp_risk_range(gpu *g, size_t length)
{
    fp_risk *risk = risk_new(g, RISK_RANGE);
    if (!risk) return NULL;
    risk->length = length;
    if (!fp_cell_new(g, true, &risk->cell)) return risk;
    fp_risk_drop(risk);
    return NULL;
}

fp_cell fp_risk_cell(const fp_risk *risk)
{
    return risk->cell;
}

void fp_risk_settle(fp_risk *risk)
{
    risk->settled = true;
}

fp_risk *fp_risk_empty(gpu *g, fp_buffer *buffer, size_t offset)
{
    fp_risk *risk = risk_new(g, RISK_EMPTY);
    if (!risk) return NULL;
    risk->buffer = fp_buffer_keep(buffer);
    risk->offset = offset;
    return risk;
}

fp_risk *fp_risk_keep(fp_risk *risk)
{
    if (risk) risk->references++;
    return risk;
}

void fp_risk_drop(fp_risk *risk)
{
    if (!risk || --risk->references) return;
    if (risk->next) risk->next->previous = risk->previous;
    if (risk->previous) risk->previous->next = risk->next;
    if (!risk->previous) risk->g->risks = risk->next;
    for (int k = 0; k < PARENTS; k++) fp_risk_drop(risk->parents[k]);
    if (risk->kind == RISK_RANGE && risk->cell.slab) fp_cell_free(risk->cell, risk->fine);
    fp_buffer_drop(risk->buffer);
    fp_free(risk);
}

/* ---- joining ---- */

static bool is_visited(fp_risk *risk, uint64_t visit)
{
    bool visited = risk->visit == visit;
    risk->visit = visit;
    return visited;
}

static bool finds(fp_risk *risk, const fp_risk *part, uint64_t visit)
{
    if (!risk || risk == part) return risk != NULL;
    if (is_visited(risk, visit)) return false;
    return finds(risk->parents[0], part, visit) || finds(risk->parents[1], part, visit);
}

static bool contains(fp_risk *risk, const fp_risk *part)
{
    return risk && finds(risk, part, ++risk->g->serial);
}

gpu_status fp_risk_join(gpu *g, fp_risk **risk, fp_risk *more)
{
    if (!more || more->fine || contains(*risk, more)) return GPU_OK;
    if (!*risk || (*risk)->fine || contains(more, *risk)) {
        fp_risk_drop(*risk);
        *risk = fp_risk_keep(more);
        return GPU_OK;
    }
    fp_risk *both = risk_new(g, RISK_JOIN);
    if (!both) return fp_last_status();
    both->parents[0] = *risk;
    both->parents[1] = fp_risk_keep(more);
    both->depth = 1 + ((*risk)->depth > more->depth ? (*risk)->depth : more->depth);
    *risk = both;
    /* Nobody has looked for long: programs that never read would pile them up. */
    return both->depth > DEEP ? fp_risk_check(both) : GPU_OK;
}

/* ---- looking ---- */

static bool is_open(const fp_risk *risk)
{
    return risk && !risk->fine && !risk->status;
}

static gpu_status fetch(fp_risk *risk, uint64_t visit, fp_pending *pending)
{
    if (!is_open(risk) || is_visited(risk, visit)) return GPU_OK;
    gpu_status status = GPU_OK;
    for (int k = 0; k < PARENTS && !status; k++) status = fetch(risk->parents[k], visit, pending);
    if (status || risk->kind == RISK_JOIN) return status;
    size_t offset = risk->kind == RISK_RANGE ? risk->cell.index * sizeof(uint64_t) : risk->offset;
    fp_buffer *buffer = risk->kind == RISK_RANGE ? fp_cell_buffer(risk->cell) : risk->buffer;
    return fp_buffer_download_begin(buffer, offset, &risk->seen, sizeof risk->seen, pending);
}

/* After a failure the risk may go at once. */
gpu_status fp_risk_fetch(fp_risk *risk, fp_pending *pending)
{
    gpu_status status = risk ? fetch(risk, ++risk->g->serial, pending) : GPU_OK;
    if (status) (void)fp_pending_wait(pending);
    return status;
}

/* Writes the failure's text, if what was seen is one. */
static void judge_own(fp_risk *risk)
{
    size_t at = strlen(risk->text), room = sizeof risk->text - at;
    if (risk->kind == RISK_RANGE && risk->seen) {
        risk->status = GPU_E_RANGE;
        int n = snprintf(risk->text + at, room, "the index at position %u is out of range", ~risk->seen);
        if (risk->length != SIZE_MAX)
            snprintf(risk->text + at + n, room - (size_t)n, ": there are %zu elements", risk->length);
    }
    if (risk->kind == RISK_EMPTY && !risk->seen) {
        risk->status = GPU_E_EMPTY;
        snprintf(risk->text + at, room, "%s", FP_TEXT_EMPTY ": " FP_TEXT_FIRST);
    }
}

/* Lets go of parents that are fine: in a loop, each risk is the parent of the next. */
static void forget_fine_parents(fp_risk *risk)
{
    risk->depth = 0;
    for (int k = 0; k < PARENTS; k++) {
        fp_risk *parent = risk->parents[k];
        if (parent && !parent->fine && parent->depth >= risk->depth) risk->depth = parent->depth + 1;
        if (!parent || !parent->fine) continue;
        risk->parents[k] = NULL;
        fp_risk_drop(parent);
    }
}

static gpu_status judge(fp_risk *risk, uint64_t visit)
{
    if (risk->fine || is_visited(risk, visit)) return GPU_OK;
    for (int k = 0; k < PARENTS; k++) {
        gpu_status status = risk->parents[k] ? judge(risk->parents[k], visit) : GPU_OK;
        if (status) return status;
    }
    forget_fine_parents(risk);
    if (!risk->status) judge_own(risk);
    if (risk->status) return fp_fail_again(risk->status, risk->text);
    risk->fine = risk->settled && !risk->depth;
    return GPU_OK;
}

gpu_status fp_risk_judge(fp_risk *risk, const fp_pending *pending)
{
    if (pending->device) return fp_fail(GPU_E_INTERNAL, "a failure was looked for before it could be there");
    return risk ? judge(risk, ++risk->g->serial) : GPU_OK;
}

bool fp_risk_waits(const fp_risk *risk)
{
    return risk && !risk->fine;
}

gpu_status fp_risk_check(fp_risk *risk)
{
    if (!fp_risk_waits(risk)) return GPU_OK;
    if (risk->g->mode) return fp_fail(GPU_E_INTERNAL, "a rehearsal does not wait");
    fp_pending pending = {NULL};
    gpu_status status = fp_risk_fetch(risk, &pending);
    if (!status) status = fp_pending_wait(&pending);
    return status ? status : fp_risk_judge(risk, &pending);
}

/* Each failure is reported once. */
gpu_status fp_risks_check(gpu *g)
{
    for (fp_risk *risk = g->risks; risk; risk = risk->next) {
        gpu_status status = is_open(risk) && risk->kind != RISK_JOIN ? fp_risk_check(risk) : GPU_OK;
        if (status) return status;
    }
    return GPU_OK;
}
