"""Chooses the test of a member that bears its name alone, and finds what sets a further one apart from its siblings."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ....utils.names.case_names import snake_case
from ....utils.python_source import parse_expression
from ..source.outcome_words import COMPARING
from ..source.titles import subject_call
from .acting_member import NamedTest, shared_outcome
from .argument_words import added_words, noun_of
from .conditions import UNTOLD, differences
from .situation import CONTENT, LATER, RECEIVER
from .value_features import feature_beside, features, with_feature

Accepted = Mapping[str, Sequence[ast.expr]]
"""The values of each parameter with which calls of a module return."""
_MOST_TOGETHER = 2
_OPTIONS = ("with_", "without_")
# A name that says something: of four letters and more, and not what anything may be called.
_TOLD = re.compile(
    r"(?!(?:data|value|values|item|items|list|text|result|other|first|second|expected"
    r"|given|target|source|object|input)\b)[a-z_]{4,24}"
)
_CLASS = re.compile(r"[A-Z][A-Za-z]*[a-z][A-Za-z]*")
# A feature that tells a refused value from accepted ones; of what size it is tells nothing.
_OF_REFUSED = frozenset(
    "zero negative fractional empty blank non_ascii numeric with_none with_negative_numbers with_empty_items "
    "with_duplicates of_mixed_types".split()
)


def rare_first(conditions: Sequence[str], common: Mapping[str, int]) -> list[str]:
    """Conditions with the options among them in the order in which fewer tests of the member pass them.

    Args:
        common: how many tests pass each parameter.
    """

    def passing(words: str) -> int:
        named = (count for name, count in common.items() if words.endswith(f"_{snake_case(name.rpartition('.')[2])}"))
        return max(named, default=0)

    options = sorted((words for words in conditions if words.startswith("with_")), key=passing)
    return [options.pop(0) if words.startswith("with_") else words for words in conditions]


def accepted_values(tests: Iterable[NamedTest]) -> dict[str, list[ast.expr]]:
    """The values of each parameter in tests that return."""
    found: dict[str, list[ast.expr]] = {}
    for test in tests:
        if not test.exception:
            for name, node in test.situation.arguments.items():
                found.setdefault(name, []).append(node)
            for name, nodes in test.situation.rows.items():
                found.setdefault(name, []).extend(nodes)
    return found


def causes(test: NamedTest, conditions: Sequence[str], tests: Sequence[NamedTest], accepted: Accepted) -> list[str]:
    """What may make a refused call fail, of what sets it apart.

    A trait that accepted values have as well is no cause, and gives way to one that they have not. Nor is an option or
    a step beside anything else that differs from each call that returns: which of them is the cause nobody can say.
    """
    if _is_operand_of_other_type(test):
        return ["other_type"]
    found = [_true_trait(test, words, accepted) for words in conditions]
    beside = [differences(test.situation, one.situation, test.facts) for one in tests if not one.exception]
    sole = {words[0] for words in beside if len(words) == 1}
    return [words for words in found if words and (words in sole or not words.startswith(("with_", "after_")))]


def refusal_conditions(
    test: NamedTest, conditions: Sequence[str], plain: NamedTest, tests: Sequence[NamedTest], accepted: Accepted
) -> list[str]:
    """What may make a refused call fail; first the only option by which it differs from the refusal that is named
    plainly: no cause, but what sets the two apart.

    Args:
        plain: the first refusal with the same exception.
    """
    found = causes(test, conditions, tests, accepted)
    apart = differences(test.situation, plain.situation, test.facts) if test is not plain else []
    option = [words for words in apart if len(apart) == 1 and words.startswith("with_")]
    return [*option, *(words for words in found if words not in option)]


def naming_order(usual: NamedTest, tests: Sequence[NamedTest]) -> list[NamedTest]:
    """The tests of a member in the order in which they take their names.

    The usual one is first. One that passes a single option bears its name, not one that passes others beside it; and
    a call of what a function made tells more of a refusal than one that leaves it at that.
    """

    def passed(test: NamedTest) -> int:
        if test.exception:
            return 0
        return sum(one.startswith(_OPTIONS) for one in differences(test.situation, usual.situation, test.facts))

    others = [one for one in tests if one is not usual]
    return [usual, *sorted(others, key=lambda one: (_stops_short(one), passed(one)))]


def _stops_short(test: NamedTest) -> bool:
    """Whether a refusal of a function is of a call without arguments whose result is not called."""
    act = test.act
    is_bare = isinstance(act, ast.Call) and not (act.args or act.keywords) and isinstance(act.func, ast.Name)
    return bool(test.exception) and is_bare and test.facts is not None and test.facts.owner is None


def _is_operand_of_other_type(test: NamedTest) -> bool:
    """Whether an object is refused an operand that is a plain literal."""
    act = test.act
    operands = [*act.comparators] if isinstance(act, ast.Compare) else [act.right] if isinstance(act, ast.BinOp) else []
    literal = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set
    made = test.facts is not None and test.facts.owner is not None and test.facts.name.startswith("__")
    return test.exception == "TypeError" and made and any(isinstance(one, literal) for one in operands)


def _true_trait(test: NamedTest, words: str, accepted: Accepted) -> str:
    """Words for a refused value; where accepted ones of its parameter have the trait that they name, for another."""
    for name, node in test.situation.arguments.items():
        noun = noun_of(name, node)
        trait = next((one for one in features(node) if one in _OF_REFUSED and words == with_feature(one, noun)), "")
        known = [one for one in accepted.get(name, ()) if one is not node]
        if trait and any(trait in features(one) for one in known):
            other = feature_beside(node, known)
            return with_feature(other, noun) if other in _OF_REFUSED else ""
    return words


def beside_siblings(
    test: NamedTest, chosen: Sequence[str], conditions: Sequence[str], named: Sequence[NamedTest]
) -> list[list[str]] | None:
    """Conditions that tell a test from siblings that share the chosen ones; None where no sibling shares them.

    Args:
        conditions: what sets the test apart from the usual one, the chosen ones included.
        named: the tests of the member that have their names.
    """
    sibling = next((one for one in named if not one.exception and _is_told_by(one, chosen)), None)
    if sibling is None:
        return None
    own = [words for words in conditions if words not in sibling.conditions]
    found: list[list[str]] = []
    for words in dict.fromkeys((*own, *differences(test.situation, sibling.situation, test.facts))):
        again = words.startswith("after_") and any(one.startswith("after_") for one in chosen)
        if words.startswith((*UNTOLD, "without_")) or words in chosen or again:
            continue
        option = chosen[0].removeprefix("with_")
        if len(chosen) == 1 and option != chosen[0] and f"_{option}_" in f"_{words.removeprefix('with_')}_":
            found.append([f"with_{words.removeprefix('with_')}"])
        elif len(chosen) < _MOST_TOGETHER:
            found.append([*chosen, words])
    return found


def _is_told_by(test: NamedTest, chosen: Sequence[str]) -> bool:
    """Whether conditions hold for a test that has its name, and the name tells no further one."""
    told = {words for words in test.conditions if words.removeprefix("with_") in test.name}
    return told <= set(chosen) <= set(test.conditions)


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
            _stops_short(test),
            _is_given_nothing(test),
            bool(options := _options(test) - common),
            not test.cases[0].documented,
            len(options),
            again in done,
            bool(test.situation.derived),
        ),
    )


def told_by_variables(test: NamedTest, usual: NamedTest) -> str:
    """The names that a document gives to arguments, where the usual test has others: `new_year`; empty for others."""
    if not test.cases[0].documented or len(test.cases) > 1 or test.facts is None:
        return ""
    known = {one.name for one in test.facts.parameters} | {snake_case(test.facts.owner or "")}
    names = [_variables_passed(one) for one in (test, usual)]
    own = [name for name in names[0] if name not in names[1] and name not in known and _TOLD.fullmatch(name)]
    return own[0] if len(own) == 1 and snake_case(own[0]) == own[0] else ""


def told_by_parts(test: NamedTest, siblings: Sequence[NamedTest]) -> str:
    """What is named as classes are in a documented test, and in no other test of the member: `regex`.

    Empty where the conditions of a test tell it from its siblings, which are named before it.
    """
    if test.exception or not test.cases[0].documented or len(test.cases) > 1 or test.facts is None:
        return ""
    telling = {words for words in test.conditions if not words.startswith(UNTOLD)}
    if telling and all(set(one.conditions) != set(test.conditions) for one in siblings):
        return ""
    owner = test.facts.owner or ""
    parts = [name for name in sorted(test.own_names) if _CLASS.fullmatch(name) and name != owner]
    words = [snake_case(name) for name in parts]
    return "_and_".join(words) if 0 < len(words) <= _MOST_TOGETHER else ""


def kinds_beside(test: NamedTest, usual: NamedTest) -> list[str]:
    """The kinds of containers that the act of a test has and that of the usual one has not: `list`."""
    mine, others = ({type(node) for node in ast.walk(one.act)} for one in (test, usual))
    return [kind.__name__.lower() for kind in (ast.List, ast.Dict, ast.Set, ast.Tuple) if kind in mine - others]


def options_of_arguments(test: NamedTest, usual: NamedTest) -> list[str]:
    """Describes the keywords by which arguments of the act are made, as `part` of `found(items, Limit(3, part=[1]))`,
    that the usual test has not."""
    mine, others = (
        {word.arg: word.value for part in ast.walk(one.act) if isinstance(part, ast.Call) for word in part.keywords}
        for one in (test, usual)
    )
    own = {word.arg for word in test.act.keywords} if isinstance(test.act, ast.Call) else set[str | None]()
    return [
        added_words(name, value, choice=False)
        for name, value in mine.items()
        if name is not None and name not in others and name not in own
    ]


def _variables_passed(test: NamedTest) -> list[str]:
    call = subject_call(test.act, test.facts.name if test.facts is not None else "")
    return [one.id for one in (call.args if call is not None else ()) if isinstance(one, ast.Name)]


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
    """Whether a test passes nothing to what takes any number of arguments, or to what makes something of some."""
    node = test.situation.arguments.get(test.situation.spread)
    left_out = _made_of(test).isdisjoint((*test.situation.arguments, *test.situation.varying))
    return (isinstance(node, ast.Tuple) and not node.elts) or (bool(_made_of(test)) and left_out)


def _made_of(test: NamedTest) -> set[str]:
    """The parameter of a function that takes what it makes something of, where that may be left out."""
    first = test.facts.parameters[:1] if test.facts is not None and test.facts.owner is None else ()
    return {one.name for one in first if one.kind == "positional_or_keyword" and not one.required} & CONTENT


def _options(test: NamedTest) -> set[str]:
    """The options that a test passes: arguments that have a default, of the call and of the receiver."""
    # What a function makes something of is no option, though it may be left out.
    parameters = test.facts.parameters if test.facts is not None else ()
    required = {one.name for one in parameters if one.required} | _made_of(test)
    given = (*test.situation.arguments, *test.situation.varying)
    options = {name for name in given if "." in name and name != test.situation.content}
    if test.facts is not None and test.facts.kind != "constructor":
        known = {one.name for one in test.facts.parameters if one.kind != "var_positional"} - required
        options |= {name for name in given if name in known}
    return options
