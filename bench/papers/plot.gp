# gnuplot -c plot.gp CSV PNG TITLE XLABEL YLABEL lines|bars COLUMNS
# Draws the first COLUMNS columns after the row names of a figure's CSV file.
set terminal pngcairo size 960,560 font "sans,11"
set output ARG2
set datafile separator ","
set title ARG3
set xlabel ARG4
set ylabel ARG5
set grid
set key outside right top autotitle columnhead
last = 1 + ARG7
if (ARG6 eq "bars") {
    set style data histogram
    set style histogram clustered gap 1
    set style fill solid 0.7 border
    set yrange [0:*]
    set xtics rotate by -20
    plot for [c = 2:last] ARG1 using c:xtic(1)
} else {
    set logscale x 2
    set logscale y 10
    set format x "2^{%L}"
    plot for [c = 2:last] ARG1 using 1:c with linespoints pointtype 7 pointsize 0.8
}
