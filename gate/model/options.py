"""Defines the options of a suite run: plain data."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Framework = Literal["pytest", "unittest", "locust"]
ShuffleLevel = Literal["test", "module"]
LOAD_SECONDS = 6.0
SHIFTED_ZONE = "TWT-05:45"
SHIFTED_CLOCK = 86_400 * 401 + 5 * 3600 + 17 * 60


@dataclass(frozen=True, slots=True)
class PairedRun:
    """One of two runs that take turns: test by test the holder stops at something that others may want, too, and goes
    on when the visitor has run its own test through.

    Attributes:
        things: names of what the holder stops at, as watched runs note them.
        moment: it stops when it has `taken` hold of one of them, or when it is about to use it `again`.
    """

    role: Literal["holder", "visitor"]
    things: tuple[str, ...] = ()
    moment: Literal["taken", "again"] = "taken"

    def to_dict(self) -> dict[str, object]:
        """As the worker reads it."""
        return {"role": self.role, "things": list(self.things), "moment": self.moment}


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """One run of a suite.

    Attributes:
        select: node ids to run, in this order; None for all as collected.
        exclude: node ids never run.
        shuffle: seed of a shuffled order; None for the given order. Has no effect with `select`.
        shuffle_level: `test` mixes all tests, `module` keeps the tests of a file together.
        hash_seed: PYTHONHASHSEED.
        backwards: the collected tests in reverse. Has no effect with `select`.
        time_zone: TZ in POSIX form, which needs no zone files.
        clock_shift: seconds that the wall clock is ahead.
        clock_runs: the clock stands shortly before midnight at a year's end, and a second goes by from one look of a
            test at a clock to the next.
        elsewhere: the current folder is an empty one outside of the project.
        decimal_comma: the environment's locale is one with a decimal comma: the machine's, else a made one.
        plain_ascii: text is read and written in ASCII where no encoding is named.
        home: the home folder is an empty one, which for `read_only` nobody can write to.
        xdg: the folders of the XDG specification are others.
        user: the environment names another user.
        nonsense: variables that the project reads, and some that many people have set, hold nonsense; else none is set.
        no_terminal: the standard input is closed, and a terminal would have 37 columns.
        warnings_fail: a warning in a test is an error, as under `-W error`.
        watch: note for each test what it makes, writes or binds that another process could, too.
        acts: note for each test what it does itself beyond calling its target, with made-up secrets in the environment.
        ci: the environment has what CI services set; only with `acts`.
        pair: this run is one of two at the same time.
        measure: files or folders, relative to the project, whose branch coverage is measured; none for speed.
        test_seconds: time one test may take.
        grace_seconds: time a test has to react when its time is up, before the whole process is ended.
        wall_seconds: time the whole run may take, restarts included.
        load_seconds: what each profile of a load test is pressed into.
        quick_passwords: passwords are hashed at their lowest cost, as they were when an API was explored.
        restarts: how often the run starts again without a test or file that hung or killed the process.
        imports: modules imported before anything else; only for unittest.
        project_plugins: load the pytest plugins installed in the target's environment (its own tests need them).
    """

    select: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    shuffle: int | None = None
    shuffle_level: ShuffleLevel = "test"
    backwards: bool = False
    hash_seed: int = 0
    time_zone: str = "UTC"
    clock_shift: int = 0
    clock_runs: bool = False
    elsewhere: bool = False
    decimal_comma: bool = False
    plain_ascii: bool = False
    home: Literal["", "other", "read_only"] = ""
    xdg: bool = False
    user: bool = False
    nonsense: bool = False
    no_terminal: bool = False
    warnings_fail: bool = False
    watch: bool = False
    acts: bool = False
    ci: bool = False
    pair: PairedRun | None = None
    measure: tuple[str, ...] = ()
    test_seconds: float = 10.0
    grace_seconds: float = 5.0
    wall_seconds: float = 300.0
    restarts: int = 5
    load_seconds: float = LOAD_SECONDS
    quick_passwords: bool = False
    imports: tuple[str, ...] = ()
    project_plugins: bool = False

    @property
    def start(self) -> tuple[object, ...]:
        """What has to be so from the start of a process: runs that agree in it can share one."""
        return (self.hash_seed, self.plain_ascii)

    def environment(self) -> dict[str, str]:
        """Variables of the process, besides those that every program gets."""
        found = {"PYTHONHASHSEED": str(self.hash_seed), "TZ": self.time_zone}
        # In UTF-8 mode the interpreter asks no locale for its encoding.
        return {**found, "PYTHONUTF8": "0"} if self.plain_ascii else found

    def surroundings(self) -> dict[str, object]:
        """What the worker changes before it runs anything."""
        return {
            "clock": self.clock_shift,
            "clock_runs": self.clock_runs,
            "time_zone": self.time_zone,
            "elsewhere": self.elsewhere,
            "decimal_comma": self.decimal_comma,
            "plain_ascii": self.plain_ascii,
            "home": self.home,
            "xdg": self.xdg,
            "user": self.user,
            "nonsense": self.nonsense,
            "no_terminal": self.no_terminal,
            "warnings_fail": self.warnings_fail,
            "watch": self.watch,
            "acts": self.acts,
            "ci": self.ci,
            "quick_passwords": self.quick_passwords,
            "pair": None if self.pair is None else self.pair.to_dict(),
        }

    def order(self) -> dict[str, object]:
        """The order as the worker reads it."""
        select = None if self.select is None else list(self.select)
        return {
            "select": select,
            "exclude": list(self.exclude),
            "shuffle": self.shuffle,
            "level": self.shuffle_level,
            "backwards": self.backwards,
        }


@dataclass(frozen=True, slots=True)
class RunOrder:
    """An order of tests; the same seed gives the same order everywhere. `given` and `reversed` need none."""

    seed: int
    level: Literal["test", "module", "given", "reversed"] = "test"

    def asked(self, options: SuiteOptions) -> SuiteOptions:
        """A run of all that is collected, in this order."""
        if self.level in ("given", "reversed"):
            return replace(options, backwards=self.level == "reversed")
        level: ShuffleLevel = "module" if self.level == "module" else "test"
        return replace(options, shuffle=self.seed, shuffle_level=level)

    def of(self, nodeids: Sequence[str]) -> tuple[str, ...]:
        """The tests in this order."""
        if self.level == "given":
            return tuple(nodeids)
        if self.level == "reversed":
            return tuple(reversed(nodeids))
        chance = random.Random(self.seed)
        if self.level == "test":
            mixed = list(nodeids)
            chance.shuffle(mixed)
            return tuple(mixed)
        files: dict[str, list[str]] = {}
        for nodeid in nodeids:
            files.setdefault(nodeid.partition("::")[0], []).append(nodeid)
        names = list(files)
        chance.shuffle(names)
        for name in names:
            chance.shuffle(files[name])
        return tuple(nodeid for name in names for nodeid in files[name])
