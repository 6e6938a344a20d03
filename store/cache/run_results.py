"""What finished runs left standing: by the question a run answered, what its answer rests on (T-16).

One small JSON file a question, below `cache/standing` of the state folder. A file that does not read counts as none.
Standard library only and quick to import: the command line reads this before it loads anything heavy.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

FOLDER = "standing"
MOST_ANSWERS = 500
_FORM = 1


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The answer to one question, and what it rests on.

    Attributes:
        run_id: the run that gave it.
        exit_code: of that run.
        shown: what a person is told, plain text.
        report: digest of its report.json.
        own: digest of the testwright that gave it.
        root: the project's folder.
        tree: digest of the project's files once the tests had been added.
        installed: what the interpreter had installed: a digest by folder of packages.
        linked: folders outside the project that its packages are linked to: a digest by path.
        programs: the interpreter and the files that decide which one it is: a digest by path.
    """

    run_id: str
    exit_code: int
    shown: str
    report: str
    own: str
    root: str
    tree: str
    installed: dict[str, str]
    programs: dict[str, str]
    linked: dict[str, str]


class StoredResults:
    """The answers kept below one state folder.

    Args:
        state: the folder of all runs.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._folder = state / "cache" / FOLDER

    def get(self, question: str) -> StoredResult | None:
        """The answer to a question; None when there is none that reads."""
        try:
            return _read(self._folder / f"{question}.json")
        except OSError:
            return None

    def put(self, question: str, answer: StoredResult) -> None:
        """Keep an answer in place of an earlier one. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"form": _FORM, **asdict(answer)}, sort_keys=True)
        temporary = self._folder / f".{question}.{os.getpid()}-{secrets.token_hex(4)}"
        try:
            temporary.write_text(text, "utf-8", errors="surrogatepass")
            temporary.replace(self._folder / f"{question}.json")
        finally:
            temporary.unlink(missing_ok=True)
        self.prune()

    def drop(self, question: str) -> None:
        """Forget the answer to a question."""
        with suppress(OSError):
            (self._folder / f"{question}.json").unlink(missing_ok=True)

    def prune(self) -> None:
        """Forget answers of runs that are gone, and the oldest beyond `MOST_ANSWERS`."""
        with suppress(OSError):
            files = sorted(self._folder.glob("*.json"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
            for number, path in enumerate(files):
                answer = _read(path)
                if number >= MOST_ANSWERS or answer is None or not self.report_of(answer).is_file():
                    path.unlink(missing_ok=True)

    def report_of(self, answer: StoredResult) -> Path:
        """The report.json of the run that gave an answer; it may be gone."""
        return self._state / "runs" / answer.run_id / "report.json"


def _read(path: Path) -> StoredResult | None:
    try:
        found = json.loads(path.read_text("utf-8", errors="surrogatepass"))
        if found.pop("form") != _FORM:
            return None
        answer = StoredResult(**found)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return (
        answer
        if all(isinstance(getattr(answer, one.name), _TYPES[str(one.type)]) for one in fields(StoredResult))
        else None
    )


_TYPES: dict[str, type] = {"str": str, "int": int, "dict[str, str]": dict}
