#include "base/error.h"

#include "base/text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message has a fixed buffer, so that running out of memory can be reported. Logs and sources may be longer. */
typedef struct failure {
    const char *operation;
    const char *file;
    int line;
    gpu_status status;
    char message[4096];
    fp_text log;
    fp_text source;
    fp_text text;
} failure;

static _Thread_local failure last;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget(void *f)
{
    fp_text_free(&((failure *)f)->log);
    fp_text_free(&((failure *)f)->source);
    fp_text_free(&((failure *)f)->text);
}

static void forget_main(void)
{
    forget(&last);
}

/* Threads free their texts when they end. The main thread runs no key destructors: it frees them at exit. */
static void make_key(void)
{
    pthread_key_create(&at_exit, forget);
    atexit(forget_main);
}

void fp_enter(const char *operation, const gpu_place *place)
{
    last.operation = operation;
    last.file = place ? place->file : NULL;
    last.line = place ? place->line : 0;
}

void fp_leave(void)
{
    last.file = NULL;
}

const char *fp_operation(void)
{
    return last.operation ? last.operation : "firepile";
}

gpu_place fp_call_place(void)
{
    return (gpu_place){.file = last.file, .line = last.line};
}

void fp_place_text(char *out, size_t room)
{
    out[0] = '\0';
    if (last.file) snprintf(out, room, "%s:%d: ", last.file, last.line);
}

static gpu_status record(gpu_status status)
{
    last.status = status;
    fp_text_clear(&last.log);
    fp_text_clear(&last.source);
    return status;
}

gpu_status fp_fail(gpu_status status, const char *format, ...)
{
    fp_place_text(last.message, sizeof last.message / 2);
    size_t at = strlen(last.message);
    snprintf(last.message + at, sizeof last.message / 4, "%s: ", fp_operation());
    at += strlen(last.message + at);
    va_list values;
    va_start(values, format);
    vsnprintf(last.message + at, sizeof last.message - at, format, values);
    va_end(values);
    return record(status);
}

gpu_status fp_fail_memory(void)
{
    return fp_fail(GPU_E_MEMORY, "the host is out of memory");
}

gpu_status fp_fail_again(gpu_status status, const char *text)
{
    snprintf(last.message, sizeof last.message, "%s", text);
    return record(status);
}

static void free_at_exit(void)
{
    pthread_once(&once, make_key);
    pthread_setspecific(at_exit, &last);
}

fp_text *fp_thread_text(void)
{
    free_at_exit();
    fp_text_clear(&last.text);
    return &last.text;
}

void fp_fail_log(const char *log, const char *source)
{
    free_at_exit();
    fp_text_put(&last.log, log);
    fp_text_put(&last.source, source);
}

gpu_status fp_last_status(void)
{
    return last.status;
}

const char *gpu_error(void)
{
    return last.message;
}

const char *gpu_error_log(void)
{
    return fp_text_string(&last.log);
}

const char *gpu_error_source(void)
{
    return fp_text_string(&last.source);
}

const char *gpu_status_name(gpu_status status)
{
    switch (status) {
#define NAME(code, number, meaning)                                                                                    \
    case code:                                                                                                         \
        return #code;
        GPU_STATUS_MAP(NAME)
#undef NAME
    case GPU_STATUS_COUNT_:
        break;
    }
    return "an unknown status";
}
