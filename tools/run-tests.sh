#!/bin/sh
# Runs test binaries, shows what each printed, and adds up their closing lines. A binary whose name does not start with
# test_ is a plain program and counts as one test. Before the sum it prints the work of all test_ binaries: the elements
# that test_same and test_holds compared, the programs that drivers built or the library loaded from its cache, and the
# entries that are new in the caches of the library and of PoCL.
#   run-tests.sh BUILD-FOLDER BINARY...
# FP_TEST_WRAPPER, a command, is put in front of each binary. FP_TEST_TRACES, a folder, gets the trace of each.
# FP_TEST_LEAST (1) is how many tests of a binary are not skipped, at least.
set -u

build=$(cd "$1" && pwd) || exit 1
shift
results=$build/tests/results

# Caches of the drivers and of the library, away from the user's, shared by all builds. PoCL aborts on an empty name.
cache=$(dirname "$build")/cache
export XDG_CACHE_HOME="$cache"
export FIREPILE_CACHE="$cache/firepile"
export POCL_CACHE_DIR="$cache/pocl"
export CUDA_CACHE_PATH="$cache/nvidia"

# tools/linker/ld takes the place of the linker for PoCL.
export COMPILER_PATH="$PWD/tools/linker"

# What tests need to find.
export FP_TEST_BUILD="$build"
export FP_TEST_SOURCE="$PWD"
export FP_TEST_KNOWN="$cache/known"
export FP_TEST_PRELOAD="$build/tests/preload/faster.so"

# With more processes than cores PoCL's cold cache has a race. So there are as many: binaries beside each other, or
# tests of one.
binaries=$(nproc)
[ $# -gt 1 ] || binaries=1
export CRITERION_JOBS="${CRITERION_JOBS:-$(($(nproc) / binaries))}"

mkdir -p "$FIREPILE_CACHE" "$POCL_CACHE_DIR" "$CUDA_CACHE_PATH" "$FP_TEST_KNOWN"
rm -rf "$results"
mkdir -p "$results"
touch "$results/.start"
LD_PRELOAD=$FP_TEST_PRELOAD "$build/tests/programs/builder" "$results/.builder" "$(nproc)" \
    >"$results/.builder.log" 2>&1 &
export FP_TEST_BUILDER="$results/.builder"
# Backwards: the longest come late in the alphabet, and should not be what is waited for in the end.
printf '%s\n' "$@" | sort -r | xargs -P "$binaries" -n 1 tools/run-test.sh "$results"

failed=$(cd "$results" && grep -l '^failed' -- * | tr '\n' ' ')
[ -z "$failed" ] || echo "Failed: $failed"
new=$(find "$FIREPILE_CACHE" "$POCL_CACHE_DIR" -type f -newer "$results/.start" \
    \( -path "$FIREPILE_CACHE/*" -o -name program.bc \) | wc -l)
cat "$results"/.*.counts 2>/dev/null | awk -v new="$new" '
    { compared += $1; built += $2; loaded += $3 }
    END {
        printf "Compared: %.0f elements\n", compared
        printf "Programs: %d built, %d loaded, %d new in the caches\n", built, loaded, new
    }'
cat "$results"/* | awk -F '[:|]' '
    /Synthesis/ { tested += $3; passing += $5; failing += $7; crashing += $9 }
    END {
        printf "[====] Synthesis: Tested: %d | Passing: %d", tested, passing
        printf " | Failing: %d | Crashing: %d\n", failing, crashing
        exit tested == 0
    }' && [ -z "$failed" ]
