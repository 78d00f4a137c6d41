# Nothing that the public headers have warns in a user's program, whatever it asks its compiler for ($FP_STRICT:
# tools/run-checks.sh).
# shellcheck disable=SC2086 # lists of options are words
set -u

# What is unused, and what stands behind a jump, is seen when code is made.
status=0
for compiler in "${CC:-cc}" gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for options in '-std=c11 -O2' '-std=gnu17 -O0' '-std=gnu17 -O2 -fsanitize=undefined'; do
        "$compiler" $options $FP_STRICT -Wdeclaration-after-statement -Wunused -Iinclude -c tests/checks/warnings.c \
            -o "$FP_SCRATCH/warnings.o" || { echo "$compiler $options"; status=1; }
    done
done
exit $status
