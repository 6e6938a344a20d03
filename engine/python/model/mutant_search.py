"""The limits and results of the search for mutants that trials kill, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....mutation.model import Mutant


@dataclass(frozen=True, slots=True)
class MutantSearchLimits:
    """The limits of a mutant search.

    Attributes:
        mutants: size of the sample; 0 disables the search.
        thorough: for how many of those several killing trials are searched, to choose among; the others are run with a
            third of the trials.
        pool: trials that may run on mutants, without the generated ones.
        pool_lines: lines of the target that the trials added at one time may run.
        alike: how many trials of the pool may share subject and arcs.
        runs: trials run on mutants, in total.
        lines: lines of the target that the trials of one round may run on one mutant; the plainest few always run.
        rounds: for each round on the survivors: trials on each mutant, and how many of them must kill it.
        at_import: trials on each mutant of a line that runs at import, in each of these rounds and of the waves after
            them (the last number counts for all further ones). Such mutants are mostly killed by trials that are
            generated in the waves for one entry of a table.
        fresh: further trials generated for survivors, in each wave.
        fresh_lines: lines of the target that the trials of one wave may run, estimated from their origins.
    """

    mutants: int = 1200
    thorough: int = 600
    pool: int = 500
    pool_lines: int = 500_000
    alike: int = 6
    runs: int = 24_000
    lines: int = 12_000
    rounds: tuple[tuple[int, int], ...] = ((20, 2), (48, 1))
    at_import: tuple[int, ...] = (20, 0, 48, 40)
    fresh: tuple[int, ...] = (1600, 600)
    fresh_lines: int = 600_000


@dataclass(frozen=True, slots=True)
class Kills:
    """The result of a mutant search.

    Attributes:
        mutants: the mutants that were tried, each at its number.
        by_record: numbers of the mutants that a record's test would kill.
        survivors: numbers of the mutants that no trial kills.
    """

    mutants: tuple[Mutant, ...] = ()
    by_record: Mapping[int, frozenset[int]] = field(default_factory=dict)
    survivors: tuple[int, ...] = ()
    runs: int = 0


NO_KILLS = Kills()
