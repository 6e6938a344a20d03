"""An object that was made of nothing shows nothing, where its class takes content (B-16)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from testwright.engine.python.misfits.missing_content import lacks_content
from testwright.engine.python.selection.degeneracy import SEVERE, degeneracy_of, receiver_degeneracy, receiver_of
from testwright.tests.support.engine.python_projects import facts_of, write_project

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
import json


class Checks:
    def __init__(self, *checks, msg=None):
        self.checks, self.msg = checks, msg

    def __repr__(self):
        return repr(self.checks)


class All(Checks):
    pass


class Passing(Checks):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


class Keyed:
    def __init__(self, *parts, required=False, **named):
        self.parts, self.named = parts, named


class Sized:
    def __init__(self, first=None, *rest, size=1):
        self.size = size


class Length:
    def __init__(self, min=None, max=None, msg=None):
        self.min, self.max, self.msg = min, max, msg

    def __call__(self, items):
        return items


class Moment:
    FORM = "%Y"

    def __init__(self, form=None, zone=None):
        self.form = form or self.FORM
        self.zone = zone or "UTC"


class Patch:
    def __init__(self, patch):
        self.patch = patch

    @classmethod
    def from_string(cls, text):
        return cls(json.loads(text))


class Merger:
    def __init__(self, base, first, second, actions):
        self.base, self.first, self.second, self.actions = base, first, second, actions
"""


@pytest.mark.parametrize(
    ("owner", "built", "empty"),
    [
        ("All", "All()", True),
        ("All", "All(msg='no')", True),
        ("All", "All(str, int)", False),
        ("Passing", "Passing(path='a')", False),
        ("Passing", "Passing()", False),
        ("Keyed", "Keyed(path='a')", False),
        ("Keyed", "Keyed(required=True)", True),
        ("Sized", "Sized(size=3)", False),
        ("Merger", "Merger({1}, (), [], {})", True),
        ("Merger", "Merger({1}, set(), dict(), [2])", False),
        ("Merger", "Merger({1}, set(), dict(), list())", True),
        ("Length", "Length()", True),
        ("Length", "Length(msg='no')", True),
        ("Length", "Length(min=1)", False),
        ("Length", "Length(1)", False),
        ("Moment", "Moment()", False),
        ("Patch", "Patch.from_string('[]')", True),
        ("Patch", "Patch.from_string('[1]')", False),
        ("Merger", "Merger({'a': 1}, {}, {}, {})", True),
        ("Merger", "Merger({}, {'a': 1}, {'a': 2}, {})", False),
    ],
)
def test_what_an_object_was_made_of_decides(owner: str, built: str, empty: bool, tmp_path: Path) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": SOURCE}), "m.py")
    call = ast.parse(built, mode="eval").body
    assert isinstance(call, ast.Call)

    assert lacks_content(call, next(one for one in facts.classes if one.name == owner), facts) is empty


def test_a_text_of_brackets_is_no_empty_document_where_no_json_is_read(tmp_path: Path) -> None:
    source = "class Row:\n    @classmethod\n    def from_string(cls, text):\n        return cls()\n"
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    call = ast.parse("Row.from_string('[]')", mode="eval").body
    assert isinstance(call, ast.Call)

    assert not lacks_content(call, facts.classes[0], facts)


@pytest.mark.parametrize(
    ("import_", "call", "rate"),
    [("import orjson as tool", "tool.loads(text)", SEVERE), ("import json", "json.dumps(text)", 0)],
)
def test_a_text_of_brackets_is_an_empty_document_where_json_is_read(
    import_: str, call: str, rate: int, tmp_path: Path
) -> None:
    source = f"{import_}\n\n\ndef read(text):\n    return {call}\n"
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert degeneracy_of(ast.parse("'{}'", mode="eval").body, facts) == rate


def test_the_text_of_such_an_object_shows_nothing(tmp_path: Path) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": SOURCE}), "m.py")
    shown = next(one for one in facts.callables() if one.qualname == "Checks.__repr__")
    act = ast.parse("repr(checks)", mode="eval").body

    made = [ast.parse(f"checks = Checks({given})").body for given in ("msg='no'", "str, int")]
    empty, filled = (receiver_degeneracy(shown, act, receiver_of(act, one, facts), facts) for one in made)

    assert (empty, filled) == (SEVERE, 0)


def test_an_empty_document_is_an_argument_that_shows_nothing(tmp_path: Path) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": SOURCE}), "m.py")

    rates = [degeneracy_of(ast.parse(text, mode="eval").body, facts) for text in ("'[]'", "'[1]'")]

    assert rates == [SEVERE, 0]
