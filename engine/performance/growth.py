"""Fits how time grows with size, and derives limits from what was measured.

Limits lie midway, as ratios go, between the measured class and the next that is clearly slower, so that noise does not
reach them and a slower algorithm does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .model import Cost, Growth, GrowthName, Repeat

LEAST_SECONDS = 5e-7
"""Shorter calls say more about the loop around them than about themselves."""

MOST_SECONDS = 0.002
"""The larger call of a test takes at most so long, so that it fits between two interruptions."""

MOST_COST_SECONDS = 0.005
"""Elapsed time of a longer call is never all its own on a busy machine: there is no limit of its cost."""

MOST_FIRST_SECONDS = 0.1
"""A longer first call, made anew in each round, would keep the test of a cache busy for seconds."""

LARGEST = 2560
"""The largest size of a test: one that has become quadratic is to fail within seconds."""

TOLERANCE = 4.0
"""How many times the measured cost a call may cost: other machines and versions of Python differ by less."""

FACTORS: dict[GrowthName, int] = {
    "constant": 64,
    "logarithmic": 64,
    "linear": 8,
    "n log n": 8,
    "quadratic": 4,
    "cubic": 4,
}
_DEGREES: dict[GrowthName, int] = {
    "constant": 0,
    "logarithmic": 0,
    "linear": 1,
    "n log n": 1,
    "quadratic": 2,
    "cubic": 3,
}
_FORMS: dict[GrowthName, Callable[[float], float]] = {
    "logarithmic": math.log,
    "linear": lambda n: n,
    "n log n": lambda n: n * math.log(n),
    "quadratic": lambda n: n * n,
    "cubic": lambda n: n**3,
}
_LARGEST_RESIDUAL = 0.15
_CLEARLY = 2.0
_BY_FAR = 4.0
_LEAST_POINTS = 5
_FITTED_POINTS = 7
_ADDITIONS = 1000
_LEAST_SAVING = 6.0

Points = Sequence[tuple[int, Sequence[float]]]
"""Sizes, each twice the one before, with the seconds of one call, the best of each group of rounds."""


def fit_growth(points: Points) -> Growth:
    """Names the growth of measured times, where one class fits them clearly."""
    usable = _from_measurable(points)
    if len(usable) < _LEAST_POINTS:
        return Growth(None, reason="too few sizes could be measured")
    sizes = [size for size, _ in usable]
    best = [min(times) for _, times in usable]
    name = _class_of(sizes[-_FITTED_POINTS:], best[-_FITTED_POINTS:])
    if name is None:
        return Growth(None, reason="its time fits no kind of growth clearly")
    factor, degree = FACTORS[name], _DEGREES[name]
    fitting = [at for at, size in enumerate(sizes) if size <= LARGEST and size // factor in sizes]
    if not fitting:
        return Growth(None, reason="its calls take too long to be compared at different sizes")
    large = max((at for at in fitting if best[at] <= MOST_SECONDS), default=fitting[0])
    small = sizes.index(sizes[large] // factor)
    ratio = best[large] / best[small]
    spread = (min(usable[large][1]) / max(usable[small][1]), max(usable[large][1]) / min(usable[small][1]))
    limit = round(factor ** (degree + 0.5))
    if spread[1] > limit / 1.3:
        return Growth(None, reason="its times vary too much from one measurement to the next")
    return Growth(name, (sizes[small], sizes[large]), ratio, spread, limit)


def _from_measurable(points: Points) -> list[tuple[int, tuple[float, ...]]]:
    """The points after the last one that is too short: sizes without a gap, whatever one measurement says."""
    short = [at for at, (_, times) in enumerate(points) if not times or min(times) < LEAST_SECONDS]
    return [(size, tuple(times)) for size, times in points[max(short, default=-1) + 1 :]]


def _class_of(sizes: Sequence[int], times: Sequence[float]) -> GrowthName | None:
    """The class that fits best; None where none fits, or one of another degree fits nearly as well."""
    if max(times) / min(times) < 1.5:
        return "constant"
    residuals: dict[GrowthName, float] = {name: _residual(sizes, times, form) for name, form in _FORMS.items()}
    best = min(residuals, key=lambda name: residuals[name])
    rivals = [residuals[name] for name in residuals if _DEGREES[name] != _DEGREES[best]]
    if residuals[best] > _LARGEST_RESIDUAL or min(rivals) < _CLEARLY * residuals[best]:
        return None
    # A logarithm beside a line is a small difference, and memory that is farther away looks like one: the line stays
    # unless the other is nearer by far.
    if best == "n log n" and residuals["linear"] < _BY_FAR * residuals["n log n"]:
        return "linear"
    return best


def _residual(sizes: Sequence[int], times: Sequence[float], form: Callable[[float], float]) -> float:
    """The root mean square of relative errors of the best `a + b * form(n)` with a, b >= 0."""
    rows = [(1 / t, form(n) / t) for n, t in zip(sizes, times, strict=True)]
    aa, ab, bb = sum(u * u for u, _ in rows), sum(u * v for u, v in rows), sum(v * v for _, v in rows)
    au, bu = sum(u for u, _ in rows), sum(v for _, v in rows)
    det = aa * bb - ab * ab
    a, b = ((au * bb - bu * ab) / det, (bu * aa - au * ab) / det) if det > 1e-12 * aa * bb else (0.0, bu / bb)
    if a < 0:
        a, b = 0.0, bu / bb
    if b < 0:
        a, b = au / aa, 0.0
    return math.sqrt(sum((a * u + b * v - 1) ** 2 for u, v in rows) / len(rows))


def cost_of(groups: Sequence[Sequence[float]]) -> Cost | None:
    """The cost of a call from its times beside those of a thousand additions, by group; None for a long call."""
    if min(call for call, _ in groups) > MOST_COST_SECONDS:
        return None
    ratios = sorted(_ADDITIONS * call / reference for call, reference in groups)
    spread = (ratios[0], ratios[-1])
    return Cost(ratios[len(ratios) // 2], spread, nice(TOLERANCE * spread[1]))


def nice(value: float) -> int:
    """The next number of the series 1, 2, 3, 5, 7, 10, 20, … that is not smaller; at least 10."""
    power = 10
    while True:
        for first in (1, 2, 3, 5, 7):
            if first * power >= value:
                return first * power
        power *= 10


def repeat_of(before: float, first: float, again: float) -> Repeat | None:
    """What repeating saves; None where too little depends on a cache to tell a lost one, or a first call is long.

    Args:
        before: seconds of what makes the call a first one; `first`: of the call after it; `again`: of a repeated one.
    """
    share, lost = again / (before + first), first / (before + first)
    if lost < _LEAST_SAVING * share or not 20 * LEAST_SECONDS <= first <= MOST_FIRST_SECONDS:
        return None
    return Repeat(share, min(0.5, float(f"{math.sqrt(share * lost):.1g}")))
