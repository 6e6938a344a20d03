"""assess: the gate's judgement over tests that are there already."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..settings import load_settings
from . import options as given
from .failures import failures_shown

ASSESS_HELP = """Judge tests that are there already: do they hold, what do they cover, which faults would they notice?

They run in a copy, shuffled, in fresh processes, on another day; no file is changed.

Example: testwright assess tests --root examples/shop
"""
SHOWN = 20
Paths = Annotated[list[str] | None, typer.Argument(help="Test files or folders of the project. Default: all it has.")]
Targets = Annotated[
    list[str] | None, typer.Option("--target", help="A module whose branches and mutants count; may be repeated.")
]
Size = Annotated[int, typer.Option("--mutants", min=0, max=10_000, help="Mutants to try, of all targets together.")]
_RUN = {"run_id": given.RunId, "framework": given.Framework, "python": given.Python, "sandbox": given.Sandbox}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("assess", help=ASSESS_HELP)(assess)


@given.taking(given.PLACE, _RUN)
def assess(
    flags: dict[str, Any],
    paths: Paths = None,
    target: Targets = None,
    mutants: Size = 100,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """See ASSESS_HELP."""
    with failures_shown(debug=debug, as_json=as_json):
        from .. import assessing

        settings = load_settings(flags)
        done = asyncio.run(assessing.assess(paths or (), settings, targets=target or (), mutants=mutants))
    if as_json:
        sys.stdout.write(json.dumps(done.report, indent=2, sort_keys=True) + "\n")
    else:
        _shown(done.report)
        Console(soft_wrap=True, highlight=False).print(f"Report: {escape(str(done.path))}")
    raise typer.Exit(done.exit_code)


def _shown(report: Mapping[str, Any]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    tests = report["tests"]
    table = Table("Verdict", "Lines", "Own branches", "Mutants", "Reruns", "Remarks", "Test", box=None, pad_edge=False)
    table.columns[-1].no_wrap = True
    table.columns[-1].overflow = "ignore"
    for test in tests:
        if test["verdict"] != "holds" or _remarks(test) or len(tests) <= SHOWN:
            evidence = test["evidence"] or {}
            values = [evidence.get(name) for name in ("own_branches", "mutants_killed", "reruns")]
            numbers = ["" if one is None else str(one) for one in values]
            lines = str(len(evidence["lines"])) if evidence else ""
            table.add_row(test["verdict"], lines, *numbers, escape(_remarks(test)), escape(test["nodeid"]))
    if table.row_count:
        longest = max(len(test["nodeid"]) for test in tests)
        Console(soft_wrap=True, highlight=False, width=longest + 100).print(table)
    holding = sum(test["verdict"] == "holds" for test in tests)
    skipped = f", {len(report['skipped'])} skipped" if report["skipped"] else ""
    console.print(f"{holding} of {len(tests)} tests hold under every condition{skipped}")
    for name, what in (("adds_nothing", "add nothing that others do not"), ("asserts_nothing", "assert nothing")):
        console.print(f"{sum(test[name] for test in tests)} {what}")
    _measures(console, report)
    for note in report["notes"]:
        console.print(f"Note: {escape(note)}")


def _measures(console: Console, report: Mapping[str, Any]) -> None:
    coverage, mutation = report["coverage"], report["mutation"]
    if coverage:
        console.print(f"Statements {coverage['percent_statements']} %, branches {coverage['percent_branches']} %")
    if not mutation:
        return
    score = "no score" if mutation["score"] is None else f"{mutation['score']} %"
    console.print(
        f"Mutants: {score}; {mutation['killed']} killed and {mutation['timeout']} timed out of {mutation['sampled']} "
        f"sampled ({mutation['found']} there are), {mutation['survived']} survived, {mutation['uncovered']} on lines "
        f"that no test runs, {mutation['equivalent']} set aside as equivalent"
    )
    for one in mutation["survivors"][:SHOWN]:
        console.print(f"  {escape(one['path'])}:{one['line']}  {escape(one['before'])}  →  {escape(one['after'])}")
    if len(mutation["survivors"]) > SHOWN:
        console.print(f"  and {len(mutation['survivors']) - SHOWN} more, in the report")


def _remarks(test: Mapping[str, Any]) -> str:
    remarks = [test["reason"]] if test["reason"] else []
    remarks += ["adds nothing"] if test["adds_nothing"] else []
    remarks += ["asserts nothing"] if test["asserts_nothing"] else []
    return "; ".join(remarks)
