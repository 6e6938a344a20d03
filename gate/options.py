"""How a suite is run: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Framework = Literal["pytest", "unittest"]
ShuffleLevel = Literal["test", "module"]
SHIFTED_ZONE = "TWT-05:45"
SHIFTED_CLOCK = 86_400 * 401 + 5 * 3600 + 17 * 60


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """One run of a suite.

    Attributes:
        select: node ids to run, in this order; None for all as collected.
        exclude: node ids never run.
        shuffle: seed of a shuffled order; None for the given order. Has no effect with `select`.
        shuffle_level: `test` mixes all tests, `module` keeps the tests of a file together.
        hash_seed: PYTHONHASHSEED.
        time_zone: TZ in POSIX form, which needs no zone files.
        clock_shift: seconds that the wall clock is ahead.
        measure: files or folders, relative to the project, whose branch coverage is measured; none for speed.
        test_seconds: time one test may take.
        grace_seconds: time a test has to react when its time is up, before the whole process is ended.
        wall_seconds: time the whole run may take, restarts included.
        restarts: how often the run starts again without a test or file that hung or killed the process.
        imports: modules imported before anything else; only for unittest.
        project_plugins: load the pytest plugins installed in the target's environment (its own tests need them).
    """

    select: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    shuffle: int | None = None
    shuffle_level: ShuffleLevel = "test"
    hash_seed: int = 0
    time_zone: str = "UTC"
    clock_shift: int = 0
    measure: tuple[str, ...] = ()
    test_seconds: float = 10.0
    grace_seconds: float = 5.0
    wall_seconds: float = 300.0
    restarts: int = 5
    imports: tuple[str, ...] = ()
    project_plugins: bool = False

    def order(self) -> dict[str, object]:
        """The order as the worker reads it."""
        select = None if self.select is None else list(self.select)
        return {"select": select, "exclude": list(self.exclude), "shuffle": self.shuffle, "level": self.shuffle_level}
