#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes reference.h: what NumPy and SciPy answer, for the tests of src/stats.

    apt-get install python3-scipy
    /usr/bin/python3 reference.py | clang-format --assume-filename=reference.h > reference.h.new
    mv reference.h.new reference.h

The build does not run this. Everything is computed here in another way than in src/stats:
distributions by SciPy, fits by dense matrices and inverses.
"""
import numpy as np
from scipy import optimize, stats

MASK = (1 << 64) - 1


def splitmix(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        yield mixed ^ (mixed >> 31)


def xoshiro(state):
    def rotate(value, bits):
        return ((value << bits) | (value >> (64 - bits))) & MASK

    s0, s1, s2, s3 = state
    while True:
        yield rotate((s1 * 5) & MASK, 7) * 9 & MASK
        t = (s1 << 17) & MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = rotate(s3, 45)


def first(sequence, count):
    return [next(sequence) for _ in range(count)]


def table(name, fields, rows, kind="double"):
    print(f"\nstatic const struct {name} {{\n\t{kind} {', '.join(fields)};\n}} {name}s[] = {{")
    for row in rows:
        print("\t{" + ", ".join(repr(float(value)) for value in row) + "},")
    print("};")


def array(name, values, kind="double"):
    print(f"\nstatic const {kind} {name}[] = {{")
    for value in values:
        print(f"\t{hex(value) + 'u' if kind == 'uint64_t' else repr(float(value))},")
    print("};")


def random_numbers():
    # The authors' seeding, checked against the values published for seed 1234567.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert first(splitmix(1234567), 3) == published
    array("random_seed_42", first(xoshiro(first(splitmix(42), 4)), 8), "uint64_t")


def distributions():
    probabilities = [1e-9, 1e-4, 0.005, 0.025, 0.1, 0.4, 0.5, 0.6, 0.84, 0.95, 0.975, 0.999, 1 - 1e-6]
    freedoms = [0.5, 1, 1.5, 2, 3, 4.7, 8, 13, 30, 120, 1e4, 1e7]
    table("normal_reference", ["probability", "quantile"],
          [(p, stats.norm.ppf(p)) for p in probabilities])
    table("student_reference", ["probability", "freedom", "quantile"],
          [(p, f, stats.t.ppf(p, f)) for f in freedoms for p in probabilities])
    table("student_tail_reference", ["value", "freedom", "probability"],
          [(x, f, stats.t.cdf(x, f)) for f in freedoms for x in [-30, -3, -0.2, 0, 1e-3, 0.7, 2, 6]])


def summaries():
    generator = np.random.default_rng(7)
    values = np.round(generator.standard_t(2, 23) * 10, 3)
    array("summary_values", values)
    rows = []
    for count in [1, 2, 3, 4, 5, 10, 23]:
        part = values[:count]
        rows.append((count, np.median(part), np.quantile(part, 0.1), np.quantile(part, 0.77)))
    table("summary_reference", ["count", "median", "tenth", "upper"], rows)


OFFSET = 0.25  # a ratio r stands at the position log((r + OFFSET) / (1 + OFFSET))
NOISES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]  # of the pauses, by a control's
KEPT = 0.98245  # of the variance of normal noise, when its squares are weighted robustly


def unit_variances(cell, pause_noise):
    """Of a position at the cell's median, by its window's noise and by a control's."""
    r = np.exp(np.median(cell["positions"])) * (1 + OFFSET) - OFFSET
    if cell["speedup"] == 0:
        r = 1
    return np.array([r**2 + pause_noise * cell["speedup"], r**2]) / (r + OFFSET) ** 2


def unit_variance(cell, pause_noise):
    window, control = unit_variances(cell, pause_noise)
    return window + control * cell["controls"]


def start_logarithm(cell, pause_noise):
    """Of the variance that the median difference of any two tells, corrected for its bias."""
    x = cell["positions"]
    pairs = x if cell["speedup"] == 0 else np.subtract.outer(x, x)[np.triu_indices(len(x), 1)]
    pairs = pairs / np.sqrt(unit_variance(cell, pause_noise) * (1 if pairs is x else 2))
    deviation = np.median(np.abs(pairs)) / stats.norm.ppf(0.75)
    return np.log(deviation**2) + 1.15 / cell["freedom"]


def noise_likelihood(cells, pause_noise):
    logarithms = [start_logarithm(cell, pause_noise) for cell in cells]
    scales = np.sqrt([2.5 / cell["freedom"] + 0.05 for cell in cells])

    def against(center):
        return -np.sum(stats.t.logpdf((logarithms - center) / scales, 3))

    within = (min(logarithms), max(logarithms))
    best = optimize.minimize_scalar(against, bounds=within, method="bounded",
                                    options={"xatol": 1e-12})
    return np.exp(-best.fun)


def likely_noise(cells):
    parts = [noise_likelihood(cells, noise) / (1 + noise / 3) for noise in NOISES]
    mean = np.average(np.log(NOISES), weights=parts)
    variance = np.average((np.log(NOISES) - mean) ** 2, weights=parts)
    return np.exp(mean + 0.5 * np.sqrt(variance))


def estimate_row(cell, variance, freedom, noise):
    location = 0 if cell["speedup"] == 0 else cell["positions"].mean()
    error = np.sqrt(variance * unit_variance(cell, noise) / len(cell["positions"]))
    reach = stats.t.ppf(0.975, freedom) * error
    gain = [1 + OFFSET - (1 + OFFSET) * np.exp(location + x) for x in [0, reach, -reach]]
    return (cell["speedup"], *gain, (1 + OFFSET) * np.exp(location) * error)


def estimates():
    """Runs of three windows, control - speedup - control, so that no control is shared."""
    generator = np.random.default_rng(11)
    speedups = np.array([0.2, 0.2, 0.2, 0.6, 0.6, 0.6, 0.6])
    triples = np.array([np.round(1e6 * np.exp(generator.normal(0, 0.01, 3)) * [1, 1 - s / 2, 1], 1)
                        for s in speedups])
    table("estimate_triple", ["speedup", "before", "at", "after"],
          [(s, *t) for s, t in zip(speedups, triples)])
    before, at, after = triples.T
    # A run's second control is divided by its first, windows by what lies a third of the way.
    ratios = {0.0: after / before}
    for s in [0.2, 0.6]:
        ratios[s] = (at / before ** (2 / 3) / after ** (1 / 3))[speedups == s]
    cells = [{"speedup": s, "positions": np.log((r + OFFSET) / (1 + OFFSET)),
              "controls": 1 if s == 0 else 4 / 9 + 1 / 9,
              "freedom": len(r) - (s > 0)} for s, r in ratios.items()]
    noise = likely_noise(cells)
    own = [np.sum((c["positions"] - (c["positions"].mean() if c["speedup"] else 0)) ** 2)
           / unit_variance(c, noise) / KEPT / c["freedom"] for c in cells]
    freedoms = np.array([c["freedom"] for c in cells])
    pooled = np.average(own, weights=freedoms)
    rows = [estimate_row(c, (6 * pooled + f * v) / (6 + f), min(6 + f, freedoms.sum()), noise)
            for c, v, f in zip(cells, own, freedoms)]
    table("estimate_reference", ["speedup", "gain", "low", "high", "error"], rows)


CURVE = np.array([  # speedup, gain, error, shared, quantile of the interval
    (0.10, 0.061, 0.010, 0.003, 2.1),
    (0.25, 0.110, 0.008, 0.002, 2.0),
    (0.40, 0.193, 0.012, 0.004, 2.2),
    (0.70, 0.204, 0.009, 0.000, 2.0),
    (1.00, 0.199, 0.020, 0.005, 2.6),
])


def combined_error(parts):
    own = np.diag(CURVE[:, 2] ** 2 - CURVE[:, 3] ** 2)
    return np.sqrt(parts @ (own + np.outer(CURVE[:, 3], CURVE[:, 3])) @ parts)


def combined_quantile(parts):
    return np.average(CURVE[:, 4], weights=(parts * CURVE[:, 2]) ** 2)


def slope():
    s, gain, error = CURVE[:, 0], CURVE[:, 1], CURVE[:, 2]
    weight = np.diag(error**-2)
    parts = (s @ weight) / (s @ weight @ s)
    value = parts @ gain
    birge = max(1, np.sqrt(np.sum(((gain - value * s) / error) ** 2) / (len(s) - 1)))
    reach = combined_quantile(parts) * birge * combined_error(parts)
    return value, value - reach, value + reach


def covariance(a, b, bend):
    a, b = np.meshgrid(a, b, indexing="ij")
    low, high = np.minimum(a, b), np.maximum(a, b)
    return 9 * a * b + bend**2 * (low**2 * high / 2 - low**3 / 6)


def curve_at(at):
    s, gain = CURVE[:, 0], CURVE[:, 1]
    noise = np.diag(CURVE[:, 2] ** 2 - CURVE[:, 3] ** 2) + np.outer(CURVE[:, 3], CURVE[:, 3])
    priors, means, variances, likelihoods, weights = [], [], [], [], []
    for bend in [0.03, 0.1, 0.3, 1, 3]:
        full = covariance(s, s, bend) + noise
        cross = covariance([at], s, bend)[0]
        parts = cross @ np.linalg.inv(full)
        priors.append(stats.halfcauchy.pdf(bend, scale=0.5) * bend)
        means.append(parts @ gain)
        variances.append(covariance([at], [at], bend)[0, 0] - parts @ cross)
        likelihoods.append(stats.multivariate_normal.pdf(gain, np.zeros(len(s)), full))
        weights.append(parts)
    posterior = np.array(priors) * likelihoods
    posterior /= posterior.sum()
    mean = posterior @ means
    error = np.sqrt(posterior @ (np.array(variances) + (np.array(means) - mean) ** 2))
    reach = combined_quantile(posterior @ np.array(weights)) * error
    return at, mean, mean - reach, mean + reach, error


def curves():
    table("curve_point", ["speedup", "gain", "error", "shared", "quantile"], CURVE)
    table("slope_reference", ["slope", "low", "high"], [slope()])
    table("curve_reference", ["speedup", "gain", "low", "high", "error"],
          [curve_at(at) for at in [0.05, 0.1, 0.3, 0.4, 0.55, 0.8, 1.0, 1.2]])


print("/* SPDX-License-Identifier: BSD-2-Clause */")
print(f"/* Made by reference.py with NumPy {np.__version__}; do not edit. */")
print("#pragma once\n\n#include <stdint.h>")
random_numbers()
distributions()
summaries()
estimates()
curves()
