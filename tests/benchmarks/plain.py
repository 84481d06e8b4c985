"""The definitions of mhgb 7 in plain Python, as slow as they read: what the fast versions are held against.

Standard library alone, so that any interpreter can run it: ``python3.13 tests/benchmarks/plain.py`` prints the figures of a
fixed series, by which the stream of another Python version is compared.
"""

from __future__ import annotations

import json
import math
import random
import sys


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def std(values):
    centre = mean(values)
    total = 0.0
    for value in values:
        total += (value - centre) * (value - centre)
    return math.sqrt(total / (len(values) - 1))


def bounds(found, alpha=0.05):
    found = sorted(found)
    return found[math.floor(alpha / 2 * len(found))], found[math.ceil((1 - alpha / 2) * len(found)) - 1]


def bootstrap_mean(values, resamples=2000, seed=42, alpha=0.05):
    generator = random.Random(seed)
    found = []
    for _ in range(resamples):
        total = 0.0
        for _ in range(len(values)):
            total += generator.choice(values)
        found.append(total / len(values))
    return (mean(values), *bounds(found, alpha))


def bootstrap_difference(first, second, resamples=2000, seed=42, alpha=0.05):
    generator = random.Random(seed)
    found = []
    for _ in range(resamples):
        means = []
        for sample in (first, second):
            total = 0.0
            for _ in range(len(sample)):
                total += generator.choice(sample)
            means.append(total / len(sample))
        found.append(means[0] - means[1])
    return (mean(first) - mean(second), *bounds(found, alpha))


def bootstrap_stratified_difference(first, second, resamples=2000, seed=42, alpha=0.05):
    generators = [random.Random(f"{seed}/{place}") for place in range(len(first) + len(second))]
    found = []
    for _ in range(resamples):
        means = []
        for strata, own in ((first, generators), (second, generators[len(first) :])):
            total, count = 0.0, 0
            for stratum, generator in zip(strata, own, strict=False):
                for _ in range(len(stratum)):
                    total += generator.choice(stratum)
                count += len(stratum)
            means.append(total / count)
        found.append(means[0] - means[1])
    whole = [mean([value for stratum in strata for value in stratum]) for strata in (first, second)]
    return (whole[0] - whole[1], *bounds(found, alpha))


def kappa(pairs, categories=5):
    n = len(pairs)
    agreed = sum(a == b for a, b in pairs) / n
    first, second = [0] * categories, [0] * categories
    for a, b in pairs:
        first[a] += 1
        second[b] += 1
    chance = sum(a * b for a, b in zip(first, second, strict=True)) / (n * n)
    return (agreed - chance) / (1 - chance) if chance < 1 else None


def bootstrap_kappa(pairs, resamples=2000, seed=42, alpha=0.05, categories=5):
    generator = random.Random(seed)
    found = []
    for _ in range(resamples):
        value = kappa([generator.choice(pairs) for _ in range(len(pairs))], categories)
        if value is not None:
            found.append(value)
    return (kappa(pairs, categories), *bounds(found, alpha))


def rank_probabilities(scores, resamples=2000, seed=42):
    """Share of resamples in which a model has a rank; the series must not tie."""
    generator = random.Random(seed)
    models, tasks = len(scores), len(scores[0])
    found = [[0] * models for _ in range(models)]
    for _ in range(resamples):
        draws = [generator.choice(range(tasks)) for _ in range(tasks)]
        sums = []
        for series in scores:
            total = 0.0
            for task in draws:
                total += series[task]
            sums.append(total)
        for rank, model in enumerate(sorted(range(models), key=lambda k: -sums[k])):
            found[model][rank] += 1
    return [[count / resamples for count in row] for row in found]


def series(size, seed=1):
    """A fixed series that needs no generator shared with anything."""
    return [((k * 7919 + seed * 104729) % 10007) / 10007 for k in range(size)]


def figures():
    """The figures that versions of Python are compared by."""
    return {
        "mean": bootstrap_mean(series(293), 400),
        "difference": bootstrap_difference(series(20), series(19, 2), 400),
        "stratified": bootstrap_stratified_difference([series(5), series(5, 2)], [series(20, 3), series(19, 4)], 400),
        "kappa": bootstrap_kappa(
            [(int(5 * a), int(5 * b)) for a, b in zip(series(70), series(70, 2), strict=True)], 400
        ),
    }


if __name__ == "__main__":
    json.dump(figures(), sys.stdout)
