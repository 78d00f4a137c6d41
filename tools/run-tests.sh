#!/bin/sh
# Runs test binaries one after another, shows what they print, and adds up their closing lines. A binary whose name does
# not start with test_ is a plain program and counts as one test.
#   run-tests.sh BUILD-FOLDER BINARY...
# FP_TEST_WRAPPER, a command, is put in front of each binary. FP_TEST_LEAST (1) is how many tests of a binary are not skipped, at least.
set -u

build=$(cd "$1" && pwd) || exit 1
shift
log=$build/tests/log
report=$build/tests/asan
closing_lines=$build/tests/closing-lines

# Caches of the drivers and of the library, away from the user's, shared by all builds. PoCL aborts on an empty name.
cache=$(dirname "$build")/cache
export XDG_CACHE_HOME="$cache"
export FIREPILE_CACHE="$cache/firepile"
export POCL_CACHE_DIR="$cache/pocl"
export CUDA_CACHE_PATH="$cache/nvidia"

# PoCL compiles a kernel once for the work-group size of a launch, and once for any size when its binary is asked for, which the
# library's cache does. The second form, the one that a program runs from its second start on, is enough here: most of a
# test's time is compilation.
export POCL_WORK_GROUP_SPECIALIZATION="${POCL_WORK_GROUP_SPECIALIZATION:-0}"

# What tests need to find.
export FP_TEST_PROGRAMS="$build/tests/programs"
export FP_TEST_SOURCE="$PWD"

# With more processes than cores PoCL's cold cache has a race.
export CRITERION_JOBS="${CRITERION_JOBS:-$(nproc)}"

# Criterion passes a test that leaks; a report in a file tells. PoCL's compiler gives the thread that starts it a signal
# stack of its own, which the sanitizer would take for its own when that thread ends.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$report:use_sigaltstack=0"
export LSAN_OPTIONS="suppressions=$PWD/tools/leaks.supp:print_suppressions=0"

mkdir -p "$FIREPILE_CACHE" "$POCL_CACHE_DIR" "$CUDA_CACHE_PATH" "$build/tests"
: >"$closing_lines"
failed=''
for binary; do
    name=$(basename "$binary")
    start=$(date +%s)
    status=0
    rm -f "$report".*
    ${FP_TEST_WRAPPER:-} "$binary" >"$log" 2>&1 || status=$?
    echo "== $name ($(($(date +%s) - start)) s)"
    cat "$log"
    cat "$report".* 2>/dev/null && status=1
    case $name in
    test_*) line=$(grep "Synthesis: Tested: [${FP_TEST_LEAST:-1}-9]" "$log") || status=1 ;;
    *) line='Synthesis: Tested: 1 | Passing: 1 | Failing: 0 | Crashing: 0' ;;
    esac
    if [ "$status" != 0 ]; then
        failed="$failed $name"
        # What fails outside its tests counts as one that failed.
        case $line in
        '' | *'Failing: 0'*) line='Synthesis: Tested: 1 | Passing: 0 | Failing: 1 | Crashing: 0' ;;
        esac
    fi
    echo "$line" >>"$closing_lines"
done

[ -z "$failed" ] || echo "Failed:$failed"
awk -F '[:|]' '
    { tested += $3; passing += $5; failing += $7; crashing += $9 }
    END {
        printf "[====] Synthesis: Tested: %d | Passing: %d", tested, passing
        printf " | Failing: %d | Crashing: %d\n", failing, crashing
        exit tested == 0
    }' "$closing_lines" && [ -z "$failed" ]
