/* Whole files. */
#ifndef FP_BASE_FILE_H
#define FP_BASE_FILE_H

#include "base/text.h"

#include <stdbool.h>

/* Appends the file to `out`. False, with nothing reported, when it cannot be read or memory runs out. */
bool fp_file_read(const char *path, fp_text *out);

/* Writes a temporary file beside `path` and renames it there, so that readers see the old file, the new one or none. */
bool fp_file_write(const char *path, const void *bytes, size_t n);

/* Makes a folder and those above it, readable by the user alone. */
bool fp_folder_make(const char *path);

#endif
