"""The planner that needs no model: a request in plain words becomes ordered steps (T-02, C-04).

It understands files, folders, packages, modules and symbols (`pkg.mod:Class.method`), several of them, "only what has
no tests", "except X", a framework and a test type, and it says what it did not understand.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...engine.python.layout import Layout, find_layout
from ...errors import RequestError
from ...store.base_names import unique_test_path
from ..lifecycle import Agent, AgentContract
from ..protocol import AgentRequest, JsonObject
from .existing_tests import untested_symbols
from .plan_steps import accept_step, generate_step, verify_step
from .repository_steps import repository_plan
from .request_words import Mention, RequestWords, read_request
from .target_index import Target, TargetIndex

SUPPORTED_TYPES = ("unit",)


@dataclass(slots=True)
class _Reading:
    """What one request came to."""

    targets: list[Target] = field(default_factory=list)
    excluded: list[Target] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    not_understood: list[JsonObject] = field(default_factory=list)
    skipped: list[JsonObject] = field(default_factory=list)


class EmbeddedPlannerAgent(Agent):
    """Plans unit tests for the Python modules a request names; for a repository and a depth, the steps of A-01.

    Inputs: `user_request`, `root`, and optionally `test_type`, `target`, `framework`, `tests_dir`. Result: `steps` in
    order (without status), `understood`, `not_understood` (text, reason, suggestions), `skipped` (target, reason).

    Args:
        layout: finds the project's layout; replaced in tests only.
        contract: the schemas the agent is held to.
    """

    def __init__(
        self, *, layout: Callable[[Path], Layout] = find_layout, contract: AgentContract | None = None
    ) -> None:
        super().__init__("planner", contract=contract)
        self._layout = layout

    async def _work(self, request: AgentRequest) -> JsonObject:
        return await asyncio.to_thread(self._plan, request.inputs or {})

    def _plan(self, inputs: JsonObject) -> JsonObject:
        text = str(inputs.get("user_request") or "")
        whole = repository_plan(text)
        if whole is not None and inputs.get("test_type") in (None, "e2e"):
            return whole
        words = read_request(text)
        layout = self._layout(Path(str(inputs["root"])))
        index = TargetIndex(layout)
        reading = _Reading()
        test_types = self._test_types(inputs.get("test_type"), words, reading)
        mentions = (*words.mentions, *([Mention(str(inputs["target"]), True)] if inputs.get("target") else []))
        _resolve(mentions, words, index, reading)
        targets = _narrowed(layout, index, words, reading)
        framework = str(words.framework or inputs.get("framework") or "pytest")
        if not test_types:
            raise _nothing_to_do(reading, "; ".join(str(row["reason"]) for row in reading.not_understood) + ".")
        if not targets:
            raise _nothing_to_do(reading, _why_nothing(layout, reading))
        steps = _steps(targets, framework, str(inputs.get("tests_dir") or "tests/generated"), layout)
        return {
            "steps": steps,
            "understood": reading.understood,
            "not_understood": reading.not_understood,
            "skipped": reading.skipped,
        }

    def _test_types(self, asked: Any, words: RequestWords, reading: _Reading) -> tuple[str, ...]:
        wanted = (str(asked),) if asked else (words.test_types or ("unit",))
        for test_type in wanted:
            if test_type not in SUPPORTED_TYPES:
                reason = f"{test_type} tests are not available yet"
                reading.not_understood.append({"text": f"{test_type} tests", "reason": reason, "suggestions": ["unit"]})
        return tuple(one for one in wanted if one in SUPPORTED_TYPES)


def _resolve(mentions: tuple[Mention, ...], words: RequestWords, index: TargetIndex, reading: _Reading) -> None:
    """Sort every mention into targets, exclusions and what was not understood."""
    wanted = 0
    for mention in mentions:
        found = index.find(mention.text, explicit=mention.explicit)
        if not found.targets:
            reading.not_understood.append(
                {
                    "text": mention.text,
                    "reason": found.why_not or "it names no file, folder, package, module or symbol of the project",
                    "suggestions": index.suggestions(mention.text),
                }
            )
            continue
        (reading.excluded if mention.excluded else reading.targets).extend(found.targets)
        wanted += not mention.excluded
        names = ", ".join(dict.fromkeys(_spelled(target) for target in found.targets[:3]))
        more = f" and {len(found.targets) - 3} more" if len(found.targets) > 3 else ""
        reading.understood.append(f"{mention.text}: {'not ' if mention.excluded else ''}{names}{more}")
    unknown = [mention for mention in mentions if not mention.excluded]
    if not wanted and (words.whole or not unknown):
        reading.targets = [Target(place) for place in index.modules]
        reading.understood.append(f"the whole project: {len(index.modules)} modules")


def _narrowed(layout: Layout, index: TargetIndex, words: RequestWords, reading: _Reading) -> list[Target]:
    """One target a module, in order of paths, without what is excluded, has tests already or cannot be a target."""
    whole_modules = {target.place.path for target in reading.excluded if target.symbols is None}
    left_out = {(target.place.path, symbol) for target in reading.excluded for symbol in target.symbols or ()}
    chosen: dict[str, Target] = {}
    for target in reading.targets:
        merged = chosen.get(target.place.path)
        if merged is not None and (merged.symbols is None or target.symbols is None):
            target = Target(target.place)
        elif merged is not None:
            target = Target(target.place, tuple(dict.fromkeys((*(merged.symbols or ()), *(target.symbols or ())))))
        chosen[target.place.path] = target
    kept: list[Target] = []
    for path, target in sorted(chosen.items()):
        symbols = index.symbols_of(target.place.module)
        if path in whole_modules:
            continue
        if target.place.module.rpartition(".")[2] == "__main__":
            reading.skipped.append({"target": path, "reason": "importing a __main__ module runs the program"})
            continue
        if not _public(symbols) and index.broken(target.place) is None:
            reading.skipped.append({"target": path, "reason": "it defines no public function or class"})
            continue
        wanted = target.symbols
        if left_out:
            wanted = tuple(one for one in wanted or _public(symbols) if not _below(path, one, left_out))
        if words.only_untested:
            wanted = untested_symbols(layout.root, layout.test_files, target.place, wanted or symbols)
            if not wanted:
                reading.skipped.append({"target": path, "reason": "every public symbol is named by a test already"})
                continue
            if set(wanted) == set(_public(symbols)):
                wanted = None
        kept.append(Target(target.place, wanted))
    return kept


def _below(path: str, symbol: str, left_out: set[tuple[str, str]]) -> bool:
    owner = symbol.partition(".")[0]
    return (path, symbol) in left_out or (path, owner) in left_out


def _public(symbols: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in symbols if not any(part.startswith("_") for part in one.split(".")))


def _steps(targets: list[Target], framework: str, tests_dir: str, layout: Layout) -> list[JsonObject]:
    generate: list[JsonObject] = []
    paths: list[str] = []
    for target in targets:
        step = generate_step(
            target.place,
            target.symbols,
            framework=framework,
            tests_dir=tests_dir,
            digest=hashlib.sha256((layout.root / target.place.path).read_bytes()).hexdigest(),
        )
        step["params"]["test_path"] = unique_test_path(layout.root, step["params"]["test_path"], paths)
        paths.append(step["params"]["test_path"])
        generate.append(step)
    verify = verify_step([str(step["id"]) for step in generate], paths, framework)
    return [*generate, verify, accept_step([str(verify["id"])], paths)]


def _spelled(target: Target) -> str:
    return target.place.path if target.symbols is None else f"{target.place.module}:{', '.join(target.symbols)}"


def _why_nothing(layout: Layout, reading: _Reading) -> str:
    if not layout.modules:
        return f"There is no Python module to test in {layout.root}."
    if reading.skipped:
        return (
            "Nothing is left to test: "
            + "; ".join(f"{row['target']}: {row['reason']}" for row in reading.skipped)
            + "."
        )
    if reading.not_understood:
        rows = "; ".join(f"{row['text']!r}: {row['reason']}" for row in reading.not_understood)
        return f"The request names nothing that was found in {layout.root}: {rows}."
    return "Nothing is left to test after what the request excludes."


def _nothing_to_do(reading: _Reading, message: str) -> RequestError:
    hints = [hint for row in reading.not_understood for hint in row["suggestions"]]
    advice = f"Did you mean {', '.join(dict.fromkeys(hints))}?" if hints else "Name a file, folder, module or symbol."
    return RequestError(message, advice=advice, details={"not_understood": reading.not_understood})
