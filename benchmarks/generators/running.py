"""The benchmark itself: every module, by every generator, one after the other."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .commands import PreparationError
from .corpus import Subject
from .kept import Kept
from .machine import machine
from .measuring import Measurer
from .sources import Source, fetched
from .tools.generated import Generated, Terms, Tool
from .warming import warm

_PLAIN = "plain"  # stands for the sample of mutants where there was no such measurement


@dataclass(frozen=True)
class Plan:
    """What is measured.

    Attributes:
        tools: all generators whose figures are shown.
        run: names of those that may be run; of the others only what is kept is shown.
        reuse: take what peers made under the same terms before.
        conditions: run the suites of tools that are no peers under other conditions as well.
        suites: where every suite is laid for people to read, by generator and module.
    """

    subjects: Sequence[Subject]
    tools: Sequence[Tool]
    run: frozenset[str]
    reuse: bool
    terms: Terms
    suites: Path
    conditions: bool = False


def measured(plan: Plan, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything of a plan. JSON form: the terms, the machine, and a row for each module."""
    kept = Kept(plan.terms.folder / "kept")
    about = machine()
    warm([tool for tool in plan.tools if tool.name in plan.run and not (tool.peer and plan.reuse)], plan.terms)
    rows = [_row(subject, plan, kept, tell) for subject in plan.subjects]
    return {
        "made_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": about,
        "terms": {name: getattr(plan.terms, name) for name in ("seconds", "seed", "mutants", "memory_mib")},
        "tools": {tool.name: tool.version() for tool in plan.tools},
        "modules": rows,
    }


def _row(subject: Subject, plan: Plan, kept: Kept, tell: Callable[[str], None]) -> dict[str, Any]:
    source = fetched(subject, plan.terms.folder)
    terms = replace(plan.terms, work=plan.terms.work / subject.module)
    measurer = Measurer(source, terms)
    row: dict[str, Any] = {
        **subject.to_dict(),
        "sha256": source.sha256,
        "path": source.path,
        "source_lines": measurer.source_lines(),
        "imports_only": measurer.imports_only(),
        "sample": measurer.sample(terms.mutants),
        "tools": {},
    }
    for tool in plan.tools:
        found = _figures(tool, measurer, plan, kept, row["sample"])
        if found is not None:
            row["tools"][tool.name] = found
            tell(f"{subject.module} {tool.name}: {said(found, row['imports_only'])}")
    shutil.rmtree(terms.work, ignore_errors=True)
    return row


def _figures(tool: Tool, measurer: Measurer, plan: Plan, kept: Kept, sample: str) -> dict[str, Any] | None:
    """The figures of one generator on one module; None where it is neither to be run nor known.

    What is known of one that is not to be run may have been measured without mutants.
    """
    source, terms = measurer.source, measurer.terms
    earlier = kept.generated(tool, source, terms) if tool.peer and plan.reuse else None
    if earlier is None and tool.name not in plan.run:
        return None
    generated = earlier or _generated(tool, source, terms)
    if tool.peer and earlier is None:
        kept.keep_generated(tool, source, terms, generated)
    _lay(generated, plan.suites / tool.name / source.subject.module)
    figures = None
    if not generated.crash:
        figures = _known(tool, measurer, plan, kept, generated, sample)
        if figures is None and tool.name not in plan.run:
            return None
        if figures is None:
            figures = measurer.suite(generated, lambda seen: kept.keep_measured(source, generated, _PLAIN, seen))
            kept.keep_measured(source, generated, _PLAIN if "unusable" in figures else sample, figures)
    if figures and "unusable" not in figures and plan.conditions and not tool.peer:
        figures = {**figures, "conditions": measurer.conditions(generated)}
    crash = generated.crash or (figures or {}).get("unusable", "")
    told = generated.to_dict()
    costs = ("version", "wall_seconds", "cpu_seconds", "peak_mib", "first_seconds", "again_seconds", "load")
    return {
        **{name: told[name] for name in costs},
        "reused": earlier is not None,
        "crash": crash,
        "said": list(generated.notes),
        **({} if crash else figures or {}),
    }


def _known(
    tool: Tool, measurer: Measurer, plan: Plan, kept: Kept, generated: Generated, sample: str
) -> dict[str, Any] | None:
    """What is known of a peer's suite: by these mutants, or that it is of no use; else anything where it is not run."""
    if not (tool.peer and plan.reuse):
        return None
    found = kept.measured(measurer.source, generated, sample)
    plain = kept.measured(measurer.source, generated, _PLAIN)
    if found is None and tool.name not in plan.run:
        found = kept.measured(measurer.source, generated, measurer.sample(0)) or plain
    return found or (plain if plain is not None and "unusable" in plain else None)


def _lay(generated: Generated, folder: Path) -> None:
    """The suite as it was made; what an earlier run laid there goes."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, contents in generated.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)


def _generated(tool: Tool, source: Source, terms: Terms) -> Generated:
    try:
        return tool.generate(source, terms)
    except PreparationError as fault:
        return Generated(tool.name, tool.version(), crash=f"could not be set up: {str(fault).splitlines()[-1][:200]}")


def said(found: dict[str, Any], imports: dict[str, Any] | None) -> str:
    """One line about one generator on one module."""
    cost = f"{found['wall_seconds']:.0f} s, {found['cpu_seconds']:.0f} s CPU, {found['peak_mib']:.0f} MiB"
    if found["crash"]:
        counted = f"{imports['line']:.0f} / {imports['branch']:.0f} by imports only" if imports else "nothing"
        return f"{counted}, {found['crash']}, {cost}"
    coverage, mutants = found["coverage"], found["mutants"]
    killed = f"{mutants['killed']} of {mutants['sampled']} mutants" if mutants else "no mutants"
    return (
        f"{coverage['line']:.0f} / {coverage['branch']:.0f}, {killed}, {found['functions']} tests in "
        f"{found['rows']} rows, {found['test_lines']} lines, {len(found['failing'])} failing, "
        f"{len(found['flaky'])} flaky, {len(found['xfail'])} xfail, {cost}{_elsewhere(found)}"
    )


def _elsewhere(found: dict[str, Any]) -> str:
    """What fails under other conditions, where that was measured."""
    told = found.get("conditions", {})
    failing = [f"{name}: {value if isinstance(value, str) else len(value)}" for name, value in told.items() if value]
    return f", elsewhere {', '.join(failing) or 'nothing fails'}" if told else ""
