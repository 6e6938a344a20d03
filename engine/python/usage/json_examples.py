"""Writes documented values as JSON, for what reads objects from such texts: `Patch.from_string('[{"op": …}]')`."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

from ....utils.python_names import last_name
from ....utils.python_source import literal_or, parse_or_none
from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts, Trial

_READING = re.compile(r"(from|parse|load|read)_?(json|string|str|text|s)|loads|parse|decode")
_IMPORTS_JSON = re.compile(r"\b(or|u|simple)?json\b")
_LONGEST = 120
EMPTY_DOCUMENTS = frozenset({"[]", "{}", "null", '""'})
_READS = re.compile(r"(\w+\.)*loads")


def add_json_texts(known: dict[tuple[str, str], list[Candidate]], trials: Iterable[Trial], facts: ModuleFacts) -> None:
    """Adds to `known` what documented constructions pass, as JSON, for the methods of a class that read it from a text.

    Nothing is added where the module reads no JSON, or where persons pass texts with content.
    """
    if not reads_json(facts):
        return
    written = [one for one in trials if one.source in ("doctest", "document", "example", "prose")]
    for owner in facts.classes:
        readers = [one for one in owner.members if one.kind == "classmethod" and _READING.fullmatch(one.name)]
        text = _text_of(owner, written) if readers else None
        for one in readers if text is not None else ():
            name = _first(one)
            passed = known.get((one.qualname, name), [])
            if name and not any(_has_content(value) for value in passed):
                known[one.qualname, name] = [Candidate(repr(text), origin="call_site"), *passed]


def reads_json(facts: ModuleFacts) -> bool:
    """Whether a module reads JSON from texts."""
    imported = any(_IMPORTS_JSON.search(statement) for _, statement in facts.imports)
    return imported and any(_READS.fullmatch(call) for one in facts.callables() for call in one.calls)


def _first(one: CallableFacts) -> str:
    return next((item.name for item in one.parameters if item.name not in ("self", "cls")), "")


def _has_content(value: Candidate) -> bool:
    text = literal_or(value.source, None)
    return isinstance(text, str) and text.strip() not in EMPTY_DOCUMENTS


def _text_of(owner: ClassFacts, trials: Iterable[Trial]) -> str | None:
    """What a documented construction passes first, as JSON; of a long list as much as a line takes."""
    for trial in trials:
        tree = parse_or_none("\n".join([*trial.arrange, trial.act]))
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and last_name(node.func) == owner.name and node.args:
                text = _as_json(literal_or(node.args[0], None))
                if text is not None:
                    return text
    return None


def _as_json(value: Any) -> str | None:
    if not isinstance(value, list | dict) or not value:
        return None
    found = None
    # A list grows until a line is full: a long one is not written over and over again.
    for size in range(1, len(value) + 1) if isinstance(value, list) else (0,):
        try:
            text = json.dumps(value[:size] if isinstance(value, list) else value)
        except (TypeError, ValueError):
            return found
        if len(text) > _LONGEST:
            return found
        found = text
    return found
