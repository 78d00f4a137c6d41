#!/bin/sh
# Runs one test binary for run-tests.sh: shows what it printed, and leaves in the folder a file of its name with its
# closing line, and `failed` if it did.
#   run-test.sh RESULTS-FOLDER BINARY
set -u

name=$(basename "$2")
log=$1/.$name.log
report=$1/.$name.asan

# Criterion passes a test that leaks; a report in a file tells. PoCL's compiler gives the thread that starts it a signal
# stack of its own, which the sanitizer would take for its own when that thread ends. The search for leaks reads the
# thread-local blocks that it noted of threads that have ended, and crashes: it notes none.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$report:use_sigaltstack=0"
ASAN_OPTIONS="$ASAN_OPTIONS:intercept_tls_get_addr=0:verify_asan_link_order=0"
export LSAN_OPTIONS="suppressions=$PWD/tools/leaks.supp:print_suppressions=0"

[ -z "${FP_TEST_TRACES:-}" ] || export FIREPILE_TRACE="$FP_TEST_TRACES/$name"

export FP_TEST_COUNTS="$1/.$name.counts"

start=$(date +%s)
status=0
LD_PRELOAD=$FP_TEST_PRELOAD ${FP_TEST_WRAPPER:-} "$2" >"$log" 2>&1 || status=$?
cat "$report".* >>"$log" 2>/dev/null && status=1
line='Synthesis: Tested: 1 | Passing: 1 | Failing: 0 | Crashing: 0'
case $name in
test_*) line=$(grep "Synthesis: Tested: [${FP_TEST_LEAST:-1}-9]" "$log") || status=1 ;;
esac
if [ "$status" != 0 ]; then
    echo failed >>"$1/$name"
    # What fails outside its tests counts as one that failed.
    case $line in
    '' | *'Failing: 0'*) line='Synthesis: Tested: 1 | Passing: 0 | Failing: 1 | Crashing: 0' ;;
    esac
fi
echo "$line" >>"$1/$name"
{
    echo "== $name ($(($(date +%s) - start)) s)"
    cat "$log"
} | flock "$1" cat
exit 0
