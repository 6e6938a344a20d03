"""Builds the message about an integration spec, and adds the flows of a model's answer to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....utils.untrusted_files import read_source
from ...contract.protocol import JsonObject
from ...guardrails.code_limits import case_problems, imported_by
from ..model_agent import UnusableAnswer
from ..project_style import own_test_imports
from ..prompt import bullets, data, load_prompt
from ..source_view import relevant_lines
from .spec_answer import case_of
from .surroundings import tool_context

_LONGEST_FACT = 200
_MOST_FACTS = 40
_MOST_COMPONENTS = 3
_LONGEST_REQUEST = 2000


def build_message(inputs: Mapping[str, Any], base: Mapping[str, Any], root: Path) -> str:
    """Build the message: source of the entry and of the nearest components, and the existing flows. Blocks."""
    entry, *others = base["target"]["components"]
    facts = [f"{case['title']} (crosses {_crossed(case)})"[:_LONGEST_FACT] for case in base["cases"]]
    near = "\n\n".join(f"# {other['module']}\n{_source(root, other['path'])}" for other in others[:_MOST_COMPONENTS])
    values = {
        "module": str(entry["module"]),
        "path": str(entry["path"]),
        "request": data("request", str(inputs.get("user_request") or "")[:_LONGEST_REQUEST]),
        "source": data("source", _source(root, entry["path"])),
        "others": data("components", near or "none"),
        "flows": data("observed", bullets(facts[:_MOST_FACTS], none="nothing")),
        "context": data("context", tool_context(inputs, str(entry["path"])) or "nothing"),
    }
    return load_prompt("flow_spec").text("generate", values)


def _source(root: Path, path: str) -> str:
    file = root / path
    return relevant_lines(read_source(root, path, errors="replace"), None) if file.is_file() else "not there"


def _crossed(case: Mapping[str, Any]) -> str:
    return ", ".join(f"{crossing['from']} → {crossing['to']}" for crossing in case["crosses"])


def add_cases(answered: Mapping[str, Any], base: Mapping[str, Any], root: Path) -> tuple[JsonObject, list[str]]:
    """Append the model's flows to the spec. Returns it, and a note for each flow that is left out.

    A flow gets the edges that the engine observed for its act. Left out is one that does what tests may not do; the
    imports of the answer are held against each.

    Raises:
        UnusableAnswer: no flow can be used.
    """
    entry = base["target"]["components"][0]
    imports = [str(line) for line in answered["imports"]]
    known = imported_by(_read(root, entry["path"])) | imported_by("\n".join(base.get("imports") or ()))
    known |= own_test_imports(root)
    problems: list[JsonObject] = []
    usable: list[Mapping[str, Any]] = []
    for index, case in enumerate(answered["cases"]):
        wrong = case_problems(case, index, imports, str(entry["module"]), imported=known)
        problems += wrong
        usable += [] if wrong else [case]
    if problems and not usable:
        raise UnusableAnswer("the flows do what tests may not do", problems)
    notes = [f"a flow of the model is left out: {row['message']}" for row in problems]
    taken = {str(case["id"]) for case in base["cases"]}
    cases = [*base["cases"]]
    for case in usable:
        crosses = _crosses(str(case["expression"]), base)
        if str(case["id"]) not in taken and crosses:
            taken.add(str(case["id"]))
            cases.append(_flow(case, entry, crosses))
    used = imports if len(cases) > len(base["cases"]) else []
    return {**base, "imports": sorted({*(base.get("imports") or ()), *used}), "cases": cases}, notes


def _read(root: Path, path: str) -> str:
    return read_source(root, path, errors="replace") if (root / path).is_file() else ""


def _crosses(expression: str, base: Mapping[str, Any]) -> list[JsonObject]:
    """Edges of the engine's flows whose act calls the same callable; else all edges that begin in the entry."""
    named = set(re.findall(r"[A-Za-z_]\w*", expression))
    found: dict[tuple[str, str], JsonObject] = {}
    for case in base["cases"]:
        act = str(case["act"]["steps"][-1]["expression"])
        called = re.match(r"(?:\w+\.)*(\w+)", act)
        if called is not None and called[1] in named:
            found.update({(crossing["from"], crossing["to"]): dict(crossing) for crossing in case["crosses"]})
    entry = base["target"]["components"][0]["name"]
    edges = [edge for edge in base["target"].get("edges") or () if edge["from"] == entry]
    return list(found.values()) or [{"from": edge["from"], "to": edge["to"]} for edge in edges]


def _flow(answered: Mapping[str, Any], entry: Mapping[str, Any], crosses: list[JsonObject]) -> JsonObject:
    case = case_of(answered, str(entry["path"]))
    act = case.pop("act")
    case.pop("subject")
    whole = {"path": str(entry["path"]), "lines": [1, 1]}
    return {
        **case,
        "crosses": crosses,
        "act": {"steps": [{"component": entry["name"], **act}]},
        "expect": [{"evidence": whole, **expectation} for expectation in case["expect"]],
    }
