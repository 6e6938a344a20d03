"""Results that teach a reader nothing: nothing in them, or the argument as it was given (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.selection.representative import is_trivial
from testwright.utils.python_source import parse_expression


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("result", "given", "trivial"),
    [
        pytest.param("(None, None)", "'text'", True, id="a_pair_of_nothing"),
        pytest.param("[[], '']", "'text'", True, id="a_list_of_empty_values"),
        pytest.param("[0, 0]", "[0, 0]", True, id="zeros_as_they_were_given"),
        pytest.param("[0, 0]", "'text'", False, id="zeros_made_of_something_else"),
        pytest.param("(None, 3)", "'text'", False, id="a_pair_with_a_number"),
        pytest.param("[False, False]", "[1, 2]", False, id="answers_that_are_false"),
    ],
)
def test_a_result_is_trivial_where_it_holds_nothing_or_only_what_was_given(
    result: str, given: str, trivial: bool
) -> None:
    observation = Observation("returned", value=Value("object", source=result))
    assert is_trivial(observation, [parse_expression(given)]) is trivial
