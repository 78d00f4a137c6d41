#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(FILE *file, fp_text *out)
{
    char block[1 << 16];
    size_t n;
    while ((n = fread(block, 1, sizeof block, file)) > 0) fp_text_add(out, block, n);
    bool complete = !ferror(file) && !out->failed;
    fclose(file);
    return complete;
}

bool fp_file_read(const char *path, fp_text *out)
{
    FILE *file = fopen(path, "rb");
    return file && read_all(file, out);
}

static bool is_own(const struct stat *status)
{
    return status->st_uid == geteuid();
}

static bool others_write(const struct stat *status)
{
    return status->st_mode & (S_IWGRP | S_IWOTH);
}

static const char *distrust_file(int file)
{
    struct stat status;
    if (fstat(file, &status)) return "its owner cannot be found out";
    if (!S_ISREG(status.st_mode)) return "it is no regular file";
    if (!is_own(&status) && status.st_uid) return "it belongs to another user";
    return others_write(&status) ? "other users may write it" : NULL;
}

/* Without O_NONBLOCK opening a pipe would wait. */
bool fp_file_read_own(const char *path, fp_text *out, const char **why_not)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *why_not = file < 0 && errno == ELOOP ? "it is a symbolic link" : NULL;
    if (file < 0) return false;
    *why_not = distrust_file(file);
    if (!*why_not) (void)!futimens(file, NULL);
    FILE *stream = *why_not ? NULL : fdopen(file, "rb");
    if (!stream) close(file);
    return stream && read_all(stream, out);
}

const char *fp_folder_distrust(const char *path)
{
    struct stat status;
    if (stat(path, &status) || is_own(&status)) return NULL;
    if (status.st_uid) return "it belongs to another user";
    return others_write(&status) ? "it is not the user's, and others may write to it" : NULL;
}

/* Creates a new file: never opens an existing one, nor the target of a link. */
static int create(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* A process that died may have left a file of this name. */
static int create_temporary(const char *path, fp_text *name)
{
    static atomic_uint serial;
    int file = -1;
    for (int tries = 0; file < 0 && tries < 8; tries++) {
        fp_text_clear(name);
        fp_text_print(name, "%s.%ld.%u", path, (long)getpid(), atomic_fetch_add(&serial, 1));
        if (name->failed) return -1;
        file = create(name->bytes);
        if (file < 0 && errno != EEXIST) break;
    }
    return file;
}

bool fp_file_begin(fp_file *file, const char *path)
{
    *file = (fp_file){0};
    file->descriptor = create_temporary(path, &file->name);
    if (file->descriptor < 0) fp_text_free(&file->name);
    return file->descriptor >= 0;
}

bool fp_file_add(fp_file *file, const void *bytes, size_t n)
{
    for (const char *at = bytes; n;) {
        ssize_t written = write(file->descriptor, at, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        n -= (size_t)written;
    }
    return true;
}

bool fp_file_end(fp_file *file, const char *path, bool complete)
{
    bool done = close(file->descriptor) == 0 && complete && rename(file->name.bytes, path) == 0;
    const int reason = errno;
    if (!done) unlink(file->name.bytes);
    errno = reason;
    fp_text_free(&file->name);
    return done;
}

bool fp_file_write(const char *path, const void *bytes, size_t n)
{
    fp_file file;
    return fp_file_begin(&file, path) && fp_file_end(&file, path, fp_file_add(&file, bytes, n));
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
