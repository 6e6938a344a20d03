"""Small Python projects on disk, their facts, and a plain process that runs trials against them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.model.model import ModuleFacts, Trial
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.initial_trials import (
    ProposalContext,
    callable_trials,
    proposal_context,
    testable_callables,
)

_RUNNER = """
import json, sys
for trial in json.load(sys.stdin):
    space = {}
    try:
        for text in [*trial["imports"], *trial["arrange"]]:
            exec(text, space)
    except Exception as error:
        print(json.dumps(["arrange_failed", repr(error)]))
        continue
    try:
        print(json.dumps(["returned", repr(eval(trial["act"], space))]))
    except Exception as error:
        print(json.dumps(["raised", type(error).__name__]))
"""


def write_project(root: Path, files: Mapping[str, str]) -> Path:
    """Write files (path → source, dedented) below `root`; returns `root`."""
    for path, source in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(source).lstrip("\n"), encoding="utf-8")
    return root


def facts_of(root: Path, path: str) -> ModuleFacts:
    """The facts of one file of a project."""
    return analyse_module(root, path, find_layout(root))


def context_of(root: Path, path: str) -> tuple[ModuleFacts, ProposalContext]:
    """Facts and proposal context of one file of a project."""
    layout = find_layout(root)
    facts = analyse_module(root, path, layout)
    return facts, proposal_context(root, layout, facts)


def first_trials(name: str, facts: ModuleFacts, context: ProposalContext) -> list[Trial]:
    """The trials that a callable of a module is tried with first; it may be inherited."""
    one = next(one for one in testable_callables(facts, context) if one.qualname == name)
    return list(callable_trials(one, context, 0))


def run_trials(root: Path, trials: Sequence[Trial], import_root: str = ".") -> list[tuple[str, str]]:
    """Outcome and repr or error of each trial without fixtures, run one after another in a fresh interpreter."""
    rows = [{"imports": trial.imports, "arrange": trial.arrange, "act": trial.act} for trial in trials]
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER],
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={"PYTHONPATH": str(root / import_root), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
    )
    return [(outcome, told) for outcome, told in map(json.loads, done.stdout.splitlines())]
