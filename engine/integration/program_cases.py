"""Kept runs of a program become flows of the spec: what it printed, wrote and answered is demanded (B-04)."""

from __future__ import annotations

import re
from typing import Any

from ...utils.redact import Redactor
from ..python.spec_case import Evidence, Expectation
from ..python.titles import cut_slug
from .arcs import WideArcs
from .compose import crossed
from .model import IntegrationTarget
from .program_model import ProgramRun, RunSeen
from .program_runs import Kept, ProgramFlows
from .programs import Program
from .spec_case import FlowCase, Step

LONGEST_OUTPUT = 1_500
_MOST_FILES = 3
_MOST_TABLES = 4
_LONGEST_ROWS = 1_500
IMPORTS = ("import os", "import subprocess", "import sys")
ROW_IMPORTS = ("import contextlib", "import sqlite3")
COMMAND_SECONDS = 60

ROWS = '''def rows_of(path, table):
    """All rows of a table of an SQLite file."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(f"SELECT * FROM {table}").fetchall()'''


def helper_of(program: Program) -> str:
    """The function that runs a program in a test file."""
    kind, what = program.start
    return f'''def {program.helper}(*arguments, cwd):
    """Run the command line of {program.name} in a folder, with what the tests can import."""
    environment = {{
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONUTF8": "1",
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }}
    return subprocess.run(
        [sys.executable, {kind!r}, {what!r}, *arguments],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout={COMMAND_SECONDS},
        check=False,
    )'''


def program_services(flows: ProgramFlows, cases: list[FlowCase]) -> list[dict[str, Any]]:
    """The services that the cases of a program need."""
    used = {name for one in cases for name in one.services}
    name = flows.program.helper
    found: list[dict[str, Any]] = []
    if name in used:
        found.append({"name": name, "kind": "process", "stand_in": "real", "setup": [helper_of(flows.program)]})
    if "rows_of" in used:
        found.append({"name": "rows_of", "kind": "sqlite", "stand_in": "real", "setup": [ROWS]})
    return found


def program_cases(
    flows: ProgramFlows, arcs: WideArcs, target: IntegrationTarget, lines: tuple[int, int], taken: set[str]
) -> list[FlowCase]:
    """A case for each kept run that leaves something to demand.

    Args:
        lines: of the program's main function, as evidence.
        taken: ids that are used already; those given are added.
    """
    cases: list[FlowCase] = []
    for kept in flows.kept:
        evidence = Evidence(flows.program.place.path, lines)
        expect = expectations(kept, evidence)
        crosses = crossed(target, arcs.edges(kept.arcs))
        if len(expect) > 1 and crosses:
            cases.append(_case(flows.program, kept, expect, crosses, target, taken))
    return cases


def expectations(kept: Kept, evidence: Evidence) -> tuple[Expectation, ...]:
    """The exit code, then whatever was the same in both runs: output, files, rows. Secrets are never written down."""
    seen, other = kept.seen.last, kept.elsewhere.last
    assert seen is not None
    assert other is not None
    found = [Expectation("equals", "result.returncode", str(seen.code), evidence=evidence)]
    if seen.out and seen.out == other.out and _fit(seen.out):
        found.append(Expectation("equals", "result.stdout", repr(seen.out), evidence=evidence))
    if seen.code and seen.err and seen.err == other.err and _fit(seen.err) and not seen.err.startswith("usage:"):
        found.append(Expectation("equals", "result.stderr", repr(seen.err), evidence=evidence))
    after = kept.elsewhere.after or {}
    for name, told in list(kept.seen.changed().items())[:_MOST_FILES]:
        same = after.get(name) or {}
        if told.get("text") is not None and told["text"] == same.get("text") and _fit(told["text"]):
            actual = f"(tmp_path / {name!r}).read_text(encoding='utf-8')"
            found.append(Expectation("equals", actual, repr(told["text"]), evidence=evidence))
        found += _tables(kept.seen, name, told, same, evidence)
    return tuple(found)


def _tables(
    seen: RunSeen, name: str, told: dict[str, Any], same: dict[str, Any], evidence: Evidence
) -> list[Expectation]:
    """Tables that the last command changed, and that hold the same elsewhere."""
    before = ((seen.before or {}).get(name) or {}).get("tables") or {}
    found: list[Expectation] = []
    for table, rows in (told.get("tables") or {}).items():
        if rows == before.get(table, []) or rows != (same.get("tables") or {}).get(table):
            continue
        value = repr([tuple(row) for row in rows])
        if len(value) <= _LONGEST_ROWS and _fit(value):
            actual = f"rows_of(tmp_path / {name!r}, {table!r})"
            found.append(Expectation("equals", actual, value, evidence=evidence))
    return found[:_MOST_TABLES]


def _fit(text: str) -> bool:
    """Whether a text may be written down: short, no secret, no address in memory, no path of a run's folder."""
    if len(text) > LONGEST_OUTPUT or Redactor().text(text) != text:
        return False
    return re.search(r"\b0x[0-9a-f]{6,}|/(?:tmp|scratch|home|root|var)/", text) is None


def _case(
    program: Program,
    kept: Kept,
    expect: tuple[Expectation, ...],
    crosses: tuple[tuple[str, str], ...],
    target: IntegrationTarget,
    taken: set[str],
) -> FlowCase:
    run = kept.run
    component = target.named(program.place.module)
    name = component.name if component is not None else target.entry.name
    statements = tuple(f"(tmp_path / {file!r}).write_text({text!r}, encoding='utf-8')" for file, text in run.files)
    steps = tuple(Step(name, _call(program, command)) for command in run.commands)
    services = [program.helper]
    if any("rows_of(" in one.actual for one in expect):
        services.append("rows_of")
    title, outcome = _words(program, kept, expect)
    return FlowCase(
        id=_id(program, kept, taken),
        title=title,
        crosses=crosses,
        steps=steps,
        expect=expect,
        fixtures=("tmp_path",),
        services=tuple(services),
        statements=statements,
        preconditions=tuple(f"{file} lies in the folder" for file, _ in run.files),
        told=tuple(_line(program, command) for command in run.commands),
        expected=outcome,
    )


def _call(program: Program, command: tuple[str, ...]) -> str:
    return f"{program.helper}({', '.join([*(repr(one) for one in command), 'cwd=tmp_path'])})"


def _line(program: Program, command: tuple[str, ...]) -> str:
    return " ".join([program.name, *command])[:900]


def _words(program: Program, kept: Kept, expect: tuple[Expectation, ...]) -> tuple[str, str]:
    seen = kept.seen.last
    assert seen is not None
    said = f"exits with {seen.code}" if seen.code else "succeeds"
    first = (seen.out or seen.err or "").strip().partition("\n")[0]
    shown = f" and says {first[:80]!r}" if first and any(one.actual != "result.returncode" for one in expect) else ""
    after = (
        f" after {_line(program, kept.run.commands[len(kept.run.commands) - 2])}" if len(kept.run.commands) > 1 else ""
    )
    sentence = f"{_line(program, kept.run.commands[-1])}{after} {said}{shown}"[:290]
    demands = "; ".join(f"{one.actual} equals {one.value}" for one in expect)
    return sentence, demands[:900]


def _id(program: Program, kept: Kept, taken: set[str]) -> str:
    """Named after the command, its options, what it comes after, and how it ends."""
    run, seen = kept.run, kept.seen
    last = seen.last
    assert last is not None
    words: list[str] = [program.name, *run.words]
    options = [one.lstrip("-").partition("=")[0] for one in run.commands[-1] if one.startswith("--")]
    if options:
        words += ["with", *options[:2]]
    if len(run.commands) > 1:
        words += ["after", *_subcommand(run)]
    if last.code:
        words.append("fails")
    else:
        written = [name for name, told in seen.changed().items() if told.get("text") is not None]
        words += ["writes", *written[:1]] if written else []
    base = cut_slug(re.sub(r"\W+", "_", "_".join(words)).strip("_").lower(), 70)
    name, number = base, 2
    while f"tc_{name}" in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(f"tc_{name}")
    return f"tc_{name}"


def _subcommand(run: ProgramRun) -> list[str]:
    """The word that says what the command before the last one did."""
    *earlier, _ = run.commands
    words = [one for one in earlier[-1] if not one.startswith("-")]
    return words[:1]
