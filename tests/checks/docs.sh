# Each public function, and each macro that users call, stands in a group of lines that a /** comment opens; an empty
# line ends the group.
set -u

awk '
    FNR == 1 { documented = 0 }
    /^$/ { documented = 0 }
    /^\/\*\*/ { documented = 1 }
    !documented && (/^GPU_API/ || (/^#define (gpu|GPU)_[A-Za-z0-9_]*\(/ && !/^#define [A-Za-z0-9_]*_\(/)) {
        match($0, /[A-Za-z0-9_]+\(/)
        printf "%s:%d: %s has no comment\n", FILENAME, FNR, substr($0, RSTART, RLENGTH - 1)
        faults++
    }
    END { exit faults > 0 }
' include/firepile/*.h
