"""Says in words how what comes out of a test differs from what comes out of others: in size, in truth, which way."""

from __future__ import annotations

from collections.abc import Sequence

from ..source.outcome_words import direction_words, size_words
from ..source.titles import shared_words
from .acting_member import NamedTest
from .argument_words import TELLING

TRUTH = ("differs", "is_true", "is_false", "is_none", "is_empty")


def outcome_tells(outcome: str, condition: str, usual: str) -> bool:
    """Whether an outcome makes a name; what is passed tells more than that nothing comes out, or than a truth of which
    the usual rows show both."""
    told = "is_empty" if usual else ("is_empty", "is_true", "is_false")
    passed = condition.startswith((*TELLING, "with_", "without_"))
    return outcome.startswith((*TRUTH, "equals_")) and outcome != usual and not (passed and outcome.startswith(told))


def outcome_size(test: NamedTest) -> str:
    """Of what size the result of all rows is, in words; empty where they differ."""
    return shared_words(map(size_words, test.cases))


def size_of_outcome(test: NamedTest, usual: NamedTest) -> str:
    """Says how a result differs in size from the usual one: `with_several_results`, `with_single_result`, `is_zero`."""
    size, others = outcome_size(test), {size_words(case) for case in usual.cases}
    counted = any(others) or not size.startswith("with_")  # what has no items has neither one nor several
    return size if counted and size not in others else ""


def count_of_outcome(test: NamedTest, usual: NamedTest) -> str:
    """Says how many results there are, where all others of the member have more or fewer; that one is zero tells
    little."""
    size = "" if test.exception or not test.only_of_size else size_of_outcome(test, usual)
    return size if size.startswith("with_") or size == "is_empty" else ""


def direction_beside(test: NamedTest, others: Sequence[NamedTest]) -> str:
    """Which way a result points, as `in_the_past`, where those of other tests point elsewhere; empty without any."""
    ways = [direction_words(one.cases) for one in (test, *others)]
    return ways[0] if any(ways[1:]) and ways[0] not in ways[1:] else ""
