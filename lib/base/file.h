/* Whole files. */
#ifndef FP_BASE_FILE_H
#define FP_BASE_FILE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Appends the file to `out`. False, with nothing reported, when it cannot be read or memory runs out. */
bool fp_file_read(const char *path, fp_text *out);

/* The same for a folder that others may write to. Reads only a regular file that belongs to the user or to root and
 * that nobody else may write, and sets its times to now. *why_not says why a file there was not read, else it is
 * NULL. */
bool fp_file_read_own(const char *path, fp_text *out, const char **why_not);

/* Why a folder may hold somebody else's files; NULL if it is the user's, or root's alone, or does not exist. */
const char *fp_folder_distrust(const char *path);

/* Writes a temporary file beside `path` and renames it, so that readers see the old file, the new one or none. Replaces
 * a link or a pipe at `path` and does not write to it. */
bool fp_file_write(const char *path, const void *bytes, size_t n);

/* The same in parts. fp_file_end renames it if all was written and it is `complete`, else removes it. errno says why a
 * part failed. */
typedef struct fp_file {
    int descriptor;
    fp_text name; /* the temporary one */
} fp_file;
bool fp_file_begin(fp_file *file, const char *path);
bool fp_file_add(fp_file *file, const void *bytes, size_t n);
bool fp_file_end(fp_file *file, const char *path, bool complete);

/* If the files that `takes` accepts by name have more than `most` bytes, removes the least recently used ones until
 * `keep` bytes are left. Returns how many it removed. */
size_t fp_folder_trim(const char *path, bool (*takes)(const char *name), uint64_t most, uint64_t keep);

/* Removes all files of a folder whose names `takes` accepts; returns how many. */
size_t fp_folder_clear(const char *path, bool (*takes)(const char *name));

/* How many files of a folder `takes` accepts, and the bytes of all of them. */
size_t fp_folder_usage(const char *path, bool (*takes)(const char *name), uint64_t *bytes);

/* Makes a folder and those above it, readable by the user alone. */
bool fp_folder_make(const char *path);

#endif
