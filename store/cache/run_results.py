"""Stores results of finished runs with digests of all their inputs, so that an identical request can reuse them.

One small JSON file a request, below `standing` of the cache folder; an unreadable file counts as missing.
Standard library only and quick to import: the command line reads this before it loads anything heavy.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ...utils.untrusted_files import decoded_json, read_bytes

FOLDER = "standing"
MOST_ANSWERS = 500
_FORM = 1


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The result of one request, and the digests of its inputs.

    Attributes:
        run_id: the run that produced it.
        exit_code: of that run.
        shown: the summary printed on the terminal, plain text.
        report: digest of its report.json.
        own: digest of the testwright that produced it.
        root: the project's folder.
        tree: digest of the project's files once the tests had been added.
        installed: digest of each folder of packages of the interpreter.
        linked: digest of each folder outside the project that its packages are linked to.
        programs: digest of the interpreter and of each file that decides which one is used.
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
    """The stored results below one state folder.

    Args:
        state: the folder of all runs.
        cache: the folder of what is kept between runs.
    """

    def __init__(self, state: Path, cache: Path) -> None:
        self._state = state
        self._folder = cache / FOLDER

    def get(self, question: str) -> StoredResult | None:
        """The result for a request key; None when missing or unreadable."""
        return _read(self._folder / f"{question}.json")

    def put(self, question: str, answer: StoredResult) -> None:
        """Store a result, replacing an earlier one. Raises OSError."""
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
        """Delete the result for a request key."""
        with suppress(OSError):
            (self._folder / f"{question}.json").unlink(missing_ok=True)

    def prune(self) -> None:
        """Delete results of removed runs, and the oldest beyond `MOST_ANSWERS`."""
        with suppress(OSError):
            files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
            for number, path in enumerate(files):
                answer = _read(path)
                if number >= MOST_ANSWERS or answer is None or not self.report_of(answer).is_file():
                    path.unlink(missing_ok=True)

    def report_of(self, answer: StoredResult) -> Path:
        """The report.json of the run that produced a result; it may have been removed."""
        return self._state / "runs" / answer.run_id / "report.json"


def _read(path: Path) -> StoredResult | None:
    try:
        found = decoded_json(read_bytes(path.parent, path.name).decode("utf-8", "surrogatepass"))
        if found.pop("form") != _FORM:
            return None
        answer = StoredResult(**found)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return (
        answer
        if all(isinstance(getattr(answer, field.name), _TYPES[str(field.type)]) for field in fields(StoredResult))
        else None
    )


_TYPES: dict[str, type] = {"str": str, "int": int, "dict[str, str]": dict}
