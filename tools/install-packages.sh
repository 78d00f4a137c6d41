#!/bin/sh
# Installs the packages that are missing, by apt, as root or through sudo; says so in one line each.
#   install-packages.sh GROUP...    build: the library; run: programs; test: the suite; simulator, lint, format: what
#   they say
# Where there is no apt, or with INSTALL=no, it names what is missing and fails.
set -eu

missing=''

# need PACKAGE WHAT TEST...: the package is missing if the test fails.
need() {
    package=$1 what=$2
    shift 2
    "$@" >/dev/null 2>&1 || missing="$missing$package ($what)
"
}

have_driver() {
    [ -n "${OCL_ICD_VENDORS:-}" ] || ls /etc/OpenCL/vendors/*.icd
}

# The names are those of Debian and Ubuntu.
look_for() {
    missing=''
    for group; do
        case $group in
        build)
            need pkg-config 'finds the libraries' command -v pkg-config
            need ocl-icd-opencl-dev 'OpenCL loader and headers, pkg-config: OpenCL' pkg-config --exists OpenCL
            need libffi-dev 'calls through function pointers, pkg-config: libffi' pkg-config --exists libffi
            ;;
        run)
            need pocl-opencl-icd 'PoCL, an OpenCL driver for CPUs' have_driver
            ;;
        test) need libcriterion-dev 'the test framework, pkg-config: criterion' pkg-config --exists criterion ;;
        simulator) need oclgrind 'an OpenCL device simulator' command -v oclgrind ;;
        lint)
            need clang 'a second compiler, and one for kernels' command -v clang
            need g++ 'C++, for the headers' command -v g++
            need shellcheck 'the linter of shell scripts' command -v shellcheck
            ;;
        format) need clang-format-14 'the formatter; Debian 13 does not have it' command -v clang-format-14 ;;
        *)
            echo "$0: no such group of packages: $group" >&2
            exit 2
            ;;
        esac
    done
}

fail() {
    printf '%s:\n%s' "$1" "$missing" | sed '2,$s/^/    /' >&2
    exit 1
}

apt() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

look_for "$@"
[ -n "$missing" ] || exit 0
[ "${INSTALL:-yes}" != no ] || fail 'Packages are missing'
command -v apt-get >/dev/null || fail 'Packages are missing, and apt is not available'

sudo=''
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail 'Packages are missing, and only root can install them; sudo is not available'
    sudo=sudo
fi

printf '%s' "$missing" | sed 's/^/Installing /'
names=$(printf '%s' "$missing" | sed 's/ .*//')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # names of packages are words
# A machine that never ran `apt-get update`, or not lately, does not know the packages.
apt install -y --no-install-recommends $names >"$log" 2>&1 ||
    { apt update && apt install -y --no-install-recommends $names; } >"$log" 2>&1 ||
    { cat "$log" >&2; fail 'apt could not install these packages'; }

look_for "$@"
[ -z "$missing" ] || fail 'apt reported success, but these packages are still missing'
