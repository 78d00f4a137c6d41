# gnuplot -c plot.gp CSV PNG
# Draws what `bench --out` wrote: for each operation a small picture of its times by the number of elements.
csv = ARG1
columns = 5
lines = system("awk -F, 'NR > 1 && $1 != \"copy\" && !seen[$1 \",\" $2]++ { print $1 \",\" $2 }' " . csv)
rows = (words(lines) + columns - 1) / columns
set terminal pngcairo size 260 * columns, 210 * rows font "sans,9"
set output ARG2
set datafile separator ","
set logscale x 2
set logscale y 10
set format x "2^{%L}"
set format y "%g"
set border 3 linecolor rgb "#808080"
set tics nomirror font ",8"
set grid ytics linecolor rgb "#c8c8c8" linewidth 1 dashtype 1
set key left top Left reverse samplen 1 font ",8"
set linetype 1 linewidth 2 linecolor rgb "#0060ad" pointtype 7
set linetype 2 linewidth 1.5 linecolor rgb "#d95f02" pointtype 5
set linetype 3 linewidth 1.5 linecolor rgb "#1b9e77" pointtype 9
set linetype 4 linewidth 1.5 linecolor rgb "#7f7f7f" pointtype 11
set linetype 5 linewidth 1.5 linecolor rgb "#b03090" pointtype 13
set linetype 6 linewidth 1.5 linecolor rgb "#8c6d31" pointtype 4
set linetype 7 linewidth 1.5 linecolor rgb "#e7298a" pointtype 8
set linetype 8 linewidth 1.5 linecolor rgb "#66a61e" pointtype 12
set linetype 9 linewidth 1.5 linecolor rgb "#00a0a0" pointtype 6
set linetype 10 linewidth 1.5 linecolor rgb "#000000" pointtype 2
rows_of(op, type, who) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\" && $4 == \"%s\" && $5 > 0 " . \
    "{ print $3 \",\" $5 }' %s", op, type, who, csv)
names_of(op, type) = system("awk -F, '$1 == \"" . op . "\" && $2 == \"" . type . "\" && $5 > 0 && !seen[$4]++ " . \
    "{ print $4 }' " . csv)
# One color for each contender, in all pictures.
all = "firepile cub      thrust   openmp   raw      boost    std      gnu      tbb      other"
color(who) = (strstrt(all, who) + 8) / 9
set multiplot layout rows, columns
do for [k = 1:words(lines)] {
    line = word(lines, k)
    cut = strstrt(line, ",")
    op = line[1:cut - 1]
    type = line[cut + 1:*]
    who = names_of(op, type)
    set title op . ", " . type . ", ms" noenhanced font ",9"
    plot for [w = 1:words(who)] rows_of(op, type, word(who, w)) using 1:2 with linespoints \
        linetype color(word(who, w)) pointsize 0.4 title word(who, w) noenhanced
}
unset multiplot
