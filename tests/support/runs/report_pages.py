"""Reports with sources and test files, as the page for a browser shows them."""

from __future__ import annotations

from typing import Any

from testwright.reports.build import build_report
from testwright.reports.html.inputs import PageInputs
from testwright.reports.html.page import html_form
from testwright.reports.model import Report
from testwright.reports.run_model import PhaseTime

from .report_data import case, executed, facts, generate_step, outcomes

PHASES = tuple(
    PhaseTime(phase=phase, seconds=seconds)
    for phase, seconds in (("generate_spec", 4.0), ("run_tests", 6.5), ("verify_suite", 1.0))
)
HOSTILE = "</script><img src=x onerror=alert(1)>'\"&<!--\u202e\x1b[31m"


def large_report(tests: int, *, modules: int = 10, defects: int = 2) -> Report:
    """A report of this many kept tests over the modules, each with evidence, mutants and a share of lines not run."""
    steps = []
    for number in range(1, modules + 1):
        count = tests // modules + (number <= tests % modules)
        steps.append(generate_step(number, **_target(number, count, defects if number == 1 else 0)))
    return build_report(facts(phases=PHASES), outcomes(*steps))


def page_inputs(report: Report, **fields: Any) -> PageInputs:
    """The report with texts for its sources and test files."""
    sources = {target.path: source_text() for target in report.targets}
    files = {target.test_path: tests_text(len(target.kept)) for target in report.targets}
    given: dict[str, Any] = {"report": report, "sources": sources, "tests": files, **fields}
    return PageInputs(**given)


def source_text(functions: int = 40) -> str:
    """A module of five lines a function."""
    lines = ['"""Adds."""', ""]
    for number in range(functions):
        lines += [
            f"def add_{number}(left, right):",
            '    """Add."""',
            "    if left:",
            "        return left + right",
            "",
        ]
    return "\n".join(lines) + "\n"


def tests_text(count: int) -> str:
    """A test file of this many tests."""
    tests = (
        f"def test_add_{number}():\n    result = add({number}, 2)\n\n    assert result == {number} + 2\n"
        for number in range(count)
    )
    return "\n\n".join(tests)


def hostile_page() -> str:
    """A page in which every text of the project is hostile."""
    bad = case("tc_bad", title=HOSTILE, subject=HOSTILE)
    defect = {"id": "d", "title": HOSTILE, "documented": HOSTILE, "observed": HOSTILE, "reproduce": HOSTILE}
    spec = {"cases": [bad], "suspected_defects": [defect], "not_reached": [{"subject": HOSTILE, "reason": HOSTILE}]}
    dropped = [{"case_id": "tc_lost", "title": HOSTILE, "reason": HOSTILE, "class": "flaky"}]
    step = generate_step(1, **executed(["tc_bad"], spec_json=spec, dropped=dropped))
    report = build_report(facts(), outcomes(step, request=HOSTILE))
    texts = dict.fromkeys((report.targets[0].path, report.targets[0].test_path), HOSTILE)
    return html_form(PageInputs(report, sources=texts, tests=texts, earlier=report))


def _target(number: int, count: int, defects: int) -> dict[str, Any]:
    names = [f"tc_add_{place}" for place in range(count)]
    path, test_path = f"src/shop/cart{number}.py", f"tests/generated/shop/test_cart{number}.py"
    rows = [
        {
            "case_id": name,
            "nodeid": f"{test_path}::test_add_{place}",
            "evidence": {
                "lines": [3, 5, 6 + 5 * (place % 30)],
                "branches": 1,
                "mutants_killed": place % 7,
                "reruns": 3,
            },
        }
        for place, name in enumerate(names)
    ]
    change = {
        "before": {"statements": 90, "covered": 30, "branches": 40, "covered_branches": 4},
        "after": {"statements": 90, "covered": 60 + number % 20, "branches": 40, "covered_branches": 30},
        "files": {path: {"missing": list(range(160, 180))}},
    }
    return executed(
        names,
        spec_json={
            "cases": [
                case(name, title=f"add({place}, 2) of cart {number} equals {place + 2}")
                for place, name in enumerate(names)
            ],
            "suspected_defects": [_defect(path, place) for place in range(defects)],
            "not_reached": [{"subject": "remove", "reason": "no oracle found: it returns None", "line": 12}],
        },
        dropped=[{"case_id": "tc_lost", "reason": "it failed on another day", "class": "flaky", "title": "now()"}],
        test_results={"tests": rows, "coverage": change, "mutation": _mutation(path, names), "repeats": 3},
    )


def _defect(path: str, number: int) -> dict[str, Any]:
    return {
        "id": f"defect-{number}",
        "title": f"add_{number}: returns 5 where the document says 12",
        "documented": "12",
        "observed": "returns 5",
        "reproduce": f"from shop import add_{number}\nadd_{number}(100, 2)",
        "evidence": {"path": path, "lines": [3 + 5 * number, 6 + 5 * number]},
    }


def _mutation(path: str, names: list[str]) -> dict[str, Any]:
    mutant = {"path": path, "operator": "arithmetic", "before": "return left + right", "after": "return left - right"}
    survivors = [{**mutant, "line": 6 + 5 * place, "status": "survived"} for place in range(5)]
    noticed = [
        {**mutant, "line": 6 + 5 * place, "noticed_by": names[:3], "tests": len(names)} for place in range(2, 12)
    ]
    counts = {"found": 20, "sampled": 20, "killed": 15, "survived": 5, "score": 75.0}
    return {**counts, "survivors": survivors, "noticed": noticed if names else []}
