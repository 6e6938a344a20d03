"""Defines the conditions under which a kept test must pass: what the repeats vary, and what a failure under it means.

A repeat varies several things at once, so that good files cost few processes. Only when a test fails is each thing
varied by itself, and the ones that make it fail are named.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .options import SHIFTED_CLOCK, SHIFTED_ZONE, SuiteOptions


@dataclass(frozen=True, slots=True)
class RunCondition:
    """One thing that a repeat varies.

    Attributes:
        name: under which it stands in reports.
        title: what is different, for people.
        cause: what a test that fails under it depends on; follows "it depends on".
        change: options of the run, by name.
        early, late: whether it is part of the repeats between the first and the last, and of the last.
        excuses_import: whether a file that cannot be loaded under it is no fault of its tests, because the project
            itself does not bear it.
    """

    name: str
    title: str
    cause: str
    change: tuple[tuple[str, Any], ...]
    early: bool = False
    late: bool = False
    excuses_import: bool = False

    def applied(self, options: SuiteOptions) -> SuiteOptions:
        """The options of a run under this condition."""
        return replace(options, **dict(self.change))


CLOCK = "clock"
RUNNING_CLOCK = "running_clock"
CONDITIONS: tuple[RunCondition, ...] = (
    RunCondition(
        "hash_seed",
        "another hash seed",
        "the order of sets or hashes, which differs from process to process",
        (("hash_seed", 1),),
        early=True,
        late=True,
    ),
    RunCondition(
        "working_directory",
        "another working directory",
        "the current working directory",
        (("elsewhere", True),),
        early=True,
    ),
    RunCondition(
        "locale",
        "a locale with a decimal comma",
        "the locale: how numbers, dates or money are written, or the language of messages",
        (("decimal_comma", True),),
        early=True,
    ),
    RunCondition(
        "encoding",
        "a locale whose encoding is not UTF-8",
        "the encoding of the locale: text is read or written without naming one",
        (("plain_ascii", True),),
        early=True,
        late=True,
    ),
    RunCondition("time_zone", "another time zone", "the time zone", (("time_zone", SHIFTED_ZONE),), late=True),
    RunCondition(
        CLOCK,
        "another day",
        "the date or time at which it runs",
        (("clock_shift", SHIFTED_CLOCK),),
        early=True,
        late=True,
    ),
    RunCondition(
        RUNNING_CLOCK,
        "a second from one look at a clock to the next, at midnight",
        "how much time passes while it runs: it fails after a pause, or with midnight in the middle of it",
        (("clock_runs", True),),
        early=True,
    ),
    RunCondition(
        "home",
        "another home folder",
        "the home folder: what lies there, or its path",
        (("home", "other"),),
        early=True,
        excuses_import=True,
    ),
    RunCondition(
        "read_only_home",
        "a home folder that cannot be written",
        "a home folder that can be written",
        (("home", "read_only"),),
        late=True,
        excuses_import=True,
    ),
    RunCondition(
        "xdg",
        "other XDG folders",
        "where the XDG folders are",
        (("xdg", True),),
        early=True,
        excuses_import=True,
    ),
    RunCondition(
        "user",
        "another user name",
        "the name of the user who runs it",
        (("user", True),),
        early=True,
        excuses_import=True,
    ),
    RunCondition(
        "nonsense_variables",
        "environment variables that hold nonsense",
        "environment variables that it does not set itself",
        (("nonsense", True),),
        early=True,
        excuses_import=True,
    ),
    RunCondition(
        "no_terminal",
        "no terminal: standard input closed, 37 columns",
        "the terminal: its width, or standard input",
        (("no_terminal", True),),
        early=True,
        excuses_import=True,
    ),
    RunCondition(
        "warnings",
        "warnings are errors (`-W error`)",
        "warnings being ignored: the code under test warns",
        (("warnings_fail", True),),
        late=True,
    ),
)
AGAIN = "again"
ORDER = "order"
TOGETHER = "combination"
BESIDE = "beside_itself"
TITLES = {
    AGAIN: "a second time",
    ORDER: "shuffled and reversed order",
    **{condition.name: condition.title for condition in CONDITIONS},
    BESIDE: "in parallel with itself",
    TOGETHER: "several of these at once",
}
"""Every name that a report may use for what made a test fail, with its title."""


def conditions_of(number: int, repeats: int, without: Collection[str] = ()) -> tuple[RunCondition, ...]:
    """What one of some repeats varies besides the order, counted from 1: nothing in the first of several.

    Args:
        without: names of conditions to leave out.
    """
    if number == repeats:
        chosen = [condition for condition in CONDITIONS if condition.late or (condition.early and repeats <= 2)]
    else:
        chosen = [] if number == 1 else [condition for condition in CONDITIONS if condition.early]
    return tuple(condition for condition in chosen if condition.name not in without)


def under(options: SuiteOptions, conditions: Sequence[RunCondition]) -> SuiteOptions:
    """The options of a run under several conditions."""
    for condition in conditions:
        options = condition.applied(options)
    return options


def conditions_to_blame(failing: Sequence[RunCondition]) -> list[RunCondition]:
    """Those of the conditions under which a test fails that say why: a clock that runs is on another day, too."""
    names = {one.name for one in failing}
    return [one for one in failing if one.name != RUNNING_CLOCK or CLOCK not in names]


def dependence(conditions: Sequence[RunCondition]) -> str:
    """What a test that fails under each of these depends on, one sentence."""
    return "it depends on " + ", and on ".join(condition.cause for condition in conditions)
