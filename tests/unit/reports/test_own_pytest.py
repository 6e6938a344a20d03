"""What a person is told about the project's own `pytest`: which tests it ran, which fail, what to do."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.reports.model import OwnPytestRun
from testwright.reports.own_pytest import own_pytest_lines

pytestmark = pytest.mark.feature("T-06")

WHOLE = "tests/generated/shop/test_shop_money.py"
PART = "tests/generated/shop/test_shop_money__parse.py"


def said(passed: int = 0, failing: tuple[str, ...] = (), reason: str = "", files: tuple[str, ...] = (WHOLE,)) -> str:
    rows = [{"nodeid": nodeid, "message": "E", "module": "src/shop/money.py"} for nodeid in failing]
    earlier: dict[str, Any] = {"files": list(files), "passed": passed, "failing": rows, "reason": reason}
    return "\n".join(own_pytest_lines(OwnPytestRun(outcome="passed", passed=3), earlier))


def test_without_earlier_tests_no_more_is_claimed_than_was_run() -> None:
    (line,) = own_pytest_lines(OwnPytestRun(outcome="passed", passed=3), {})
    assert line == ("The project's own `pytest` collects and passes the 3 tests of this run. Other tests were not run.")
    # They were there, and pytest collected none.
    assert said().endswith("Other tests were not run.")


def test_tests_that_were_not_added_are_not_claimed() -> None:
    own = OwnPytestRun(outcome="passed", passed=5)
    first, last = own_pytest_lines(own, {}, not_added={WHOLE: 2})
    assert first.startswith("The project's own `pytest` collects and passes the 3 tests that this run added.")
    assert last == (
        f"Not added, so not among them: the tests of this run for {WHOLE}. What your own file holds was not run, and "
        "may fail."
    )


def test_where_no_test_was_added_none_is_said_to_pass() -> None:
    lines = list(own_pytest_lines(OwnPytestRun(outcome="passed", passed=2), {}, not_added={WHOLE: 2}))
    assert not any("collects and passes" in line for line in lines)
    assert lines[0].startswith("Not added")


def test_a_pytest_that_was_lent_is_not_called_the_projects_own() -> None:
    first, last = own_pytest_lines(OwnPytestRun(outcome="passed", passed=3), {}, lent=True)
    assert first.startswith(
        "Under the project's settings, a lent `pytest` collects and passes the 3 tests of this run."
    )
    assert "The project's environment has no pytest" in last
    assert "`python -m pip install pytest`" in last


def test_earlier_tests_that_pass_are_named_by_their_files() -> None:
    assert f"4 that earlier runs wrote for the same code pass as well ({WHOLE})." in said(4)
    assert "1 that an earlier run wrote for the same code passes as well" in said(1)


def test_earlier_tests_that_fail_are_named_with_both_ways_out() -> None:
    last = said(4, (f"{WHOLE}::test_a", f"{WHOLE}::test_b")).splitlines()[-1]
    assert last == (
        f"2 generated tests of earlier runs fail now: {WHOLE}::test_a, {WHOLE}::test_b. They pin what the code did "
        "before: if the change was meant, `testwright run 'unit tests for src/shop/money.py'` writes them anew; else "
        "the change broke something."
    )


def test_a_file_for_single_functions_is_not_promised_to_be_written_by_a_request_for_the_module() -> None:
    last = said(0, (f"{PART}::test_a",), files=(PART,)).splitlines()[-1]
    assert "1 generated test of an earlier run fails now" in last
    assert "the request that wrote it writes it anew" in last
    assert "testwright run" not in last
    both = said(0, (f"{PART}::test_a", f"{WHOLE}::test_b"), files=(PART, WHOLE)).splitlines()[-1]
    assert "files for single functions or other test types are written anew by the request they are from" in both


def test_performance_tests_are_not_promised_to_be_written_by_a_request_for_unit_tests() -> None:
    slow = "tests/generated/performance/test_shop_money_performance.py"
    last = said(0, (f"{slow}::test_a",), files=(slow,)).splitlines()[-1]
    assert "the request that wrote it writes it anew" in last


@pytest.mark.parametrize(("lent", "told"), [(True, "it was lent to them"), (False, "they were not run")])
def test_a_plugin_that_the_projects_environment_lacks_is_said(lent: bool, told: str) -> None:
    earlier = {"files": [WHOLE], "passed": 2, "lacking": ["tests/test_p.py"], "lent": lent}
    *_, last = own_pytest_lines(OwnPytestRun(outcome="passed", passed=3), earlier)
    assert last.startswith("Performance tests of an earlier run (tests/test_p.py) need pytest-benchmark")
    assert told in last


def test_of_many_that_fail_the_first_are_named_and_all_counted() -> None:
    last = said(0, tuple(f"{WHOLE}::test_{number}" for number in range(9))).splitlines()[-1]
    assert last.startswith("9 generated tests")
    assert "test_4, … and 4 more" in last
    assert "test_5" not in last


def test_earlier_tests_that_could_not_run_are_told_with_the_reason() -> None:
    assert f"({WHOLE}) did not run: time was up." in said(reason="time was up")


def test_where_a_line_of_settings_is_missing_the_rest_is_said_as_well() -> None:
    own = OwnPytestRun(outcome="needs_setting", passed=1, reason="it does not find the modules")
    first, *_ = own_pytest_lines(own, {"files": [WHOLE], "passed": 2, "failing": [], "reason": ""})
    assert "collects and passes the test of this run (tried). 2 that earlier runs wrote" in first


def test_what_earlier_tests_pinned_and_new_ones_replace_is_said_as_a_change_of_the_code() -> None:
    row = {"nodeid": f"{WHOLE}::test_level", "message": "assert 1 == 2", "module": "src/shop/prices.py"}
    earlier = {"files": [], "passed": 0, "failing": [], "outdated": [row], "reason": ""}
    first = next(own_pytest_lines(OwnPytestRun(outcome="passed", passed=3), earlier))
    assert first.startswith(
        "The code does something else than before: 1 generated test of an earlier run fails as it was"
    )
    assert f"{WHOLE}::test_level (assert 1 == 2)" in first
    assert first.endswith("If the change was not meant, it broke something.")
