"""The figures of one suite: the same measurement for every generator."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .conditions import failing_under
from .environments import environment
from .fresh_process import FreshProcess, Judged
from .sampling import sample_digest
from .sources import Source
from .suites import filled_lines, test_lines, without_xfail
from .tools.generated import Generated, Terms
from .tools.testwright import CHECKOUT

_ASSESS_SECONDS = 3600.0
_PLAIN = "from a plain run only, without the conditions of the gate"


@dataclass(frozen=True)
class Measurer:
    """Measures suites of one subject."""

    source: Source
    terms: Terms

    def imports_only(self) -> dict[str, Any] | None:
        """Coverage by importing the module alone."""
        root = self.source.copy(self.terms.work / "imports")
        coverage = self._process().imports_only(root)
        return coverage.to_dict() if coverage else None

    def source_lines(self) -> int:
        """Non-blank lines of the module."""
        return filled_lines((self.source.root / self.source.path).read_text(encoding="utf-8"))

    def sample(self, size: int) -> str:
        """Digest of the mutants that every suite is measured by."""
        return sample_digest(self.source.root, self.source.path, size)

    def suite(self, generated: Generated, plain: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """What a suite is worth: coverage, mutants, size, what does not hold. JSON form.

        Args:
            plain: is given what a plain run has shown, in the same form, before the gate and mutants take their time.
        """
        texts = {path: contents.decode("utf-8") for path, contents in generated.files.items()}
        tests = [path for path in texts if Path(path).name.startswith("test_")]
        judged = self._process().judge(self._laid(texts, "judged"), tests)
        if judged.coverage is None or not set(judged.outcomes.values()) & {"passed", "xfailed"}:
            return {"unusable": judged.complaint or "none of its tests passes"}
        known = {"coverage": judged.coverage.to_dict(), **sizes(judged.outcomes), "test_lines": test_lines(texts)}
        plain({**known, **conduct(judged, {}), "mutants": None, "notes": [_PLAIN]})
        turned = {path: without_xfail(text) for path, text in texts.items()}
        assessed = self._assessed(self._laid(turned, "assessed"), tests)
        return {
            **known,
            **conduct(judged, assessed),
            "mutants": mutants(assessed),
            "notes": assessed.get("notes", []),
        }

    def conditions(self, generated: Generated) -> dict[str, Any]:
        """Which tests of a suite pass in a plain run and not under each other condition, by the condition's name."""
        texts = {path: contents.decode("utf-8") for path, contents in generated.files.items()}
        tests = [path for path in texts if Path(path).name.startswith("test_")]
        return failing_under(self.source, self._laid(texts, "conditions"), tests, self.terms)

    def _process(self) -> FreshProcess:
        home = environment("subjects", self.terms.folder, self.source.subject)
        return FreshProcess(self.source, home, self.terms.memory_mib)

    def _laid(self, texts: Mapping[str, str], name: str) -> Path:
        root = self.source.copy(self.terms.work / name)
        for path, text in texts.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return root

    def _assessed(self, root: Path, tests: list[str]) -> dict[str, Any]:
        """The gate's judgement, from `testwright assess`; its complaint where it could not judge."""
        home = environment("subjects", self.terms.folder, self.source.subject)
        command = [sys.executable, str(CHECKOUT / "main.py"), "assess", *tests, "--root", str(root)]
        command += [
            "--target",
            self.source.path,
            "--mutants",
            str(self.terms.mutants),
            "--python",
            str(home.python),
            "--json",
        ]
        try:
            done = subprocess.run(
                command, cwd=root, capture_output=True, text=True, check=False, timeout=_ASSESS_SECONDS
            )
            return json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError) as fault:
            return {"notes": [f"testwright assess gave no judgement: {type(fault).__name__}"]}


def sizes(outcomes: Mapping[str, str]) -> dict[str, Any]:
    """Test functions, and their rows: a function without parameters is one row."""
    return {"functions": len({nodeid.partition("[")[0] for nodeid in outcomes}), "rows": len(outcomes)}


def conduct(judged: Judged, assessed: Mapping[str, Any]) -> dict[str, Any]:
    """Which tests fail, are flaky, are expected to fail, or are skipped.

    Flaky is what passes in a plain run and not under every condition of the gate, or not beside itself.
    """
    failing = {nodeid for nodeid, outcome in judged.outcomes.items() if outcome == "failed"}
    flaky = set(judged.unsteady)
    for test in assessed.get("tests", ()):
        if test["verdict"] != "holds" or test.get("fails_beside_itself"):
            flaky.add(test["nodeid"])
    return {
        "failing": sorted(failing),
        "flaky": sorted(flaky - failing),
        "xfail": sorted(nodeid for nodeid, outcome in judged.outcomes.items() if outcome == "xfailed"),
        "skipped": sum(outcome == "skipped" for outcome in judged.outcomes.values()),
    }


def mutants(assessed: Mapping[str, Any]) -> dict[str, Any] | None:
    """How many of the sample were noticed (a test that does not end notices), and which were set aside by what rule."""
    told = assessed.get("mutation")
    if not told:
        return None
    set_aside = [
        {name: one[name] for name in ("line", "operator", "before", "after", "rule")} for one in told["set_aside"]
    ]
    return {
        "found": told["found"],
        "sampled": told["sampled"],
        "killed": told["killed"] + told["timeout"],
        "survived": told["survived"] + told["uncovered"],
        "equivalent": told["equivalent"],
        "untried": told["untried"],
        "score": told["score"],
        "set_aside": set_aside,
    }
