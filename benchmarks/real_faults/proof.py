"""The proof of a pair: a few lines of Python whose outcome differs between the two versions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..generators.environments import Environment
from ..generators.sources import Source
from ..generators.watched import run_watched
from .pairs import Pair

_SECONDS = 20.0
_MEMORY_MIB = 1024
_MARK = "outcome of the proof: "
ENDLESS = "does not end"
_SCRIPT = """
import ast, sys

tree = ast.parse(sys.argv[1])
last = ast.Expression(tree.body.pop().value)
names = {"__name__": "proof"}
try:
    exec(compile(tree, "proof", "exec"), names)
    outcome = repr(eval(compile(last, "proof", "eval"), names))
except Exception as fault:
    outcome = "raises " + type(fault).__name__
print("\\n" + sys.argv[2] + outcome, flush=True)
"""


@dataclass(frozen=True)
class Proof:
    """What the proof came to in each version: a `repr`, `raises ErrorName`, or why there is none."""

    earlier: str
    later: str
    right: str

    @property
    def complaint(self) -> str:
        """Why the pair does not count; empty where it does."""
        if self.earlier == self.later:
            return f"both versions come to {self.later}"
        return "" if self.later == self.right else f"the later version comes to {self.later}, not to {self.right}"


def prove(pair: Pair, earlier: Source, later: Source, home: Environment, work: Path) -> Proof:
    """Run the proof of a pair in both versions."""
    work.mkdir(parents=True, exist_ok=True)
    outcomes = [outcome(pair.proof, source, home, work) for source in (earlier, later)]
    return Proof(outcomes[0], outcomes[1], pair.right)


def outcome(snippet: str, source: Source, home: Environment, work: Path) -> str:
    """What the last line of a snippet comes to with a version's source on the import path."""
    done = run_watched(
        [str(home.python), "-c", _SCRIPT, snippet, _MARK],
        cwd=work,
        environment={
            **os.environ,
            "PYTHONPATH": str(source.root / source.import_root),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        wall_seconds=_SECONDS,
        memory_mib=_MEMORY_MIB,
        memory=False,
    )
    if done.exit_code is None:
        return ENDLESS
    marked = [line for line in done.output.splitlines() if line.startswith(_MARK)]
    return marked[-1].removeprefix(_MARK) if marked else f"exit {done.exit_code}"
