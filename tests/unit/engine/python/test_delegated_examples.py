"""A function that only passes a parameter on takes what documents pass to the other one (B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support.engine.python_projects import context_of, first_trials, write_project

pytestmark = pytest.mark.feature("B-16")

PARTS = '''
def parts_of(text, ends=None):
    """Cuts a text.

    >>> list(parts_of("a;b", ends=[";", "|"]))
    ['a', 'b']
    """
    yield from text.split((ends or [","])[0])


def parts(text, ends=None):
    """As a list."""
    return {body}
'''


@pytest.mark.parametrize(
    ("body", "is_taken"),
    [
        ("list(parts_of(text, ends))", True),
        ("list(parts_of(text, ends=ends))", True),
        ("list(parts_of(text, [ends]))", False),
        ("list(parts_of(ends, text))", False),
    ],
)
def test_what_is_only_passed_on_is_what_documents_pass_to_the_other(body: str, is_taken: bool, tmp_path: Path) -> None:
    project = write_project(tmp_path, {"m.py": PARTS.format(body=body)})

    acts = [trial.act for trial in first_trials("parts", *context_of(project, "m.py"))]

    assert any("ends=[';', '|']" in act for act in acts) is is_taken
