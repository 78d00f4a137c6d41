# Files of the library and kernels have at most 600 lines, functions at most 80.
# shellcheck disable=SC2046 # names of files have no blanks
set -u

awk '
    function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
    FNR == 1 { start = 0 }
    FNR == 601 { fault("more than 600 lines") }
    /^{/ { start = FNR }
    /^}/ && start { if (FNR - start > 81) fault("a function of " FNR - start - 1 " lines"); start = 0 }
    END { exit faults > 0 }
' $(find lib kernels -name '*.[ch]' -o -name '*.cl' | sort)
