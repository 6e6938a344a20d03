"""The names of a table and its rows tell the ids of the cases."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.shop_findings import exploration, shop_findings
from testwright.utils.names.case_names import cases_of_test, owned_tests

pytestmark = pytest.mark.feature("B-04", "B-06")


def test_no_row_of_a_rendered_file_repeats_an_id():
    notices: dict[str, list[int]] = {}
    spec = compose_spec(exploration(*shop_findings()), framework="pytest", notices=notices)
    known = {one["id"] for one in spec["cases"]}

    text = render(spec, "pytest")

    assert "tc_" not in text
    assert {name for test, owner in owned_tests(ast.parse(text)) for name in cases_of_test(test, owner, known)} == known
    assert set(notices) <= known
