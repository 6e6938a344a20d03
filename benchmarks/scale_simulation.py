"""Simulates workers on Temporal, many more than a machine has: modules an hour, and what they wait for.

    python -m testwright.benchmarks.scale_simulation [--workers 1 10 100 1000] [--requests-per-minute 500]

A module is work, one request to a model that answers after `--latency` seconds, and work again; every duration varies
by a half around its mean, by a seed. Workers take one module at a time and share the provider's requests a minute,
granted in the order they were asked for. What is not simulated: the database, Temporal's server, and the network.
"""

from __future__ import annotations

import argparse
import heapq
import random
from dataclasses import dataclass

_EVENTS_OF_A_MODULE = 6
"""In the history of a run: an activity and a workflow task, each scheduled, started and completed."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """What so many workers did.

    Attributes:
        hourly: modules an hour.
        limited: share of the workers' time in which they waited for the provider's limit.
    """

    hourly: float
    limited: float


def simulate(workers: int, modules: int, *, work: float, latency: float, per_minute: float, seed: int = 1) -> Simulated:
    """Let workers do so many modules.

    Args:
        work: seconds of a module in which its worker computes; half of it before the request.
        latency: seconds until the model answers.
        per_minute: requests a minute that the provider grants to all workers.
    """
    dice = random.Random(seed)
    spacing, granted_until, limited, ended = 60 / per_minute, 0.0, 0.0, 0.0
    left = modules
    events = [(0.0, number, False) for number in range(workers)]
    heapq.heapify(events)
    while events:
        now, number, asks = heapq.heappop(events)
        if asks:
            granted = max(now, granted_until)
            granted_until, limited = granted + spacing, limited + granted - now
            now = granted + _varied(latency, dice) + _varied(work / 2, dice)
            ended = max(ended, now)
            heapq.heappush(events, (now, number, False))
        elif left:
            left -= 1
            heapq.heappush(events, (now + _varied(work / 2, dice), number, True))
    return Simulated(modules / ended * 3600, limited / (workers * ended))


def _varied(seconds: float, dice: random.Random) -> float:
    return seconds * dice.uniform(0.5, 1.5)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--work", type=float, default=4.0)
    parser.add_argument("--latency", type=float, default=30.0)
    parser.add_argument("--requests-per-minute", type=float, default=500.0)
    given = parser.parse_args()
    print("| workers | modules an hour | waiting for the provider's limit | events of histories an hour |")
    print("|---:|---:|---:|---:|")
    for workers in given.workers:
        done = simulate(
            workers,
            100 * workers,
            work=given.work,
            latency=given.latency,
            per_minute=given.requests_per_minute,
        )
        events = done.hourly * _EVENTS_OF_A_MODULE
        print(f"| {workers} | {done.hourly:,.0f} | {done.limited:.0%} | {events:,.0f} |")


if __name__ == "__main__":
    main()
