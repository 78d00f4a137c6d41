# Templates are valid OpenCL C as they stand. The comment at the top of a template describes its slots, with a value for
# each: `//   FP_X=1  text`. Each line `// lint: FP_CPU=0 FP_X=0` names a variant: its shape, and the slots that have
# other values there. A slot that a template uses and does not describe is an error.
# shellcheck disable=SC2086 # lists of options are words
set -u

command -v clang >/dev/null || { echo 'clang is not here'; exit 77; }

# Building blocks leave functions unused. Local memory cannot be initialised, and clang takes it for a variable that was
# forgotten.
warnings='-Wall -Wundef -Wunknown-pragmas -Wno-unused-function -Wno-sometimes-uninitialized -Werror'

# The slots of a file and of the blocks that it includes. The text of a slot that only one shape has begins with GPU or
# CPU; those of the other shape are left out.
slots() { # FILE OTHER
    sed -n 's|^#include "\(.*\)"|kernels/\1|p' "$1" | while read -r block; do slots "$block" "$2"; done
    sed -n "\\|^//   FP_[^ ]* *$2|d; s|^//   \(FP_[A-Z0-9_]*=[^ ]*\) .*|\1|p" "$1"
}

status=0
lint() { # FILE VARIANT
    other=GPU
    case $2 in *FP_CPU=0*) other=CPU ;; esac
    flags=$({ slots "$1" "$other"; printf '%s\n' $2; } | sed 's/\(.*\)=/-U\1 &/; s/ / -D/')
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header $warnings -Ikernels $flags -include kernels/lint.h \
        -fsyntax-only "$1" || { echo "$1 with '$2'"; status=1; }
}

for kernel in $(find kernels -name '*.cl' ! -name prelude.cl | sort); do
    variants=$(sed -n 's|^// lint: *||p' "$kernel")
    while read -r variant; do lint "$kernel" "$variant"; done <<END
$variants
END
done
exit $status
