# Each macro of C has an overload for C++, which the program calls. They compile without a warning, and do what the
# macros do in C; a macro for C gives a sentence in C++. No OpenCL platform is needed.
# shellcheck disable=SC2046,SC2086 # lists of options are words
set -eu

macros=$(sed -n 's/^#define gpu_\([a-z0-9_]*[a-z0-9]\)(.*/\1/p' include/firepile/*.h | sort -u)
for name in $macros; do
    grep -q "firepile::$name\>" tests/checks/overloads.cpp || { echo "no call of firepile::$name"; exit 1; }
done

command -v g++ >/dev/null || { echo 'g++ is not here'; exit 77; }

flags='-std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wredundant-decls -Iinclude'
${CC:-cc} -std=c11 -Iinclude -c tests/checks/overloads.c -o "$FP_SCRATCH/overloads.o"

# What a user may write, one a line, and nothing is said about it but sentences of ours.
refused='gpu_array *y = gpu_map(x, "x * 2", GPU_ARG(k));
gpu_status s = gpu_read(x, &k);
gpu_array *y = gpu_array_of(g, &k, 1);
gpu_array *y = gpu_array_from(g, GPU_TYPE(pair), &k, 1);
gpu_array *y = gpu_fill(g, GPU_FLOAT, &k, 3);
gpu_status s = gpu_reduce(x, "a + b", &k);
gpu_status s = gpu_fold(x, &k, "a + b", &k);
gpu_status s = gpu_reduce_all(x, "a + b", &k, "a * b", &k);
gpu_status s = gpu_map_reduce_all(x, "x", "a + b", &k, "x * x", "a + b", &k);
gpu_array *y = gpu_scan_exclusive(x, &k, "a + b");
gpu_array *y = gpu_sort_by(x, "a < b", GPU_ARG_AS(k, GPU_FLOAT, k));
gpu_dict *e = gpu_dict_of(x, x, "a + b");
gpu_array *y = gpu_dict_get(d, x, &k);
gpu_status s = gpu_dict_read(d, &k, &k, 1, &n);
gpu_status s = gpu_compile(&f, x, x);
gpu_status s = gpu_compile_all(&f, GPU_RESULTS(x, x), x);
GPU_COMPILED(norm, (float *out, float p));
GPU_FUNCTION(float, twice, (float a), { return 2 * a; });
GPU_DEVICE_FUNCTION(float, twice, (float a), { return 2 * a; });
GPU_KERNEL(one, (GPU_GLOBAL float *y), { y[i] = 1; });
GPU_CONSTANT(HALF, 0.5f);
GPU_ENUM(RED, GREEN);
GPU_STRUCT(pair, int a; int b;);
gpu_status s = gpu_spawn(g, gpu_space_of(g, 1), "{ x[0] = k; }", GPU_RESULT(x, GPU_FLOAT, 1), GPU_GROUP(t, GPU_INT, 1));
gpu_array *y = firepile::array_of(g, &yes, 1);'

say_sentences() { # COMPILER
    echo "$refused" | while read -r line; do
        printf '%s\n' '#include <firepile.h>' 'extern gpu *g; extern gpu_array *x; extern float k; extern bool yes;' \
            'extern gpu_status (*f)(); extern gpu_dict *d; extern size_t n;' "$line" >"$FP_SCRATCH/refused.cpp"
        $1 $flags -fsyntax-only "$FP_SCRATCH/refused.cpp" >"$FP_SCRATCH/log" 2>&1 && { echo "$1 takes $line"; exit 1; }
        grep 'error:' "$FP_SCRATCH/log" | grep -v 'firepile: ' || continue
        echo "$1 says that of $line"
        exit 1
    done
}

for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    $compiler $flags -Werror tests/checks/overloads.cpp "$FP_SCRATCH/overloads.o" "$FP_BUILD/libfirepile.a" \
        $(pkg-config --cflags --libs OpenCL libffi) -pthread -lm -o "$FP_SCRATCH/overloads"
    "$FP_SCRATCH/overloads"
    say_sentences $compiler
done
