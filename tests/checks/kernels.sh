# Kernels are valid OpenCL C as they stand: once for each line `// lint: -DFP_X=1 ...` at their top, or once without.
set -u

command -v clang >/dev/null || { echo 'clang is not here'; exit 77; }

# Building blocks leave functions unused. Local memory cannot be initialised, and clang takes it for a variable that was
# forgotten.
warnings='-Wall -Wunknown-pragmas -Wno-unused-function -Wno-sometimes-uninitialized -Werror'

status=0
lint() { # FILE FLAGS
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header $warnings -Ikernels -include kernels/lint.h \
        -fsyntax-only $2 "$1" || { echo "$1 with '$2'"; status=1; }
}

for kernel in $(find kernels -name '*.cl' | sort); do
    variants=$(sed -n 's|^// lint: *||p' "$kernel")
    while read -r flags; do lint "$kernel" "$flags"; done <<END
$variants
END
done
exit $status
