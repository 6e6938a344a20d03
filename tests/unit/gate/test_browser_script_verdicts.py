"""What runs of Playwright Test say of a test: refuted, flaky, cut off by the time of the run, or not shown to fail."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from testwright.gate.model.verdicts import CaseVerdict
from testwright.gate.verify import browser_scripts as gate
from testwright.sandbox.javascript.playwright import PlaywrightRequest, PlaywrightRun
from testwright.sandbox.javascript.playwright_report import PlaywrightTest

pytestmark = pytest.mark.feature("T-20", "T-10")
OUT_OF_TIME = ("Timed out waiting 810s for the test suite to run",)
NONE_KNOWN = gate._Cases()


class Reported:
    """A runner whose next report is this one."""

    def __init__(self, run: PlaywrightRun) -> None:
        self._run = run

    async def run(self, request: PlaywrightRequest) -> PlaywrightRun:
        return self._run


def one(status: str, message: str = "", *tags: str) -> PlaywrightTest:
    return PlaywrightTest("f", "a", status, tags or ("tc_a",), 1.0, message)


def kept() -> dict[str, CaseVerdict]:
    return {"f::a": CaseVerdict("f::a", "f", "a", "kept", "tc_a")}


def refuted(*tests: PlaywrightTest, broken: tuple[str, ...] = ()) -> tuple[CaseVerdict, tuple[str, ...]]:
    verdicts = kept()
    runner = cast(Any, Reported(PlaywrightRun(tests, broken)))
    notes = asyncio.run(gate._refute(runner, PlaywrightRequest(("refuted.f",)), verdicts, NONE_KNOWN))
    return verdicts["f::a"], notes


def test_a_test_whose_opposites_do_not_hold_is_kept_without_a_note():
    verdict, notes = refuted(one("passed"))
    assert (verdict.verdict, notes) == ("kept", ())


def test_a_test_whose_opposite_holds_as_well_is_left_out():
    verdict, _ = refuted(one("failed", "Received promise resolved instead of rejected"))
    assert (verdict.verdict, verdict.failure_class) == ("failed", "test_defect")


def test_an_own_expectation_that_fails_among_the_opposites_is_flaky():
    verdict, _ = refuted(one("failed", 'Expected: "1"\nReceived: "2"'))
    assert (verdict.verdict, 'Received: "2"' in verdict.reason) == ("flaky", True)


@pytest.mark.parametrize(
    ("tests", "broken", "why"),
    [
        ((), ("SyntaxError in refuted.f",), "SyntaxError"),
        ((one("timedOut", "Test timeout of 60000ms exceeded."),), (), "longer than a test may take"),
        ((one("skipped"),), (), "that test was skipped"),
        ((one("skipped"),), OUT_OF_TIME, "the time of the run ran out"),
        ((), (), "did not run"),
    ],
)
def test_a_test_whose_opposites_were_not_tried_is_kept_with_a_note_that_says_so(tests, broken, why):
    verdict, notes = refuted(*tests, broken=broken)
    assert verdict.verdict == "kept"
    [note] = notes
    assert why in note
    assert note.endswith(": a")


def test_a_test_that_the_time_of_the_run_cut_off_is_told_so():
    verdict = gate._verdict(one("skipped"), NONE_KNOWN, cut_off=True)
    assert (verdict.verdict, verdict.failure_class) == ("timeout", "timeout")
    assert "the time of the run ran out" in verdict.reason
    assert gate._verdict(one("skipped"), NONE_KNOWN).failure_class == "test_defect"


def test_a_repeat_that_the_time_of_the_run_cut_off_makes_no_flaky_test():
    verdicts = kept()
    runner = cast(Any, Reported(PlaywrightRun((one("skipped"),), OUT_OF_TIME)))
    asyncio.run(gate._repeat(runner, PlaywrightRequest(("f",)), verdicts, 1))
    assert verdicts["f::a"].verdict == "timeout"
    assert "ran out" in verdicts["f::a"].reason


@pytest.mark.parametrize(
    ("known", "tags", "case"),
    [
        (frozenset({"tc_a"}), ("tc_word", "tc_a"), "tc_a"),
        (frozenset({"tc_a"}), ("tc_a", "tc_word"), "tc_a"),
        (frozenset({"tc_a", "tc_b"}), ("tc_b", "tc_a"), "tc_a"),
        (frozenset(), ("tc_word", "tc_a"), "tc_a"),
        (frozenset({"tc_a"}), ("tc_word",), None),
    ],
)
def test_a_word_of_a_title_is_not_the_case_of_a_test(known, tags, case):
    assert gate._Cases(known).of(one("passed", "", *tags)) == case
