"""What is covered before anything is generated."""

import pytest

from testwright.gate.evidence.summary import coverage_change
from testwright.gate.model.coverage_data import CoverageData, FileCoverage
from testwright.gate.runner.baseline import measure_baseline, own_test_files
from testwright.tests.integration.gate.conftest import CART
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.utils.generated_header import with_header

pytestmark = pytest.mark.feature("B-01")
OWN = """from shop.cart import total

def test_ok():
    assert total(1, 2) == 2

def test_no():
    assert total(1, 0) == 0
"""
MEASURE = ("src/shop/cart.py",)


async def test_the_projects_own_tests_count_with_a_word_on_those_that_fail(tmp_path, plain_python):
    generated = with_header("from shop.cart import spin\n\ndef test_g():\n    spin()\n", target="src/shop/cart.py")
    files = {
        "src/shop/__init__.py": "",
        "src/shop/cart.py": CART,
        "tests/test_cart.py": OWN,
        "tests/generated/test_shop_cart.py": generated,
    }
    async with prepared(tmp_path, files, python=plain_python) as target:
        baseline = await measure_baseline(target, MEASURE, modules=("shop.cart",))
    assert (baseline.source, baseline.files, baseline.passed, baseline.failed) == ("own_tests", 1, 1, 1)
    assert baseline.notes == ("1 of the project's own tests did not pass; what they ran counts as covered",)
    assert baseline.coverage.totals()["covered_branches"] == 3


async def test_without_tests_that_run_importing_is_what_counts(tmp_path, plain_python):
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": CART, "tests/test_cart.py": "raise OSError('no server')\n"}
    async with prepared(tmp_path, files, python=plain_python) as target:
        baseline = await measure_baseline(target, MEASURE, modules=("shop.cart",))
        broken = await measure_baseline(target, MEASURE, modules=("shop.nowhere",), tests=())
    assert baseline.source == "imports"
    assert baseline.coverage.totals()["covered"] == 4
    assert any("none of the project's own tests passes" in note for note in baseline.notes)
    assert broken.source == "nothing"
    assert "shop.nowhere" in broken.notes[0]


def test_generated_files_are_no_tests_of_the_project(tmp_path):
    project = make_project(
        tmp_path,
        {
            "tests/test_own.py": "",
            "pkg/deep_test.py": "",
            "tests/helper.py": "",
            "tests/generated/test_g.py": with_header("pass\n", target="a.py"),
            "tests/generated/test_edited.py": with_header("pass\n", target="a.py") + "more = 1\n",
        },
    )
    assert own_test_files(project) == ("pkg/deep_test.py", "tests/test_own.py")


def test_coverage_after_is_the_union_of_before_and_what_the_kept_tests_reach():
    file = FileCoverage(frozenset({1, 2, 3}), frozenset({1, 2}), frozenset({(1, 2), (1, 3)}), frozenset({(1, 2)}))
    other = FileCoverage(frozenset({1, 2, 3}), frozenset({1, 3}), frozenset({(1, 2), (1, 3)}), frozenset({(1, 3)}))
    united = CoverageData({"a.py": file}).united(CoverageData({"a.py": other}))
    assert united.totals()["covered_branches"] == 2
    assert united.totals()["percent_statements"] == 100.0
    change = coverage_change(CoverageData({"a.py": file}), None)
    assert change is not None
    assert change["before"] is None
    assert change["files"]["a.py"]["missing_branches"] == [[1, 3]]
