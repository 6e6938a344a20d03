"""Ids of the cases in a table: what the table is called, then what sets the row apart (B-04).

So the names of a test and its row tell the id, and the row need not repeat it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..judge.group import read_group
from ..model.spec_case import Case

_LONGEST = 110


def after_their_tables(cases: Sequence[Case]) -> dict[str, str]:
    """New ids by the old ones, for all cases; each stays the only one of its name."""
    used = {case.id for case in cases}
    found: dict[str, str] = {}
    for case in cases:
        name = _after_table(case, read_group(case.group).name) if case.group else case.id
        choice, number = name, 2
        while choice != case.id and choice in used:
            choice, number = f"{name}_{number}", number + 1
        used.add(choice)
        found[case.id] = choice
    return found


def renamed(cases: Sequence[Case], names: Mapping[str, str]) -> tuple[Case, ...]:
    """The cases with new ids."""
    return tuple(replace(case, id=names[case.id]) for case in cases)


def _after_table(case: Case, table: str) -> str:
    """`tc_sum_without_tax_of_5` for the row `tc_sum_of_5_without_tax` of the table `sum_without_tax`."""
    words, said = case.id.removeprefix("tc_").split("_"), table.split("_")
    common = 0
    while common < min(len(words), len(said)) and words[common] == said[common]:
        common += 1
    rest, more = words[common:], said[common:]
    if more and rest[-len(more) :] == more:
        rest = rest[: -len(more)]
    name = "_".join(("tc", *said, *rest))
    return name if rest and len(name) <= _LONGEST else case.id
