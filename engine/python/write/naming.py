"""Names tests by member, condition and outcome; the condition is what differs from the member's first test.

The first test of a member bears its name alone. A further one says what sets it apart: an argument that is negative,
empty, longer or left out, what was done to the object before, the exception. Rows of a table are named by their values.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ....utils.python_names import last_name, names_of, unique_name
from ....utils.python_source import parse_expression, parse_python
from ..facts.lineage import lineage
from ..facts.optional_imports import missing_import_slug
from ..judge.case_tables import Group, read_group, tabulate
from ..model.model import CallableFacts, ModuleFacts
from ..model.spec_case import Case
from ..source.counterparts import relation_words
from ..source.message_words import message_words, words_of_messages
from ..source.moments import NOW
from ..source.titles import arguments_of, cut_slug, describe, snake_case, subject_slug
from .acting_member import NamedTest, acting_member, attribute_read, named_once, shared_outcome
from .conditions import TELLING, UNTOLD, VAGUE, differences, empty_arguments
from .outcome_words import COMPARING, outcome_words, size_words
from .row_words import is_filler, words_of_rows
from .scenario_words import restored_words, scenario_words
from .situation import situation_of
from .usual_test import is_beside_other_type, usual_test, what_is_shown
from .value_features import number_of

LONGEST_NAME = 66
_MOST_CONDITIONS = 2
# Conditions that need no preposition.
_STANDING = ("saying_", "after_", "before_", "without_", "in_the_", "on_", "at_", "when_")
_EXPECTED = ("expected", "message")
_OF_LOOKING_UP = ("KeyError", "IndexError")
_TRUTH = ("differs", "is_true", "is_false", "is_none", "is_empty")


def name_tests(cases: Sequence[Case], facts: ModuleFacts, vague: set[str] | None = None) -> dict[str, Case]:
    """Returns the cases with new ids and groups by their former ids; ids are distinct.

    Args:
        vague: receives the former ids of the cases for which nobody can say what sets them apart from others: only a
            number, the size of a value or the words of a literal does.
    """
    callables = _with_inherited(facts)
    constructors = {owner.name: owner.constructor for owner in facts.classes}
    tests: dict[str, list[NamedTest]] = {}
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        found.setdefault((case.subject, case.group or f" {case.id}"), []).append(case)
    for members in found.values():
        subject = callables.get(members[0].subject)
        test = NamedTest(members, subject, situation_of(members, subject, constructors))
        tests.setdefault(members[0].subject, []).append(test)
    used: dict[str, str] = {}
    for subject, own in tests.items():
        _name_all(subject, own, used)
    named: dict[str, Case] = {}
    ids = {f"tc_{test.name}" for own in tests.values() for test in own if not test.cases[0].group}
    for own in tests.values():
        for test in own:
            named.update(_renamed(test, ids))
            if vague is not None and test.vague:
                vague.update(case.id for case in test.cases)
    return named


def _with_inherited(facts: ModuleFacts) -> dict[str, CallableFacts]:
    """Returns the callables of a module by qualified name, and those that its classes inherit from each other."""
    found = {one.qualname: one for one in facts.callables()}
    owners = {owner.name: owner for owner in facts.classes}
    bases = {owner.name: owner.bases for owner in facts.classes}
    for owner in facts.classes:
        for base in lineage(owner.name, bases)[1:]:
            for member in owners[base].members:
                name = f"{owner.name}.{member.name}"
                found.setdefault(name, replace(member, qualname=name, owner=owner.name))
    return found


def _name_all(subject: str, tests: Sequence[NamedTest], used: dict[str, str]) -> None:
    """Names the tests of one member: the first that returns is what others are compared with.

    Args:
        used: the subjects of the tests that have a name, by these names.
    """
    base = subject_slug(subject) or "it"
    if base in used and subject.endswith("__"):
        base = f"{base}_operator"  # `__add__` beside `add`
    if tests[0].facts is not None and tests[0].facts.kind == "constructor":
        base = f"{base}_construction"
    returning = [test for test in tests if not test.exception] or list(tests)
    usual = usual_test(subject, returning)
    opposite = {"is_true", "is_false"} <= {shared_outcome(test) for test in returning}
    shown = [what_is_shown(test) for test in tests if test.cases[0].documented]
    usual_member = acting_member(subject, base, usual)
    told: set[str] = set()
    plain: dict[str, NamedTest] = {}  # by exception, the refusal named first: further ones say how they differ from it
    for test in [usual, *(one for one in tests if one is not usual)]:
        own = acting_member(subject, base, test)
        denied = subject.endswith(COMPARING) or (opposite and test is usual)
        if denied and not attribute_read(test) and shared_outcome(test) == "is_false":
            own = f"{own}_is_false"  # the plain name would promise what its sibling shows
        own = f"{own}_for_other_type" if is_beside_other_type(subject, test) else own
        first = plain.setdefault(test.exception, test)
        conditions = _conditions(test, usual, first, told)
        told.update(conditions if not test.exception else ())
        alone = [own] if own != usual_member and test is not usual and not test.exception else []
        candidates = chain(alone, _candidates(own, test, usual, first, conditions))
        # A method that is called as its class is named once: its test tells the case as `TestLower.test_lower`.
        telling = (cut_slug(named_once(one), LONGEST_NAME) for one in candidates)
        others = (cut_slug(named_once(one), LONGEST_NAME) for one in _vague_names(own, test, usual, conditions))
        name = _free_name(telling, subject, used)
        test.vague = not name or (not test.cases[0].documented and what_is_shown(test) in shown)
        test.name = name or next((one for one in others if one not in used), "") or unique_name(base, used)
        used[test.name] = subject


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
    base: str, test: NamedTest, usual: NamedTest, plain: NamedTest, conditions: Sequence[str]
) -> Iterator[str]:
    """Generates names, the shortest first; each longer one is for the case that the shorter ones are taken.

    Args:
        plain: the first refusal with the same exception.
        conditions: what sets the test apart, the most telling first.
    """
    missing = missing_import_slug(test.cases[0].statements)
    if missing:
        yield f"{base}_{missing}"
    if test.exception:
        base = f"{base}_raises_{snake_case(test.exception)}"
        # That a key is missing says the exception itself.
        said = "when_" if test.exception in _OF_LOOKING_UP else (*TELLING, "when_")
        yield from (f"{base}_{_joined([words])}" for words in conditions[:1] if words.startswith(said))
        yield base
        # An argument, or a step, that sets the call apart tells more than a message that others have, too.
        telling = ("negative_", "zero_", "with_"), ("after_",)
        apart = [words for kinds in telling for words in conditions if words.startswith(kinds)]
        yield from (f"{base}_{_joined([words])}" for words in apart)
        # A phrase that is cut would say something else: one that does not fit is left out.
        said = _said(test, plain)
        yield from (one for one in _with_words(base, _joined([said]) if said else "") if len(one) <= LONGEST_NAME)
    outcome = shared_outcome(test)
    outcome = "" if outcome and f"_{outcome}" in base else outcome
    yield from (f"{base}_{words}" for words in scenario_words(test.cases))
    yield from _with_words(base, restored_words(test.cases))
    if test is not usual:
        yield from (f"{base.removesuffix('_construction')}_{use}" for use in _uses_of_result(test))
    if test is usual and (emptiness := empty_arguments(test.situation)):
        yield f"{base}_{_joined([emptiness])}"
    if test is usual or not conditions:
        yield base
    elif _tells(outcome, conditions[0], shared_outcome(usual)):
        yield f"{base}_{outcome}"
    if test is not usual and conditions and conditions[0].startswith(VAGUE):
        # What comes out tells more than that something else goes in.
        yield from _with_words(base, _count_of_outcome(test, usual))
    telling = [words for words in conditions if not words.startswith(UNTOLD)]
    for count in range(1, min(_MOST_CONDITIONS, len(telling)) + 1):
        yield f"{base}_{_joined(conditions[:count])}"
    yield from (f"{base}_{_joined([words])}" for words in telling[1:])
    if outcome not in _TRUTH or outcome != shared_outcome(usual):
        yield from _with_words(base, outcome)  # what the plainly named test finds true as well tells nothing
    if outcome:
        yield from (f"{base}_{_joined([words])}_{outcome}" for words in telling)
    yield base
    yield from _with_words(base, _count_of_outcome(test, usual))
    if telling:
        yield from _with_words(f"{base}_{_joined(telling[:1])}", _by_name(test))


def _vague_names(base: str, test: NamedTest, usual: NamedTest, conditions: Sequence[str]) -> Iterator[str]:
    """Generates names of a test that no word for a difference tells apart: by the size of a value, by its words."""
    base = f"{base}_raises_{snake_case(test.exception)}" if test.exception else base
    conditions = [words for words in conditions if words.startswith(UNTOLD)]
    yield from _with_words(base, "" if test.exception else _size_of_outcome(test, usual))
    yield from (f"{base}_{_joined([words])}" for words in conditions if not words.startswith("other_"))
    if len(test.cases) == 1:  # those of one row are no name for a table
        yield from _with_words(f"{base}_for", _value_words(test.cases[0], test.facts))
    yield from (f"{base}_{_joined([words])}" for words in conditions if words.startswith("other_"))
    if test.cases[0].documented:
        yield f"{base}_for_other_values"  # it stays, though nothing tells it apart


def _by_name(test: NamedTest) -> str:
    """Says that the act passes an argument by its name; nothing of others."""
    act = test.act
    return "by_name" if isinstance(act, ast.Call) and act.keywords else ""


def _tells(outcome: str, condition: str, usual: str) -> bool:
    """Whether an outcome makes a name; what is passed tells more than that nothing comes out, or than a truth of which
    the usual rows show both."""
    told = "is_empty" if usual else ("is_empty", "is_true", "is_false")
    passed = condition.startswith((*TELLING, "with_", "without_"))
    return outcome.startswith((*_TRUTH, "equals_")) and outcome != usual and not (passed and outcome.startswith(told))


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


def _uses_of_result(test: NamedTest) -> list[str]:
    """Names what a test does with what its subject made in an arranging statement; none where the act calls it."""
    facts, case = test.facts, test.cases[0]
    if facts is None or (facts.owner is not None and facts.kind != "constructor"):
        return []
    name = facts.owner or facts.name
    act = parse_expression(case.expression)
    nodes = [node for text in case.statements for node in parse_python(text.strip()).body]
    if name in names_of(act) or not any(name in names_of(node) for node in nodes):
        return []
    if isinstance(nodes[-1], ast.Assign) and isinstance(nodes[-1].targets[0], ast.Tuple):
        return ["unpacking"]
    called = [last_name(node.func) for node in ast.walk(act) if isinstance(node, ast.Call)]
    made = [node.value for node in nodes[-1:] if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    methods = [node.func.attr for node in made if isinstance(node.func, ast.Attribute)]
    read = [node.attr for node in ast.walk(act) if isinstance(node, ast.Attribute)]
    if methods:
        return [snake_case(methods[0]), f"from_{snake_case(methods[0])}"]
    if called:
        return [snake_case(called[0]) if called[0] in read else f"{snake_case(called[0])}_call"]
    if any(isinstance(node, ast.Subscript) for node in ast.walk(act)):
        return ["indexing"]
    return ["_and_".join(snake_case(name) for name in dict.fromkeys(read))] if read else []


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


def _size_of_outcome(test: NamedTest, usual: NamedTest) -> str:
    """Says how a result differs in size from the usual one: `with_several_results`, `with_single_result`, `is_zero`."""
    mine, others = ({size_words(case) for case in one.cases} for one in (test, usual))
    size = mine.pop() if len(mine) == 1 else ""
    counted = any(others) or not size.startswith("with_")  # what has no items has neither one nor several
    return size if counted and size not in others else ""


def _count_of_outcome(test: NamedTest, usual: NamedTest) -> str:
    """Says how many results there are, where the usual test has more or fewer; that one is zero tells little."""
    size = "" if test.exception else _size_of_outcome(test, usual)
    return size if size.startswith("with_") or size == "is_empty" else ""


def _value_words(case: Case, facts: CallableFacts | None) -> str:
    """Returns the arguments in words; empty where they hold digits or files of the test's own folder."""
    try:
        arguments = arguments_of(case.expression, facts)
    except SyntaxError:
        return ""
    own_files = any("tmp_path" in names_of(argument.node) for argument in arguments)
    words = "_and_".join(describe(argument.node) for argument in arguments[:3])
    filler = any(is_filler(argument.node) for argument in arguments[:3])
    return "" if own_files or filler or any(character.isdigit() for character in words) else words


def _renamed(test: NamedTest, ids: set[str]) -> Mapping[str, Case]:
    """Returns the test's cases with their names; `ids` are all ids so far, and get those of the rows."""
    if not test.cases[0].group:
        case = test.cases[0]
        return {case.id: replace(case, id=f"tc_{test.name}")}
    columns = read_group(test.cases[0].group).columns
    table = tabulate(test.cases, columns)
    group = Group(test.name, columns).text
    stopped = any(text.startswith(f"{NOW} = ") for text in test.cases[0].statements)
    words = [""] * len(test.cases)
    if table is not None:
        shared = _shared_number(table.template, test, table.columns)
        words = _words_of_rows(table.rows, table.columns, stopped=stopped, beside=shared)
    if test.exception and (said := words_of_messages(test.cases)):
        words = said
    related = [relation_words(case.expression, test.facts) for case in test.cases]
    found: dict[str, Case] = {}
    for case, relation, other in zip(test.cases, related, words, strict=True):
        own = relation if relation and related.count(relation) == 1 else other
        name = unique_name(f"tc_{test.name}_{own or outcome_words(case) or 'row'}", ids)
        ids.add(name)
        found[case.id] = replace(case, id=name, group=group)
    return found


def _shared_number(template: Case, test: NamedTest, columns: Sequence[str]) -> float | None:
    """The only number in the code that all rows share, where the member's body compares one of the columns with it."""
    if not any(_is_compared(column, test) for column in columns):
        return None
    trees = [parse_python(text.strip()) for text in (*template.statements, template.expression)]
    numbers = list(chain.from_iterable(map(_numbers_in, trees)))
    return numbers[0] if len(numbers) == 1 else None


def _is_compared(column: str, test: NamedTest) -> bool:
    """Whether the body compares a parameter by order with another one that all rows pass a number, or with its own."""
    uses = test.facts.uses if test.facts is not None else ()
    others = [use.partition(":")[2] for name, use in uses if name == column and use.startswith("compared:")]
    known = {one.name for one in test.facts.parameters} if test.facts is not None else set[str]()
    given = test.situation.arguments
    return any(name not in known or (name in given and number_of(given[name]) is not None) for name in others)


def _numbers_in(tree: ast.AST) -> Iterator[float]:
    """The literal numbers of code; a negative one is one number."""
    number = number_of(tree) if isinstance(tree, ast.expr) else None
    if number is not None:
        yield number
    else:
        yield from chain.from_iterable(map(_numbers_in, ast.iter_child_nodes(tree)))


def _words_of_rows(
    rows: Sequence[Sequence[str]], columns: Sequence[str], *, stopped: bool, beside: float | None
) -> list[str]:
    """Returns what sets each row apart in words.

    Args:
        stopped: whether the column `now` is the moment at which the clock stands still.
        beside: the only number that all rows share, where the code compares with it.
    """
    cells = {column: [parse_expression(row[at]) for row in rows] for at, column in enumerate(columns)}
    expected = {column: nodes for column, nodes in cells.items() if column.startswith(_EXPECTED)}
    given = {column: nodes for column, nodes in cells.items() if column not in expected}
    return words_of_rows(given, expected, clock=NOW if stopped and NOW in given else "", beside=beside)
