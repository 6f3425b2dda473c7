#!/usr/bin/env python3
"""Writes reference-errors.json: long-run errors and curved intervals by NumPy and SciPy, to test ours against.

Usage: reference-errors.py > reference-errors.json      (needs python3-numpy and python3-scipy)
"""
import json
import numpy as np
from scipy import stats

rng = np.random.default_rng(20261121)


def ar1(t, rho):
    x = np.empty(t)
    x[0] = rng.normal()
    for i in range(1, t):
        x[i] = rho * x[i - 1] + np.sqrt(1 - rho**2) * rng.normal()
    return x


def blocks(x, k):
    return np.add.reduceat(x, np.arange(0, len(x), k))


def inflation(r):
    r = min(0.97, max(0.0, r))
    return (1 + r) / (1 - r)


def long_run_error(n, s):
    widest, k = 0.0, 1
    while k == 1 or int(np.ceil(len(n) / k)) >= 8:
        w, d = blocks(n, k), blocks(s - s.sum() / n.sum() * n, k)
        t, e = len(w), d / (1 - w / w.sum())
        r = float(e[1:] @ e[:-1] / (e @ e))
        if k == 1 and w.sum() ** 2 / (w @ w) / inflation(r) < 4:
            return None
        f = inflation(r + (1 + 3 * r) / t - (0 if k == 1 else 1 / np.sqrt(t)))
        units = max(4.0, w.sum() ** 2 / (w @ w) / f)
        se = np.sqrt((t - 1) / t * (e @ e) * f) / w.sum()
        widest, k = max(widest, float(se * np.sqrt((units - 1) / (units - 3)))), 2 * k
    return widest


def case(t, rho, quietest):
    n = np.round(quietest * 20 ** (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(t) / 24)))
    s = np.round(n * (0.1 + 0.02 * ar1(t, rho)), 6)
    return dict(n=n.tolist(), sum=s.tolist(), expected=long_run_error(n, s))


errors = [case(48, 0.0, 20), case(100, 0.5, 20), case(333, 0.8, 5), case(7, 0.0, 50), case(12, 0.999, 50)]
wilson = []
for k, n in ((1, 30), (7, 20), (985, 1000), (99990, 100000)):
    z = float(stats.norm.ppf(0.975))
    low, high = stats.binomtest(k, n).proportion_ci(0.95, "wilson")
    wilson.append(dict(estimate=k / n, radius=z * np.sqrt(k / n * (1 - k / n) / n), expected=[float(low), float(high)]))
# A Poisson mean's score interval: all m with (m − k/n)² ≤ z² m / n, by its roots.
poisson = []
for k, n in ((3, 50), (200, 40)):
    z, m = float(stats.norm.ppf(0.975)), k / n
    low, high = sorted(np.roots([1, -(2 * m + z**2 / n), m**2]))
    poisson.append(dict(estimate=m, radius=z * np.sqrt(m / n), expected=[float(low), float(high)]))
print(json.dumps(dict(errors=errors, wilson=wilson, poisson=poisson)))
