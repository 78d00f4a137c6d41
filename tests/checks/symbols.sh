# The shared library exports what the public headers declare: all of it, nothing else, and only gpu_*.
# shellcheck disable=SC2046 # lists of options are words
set -eu

declared=$FP_SCRATCH/declared exported=$FP_SCRATCH/exported

# Declarations are those that GPU_API marks. A function's name stands before its first parenthesis; variables' names
# follow their type, separated by commas.
printf '#include <firepile.h>\n#include <firepile/interop.h>\n#include <firepile/random.h>\n' |
    ${CC:-cc} -E -P -Iinclude $(pkg-config --cflags OpenCL) - | tr '\n' ' ' | tr ';' '\n' |
    awk '
        !/visibility\("default"\)/ { next }
        {
            gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "")
            if (sub(/\(.*/, "")) { sub(/.*[ *]/, ""); print; next }
            sub(/.*extern const [a-z_]+ /, "")
            gsub(/[ ,]+/, "\n")
            print
        }' | grep . | sort >"$declared"

nm -D --defined-only "$FP_BUILD/libfirepile.so" | awk '{ print $3 }' | sort >"$exported"

comm -23 "$declared" "$exported" | sed 's/$/: declared in a public header, not defined/' >"$FP_SCRATCH/faults"
comm -13 "$declared" "$exported" | sed 's/$/: exported, in no public header/' >>"$FP_SCRATCH/faults"
sed '/^gpu_/d; s/$/: exported, not gpu_*/' "$exported" >>"$FP_SCRATCH/faults"
cat "$FP_SCRATCH/faults"
[ ! -s "$FP_SCRATCH/faults" ]
