"""Specs become test files that read well, are formatted, and run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruff.__main__ import find_ruff_bin  # pyrefly: ignore[implicit-reexport] - ruff 0.9 has it only there

from testwright.core.errors import AgentFailure
from testwright.engine.python.model.model import TrialFinding
from testwright.engine.python.model.spec_case import MESSAGE, Case, SpecExpectation
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render, render_cases
from testwright.mcp.tools.validate_code import check_code
from testwright.tests.support.engine.sample_findings import STUFF, stuff_findings
from testwright.tests.support.engine.shop_findings import exploration, number, returned, shop_findings, trial
from testwright.utils.generated_header import is_untouched, without_header
from testwright.utils.names.case_names import cases_of_test, owned_tests

FRAMEWORKS = ["pytest", "unittest"]

PYTEST_FILE = '''"""Unit tests for shop.cart.

Tests that name no document pin what the code did when they were written.
"""

import pytest

from shop.cart import Cart, group_thousands, log, ratio


class TestCart:
    def test_construction(self):
        result = Cart("Ann")

        assert result.owner == "Ann"

    @pytest.mark.parametrize(
        "quantity",
        [
            pytest.param(0, id="zero"),
            pytest.param(-1, id="negative"),
        ],
    )
    def test_add_raises_value_error(self, quantity):
        """Documented in Cart.add."""
        cart = Cart("Ann")

        with pytest.raises(ValueError, match="quantity must be positive"):
            cart.add("apple", quantity)

    def test_add(self):
        cart = Cart("Ann")

        cart.add("apple", 2)

        assert cart.items == {"apple": 2}

    def test_total(self):
        cart = Cart("Ann")
        cart.add("apple", 2)

        assert cart.total() == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # Documented in cart.py
        pytest.param(1000, "1,000", id="positive"),
        # Observed
        pytest.param(0, "0", id="zero"),
        pytest.param(-1234567, "-1,234,567", id="negative"),
    ],
)
def test_group_thousands(value, expected):
    assert group_thousands(value) == expected


def test_ratio():
    assert ratio(1, 3) == pytest.approx(0.3333333333333333)


def test_log(capsys):
    log("hello")

    assert capsys.readouterr().out == "LOG: hello\\n"
'''


def made(*findings: TrialFinding) -> dict[str, Any]:
    """The spec of findings about the cart's module."""
    return compose_spec(exploration(*findings), framework="pytest")


@pytest.mark.feature("B-04", "B-06")
def test_the_pytest_form_reads_as_a_person_would_write_it() -> None:
    rendered = render(made(*shop_findings()), "pytest")

    assert without_header(rendered) == PYTEST_FILE
    assert is_untouched(rendered)


@pytest.mark.feature("B-06")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_same_spec_gives_the_same_bytes(framework: str) -> None:
    assert render(made(*shop_findings()), framework) == render(made(*shop_findings()), framework)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_file_passes_our_own_checks_and_ruff_format(framework: str, tmp_path: Path) -> None:
    rendered = render(made(*shop_findings(), *stuff_findings()), framework)
    file = tmp_path / "test_it.py"
    file.write_text(rendered, encoding="utf-8")

    formatted = subprocess.run(
        [find_ruff_bin(), "format", "--isolated", "--check", str(file)], capture_output=True, check=False
    )

    assert check_code(rendered, "test_it.py", framework)["errors"] == []
    assert formatted.returncode == 0


@pytest.mark.feature("B-04")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_tests_run_by_the_frameworks_own_command_from_another_folder(framework: str, tmp_path: Path) -> None:
    package, elsewhere = tmp_path / "shop", tmp_path / "elsewhere"
    package.mkdir()
    elsewhere.mkdir()
    (package / "__init__.py").touch()
    (package / "cart.py").write_text(STUFF, encoding="utf-8")
    spec = made(*stuff_findings())
    (tmp_path / "test_stuff.py").write_text(render(spec, framework), encoding="utf-8")
    arguments = ["-q", "-p", "no:cacheprovider", str(tmp_path)] if framework == "pytest" else ["test_stuff"]

    done = subprocess.run(
        [sys.executable, "-m", framework, *arguments],
        cwd=elsewhere,
        env={"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert f"{len(spec['cases'])} passed" in said or f"Ran {len(spec['cases'])} tests" in said


@pytest.mark.feature("B-04")
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_case_can_be_followed_into_the_file(framework: str) -> None:
    spec = made(*shop_findings())

    rendered = render(spec, framework)

    known = {case["id"] for case in spec["cases"]}
    told = [name for test, owner in owned_tests(ast.parse(rendered)) for name in cases_of_test(test, owner, known)]
    assert sorted(told) == sorted(known)


def test_unittest_has_one_method_a_case_in_a_class_a_subject() -> None:
    rendered = render(made(*shop_findings()), "unittest")

    assert rendered.count("    def test_") == len(shop_findings())
    assert [line for line in rendered.splitlines() if line.startswith("class ")] == [
        "class TestCart(unittest.TestCase):",
        "class TestGroupThousands(unittest.TestCase):",
        "class TestRatio(unittest.TestCase):",
        "class TestLog(unittest.TestCase):",
    ]


def test_a_text_of_several_lines_is_shown_line_by_line() -> None:
    rendered = render(made(*stuff_findings()[:1]), "pytest")

    assert '        "apple     |    1\\n"\n' * 2 in rendered


def test_rows_of_a_group_that_share_no_shape_are_tests_of_their_own() -> None:
    spec = made(*shop_findings())
    for case in spec["cases"]:
        case["group"] = "everything"

    rendered = render(spec, "pytest")

    assert "parametrize" not in rendered
    assert rendered.count("def test_") == len(spec["cases"])


@pytest.mark.feature("B-06")
@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("too low", 'match=r"^too low$"'),
        ("too (low).", r'match=r"^too \(low\)\.$"'),
        ("'a' and \"b\"", "re.escape("),
    ],
)
def test_a_message_demanded_whole_is_matched_from_its_beginning_to_its_end(message: str, written: str) -> None:
    demand = SpecExpectation("raises", MESSAGE, exception="ValueError", match=message)
    case = Case("tc_a", "t", "f", "f(1)", expect=(demand,))
    read = Case.from_json(case.to_json())
    source = render_cases([read], "pytest", imports=["from m import f"], module="m")
    other = render_cases([read], "unittest", imports=["from m import f"], module="m")
    matching = source.partition("match=")[2].partition("):\n")[0]

    assert read == case
    assert written in source
    assert written.removeprefix("match=") in other
    assert re.search(eval(matching, {"re": re}), message)
    assert not re.search(eval(matching, {"re": re}), f"XX{message}XX")


def test_rows_that_refuse_in_different_words_match_each_whole() -> None:
    rows = [
        Case(
            f"tc_{name}",
            "t",
            "f",
            f"f({name!r})",
            expect=(SpecExpectation("raises", MESSAGE, exception="ValueError", match=f"too {name}."),),
            group="f_raises__value__message",
        )
        for name in ("low", "high")
    ]

    source = render_cases(rows, "pytest", imports=["from m import f"], module="m")

    assert 'match=f"^{re.escape(message)}$"' in source


def test_rows_that_warn_and_refuse_have_a_column_for_either() -> None:
    rows = [
        Case(
            f"tc_{name}",
            "t",
            "f",
            f"f({name!r})",
            expect=(
                SpecExpectation("raises", MESSAGE, exception="ValueError", match=f"too {name}."),
                SpecExpectation("warns", exception="UserWarning", match=f"{name} is old"),
            ),
            group="f_raises",
        )
        for name in ("low", "high")
    ]

    source = render_cases(rows, "pytest", imports=["from m import f"], module="m")

    assert '("value", "message", "warning"),' in source
    assert "match=re.escape(warning)" in source
    assert 'match=f"^{re.escape(message)}$"' in source


@pytest.mark.parametrize(
    ("framework", "outer", "inner"),
    [
        ("pytest", "pytest.warns(", "pytest.raises("),
        ("unittest", "self.assertWarns(", "self.assertRaises("),
    ],
)
def test_an_exception_ends_inside_what_demands_the_warning(framework: str, outer: str, inner: str) -> None:
    raises = SpecExpectation("raises", exception="ValueError")
    case = Case("tc_a", "t", "f", "f(1)", expect=(raises, SpecExpectation("warns", exception="UserWarning")))

    source = render_cases([case], framework, imports=["from m import f"], module="m")

    assert f"with {outer}UserWarning), {inner}ValueError):" in source


@pytest.mark.feature("B-18")
@pytest.mark.parametrize("actual", ["result", "not result"])
def test_what_has_a_name_already_is_compared_in_one_assertion_however_long(actual: str) -> None:
    long = f"Shelf({', '.join(f'book_{number}=1' for number in range(12))})"
    expect = (SpecExpectation("holds", actual),) if actual != "result" else (SpecExpectation("equals", actual, long),)
    act = f"shelf == {long}" if actual != "result" else "shelf"
    case = Case("tc_eq", "It compares", "Shelf.__eq__", act, "call", expect, statements=("shelf = Shelf()",))

    written = render_cases([case], "pytest", imports=["from shop.shelf import Shelf"], module="shop.shelf")

    assert "result" not in written
    assert f"assert shelf {'==' if actual == 'result' else '!='} Shelf(" in written


def test_a_tolerance_of_the_spec_is_kept() -> None:
    spec = made(TrialFinding(trial("ratio", "ratio(1, 3)"), returned(number(0.3))))
    spec["cases"][0]["expect"][0]["tolerance"] = {"absolute": 0.1}

    assert "pytest.approx(0.3, abs=0.1)" in render(spec, "pytest")
    assert "assertAlmostEqual(ratio(1, 3), 0.3, delta=0.1)" in render(spec, "unittest")


def test_source_that_is_no_python_is_refused() -> None:
    spec = made(*shop_findings())
    spec["cases"][0]["act"]["expression"] = "Cart("

    with pytest.raises(AgentFailure, match="does not render as Python"):
        render(spec, "pytest")


def test_an_unknown_framework_is_refused() -> None:
    with pytest.raises(AgentFailure, match="jest"):
        render(made(*shop_findings()), "jest")
