"""Shows a model the engine's cases, numbered with what was observed, and carries out what it decides about them.

A decision can lose nothing that is known to be worth keeping: what a document says stays, and so does a case that alone
notices a mutant or alone tests its subject. A doubt takes a pinned value out of the suite and reports it, where the
lines that it cites speak of the call; otherwise it is a question in the report, and the case stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...contract.protocol import JsonObject
from ...guardrails.oracles import Documentation
from .answer_mending import Subjects
from .spec_answer import DOUBT, DROP, expectation_text, is_range, whole_lines

_CASES_OF_A_SUBJECT = 8
_FEWEST_OF_A_SUBJECT = 3
_MOST_CHARACTERS = 2500
"""Of all lines together: about 1,000 tokens, since calls are mostly signs and numbers."""

_MOST_CASES = 60
_LONGEST_CASE = 160
_EQUALS = "result equals "
_LONGEST_CALLS = 90
_LONGEST_TITLE = 160
_TEXT = 1000
_LONGEST_QUESTION = 400


def numbered_cases(cases: Sequence[Mapping[str, Any]], subjects: Sequence[str] | None = None) -> list[str]:
    """Render cases, a few for every subject: `3. half(3): raises ValueError('odd')`; those that agree share a line.

    A result is compared, as in `4. half(4) == 2`, and the last line says which cases have a document behind them.

    Args:
        subjects: only cases of these and of their members; None for all.
    """
    wanted = [
        (number, case)
        for number, case in enumerate(cases, 1)
        if subjects is None
        or any(case["subject"] == one or str(case["subject"]).startswith(f"{one}.") for one in subjects)
    ]
    # Where there is no room for all, each subject shows fewer, and none is left out.
    lines: list[str] = []
    for most in range(_CASES_OF_A_SUBJECT, _FEWEST_OF_A_SUBJECT - 1, -1):
        rows = _rows(wanted, most)
        lines = [*_lines(rows), *_documented_line(rows)]
        if sum(map(len, lines)) <= _MOST_CHARACTERS:
            break
    return lines


def _rows(cases: Iterable[tuple[int, Mapping[str, Any]]], most: int) -> list[_Row]:
    shown: Counter[str] = Counter()
    rows: list[_Row] = []
    for number, case in cases:
        subject = str(case["subject"])
        shown[subject] += 1
        if shown[subject] <= most and len(rows) < _MOST_CASES:
            rows.append(_row(number, case))
    return rows


@dataclass(frozen=True, slots=True)
class _Row:
    """A case in words: its number, its call, its set-up and what is expected."""

    number: int
    call: str
    setting: str
    expected: str
    is_documented: bool


def _row(number: int, case: Mapping[str, Any]) -> _Row:
    statements = (case.get("arrange") or {}).get("statements") or []
    expected = ", ".join(expectation_text(row) for row in case["expect"])
    return _Row(number, str(case["act"]["expression"]), "; ".join(statements), expected, _is_documented(case))


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    """Say once what cases have in common that follow each other: a set-up, or a set-up and an outcome."""
    last = ""
    for (setting, expected), alike in groupby(rows, key=lambda row: (row.setting, row.expected)):
        after = f" after {'the same' if setting == last else setting}" if setting else ""
        last = setting
        calls: list[str] = []
        for row in alike:
            call = f"{row.number}. {row.call}"
            if calls and len("; ".join([*calls, call])) > _LONGEST_CALLS:
                yield _line(calls, after, expected)
                calls, after = [], " after the same" if setting else ""
            calls.append(call)
        yield _line(calls, after, expected)


def _line(calls: Sequence[str], after: str, expected: str) -> str:
    if len(calls) == 1 and not after and expected.startswith(_EQUALS):
        return f"{calls[0]} == {expected.removeprefix(_EQUALS)}"[:_LONGEST_CASE]
    return f"{'; '.join(calls)}{after}: {expected}"[:_LONGEST_CASE]


def _documented_line(rows: Sequence[_Row]) -> Iterator[str]:
    spans: list[list[int]] = []
    for row in rows:
        if row.is_documented and spans and spans[-1][-1] == row.number - 1:
            spans[-1][1:] = [row.number]
        elif row.is_documented:
            spans.append([row.number])
    if spans:
        yield f"Documented: {', '.join('-'.join(map(str, span)) for span in spans)}"


class Decisions:
    """What a model decides about the engine's cases.

    Args:
        spec: the engine's.
        documentation: of the module.
        notices: numbers of the mutants that cases notice, by case id.
        subjects: what the module defines.
    """

    def __init__(
        self,
        spec: Mapping[str, Any],
        documentation: Documentation,
        notices: Mapping[str, Sequence[int]],
        subjects: Subjects,
    ) -> None:
        self._spec = spec
        self._cases = [dict(case) for case in spec["cases"]]
        self._documentation = documentation
        self._notices = notices
        self._subjects = subjects
        self._gone: set[int] = set()
        self._defects: list[JsonObject] = []
        self.notes: list[str] = []

    def carry_out(self, decisions: Iterable[Mapping[str, Any]]) -> JsonObject:
        """Return the spec as decided; what was not done is in `notes`."""
        # Doubts come first: a case that one takes out can spare no other.
        for row in sorted(decisions, key=lambda row: row["decision"] != DOUBT):
            at = int(row["case"]) - 1
            if not 0 <= at < len(self._cases) or at in self._gone:
                continue
            case = self._cases[at]
            title = " ".join(str(row.get("title") or "").split())
            if title:
                case["title"] = title[:_LONGEST_TITLE]
            if row["decision"] == DOUBT:
                self._doubt(at, case, row)
            elif row["decision"] == DROP and self._is_spare(at):
                self._gone.add(at)
        kept = [case for at, case in enumerate(self._cases) if at not in self._gone]
        known = list(self._spec.get("suspected_defects") or ())
        return {**self._spec, "cases": kept, "suspected_defects": [*known, *self._defects]}

    def _doubt(self, at: int, case: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        lines = whole_lines(row.get("lines")) or []
        about = is_range(lines) and self._subjects.is_documented_in(str(case["subject"]), lines)
        said = " ".join(self._documentation.cited(lines).split()) if about else ""
        why = " ".join(str(row.get("reason") or case["title"]).split())
        if _is_documented(case) or not said:
            self.notes.append(f"a doubt of the model has no effect: no documentation is cited against {case['id']}")
            return
        if any(self._documentation.says_value(expected, lines) for expected in case["expect"]):
            self.notes.append(f"a doubt of the model has no effect: the lines that it cites say what {case['id']} pins")
            return
        observed = ", ".join(expectation_text(expected) for expected in case["expect"])
        if not self._speaks_of(case, row, lines):
            call, place = str(case["act"]["expression"]), f"{lines[0]} to {lines[1]}"
            asked = f"is `{call}` right, which {observed}? The model doubts it ({why}) by the lines {place} ({said})"
            self.notes.append(f"a question: {asked}"[:_LONGEST_QUESTION])
            return
        self._gone.add(at)
        statements = [*((case.get("arrange") or {}).get("statements") or ()), str(case["act"]["expression"])]
        self._defects.append(
            {
                "id": "sd_" + str(case["id"]).removeprefix("tc_"),
                "title": f"{case['subject']}: {why}"[:_LONGEST_TITLE],
                "subject": case["subject"],
                "documented": said[:_TEXT],
                "observed": observed[:_TEXT],
                "reproduce": "\n".join(statements),
                "evidence": {"path": str(self._spec["target"]["path"]), "lines": lines},
            }
        )

    def _speaks_of(self, case: Mapping[str, Any], row: Mapping[str, Any], lines: Sequence[int]) -> bool:
        """Whether lines name the call or a value of it that stands in few texts, give another outcome for it, or state
        the rule that the reason gives in words of its own. A small number says nothing: it stands in any prose."""
        call = str(case["act"]["expression"])
        documentation, reason = self._documentation, str(row.get("reason") or "")
        if documentation.repeats(reason, lines):
            reason = ""
        answered = {**case, "expression": call, "expected": reason}
        if documentation.names_call(call, lines) or documentation.states(reason, lines):
            return True
        return any(
            documentation.contradicted_by(answered, expected, lines) is not None
            or documentation.shows(answered, expected, lines)
            for expected in case["expect"]
        )

    def _is_spare(self, at: int) -> bool:
        """Whether nothing that is known is lost with a case."""
        case = self._cases[at]
        others = [one for place, one in enumerate(self._cases) if place != at and place not in self._gone]
        noticed = {number for one in others for number in self._notices.get(str(one["id"]), ())}
        return (
            bool(self._notices)
            and not _is_documented(case)
            and set(self._notices.get(str(case["id"]), ())) <= noticed
            and any(one["subject"] == case["subject"] for one in others)
        )


def _is_documented(case: Mapping[str, Any]) -> bool:
    return any(expected.get("origin") == "documented" for expected in case["expect"])
