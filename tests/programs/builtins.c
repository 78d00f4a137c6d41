/* Declares the functions of OpenCL C that standard input calls: tests/checks/builtins.sh compares them with those of
 * the header. */
#include "kernel/builtins.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(MOST + 1, 1);
    fp_text out = {0};
    if (!text || fread(text, 1, MOST, stdin) == MOST) return 1;
    fp_builtins_declare(text, true, &out);
    fputs(fp_text_string(&out), stdout);
    bool failed = out.failed;
    fp_text_free(&out);
    free(text);
    return failed;
}
