#include "expressions/deferred.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PARENTS = 2, PREFIX = 512, DEEP = 32 };

typedef enum deferred_kind { DEFERRED_RANGE, DEFERRED_EMPTY, DEFERRED_REPORT, DEFERRED_JOIN } deferred_kind;

struct fp_deferred {
    gpu *g;
    unsigned references;
    unsigned depth;
    uint64_t visit; /* the last walk that visited it, since they share parents */
    deferred_kind kind;
    fp_deferred *parents[PARENTS];
    fp_deferred *previous, *next; /* the open ones of the gpu */
    bool settled;                 /* nothing more will be computed */
    bool fine;                    /* settled and looked at */
    gpu_status status;            /* once it is known to be set */
    uint32_t seen;                /* the word that the device had */
    fp_report report;             /* or the report */
    fp_counter counter;
    fp_buffer *buffer;
    size_t offset;
    size_t length;
    fp_range_text form;
    fp_text names;           /* of reports, each with its form before it and 0 behind it */
    char text[PREFIX + 128]; /* "main.c:12: gpu_gather: ", then the failure's text */
};

static fp_deferred *deferred_new(gpu *g, deferred_kind kind)
{
    fp_deferred *deferred = fp_alloc(sizeof *deferred);
    if (!deferred) {
        fp_fail_memory();
        return NULL;
    }
    const bool open = kind == DEFERRED_RANGE || kind == DEFERRED_REPORT;
    *deferred = (fp_deferred){.g = g, .references = 1, .kind = kind, .next = g->deferred, .settled = !open};
    if (deferred->next) deferred->next->previous = deferred;
    g->deferred = deferred;
    fp_place_text(deferred->text, PREFIX / 2);
    size_t at = strlen(deferred->text);
    snprintf(deferred->text + at, PREFIX / 2, "%s: ", fp_operation());
    return deferred;
}

fp_deferred *fp_deferred_range(gpu *g, size_t length)
{
    fp_deferred *deferred = deferred_new(g, DEFERRED_RANGE);
    if (!deferred) return NULL;
    deferred->length = length;
    if (!fp_counter_new(g, true, &deferred->counter)) return deferred;
    fp_deferred_drop(deferred);
    return NULL;
}

void fp_deferred_say(fp_deferred *deferred, fp_range_text text)
{
    deferred->form = text;
}

fp_counter fp_deferred_counter(const fp_deferred *deferred)
{
    return deferred->counter;
}

void fp_deferred_settle(fp_deferred *deferred)
{
    if (deferred) deferred->settled = true;
    fp_deferred_drop(deferred);
}

fp_deferred *fp_deferred_empty(gpu *g, fp_buffer *buffer, size_t offset)
{
    fp_deferred *deferred = deferred_new(g, DEFERRED_EMPTY);
    if (!deferred) return NULL;
    deferred->buffer = buffer ? fp_buffer_keep(buffer) : NULL; /* rehearsals have none */
    deferred->offset = offset;
    return deferred;
}

static gpu_status make_report(fp_deferred *deferred)
{
    static const fp_report none;
    gpu_status status = fp_buffer_new(deferred->g->device, deferred->offset + sizeof none, &deferred->buffer);
    return status ? status : fp_buffer_upload_begin(deferred->buffer, deferred->offset, &none, sizeof none);
}

fp_deferred *fp_deferred_reports(gpu *g, size_t scrap)
{
    fp_deferred *deferred = deferred_new(g, DEFERRED_REPORT);
    if (!deferred) return NULL;
    deferred->offset = fp_round_up(scrap, sizeof(uint64_t));
    if (g->mode || !make_report(deferred)) return deferred;
    fp_deferred_drop(deferred);
    return NULL;
}

gpu_status fp_deferred_add_name(fp_deferred *deferred, const char *name, bool counted)
{
    fp_text_put(&deferred->names, counted ? "#" : "[");
    fp_text_add(&deferred->names, name, strlen(name) + 1);
    return deferred->names.failed ? fp_fail_memory() : GPU_OK;
}

fp_buffer *fp_deferred_report_buffer(const fp_deferred *deferred, size_t *offset)
{
    *offset = deferred->offset;
    return deferred->buffer;
}

fp_deferred *fp_deferred_keep(fp_deferred *deferred)
{
    if (deferred) deferred->references++;
    return deferred;
}

void fp_deferred_drop(fp_deferred *deferred)
{
    if (!deferred || --deferred->references) return;
    if (deferred->next) deferred->next->previous = deferred->previous;
    if (deferred->previous) deferred->previous->next = deferred->next;
    if (!deferred->previous) deferred->g->deferred = deferred->next;
    for (int k = 0; k < PARENTS; k++) fp_deferred_drop(deferred->parents[k]);
    if (deferred->kind == DEFERRED_RANGE && deferred->counter.slab) fp_counter_free(deferred->counter, deferred->fine);
    fp_buffer_drop(deferred->buffer);
    fp_text_free(&deferred->names);
    fp_free(deferred);
}

/* ---- joining ---- */

static bool is_visited(fp_deferred *deferred, uint64_t visit)
{
    bool visited = deferred->visit == visit;
    deferred->visit = visit;
    return visited;
}

static bool finds(fp_deferred *deferred, const fp_deferred *part, uint64_t visit)
{
    if (!deferred || deferred == part) return deferred != NULL;
    if (is_visited(deferred, visit)) return false;
    return finds(deferred->parents[0], part, visit) || finds(deferred->parents[1], part, visit);
}

static bool contains(fp_deferred *deferred, const fp_deferred *part)
{
    return deferred && finds(deferred, part, ++deferred->g->serial);
}

gpu_status fp_deferred_join(gpu *g, fp_deferred **deferred, fp_deferred *more)
{
    if (!more || more->fine || contains(*deferred, more)) return GPU_OK;
    if (!*deferred || (*deferred)->fine || contains(more, *deferred)) {
        fp_deferred_drop(*deferred);
        *deferred = fp_deferred_keep(more);
        return GPU_OK;
    }
    fp_deferred *both = deferred_new(g, DEFERRED_JOIN);
    if (!both) return fp_last_status();
    both->parents[0] = *deferred;
    both->parents[1] = fp_deferred_keep(more);
    both->depth = 1 + ((*deferred)->depth > more->depth ? (*deferred)->depth : more->depth);
    *deferred = both;
    /* Programs that never read would pile them up. */
    return both->depth > DEEP ? fp_deferred_check(both) : GPU_OK;
}

/* ---- looking ---- */

static bool is_open(const fp_deferred *deferred)
{
    return deferred && !deferred->fine && !deferred->status;
}

typedef struct word {
    fp_buffer *buffer;
    size_t offset;
} word;

/* Of one that is no report. */
static word word_of(const fp_deferred *deferred)
{
    if (deferred->kind != DEFERRED_RANGE) return (word){deferred->buffer, deferred->offset};
    return (word){fp_counter_shown(deferred->counter), deferred->counter.index * sizeof(uint64_t)};
}

static gpu_status fetch(fp_deferred *deferred, uint64_t visit, fp_pending *pending)
{
    if (!is_open(deferred) || is_visited(deferred, visit)) return GPU_OK;
    gpu_status status = GPU_OK;
    for (int k = 0; k < PARENTS && !status; k++) status = fetch(deferred->parents[k], visit, pending);
    if (status || deferred->kind == DEFERRED_JOIN) return status;
    if (deferred->kind == DEFERRED_REPORT)
        return fp_buffer_download_begin(deferred->buffer, deferred->offset, &deferred->report, sizeof deferred->report,
                                        pending);
    const word at = word_of(deferred);
    if (deferred->kind == DEFERRED_EMPTY || !fp_buffer_shown(at.buffer))
        return fp_buffer_download_begin(at.buffer, at.offset, &deferred->seen, sizeof deferred->seen, pending);
    pending->device = deferred->g->device; /* the word is there after a wait */
    return GPU_OK;
}

/* After a failure the caller may drop the deferred error at once. */
gpu_status fp_deferred_fetch(fp_deferred *deferred, fp_pending *pending)
{
    gpu_status status = deferred ? fetch(deferred, ++deferred->g->serial, pending) : GPU_OK;
    if (status) (void)fp_pending_wait(pending);
    return status;
}

static void write_range(const fp_deferred *deferred, char *out, size_t room)
{
    static const char *const texts[] = {[FP_TEXT_OF_INDICES] = "the index at position %u is out of range",
                                        [FP_TEXT_OF_KEYS] = "the key at position %u is not in the dictionary",
                                        [FP_TEXT_OF_BINS] = "the key at position %u is out of range",
                                        [FP_TEXT_OF_COLUMNS] = "the matrix is singular: column %u has no pivot"};
    static const char *const places[] = {
        [FP_TEXT_OF_INDICES] = "elements", [FP_TEXT_OF_BINS] = "bins", [FP_TEXT_OF_COLUMNS] = NULL};
    const int n = snprintf(out, room, texts[deferred->form], ~deferred->seen);
    if (deferred->length == SIZE_MAX || !places[deferred->form]) return;
    snprintf(out + n, room - (size_t)n, ": there are %zu %s", deferred->length, places[deferred->form]);
}

static void write_report(const fp_deferred *deferred, char *out, size_t room)
{
    const fp_report *r = &deferred->report;
    const char *name = fp_text_string(&deferred->names);
    for (uint32_t k = 1; k < r->what; k++) name += strlen(name) + 1;
    if (*name == '#')
        snprintf(out, room,
                 "the kernel counted %" PRIu64 " elements of its result '%s', and %" PRIu64
                 " fit: give the result a larger length",
                 r->number, name + 1, r->limit);
    else
        snprintf(out, room, "FIREPILE_CHECK: %s[%" PRIi64 "] is out of range: there are %" PRIu64 " elements", name + 1,
                 (int64_t)r->number, r->limit);
}

/* Takes a word that lies in the host's memory. */
static void look(fp_deferred *deferred)
{
    const word at = word_of(deferred);
    const char *shown = fp_buffer_shown(at.buffer);
    if (shown) memcpy(&deferred->seen, shown + at.offset, sizeof deferred->seen);
}

/* The failure that the device has found; GPU_OK: none so far. */
static gpu_status found_status(fp_deferred *deferred)
{
    if (deferred->kind == DEFERRED_RANGE) look(deferred);
    if (deferred->kind == DEFERRED_REPORT) return deferred->report.what ? GPU_E_RANGE : GPU_OK;
    if (deferred->kind == DEFERRED_EMPTY) return deferred->seen ? GPU_OK : GPU_E_EMPTY;
    if (deferred->kind == DEFERRED_JOIN || !deferred->seen) return GPU_OK;
    return deferred->form == FP_TEXT_OF_COLUMNS ? GPU_E_ARGUMENT : GPU_E_RANGE;
}

/* Takes the failure over, with its text. */
static void judge_own(fp_deferred *deferred)
{
    size_t at = strlen(deferred->text), room = sizeof deferred->text - at;
    deferred->status = found_status(deferred);
    if (!deferred->status) return;
    if (deferred->kind == DEFERRED_RANGE) write_range(deferred, deferred->text + at, room);
    if (deferred->kind == DEFERRED_REPORT) write_report(deferred, deferred->text + at, room);
    if (deferred->kind == DEFERRED_EMPTY) snprintf(deferred->text + at, room, "%s", FP_TEXT_EMPTY ": " FP_TEXT_FIRST);
}

/* Drops parents that are fine. A loop makes each deferred error the parent of the next. */
static void forget_fine_parents(fp_deferred *deferred)
{
    deferred->depth = 0;
    for (int k = 0; k < PARENTS; k++) {
        fp_deferred *parent = deferred->parents[k];
        if (parent && !parent->fine && parent->depth >= deferred->depth) deferred->depth = parent->depth + 1;
        if (!parent || !parent->fine) continue;
        deferred->parents[k] = NULL;
        fp_deferred_drop(parent);
    }
}

static gpu_status judge(fp_deferred *deferred, uint64_t visit)
{
    if (deferred->fine || is_visited(deferred, visit)) return GPU_OK;
    for (int k = 0; k < PARENTS; k++) {
        gpu_status status = deferred->parents[k] ? judge(deferred->parents[k], visit) : GPU_OK;
        if (status) return status;
    }
    forget_fine_parents(deferred);
    if (!deferred->status) judge_own(deferred);
    if (deferred->status) return fp_fail_again(deferred->status, deferred->text);
    deferred->fine = deferred->settled && !deferred->depth;
    return GPU_OK;
}

gpu_status fp_deferred_judge(fp_deferred *deferred, const fp_pending *pending)
{
    if (pending->device) return fp_fail(GPU_E_INTERNAL, "a failure was looked for before it could be there");
    return deferred ? judge(deferred, ++deferred->g->serial) : GPU_OK;
}

bool fp_deferred_waits(const fp_deferred *deferred)
{
    return deferred && !deferred->fine;
}

gpu_status fp_deferred_check(fp_deferred *deferred)
{
    if (!fp_deferred_waits(deferred)) return GPU_OK;
    if (deferred->g->mode) return fp_fail(GPU_E_INTERNAL, "a rehearsal does not wait");
    fp_pending pending = {NULL};
    gpu_status status = fp_deferred_fetch(deferred, &pending);
    if (!status) status = fp_pending_wait(&pending);
    return status ? status : fp_deferred_judge(deferred, &pending);
}

/* Has the device set the word of this deferred error, or of a parent? */
static bool is_set(fp_deferred *deferred, uint64_t visit)
{
    if (deferred->fine || is_visited(deferred, visit)) return false;
    bool set = deferred->status || found_status(deferred);
    for (int k = 0; k < PARENTS && !set; k++) set = deferred->parents[k] && is_set(deferred->parents[k], visit);
    return set;
}

bool fp_deferred_is_set(fp_deferred *deferred)
{
    fp_pending pending = {NULL};
    return fp_deferred_waits(deferred) && !fp_deferred_fetch(deferred, &pending) && !fp_pending_wait(&pending) &&
           is_set(deferred, ++deferred->g->serial);
}

static gpu_status fetch_all(gpu *g, fp_pending *pending)
{
    const uint64_t visit = ++g->serial;
    gpu_status status = GPU_OK;
    for (fp_deferred *deferred = g->deferred; deferred && !status; deferred = deferred->next)
        status = fetch(deferred, visit, pending);
    return status;
}

/* Each failure is reported once. */
static gpu_status judge_all(gpu *g)
{
    gpu_status status = GPU_OK;
    for (fp_deferred *deferred = g->deferred; deferred && !status; deferred = deferred->next)
        if (is_open(deferred) && deferred->kind != DEFERRED_JOIN) status = judge(deferred, ++g->serial);
    return status;
}

gpu_status fp_deferred_all_check(gpu *g)
{
    fp_pending pending = {NULL};
    const gpu_status fetched = fetch_all(g, &pending), waited = fp_pending_wait(&pending);
    return fetched ? fetched : waited ? waited : judge_all(g);
}
