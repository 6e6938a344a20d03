"""The names of a table and its rows tell the ids of the cases."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.spec_case import Case
from testwright.engine.python.write.assign_tables import ids_by_table, with_ids
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.shop_findings import exploration, shop_findings
from testwright.utils.case_names import cases_of_test, owned_tests

pytestmark = pytest.mark.feature("B-04", "B-06")


def case(name: str, group: str | None = None) -> Case:
    return Case(f"tc_{name}", "x", "sum", "sum(1)", group=group)


@pytest.mark.parametrize(
    ("name", "group", "expected"),
    [
        ("sum_of_5", "sum__value", "sum_of_5"),
        ("sum_of_5", "sum_gives_a_number__value", "sum_gives_a_number_of_5"),
        ("sum_of_5_without_tax", "sum_without_tax__value", "sum_without_tax_of_5"),
        ("sum_raises_value_error_for_5", "sum_raises_value_error_saying__value", "sum_raises_value_error_saying_for_5"),
        ("sum", "sum_twice__value", "sum"),
        ("sum_of_5", None, "sum_of_5"),
    ],
)
def test_a_case_is_called_after_its_table_and_what_sets_it_apart(name, group, expected):
    assert ids_by_table([case(name, group)]) == {f"tc_{name}": f"tc_{expected}"}


def test_no_new_id_is_another_ones():
    cases = [case("sum_of_5", "sum_twice__value"), case("sum_twice_of_5"), case("sum_for_5", "sum_twice__value")]

    names = ids_by_table(cases)

    assert names["tc_sum_of_5"] == "tc_sum_twice_of_5_2"
    assert [id_.id for id_ in with_ids(cases, names)] == list(names.values())
    assert len(set(names.values())) == 3


def test_no_row_of_a_rendered_file_repeats_an_id():
    notices: dict[str, list[int]] = {}
    spec = compose_spec(exploration(*shop_findings()), framework="pytest", notices=notices)
    known = {one["id"] for one in spec["cases"]}

    text = render(spec, "pytest")

    assert "tc_" not in text
    assert {name for test, owner in owned_tests(ast.parse(text)) for name in cases_of_test(test, owner, known)} == known
    assert set(notices) <= known
