"""A function that a call returns is given what the annotation says that it takes."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Observation, Trial, Value
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.called_results import result_calls

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
from typing import Any, Callable, Iterable, Union
import datetime

Part = Union[str, bytes]
Transformer = Callable[[Iterable[str]], Part]

def of_bytes(mode) -> Callable[[bytes], tuple]: ...
def of_texts(mode) -> Transformer: ...
def of_two(mode) -> Callable[[str, int], str]: ...
def of_day(mode) -> Callable[[datetime.date], str]: ...
def of_nothing(mode) -> Callable[[], str]: ...
def of_anything(mode) -> Callable[[Any], str]: ...
def decorator(mode) -> Callable[[Callable[..., str]], Callable[..., str]]: ...
"""
FACTS = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))


def given(name: str) -> list[list[object]]:
    """What the function that a call returns is given, call by call; expressions by their text."""
    seen = Observation("returned", value=Value("types.FunctionType", text="<function>"))
    found = [ast.parse(one.act, mode="eval").body for one in result_calls(Trial(name, f"{name}(1)"), seen, FACTS)]
    return [
        [one.value if isinstance(one, ast.Constant) else ast.unparse(one) for one in call.args]
        for call in found
        if isinstance(call, ast.Call)
    ]


@pytest.mark.parametrize(
    ("name", "types"),
    [
        pytest.param("of_bytes", [bytes], id="bytes"),
        pytest.param("of_two", [str, int], id="a text and a number"),
        pytest.param("of_nothing", [], id="nothing"),
    ],
)
def test_a_function_is_given_values_of_the_types_that_its_annotation_says(name, types):
    assert given(name)
    assert all([type(value) for value in row] == types for row in given(name))


def test_an_alias_of_the_module_is_looked_up():
    assert all(str(row[0]).startswith(("[", "(")) for row in given("of_texts"))


def test_a_value_brings_its_import():
    seen = Observation("returned", value=Value("types.FunctionType", text="<function>"))
    assert all("import datetime" in one.imports for one in result_calls(Trial("of_day", "of_day(1)"), seen, FACTS))


@pytest.mark.parametrize("name", ["of_anything", "decorator"])
def test_a_function_that_may_take_anything_or_functions_is_tried_with_all_kinds(name):
    assert [3] in given(name)
