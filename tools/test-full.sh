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

# The kernels under a simulator. It is not thread-safe, and its limits and errors are not a driver's: the tests of those
# are left out. So are those of programs, since its reports break their messages, and of NumPy, which take long. It does
# not know all that an optimizer makes. It reports on standard error and changes no exit status; its --log would keep
# the words of one process, and Criterion starts one for each test. Races in global memory are left out: it takes groups
# that hand over by a ticket and a fence for those.
simulate() {
    left_out='test_(cache|capture|cl|examples|faults|numpy|summary|threads)'
    tests=$(cd tests && printf '%s\n' test_*.c | sed 's/\.c$//' | grep -Evx "$left_out" | tr '\n' ' ')
    FP_TEST_WRAPPER='oclgrind --data-races --max-errors 1000000 --build-options -cl-opt-disable' \
        FIREPILE_TEST_SMALL=1 FIREPILE_POLICY="$1" "$make" test TESTS="$tests" >"$report" 2>&1
    status=$?
    awk '
        / data race at global / { skipping = 1; next }
        skipping && /^(\t|$)/ { next }
        { skipping = 0; print }
        /^\tKernel: / { faults++ }
        END { exit faults > 0 }
    ' "$report" && [ "$status" = 0 ]
}

step 'full size' env FIREPILE_TEST_FULL=1 "$make" test
step 'host device' "$make" test-host
for policy in tiny gpu gpu,tiny gpu,tiny,sweeps; do
    step "policy $policy" env FIREPILE_POLICY=$policy "$make" test
done
step 'eager' env FIREPILE_EAGER=1 "$make" test
step 'small arrays on the device' env FIREPILE_SMALL=0 "$make" test
step 'device compared with host' "$make" test-verify
step 'address and undefined-behaviour sanitizers' "$make" test SAN=address,undefined
step 'thread sanitizer' "$make" test-programs SAN=thread
if tools/install-packages.sh simulator; then
    step 'simulator' simulate ''
    step 'simulator, policy gpu,tiny' simulate gpu,tiny
else
    echo 'oclgrind is not installed: the simulator steps are skipped.'
fi

if [ -n "$failed" ]; then
    printf '\nFailed:%s\n' "$failed"
    exit 1
fi
printf '\nAll passed.\n'
