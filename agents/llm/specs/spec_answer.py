"""Defines the forms of a model's answers with test cases, and converts cases to and from a spec."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ....engine.python.write.value_features import distinct_words
from ....utils.names.case_names import slug, snake_case
from ....utils.python_source import expression_or_none
from ...contract.protocol import JsonObject
from ..model_agent import closed, list_of, optional, text_of

_KINDS = ("equals", "approx", "is", "is_instance", "raises", "holds", "length", "output", "warns")
_ORIGINS = ("documented", "inferred", "observed")
_MODES = ("call", "await", "iterate", "aiterate", "enter", "aenter")
_LINES = optional(list_of({"type": "integer"}, 2))
_MOST_CASES = 200
_MOST_ROWS = 24
_LONGEST_ROW_WORDS = 40
_LONGEST_ID = 120
KEEP, DROP, DOUBT = "keep", "drop", "doubt"

_EXPECT: JsonObject = list_of(
    closed(
        kind={"type": "string", "enum": list(_KINDS)},
        actual=optional(text_of(600)),
        value=optional(text_of(2000)),
        exception=optional(text_of(120)),
        match=optional(text_of(300)),
        origin={"type": "string", "enum": list(_ORIGINS)},
        lines=_LINES,
    ),
    20,
)


def _case_form(expect: JsonObject, **more: JsonObject) -> JsonObject:
    return closed(
        id=text_of(120, "^tc_[a-z0-9_]+$"),
        title=text_of(200),
        subject=text_of(200),
        priority={"type": "string", "enum": ["critical", "high", "medium", "low"]},
        **more,
        fixtures=list_of(text_of(60), 10),
        statements=list_of(text_of(1000), 40),
        expression=text_of(1000),
        mode={"type": "string", "enum": list(_MODES)},
        expected=text_of(300),
        expect=expect,
    )


_IMPORTS = list_of(text_of(300), 60)

ANSWER_SCHEMA: JsonObject = closed(imports=_IMPORTS, cases=list_of(_case_form(_EXPECT), _MOST_CASES))
"""Cases alone, for flows. Strict like all forms here, so that endpoints that enforce schemas enforce all of it."""

READING_SCHEMA: JsonObject = closed(
    imports=_IMPORTS,
    decisions=list_of(
        closed(
            case={"type": "integer"},
            decision={"type": "string", "enum": [KEEP, DROP, DOUBT]},
            title=optional(text_of(200)),
            lines=_LINES,
            reason=optional(text_of(300)),
        ),
        _MOST_CASES,
    ),
    properties=list_of(
        _case_form(_EXPECT, names=list_of(text_of(60), 5), rows=list_of(list_of(text_of(300), 5), _MOST_ROWS)),
        20,
    ),
    cases=list_of(_case_form(optional(_EXPECT)), _MOST_CASES),
)
"""What a model has read in a module: decisions about the engine's cases, properties over several inputs, and new cases;
one without expectation is to be observed. The long list is the last one, so that a cut answer has the others whole."""

MAY_LACK = ("imports", "decisions", "properties", "cases")
"""Lists that a reading may leave out where they are empty."""

EACH_ALONE = ("decisions", "properties", "cases")
"""Lists of an answer whose elements stand alone: one that breaks the form is left out."""


def expanded(answered: Mapping[str, Any]) -> Iterator[JsonObject]:
    """Yield the cases of an answer: each one, then each row of each property, as a case of the property's group."""
    taken = {str(one["id"]) for one in (*answered["cases"], *(answered.get("properties") or ()))}
    for case in answered["cases"]:
        expect = [_with_whole_lines(row) for row in case["expect"] or ()]
        subject = str(case["subject"])
        yield {**case, "id": _owned_id(_telling_id(str(case["id"]), subject, taken), subject), "expect": expect}
    for stated in answered.get("properties") or ():
        shared = {key: value for key, value in stated.items() if key not in ("names", "rows")}
        shared["expect"] = [_with_whole_lines(row) for row in stated["expect"]]
        told = _telling_id(str(stated["id"]), str(stated["subject"]), taken)
        whole = _owned_id(told, str(stated["subject"]))
        name = told.removeprefix("tc_")
        rows = [row for row in stated["rows"] if len(row) == len(stated["names"])]
        for row, words in zip(rows, _row_words(rows), strict=True):
            given = [f"{one} = {value}" for one, value in zip(stated["names"], row, strict=True)]
            statements = [*given, *stated["statements"]]
            yield {**shared, "id": f"{whole}_{words}", "statements": statements, "group": name[:100]}


def _telling_id(case_id: str, subject: str, taken: Collection[str]) -> str:
    """The id, with the function before it where no word of that is in it: a test is named after its case.

    A method's test stands in a class, whose name says what is tested.
    """
    if "." in subject or subject[:1].isupper():
        return case_id
    member, rest = snake_case(subject), case_id.removeprefix("tc_")
    told = f"tc_{member}_{rest}"
    named = any(
        one.startswith(other) or other.startswith(one) for one in member.split("_") for other in rest.split("_")
    )
    return case_id if not member or named or told in taken or len(told) > _LONGEST_ID else told


def _owned_id(case_id: str, subject: str) -> str:
    """The id with the class that the test will stand in, so that class and test together name the case."""
    owner = subject.partition(".")[0]
    prefix = f"tc_{snake_case(owner)}_"
    if not ("." in subject or owner[:1].isupper()) or f"{case_id}_".startswith(prefix):
        return case_id
    return f"{prefix}{case_id.removeprefix('tc_')}"


def _row_words(rows: Sequence[Sequence[str]]) -> list[str]:
    """The values of each row in words; numbers where these are long, or do not tell the rows apart."""
    cells = [[expression_or_none(str(value)) for value in row] for row in rows]
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    if not rows or any(node is None for row in cells for node in row):
        return numbers
    columns = [distinct_words([node for node in column if node is not None]) for column in zip(*cells, strict=True)]
    for count in range(1, len(columns) + 1):
        words = [slug("_".join(parts)) for parts in zip(*columns[:count], strict=True)]
        if len(set(words)) == len(words) and all(0 < len(one) <= _LONGEST_ROW_WORDS for one in words):
            return words
    return numbers


def unfit_rows(answered: Mapping[str, Any]) -> Iterator[str]:
    """Say which properties of an answer lose rows because these have more or fewer values than there are names."""
    for stated in answered.get("properties") or ():
        names = len(stated["names"])
        lost = sum(len(row) != names for row in stated["rows"])
        if lost or not stated["rows"]:
            what = f"{lost} of {len(stated['rows'])} rows have not {names} values" if lost else "it has no row"
            yield f"a property of the model loses rows: {stated['id']}: {what}"


def _with_whole_lines(row: Mapping[str, Any]) -> JsonObject:
    """The row with lines that count: a schema's integer may be written as 3.0."""
    return {**row, "lines": whole_lines(row.get("lines"))}


def whole_lines(lines: Sequence[float] | None) -> list[int] | None:
    """First and last line as whole numbers, the smaller one first; None for none."""
    return sorted(int(line) for line in lines) if lines else None


def case_of(answered: Mapping[str, Any], path: str) -> JsonObject:
    """Convert an answered case into a spec's case; redundant fields (steps, empty arrangements) are filled in."""
    statements, expression = list(answered["statements"]), str(answered["expression"])
    arrange = {key: list(answered[key]) for key in ("fixtures", "statements") if answered[key]}
    return {
        "id": answered["id"],
        "title": answered["title"],
        "subject": answered["subject"],
        "priority": answered["priority"],
        "preconditions": [],
        "steps": [*statements, expression],
        "expected": answered["expected"],
        "written_by": "model",
        **({"group": answered["group"]} if answered.get("group") else {}),
        **({"arrange": arrange} if arrange else {}),
        "act": {"expression": expression, "mode": answered["mode"]},
        "expect": [_expectation(expectation, path) for expectation in answered["expect"]],
    }


def case_for_model(case: Mapping[str, Any]) -> JsonObject:
    """Convert a spec's case into the form of an answer, without empty fields, to show it to the model."""
    arrange = case.get("arrange") or {}
    expect = [
        {
            **{key: expectation.get(key) for key in ("kind", "actual", "value", "exception", "match", "origin")},
            "lines": (expectation.get("evidence") or {}).get("lines"),
        }
        for expectation in case.get("expect") or ()
    ]
    whole = {
        "id": case.get("id"),
        "title": case.get("title"),
        "subject": case.get("subject"),
        "priority": case.get("priority"),
        "fixtures": arrange.get("fixtures"),
        "statements": arrange.get("statements"),
        "expression": (case.get("act") or {}).get("expression"),
        "mode": (case.get("act") or {}).get("mode") or "call",
        "expected": case.get("expected"),
    }
    return {**_filled(whole), "expect": [_filled(expectation) for expectation in expect]}


def expectation_text(row: Mapping[str, Any]) -> str:
    """Render an expectation in a few words: `result equals 3`, `raises ValueError('odd')`."""
    if row["kind"] in ("raises", "warns"):
        return f"{row['kind']} {row.get('exception')}({row.get('match', '')!r})"
    return " ".join(str(part) for part in (row.get("actual", ""), row["kind"], row.get("value", "")) if part)


def _filled(given: Mapping[str, Any]) -> JsonObject:
    return {key: value for key, value in given.items() if value not in (None, [])}


def _expectation(answered: Mapping[str, Any], path: str) -> JsonObject:
    kept = {
        key: answered[key] for key in ("kind", "actual", "value", "exception", "match") if answered[key] is not None
    }
    if kept.get("match") == "":
        del kept["match"]
    lines = answered["lines"] or []
    if not is_range(lines):
        return {**kept, "origin": answered["origin"]}
    named = {"object": answered["object"]} if answered.get("object") else {}
    evidence = {"path": path, "lines": sorted(lines), **named}
    return {**kept, "origin": answered["origin"], "evidence": evidence}


def is_range(lines: Sequence[int] | None) -> bool:
    """Whether lines are a first and a last one."""
    return lines is not None and len(lines) == 2 and all(line >= 1 for line in lines)
