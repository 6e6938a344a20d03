"""A spec of timed calls becomes a pytest file that reads well, passes our checks, and measures what it says."""

from __future__ import annotations

import ast
import copy
import json
from pathlib import Path

import pytest

from testwright.core.errors import AgentFailure
from testwright.engine.rendering import render_files
from testwright.mcp.tools.validate_code import check_code
from testwright.mcp.tools.validate_spec import check_spec
from testwright.utils.names.case_names import owned_tests

SPEC = json.loads(
    (Path(__file__).parents[3] / "data/schemas/performance_test_schema_v1/valid/measured_calls.json").read_text()
)
PATH = "tests/generated/performance/test_sales_report_performance.py"

GROWTH = '''def test_pieces_by_article_grows_linearly_with_the_articles(benchmark):
    """Eight times the input; with quadratic growth it would take 64 times as long."""
    few_articles = [f"tea-{number}" for number in range(640)]
    many_articles = [f"tea-{number}" for number in range(5120)]

    result = benchmark(pieces_by_article, many_articles)

    assert len(result) == 5120
    assert (
        work_ratio(
            lambda: pieces_by_article(many_articles),
            lambda: pieces_by_article(few_articles),
        )
        < 23
    )
'''
COST = """    result = benchmark(median_price, [300, 120, 250])

    assert result == 250
    assert additions(lambda: median_price([300, 120, 250])) <= 100
"""
CACHE = """    result = benchmark(rate_on, 100)

    assert result == 1.13

    def first():
        rate_on.cache_clear()
        return rate_on(100)

    assert share_of_first(lambda: rate_on(100), first) <= 0.02
    assert additions(first) <= 30_000
"""


def rendered(spec):
    return render_files(spec, "pytest", PATH)[0].contents


@pytest.mark.feature("T-20", "B-04")
def test_the_file_reads_as_a_person_would_write_it():
    text = rendered(SPEC)
    for part in (GROWTH, COST, CACHE):
        assert part in text
    assert text == rendered(copy.deepcopy(SPEC))


@pytest.mark.feature("T-20", "T-08")
def test_spec_and_file_pass_the_checks_of_the_pipeline():
    assert check_spec(SPEC, "performance") == {**check_spec(SPEC, "performance"), "valid": True, "errors": []}
    checked = check_code(rendered(SPEC), PATH, "pytest")
    assert checked["errors"] == []


@pytest.mark.feature("B-04")
def test_every_case_can_be_followed_to_its_test():
    ids = [case["id"] for case in SPEC["cases"]]
    tests = owned_tests(ast.parse(rendered(SPEC)))
    assert [f"tc_{node.name.removeprefix('test_')}" for node, _ in tests] == ids


@pytest.mark.parametrize(
    ("expression", "benchmarked"),
    [
        ("total(prices)", "benchmark(total, prices)"),
        ("total([1, -2], start=3)", "benchmark(total, [1, -2], start=3)"),
        ("cart.total('tea')", 'benchmark(cart.total, "tea")'),
        ("total((price for price in (1, 2)))", "benchmark(lambda: total((price for price in (1, 2))))"),
        ("total(iter([1, 2]))", "benchmark(lambda: total(iter([1, 2])))"),
        ("total(start=iter([1]))", "benchmark(lambda: total(start=iter([1])))"),
        ("total(*prices)", "benchmark(lambda: total(*prices))"),
    ],
)
def test_arguments_are_evaluated_once_only_where_each_round_may_have_the_same(expression, benchmarked):
    case = copy.deepcopy(SPEC["cases"][1])
    case["act"]["expression"] = expression
    assert f"result = {benchmarked}\n" in rendered({**SPEC, "cases": [case]})


def test_only_the_functions_that_are_used_stand_in_the_file():
    text = rendered({**SPEC, "cases": SPEC["cases"][1:2]})
    assert "def additions(" in text
    assert "work_ratio" not in text
    assert "share_of_first" not in text


@pytest.mark.parametrize(("metric", "missing"), [("growth_ratio", "compared"), ("repeat_share", "first")])
def test_a_limit_without_what_it_compares_with_is_refused(metric, missing):
    spec = copy.deepcopy(SPEC)
    case = next(case for case in spec["cases"] if case["expect"][0]["metric"] == metric)
    del case["act"][missing]
    errors = check_spec(spec, "performance")["errors"]
    assert any(missing in error["message"] for error in errors)
    with pytest.raises(AgentFailure):
        rendered(spec)


def test_another_framework_than_pytest_is_refused():
    with pytest.raises(AgentFailure, match="unittest"):
        render_files(SPEC, "unittest", PATH)
