"""What a machine mends in a model's cases, and what it leaves out alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.observed_cases import ObservedCase
from testwright.agents.llm.specs.answer_cases import AnswerCases
from testwright.agents.llm.specs.answer_mending import Subjects, mended, unbound_names
from testwright.agents.llm.specs.spec_answer import case_of
from testwright.engine.python.write.case_namer import CaseNaming
from testwright.tests.support.runs.model_runs import SPEC_PATH, case, till

pytestmark = pytest.mark.feature("T-13")

SOURCE = '''"""Prices."""

import math
from decimal import Decimal

LIMIT = 100


class Till:
    """A till."""

    def pay(self, total):
        """Pay a total.

        A total of 100 pays 90.
        """
        return total


def discounted(total):
    return math.floor(total)
'''
SUBJECTS = Subjects(SOURCE, "till.prices")
TARGET = {"path": SPEC_PATH, "module": "till.prices"}


def mend(**more: Any) -> tuple[dict[str, Any], list[str]]:
    return mended({**case(50, "50"), **more}, ["from till.prices import discounted"], SUBJECTS)


def test_names_that_are_not_imported_come_from_the_module_its_imports_or_the_standard_library() -> None:
    statements = ["total = Decimal(math.pi) + LIMIT", "day = timedelta(1)", "pytest.importorskip"]
    better, imports = mend(statements=statements, expression="Till().pay(json.loads(total, day))")
    assert imports == [
        "from decimal import Decimal",
        "from till.prices import LIMIT",
        "from till.prices import Till",
        "import json",
        "import math",
        "import pytest",
        "from datetime import timedelta",
    ]
    assert unbound_names(better, {"Decimal", "LIMIT", "Till", "json", "math", "pytest", "timedelta"}) == []


def test_what_nothing_reads_is_not_assigned() -> None:
    better, _ = mend(statements=["a = 1", "b = a", "till = Till()", "seen = till.pay(3)"])
    assert better["statements"] == ["till = Till()", "till.pay(3)"]


def test_a_documented_expectation_without_lines_cites_its_subjects_docstring() -> None:
    expect = [{**case(50, "50")["expect"][0], "lines": None}]
    better, _ = mend(subject="Till.pay", expression="Till().pay(100)", expect=expect)
    assert better["expect"][0]["lines"] == [13, 16]


@pytest.mark.parametrize("subject", ["prices", "till.prices.Till.pay", "Till.pay(100)", "pay"])
def test_a_subject_that_the_module_has_not_is_read_from_the_act(subject: str) -> None:
    assert mend(subject=subject, expression="Till().pay(100)")[0]["subject"] == "Till.pay"


async def usable(folder: Path, *cases: dict[str, Any], **more: Any) -> Any:
    """What can be used of an answer about the till."""
    answer = {"imports": ["from till.prices import discounted"], "decisions": [], "properties": [], "cases": cases}
    root = till(folder)
    return await AnswerCases(TARGET, (root / SPEC_PATH).read_text(), root, None).usable({**answer, **more}, [])


async def test_one_bad_case_is_left_out_alone_by_name(tmp_path: Path) -> None:
    reaching = case(200, "180", name="reaching", statements=["import os", "os.system('x')"])
    idle = case(50, "discounted(50)", name="idle")
    lost = case(50, "50", name="lost", statements=["x = nowhere(1)"], expression="discounted(x)")
    silent = {**case(70, "70", name="silent"), "expect": None}
    found = await usable(tmp_path, reaching, idle, lost, silent, case(200, "180"))
    assert [one["id"] for one in found.cases] == ["tc_discounted_200"]
    for name, note in zip(("reaching", "idle", "lost", "silent"), found.notes, strict=True):
        assert f"tc_discounted_{name}" in note


async def test_a_property_over_several_inputs_becomes_rows_of_one_test(tmp_path: Path) -> None:
    given = case(1, "total", name="small", expression="discounted(total)")
    stated = {**given, "names": ["total"], "rows": [["1"], ["50"], ["1", "2"], ["100"]]}
    found = await usable(tmp_path, properties=[stated])
    assert [one["arrange"]["statements"] for one in found.cases] == [["total = 1"], ["total = 50"], ["total = 100"]]
    assert {one["group"] for one in found.cases} == {"discounted_small"}
    assert found.notes == ["a property of the model loses rows: tc_discounted_small: 1 of 4 rows have not 1 values"]
    assert "it has no row" in (await usable(tmp_path / "none", properties=[{**stated, "rows": []}])).notes[0]


@pytest.mark.parametrize(
    "hidden",
    [
        {"expression": "discounted(o.system('id')) #"},
        {"statements": ["class A:\n    o = o\n    o.system('id')"]},
        {"statements": ["o.system('id') # o = 1"]},
        {"expect": [{**case(50, "50")["expect"][0], "value": "50 #"}]},
    ],
)
async def test_no_case_reaches_a_siblings_import_unseen(hidden: dict[str, Any], tmp_path: Path) -> None:
    sibling = case(200, "180", statements=["o.getcwd()"])
    imports = ["from till.prices import discounted", "import os as o"]
    for expect in ({}, {"expect": None}):
        found = await usable(tmp_path, {**case(50, "50", name="hidden"), **expect, **hidden}, sibling, imports=imports)
        assert found.cases == []
        assert "import os as o" not in found.imports


@pytest.mark.parametrize(
    "text", ["-" * 700 + "1", "1" + " + 1" * 300, "(" * 90 + "1" + ")" * 90 + "[", "discounted(1) or ("], ids=range(4)
)
async def test_code_that_cannot_be_judged_as_a_whole_costs_its_case_alone(text: str, tmp_path: Path) -> None:
    found = await usable(tmp_path, case(50, "50", name="odd", expression=text), case(200, "180"))
    assert [one["id"] for one in found.cases] == ["tc_discounted_200"]
    assert "tc_discounted_odd cannot be read" in found.notes[0]


async def test_lines_written_with_a_fraction_are_read(tmp_path: Path) -> None:
    expect = [{**case(50, "50")["expect"][0], "origin": "documented", "lines": [5.0, 4.0]}]
    found = await usable(tmp_path, case(100, "90", expect=expect))
    assert found.cases[0]["expect"][0]["evidence"]["lines"] == [4, 5]


async def test_another_functions_docstring_documents_nothing(tmp_path: Path) -> None:
    expect = [{**case(50, "4")["expect"][0], "value": "0.25", "origin": "documented", "lines": [2, 2]}]
    source = 'def third():\n    """0.25 of it."""\n\n\ndef discounted(total):\n    """A price."""\n    return total\n'
    given = {"imports": [], "decisions": [], "properties": [], "cases": [case(1, "0.25", expect=expect)]}
    found = await AnswerCases(TARGET, source, till(tmp_path), None).usable(given, [])
    assert found.cases[0]["expect"][0]["origin"] == "inferred"


async def test_what_documents_an_expectation_is_cited_by_its_object(tmp_path: Path) -> None:
    expect = [{**case(50, "4")["expect"][0], "value": "0.25", "origin": "documented", "lines": [2, 2]}]
    source = 'def discounted(total):\n    """0.25 of it."""\n    return total\n'
    given = {"imports": [], "decisions": [], "properties": [], "cases": [case(1, "0.25", expect=expect)]}
    found = await AnswerCases(TARGET, source, till(tmp_path), None).usable(given, [])
    [row] = found.cases[0]["expect"]
    assert row["origin"] == "documented"
    assert row["evidence"]["object"] == "discounted"


def test_what_may_have_an_effect_is_not_dropped() -> None:
    effects = ["a = till[0]", "b = till.total", "c = [*till]", "d = -till"]
    better, _ = mend(statements=["till = make()", *effects])
    assert len(better["statements"]) == 5


def seen_as(value: str) -> Any:
    """An observer that sees every case return a value."""

    async def observe(path: str, cases: Any, imports: Any) -> list[ObservedCase]:
        row = {"kind": "equals", "actual": "result", "value": value, "origin": "observed"}
        naming = CaseNaming(f"the result equals {value}", "Call it", f"the result equals {value}", "tc_seen")
        needed = ("from till.prices import discounted",)
        return [ObservedCase({**case, "expect": [row]}, needed, naming) for case in cases]

    return observe


async def observed(folder: Path, *given: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """The cases of a spec after the last one's expectation was judged wrong, and what was replaced."""
    root = till(folder)
    cases = AnswerCases(TARGET, SOURCE, root, seen_as("50"))
    wrong = [{"path": f"$.cases[{len(given) - 1}].expect"}]
    made = [case_of({**one, "subject": "discounted"}, SPEC_PATH) for one in given]
    spec, replaced, _ = await cases.observed_instead({"imports": [], "cases": made}, wrong)
    return spec["cases"], replaced


async def test_an_expectation_replaced_by_what_the_code_does_is_named_by_it_without_its_group(
    tmp_path: Path,
) -> None:
    told = case(50, "45", name="is_reduced", title="a total of 50 is reduced, too", group="reduced")
    [kept, seen], replaced = await observed(tmp_path, case(200, "180"), told)
    assert kept["id"] == "tc_discounted_200"
    assert (seen["id"], seen["title"], seen["expected"]) == ("tc_seen", "the result equals 50", "the result equals 50")
    assert "group" not in seen
    assert seen["written_by"] == "model"
    assert replaced == ["tc_discounted_is_reduced"]


async def test_what_another_case_says_already_is_not_said_again(tmp_path: Path) -> None:
    cases, _ = await observed(tmp_path, case(50, "50"), case(50, "45", name="is_reduced"))
    assert [one["id"] for one in cases] == ["tc_discounted_50"]


async def test_an_input_that_was_to_be_observed_is_named_by_what_was_seen(tmp_path: Path) -> None:
    silent = {**case(70, "70", name="is_reduced", title="70 is reduced"), "expect": None}
    answer = {"imports": ["from till.prices import discounted"], "decisions": [], "properties": [], "cases": [silent]}
    found = await AnswerCases(TARGET, SOURCE, till(tmp_path), seen_as("70")).usable(answer, [])
    assert [(one["id"], one["title"]) for one in found.cases] == [("tc_seen", "the result equals 70")]
