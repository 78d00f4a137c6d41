/* A recursive descent through the grammar of firepile/define.h. Where a text leaves the grammar, the message quotes the
 * declaration and says what to write instead. */
#include "kernel/layout.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/check.h"
#include "kernel/definition.h"
#include "kernel/type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Nobody nests so many levels. The limit keeps the stack safe from texts that no C compiler has seen. */
enum { MOST_NESTED = 64, MOST_QUOTED = 100 };

typedef struct parser {
    gpu_type type;
    const char *text;
    fp_token token;     /* the next one */
    size_t declaration; /* where the current one begins */
    unsigned depth;
    fp_layout *layout;
} parser;

static gpu_status parse_members(parser *p, fp_member *parent);

static void advance(parser *p)
{
    p->token = fp_next(p->text, p->token);
}

static bool at(const parser *p, char mark)
{
    return fp_token_is(p->text, p->token, mark);
}

static fp_slice slice(const parser *p)
{
    return fp_token_slice(p->text, p->token);
}

static gpu_status refuse(const parser *p, fp_slice what, const char *why)
{
    const char *text = p->text + p->declaration;
    size_t length = *text ? 1 + strcspn(text + 1, ";{}") : 0;
    while (length > 0 && text[length - 1] == ' ') length--;
    return fp_fail(GPU_E_LAYOUT, "struct '%s', \"%.*s%s\": '%.*s' %s", p->type->name,
                   (int)(length < MOST_QUOTED ? length : MOST_QUOTED), text, length < MOST_QUOTED ? "" : "...",
                   (int)what.length, what.bytes, why);
}

static gpu_status refuse_token(const parser *p, const char *why)
{
    bool end = p->token.kind == FP_TOKEN_END;
    return refuse(p, end ? (fp_slice){"the end", 7} : slice(p), why);
}

static fp_member *add_member(fp_member *parent)
{
    fp_member *member = fp_alloc(sizeof *member);
    if (!member) return NULL;
    *(parent->last ? &parent->last->next : &parent->first) = member;
    return parent->last = member;
}

/* The host's rules: each member at the next multiple of its alignment, all members of a union at 0. */
static void place(fp_member *parent, fp_member *member)
{
    member->offset = parent->is_union ? 0 : fp_round_up(parent->size, member->align);
    size_t end = member->offset + member->size;
    if (end > parent->size) parent->size = end;
    if (member->align > parent->align) parent->align = member->align;
}

/* "16", "0x10", "020", "16u", "16UL" */
static bool read_number(fp_slice digits, size_t *value)
{
    char *after;
    errno = 0;
    unsigned long long n = strtoull(digits.bytes, &after, 0);
    const char *end = digits.bytes + digits.length;
    if (errno || end - after > 3) return false;
    while (after < end && strchr("uUlL", *after)) after++;
    *value = (size_t)n;
    return after == end;
}

/* "[16]", and "[(16)]", as macros are written. */
static gpu_status parse_length(parser *p, fp_member *member)
{
    static const char *const advice = "is no array length: write a number, or a macro that is one";
    int parentheses = 0;
    size_t n = 0, begin = p->token.offset;
    for (advance(p); at(p, '('); advance(p)) parentheses++;
    if (at(p, ']')) return refuse(p, member->name, "has no array length: lengths are fixed, write a number");
    bool number = p->token.kind == FP_TOKEN_NUMBER && read_number(slice(p), &n);
    for (advance(p); at(p, ')'); advance(p)) parentheses--;
    if (!number || parentheses || !at(p, ']')) {
        const char *text = p->text + begin;
        size_t length = strcspn(text, "];");
        return refuse(p, (fp_slice){text, length + (text[length] == ']')}, advice);
    }
    if (n == 0) return refuse(p, member->name, "has no elements: OpenCL C has no arrays of length 0, write at least 1");
    if (!fp_multiply(member->size, n, &member->size)) return refuse(p, member->name, "is larger than any memory");
    fp_text_print(&member->lengths, "[%zu]", n);
    member->elements *= n;
    advance(p);
    return member->lengths.failed ? fp_fail_memory() : GPU_OK;
}

/* The name was read; its array lengths follow. */
static gpu_status parse_declarator(parser *p, fp_member *member, fp_slice name)
{
    member->name = name;
    if (fp_is_reserved(name.bytes, name.length))
        return refuse(p, name, "cannot be a member: names that start with fp_ or FP_ belong to the library");
    if (fp_is_keyword(name.bytes, name.length))
        return refuse(p, name, "cannot be a member: it is a word of OpenCL C, take another name");
    while (at(p, '[')) {
        gpu_status status = parse_length(p, member);
        if (status) return status;
    }
    return GPU_OK;
}

/* Reports a token that cannot follow a declarator, and why. */
static gpu_status refuse_after(parser *p, fp_slice name)
{
    static const struct {
        char mark;
        const char *why;
    } reasons[] = {
        {'*', "is a pointer: host addresses mean nothing on the device, write an index (uint64_t) into an array"},
        {'(', "is declared with parentheses: functions mean nothing on the device, write a number that selects one"},
        {':', "is a bit-field: host and device may place its bits differently, write a whole integer and use shifts"},
        {'{', "is a tag: leave it out, or define the struct before with a GPU_STRUCT of its own"},
        {'=', "has a default value: C structs have none"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (!at(p, reasons[i].mark)) continue;
        while (at(p, '*') || at(p, '(')) advance(p);
        return refuse(p, p->token.kind == FP_TOKEN_WORD ? slice(p) : name, reasons[i].why);
    }
    return refuse_token(p, "is not expected: a member is a type, a name, array lengths, and a ';'");
}

/* The advice on a word whose type host and device do not share; NULL: it is none. */
static const char *advice_on(fp_slice word)
{
    static const struct {
        const char *words, *advice;
    } table[] = {
        {" const volatile _Atomic ", "is not supported: leave it out, the struct is copied as a whole"},
        {" _Bool bool ", "may have different sizes on host and device: write uint8_t"},
        {" size_t uintptr_t ", "may have different sizes on host and device: write uint64_t"},
        {" ptrdiff_t intptr_t ssize_t ", "may have different sizes on host and device: write int64_t"},
        {" enum ", "may have different sizes on host and device: write int"},
        {" union ", "cannot be used by name: write its members here, in braces"},
        {" _Alignas __attribute__ ", "is not supported: order the members by size, or pad by hand"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (fp_word_in_list(table[i].words, word.bytes, word.length)) return table[i].advice;
    }
    return NULL;
}

/* The layout of a kept struct that a member names. */
static gpu_status use(fp_layout *layout, gpu_type structure, const fp_layout **inner)
{
    for (size_t i = 0; i < layout->use_count; i++) {
        *inner = layout->uses[i];
        if ((*inner)->type == structure) return GPU_OK;
    }
    fp_layout **use = FP_PUSH(layout->uses, layout->use_count, layout->use_capacity);
    if (!use) return fp_fail_memory();
    *use = NULL;
    gpu_status status = fp_layout_parse(structure, use);
    if (status) return status;
    *inner = *use;
    layout->has_double |= (*inner)->has_double;
    return GPU_OK;
}

/* On the host "float4" is no type of the library: the user may have defined it. */
static gpu_type type_named(fp_slice words)
{
    gpu_type type = fp_type_named(words.bytes, words.length);
    bool device_only = type && type->width > 1 && strncmp(words.bytes, "gpu_", 4) != 0;
    return device_only ? NULL : type;
}

/* "struct particle" is the same type as "particle". */
static fp_slice without_struct(fp_slice words)
{
    fp_token first = fp_lex(words.bytes, 0);
    if (!fp_token_is_word(words.bytes, first, "struct")) return words;
    size_t begin = fp_next(words.bytes, first).offset;
    return begin < words.length ? (fp_slice){words.bytes + begin, words.length - begin} : words;
}

/* The kept type of the GPU_STRUCT that a word means in the struct's C file; NULL: none. */
static gpu_status find_struct(const parser *p, fp_slice name, gpu_type *out)
{
    const gpu_definition *d;
    *out = fp_type_is_kept(p->type) ? fp_type_inner(p->type, name.bytes, name.length) : NULL;
    if (fp_type_is_kept(p->type)) return GPU_OK;
    gpu_status status = fp_definition_find(name.bytes, name.length, p->type->unit, &d);
    if (status || !d || d->kind != GPU_DEFINES_STRUCT) return status;
    return fp_definition_type(d, out);
}

/* Finds the type that the words before a member's name mean. */
static gpu_status find_type(parser *p, fp_slice words, fp_member *out)
{
    out->elements = 1;
    out->type = type_named(words);
    if (out->type) {
        p->layout->has_double |= fp_type_is_double(out->type);
    } else {
        gpu_status status = find_struct(p, without_struct(words), &out->type);
        if (status) return status;
        if (!out->type)
            return refuse(p, words,
                          "is no type of both host and device: write char ... double, int8_t ... uint64_t, "
                          "gpu_float4 or its like, or the name of a GPU_STRUCT");
        status = use(p->layout, out->type, &out->inner);
        if (status) return status;
        out->first = out->inner->root.first;
    }
    out->size = out->type->size;
    out->align = out->type->align;
    return GPU_OK;
}

/* Reads the words of a declaration up to its first name, and that name. */
static gpu_status parse_words(parser *p, fp_slice *type, fp_slice *name)
{
    const char *bad = NULL;
    fp_slice bad_word = {0}, last = {0};
    *type = (fp_slice){p->text + p->token.offset, 0};
    for (; p->token.kind == FP_TOKEN_WORD; advance(p)) {
        if (last.length) type->length = (size_t)(last.bytes + last.length - type->bytes);
        last = slice(p);
        if (bad) continue;
        bad = advice_on(last);
        bad_word = last;
    }
    *name = last;
    if (!last.length) return refuse_token(p, "is not expected: a member begins with its type");
    if (at(p, '*')) return refuse_after(p, last);
    if (bad) return refuse(p, bad_word, bad);
    if (!at(p, '[') && !at(p, ',') && !at(p, ';')) return refuse_after(p, last);
    if (!type->length) return refuse(p, last, "stands alone: a member is a type, a name, array lengths, and a ';'");
    return GPU_OK;
}

/* type declarator { "," declarator } ";" */
static gpu_status parse_plain(parser *p, fp_member *parent)
{
    fp_member of_type = {0};
    fp_slice words, name;
    gpu_status status = parse_words(p, &words, &name);
    if (!status) status = find_type(p, words, &of_type);
    while (!status) {
        fp_member *member = add_member(parent);
        if (!member) return fp_fail_memory();
        *member = of_type;
        status = parse_declarator(p, member, name);
        if (status) break;
        place(parent, member);
        if (!at(p, ',')) break;
        advance(p);
        if (p->token.kind != FP_TOKEN_WORD) return refuse_after(p, name);
        name = slice(p);
        advance(p);
    }
    if (status) return status;
    if (!at(p, ';')) return refuse_after(p, name);
    advance(p);
    return GPU_OK;
}

/* "{" member { member } "}" [declarator] ";" */
static gpu_status parse_nested(parser *p, fp_member *parent, bool is_union)
{
    if (++p->depth > MOST_NESTED) return refuse_token(p, "opens too many levels: nest structs less deeply");
    fp_member *member = add_member(parent);
    if (!member) return fp_fail_memory();
    member->is_union = is_union;
    member->elements = member->align = 1;
    advance(p);
    gpu_status status = parse_members(p, member);
    if (status) return status;
    if (!at(p, '}')) return refuse_token(p, "is not expected: '}' is missing");
    p->declaration = p->token.offset;
    p->depth--;
    advance(p);
    member->size = fp_round_up(member->size, member->align);
    if (p->token.kind == FP_TOKEN_WORD) {
        fp_slice name = slice(p);
        const char *bad = advice_on(name);
        if (bad) return refuse(p, name, bad);
        advance(p);
        status = parse_declarator(p, member, name);
        if (status) return status;
    }
    if (!at(p, ';')) return refuse_after(p, member->name);
    advance(p);
    place(parent, member);
    return GPU_OK;
}

static gpu_status parse_member(parser *p, fp_member *parent)
{
    fp_slice word = slice(p);
    fp_token after = fp_next(p->text, p->token);
    p->declaration = p->token.offset;
    bool is_struct = fp_slice_is(word, "struct"), is_union = fp_slice_is(word, "union");
    if ((!is_struct && !is_union) || !fp_token_is(p->text, after, '{')) return parse_plain(p, parent);
    advance(p);
    return parse_nested(p, parent, is_union);
}

/* Reads up to "}" or the end. */
static gpu_status parse_members(parser *p, fp_member *parent)
{
    while (!at(p, '}') && p->token.kind != FP_TOKEN_END) {
        gpu_status status = parse_member(p, parent);
        if (status) return status;
    }
    return parent->first ? GPU_OK : refuse_token(p, "comes too early: a struct has at least one member");
}

static gpu_status add_leaf(fp_layout *layout, const fp_text *path, size_t offset)
{
    char *copy = path->failed ? NULL : fp_copy_text(path->bytes);
    fp_leaf *leaf = copy ? FP_PUSH(layout->leaves, layout->leaf_count, layout->leaf_capacity) : NULL;
    if (leaf) *leaf = (fp_leaf){copy, offset};
    if (!leaf) fp_free(copy);
    return leaf ? GPU_OK : fp_fail_memory();
}

static gpu_status add_leaves(fp_layout *layout, const fp_member *parent, size_t offset, fp_text *path)
{
    size_t length = path->length;
    gpu_status status = GPU_OK;
    for (const fp_member *m = parent->first; m && !status; m = m->next) {
        if (length && m->name.length) fp_text_put(path, ".");
        fp_text_add(path, m->name.bytes, m->name.length);
        for (const char *c = fp_text_string(&m->lengths); *c; c++)
            if (*c == '[') fp_text_put(path, "[0]");
        size_t at_member = offset + m->offset;
        status = !m->type ? add_leaves(layout, m, at_member, path) : add_leaf(layout, path, at_member);
        path->length = length;
    }
    return status;
}

static gpu_status check_size(const fp_layout *layout)
{
    gpu_type type = layout->type;
    const fp_member *root = &layout->root;
    if (root->size == type->size && root->align == type->align) return GPU_OK;
    return fp_fail(
        GPU_E_LAYOUT,
        "struct '%s' has %zu bytes aligned to %zu on the host, but its members make %zu bytes aligned to %zu: "
        "packed and aligned structs are not supported, leave out #pragma pack and attributes, and see that "
        "its types mean what their names say",
        type->name, type->size, type->align, root->size, root->align);
}

static gpu_status parse_into(fp_layout *layout)
{
    gpu_type type = layout->type;
    parser p = {.type = type, .text = type->members, .layout = layout};
    p.token = fp_lex(p.text, 0);
    layout->root.align = 1;
    gpu_status status = parse_members(&p, &layout->root);
    if (status) return status;
    if (p.token.kind != FP_TOKEN_END) return refuse_token(&p, "is not expected: it closes nothing");
    layout->root.size = fp_round_up(layout->root.size, layout->root.align);
    status = check_size(layout);
    if (status) return status;
    fp_text path = {0};
    status = add_leaves(layout, &layout->root, 0, &path);
    fp_text_free(&path);
    return status;
}

gpu_status fp_layout_parse(gpu_type type, fp_layout **out)
{
    if (!type->members)
        return fp_fail(GPU_E_LAYOUT, "type '%s' has no members: only what GPU_STRUCT defines is a struct", type->name);
    fp_layout *layout = fp_alloc(sizeof *layout);
    if (!layout) return fp_fail_memory();
    layout->type = type;
    gpu_status status = parse_into(layout);
    if (status) fp_layout_free(layout);
    if (!status) *out = layout;
    return status;
}
