"""Compares results in a folder's files with NumPy's. Called by tests/test_file.c, which wrote them."""
import sys

import numpy as np


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy")


x, few, others, counts = (load(name) for name in ("x", "few", "others", "counts"))
wide = x.astype(np.float64)
down = np.argsort(-few, kind="stable")
most = len(load("top_keys"))
wanted = {
    "statistics": [wide.mean(), wide.var(), np.median(wide), *np.quantile(wide, np.linspace(0, 1, 21))],
    "sort_descending": np.sort(x)[::-1],
    "argsort": np.argsort(few, kind="stable"),
    "argsort_by": down,
    "top_keys": few[down][:most],
    "top_places": np.argsort(x, kind="stable")[down][:most],
    "lower_bound": np.searchsorted(np.sort(few), few, side="left"),
    "upper_bound": np.searchsorted(np.sort(few), few, side="right"),
    "unique": np.unique(few),
    "contains": np.isin(few, others),
    "union": np.union1d(few, others),
    "intersection": np.intersect1d(few, others),
    "difference": np.setdiff1d(few, others),
    "repeat": np.repeat(x, counts),
    "histogram": np.histogram(x, bins=16, range=(-1, 1))[0],
}

wrong = 0
for name, want in wanted.items():
    got, want = load(name), np.asarray(want)
    exact = name != "statistics"
    if got.shape != want.shape or not (np.array_equal(got, want) if exact else np.allclose(got, want, 1e-12, 1e-12)):
        print(f"{name}: {got} should be {want}")
        wrong += 1
sys.exit(wrong > 0)
