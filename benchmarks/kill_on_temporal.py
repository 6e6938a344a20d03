"""Kills worker, server and database of one run on Temporal in turn, and compares its end with an undisturbed run's.

    python -m testwright.benchmarks.kill_on_temporal [--moments 30] [--seed 1]

Every kill is a `kill -9`, of a worker that the dice choose, of Temporal's development server, of PostgreSQL; what was
killed is started again at once. The moments are as many events and seconds apart as the dice say. Each module asks a
model once; the model counts the answers that somebody was there to get. Exits 1 unless plan, specs, tests and report
are the same bytes, no answer was given twice, no process is left, and no lock or lease is held after its term.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from testwright.tests.support.runs.disturbances import Account, disturbed_run, moments_of


def main() -> int:
    """Measure and print; the exit code."""
    given = _arguments()
    moments = moments_of(given.moments, given.seed, events=given.events, seconds=given.seconds)
    with tempfile.TemporaryDirectory(prefix="kill-on-temporal-") as name:
        account = disturbed_run(
            Path(name),
            moments,
            modules=given.modules,
            workers=given.workers,
            latency=given.latency,
            seed=given.seed,
        )
    print(_told(account, given))
    return 0 if account.good and len(account.killed) == len(moments) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--latency", type=float, default=2.0, help="seconds that the model takes for an answer")
    parser.add_argument("--events", type=int, default=4, help="most events between two kills")
    parser.add_argument("--seconds", type=float, default=1.0, help="most seconds after them")
    return parser.parse_args()


def _told(account: Account, given: argparse.Namespace) -> str:
    killed = Counter(moment.victim for moment in account.killed)
    return "\n".join(
        [
            f"| {given.modules} modules, {given.workers} workers, seed {given.seed} | |",
            "|---|---|",
            f"| killed | {', '.join(f'{victim} {times} times' for victim, times in sorted(killed.items()))} |",
            f"| run | exit {account.exit_code}, {account.seconds:.0f} s "
            f"(one process, undisturbed, without waiting: {account.undisturbed_seconds:.0f} s) |",
            f"| files and report | {', '.join(account.differences) or 'the same bytes'} |",
            f"| answers of the model | {account.answers}, undisturbed {account.undisturbed_answers}; "
            f"{account.paid_twice} given twice, {account.broken_off} broken off while their worker died |",
            f"| locks and leases after their term | {', '.join(account.leases) or 'none'} |",
            f"| processes left | {'yes' if account.is_left else 'none'} |",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
