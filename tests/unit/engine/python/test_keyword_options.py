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


def test_what_is_no_python_has_no_options() -> None:
    assert keyword_options("def f(:") == {}
