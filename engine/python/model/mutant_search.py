"""How far a hunt for mutants goes, and what it finds: plain data (B-11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....mutation.model import Mutant


@dataclass(frozen=True, slots=True)
class MutantSearchLimits:
    """How far a hunt goes.

    Attributes:
        mutants: size of the sample; 0 for no hunt.
        thorough: of those, for how many several trials that notice them are sought, to choose among; the others are
            run on a third as much.
        pool: trials that may run on mutants, without the further ones.
        pool_lines: lines of the target that the trials taken in at one time may run.
        alike: of those, how many may share subject and arcs.
        runs: trials run on mutants, in all.
        lines: lines of the target that the trials of one round may run on one mutant; the plainest few in any case.
        rounds: for each round on what still survives, trials on each mutant and how many of them must notice it.
        at_import: trials on each mutant of a line that runs at import, in each of these rounds and of the waves after
            them (the last counts for all further ones): what asks for the very entry of a table is made in the waves,
            and few others notice these.
        fresh: further trials made for survivors, in each of the waves in which they are made.
        fresh_lines: lines of the target that those of one wave may run, by what they are made from.
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
    """What a hunt found.

    Attributes:
        mutants: those that were tried, each at its number.
        by_record: numbers of the mutants that a record's test would notice.
        survivors: numbers of those that no trial notices.
    """

    mutants: tuple[Mutant, ...] = ()
    by_record: Mapping[int, frozenset[int]] = field(default_factory=dict)
    survivors: tuple[int, ...] = ()
    runs: int = 0


NO_KILLS = Kills()
