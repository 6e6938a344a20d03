"""Tells which tests are the examples that others of their member stand beside, and which show one of two answers.

A member's anchor is the test whose name the names of its others begin with, or the first of them: those say what
differs from it, so that they say nothing once it is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from .evidence import EvidenceRecord


def anchors_of(
    records: Sequence[EvidenceRecord], notices: Collection[str], function_of: Callable[[str], str]
) -> frozenset[str]:
    """The test functions that are the anchors of their members.

    Args:
        notices: node ids of the tests that notice something; one that notices nothing is no anchor.
        function_of: the node id without a row.
    """
    members: dict[str, list[str]] = {}
    for one in records:
        if one.subject and not one.refuses and one.nodeid in notices:
            members.setdefault(one.subject, []).append(function_of(one.nodeid))
    found = set[str]()
    for functions in members.values():
        plain = (name for name in functions if all(one == name or one.startswith(f"{name}_") for one in functions))
        found.add(next(plain, functions[0]))
    return frozenset(found)


def plain_examples(functions: Iterable[str]) -> frozenset[str]:
    """The test functions whose name another one of their class or file begins with: `test_add` beside `test_add_twice`.

    That is what tells an anchor where nothing says which member a test is of.

    Args:
        functions: node ids without rows.
    """
    known = sorted(set(functions))
    return frozenset(one for one in known if any(other.startswith(f"{one}_") for other in known))


def only_answers(records: Iterable[EvidenceRecord], leaving: Collection[str]) -> frozenset[str]:
    """Node ids of leaving tests that alone show one of the two answers of a member of which other tests stay.

    Args:
        leaving: node ids of the tests that would be left out.
    """
    staying: dict[str, set[bool | None]] = {}
    missing: dict[tuple[str, bool], str] = {}
    for one in records:
        if one.nodeid not in leaving:
            staying.setdefault(one.subject, set()).add(one.answer)
        elif one.subject and one.answer is not None:
            missing.setdefault((one.subject, one.answer), one.nodeid)
    return frozenset(
        nodeid
        for (subject, answer), nodeid in missing.items()
        if staying.get(subject, set()) & {True, False} == {not answer}
    )
