"""The parts of report.html: lines as ranges, places of tests, shares, causes, time by kind of work."""

import pytest

from testwright.core.events import Event, EventType
from testwright.reports.html.comparison import compare
from testwright.reports.html.overview import cause_portions, module_rows, phase_portions, total_mutants
from testwright.reports.html.page_data import function_places, line_ranges, place_of
from testwright.reports.run_facts import phase_times
from testwright.tests.support.runs.report_pages import large_report

pytestmark = pytest.mark.feature("B-13")

TESTS = """import pytest


class TestCart:
    @pytest.mark.parametrize("count", [1, 2])
    def test_add(self, count):
        assert count

    async def test_wait(self):
        pass


def test_plain():
    pass
"""


@pytest.mark.parametrize(
    ("lines", "ranges"),
    [
        pytest.param([], "", id="none"),
        pytest.param([3], "3", id="one"),
        pytest.param([5, 1, 2, 3, 3], "1-3,5", id="in any order and twice"),
    ],
)
def test_lines_are_written_as_ranges(lines, ranges):
    assert line_ranges(lines) == ranges


@pytest.mark.parametrize(
    ("nodeid", "place"),
    [
        pytest.param("test_cart.py::TestCart::test_add[1]", (5, 7), id="a row, with the decorator"),
        pytest.param("test_cart.py::TestCart::test_wait", (9, 10), id="a coroutine"),
        pytest.param("test_cart.py::test_plain", (13, 14), id="a function"),
        pytest.param("test_cart.py::test_other", None, id="one that is not there"),
    ],
)
def test_a_tests_lines_are_found_by_its_node_id(nodeid, place):
    assert place_of(nodeid, function_places(TESTS)) == place


@pytest.mark.parametrize("text", ["def broken(:", "const test = 1", "\x00", "(" * 5000])
def test_text_that_is_no_python_has_no_places(text):
    assert function_places(text) == {}


def test_modules_show_branches_before_and_after_and_the_share_of_mutants():
    report = large_report(4, modules=1)

    (row,) = module_rows(report)
    assert (row.branches.before, row.branches.now, row.branches.counts) == (10.0, 75.0, "30 of 40 branches")
    assert (row.mutants.now, row.mutants.counts) == (75.0, "15 of 20 mutants")
    assert total_mutants(large_report(4, modules=3).targets).counts == "45 of 60 mutants"


def test_causes_are_counted_and_the_most_frequent_comes_first():
    (cause,) = cause_portions(large_report(4, modules=3))

    assert (cause.name, cause.number, cause.share) == ("Flaky: the result changed between runs", 3, 100.0)


def test_time_is_shown_by_kind_of_work_relative_to_the_longest():
    portions = phase_portions(large_report(1, modules=1))

    assert [(portion.name, portion.number) for portion in portions] == [
        ("Exploring, choosing cases", 4.0),
        ("Running tests and mutants", 6.5),
        ("Running all tests together", 1.0),
    ]
    assert portions[1].share == 100.0


def event(number, kind, at, step="", **data):
    return Event(number, kind, at, "", step or None, data)


def test_phases_are_added_up_over_steps_and_those_cut_off_do_not_count():
    events = [
        event(1, EventType.NODE_STARTED, 1.0, node="build_plan"),
        event(2, EventType.NODE_ENDED, 2.0, node="build_plan"),
        event(3, EventType.NODE_STARTED, 2.0, node="execute_current_step"),
        event(4, EventType.STEP_STARTED, 2.0, "a", step_type="generate_unit_tests"),
        event(5, EventType.NODE_STARTED, 2.0, "a", node="run_tests"),
        event(6, EventType.NODE_STARTED, 3.0, "b", node="run_tests"),
        event(7, EventType.NODE_ENDED, 4.0, "a", node="run_tests"),
        event(8, EventType.NODE_ENDED, 6.0, "b", node="run_tests"),
        event(9, EventType.STEP_STARTED, 6.0, "c", step_type="verify_suite"),
        event(10, EventType.STEP_ENDED, 9.0, "c", step_type="verify_suite"),
        event(11, EventType.NODE_STARTED, 9.0, "d", node="run_tests"),
    ]

    found = [(phase.phase, phase.seconds) for phase in phase_times(events)]
    assert found == [("build_plan", 1.0), ("run_tests", 5.0), ("verify_suite", 3.0)]


def test_a_defect_of_a_target_that_was_not_looked_at_again_is_not_gone():
    earlier, now = large_report(4, modules=2), large_report(4, modules=2, defects=0)
    only_second = now.model_copy(update={"targets": now.targets[1:]})

    assert len(compare(now, earlier).gone_defects) == 2
    assert compare(only_second, earlier).gone_defects == ()
    assert [module.state for module in compare(only_second, earlier).modules] == ["gone", "both"]


def test_runs_of_different_requests_are_said_not_to_be_comparable() -> None:
    report = large_report(3)
    other = report.model_copy(update={"request": "unit tests for another module"})
    assert compare(report, report).other_request == ""
    assert compare(report, other).other_request == "unit tests for another module"
