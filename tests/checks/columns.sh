# No line of a source or a document is longer than 120 columns. Tables, addresses and the variants of kernels may be.
set -u

find include lib kernels tests examples bench tools Makefile -type f \
    \( -name '*.[ch]' -o -name '*.cl' -o -name '*.cpp' -o -name '*.cu' -o -name '*.sh' -o -name Makefile \) |
    xargs awk 'length($0) > 120 && !/^\/\/ variant: / { print FILENAME ":" FNR ": longer than 120 columns"; faults++ }
        END { exit faults > 0 }' &&
    awk 'FNR == 1 { code = 0 }
        /^```/ { code = !code }
        length($0) > 120 && !code && !/^\|/ && !/\]\(http/ { print FILENAME ":" FNR ": too long"; faults++ }
        END { exit faults > 0 }' *.md docs/*.md
