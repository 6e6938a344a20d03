"""Which redundant tests stay: the anchor of a member, and a test of each answer of a comparison."""

from dataclasses import replace

import pytest

from testwright.gate.evidence.additions import additions_of, redundant_tests
from testwright.gate.evidence.evidence import EvidenceRecord, evidence_of
from testwright.gate.model.mutant_results import MutantResult, MutationReport
from testwright.gate.model.verdicts import CaseVerdict, Verification
from testwright.mutation.model import Mutant

PATH = "tests/generated/test_shelf.py"


def killers(killed):
    """Records of tests that run the same line, and a measurement in which mutant number n has these killers."""
    mutant = Mutant("constant", "src/f.py", 2, (2,), 0, 1, "0", "1", "0")
    results = tuple(MutantResult(replace(mutant, start=at), "killed", tuple(part)) for at, part in enumerate(killed))
    names = sorted({name for part in killed for name in part} | {"test_idle"})
    return [
        EvidenceRecord(name, PATH, f"tc_{name}", {"src/f.py": (2,)}, mutants_killed=sum(name in one for one in killed))
        for name in names
    ], results


@pytest.mark.feature("B-11")
def test_the_anchor_of_a_member_stays_and_the_test_beside_it_goes():
    records, results = killers([("test_put", "test_put_of_a_longer_text", "test_other")])
    report = MutationReport(results, found=9)
    members = {"test_put": "Shelf.put", "test_put_of_a_longer_text": "Shelf.put", "test_other": "Shelf.get"}
    told = [replace(one, subject=members.get(one.nodeid, "")) for one in reversed(records)]

    left_out = {one.nodeid for one in redundant_tests(told, report)}

    assert left_out == {"test_put_of_a_longer_text", "test_idle"}


@pytest.mark.feature("B-11")
def test_an_assessed_suite_keeps_the_test_whose_name_others_begin_with():
    records, results = killers([("test_put", "test_put_of_a_longer_text"), ("test_put_of_a_longer_text",)])
    report = MutationReport(results, found=9)

    found = additions_of(records, report)

    assert {one.nodeid for one in found.values() if one.idle} == {"test_idle"}


@pytest.mark.feature("B-11")
def test_a_comparison_keeps_a_test_of_each_answer():
    records, results = killers([("test_eq", "test_put"), ("test_eq_with_value",)])
    report = MutationReport(results, found=9)
    answers = {"test_eq": True, "test_idle": False}
    told = [replace(one, subject="Shelf.__eq__", answer=answers.get(one.nodeid)) for one in records]

    assert "test_idle" not in {one.nodeid for one in redundant_tests(told, report)}
    alike = [replace(one, answer=None) for one in told]
    assert "test_idle" in {one.nodeid for one in redundant_tests(alike, report)}


@pytest.mark.feature("B-11")
def test_what_stays_for_its_answer_takes_the_place_of_none_that_alone_shows_the_other_answer():
    records, results = killers([("test_eq",), ("test_eq_of_another_kind", "test_eq_with_value")])
    report = MutationReport(results, found=9)
    answers = {"test_eq_of_another_kind": False, "test_eq_with_value": True}
    told = [replace(one, subject="Shelf.__eq__", answer=answers.get(one.nodeid)) for one in records]

    left_out = {one.nodeid for one in redundant_tests(told, report)}

    assert left_out.isdisjoint(answers)


@pytest.mark.feature("B-11")
@pytest.mark.parametrize(
    ("subject", "expected", "answer"),
    [
        ("Shelf.is_full", {"kind": "holds", "actual": "result"}, True),
        ("Shelf.is_full", {"kind": "holds", "actual": "not result"}, False),
        ("Shelf.is_full", {"kind": "is", "value": "False"}, False),
        ("Shelf.__eq__", {"kind": "equals", "actual": "result", "value": "Shelf(1)"}, True),
        ("Shelf.__ne__", {"kind": "equals", "actual": "result", "value": "Shelf(1)"}, False),
        ("Shelf.copy", {"kind": "equals", "actual": "result", "value": "Shelf(1)"}, None),
        ("Shelf.put", {"kind": "raises", "exception": "ValueError"}, None),
    ],
)
def test_a_case_tells_which_answer_of_a_comparison_it_expects(subject, expected, answer):
    spec = {"cases": [{"id": "tc_it", "subject": subject, "expect": [{**expected, "origin": "observed"}]}]}
    verdict = CaseVerdict("test_it", PATH, "test_it", "kept", "tc_it")

    (record,) = evidence_of(Verification("pytest", {PATH: ""}, (verdict,)), spec=spec)

    assert record.answer is answer
