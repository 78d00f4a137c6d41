#include "kernel/join.h"

#include "base/error.h"
#include "base/memory.h"
#include "cl/buffer.h"
#include "kernel/lex.h"
#include "kernel/template.h"

#include <string.h>

/* Note [joined programs]: all parts lie in one text, so a part's own names get its number: those that begin with fp_,
 * those of its definitions and those of its kernel's parameters. A name is replaced wherever it stands, whatever it
 * means there. The kernels of parts stay kernels, because only these may have local memory. OpenCL lets a kernel call
 * another. */
enum { NUMBER = 1 };

/* ---- names ---- */

typedef struct list {
    fp_slice *names;
    size_t count, capacity;
} list;

typedef struct names {
    list own;    /* each part has its own */
    list shared; /* the prelude's */
    bool failed;
} names;

static bool is_in(const list *l, fp_slice name)
{
    for (size_t k = 0; k < l->count; k++)
        if (fp_slice_equal(l->names[k], name)) return true;
    return false;
}

static void add(names *n, list *l, fp_slice name)
{
    fp_slice *new = is_in(l, name) ? &name : FP_PUSH(l->names, l->count, l->capacity);
    n->failed |= !new;
    if (new) *new = name;
}

static bool is_ours(fp_slice word)
{
    return word.length > 3 && (!memcmp(word.bytes, "fp_", 3) || !memcmp(word.bytes, "FP_", 3));
}

static bool is_own(const names *n, fp_slice word)
{
    return is_in(&n->own, word) || (is_ours(word) && !is_in(&n->shared, word));
}

static void add_shared(names *n, const char *prelude)
{
    for (fp_token t = fp_lex(prelude, 0); t.kind; t = fp_next(prelude, t))
        if (t.kind == FP_TOKEN_WORD && is_ours(fp_token_slice(prelude, t)))
            add(n, &n->shared, fp_token_slice(prelude, t));
}

static void add_definitions(names *n, const fp_source *source)
{
    for (size_t k = 0; k < source->included_count; k++)
        add(n, &n->own, (fp_slice){source->included[k].name, strlen(source->included[k].name)});
    for (size_t k = 0; k < source->struct_count; k++)
        add(n, &n->own, (fp_slice){source->structs[k].name, strlen(source->structs[k].name)});
}

/* ---- the parameters of a kernel ---- */

/* The length of FP_X if this is a macro of parameters, FP_X_PARAM or FP_X_PARAMS; else 0. */
static size_t macro_stem(fp_slice word)
{
    static const char *const ends[] = {"_PARAM", "_PARAMS"};
    for (size_t k = 0; k < 2; k++) {
        const size_t length = strlen(ends[k]);
        if (word.length > length && !memcmp(word.bytes + word.length - length, ends[k], length))
            return word.length - length;
    }
    return 0;
}

/* The names in a list of parameters: the words before a comma or the end. False if a macro of it takes arguments. */
static bool add_parameters(names *n, const char *text, size_t begin, size_t end)
{
    fp_slice last = {NULL, 0};
    for (fp_token t = fp_lex(text, begin); t.kind && t.offset < end; t = fp_next(text, t)) {
        if (fp_token_is(text, t, '(')) return false;
        if (last.length && !macro_stem(last) && fp_token_is(text, t, ',')) add(n, &n->own, last);
        last = t.kind == FP_TOKEN_WORD ? fp_token_slice(text, t) : (fp_slice){NULL, 0};
    }
    if (last.length && !macro_stem(last)) add(n, &n->own, last);
    return true;
}

/* Adds the names in all definitions of a macro. */
static bool add_macro(names *n, const char *text, fp_slice macro)
{
    static const char define[] = "#define ";
    for (const char *at = text; (at = strstr(at, define)); at++) {
        const char *name = at + sizeof define - 1, *body = name + macro.length;
        if (strncmp(name, macro.bytes, macro.length) != 0 || !strchr(" \n", *body)) continue;
        const size_t begin = (size_t)(body - text);
        if (!add_parameters(n, text, begin, begin + strcspn(body, "\n"))) return false;
    }
    return true;
}

/* A macro FP_X_PARAMS has an FP_X_ARGS beside it. */
static void put_arguments(fp_slice macro, fp_text *out)
{
    const size_t stem = macro_stem(macro);
    fp_text_print(out, "%.*s_ARG%s", (int)stem, macro.bytes, macro.length > stem + strlen("_PARAM") ? "S" : "");
}

static bool has_arguments(const char *text, fp_slice macro)
{
    fp_text define = {0};
    fp_text_put(&define, "#define ");
    put_arguments(macro, &define);
    const bool has = !define.failed && strstr(text, define.bytes);
    fp_text_free(&define);
    return has;
}

/* Adds the names of all parameters, from the parenthesis at `open` on to that at `close`. */
static bool add_signature(names *n, const char *text, fp_token open, fp_token close)
{
    bool known = add_parameters(n, text, open.offset + 1, close.offset);
    for (fp_token t = fp_next(text, open); known && t.offset < close.offset; t = fp_next(text, t)) {
        const fp_slice word = fp_token_slice(text, t);
        if (t.kind == FP_TOKEN_WORD && macro_stem(word)) known = has_arguments(text, word) && add_macro(n, text, word);
    }
    return known;
}

/* ---- writing a part ---- */

static void write_word(const names *n, fp_slice word, fp_text *out)
{
    fp_text_add(out, word.bytes, word.length);
    if (is_own(n, word)) fp_text_print(out, "%c", NUMBER);
}

static void write_token(const names *n, const char *text, fp_token t, fp_text *out)
{
    if (t.kind == FP_TOKEN_WORD) write_word(n, fp_token_slice(text, t), out);
    if (t.kind != FP_TOKEN_WORD) fp_text_add(out, text + t.offset, t.length);
}

/* The blanks before a token, which end a line or part two words. Comments are left out. */
static void write_blanks(const char *text, size_t from, size_t to, fp_text *out)
{
    if (to == from) return;
    fp_text_put(out, memchr(text + from, '\n', to - from) ? "\n" : " ");
}

static void write_range(const names *n, const char *text, fp_token from, size_t end, fp_text *out)
{
    for (fp_token t = from, next; t.kind && t.offset < end; t = next) {
        write_token(n, text, t, out);
        next = fp_next(text, t);
        write_blanks(text, t.offset + t.length, next.offset, out);
    }
}

/* Other parts may read what this one stores, so no pointer is `restrict`. */
static void write_parameters(const names *n, const char *text, fp_token open, fp_token close, fp_text *out)
{
    for (fp_token t = fp_next(text, open); t.offset < close.offset; t = fp_next(text, t)) {
        if (fp_token_is_word(text, t, "restrict")) continue;
        write_token(n, text, t, out);
        fp_text_put(out, " ");
    }
}

static void write_argument(const names *n, fp_slice *name, fp_text *out)
{
    if (name->length) write_word(n, *name, out);
    *name = (fp_slice){NULL, 0};
}

static void write_macro(const names *n, fp_slice macro, fp_text *out)
{
    fp_text_put(out, " ");
    put_arguments(macro, out);
    if (is_own(n, macro)) fp_text_print(out, "%c", NUMBER);
}

static void write_arguments(const names *n, const char *text, fp_token open, fp_token close, fp_text *out)
{
    fp_slice last = {NULL, 0};
    for (fp_token t = fp_next(text, open); t.offset < close.offset; t = fp_next(text, t)) {
        const fp_slice word = fp_token_slice(text, t);
        if (t.kind == FP_TOKEN_WORD && macro_stem(word)) {
            write_argument(n, &last, out);
            write_macro(n, word, out);
        } else if (fp_token_is(text, t, ',')) {
            write_argument(n, &last, out);
            fp_text_put(out, ", ");
        } else if (t.kind == FP_TOKEN_WORD) {
            last = word;
        }
    }
    write_argument(n, &last, out);
}

/* The joined kernel may have more work-groups than a part. So the part's body gets its own number of them. */
static void write_body(const names *n, const char *text, fp_token close, fp_text *out)
{
    fp_token t = close;
    while (t.kind) {
        fp_token next = fp_next(text, t);
        const bool groups = fp_token_is_word(text, t, "get_num_groups");
        const bool size = fp_token_is_word(text, t, "get_global_size");
        if (groups || size) {
            fp_text_print(out, "((size_t)fp_groups%c%s)", NUMBER, size ? " * get_local_size(0)" : "");
            next = fp_next(text, fp_next(text, fp_next(text, next)));
        } else {
            write_token(n, text, t, out);
        }
        if (!groups && !size) write_blanks(text, t.offset + t.length, next.offset, out);
        t = next;
    }
}

/* ---- reading a program ---- */

typedef struct place {
    fp_token open, close;
} place;

static fp_token matching(const char *text, fp_token open)
{
    int depth = 1;
    fp_token t = fp_next(text, open);
    for (; t.kind; t = fp_next(text, t)) {
        depth += fp_token_is(text, t, '(') - fp_token_is(text, t, ')');
        if (!depth) break;
    }
    return t;
}

/* Finds the kernel's parentheses. False if there are none, or if a function before it asks for the number of
 * work-groups. */
static bool find_kernel(const char *text, const char *function, place *out)
{
    for (fp_token t = fp_lex(text, 0); t.kind; t = fp_next(text, t)) {
        if (fp_token_is_word(text, t, "get_num_groups") || fp_token_is_word(text, t, "get_global_size")) return false;
        if (!fp_token_is_word(text, t, function)) continue;
        out->open = fp_next(text, t);
        out->close = matching(text, out->open);
        return fp_token_is(text, out->open, '(') && out->close.kind;
    }
    return false;
}

static void write_part(const names *n, const char *text, const place *at, fp_joinable *out)
{
    write_range(n, text, fp_lex(text, 0), at->open.offset, &out->text);
    fp_text_print(&out->text, "(const uint fp_groups%c, ", NUMBER);
    write_range(n, text, fp_next(text, at->open), at->close.offset, &out->text);
    write_body(n, text, at->close, &out->text);
    write_parameters(n, text, at->open, at->close, &out->parameters);
    write_arguments(n, text, at->open, at->close, &out->arguments);
}

void fp_joinable_free(fp_joinable *joinable)
{
    fp_text_free(&joinable->text);
    fp_text_free(&joinable->parameters);
    fp_text_free(&joinable->arguments);
    fp_text_free(&joinable->function);
}

void fp_joinable_read(const fp_source *source, const char *function, fp_joinable *out)
{
    fp_text text = {0};
    names n = {.failed = false};
    place at;
    add_shared(&n, fp_text_string(&source->parts[FP_PART_PRELUDE]));
    for (int k = 0; k < FP_PARTS; k++)
        if (k != FP_PART_PRELUDE) fp_text_add(&text, source->parts[k].bytes, source->parts[k].length);
    const char *bytes = fp_text_string(&text);
    if (!text.failed && find_kernel(bytes, function, &at) && add_signature(&n, bytes, at.open, at.close)) {
        add_definitions(&n, source);
        write_part(&n, bytes, &at, out);
        write_word(&n, (fp_slice){function, strlen(function)}, &out->function);
    }
    const bool failed =
        n.failed || out->text.failed || out->parameters.failed || out->arguments.failed || out->function.failed;
    if (failed) fp_joinable_free(out);
    fp_free(n.own.names);
    fp_free(n.shared.names);
    fp_text_free(&text);
}

/* ---- joining ---- */

static void put(const fp_text *part, unsigned number, fp_text *out)
{
    const char *at = fp_text_string(part), *end = at + part->length;
    while (at < end) {
        const char *next = memchr(at, NUMBER, (size_t)(end - at));
        fp_text_add(out, at, (size_t)((next ? next : end) - at));
        if (next) fp_text_print(out, "_%u", number);
        at = next ? next + 1 : end;
    }
}

static void write_joined(const fp_joinable *const *parts, unsigned count, size_t group_size, fp_text *out)
{
    fp_text_print(out, "__kernel __attribute__((reqd_work_group_size(%zu, 1, 1))) void fp_joined(", group_size);
    for (unsigned k = 1; k <= count; k++) {
        put(&parts[k - 1]->parameters, k, out);
        fp_text_print(out, ", const uint fp_groups_%u, ", k);
    }
    fp_text_put(out, "FP_SHOW_PARAMS FP_MEET_PARAMS)\n{\n    __local uint is_last;\n    uint meetings = 0;\n");
    for (unsigned k = 1; k <= count; k++) {
        if (k > 1)
            fp_text_print(out, "    fp_meet(max(fp_groups_%u, fp_groups_%u), &meetings FP_MEET_ARGS);\n", k - 1, k);
        fp_text_print(out, "    if (get_group_id(0) < fp_groups_%u) ", k);
        put(&parts[k - 1]->function, k, out);
        fp_text_print(out, "(fp_groups_%u, ", k);
        put(&parts[k - 1]->arguments, k, out);
        fp_text_put(out, ");\n");
    }
    fp_text_put(out, "    fp_show(meetings, &is_last, FP_SHOW_ARGS FP_MEET_ARGS);\n}\n");
}

gpu_status fp_programs_join(const fp_joinable *const *parts, unsigned count, size_t group_size, bool meets,
                            fp_source *out)
{
    fp_text *text = &out->parts[FP_PART_TEMPLATE];
    gpu_status status = fp_template_write("prelude.cl", &out->parts[FP_PART_PRELUDE]);
    for (unsigned k = 0; k < count; k++) put(&parts[k]->text, k + 1, text);
    fp_text_print(text, "#define FP_MEETS %d\n#define FP_TURN_WORD %u\n", meets, FP_TURN_WORD);
    if (!status) status = fp_template_write("block/meet.cl", text);
    write_joined(parts, count, group_size, text);
    return status ? status : text->failed ? fp_fail_memory() : GPU_OK;
}
