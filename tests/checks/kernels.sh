# Templates are valid OpenCL C as they stand. The comment at the top of a template describes its slots, with a value for
# each: `//   FP_X=1  text`. Each line `// lint: FP_X=0` names a variant: the slots that have other values there. The
# folder gives the shape, cpu or gpu; other files are compiled for both. A slot that a template uses and does not
# describe is an error. Files without a variant are parts of others.
# shellcheck disable=SC2086 # lists of options are words
set -u

command -v clang >/dev/null || { echo 'clang is not here'; exit 77; }

# Building blocks leave functions unused. Local memory cannot be initialised, and clang takes it for a variable that was
# forgotten.
warnings='-Wall -Wundef -Wunknown-pragmas -Wno-unused-function -Wno-sometimes-uninitialized -Werror'

# The slots of a file and of the blocks that it includes.
slots() { # FILE
    sed -n 's|^#include "\(.*\)"|kernels/\1|p' "$1" | while read -r block; do slots "$block"; done
    sed -n 's|^//   \(FP_[A-Z0-9_]*=[^ ]*\) .*|\1|p' "$1"
}

status=0
lint() { # FILE FP_CPU VARIANT
    flags=$({ slots "$1"; printf '%s\n' $3; } | sed 's/\(.*\)=/-U\1 &/; s/ / -D/')
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header $warnings -Ikernels -DFP_CPU=$2 $flags \
        -include kernels/lint.h -fsyntax-only "$1" || { echo "$1 with 'FP_CPU=$2 $3'"; status=1; }
}

for kernel in $(find kernels -name '*.cl' ! -name prelude.cl | sort); do
    case $kernel in */cpu/*) shapes=1 ;; */gpu/*) shapes=0 ;; *) shapes='1 0' ;; esac
    variants=$(sed -n 's|^// lint: *|+ |p' "$kernel")
    while read -r plus variant; do
        for shape in ${plus:+$shapes}; do lint "$kernel" "$shape" "$variant"; done
    done <<END
$variants
END
done
exit $status
