"""Names the tests of a spec: what comes of a call, and what is special about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...utils.names.article import with_article

Case = Mapping[str, Any]
LONGEST_SHOWN = 40
_PROGRAM = re.compile(r"\{ status: (\d+), stdout: '((?:[^'\\]|\\.)*)', stderr: .*\}", re.DOTALL)
"""What a program that ran gave: its code, and what it printed."""
SHOWABLE = re.compile(r"-?\d[\d.e+]*|true|false|null|undefined|NaN|'[^'\\\s](?:[^'\\\n]*[^'\\\s])?'")
_ITEM = r"-?\d[\d.]*|true|false|null|'[\w-]+'"
_LIST = re.compile(rf"\[(?:{_ITEM})(?:, (?:{_ITEM}))*\]")


def _plain(value: str) -> str:
    return value[1:-1] if value.startswith("'") else value


def title_of(case: Case) -> str:
    """The title of a test: what comes of the call, and what is special about it."""
    return " ".join(f"{outcome_text(case)} {case['condition']}".split())


def row_title(case: Case, *, shown: bool) -> str:
    """The title of a row of a table, as Jest fills it in.

    Args:
        shown: whether the expected value stands in it.
    """
    if not shown:
        return f"{outcome_text(case)} {case['condition']}"
    value = str(case["expect"][0]["value"])
    text = value[1:-1] if value.startswith("'") else value
    return f"{verb_of(case)} {text} {case['condition']}"


def outcome_text(case: Case) -> str:
    """What comes of a call: "returns 3", "throws a RangeError", "changes size"."""
    one = case["expect"][0]
    if one["kind"] == "throws":
        name = str(one.get("error") or "error")
        return f"throws {with_article(name)}"
    actual, value = str(one["actual"]), str(one["value"])
    if program := _PROGRAM.fullmatch(value):
        return _printed(int(program[1]), program[2])
    if actual != "result":
        return f"changes {actual.partition('.')[2].removesuffix('()') or actual}"
    if SHOWABLE.fullmatch(value) and len(value) <= LONGEST_SHOWN:
        return f"{verb_of(case)} {_plain(value)}"
    if _LIST.fullmatch(value) and len(value) <= LONGEST_SHOWN:
        items = [_plain(one) for one in re.findall(_ITEM, value)]
        return f"{verb_of(case)} the list of {' and '.join([', '.join(items[:-1]), items[-1]] if items[1:] else items)}"
    return f"{verb_of(case)} {_noun(value)}"


def _printed(status: int, output: str) -> str:
    if status:
        return f"ends with code {status}"
    line = output.removesuffix("\\n")
    if not line:
        return "prints nothing"
    return f"prints {line}" if len(line) <= LONGEST_SHOWN and "\\" not in line else "prints the expected text"


def _noun(value: str) -> str:
    plain = {"''": "an empty text", "[]": "an empty list", "{}": "an empty object"}
    if value in plain:
        return plain[value]
    kinds = (
        ("[", "the expected list"),
        ("{", "the expected object"),
        ("new Map", "the expected map"),
        ("new Set", "the expected set"),
        ("new Date", "the expected date"),
    )
    return next(
        (noun for start, noun in kinds if value.startswith(start)),
        "the expected text" if value[:1] in "'\"`" else "the expected value",
    )


def verb_of(case: Case) -> str:
    """The verb that fits how the act is made."""
    return {"await": "resolves to", "spread": "yields", "get": "is"}.get(case["act"].get("mode", "call"), "returns")


def is_shown(one: Mapping[str, Any]) -> bool:
    """Whether the expected value stands in the title of a table's rows."""
    value = str(one.get("value", ""))
    return one["kind"] != "throws" and bool(SHOWABLE.fullmatch(value)) and len(value) <= LONGEST_SHOWN
