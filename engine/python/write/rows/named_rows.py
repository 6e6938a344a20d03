"""Names the cases of a test: the only one after the test, rows of a table by what sets each apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from .....utils.python_names import unique_name
from .....utils.python_source import parse_expression, parse_python
from ...judge.case_tables import Group, read_group, tabulate
from ...model.spec_case import Case
from ...source.counterparts import relation_words
from ...source.documents import Documents
from ...source.message_words import words_of_messages
from ...source.moments import NOW
from ...source.outcome_words import outcome_words
from ...source.passages import passage_words
from ..acting_member import NamedTest
from ..value_features import number_of
from .row_words import words_of_rows

_EXPECTED = ("expected", "message")
_INDEXING = ("__getitem__", "__setitem__", "__delitem__", "insert", "pop")


def named_rows(test: NamedTest, ids: set[str], documents: Documents) -> Mapping[str, Case]:
    """Returns the test's cases by their former ids, with the names of the test and its rows.

    Args:
        ids: all ids so far; receives those of the rows.
        documents: the files that document cases.
    """
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
        indexed = test.facts is not None and test.facts.name in _INDEXING
        words = _words_of_rows(table.rows, table.columns, stopped=stopped, beside=shared, searched=not indexed)
    if test.exception and (said := words_of_messages(test.cases)):
        words = said
    related = [relation_words(case.expression, test.facts) for case in test.cases]
    shown = [passage_words(case, documents, near=True).removeprefix("for_") for case in test.cases]
    related = [relation or told for relation, told in zip(related, shown, strict=True)]
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
    rows: Sequence[Sequence[str]], columns: Sequence[str], *, stopped: bool, beside: float | None, searched: bool
) -> list[str]:
    """Returns what sets each row apart in words.

    Args:
        stopped: whether the column `now` is the moment at which the clock stands still.
        beside: the only number that all rows share, where the code compares with it.
        searched: whether a value may be looked for in a list; else a number may be an index of it.
    """
    cells = {column: [parse_expression(row[at]) for row in rows] for at, column in enumerate(columns)}
    expected = {column: nodes for column, nodes in cells.items() if column.startswith(_EXPECTED)}
    given = {column: nodes for column, nodes in cells.items() if column not in expected}
    clock = NOW if stopped and NOW in given else ""
    return words_of_rows(given, expected, clock=clock, beside=beside, searched=searched)
