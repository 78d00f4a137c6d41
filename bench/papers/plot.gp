# gnuplot -c plot.gp CSV PNG TITLE XLABEL UNIT lines|bars COLUMNS DEVICE
# Draws the first COLUMNS columns after the row names of a figure's CSV file.
set terminal pngcairo size 760,400 font "sans,10"
set output ARG2
set datafile separator ","

set title ARG3 noenhanced font ",12" offset 0,1
set tmargin 4
set label ARG8 noenhanced at graph 0.5,1.06 center font ",9" textcolor rgb "#606060"
set xlabel ARG4 noenhanced
set ylabel (ARG5 eq "milliseconds" ? "time in milliseconds" : ARG5) noenhanced
set key outside right top Left reverse samplen 2 autotitle columnhead noenhanced
set border 3 linecolor rgb "#808080"
set tics nomirror textcolor rgb "#000000"
set grid ytics linecolor rgb "#c8c8c8" linewidth 1 dashtype 1
set linetype 1 linewidth 2 linecolor rgb "#0060ad" pointtype 7
set linetype 2 linewidth 2 linecolor rgb "#d95f02" pointtype 5
set linetype 3 linewidth 2 linecolor rgb "#1b9e77" pointtype 9
set linetype 4 linewidth 2 linecolor rgb "#7f7f7f" pointtype 11
set linetype 5 linewidth 2 linecolor rgb "#b03090" pointtype 13

# A long name on several lines: cut at the first blank behind the fourth character.
blank(s) = strlen(s) > 10 ? strstrt(s[5:*], " ") : 0
wrapped(s) = blank(s) ? s[1:3 + blank(s)] . "\n" . wrapped(s[5 + blank(s):*]) : s

last = 1 + ARG7
if (last == 2) { unset key }
if (ARG6 eq "bars") {
    set style data histogram
    set style histogram clustered gap 1
    set style fill solid 0.85 noborder
    set boxwidth 0.9
    set yrange [0:*]
    set bmargin 5
    unset xlabel
    plot for [c = 2:last] ARG1 using c:xtic(wrapped(strcol(1)))
} else {
    stats ARG1 every ::1 using 1 nooutput
    set logscale x 2
    set logscale y 10
    set format x (STATS_max > 2048 ? "2^{%L}" : "%.0f")
    set format y "%g"
    set offsets graph 0.03, graph 0.03, 0, 0
    plot for [c = 2:last] ARG1 using 1:c with linespoints pointsize 0.9
}
