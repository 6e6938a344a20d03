"""Chooses the test of a member that bears its name alone; what sets the others apart is told beside it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from ....utils.python_source import parse_expression
from ..source.titles import snake_case
from .acting_member import NamedTest, shared_outcome
from .outcome_words import COMPARING
from .situation import LATER, RECEIVER


def usual_test(subject: str, returning: Sequence[NamedTest]) -> NamedTest:
    """The first test without options, where others pass some, and a documented one before its like.

    What half of the tests of a member make their object with counts for no option.
    """
    passed = Counter(name for test in returning for name in _options(test) if name.startswith(f"{RECEIVER}."))
    common = {name for name, count in passed.items() if count >= len(returning) / 2}
    again = snake_case(subject.rpartition(".")[2])
    return min(
        returning,
        key=lambda test: (
            LATER in (done := test.situation.before),
            subject.endswith(COMPARING) and shared_outcome(test) == "is_false",
            is_beside_other_type(subject, test),
            _is_given_nothing(test),
            bool(options := _options(test) - common),
            not test.cases[0].documented,
            len(options),
            again in done,
            bool(test.situation.derived),
        ),
    )


def is_beside_other_type(subject: str, test: NamedTest) -> bool:
    """Whether an object is found unequal to a plain number or text."""
    unequal = {"__eq__": "is_false", "__ne__": "is_true"}.get(subject.rpartition(".")[2], "no")
    acts = [parse_expression(case.expression) for case in test.cases]
    return shared_outcome(test) == unequal and all(
        isinstance(act, ast.Compare) and isinstance(act.comparators[0], ast.Constant) for act in acts
    )


def what_is_shown(test: NamedTest) -> tuple[object, ...]:
    """What a test passes and expects, however it is written: equal for a documented example and its generated twin."""
    one = test.situation
    passed = sorted((name, ast.dump(node)) for name, node in one.arguments.items())
    wanted = [(demand.exception, demand.value or demand.actual) for case in test.cases for demand in case.expect[:1]]
    return (passed, sorted(one.varying), one.before, wanted)


def _is_given_nothing(test: NamedTest) -> bool:
    """Whether a test passes nothing to what takes any number of arguments."""
    node = test.situation.arguments.get(test.situation.spread)
    return isinstance(node, ast.Tuple) and not node.elts


def _options(test: NamedTest) -> set[str]:
    """The options that a test passes: arguments that have a default, of the call and of the receiver."""
    required = {one.name for one in test.facts.parameters if one.required} if test.facts is not None else set[str]()
    given = (*test.situation.arguments, *test.situation.varying)
    options = {name for name in given if "." in name and name != test.situation.content}
    if test.facts is not None and test.facts.kind != "constructor":
        known = {one.name for one in test.facts.parameters if one.kind != "var_positional"} - required
        options |= {name for name in given if name in known}
    return options
