"""Names tests by member, condition and outcome; the condition is what differs from the member's first test.

The first test of a member bears its name alone. A further one says what sets it apart: an argument that is negative,
empty, longer or left out, what was done to the object before, the exception. Rows of a table are named by their values.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from ....utils.names.case_names import snake_case
from ....utils.python_names import names_of, unique_name
from ..facts.lineage import with_inherited
from ..facts.optional_imports import missing_import_slug
from ..model.model import CallableFacts, ModuleFacts
from ..model.spec_case import Case
from ..source.documents import Documents
from ..source.message_words import message_words
from ..source.outcome_words import COMPARING
from ..source.passages import passage_words
from ..source.titles import arguments_of, cut_slug, describe, has_digit, shared_words, subject_slug
from .acting_member import (
    NamedTest,
    acting_member,
    attribute_read,
    named_once,
    names_used,
    outer_call,
    repeated_call,
    shared_outcome,
    told_behind,
    uses_of_result,
)
from .argument_words import TELLING
from .conditions import UNTOLD, VAGUE, differences, empty_arguments
from .rows.named_rows import named_rows
from .rows.row_words import is_filler
from .scenario_words import restored_words, scenario_words
from .situation import situation_of
from .told_outcomes import TRUTH, count_of_outcome, direction_beside, outcome_size, outcome_tells, size_of_outcome
from .usual_test import (
    Accepted,
    accepted_values,
    beside_siblings,
    is_beside_other_type,
    kinds_beside,
    naming_order,
    options_of_arguments,
    rare_first,
    refusal_conditions,
    told_by_parts,
    told_by_variables,
    usual_test,
    what_is_shown,
)

LONGEST_NAME = 66
_MOST_CONDITIONS = 2
# Conditions that need no preposition.
_STANDING = ("saying_", "after_", "before_", "without_", "in_the_", "on_", "at_", "when_", "made_by_")
# Conditions that need no option beside them.
_SAYING_ALL = (*TELLING, "with_", "without_", "when_", "after_")
_OF_LOOKING_UP = ("KeyError", "IndexError")


def name_tests(
    cases: Sequence[Case],
    facts: ModuleFacts,
    vague: set[str] | None = None,
    documents: Documents = MappingProxyType({}),
    told: dict[str, str] | None = None,
) -> dict[str, Case]:
    """Returns the cases with new ids and groups by their former ids; ids are distinct.

    Args:
        documents: the files that document cases: tests are named by what these say.
        vague: receives the former ids of the cases for which nobody can say what sets them apart from others: only a
            number, the size of a value or the words of a literal does.
        told: receives what the names say behind the member's own words, by former id.
    """
    callables = with_inherited(facts)
    constructors = {owner.name: owner.constructor for owner in facts.classes}
    tests: dict[str, list[NamedTest]] = {}
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        found.setdefault((case.subject, case.group or f" {case.id}"), []).append(case)
    for members in found.values():
        subject = callables.get(members[0].subject)
        shown = shared_words(passage_words(case, documents) for case in members)
        test = NamedTest(members, subject, situation_of(members, subject, constructors), shown=shown)
        tests.setdefault(members[0].subject, []).append(test)
    used: dict[str, str] = {}
    accepted = accepted_values(chain.from_iterable(tests.values()))
    for subject, own in tests.items():
        _name_all(subject, own, used, accepted, callables)
    named: dict[str, Case] = {}
    ids = {f"tc_{test.name}" for own in tests.values() for test in own if not test.cases[0].group}
    for own in tests.values():
        for test in own:
            named.update(named_rows(test, ids, documents))
            if vague is not None and test.vague:
                vague.update(case.id for case in test.cases)
            if told is not None:
                told.update((case.id, test.told) for case in test.cases)
    return named


def _name_all(
    subject: str, tests: Sequence[NamedTest], used: dict[str, str], accepted: Accepted, known: Container[str]
) -> None:
    """Names the tests of one member: the first that returns is what others are compared with.

    Args:
        used: the subjects of the tests that have a name, by these names.
        accepted: the values with which calls of the module return.
        known: the qualified names of all callables, whether they have tests or not.
    """
    base = subject_slug(subject) or "it"
    owner, _, member = subject.rpartition(".")
    if subject.endswith("__") and (base in used or f"{owner}.{member.strip('_')}" in known):
        base = f"{base}_operator"  # `__add__` beside `add`
    if tests[0].facts is not None and tests[0].facts.kind == "constructor":
        base = f"{base}_construction"
    returning = [test for test in tests if not test.exception] or list(tests)
    usual = usual_test(subject, returning)
    opposite = {"is_true", "is_false"} <= {shared_outcome(test) for test in returning}
    shown = [what_is_shown(test) for test in tests if test.cases[0].documented]
    usual_member = acting_member(subject, base, usual)
    told: set[str] = set()
    sizes = Counter(outcome_size(one) for one in returning)
    plain: dict[str, NamedTest] = {}  # by exception, the refusal named first: further ones say how they differ from it
    siblings: list[NamedTest] = []
    common = Counter(name for one in returning for name in {*one.situation.arguments, *one.situation.varying})
    used_by = [names_used(one) for one in tests]
    counted = Counter(chain.from_iterable(used_by))
    for test, names in zip(tests, used_by, strict=True):
        test.own_names = frozenset(name for name in names if counted[name] == 1)
        test.alike = tuple(one for one in tests if test.shown and one is not test and one.shown == test.shown)
    for test in naming_order(usual, tests):
        own = acting = usual_member if test is usual else acting_member(subject, base, test)
        denied = subject.endswith(COMPARING) or (opposite and test is usual)
        if denied and not attribute_read(test) and shared_outcome(test) == "is_false":
            own = f"{own}_is_false"  # the plain name would promise what its sibling shows
        own = f"{own}_for_other_type" if is_beside_other_type(subject, test) else own
        first = plain.setdefault(test.exception, test)
        doubtful = rare_first(_conditions(test, usual, first, told), common)
        test.conditions = refusal_conditions(test, doubtful, first, tests, accepted) if test.exception else doubtful
        told.update(test.conditions if not test.exception else ())
        alone = [own] if own != usual_member and test is not usual and not test.exception else []
        test.only_of_size = sizes[outcome_size(test)] == 1
        candidates = (*alone, *_candidates(own, test, usual, first, siblings))
        siblings.append(test)
        # A method that is called as its class is named once: its test tells the case as `TestLower.test_lower`.
        # A name that is cut tells less than a further one that is whole.
        whole_first = sorted(map(named_once, candidates), key=lambda one: len(one) > LONGEST_NAME)
        telling = (cut_slug(one, LONGEST_NAME) for one in whole_first)
        others = (cut_slug(named_once(one), LONGEST_NAME) for one in _vague_names(own, test, usual, doubtful))
        name = _free_name(telling, subject, used)
        test.name = name or next((one for one in others if one not in used), "") or unique_name(base, used)
        documented = bool(test.cases[0].documented)
        test.vague = (not documented and what_is_shown(test) in shown) or (
            not name and not (documented and _is_told_by_doubt(test, doubtful))
        )
        used[test.name] = subject
        test.told = told_behind(subject, acting, test)


def _free_name(names: Iterator[str], subject: str, used: Mapping[str, str]) -> str:
    """The first name that no test has; one that a test of another subject has tells this one by its class."""
    owner = snake_case(subject.rpartition(".")[0].rpartition(".")[2])
    for name in names:
        if name not in used:
            return name
        own = f"{name}_of_{owner}" if owner else f"{name}_function"
        if used[name] != subject and own not in used:
            return own
    return ""


def _candidates(
    base: str,
    test: NamedTest,
    usual: NamedTest,
    plain: NamedTest,
    siblings: Sequence[NamedTest],
) -> Iterator[str]:
    """Generates names, the shortest first; each longer one is for the case that the shorter ones are taken.

    Args:
        plain: the first refusal with the same exception.
        siblings: the tests before it.
    """
    conditions = test.conditions
    missing = missing_import_slug(test.cases[0].statements)
    if missing:
        yield f"{base}_{missing}"
    if test.exception:
        base = f"{base}_raises_{snake_case(test.exception)}"
        yield from _of_refusal(base, test, plain)
    outcome = shared_outcome(test)
    outcome = "" if outcome and f"_{outcome}" in base else outcome
    yield from _of_scenario(base, test, usual)
    if test is usual and (emptiness := empty_arguments(test.situation)):
        yield f"{base}_{_joined([emptiness])}"
    if test is usual or not conditions:
        yield base
    elif outcome_tells(outcome, conditions[0], shared_outcome(usual)):
        yield f"{base}_{outcome}"
    telling = [words for words in conditions if not words.startswith(UNTOLD)]
    if test is not usual and not test.exception:
        yield from _of_document(base, test, usual, telling, siblings)
    if not telling and not test.exception:
        yield from _with_words(f"{base}_for", told_by_variables(test, usual))
    if test is not usual and conditions and conditions[0].startswith(VAGUE):
        # What comes out tells more than that something else goes in.
        yield from _with_words(base, count_of_outcome(test, usual))
    yield from _with_words(f"{base}_with", told_by_parts(test, siblings))
    yield from _apart(base, test, siblings)
    if outcome not in TRUTH or outcome != shared_outcome(usual):
        yield from _with_words(base, outcome)  # what the plainly named test finds true as well tells nothing
    if outcome:
        yield from (f"{base}_{_joined([words])}_{outcome}" for words in telling)
    yield base
    yield from _with_words(base, count_of_outcome(test, usual))
    if telling:
        yield from _with_words(f"{base}_{_joined(telling[:1])}", _by_name(test))
    yield from _with_words(base, outer_call(test))
    yield from _of_use(base, test, usual)
    yield from _with_words(f"{base}_for", "" if test.exception else told_by_variables(test, usual))


def _of_scenario(base: str, test: NamedTest, usual: NamedTest) -> Iterator[str]:
    """Generates names by what a test does in several steps."""
    for words in scenario_words(test.cases):
        linked = words.startswith("links_")  # the objects are constructed to be linked
        yield f"{base.removesuffix('_construction') if linked else base}_{words}"
    yield from _with_words(base, restored_words(test.cases))
    if test is usual:
        return
    again = repeated_call(test)
    yield from _with_words(base, again)
    yield from (
        f"{base}_{_joined([words])}_{again}" for words in test.conditions if again and not words.startswith(UNTOLD)
    )
    # What is passed tells more than what is done with what comes of it.
    if all(words.startswith(VAGUE) for words in test.conditions):
        yield from _of_use(base, test, usual)


def _of_use(base: str, test: NamedTest, usual: NamedTest) -> Iterator[str]:
    """Generates names by what a test does with what its subject made."""
    usual_uses = uses_of_result(usual)
    uses = (use for use in uses_of_result(test) if use not in usual_uses)
    yield from (f"{base.removesuffix('_construction')}_{use}" for use in uses)


def _of_refusal(base: str, test: NamedTest, plain: NamedTest) -> Iterator[str]:
    """Generates names of a test that expects an exception, which `base` names."""
    conditions = test.conditions
    # That a key is missing says the exception itself.
    clear = ("when_",) if test.exception in _OF_LOOKING_UP else (*TELLING, "when_", "fractional_", "other_type")
    yield from (f"{base}_{_joined([words])}" for words in conditions[:1] if words.startswith(clear))
    yield base
    # An argument, or a step, that sets the call apart tells more than a message that others have, too.
    telling = ("negative_", "zero_", "with_"), ("after_",)
    apart = [words for kinds in telling for words in conditions if words.startswith(kinds)]
    yield from (f"{base}_{_joined([words])}" for words in apart)
    # A phrase that is cut would say something else: one that does not fit is left out.
    phrase = _said(test, plain)
    yield from (one for one in _with_words(base, _joined([phrase]) if phrase else "") if len(one) <= LONGEST_NAME)


def _apart(base: str, test: NamedTest, siblings: Sequence[NamedTest]) -> Iterator[str]:
    """Generates names by conditions; those that hold for a sibling as well, whose name tells no more, come last."""
    conditions = test.conditions
    telling = [words for words in conditions if not words.startswith(UNTOLD)]
    options = [words for words in telling if words.startswith("with_")]
    if options and not telling[0].startswith(_SAYING_ALL):
        yield f"{base}_{_joined([options[0], telling[0]])}"  # what the value is like depends on the option
    shared: list[str] = []
    for count in range(1, min(_MOST_CONDITIONS, len(telling)) + 1):
        apart = beside_siblings(test, conditions[:count], telling, siblings)
        name = f"{base}_{_joined(conditions[:count])}"
        shared += [name] if apart is not None else []
        if apart is not None:
            yield from _with_words(name, direction_beside(test, [one for one in siblings if not one.exception]))
        yield from [name] if apart is None else (f"{base}_{_joined(words)}" for words in apart)
    yield from (f"{base}_{_joined([words])}" for words in telling[1:])
    yield from shared


def _of_document(
    base: str, test: NamedTest, usual: NamedTest, telling: Sequence[str], siblings: Sequence[NamedTest]
) -> Iterator[str]:
    """Generates names by what a document says that a test shows, where no option and no edge sets it apart."""
    clear = bool(telling) and telling[0].startswith(_SAYING_ALL)
    if not test.shown or test.shown == usual.shown:
        return
    if clear and beside_siblings(test, telling[:1], telling, siblings) is None:
        return
    if not test.alike:
        yield f"{base}_{test.shown}"
    shared = {words for one in test.alike for words in differences(one.situation, usual.situation, test.facts)}
    options = [words for words in telling if words.startswith(("with_", "without_")) and words not in shared]
    yield from (f"{base}_{_joined([words])}_{test.shown}" for words in options)


def _vague_names(base: str, test: NamedTest, usual: NamedTest, conditions: Sequence[str]) -> Iterator[str]:
    """Generates names of a test that no word for a difference tells apart: by the size of a value, by its words."""
    base = f"{base}_raises_{snake_case(test.exception)}" if test.exception else base
    if test.exception:
        yield from (f"{base}_{_joined([words])}" for words in conditions if not words.startswith(UNTOLD))
    conditions = [words for words in conditions if words.startswith(UNTOLD)]
    yield from _with_words(base, "" if test.exception else size_of_outcome(test, usual))
    yield from (f"{base}_{_joined([words])}" for words in conditions if not words.startswith("other_"))
    if len(test.cases) == 1:  # those of one row are no name for a table
        yield from _with_words(f"{base}_for", _value_words(test.cases[0], test.facts))
    yield from (f"{base}_{_joined([words])}" for words in conditions if words.startswith("other_"))
    if test.cases[0].documented:
        yield from (f"{base}_{_joined([words])}" for words in options_of_arguments(test, usual))
        yield from (f"{base}_for_{kind}" for kind in kinds_beside(test, usual))
        yield f"{base}_for_other_values"  # what it shows may be worth a test, though nothing tells it apart


def _is_told_by_doubt(test: NamedTest, conditions: Sequence[str]) -> bool:
    """Whether a refusal is named by what sets it apart, though nobody can say whether that is the cause."""
    telling = (words for words in conditions if not words.startswith(UNTOLD))
    return bool(test.exception) and any(test.name.endswith(f"_{_joined([words])}") for words in telling)


def _by_name(test: NamedTest) -> str:
    """Says that the act passes an argument by its name; nothing of others."""
    act = test.act
    return "by_name" if isinstance(act, ast.Call) and act.keywords else ""


def _conditions(test: NamedTest, usual: NamedTest, plain: NamedTest, told: Collection[str]) -> list[str]:
    """Returns what differs from the usual test; of a further refusal, what does not set the first one apart, too.

    Args:
        told: conditions that hold for tests before it, too: these tell less.
    """
    if test is usual:
        return []
    found = differences(test.situation, usual.situation, test.facts)
    if not test.exception:
        return sorted(found, key=lambda words: (words.startswith(VAGUE), words in told))
    if plain is test or plain is usual:
        return found
    same = differences(plain.situation, usual.situation, test.facts)
    return [words for words in found if words not in same]


def _said(test: NamedTest, plain: NamedTest) -> str:
    """Returns the phrase of a message that the first refusal does not say, too; else nothing."""
    words = message_words(test.cases)
    return words if test is plain or message_words([*plain.cases, *test.cases]) != words else ""


def _with_words(base: str, words: str) -> Iterator[str]:
    if words:
        yield f"{base}_{words}"


def _joined(conditions: Sequence[str]) -> str:
    """Returns `with_tax_and_limit` or `for_negative_index_after_clear`."""
    with_ = [words.removeprefix("with_") for words in conditions if words.startswith("with_")]
    other = [words for words in conditions if not words.startswith(("with_", *_STANDING))]
    rest = [words for words in conditions if words.startswith(_STANDING)]
    parts = [f"with_{'_and_'.join(with_)}"] if with_ else []
    parts += [f"for_{'_and_'.join(other)}"] if other else []
    return "_".join([*parts, *rest])


def _value_words(case: Case, facts: CallableFacts | None) -> str:
    """Returns the arguments in words; empty where they hold digits or files of the test's own folder."""
    try:
        arguments = arguments_of(case.expression, facts)
    except SyntaxError:
        return ""
    own_files = any("tmp_path" in names_of(argument.node) for argument in arguments)
    words = "_and_".join(describe(argument.node) for argument in arguments[:3])
    filler = any(is_filler(argument.node) for argument in arguments[:3])
    return "" if own_files or filler or has_digit(words) else words
