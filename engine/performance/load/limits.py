"""Derives the limits of load tests from measured figures: ratios with headroom, so that they do not flake.

A latency counts in round trips: times of a plain request to a small server that does nothing, sent beside the load on
the same machine, of one millisecond at least. A slow or busy machine slows both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .profiles import LOAD, SMOKE

Json = dict[str, Any]
Figures = Mapping[str, Mapping[str, Any]]
"""Figures by request, `GET /orders`; under "" those of all requests, where any was answered.

See `http/load_profiles.py` for their form.
"""

HEADROOM = 3.0
THROUGHPUT_LEFT = 0.5
_ROOM = {"latency_p50": 10.0, "latency_p95": 20.0, "latency_p99": 60.0}
"""Round trips that a figure may grow by in any case: what chance makes of small ones."""
_FEWEST = 5
_BEYOND = {"latency_p95": (0.05, "latency_p99"), "latency_p99": (0.01, "latency_max")}
"""The share of requests that are slower, and the next figure."""
_MOST_ERRORS = 0.2
"""Percent: in a few seconds none, in a long run a few."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one run of a profile gave.

    Attributes:
        processor: share of a processor core that Locust used.
    """

    profile: str
    entries: Figures
    processor: float = 0.0


def limits_of(profile: str, measurements: Sequence[Measurement]) -> list[Json]:
    """Return the expectations of a profile's case.

    Args:
        measurements: of all runs of this profile, each with the figures of all requests; without one only errors are
            limited.
    """
    runs = [one.entries for one in measurements if one.profile == profile]
    return [
        _expectation("error_rate", "at_most", 0.0 if profile == SMOKE else _MOST_ERRORS, "percent", origin="inferred"),
        *(_latency(metric, runs) for metric in _ROOM if runs),
        *(_throughput(runs) for _ in runs[:1]),
        *(_of_each_request(runs) if profile == LOAD else ()),
    ]


def rounded(value: float) -> float:
    """A number as a person would write it: two digits, upwards."""
    if value <= 0:
        return 0.0
    step = 1.0
    while value / step >= 100:
        step *= 10
    while value / step < 10 and step > 0.1:
        step /= 10
    whole = -(-value // step) * step
    return float(f"{whole:.6g}")


def _latency(metric: str, runs: Sequence[Figures], request: str = "") -> Json:
    values = [_steady(metric, run[request]) for run in runs]
    most = max(values)
    limit = rounded(max(most * HEADROOM, most + _ROOM[metric]))
    return _expectation(metric, "at_most", limit, "ratio", values=values, request=request)


def _steady(metric: str, entry: Mapping[str, Any]) -> float:
    """A percentile in round trips; the next one where so few requests are slower that chance decides over it."""
    slower, following = _BEYOND.get(metric, (1.0, metric))
    found = entry["round_trips"]
    return float(found[following] if entry["requests"] * slower < _FEWEST else found[metric])


def _throughput(runs: Sequence[Figures]) -> Json:
    values = [float(run[""]["requests_per_second"]) for run in runs]
    limit = float(f"{min(values) * THROUGHPUT_LEFT:.2g}")
    return _expectation("requests_per_second", "at_least", limit, "per_second", values=values)


def _of_each_request(runs: Sequence[Figures]) -> Iterator[Json]:
    """Yield a limit for each request that was sent often enough: a slow one among many quick ones shows here only."""
    for name in sorted({name for run in runs for name in run if name}):
        if all(run.get(name, {}).get("requests", 0) >= _FEWEST for run in runs):
            yield _latency("latency_p50", runs, name)


def _expectation(
    metric: str,
    operator: str,
    value: float,
    unit: str,
    *,
    values: Sequence[float] = (),
    request: str = "",
    origin: str = "observed",
) -> Json:
    found: Json = {"kind": "threshold", "metric": metric, "operator": operator, "value": value, "unit": unit}
    if request:
        found["request"] = request
    found["origin"] = origin
    if values:
        found["measured"] = [float(f"{min(values):.3g}"), float(f"{max(values):.3g}")]
    return found
