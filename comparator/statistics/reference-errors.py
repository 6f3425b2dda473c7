#!/usr/bin/env python3
"""Writes reference-errors.json: long-run errors, intervals and divergences by NumPy and SciPy, to test ours against.

Usage: reference-errors.py > reference-errors.json      (needs python3-numpy and python3-scipy)
"""
import json
from pathlib import Path
import numpy as np
from scipy import integrate, optimize, special, stats
from scipy.spatial import distance

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


def steps(of):
    """Equal buckets whose sums rise and fall as given, around 5."""
    n, s = np.full(len(of), 50.0), 5 + np.array(of, dtype=float)
    return dict(n=n.tolist(), sum=s.tolist(), expected=long_run_error(n, s))


errors = [case(48, 0.0, 20), case(100, 0.5, 20), case(333, 0.8, 5), case(7, 0.0, 50), case(12, 0.999, 50)]
# as few units as have an error, one less, the fewest that are merged in pairs, and correlation at its cap
errors += [steps([1, -1, 1, -1]), steps([1, -1, 1]), steps([1, 1, -1, -1] * 4)]
errors += [steps(np.sign(np.sin(2 * np.pi * (np.arange(300) + 0.5) / 200)))]
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


def sequence(k, n, alpha):
    """Where the likelihood's mean under Jeffreys' prior, uniform in θ with p = sin²θ, is 1/alpha times that at p."""

    def log_likelihood(p):
        return special.xlogy(k, p) + special.xlogy(n - k, 1 - p)

    most, reach = np.arcsin(np.sqrt(k / n)), 9 / np.sqrt(n)
    ends = np.unique(np.clip([0, most - reach, most, most + reach, np.pi / 2], 0, np.pi / 2))
    likelihood = lambda t: np.exp(log_likelihood(np.sin(t) ** 2) - log_likelihood(k / n))
    mean = sum(integrate.quad(likelihood, a, b, epsrel=1e-12)[0] for a, b in zip(ends, ends[1:])) * 2 / np.pi
    beyond = lambda p: np.log(mean) + log_likelihood(k / n) - log_likelihood(p) + np.log(alpha)
    lower = 0.0 if k == 0 else float(optimize.brentq(beyond, 1e-9, k / n, xtol=1e-14))
    upper = 1.0 if k == n else float(optimize.brentq(beyond, k / n, 1 - 1e-9, xtol=1e-14))
    return dict(k=k, n=n, alpha=alpha, expected=[lower, upper])


given = ((0, 60, 0.05), (0, 10000, 0.05), (3, 40, 0.05), (2.5, 40, 0.01), (985, 1000, 0.1), (60, 60, 0.05))
sequences = [sequence(*each) for each in given]
# the divergence of the samples of reference.json, in bins between the primary's deciles
divergences = []
for case in json.loads(Path(__file__).with_name("reference.json").read_text())["cases"]["outputDrift"]:
    edges = np.quantile(case["primary"], np.arange(1, 10) / 10)
    counts = [np.bincount(np.searchsorted(edges, case[of], "right"), minlength=10) for of in ("primary", "candidate")]
    divergences.append(float(distance.jensenshannon(*counts, base=2) ** 2))
found = dict(errors=errors, wilson=wilson, poisson=poisson, sequences=sequences, divergences=divergences)
print(json.dumps(found))
