#!/bin/sh
# Runs test suites on OpenCL drivers that Debian and PyPI offer: a line for each driver and suite, and a table at the
# end. Drivers are unpacked into build/drivers; nothing is installed. Called by `make test-drivers`.
#   test-drivers.sh BUILD-FOLDER
# DRIVERS and TESTS choose among the drivers and the suites.
set -u

build=$1
drivers=${DRIVERS:-pocl intel oclgrind rusticl rusticl-double}
tests=${TESTS:-test_map test_reduce test_scan test_select test_sort test_by_key test_spawn test_matrix test_dict \
    test_delayed test_compile test_errors test_random test_examples}
folder=$PWD/build/drivers
table=$folder/table

# --- Drivers ---------------------------------------------------------------------------------------------------------

# get DRIVER makes a driver the only one that programs find. If it cannot, it says why and fails. It runs in a subshell,
# so the variables that it exports are the driver's own.
get() {
    case $1 in
    pocl) use /etc/OpenCL/vendors/pocl.icd ;;
    intel)
        from_pypi intel-opencl-rt intel-cmplr-lib-rt && use_library lib/libintelocl.so
        ;;
    oclgrind)
        # The simulator is slow, and does not know all that an optimizer makes.
        export FIREPILE_TEST_SMALL=1 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable
        from_debian oclgrind || return
        LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu)
        export LD_LIBRARY_PATH
        use_library usr/lib/oclgrind/liboclgrind-rt-icd.so
        ;;
    rusticl | rusticl-double)
        # It reads libclc from /usr, so it cannot be unpacked elsewhere.
        export RUSTICL_ENABLE=llvmpipe
        [ "$1" = rusticl ] || export RUSTICL_FEATURES=fp64
        has_mesa && use /etc/OpenCL/vendors/rusticl.icd
        ;;
    *)
        echo 'there is no such driver'
        return 1
        ;;
    esac
}

# Programs find the driver of this file, and no other.
use() {
    [ -e "$1" ] || { echo "there is no $1"; return 1; }
    rm -rf "$root/vendors"
    mkdir -p "$root/vendors"
    cp "$1" "$root/vendors/"
    export OCL_ICD_VENDORS="$root/vendors"
}

use_library() {
    echo "$root/$1" >"$root/driver.icd"
    use "$root/driver.icd"
}

has_mesa() {
    version=$(dpkg-query -W -f '${Version}' mesa-opencl-icd 2>/dev/null) || version=''
    [ -n "$version" ] || { echo 'mesa-opencl-icd is not installed'; return 1; }
    [ "${version%%.*}" -ge 24 ] || { echo "Mesa $version is older than 24"; return 1; }
}

# Unpacks packages of PyPI and those that they need.
from_pypi() {
    [ ! -e "$root" ] || return 0
    rm -rf "$root.part"
    mkdir -p "$root.part"
    python3 -m pip download -q --disable-pip-version-check --retries 1 --dest "$root.part" "$@" \
        >"$root.log" 2>&1 || { echo "PyPI: $(reason)"; return 1; }
    for wheel in "$root.part"/*.whl; do python3 -m zipfile -e "$wheel" "$root.part" && rm "$wheel"; done
    for lib in "$root.part"/*.data/data/lib; do cp -rl "$lib" "$root.part"; done
    mv "$root.part" "$root"
}

# Unpacks a package of Debian and those that it needs and the system does not have.
from_debian() {
    [ ! -e "$root" ] || return 0
    rm -rf "$root.part"
    mkdir -p "$root.part/debs/partial"
    apt-get -qq -o Dir::Cache::archives="$root.part/debs" -o Debug::NoLocking=1 install --download-only --reinstall \
        --no-install-recommends -y "$1" >"$root.log" 2>&1 || { echo "apt: $(reason)"; return 1; }
    for deb in "$root.part"/debs/*.deb; do dpkg -x "$deb" "$root.part"; done
    rm -r "$root.part/debs"
    mv "$root.part" "$root"
}

reason() {
    tail -n 1 "$root.log" | cut -c 1-100
}

# --- Suites ----------------------------------------------------------------------------------------------------------

# Runs a suite, and writes its line and its row of the table: DRIVER STATUS TESTS-PASSED.
run_suite() {
    log=$folder/$driver-$1.log
    start=$(date +%s)
    FP_TEST_LEAST=0 FP_TEST_WRAPPER='timeout 1200' tools/run-tests.sh "$build" "$build/tests/$1" >"$log" 2>&1
    status=$?
    # shellcheck disable=SC2046 # two words
    set -- "$1" $(sed -n '$s/.*Tested: \([0-9]*\) | Passing: \([0-9]*\).*/\1 \2/p' "$log")
    if [ "$2" = 0 ] && ! grep -q '^Failed' "$log"; then
        word=skipped
    elif [ "$status" = 0 ]; then
        word=passed
    else
        word=failed
        cat "$log"
    fi
    printf '%-15s %-20s %-8s %3d of %3d tests, %d s\n' "$driver" "$1" "$word" "$3" "$2" $(($(date +%s) - start))
    echo "$driver $word $3" >>"$table"
}

run_driver() {
    root=$folder/$driver
    get "$driver" >"$root.why" || {
        echo "$driver: not available: $(cat "$root.why")"
        return
    }
    "$build/examples/devices" | sed -n "s/^ *platform/$driver:/p"
    for test in $tests; do run_suite "$test"; done
}

mkdir -p "$folder"
: >"$table"
for driver in $drivers; do (run_driver); done

printf '\n%-15s %6s %6s %7s %6s\n' driver passed failed skipped tests
awk '
    { suites[$1, $2]++; tests[$1] += $3; names[$1] }
    END {
        for (d in names)
            printf "%-15s %6d %6d %7d %6d\n",
                d, suites[d, "passed"], suites[d, "failed"], suites[d, "skipped"], tests[d]
    }' "$table"
! grep -q ' failed ' "$table"
