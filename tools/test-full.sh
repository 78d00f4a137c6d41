#!/bin/sh
# The suite in full size, then again in each way that gives defects a chance: called by `make test-full`.
set -u

make=${MAKE:-make}
report=build/test-full
mkdir -p build
failed=''

step() {
    title=$1
    shift
    printf '\n=== %s\n' "$title"
    "$@" || failed="$failed
    $title"
}

# The simulator reports on standard error and changes no exit status. (Its --log keeps the words of one process, and
# Criterion starts one for each test.)
simulate() {
    FIREPILE_POLICY=$1 FIREPILE_TEST_SMALL=1 FP_TEST_WRAPPER='oclgrind --data-races' $make test >"$report" 2>&1
    status=$?
    cat "$report"
    [ "$status" = 0 ] && ! grep -q '^[[:blank:]]*Kernel: ' "$report"
}

step 'full size' env FIREPILE_TEST_FULL=1 $make test
for policy in tiny gpu gpu,tiny; do
    step "policy $policy" env FIREPILE_POLICY=$policy $make test
done
step 'eager' env FIREPILE_EAGER=1 $make test
step 'address and undefined-behaviour sanitizers' $make test SAN=address,undefined
step 'thread sanitizer' $make test-programs SAN=thread
if tools/install-packages.sh simulator; then
    step 'simulator' simulate ''
    step 'simulator, policy gpu,tiny' simulate gpu,tiny
else
    echo 'No simulator here: those steps are left out.'
fi

if [ -n "$failed" ]; then
    printf '\nFailed:%s\n' "$failed"
    exit 1
fi
printf '\nAll passed.\n'
