# docs/adding-an-operation.md and docs/kernels.md quote lines that are in the files they name: ```c FILE.
set -u

awk '
    function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
    /^```c / {
        file = $2
        for (line in lines) delete lines[line]
        while ((got = (getline line <file)) > 0) lines[line] = 1
        if (got < 0) fault("there is no " file)
        close(file)
        quotes++
        next
    }
    /^```/ { file = "" }
    file && !($0 in lines) { fault(file " has no line " $0) }
    END { exit faults > 0 || !quotes }
' docs/adding-an-operation.md docs/kernels.md
