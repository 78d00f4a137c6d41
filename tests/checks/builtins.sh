# lib/kernel/builtins.c declares what the header of OpenCL C does, overload by overload: the one that PoCL or clang came
# with.
# shellcheck disable=SC2046,SC2086 # lists of options are words
set -u

command -v clang >/dev/null || { echo 'clang is not here'; exit 77; }
for header in /usr/share/pocl/include/opencl-c.h "$(clang -print-resource-dir)/include/opencl-c.h"; do
    [ ! -e "$header" ] || break
done
[ -e "$header" ] || { echo 'opencl-c.h is not here'; exit 77; }

extensions='cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
    cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics
    cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics __opencl_c_named_address_space_builtins'
versions='-D__OPENCL_C_VERSION__=120 -DCL_VERSION_1_0=100 -DCL_VERSION_1_1=110 -DCL_VERSION_1_2=120 -DCL_VERSION_2_0=200
    -DCL_VERSION_3_0=300'

# One declaration a line, without attributes and names of parameters.
plainly() {
    grep -v '^ *#' | tr '\n' ' ' | sed 's/unsigned int/uint/g; s/unsigned long/ulong/g; s/;/;\n/g' | awk '
        {
            while (gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "")) { }
            gsub(/[;*]/, " & "); gsub(/[ \t]+/, " "); sub(/^ /, "")
        }
        !/\(/ || /\{/ { next }
        {
            open = index($0, "("); head = substr($0, 1, open - 1); rest = substr($0, open + 1)
            sub(/\).*/, "", rest); sub(/ +$/, "", head)
            n = split(rest, parameters, ","); line = head "("
            for (k = 1; k <= n; k++) {
                p = parameters[k]; gsub(/__private /, "", p); gsub(/^ +| +$/, "", p)
                words = split(p, word, " ")
                if (words > 1 && word[words] ~ /^[a-z_]+[0-9]?$/ && !(word[words] in types)) sub(/ [a-z_0-9]+$/, "", p)
                line = line (k > 1 ? ", " : "") p
            }
            print line ")"
        }
        BEGIN {
            split("char uchar short ushort int uint long ulong float double half", scalars, " ")
            split("1 2 3 4 8 16", widths, " ")
            for (s in scalars) for (w in widths) types[scalars[s] (widths[w] > 1 ? widths[w] : "")]
            split("size_t event_t cl_mem_fence_flags void", others, " ")
            for (o in others) types[others[o]]
        }' | sort -u
}

# What the table leaves out: images, half, and what later versions and vendors have.
clang -E -P -x c $versions $(printf -- '-D%s ' $extensions) "$header" | plainly |
    grep -Ev 'image|sampler|[( ]half[0-9]*[ ,)]|^half[0-9]* |intel|work_group_[^c]|sub_group|amd_|\(\*' \
        >"$FP_SCRATCH/header"
"$FP_BUILD/tests/programs/builtins" <"$FP_SCRATCH/header" | plainly >"$FP_SCRATCH/ours"
[ -s "$FP_SCRATCH/header" ] || { echo "no declarations in $header"; exit 1; }
diff "$FP_SCRATCH/header" "$FP_SCRATCH/ours"
