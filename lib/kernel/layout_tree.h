/* A struct's members as a tree, with offsets: layout_parse.c grows it, layout.c reads it. */
#ifndef FP_KERNEL_LAYOUT_TREE_H
#define FP_KERNEL_LAYOUT_TREE_H

#include "kernel/layout.h"

/* A part of a struct's text. */
typedef struct fp_slice {
    const char *bytes;
    size_t length;
} fp_slice;

/* A member is of a type of ours, of a registered struct, or a struct or union in place, with members of its own. */
typedef struct fp_member {
    fp_slice name; /* empty: anonymous */
    gpu_type type;
    gpu_type structure;             /* kept */
    struct fp_member *first, *last; /* its own members */
    bool is_union;
    fp_text lengths; /* "[2][3]" */
    unsigned rank;
    size_t offset; /* in the struct or union around it */
    size_t size;
    size_t align;
    struct fp_member *next;
} fp_member;

/* A member that has no members of its own, or element 0 of an array of such. */
typedef struct fp_leaf {
    char *path; /* "a[0].b" */
    size_t offset;
} fp_leaf;

struct fp_layout {
    fp_member root;
    gpu_type *uses;
    size_t use_count;
    fp_leaf *leaves;
    size_t leaf_count;
    bool has_double;
};

/* How many elements an array has, 6 for "[2][3]"; 1 of what is no array. */
size_t fp_member_elements(const fp_member *member);

#endif
