# The examples in the public headers compile. Those of a function stand in one that has these variables:
preamble='#include <firepile.h>
#include <stdio.h>
extern gpu *g;
extern gpu_array *x;
extern size_t n;
extern float data[5], out[5];'

set -u

# Cuts the examples out, each into a file of its own that names the header and the line it comes from.
awk -v folder="$FP_SCRATCH" -v preamble="$preamble" '
    / \* Example/ && /Example( \(file scope\))?$/ {
        file = sprintf("%s/example_%02d.c", folder, ++count)
        print preamble >file
        local = !/file scope/
        if (local) print "void example(void);\nvoid example(void)\n{" >file
        printf "#line %d \"%s\"\n", FNR + 1, FILENAME >file
        next
    }
    file && /^ \*     / { print substr($0, 8) >file; next }
    file { if (local) print "}" >file; close(file); file = "" }
    END { exit count == 0 }
' include/firepile.h include/firepile/*.h || { echo 'no example was found'; exit 1; }

status=0
# shellcheck disable=SC2086 # lists of options are words
for example in "$FP_SCRATCH"/example_*.c; do
    ${CC:-cc} -std=c11 $FP_STRICT -Wno-shadow -Wno-unused-variable -Wno-unused-but-set-variable \
        -Wno-unused-function -Iinclude -fsyntax-only "$example" || status=1
done
exit $status
