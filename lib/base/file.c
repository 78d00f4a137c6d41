#include "base/file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool fp_file_read(const char *path, fp_text *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char block[1 << 16];
    size_t n;
    while ((n = fread(block, 1, sizeof block, file)) > 0) fp_text_add(out, block, n);
    bool complete = !ferror(file) && !out->failed;
    fclose(file);
    return complete;
}

static bool write_all(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool written = fwrite(bytes, 1, n, file) == n;
    return (fclose(file) == 0) && written;
}

bool fp_file_write(const char *path, const void *bytes, size_t n)
{
    static atomic_uint serial;
    fp_text temporary = {0};
    fp_text_print(&temporary, "%s.%ld.%u", path, (long)getpid(), atomic_fetch_add(&serial, 1));
    bool done = !temporary.failed && write_all(temporary.bytes, bytes, n) && rename(temporary.bytes, path) == 0;
    if (!done && !temporary.failed) unlink(temporary.bytes);
    fp_text_free(&temporary);
    return done;
}

bool fp_folder_make(const char *path)
{
    fp_text part = {0};
    bool made = true;
    for (const char *end = path; made && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        fp_text_clear(&part);
        fp_text_add(&part, path, (size_t)(end - path));
        made = !part.failed && (mkdir(part.bytes, 0700) == 0 || errno == EEXIST || errno == EISDIR);
    }
    fp_text_free(&part);
    return made;
}
