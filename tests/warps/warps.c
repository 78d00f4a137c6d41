/* Runs the work-items of a kernel, each on a stack of its own, in any order, so that what needs a barrier and has none
 * goes wrong. Compiled with -fsanitize=thread, but linked without its library, the kernel calls a function here before
 * it reads or writes memory:
 *   - Local memory: two items meet at a place, one of them writes, and no barrier is between: a fault, whatever the
 *   order was.
 *   - Other memory: another item may go on here, so that look-back waits, and sees what is half done.
 * FIREPILE_SEED, a number, makes other orders and other elements. */
#include "warps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MOST_ITEMS = 384, MOST_WARPS = MOST_ITEMS / FP_WARP, MOST_GROUPS = 1024, RESIDENT = 3, STACK = 1 << 15 };

/* So many times other items may go on while none ends or meets others; then they wait for ever. */
enum { PATIENCE = 5000000 };

/* The bytes of a place in local memory. No tested kernel has narrower elements there. */
enum { PLACE = 2 };

typedef enum { READ, WRITE, ATOMIC, ACCESSES } access_kind;
typedef enum { BARRIER, SYNC, BALLOT, UP, DOWN } meeting_kind;

/* The last access of one kind by a warp to a place: when, and by which item, or by several. */
typedef struct {
    uint barriers, meetings;
    int lane;
} access;

enum { SEVERAL = -1 };

typedef struct {
    access last[MOST_WARPS][ACCESSES];
} history;

typedef struct {
    ucontext_t context; /* where it begins */
    jmp_buf left;       /* where it goes on, if it has begun; a jump, unlike a change of context, calls no system */
    bool begun;
    uint word, distance; /* what it brings to a meeting */
    uint result;         /* and takes from it */
} item;

typedef struct {
    meeting_kind kind;
    uint arrived;
} meeting;

typedef struct {
    meeting meeting;
    uint votes; /* meetings of any kind: what an item read before is known to be read */
    uint syncs; /* those after which it sees what the others wrote */
} warp;

typedef struct {
    size_t id;
    uint alive; /* items that have not ended */
    item items[MOST_ITEMS];
    uint ready[MOST_ITEMS], readies; /* those that could go on */
    warp warps[MOST_WARPS];
    meeting all;
    uint barriers;
    char *local;        /* the group's local memory while another one's is in place */
    history *histories; /* of its places */
} group;

/* Where the linker puts FP_LOCAL_VARIABLE. */
extern char __start_fp_local[], __stop_fp_local[];

static group groups[RESIDENT], *current, *in_place;
static uint running; /* the item of `current` */
static bool inside;  /* an item runs, not the test */
static group *sleeper;
static uint sleeping, sleep; /* its item, and for how long */
static uint accesses, awake; /* to memory that is not local; before the one of this number an item falls asleep */
static char *stacks;
static jmp_buf outside;
static void (*kernel)(void);
static size_t group_count, order[MOST_GROUPS], begun;
static uint group_items, resident, staying, waited;

/* ---- the test ---- */

static uint64_t state = 88172645463325252;

uint random_below(uint limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint)(state >> 20) % limit;
}

void expect(bool right, const char *format, ...)
{
    if (right) return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    puts("");
    exit(1);
}

int main(void)
{
    const char *seed = getenv("FIREPILE_SEED");
    if (seed) state += strtoull(seed, NULL, 10) << 16;
    size_t places = (size_t)(__stop_fp_local - __start_fp_local) / PLACE + 1;
    stacks = malloc((size_t)RESIDENT * MOST_ITEMS * STACK);
    for (uint k = 0; k < RESIDENT; k++) {
        groups[k].local = malloc(PLACE * places);
        groups[k].histories = calloc(places, sizeof(history));
        groups[k].barriers = 1;
        if (!stacks || !groups[k].local || !groups[k].histories) return 1;
    }
    for (const size_t *border = borders; *border; border++)
        for (size_t n = *border - 1; n <= *border + 1; n++) test(n);
    return 0;
}

/* ---- which item goes on ---- */

static void put_local_in_place(group *g)
{
    size_t bytes = (size_t)(__stop_fp_local - __start_fp_local);
    if (in_place == g) return;
    if (in_place) memcpy(in_place->local, __start_fp_local, bytes);
    memcpy(__start_fp_local, g->local, bytes);
    in_place = g;
}

static bool any_ready(void)
{
    for (uint k = 0; k < resident; k++)
        if (groups[k].readies) return true;
    return false;
}

/* Leaves `from` for another item, of the same group as a rule. */
static void go_on(jmp_buf from, bool elsewhere)
{
    if (sleeper && (--sleep == 0 || !any_ready())) {
        sleeper->ready[sleeper->readies++] = sleeping;
        sleeper = NULL;
    }
    expect(any_ready(), "group %zu: items wait for others that do not come", current->id);
    expect(waited++ < PATIENCE, "group %zu: items wait for what is not published", current->id);
    if (elsewhere || !current->readies || random_below(staying) == 0) {
        do current = &groups[random_below(resident)];
        while (!current->readies);
    }
    put_local_in_place(current);
    uint place = random_below(current->readies);
    running = current->ready[place];
    current->ready[place] = current->ready[--current->readies];
    item *to = &current->items[running];
    if (_setjmp(from)) return;
    if (to->begun) _longjmp(to->left, 1);
    to->begun = true;
    setcontext(&to->context);
}

static void make_ready(uint first, uint count)
{
    for (uint k = first; k < first + count; k++) current->ready[current->readies++] = k;
}

static void let_others(void)
{
    item *me = &current->items[running];
    make_ready(running, 1);
    go_on(me->left, random_below(2));
}

/* The same, but for so long that the others go far. */
static void sleep_long(void)
{
    sleeper = current;
    sleeping = running;
    sleep = 1 + random_below(8192);
    go_on(current->items[running].left, false);
}

/* ---- items and groups ---- */

static void begin_item(void)
{
    kernel();
    waited = 0;
    if (--current->alive == 0) _longjmp(outside, 1);
    go_on(current->items[running].left, false);
}

static void begin_group(group *g)
{
    size_t bytes = (size_t)(__stop_fp_local - __start_fp_local);
    g->id = order[begun++];
    g->alive = group_items;
    g->barriers++;
    if (in_place == g) in_place = NULL;
    for (size_t k = 0; k < bytes; k++) g->local[k] = (char)random_below(256);
    for (uint k = 0; k < group_items; k++) {
        ucontext_t *context = &g->items[k].context;
        g->items[k].begun = false;
        getcontext(context);
        context->uc_stack.ss_sp = stacks + ((size_t)(g - groups) * MOST_ITEMS + k) * STACK;
        context->uc_stack.ss_size = STACK;
        makecontext(context, begin_item, 0);
    }
    current = g;
    g->readies = 0;
    make_ready(0, group_items);
}

void run_groups(size_t count, uint items, void (*function)(void))
{
    expect(count <= MOST_GROUPS && items <= MOST_ITEMS, "%zu groups of %u are too many", count, items);
    kernel = function;
    group_count = count;
    group_items = items;
    resident = random_below(4) ? RESIDENT : 1;
    awake = random_below(accesses + 1); /* so many had the last launch */
    accesses = 0;
    staying = 1u << 2 * random_below(5);
    begun = 0;
    for (size_t k = 0; k < count; k++) {
        size_t other = random_below((uint)k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (uint alive = 1; alive;) {
        alive = 0;
        for (uint k = 0; k < resident; k++) {
            if (!groups[k].alive && begun < count) begin_group(&groups[k]);
            alive += groups[k].alive;
        }
        inside = true;
        if (alive) go_on(outside, false);
        inside = false;
    }
    in_place = NULL;
}

size_t get_local_id(uint dimension)
{
    return dimension ? 0 : running;
}

size_t get_group_id(uint dimension)
{
    return dimension ? 0 : current->id;
}

size_t get_num_groups(uint dimension)
{
    return dimension ? 1 : group_count;
}

size_t get_global_id(uint dimension)
{
    return dimension ? 0 : current->id * group_items + running;
}

size_t get_global_size(uint dimension)
{
    return dimension ? 1 : group_count * group_items;
}

/* ---- meetings ---- */

/* True for the last of the items. The first says what the meeting is. */
static bool arrive(meeting *m, meeting_kind kind, uint members)
{
    if (m->arrived == 0) m->kind = kind;
    expect(m->kind == kind, "group %zu, warp %u: its items are not in step", current->id, running / FP_WARP);
    if (++m->arrived < members) return false;
    m->arrived = 0;
    waited = 0;
    return true;
}

void barrier(int fences)
{
    (void)fences;
    item *me = &current->items[running];
    if (arrive(&current->all, BARRIER, group_items)) {
        current->barriers++;
        make_ready(0, group_items);
    }
    go_on(me->left, false);
}

static void exchange(item *lanes, meeting_kind kind)
{
    uint votes = 0;
    for (uint k = 0; k < FP_WARP; k++) votes |= (uint)(lanes[k].word != 0) << k;
    for (uint k = 0; k < FP_WARP; k++) {
        const uint distance = lanes[k].distance;
        uint from = k;
        if (kind == UP && k >= distance) from = k - distance;
        if (kind == DOWN && k + distance < FP_WARP) from = k + distance;
        lanes[k].result = kind == BALLOT ? votes : lanes[from].word;
    }
}

static uint meet(meeting_kind kind, uint word, uint distance)
{
    item *me = &current->items[running];
    const uint first = running / FP_WARP * FP_WARP;
    warp *w = &current->warps[running / FP_WARP];
    me->word = word;
    me->distance = distance;
    if (arrive(&w->meeting, kind, FP_WARP)) {
        w->votes++;
        w->syncs += kind == SYNC;
        exchange(&current->items[first], kind);
        make_ready(first, FP_WARP);
    }
    go_on(me->left, false);
    return me->result;
}

uint fp_shuffle_up(uint word, uint distance)
{
    return meet(UP, word, distance);
}

uint fp_shuffle_down(uint word, uint distance)
{
    return meet(DOWN, word, distance);
}

uint fp_ballot(bool yes)
{
    return meet(BALLOT, yes, 0);
}

uint fp_same_bit(uint word, uint bit)
{
    const bool yes = word >> bit & 1;
    const uint votes = fp_ballot(yes);
    return yes ? votes : ~votes;
}

void fp_warp_sync(void)
{
    meet(SYNC, 0, 0);
}

/* ---- memory ---- */

static const char *const names[] = {"reads", "writes", "changes"}, *const past[] = {"read", "wrote", "changed"};

/* Has the warp's last access of a kind nothing between it and one by the running item? */
static bool beside(const access *last, uint by, access_kind kind)
{
    const warp *w = &current->warps[by];
    if (last->barriers != current->barriers) return false;
    if (by != running / FP_WARP) return true;
    return last->lane != (int)(running % FP_WARP) && last->meetings == (kind == READ ? w->votes : w->syncs);
}

static void meet_at_place(history *h, access_kind kind, const void *code)
{
    const uint own = running / FP_WARP;
    for (uint by = 0; by < group_items / FP_WARP; by++)
        for (access_kind other = READ; other < ACCESSES; other++)
            expect((kind == other && kind != WRITE) || !beside(&h->last[by][other], by, other),
                   "group %zu: item %u %s local memory that warp %u %s, and nothing is between, at %p", current->id,
                   running, names[kind], by, past[other], code);
    access *last = &h->last[own][kind];
    const warp *w = &current->warps[own];
    const access now = {current->barriers, kind == READ ? w->votes : w->syncs, (int)(running % FP_WARP)};
    const bool again = last->barriers == now.barriers && last->meetings == now.meetings;
    const bool several = again && last->lane != now.lane;
    *last = now;
    if (several) last->lane = SEVERAL;
}

static void touch(const volatile void *address, size_t bytes, access_kind kind, const void *code)
{
    const char *p = (const char *)address;
    if (!inside) return;
    if (p >= __start_fp_local && p < __stop_fp_local) {
        const size_t first = (size_t)(p - __start_fp_local) / PLACE;
        const size_t last = (size_t)(p + bytes - 1 - __start_fp_local) / PLACE;
        for (size_t k = first; k <= last; k++) meet_at_place(&current->histories[k], kind, code);
    } else if (p < stacks || p >= stacks + (size_t)RESIDENT * MOST_ITEMS * STACK) {
        if (accesses++ == awake) sleep_long();
        if (random_below(8) == 0) let_others();
    }
}

/* Of the access, not of what follows it. */
#define CODE ((const char *)__builtin_return_address(0) - 1)

uint atomic_inc(volatile uint *p)
{
    touch(p, sizeof *p, ATOMIC, CODE);
    return (*p)++;
}

uint atomic_add(volatile uint *p, uint value)
{
    touch(p, sizeof *p, ATOMIC, CODE);
    const uint old = *p;
    *p += value;
    return old;
}

uint atomic_xchg(volatile uint *p, uint value)
{
    touch(p, sizeof *p, ATOMIC, CODE);
    const uint old = *p;
    *p = value;
    return old;
}

void fp_store_pair(volatile ulong *pair, ulong first, ulong second)
{
    touch(pair, 2 * sizeof *pair, WRITE, CODE);
    pair[0] = first;
    pair[1] = second;
}

void fp_load_pair(volatile ulong *pair, ulong *first, ulong *second)
{
    touch(pair, 2 * sizeof *pair, READ, CODE);
    *first = pair[0];
    *second = pair[1];
}

/* ---- what -fsanitize=thread calls ---- */

#define HOOK(name, bytes, kind)                                                                                        \
    void __tsan_##name(void *address);                                                                                 \
    void __tsan_##name(void *address)                                                                                  \
    {                                                                                                                  \
        touch(address, bytes, kind, CODE);                                                                             \
    }
#define HOOKS(bytes)                                                                                                   \
    HOOK(read##bytes, bytes, READ)                                                                                     \
    HOOK(write##bytes, bytes, WRITE)                                                                                   \
    HOOK(unaligned_read##bytes, bytes, READ)                                                                           \
    HOOK(unaligned_write##bytes, bytes, WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *address, size_t bytes);
void __tsan_read_range(void *address, size_t bytes)
{
    touch(address, bytes, READ, CODE);
}

void __tsan_write_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes)
{
    touch(address, bytes, WRITE, CODE);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    touch(from, bytes, READ, CODE);
    touch(to, bytes, WRITE, CODE);
    return memcpy(to, from, bytes);
}

void *__tsan_memset(void *to, int byte, size_t bytes);
void *__tsan_memset(void *to, int byte, size_t bytes)
{
    touch(to, bytes, WRITE, CODE);
    return memset(to, byte, bytes);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
