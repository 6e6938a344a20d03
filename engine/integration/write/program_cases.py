"""Turns program runs into cases of the spec that assert output, written files and exit codes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from ....utils.python_names import unique_name
from ....utils.redact import Redactor
from ...python.model.model import ModuleFacts
from ...python.model.spec_case import SpecEvidence, SpecExpectation
from ..model.components import FlowCase, FlowStep, IntegrationTarget
from ..model.programs import ProgramRun, ProjectProgram
from ..model.wide_arcs import WideArcs
from ..programs.runs import KeptRun, ProgramFlows
from .compose import ProgramAdditions, crossed_components
from .run_names import run_names

LONGEST_OUTPUT = 1_500
_MOST_FILES = 3
_MOST_TABLES = 4
_LONGEST_ROWS = 1_500
IMPORTS = ("import os", "import subprocess", "import sys")
ROW_IMPORTS = ("import contextlib", "import sqlite3")
COMMAND_SECONDS = 60

ROWS = '''def rows_of(path, table):
    """All rows of a table of an SQLite file, each as its values by column."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f"SELECT * FROM {table}")]'''
PRIMARY_KEY = '''def primary_key_of(path, table):
    """The columns of the primary key of a table of an SQLite file."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))
        return [name for (name,) in found]'''
_QUERIES = {"rows_of": ROWS, "primary_key_of": PRIMARY_KEY}


def helper_of(program: ProjectProgram, unset: Sequence[str] = ()) -> str:
    """The source of the function that runs a program in a test file.

    Args:
        unset: variables that it runs without, whoever runs the tests.
    """
    kind, what = program.start
    names = ", ".join(f'"{name}"' for name in unset) + ("," if len(unset) == 1 else "")
    without = (
        f"""
    for name in ({names}):
        environment.pop(name, None)"""
        if unset
        else ""
    )
    return f'''def {program.helper}(*arguments, cwd):
    """Run the command line of {program.name} in a folder, with what the tests can import."""
    environment = {{
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONUTF8": "1",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }}{without}
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


def program_services(flows: ProgramFlows, cases: Sequence[FlowCase]) -> list[dict[str, Any]]:
    """The services that the cases of a program need: file texts, the program itself, a query of databases."""
    used = {name for case in cases for name in case.services}
    name = flows.program.helper
    found: list[dict[str, Any]] = []
    for (_, text), constant in shared_files([kept.run for kept in flows.kept]).items():
        if constant in used:
            found.append(_service(constant, "filesystem", f"{constant} = {text!r}"))
    if name in used:
        found.append(_service(name, "process", helper_of(flows.program, flows.unset)))
    found += [_service(query, "sqlite", source) for query, source in _QUERIES.items() if query in used]
    return found


def _service(name: str, kind: str, setup: str) -> dict[str, Any]:
    return {"name": name, "kind": kind, "stand_in": "real", "setup": [setup]}


def program_cases(
    flows: ProgramFlows, arcs: WideArcs, target: IntegrationTarget, lines: tuple[int, int], taken: set[str]
) -> list[FlowCase]:
    """A case for each kept run that has something to assert besides the exit code.

    Args:
        lines: of the program's main function, as evidence.
        taken: case ids in use; the new ones are added.
    """
    program, evidence = flows.program, SpecEvidence(flows.program.place.path, lines)
    component = target.named(program.place.module) or target.entry
    found: list[tuple[KeptRun, tuple[SpecExpectation, ...], tuple[tuple[str, str], ...]]] = []
    varying = _tables_with_several_keys(flows)
    for kept in flows.kept:
        expect = expectations(kept, evidence, varying)
        # What stays within the program's own module crosses from its process into it.
        crosses = crossed_components(target, arcs.edges(kept.arcs)) or ((program.helper, component.name),)
        # An exit code alone is no integration test.
        if len(expect) > 1:
            found.append((kept, expect, crosses))
    names = run_names(flows, [kept for kept, _, _ in found], taken)
    constants = shared_files([kept.run for kept in flows.kept])
    cases: list[FlowCase] = []
    for (kept, expect, crosses), name in zip(found, names, strict=True):
        run = kept.run
        written = [(file, constants.get(file) or repr(file[1])) for file in run.files]
        queried = [query for query in _QUERIES if any(f"{query}(" in expectation.actual for expectation in expect)]
        title, outcome = _words(program, kept, expect)
        cases.append(
            FlowCase(
                id=name,
                title=title,
                crosses=crosses,
                steps=tuple(FlowStep(component.name, _call(program, command)) for command in run.commands),
                expect=expect,
                fixtures=("tmp_path",),
                services=(program.helper, *(constants[file] for file in run.files if file in constants), *queried),
                statements=tuple(
                    f"(tmp_path / {file[0]!r}).write_text({text}, encoding='utf-8')" for file, text in written
                ),
                preconditions=tuple(f"{file} lies in the folder" for file, _ in run.files),
                step_texts=tuple(_line(program, command) for command in run.commands),
                expected=outcome,
            )
        )
    return cases


def shared_files(runs: Sequence[ProgramRun]) -> dict[tuple[str, str], str]:
    """Files that several runs share, with the name of a constant for the text of each."""
    counts = Counter(file for run in runs for file in run.files)
    found: dict[tuple[str, str], str] = {}
    for file, count in counts.items():
        base = re.sub(r"\W+", "_", file[0]).strip("_").upper()
        if count > 1 and base[:1].isalpha():
            found[file] = unique_name(base, found.values())
    return found


def _tables_with_several_keys(flows: ProgramFlows) -> frozenset[str]:
    """The tables whose primary key depends on how the program is called."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for _, result in flows.seen:
        for content in (result.after or {}).values():
            for table, columns in (content.get("keys") or {}).items():
                found.setdefault(table, set()).add(tuple(columns))
    return frozenset(table for table, keys in found.items() if len(keys) > 1)


def expectations(kept: KeptRun, evidence: SpecEvidence, keyed: Collection[str] = ()) -> tuple[SpecExpectation, ...]:
    """The exit code, then the output, files and rows that both runs share. Secrets are never asserted.

    Args:
        keyed: tables of which the primary key is asserted, too.
    """
    seen, other = kept.seen.last, kept.elsewhere.last
    assert seen is not None
    assert other is not None
    found = [SpecExpectation("equals", "result.returncode", str(seen.code), evidence=evidence)]
    if seen.out and seen.out == other.out and _fit(seen.out):
        found.append(SpecExpectation("equals", "result.stdout", repr(seen.out), evidence=evidence))
    if seen.code and seen.err and seen.err == other.err and _fit(seen.err) and not seen.err.startswith("usage:"):
        found.append(SpecExpectation("equals", "result.stderr", repr(seen.err), evidence=evidence))
    after = kept.elsewhere.after or {}
    for name, content in list((kept.seen.changed() or kept.seen.kept_rows(kept.run)).items())[:_MOST_FILES]:
        same = after.get(name) or {}
        if content.get("text") is not None and content["text"] == same.get("text") and _fit(content["text"]):
            actual = f"(tmp_path / {name!r}).read_text(encoding='utf-8')"
            found.append(SpecExpectation("equals", actual, repr(content["text"]), evidence=evidence))
        found += _tables(kept, name, content, same, evidence, keyed)
    return tuple(found)


def _tables(
    kept: KeptRun,
    name: str,
    content: dict[str, Any],
    same: dict[str, Any],
    evidence: SpecEvidence,
    keyed: Collection[str],
) -> list[SpecExpectation]:
    """Expectations of tables that the last command changed, or kept where it is repeated, under both conditions."""
    before, is_kept = kept.seen.rows_before(name), name in kept.seen.kept_rows(kept.run)
    found: list[SpecExpectation] = []
    for table, rows in (content.get("tables") or {}).items():
        # The command did not change the table, or its rows differ under other conditions.
        if (rows == before.get(table, []) and not is_kept) or rows != (same.get("tables") or {}).get(table):
            continue
        columns = (content.get("columns") or {}).get(table) or ()
        value = repr([dict(zip(columns, row, strict=True)) for row in rows])
        if len(value) <= _LONGEST_ROWS and _fit(value):
            actual = f"rows_of(tmp_path / {name!r}, {table!r})"
            found.append(SpecExpectation("equals", actual, value, evidence=evidence))
            key = (content.get("keys") or {}).get(table)
            if key and table in keyed:
                actual = f"primary_key_of(tmp_path / {name!r}, {table!r})"
                found.append(SpecExpectation("equals", actual, repr(key), evidence=evidence))
    return found[:_MOST_TABLES]


def _fit(text: str) -> bool:
    """Whether a text may be asserted: short, no secret, no memory address, no path of a run's folder."""
    if len(text) > LONGEST_OUTPUT or Redactor().text(text) != text:
        return False
    return re.search(r"\b0x[0-9a-f]{6,}|/(?:tmp|scratch|home|root|var)/", text) is None


def _call(program: ProjectProgram, command: tuple[str, ...]) -> str:
    return f"{program.helper}({', '.join([*(repr(word) for word in command), 'cwd=tmp_path'])})"


def _line(program: ProjectProgram, command: tuple[str, ...]) -> str:
    return " ".join([program.name, *command])[:900]


def _words(program: ProjectProgram, kept: KeptRun, expect: tuple[SpecExpectation, ...]) -> tuple[str, str]:
    seen = kept.seen.last
    assert seen is not None
    ending = f"exits with {seen.code}" if seen.code else "succeeds"
    first = (seen.out or seen.err or "").strip().partition("\n")[0]
    shown = (
        f" and says {first[:80]!r}"
        if first and any(expectation.actual != "result.returncode" for expectation in expect)
        else ""
    )
    *earlier, command = kept.run.commands
    after = f" after {_line(program, earlier[-1])}" if earlier else ""
    sentence = f"{_line(program, command)}{after} {ending}{shown}"[:290]
    demands = "; ".join(f"{expectation.actual} equals {expectation.value}" for expectation in expect)
    return sentence, demands[:900]


def program_additions(
    programs: Sequence[ProgramFlows], arcs: WideArcs, target: IntegrationTarget, facts: ModuleFacts, taken: set[str]
) -> ProgramAdditions:
    """Collects what the runs of programs add to the spec.

    Args:
        facts: those of the entry.
        taken: case ids in use.
    """
    cases: list[FlowCase] = []
    services: dict[str, dict[str, Any]] = {}
    imports: set[str] = set()
    lost: list[dict[str, Any]] = []
    for flows in programs:
        own = program_cases(flows, arcs, target, _lines(flows, facts), taken)
        cases += own
        services.update({str(service["name"]): service for service in program_services(flows, own)})
        imports |= {*IMPORTS} if own else set()
        lost += [
            {"subject": f"{flows.program.name} {words}".strip(), "reason": reason}
            for words, reason in sorted(flows.lost.items())
        ]
    if not services.keys().isdisjoint(_QUERIES):
        imports |= {*ROW_IMPORTS}
    return ProgramAdditions(
        cases=tuple(cases),
        services=tuple(services.values()),
        imports=tuple(sorted(imports)),
        edges=frozenset(edge for flows in programs for run in flows.kept for edge in arcs.edges(run.arcs)),
        defects=tuple(defect for flows in programs for defect in flows.defects),
        not_reached=tuple(lost),
    )


def _lines(flows: ProgramFlows, facts: ModuleFacts) -> tuple[int, int]:
    """Lines of the function that the program starts with, or of the whole file."""
    start = flows.program.start[1]
    for function in facts.functions:
        if function.name == "main" or f"import {function.name};" in start:
            return function.lines
    return (1, max(facts.line_count, 1))
