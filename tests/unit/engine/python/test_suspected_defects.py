"""What a suspected defect says, and that what rests on one becomes no test, though it is of another call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.judge.defects import suspected_defects
from testwright.engine.python.judge.finding_selection import assertable_findings
from testwright.engine.python.model.model import Exploration, Observation, Trial, TrialFinding, Value
from testwright.engine.python.source.literals import literal_places, with_source
from testwright.tests.support.engine.python_projects import facts_of, write_project

pytestmark = pytest.mark.feature("B-02")

CODE = '''
def discount(quantity):
    """Return the discount.

    >>> discount(10)
    5
    >>> discount(100)
    12
    """
    return 5 if quantity >= 10 else 0
'''
LOW, HIGH = frozenset({(-1, 10)}), frozenset({(-1, 10), (10, -1)})


def found(quantity: int, result: int, arcs: frozenset[tuple[int, int]], documented: str = "") -> TrialFinding:
    act = f"discount({quantity})"
    line = 5 if documented else 0
    trial = Trial("discount", act, ("from m import discount",), wanted=documented or None, wanted_line=line)
    seen = Observation("returned", value=Value("int", source=str(result), text=str(result)), arcs=arcs)
    agrees = documented == str(result) if documented else None
    contradicts = documented if agrees is False else None
    return TrialFinding(trial, seen, covered=arcs, agrees=agrees, contradicts=contradicts)


def kept(tmp_path, *findings: TrialFinding) -> tuple[list[str], dict[str, str]]:
    facts = facts_of(write_project(tmp_path, {"m.py": CODE}), "m.py")
    chosen, without = assertable_findings(Exploration(facts, findings=findings))
    return [one.finding.trial.act for one in chosen], without


def test_what_takes_the_way_of_a_contradicted_example_is_left_out_with_the_reason(tmp_path):
    acts, without = kept(tmp_path, found(100, 5, HIGH, "12"), found(200, 5, HIGH))

    assert acts == []
    assert without == {"discount": "what it returns rests on a suspected defect"}


def test_another_way_is_kept(tmp_path):
    assert kept(tmp_path, found(100, 5, HIGH, "12"), found(3, 0, LOW))[0] == ["discount(3)"]


def test_a_way_of_which_a_document_shows_a_right_result_is_sound(tmp_path):
    findings = [found(100, 5, HIGH, "12"), found(10, 5, HIGH, "5"), found(99, 7, HIGH)]

    assert kept(tmp_path, *findings)[0] == ["discount(10)", "discount(99)"]


def test_a_defect_tells_output_beside_a_result_and_shows_where_a_long_document_is_cut(tmp_path):
    facts = facts_of(write_project(tmp_path, {"m.py": CODE}), "m.py")
    one = found(100, 5, HIGH, "12" * 400)
    finding = replace(one, observation=replace(one.observation, output="hi\n"))

    [defect] = suspected_defects(Exploration(facts, findings=(finding,)))

    assert defect["observed"] == "prints 'hi\\n' and returns 5"
    assert (len(defect["documented"]), defect["documented"][-2:]) == (600, "1…")


def test_a_call_made_by_changing_one_of_a_document_shows_the_code_and_not_the_document(tmp_path):
    code = "def half(number: int) -> int:\n    return number / 2\n"
    facts = facts_of(write_project(tmp_path, {"m.py": code}), "m.py")
    written = Trial("half", "half(4)", ("from m import half",), wanted="2", wanted_line=30, wanted_path="README.md")
    changed = with_source(written, literal_places(written)[0], "3")
    arcs = frozenset({(-1, 2), (2, -1)})
    seen = Observation("returned", value=Value("float", source="1.5", text="1.5"), arcs=arcs)

    [defect] = suspected_defects(Exploration(facts, findings=(TrialFinding(changed, seen, covered=arcs),)))

    assert defect["evidence"] == {"path": "m.py", "lines": [1, 2]}
