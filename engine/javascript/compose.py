"""Composes the spec of a module's unit tests from what was selected."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...sandbox.javascript.syntax import is_typescript
from .domain.shapes import Shape
from .domain.value_pools import words
from .layout import split_parts
from .model import Module
from .selection import Chosen, Selection
from .trials import domain_rows

_LONGEST_ID = 140
_LONGEST_SHOWN = 40
_LONGEST_WORD = 30
_LONGEST_CONDITION = 80
_WRAPPED = re.compile(r"\bdefine\s*\(|\bdefine\.amd\b|typeof\s+(?:exports|module|define)\b")
_PASSED_ON = re.compile(r"^export\s*(?:\*|\{[^}]*\})[^;\n]*\bfrom\b", re.MULTILINE)
_MOST_HELD = 2
_DIGITS = re.compile(r"-?\d+\.\d{7,}")


def compose_spec(
    module: Module, selection: Selection, domains: Mapping[str, list[tuple[str, Shape, bool]]]
) -> dict[str, Any]:
    """The spec, for `unit_test_schema_v1`; without cases only where `not_reached` or `suspected_defects` say why."""
    cases: list[dict[str, Any]] = []
    taken: set[str] = set()
    titles: set[str] = set()
    for one in selection.chosen:
        case = _case(one, module)
        # Two tests that words cannot tell apart are one test.
        if case["title"] in titles:
            continue
        titles.add(case["title"])
        case["id"] = _unique(case["id"], taken)
        taken.add(case["id"])
        cases.append(case)
    return {
        "schema_version": "1.0.0",
        "test_type": "unit",
        "title": f"Unit tests for {module.path}",
        "language": "typescript" if is_typescript(module.path) else "javascript",
        "framework": "jest",
        "target": {
            "path": module.path,
            "system": "commonjs" if module.commonjs else "esm",
            "exports": dict(sorted(module.exports.items())),
            "digest": module.digest,
        },
        "cases": cases,
        "suspected_defects": [
            {
                "id": _unique(f"sd_{_slug(one.trial.function.qualname)}", taken),
                "title": f"{one.trial.function.qualname} gives something else than its documentation says",
                "subject": one.trial.function.qualname,
                "documented": one.documented or "an error",
                "observed": one.observed or "a value that cannot be written down",
                "reproduce": one.trial.example.call if one.trial.example else "",
                "evidence": _evidence(one.trial.example_place, one.trial.example.line if one.trial.example else 1),
            }
            for one in selection.suspects
        ],
        "not_reached": [
            {"subject": function.qualname, "reason": reason, "line": function.lines[0]}
            for function, reason in selection.not_reached
        ]
        or _nothing_exported(module, cases),
        "domains": list(_domains(domains)),
    }


def _nothing_exported(module: Module, cases: Sequence[Any]) -> list[dict[str, Any]]:
    """The reason why a module has neither tests nor functions without one."""
    if cases or module.callables:
        return []
    said = module.source.decode("utf-8", "replace")
    if module.exports:
        reason = "it exports no function and no class, and values alone are not tested"
    elif _WRAPPED.search(said):
        reason = (
            "a wrapper (UMD or AMD) makes what it exports when it is loaded, in a way that is not read: a factory that "
            "returns functions or assigns them to exports is"
        )
    elif _PASSED_ON.search(said):
        reason = "it only passes on what other modules export"
    elif re.search(r"\bexports?\b", said):
        reason = "no function or class that it exports was found: exports must stand at the top of the file itself"
    else:
        reason = "it exports nothing"
    return [{"subject": module.path, "reason": reason, "line": 1}]


def _case(one: Chosen, module: Module) -> dict[str, Any]:
    trial, seen, function = one.trial, one.seen, one.trial.function
    condition = condition_of(one)
    outcome = outcome_of(one)
    expect = list(_expectations(one, module))
    called = function.name if not trial.receiver else f"{trial.instance}.{function.name}"
    called = f"{function.owner}.{function.name}" if function.owner and not trial.receiver else called
    arrange = [f"const {trial.instance} = {trial.receiver};", *trial.setup] if trial.receiver else []
    arrange = [*trial.prelude, *arrange]
    shown = f" {condition}" if condition else ""
    return {
        "id": f"tc_{_slug(function.qualname)}_{_slug(condition or 'example')}"[:_LONGEST_ID],
        "title": f"{function.qualname} {outcome}{shown}",
        "priority": "high" if one.is_anchor or one.origin == "documented" else "medium",
        "preconditions": [],
        "steps": [f"Call {called} {condition}".strip() + "."],
        "expected": f"{function.qualname} {outcome}.",
        "subject": function.qualname,
        "condition": condition or "for an example",
        "arrange": {"statements": arrange},
        "act": {
            "callee": called,
            "arguments": list(trial.arguments),
            "parameters": _parameter_names(one),
            "mode": "get"
            if function.kind == "getter"
            else "await"
            if seen.is_async or (seen.outcome == "throws" and function.is_async)
            else "spread"
            if seen.iterated
            else "call",
        },
        "expect": expect,
        "reason": one.reason,
    }


def _parameter_names(one: Chosen) -> list[str]:
    """A name for each argument; those of a rest parameter are numbered."""
    names = [parameter.name for parameter in one.trial.function.parameters]
    count = len(one.trial.arguments)
    return [*names[:count], *(f"{names[-1] if names else 'value'}{at}" for at in range(2, count - len(names) + 2))][
        :count
    ]


def condition_of(one: Chosen) -> str:
    """What is special about a call, to follow the outcome: "for a negative quantity"."""
    trial = one.trial
    parts = []
    if trial.example is not None:
        return _example_words(one)
    if trial.changed >= 0 and trial.value.phrase:
        named = trial.phrases if trial.value.kind == "pair" else (trial.value.phrase,)
        parts.append(" and ".join(named))
    elif trial.phrases:
        parts.append(" and ".join(dict.fromkeys(trial.phrases[:2])))
    text = ", ".join(dict.fromkeys(parts))
    if text and not text.startswith(("with ", "without ")):
        text = f"for {text}"
    text = f"{text} in {trial.state}".strip() if trial.state else text
    return f"{text} {trial.circumstance}".strip()


def _example_words(one: Chosen) -> str:
    """The arguments of a documented call in words, where they are short; else that it is the documented example."""
    trial = one.trial
    names = [words(parameter.name) for parameter in trial.function.parameters]
    shown = [_argument_words(name, source) for name, source in zip(names, trial.arguments, strict=False)]
    text = " and ".join(shown)
    if not shown or not all(shown) or len(trial.arguments) > len(names) or len(text) > _LONGEST_CONDITION:
        return f"for the documented example in line {trial.example.line}" if trial.example else ""
    return f"for {text}"


def _argument_words(name: str, source: str) -> str:
    """An argument of a documented call in words: "limit 3", "pascal case true", "names Ada, Grace"; else empty."""
    if source.startswith("{") and source.endswith("}"):
        fields = [one.partition(":") for one in split_parts(source[1:-1])]
        found = [_argument_words(words(key.strip("'\" ")), value.strip()) for key, colon, value in fields if colon]
        return " and ".join(found) if found and all(found) and len(found) == len(fields) else ""
    if source.startswith("[") and source.endswith("]"):
        items = [_literal_words(one) for one in split_parts(source[1:-1])]
        return f"{name} {', '.join(items)}" if items and all(items) else ""
    text = _literal_words(source)
    return f"{name} {text}" if text else ""


def _literal_words(source: str) -> str:
    text = source.strip("'\"")
    if source in ("' '", '" "'):
        return "a space"
    plain = len(text) <= _LONGEST_WORD and text.strip() and not any(sign in text for sign in "'\"`\\")
    return text if plain and text[0] not in "[{(" else ""


def outcome_of(one: Chosen) -> str:
    """What comes of a call: "returns 0", "throws a RangeError", "changes cart.size"."""
    seen = one.seen
    if seen.outcome == "throws":
        return f"throws {seen.error[0]}"
    if one.fact:
        return f"changes {words(one.fact.partition('.')[2].rstrip('()'))}"
    if one.changed >= 0:
        return "changes its argument"
    shown = rounded(seen.source)
    verb = "resolves to" if seen.is_async else "returns"
    if len(shown) <= _LONGEST_SHOWN and seen.kind not in ("object",):
        return f"{verb} {shown}"
    nouns = {"array": "list", "object": "object", "string": "text"}
    return f"{verb} the expected {nouns.get(seen.kind, 'value')}"


def rounded(source: str) -> str:
    """A number without the noise of its last binary digits; other sources as they are."""
    if not _DIGITS.fullmatch(source):
        return source
    return f"{float(source):.8f}".rstrip("0").rstrip(".")


def _expectations(one: Chosen, module: Module) -> Iterator[dict[str, Any]]:
    seen, trial = one.seen, one.trial
    beside: dict[str, Any] = {
        "origin": one.origin,
        "evidence": {"path": module.path, "lines": list(trial.function.lines), "object": trial.function.qualname},
    }
    if one.origin == "documented" and trial.example is not None:
        beside["evidence"] = {**_evidence(trial.example_place, trial.example.line), "object": trial.function.qualname}
    if seen.outcome == "throws":
        name, message = seen.error
        known = name in ("Error", "TypeError", "RangeError", "SyntaxError") or module.exported_as(name)
        yield {
            "kind": "throws",
            **({"error": name} if known else {}),
            **({"message": message} if message else {}),
            **beside,
        }
    elif one.fact:
        yield {"kind": "equals", "actual": one.fact, "value": seen.facts[one.fact][1], **beside}
    elif one.changed >= 0:
        names = _parameter_names(one)
        yield {"kind": "equals", "actual": names[one.changed], "value": seen.changed[one.changed], **beside}
    elif _DIGITS.fullmatch(seen.source):
        yield {"kind": "close", "actual": "result", "value": rounded(seen.source), **beside}
    else:
        yield {"kind": "equals", "actual": "result", "value": seen.source or "undefined", **beside}
    if trial.prelude and seen.outcome == "value" and not one.fact and one.changed < 0:
        # What the parts hold afterwards belongs to the outcome of a flow.
        held = [(fact, now) for fact, (was, now) in seen.facts.items() if now and was != now]
        for fact, now in held[:_MOST_HELD]:
            yield {"kind": "equals", "actual": fact, "value": now, **beside}


def _domains(domains: Mapping[str, list[tuple[str, Shape, bool]]]) -> Iterator[dict[str, Any]]:
    for subject, name, shape in domain_rows(domains):
        kinds = sorted(shape.kinds - {"any", "foreign"}) or ["a listed value"]
        yield {"subject": subject, "parameter": name, "description": " or ".join(kinds)[:500], "source": "use"}


def _evidence(path: str, line: int) -> dict[str, Any]:
    return {"path": path, "lines": [max(1, line), max(1, line)]}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", text).lower()).strip("_") or "it"


def _unique(wanted: str, taken: set[str]) -> str:
    wanted = wanted.rstrip("_")
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}_{number}" in taken:
        number += 1
    return f"{wanted}_{number}"
