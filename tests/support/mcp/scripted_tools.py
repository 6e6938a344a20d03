"""Tools over a real folder, with scripts where a test wants a certain answer (P-12).

File tools read and write the run's folder, `get_ast_analysis` gives the digest of the project's real file, pruning and
accepting change real files. Judging tools say yes unless a script says otherwise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from testwright.core.errors import ToolFailure
from testwright.tests.support.agents.scripted_agents import ScriptError

Answer = dict[str, Any] | Exception | Callable[[dict[str, Any]], Any]

VALID_SPEC: dict[str, Any] = {"valid": True, "errors": [], "suggestions": []}
VALID_CODE: dict[str, Any] = {
    "valid": True,
    "syntax_valid": True,
    "lint_passed": True,
    "structure_valid": True,
    "errors": [],
}


def invalid_spec(*messages: str) -> dict[str, Any]:
    """A `validate_test_spec` answer with one error for each message."""
    errors = [
        {"path": f"$.cases[{number}]", "message": message, "severity": "error", "suggestion": f"mend {message}"}
        for number, message in enumerate(messages)
    ]
    return {"valid": False, "errors": errors, "suggestions": [f"mend {message}" for message in messages]}


def invalid_code(*messages: str) -> dict[str, Any]:
    """A `validate_test_code` answer with one lint error for each message."""
    errors = [
        {"type": "lint", "line": number, "message": message, "suggestion": f"mend {message}"}
        for number, message in enumerate(messages, start=1)
    ]
    return {**VALID_CODE, "valid": False, "lint_passed": False, "errors": errors}


class ScriptedTools:
    """A `ToolCaller` on two folders.

    Args:
        folder: the run's folder. project: the project.
        scripts: tool name → its answers in order; a dict is answered, an exception raised, a function called.
    """

    def __init__(self, folder: Path, project: Path, scripts: Mapping[str, Sequence[Answer]] | None = None) -> None:
        self.folder = folder
        self.project = project
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._scripts = {name: list(answers) for name, answers in (scripts or {}).items()}

    def named(self, name: str) -> list[dict[str, Any]]:
        """The arguments of every call of one tool, in order."""
        return [arguments for called, arguments in self.calls if called == name]

    def finish(self) -> None:
        """Raise when a scripted answer was never asked for."""
        left = {name: len(answers) for name, answers in self._scripts.items() if answers}
        if left:
            raise ScriptError(f"answers left over: {left}")

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((name, arguments))
        if name in self._scripts:
            if not self._scripts[name]:
                raise ScriptError(f"{name} was called {len(self.named(name))} times, more than its script has answers")
            answer = self._scripts[name].pop(0)
            if callable(answer):
                answer = answer(arguments)
            if isinstance(answer, Exception):
                raise answer
            return answer
        handler = getattr(self, f"_{name}", None)
        if handler is None:
            raise ToolFailure(f"there is no tool {name!r}")
        return handler(arguments)

    def _get_codebase_context(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"snippets": [{"path": path, "lines": [1, 2], "text": "..."} for path in arguments["file_paths"]]}

    def _get_ast_analysis(self, arguments: dict[str, Any]) -> dict[str, Any]:
        file = self.project / arguments["file_path"]
        if not file.is_file():
            raise ToolFailure(f"the project has no file {arguments['file_path']!r}")
        return {"path": arguments["file_path"], "digest": hashlib.sha256(file.read_bytes()).hexdigest(), "symbols": []}

    def _validate_test_spec(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return VALID_SPEC

    def _validate_test_code(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return VALID_CODE

    def _write_file(self, arguments: dict[str, Any]) -> dict[str, Any]:
        place = self.folder / arguments["path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(arguments["contents"], encoding="utf-8")
        return {"path": arguments["path"], "bytes": place.stat().st_size}

    def _read_file(self, arguments: dict[str, Any]) -> dict[str, Any]:
        text = (self.folder / arguments["path"]).read_text(encoding="utf-8")
        return {"path": arguments["path"], "contents": text, "bytes": len(text)}

    def _run_tests(self, arguments: dict[str, Any]) -> dict[str, Any]:
        kept = self.staged_cases(arguments["test_path"])
        return {"framework": "pytest", "passed": len(kept), "failed": 0, "kept": kept, "dropped": [], "seconds": 0.1}

    def _verify_suite(self, arguments: dict[str, Any]) -> dict[str, Any]:
        kept = [case for path in arguments["test_paths"] for case in self.staged_cases(path)]
        return {"passed": len(kept), "failed": 0, "kept": kept, "dropped": []}

    def _run_own_pytest(self, arguments: dict[str, Any]) -> dict[str, Any]:
        kept = [case for path in arguments["test_paths"] for case in self.staged_cases(path)]
        return {"outcome": "passed", "passed": len(kept), "failing": [], "reason": "", "settings": []}

    def _format_tests(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"changed": [], "problem": ""}

    def _prune_tests(self, arguments: dict[str, Any]) -> dict[str, Any]:
        spec = json.loads((self.folder / arguments["spec_path"]).read_text())
        left = [case["id"] for case in spec["cases"] if case["id"] not in arguments["drop"]]
        place = self.folder / "staged" / arguments["test_path"]
        if left:
            place.write_text(test_source(left))
        else:
            place.unlink(missing_ok=True)
        return {"kept": left}

    def _accept_tests(self, arguments: dict[str, Any]) -> dict[str, Any]:
        for path in arguments["test_paths"]:
            place = self.project / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((self.folder / "staged" / path).read_bytes())
        return {"accepted": arguments["test_paths"]}

    def staged_cases(self, test_path: str) -> list[str]:
        """The ids of the cases in a staged file, as it stands on disk."""
        lines = (self.folder / "staged" / test_path).read_text().splitlines()
        return [line.removeprefix("# case ") for line in lines if line.startswith("# case ")]


def test_source(case_ids: Sequence[str]) -> str:
    """A test file of the shape these tools read: one comment for each case."""
    return "".join(f"# case {case_id}\ndef test_{case_id}(): pass\n" for case_id in case_ids)


test_source.__test__ = False  # pyrefly: ignore[missing-attribute]
