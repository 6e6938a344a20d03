"""What documents, names and uses say of a kind decides what is passed (B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.inputs.plain_texts import is_half_word
from testwright.engine.python.misfits.unfit import is_unfit
from testwright.engine.python.model.domain import ParameterDomain
from testwright.engine.python.model.model import Trial
from testwright.tests.support.engine.python_projects import context_of, facts_of, first_trials, write_project

pytestmark = pytest.mark.feature("B-16")


def domain_of(source: str, callable_: str, parameter: str, root: Path) -> ParameterDomain:
    facts = facts_of(write_project(root, {"m.py": source}), "m.py")
    return next(one for one in infer_domains(facts, source=source) if one.qualname == callable_).of(parameter)


def acts_of(source: str, callable_: str, root: Path) -> list[str]:
    """The first calls that are tried of a callable of a module."""
    project = write_project(root, {"m.py": source})
    return [trial.act for trial in first_trials(callable_, *context_of(project, "m.py"))]


@pytest.mark.parametrize("said", ["is a number enclosed with string", "a number in a string", "The number as text"])
def test_a_number_in_a_text_is_a_text(said: str, tmp_path: Path) -> None:
    source = f'def checked(v):\n    """Check.\n\n    :param v: {said}\n    """\n    return other(v)\n'

    assert domain_of(source, "checked", "v", tmp_path).kind == "text"
    assert "checked('250')" in acts_of(source, "checked", tmp_path)


def test_a_whole_number_in_a_text_has_no_fraction(tmp_path: Path) -> None:
    source = 'def checked(v):\n    """Check.\n\n    :param v: whole number as text\n    """\n    return other(v)\n'

    assert all("." not in text for text in domain_of(source, "checked", "v", tmp_path).samples)


@pytest.mark.parametrize(("said", "kind"), [("object name, a string", "text"), ("object count, an int", "integer")])
def test_a_description_that_begins_with_an_object_keeps_its_type(said: str, kind: str, tmp_path: Path) -> None:
    source = f'def checked(v):\n    """Check.\n\n    :param v: {said}\n    """\n    return other(v)\n'

    assert domain_of(source, "checked", "v", tmp_path).kind == kind


def test_what_is_declared_as_an_object_is_no_text_because_a_format_is_named(tmp_path: Path) -> None:
    source = (
        'def differ(src):\n    """Compare.\n\n    :param src: Source JSON document.\n    :type src: object\n    """\n'
        "    return len(src)\n"
    )

    assert domain_of(source, "differ", "src", tmp_path).kind != "text"


def test_a_function_of_tuples_gets_a_tuple(tmp_path: Path) -> None:
    source = "def drop_item_from_tuple(t, i):\n    return t[:i] + t[i + 1 :]\n"

    assert acts_of(source, "drop_item_from_tuple", tmp_path)[0] == "drop_item_from_tuple((3, 1, 8, 2), 2)"


def test_the_values_of_a_mapping_are_not_its_keys(tmp_path: Path) -> None:
    source = "def total(found):\n    return sum(key + found[key] for key in found.keys())\n"
    passed = [act for act in acts_of(source, "total", tmp_path) if act.startswith("total({")]

    assert passed
    assert not any("3: 3" in act for act in passed)


def test_what_a_parser_of_dates_gets_is_a_text_of_such_a_form(tmp_path: Path) -> None:
    source = (
        "import datetime\n\nclass Day:\n    def __init__(self, form='%Y-%m-%d'):\n        self.form = form\n\n"
        "    def __call__(self, v):\n        return datetime.datetime.strptime(v, self.form)\n"
    )
    acts = acts_of(source, "Day.__call__", tmp_path)

    assert domain_of(source, "Day.__call__", "v", tmp_path).kind == "text"
    assert {"day('2024-05-03')", "day('2024-13-45')"} <= set(acts)


@pytest.mark.parametrize(
    ("text", "half"),
    [("va", True), ("lue", True), ("value", False), ("baz", False), ("name", False), ("it", False), ("3", False)],
)
def test_half_a_word_is_told_from_a_word(text: str, half: bool) -> None:
    assert is_half_word(text, frozenset({"value", "bar"})) is half


PATCHES = '''
import json


class Patch:
    """A patch.

    >>> patch = Patch([{"op": "add", "path": "/foo"}])
    >>> patch.from_diff({"foo": 1}, {"foo": 2})
    """

    def __init__(self, patch):
        self.patch = patch

    @classmethod
    def from_string(cls, text):
        return cls(json.loads(text))

    @classmethod
    def from_diff(cls, src, dst):
        return cls([src, dst])


class LongPatch(Patch):
    @classmethod
    def from_diff(cls, src, dst):
        return cls([dst, src])
'''


def test_a_reader_of_json_gets_what_documents_build_an_object_from(tmp_path: Path) -> None:
    first = acts_of(PATCHES, "Patch.from_string", tmp_path)[0]

    assert first == """Patch.from_string('[{"op": "add", "path": "/foo"}]')"""


def test_a_parser_of_times_gets_no_dates(tmp_path: Path) -> None:
    source = "import datetime\n\n\ndef hour(text):\n    return datetime.datetime.strptime(text, '%H:%M').hour\n"
    acts = acts_of(source, "hour", tmp_path)

    assert acts
    assert not any("2024-" in act for act in acts)


def test_of_a_long_documented_list_as_much_as_a_line_takes_is_written(tmp_path: Path) -> None:
    long = ", ".join(f'{{"op": "add", "path": "/{at}"}}' for at in range(6))
    first = acts_of(PATCHES.replace('{"op": "add", "path": "/foo"}', long), "Patch.from_string", tmp_path)[0]

    assert first.startswith("""Patch.from_string('[{"op": "add", "path": "/0"}, {"op": "add", "path": "/1"}""")
    assert len(first) < 150


def test_a_reader_of_other_texts_gets_none_of_json(tmp_path: Path) -> None:
    source = PATCHES.replace("import json", "import toml as tool").replace("json.loads", "tool.loads")

    assert not any("op" in act for act in acts_of(source, "Patch.from_string", tmp_path))


def test_an_overriding_method_gets_what_documents_pass_to_the_other(tmp_path: Path) -> None:
    assert acts_of(PATCHES, "LongPatch.from_diff", tmp_path)[0] == "LongPatch.from_diff({'foo': 1}, {'foo': 2})"


def test_a_wrapped_exception_is_an_exception(tmp_path: Path) -> None:
    source = (
        "class LookupFailed(Exception):\n    def __init__(self, exc, part):\n        self.exc, self.part = exc, part\n"
        "    def __str__(self):\n        return f'no {self.part}: {self.exc!r}'\n"
    )
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    first = acts_of(source, "LookupFailed", tmp_path)[0]

    assert first.startswith(("LookupFailed(ValueError(", "LookupFailed(KeyError("))
    assert not is_unfit(Trial("LookupFailed", first), facts)
    assert is_unfit(Trial("LookupFailed", "LookupFailed(1, 'a')"), facts)
    assert not is_unfit(Trial("LookupFailed", "LookupFailed((ValueError, KeyError), 'a')"), facts)
