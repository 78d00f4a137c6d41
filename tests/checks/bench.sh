# The benchmark runs to its end: no worker crashes, results are right, and the tables are written. It refuses the host
# device, whatever it is to measure.
set -u

export FIREPILE_CACHE="$PWD/build/cache/firepile" POCL_CACHE_DIR="$PWD/build/cache/pocl"
mkdir -p "$FIREPILE_CACHE" "$POCL_CACHE_DIR"
"$FP_BUILD/bench/bench" --ops map,reduce,filter_1 --types float,int --sizes 16,4096 --peers none --out "$FP_SCRATCH" \
    >"$FP_SCRATCH/table" 2>"$FP_SCRATCH/errors" || { cat "$FP_SCRATCH/table" "$FP_SCRATCH/errors"; exit 1; }
! grep . "$FP_SCRATCH/errors" && ! grep -E 'FAILED|CRASHED|WRONG' "$FP_SCRATCH/table" &&
    grep -q '^| reduce, float | ms |' "$FP_SCRATCH"/*/README.md || exit 1

refuses_host() {
    "$FP_BUILD/bench/bench" "$1" --device host >"$FP_SCRATCH/table" 2>"$FP_SCRATCH/errors"
    [ $? = 2 ] && [ ! -s "$FP_SCRATCH/table" ] && grep -q 'expected an OpenCL device' "$FP_SCRATCH/errors"
}

for what in --quick --host-cost --small; do
    refuses_host "$what" && continue
    echo "$what --device host is not refused:"
    cat "$FP_SCRATCH/table" "$FP_SCRATCH/errors"
    exit 1
done
