# A file includes its own layer and those below; OpenCL stays in lib/cl; lib/ops reads no length that may yet change.
# shellcheck disable=SC2046 # names of files have no blanks
set -u

awk '
    BEGIN {
        split("base 0 cl 1 ffi 1 kernel 2 expressions 3 host 4 planning 5 arrays 6 ops 7 collections 8", words)
        for (k = 1; k in words; k += 2) layer[words[k]] = words[k + 1]
    }
    function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
    function in_folder(name) { return index(FILENAME, name "/") == 1 }

    FNR == 1 && /^/ { split(FILENAME, path, "/"); mine = path[2] }
    FNR == 1 && in_folder("lib") && !(mine in layer) { fault("lib/" mine " is no layer") }

    /^[ \t]*#[ \t]*include/ {
        target = $0
        sub(/^[^<"]*[<"]/, "", target)
        sub(/[>"].*/, "", target)
        split(target, to, "/")
        quoted = $0 ~ /"/

        if (to[1] == "CL" && !in_folder("lib/cl") && FILENAME != "include/firepile/interop.h")
            fault("only lib/cl and firepile/interop.h include <" target ">")
        if (!quoted && to[1] ~ /^ffi/ && !in_folder("lib/ffi")) fault("only lib/ffi includes <" target ">")
        if (target == "firepile/interop.h" && FILENAME != "lib/arrays/interop.c")
            fault("of the library, only lib/arrays/interop.c includes <" target ">")
        if (quoted && in_folder("include")) fault("public headers include each other as <firepile/...>")
        if (quoted && in_folder("lib")) {
            if (!(to[1] in layer)) fault("\"" target "\" is in no layer")
            else if (layer[to[1]] > layer[mine]) fault("lib/" mine " is below lib/" to[1])
        }
    }

    in_folder("lib") && !in_folder("lib/cl") && /(^|[^A-Za-z0-9_])cl[A-Z][A-Za-z0-9]*[ ]*\(/ {
        fault("only lib/cl calls OpenCL")
    }
    (in_folder("lib/ops") || in_folder("lib/collections")) && /node[a-z]*(\[[^]]*\])?->length/ {
        fault("an operation takes a length from fp_node_prepare or fp_node_wait_length")
    }
    (in_folder("lib/ops") || in_folder("lib/collections")) && /capabilities->host|->verify|fp_host_takes/ {
        fault("fp_execute alone asks which side computes")
    }
    END { exit faults > 0 }
' $(find include lib -name '*.[ch]' | sort)
