"""Options that a function takes by `**kwargs` are read from its body and from the helper that gets them (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.facts.keyword_options import keyword_options

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def _factory(given):
    made = given.pop("factory", dict)
    if given:
        raise TypeError(given)
    return made

def merge(*items, **kwargs):
    return _factory(kwargs)(items)

def shorten(text, **options):
    return text[: options.get("width", 20)] + options.get("end")

def plain(text, width=20):
    return text[:width]

class Box:
    def show(self, **kwargs):
        return kwargs.pop("deep", False)
"""


def test_options_have_the_names_and_defaults_that_bodies_and_helpers_ask_for() -> None:
    found = {
        name: sorted((one.name, one.default) for one in options) for name, options in keyword_options(SOURCE).items()
    }

    assert found == {
        "merge": [("factory", "dict")],
        "shorten": [("end", "None"), ("width", "20")],
        "Box.show": [("deep", "False")],
    }


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        pytest.param("_helper(given, /)", "_helper(kwargs)", id="first"),
        pytest.param("_helper(first, /, given)", "_helper(items, kwargs)", id="second"),
    ],
)
def test_parameters_of_helpers_that_are_only_positional_are_counted(helper: str, call: str) -> None:
    source = f"def {helper}:\n    return given.get('wide', 1)\n\ndef shown(items, **kwargs):\n    return {call}\n"

    assert [one.name for one in keyword_options(source)["shown"]] == ["wide"]


def test_another_parameter_than_the_one_that_gets_the_options_has_none() -> None:
    helper = "def _helper(first, /, given):\n    return given.get('wide')\n"

    assert keyword_options(f"{helper}def shown(**kwargs):\n    return _helper(kwargs, {{}})\n") == {}


def test_what_is_taken_without_a_default_is_no_option() -> None:
    assert keyword_options("def shown(**kwargs):\n    return kwargs.pop('name')\n") == {}


def test_what_is_no_python_has_no_options() -> None:
    assert keyword_options("def f(:") == {}
