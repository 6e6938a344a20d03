"""Tables and limits of benchmarks/generators, from figures made up for it."""

import copy

import pytest

from testwright.benchmarks.generators.limits import branch_of, checks
from testwright.benchmarks.generators.table import limits_table, markdown


def coverage(line, branch):
    return {"line": line, "branch": branch, "statements": 100, "covered": line, "branches": 100}


def suite(**changes):
    found = {
        "version": "1",
        "crash": "",
        "said": [],
        "notes": [],
        "load": 0.1,
        "reused": False,
        "wall_seconds": 20.0,
        "cpu_seconds": 25.0,
        "peak_mib": 300.0,
        "first_seconds": 4.0,
        "again_seconds": 0.5,
        "coverage": coverage(95.0, 90.0),
        "functions": 40,
        "rows": 60,
        "test_lines": 90,
        "failing": [],
        "flaky": [],
        "xfail": [],
        "skipped": 0,
        "mutants": {"found": 300, "sampled": 100, "killed": 85, "equivalent": 1, "untried": 0, "set_aside": []},
    }
    return {**found, **changes}


def row(module="words.case", **tools):
    return {"module": module, "source_lines": 100, "imports_only": coverage(20.0, 2.0), "tools": tools}


def results(*rows):
    machine = {"processors": 2, "model": "some", "memory_gib": 8.0, "python": "3.11.7", "system": "Linux", "load": 0.1}
    return {
        "made_at": "2026-01-01T00:00:00+00:00",
        "machine": machine,
        "terms": {"seconds": 60, "seed": 0, "mutants": 100, "memory_mib": 4096},
        "tools": {"testwright": "abc", "pynguin": "0.48.0"},
        "modules": list(rows),
    }


def failing(rows):
    return [check.limit for check in checks(rows) if check.holds is False]


def test_every_limit_holds_for_a_suite_within_all_of_them():
    rows = [row(testwright=suite(), pynguin=suite(coverage=coverage(90.0, 90.0)))]
    assert {check.holds for check in checks(rows)} == {True}


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"failing": ["a"]}, "0 failing"),
        ({"flaky": ["a"]}, "0 flaky"),
        ({"xfail": ["a"]}, "0 xfail"),
        ({"test_lines": 101}, "at most 1 test line a source line on average"),
        ({"functions": 81}, "at most 80 test functions a module"),
        ({"rows": 301}, "at most 300 rows a module"),
        ({"wall_seconds": 30.1}, "at most 30 s a module"),
        ({"first_seconds": 5.0}, "less than 5 s to the first tests"),
        ({"again_seconds": 1.0}, "less than 1 s for a second run"),
        ({"peak_mib": 1536.0}, "less than 1.5 GiB of memory"),
    ],
)
def test_a_limit_that_is_passed_is_told_with_its_module(changes, limit):
    rows = [row(testwright=suite(**changes)), row("words.more", testwright=suite(test_lines=100))]
    assert failing(rows) == [limit]
    assert f"| {limit} |" in limits_table(rows)
    assert "**no**" in limits_table(rows)


def test_coverage_is_held_to_the_mean_to_each_module_and_to_pynguin():
    low = suite(coverage=coverage(80.0, 69.0))
    rows = [row(testwright=low, pynguin=suite(coverage=coverage(80.0, 70.0)))]
    assert failing(rows) == [
        "mean branch coverage at least 88 %",
        "no module below 70 % of branches",
        "at least Pynguin's branch coverage on each module",
    ]
    assert "words.case 69.0 < 70.0" in limits_table(rows)


def test_mutants_set_aside_count_against_what_is_noticed():
    mutants = {**suite()["mutants"], "killed": 79, "equivalent": 11}
    assert failing([row(testwright=suite(mutants=mutants))]) == [
        "at least 80 of 100 sampled mutants noticed on average",
        "at most 10 % of mutants set aside as equivalent on average",
    ]


def test_each_condition_is_held_to_no_failure():
    told = {"-W error": ["t"], "locale C": [], "Python 3.12": "no Python 3.12 on this machine"}
    rows = [row(testwright=suite(conditions=told), pynguin=suite()), row("words.more", testwright=suite())]
    found = {check.limit: (check.shown, check.holds) for check in checks(rows) if "under" in check.limit}
    assert found == {
        "0 failing under -W error": ("words.case 1", False),
        "0 failing under locale C": ("0 on 1 modules", True),
        "0 failing under Python 3.12": ("words.case: no Python 3.12 on this machine", None),
    }


def test_what_was_not_measured_is_neither_held_nor_broken():
    rows = [row(testwright=suite(first_seconds=None))]
    unknown = [check.limit for check in checks(rows) if check.holds is None]
    assert unknown == ["at least Pynguin's branch coverage on each module", "less than 5 s to the first tests"]
    assert checks([row(pynguin=suite())]) == []
    assert limits_table([row(pynguin=suite())]) == ""


def test_a_crash_counts_as_imports_only_and_is_said():
    crashed = {key: value for key, value in suite(crash="exit 1: got negative size").items() if key != "mutants"}
    rows = [row(testwright=suite(), pynguin=crashed)]
    assert branch_of(rows[0], "pynguin") == 2.0
    told = markdown(results(*rows))
    assert "|  | pynguin | 20 | 2 | crashed |" in told
    assert "words.case, pynguin: no usable suite, counted as imports only (exit 1: got negative size)" in told
    assert "| pynguin | 20.0 | 2.0 | 0.0 | 1 |" in told


def test_each_line_of_the_table_has_all_columns():
    told = markdown(results(row(testwright=suite(), pynguin=suite(crash="no")), row("a", testwright=suite())))
    table = told.split("\n\n")[1].splitlines()
    assert {line.count("|") for line in table} == {19}
    assert len(table) == 2 + 3 + 2


def test_a_busy_machine_is_told_beside_wall_seconds():
    quiet, busy = suite(), suite(load=3.0)
    assert "†" not in markdown(results(row(testwright=quiet)))
    assert "| 20 † | 25 |" in markdown(results(row(testwright=busy)))


def test_mutants_that_were_set_aside_or_not_tried_are_told():
    mutants = copy.deepcopy(suite()["mutants"]) | {
        "untried": 3,
        "set_aside": [{"rule": "logging"}, {"rule": "logging"}],
    }
    told = markdown(results(row(testwright=suite(mutants=mutants))))
    assert "- words.case, testwright: 3 mutants could not be tried" in told
    assert "- words.case, testwright: set aside as equivalent: 2 logging" in told
