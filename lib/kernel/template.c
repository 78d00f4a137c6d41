#include "kernel/template.h"

#include "base/error.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

static const char include[] = "#include \"";

/* The text of a file: embedded, or read into *read from FIREPILE_KERNEL_DIR. NULL if there is none. */
static const char *file_text(const char *name, size_t length, fp_text *read)
{
    const char *folder = getenv("FIREPILE_KERNEL_DIR");
    if (folder && *folder) {
        fp_text path = {0};
        fp_text_print(&path, "%s/%.*s", folder, (int)length, name);
        bool found = !path.failed && fp_file_read(path.bytes, read);
        if (path.failed) read->failed = true;
        fp_text_free(&path);
        return found ? fp_text_string(read) : NULL;
    }
    for (const fp_kernel_file *file = fp_kernel_files; file->name; file++)
        if (fp_is_named(name, length, file->name)) return file->text;
    return NULL;
}

static gpu_status write_file(const char *name, size_t length, fp_text *out, unsigned depth)
{
    fp_text read = {0};
    const char *text = depth < 8 ? file_text(name, length, &read) : NULL;
    if (!text) {
        bool no_memory = read.failed;
        fp_text_free(&read);
        if (no_memory) return fp_fail_memory();
        return fp_fail(GPU_E_INTERNAL,
                       "there is no kernel file %.*s (FIREPILE_KERNEL_DIR, if set, must be a kernels folder)",
                       (int)length, name);
    }
    gpu_status status = GPU_OK;
    while (*text && !status) {
        size_t line = strcspn(text, "\n");
        line += text[line] == '\n';
        if (strncmp(text, include, sizeof include - 1) != 0) {
            fp_text_add(out, text, line);
        } else {
            const char *inner = text + sizeof include - 1;
            status = write_file(inner, strcspn(inner, "\"\n"), out, depth + 1);
        }
        text += line;
    }
    fp_text_free(&read);
    return status;
}

gpu_status fp_template_write(const char *name, fp_text *out)
{
    return write_file(name, strlen(name), out, 0);
}

bool fp_template_exists(const char *name)
{
    fp_text read = {0};
    bool exists = file_text(name, strlen(name), &read) != NULL;
    fp_text_free(&read);
    return exists;
}
