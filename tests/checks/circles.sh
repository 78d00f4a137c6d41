# No more than five files of the library call each other in a circle, as the symbols of their objects tell.
set -u

: "${FP_BUILD:=build/plain}"
find "$FP_BUILD/lib" -name '*.o' | sort >"$FP_SCRATCH/objects"
while read -r object; do
    name=${object#"$FP_BUILD"/lib/}
    nm -P "$object" | awk -v name="${name%.o}" '
        $2 ~ /^[TDBRV]$/ { print "defines", $1, name }
        $2 == "U" { print "needs", $1, name }'
done <"$FP_SCRATCH/objects" >"$FP_SCRATCH/symbols"

# Tarjan's strongly connected components.
awk '
    $1 == "defines" { home[$2] = $3; names[$3] }
    $1 == "needs" { needed[++count] = $2; by[count] = $3; names[$3] }
    function visit(v,    k, w, n, list) {
        index_of[v] = low[v] = ++clock
        stack[++top] = v
        on[v] = 1
        n = split(edges[v], list, " ")
        for (k = 1; k <= n; k++) {
            w = list[k]
            if (!index_of[w]) { visit(w); if (low[w] < low[v]) low[v] = low[w] }
            else if (on[w] && index_of[w] < low[v]) low[v] = index_of[w]
        }
        if (low[v] != index_of[v]) return
        size = 0
        members = ""
        do { w = stack[top--]; on[w] = 0; members = members " " w; size++ } while (w != v)
        if (size > 5) { printf "%d files call each other in a circle:%s\n", size, members; faults++ }
        if (size > largest) largest = size
    }
    END {
        for (k = 1; k <= count; k++)
            if (needed[k] in home && home[needed[k]] != by[k] && !seen[by[k], home[needed[k]]]++)
                edges[by[k]] = edges[by[k]] " " home[needed[k]]
        for (name in names) if (!index_of[name]) visit(name)
        printf "the largest circle has %d files\n", largest
        exit faults > 0
    }
' "$FP_SCRATCH/symbols"
