"""What kept tests never ran is told by what the code asked."""

from __future__ import annotations

import pytest

from testwright.gate.evidence.uncovered_branches import uncovered_branches
from testwright.gate.model.coverage_data import FileCoverage

SOURCE = """\
def price(amount, member):
    if amount < 0:
        raise ValueError("negative")
    total = 0
    for step in range(amount):
        total += step
    while member and total > 10:
        total -= 1
    try:
        total = int(total)
    except (TypeError, OverflowError):
        total = 0
    return total


def _old(amount):
    return amount * 2


def _looked_up(amount):
    return amount * 3


class Till:
    def close(self):
        def counted():
            return 1

        return counted()


NAMES = ["_looked_up"]
"""


def ran(source: str, executed: set[int], branches: set[tuple[int, int]], taken: set[tuple[int, int]]) -> FileCoverage:
    statements = {number for number, line in enumerate(source.splitlines(), 1) if line.strip()} - {9}
    return FileCoverage(frozenset(statements), frozenset(executed), frozenset(branches), frozenset(taken))


def reasons(coverage: FileCoverage, source: str = SOURCE) -> dict[tuple[str, int], str]:
    return {(branch.subject, branch.line): branch.reason for branch in uncovered_branches(coverage, source)}


IMPORTED = {1, 16, 20, 24, 25, 32}
BODY = {2, 4, 5, 6, 7, 9, 10, 13}
BRANCHES = {(2, 3), (2, 4), (5, 6), (5, 7), (7, 8), (7, 9)}


@pytest.mark.feature("B-06")
class TestWhatNeverHappened:
    def test_a_condition_is_told_with_the_way_it_never_came_out(self) -> None:
        found = reasons(ran(SOURCE, IMPORTED | BODY, BRANCHES, {(2, 4), (5, 6), (5, 7), (7, 9)}))
        assert found["price", 2] == "`amount < 0` was never true"
        assert found["price", 7] == "`member and total > 10` was never true"

    def test_a_loop_is_told_that_had_no_item_or_never_ended(self) -> None:
        without_items = ran(SOURCE, IMPORTED | BODY - {6}, BRANCHES, BRANCHES - {(5, 6)})
        assert reasons(without_items)["price", 5] == "the loop over `range(amount)` never had an item"
        without_end = ran(SOURCE, IMPORTED | BODY, BRANCHES, BRANCHES - {(5, 7)})
        assert reasons(without_end)["price", 5] == "the loop over `range(amount)` never came to its end"

    def test_an_exception_that_nothing_raised_is_named(self) -> None:
        found = reasons(ran(SOURCE, IMPORTED | BODY, BRANCHES, BRANCHES))
        assert found["price", 11] == "nothing raised `(TypeError, OverflowError)` where it is caught"

    def test_a_private_function_that_nothing_names_looks_dead(self) -> None:
        found = reasons(ran(SOURCE, IMPORTED | BODY, BRANCHES, BRANCHES))
        assert found["_old", 16] == "looks dead: it is private, and nothing in its file uses it"
        assert found["_looked_up", 20] == "never ran: no test reached a call of it"

    def test_a_function_that_never_ran_is_told_once_with_all_that_is_in_it(self) -> None:
        found = reasons(ran(SOURCE, IMPORTED, BRANCHES, set()))
        assert found["price", 1] == "never ran"
        assert found["Till.close", 25] == "never ran"
        assert not [line for subject, line in found if subject in ("price", "Till.close.counted") and line != 1]

    def test_what_all_ran_leaves_nothing_to_tell(self) -> None:
        everything = set(range(1, 33))
        assert reasons(ran(SOURCE, everything, BRANCHES, BRANCHES)) == {}

    def test_a_pattern_that_never_matched_is_named(self) -> None:
        cases = "        case int():\n            return 1\n        case _:\n            return 2\n"
        source = f"def kind(x):\n    match x:\n{cases}"
        seen = FileCoverage(
            frozenset({1, 2, 3, 4, 5, 6}), frozenset({1, 2, 3, 6}), frozenset({(3, 4), (3, 5)}), frozenset({(3, 5)})
        )
        assert reasons(seen, source) == {("kind", 3): "`case int()` never matched"}

    def test_a_long_list_ends_with_how_many_more_there_are(self) -> None:
        source = "".join(f"def f{number}():\n    return 1\n\n\n" for number in range(9))
        lines = frozenset(number for number, line in enumerate(source.splitlines(), 1) if line)
        found = uncovered_branches(FileCoverage(lines), source, most=5)
        assert len(found) == 5
        assert found[-1].reason == "5 more, from this line on"
