"""Compares results in a folder's files with NumPy's. Called by tests/test_numpy.c, which wrote them."""
import glob
import sys

import numpy as np

folder, kind = sys.argv[1:]
wrong = 0


def load(name):
    return np.load(f"{folder}/{name}.npy")


def compare(name, want, tolerance=0):
    """The tolerance is relative to the largest element."""
    global wrong
    got, want = load(name), np.asarray(want).reshape(-1)
    bound = tolerance * np.abs(want).max(initial=0)
    if got.shape != want.shape or not np.all(np.abs(got - want) <= bound):
        print(f"{name}: {got} should be {want}")
        wrong += 1


def widen(x):
    """Numbers of a type in which sums hardly round."""
    return x.astype({"i": np.int64, "f": np.float64, "c": np.complex128}[x.dtype.kind])


def tolerance_of(x):
    return {"float32": 2e-5, "complex64": 2e-5, "float64": 1e-12}.get(x.dtype.name, 0)


def cases(name):
    """Each case that has an array of this name: its prefix, both numbers of its name, and its tolerance."""
    for path in sorted(glob.glob(f"{folder}/*-{name}.npy")):
        prefix = path[len(folder) + 1 : -len(name) - 4]
        rows, columns = map(int, prefix.split("-")[1:3])
        yield prefix, rows, columns, tolerance_of(np.load(path))


def compare_arrays():
    x, few, others, counts = (load(name) for name in ("x", "few", "others", "counts"))
    wide = x.astype(np.float64)
    down = np.argsort(-few, kind="stable")
    most = len(load("top_keys"))
    statistics = [wide.mean(), wide.var(), np.median(wide), *np.quantile(wide, np.linspace(0, 1, 21))]
    compare("statistics", statistics, 1e-12)
    compare("sort_descending", np.sort(x)[::-1])
    compare("argsort", np.argsort(few, kind="stable"))
    compare("argsort_by", down)
    compare("top_keys", few[down][:most])
    compare("top_places", np.argsort(x, kind="stable")[down][:most])
    compare("lower_bound", np.searchsorted(np.sort(few), few, side="left"))
    compare("upper_bound", np.searchsorted(np.sort(few), few, side="right"))
    compare("unique", np.unique(few))
    compare("contains", np.isin(few, others))
    compare("union", np.union1d(few, others))
    compare("intersection", np.intersect1d(few, others))
    compare("difference", np.setdiff1d(few, others))
    compare("repeat", np.repeat(x, counts))
    compare("histogram", np.histogram(x, bins=16, range=(-1, 1))[0])


def compare_matrices():
    for prefix, rows, columns, tolerance in cases("m"):
        narrow = load(prefix + "m").reshape(rows, columns)
        m = widen(narrow)
        compare(prefix + "transpose", m.T)
        compare(prefix + "multiply", m @ m.T, tolerance)
        compare(prefix + "reduce_rows", m.sum(axis=1), tolerance)
        compare(prefix + "reduce_columns", m.sum(axis=0), tolerance)
        compare(prefix + "scan_rows", m.cumsum(axis=1), tolerance)
        if m.dtype.kind != "c":
            compare(prefix + "sort_rows", np.sort(narrow, axis=1))


def compare_stencils():
    for prefix, rows, columns, tolerance in cases("m"):
        m = widen(load(prefix + "m").reshape(rows, columns))
        around = sum(np.roll(m, step, axis) for step in (-1, 1) for axis in (0, 1))
        compare(prefix + "stencil", around, tolerance)


def compare_systems():
    for prefix, rows, columns, tolerance in cases("square"):
        square = widen(load(prefix + "square").reshape(rows, rows))
        sides = widen(load(prefix + "sides").reshape(rows, columns))
        compare(prefix + "solve", np.linalg.solve(square, sides), tolerance)
        compare(prefix + "inverse", np.linalg.inv(square), tolerance)
        compare(prefix + "determinant", np.linalg.det(square), tolerance)


def combine(keys, values):
    """The keys in order, and the sum of the values of each."""
    unique, places = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(unique), widen(values).dtype)
    np.add.at(sums, places, values)
    return unique, sums


def compare_dictionaries():
    for prefix, _, _, tolerance in cases("values"):
        keys, values, others, weights = (load(prefix + name) for name in ("keys", "values", "others", "weights"))
        d_keys, d_values = combine(keys, values)
        e_keys, e_values = combine(others, weights)
        place, has = np.searchsorted(d_keys, others), np.isin(others, d_keys)
        merged = combine(np.concatenate([d_keys, e_keys]), np.concatenate([d_values, e_values]))
        in_e, in_d = np.isin(d_keys, e_keys), np.isin(e_keys, d_keys)
        got = d_values[place[has]]
        wanted = {
            "of": (d_keys, d_values),
            "merge": merged,
            "intersect": (d_keys[in_e], d_values[in_e] - e_values[in_d]),
            "remove": (d_keys[~in_e], d_values[~in_e]),
        }
        for name, (names, sums) in wanted.items():
            compare(f"{prefix}{name}_keys", names)
            compare(f"{prefix}{name}_values", sums, tolerance)
        found = np.zeros(len(others), d_values.dtype)
        found[has] = got
        compare(prefix + "get", found, tolerance)
        compare(prefix + "has", has)
        compare(prefix + "join_keys", others[has])
        compare(prefix + "join_left", got, tolerance)
        compare(prefix + "join_right", weights[has])


{
    "arrays": compare_arrays,
    "matrices": compare_matrices,
    "stencils": compare_stencils,
    "systems": compare_systems,
    "dictionaries": compare_dictionaries,
}[kind]()
sys.exit(wrong > 0)
