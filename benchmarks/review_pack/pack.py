"""The folder that reviewers get, and its key."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..generators.corpus import Subject
from ..generators.sources import Source, fetched
from ..generators.tools.generated import Terms
from ..generators.tools.testwright import Testwright
from .form import empty_form
from .neutral import neutral


@dataclass(frozen=True)
class Entry:
    """One suite of a pack.

    Attributes:
        told: what the key says of it.
        source: the module's file.
        files: texts of the test files, as they were made.
    """

    told: str
    source: Path
    files: Sequence[str]


def write_pack(subjects: Sequence[Subject], out: Path, terms: Terms, suites: Path | None = None) -> None:
    """Write the pack of some modules to `out`, and beside it, in `out.key.json`, which module is which.

    A module without tests is not in the pack; the key names it.

    Args:
        suites: folder of suites by module; those of other modules are made.

    Raises:
        PreparationError: a source could not be had.
        ValueError: a mark of origin stands in a test's code.
    """
    entries: list[Entry] = []
    without: list[str] = []
    for subject in subjects:
        source = fetched(subject, terms.folder)
        files = _suite(source, terms, suites)
        told = f"{subject.requirement}:{subject.module}"
        print(f"{told}: {len(files)} test files", flush=True)
        if files:
            entries.append(Entry(told, source.root / source.path, files))
        else:
            without.append(told)
    write_entries(entries, out, {"testwright": Testwright().version(), "without tests": without})


def write_entries(entries: Sequence[Entry], out: Path, more: dict[str, Any]) -> None:
    """Write a pack in the order of its entries, and its key with `more` beside it.

    Raises:
        FileExistsError: the folder is there already.
        ValueError: a mark of origin stands in a test's code.
    """
    tests = {f"module_{number:02}": _joined(entry) for number, entry in enumerate(entries, 1)}
    out.mkdir(parents=True)
    for (name, text), entry in zip(tests.items(), entries, strict=True):
        shutil.copyfile(entry.source, out / f"{name}.py")
        (out / f"test_{name}.py").write_text(text, encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("INSTRUCTIONS.md"), out / "INSTRUCTIONS.md")
    (out / "form.json").write_text(json.dumps(empty_form(tests), indent=1, ensure_ascii=False) + "\n")
    key = {"modules": {name: entry.told for name, entry in zip(tests, entries, strict=True)}, **more}
    out.with_name(f"{out.name}.key.json").write_text(json.dumps(key, indent=1) + "\n")


def shuffled_pairs(pairs: Sequence[tuple[Entry, Entry]], seed: int) -> list[Entry]:
    """The suites of two conditions in an order that tells nothing of them.

    The first half has every module once, the second half the other suite of each: who reads one half reads no module
    twice.
    """
    chance = random.Random(seed)
    drawn = [chance.sample(pair, 2) for pair in pairs]
    halves = [[first for first, _ in drawn], [second for _, second in drawn]]
    return [entry for half in halves for entry in chance.sample(half, len(half))]


def _suite(source: Source, terms: Terms, suites: Path | None) -> list[str]:
    """The texts of a module's test files; made where they are not at hand."""
    module = source.subject.module
    if suites is not None and (suites / module).is_dir():
        return [path.read_text(encoding="utf-8") for path in sorted((suites / module).rglob("test_*.py"))]
    generated = Testwright(repeated=False).generate(source, terms)
    return [generated.files[path].decode("utf-8") for path in sorted(generated.files) if path.endswith(".py")]


def _joined(entry: Entry) -> str:
    """Test files without marks of origin, one after the other. Raises ValueError where a mark stands in the code."""
    try:
        return "\n\n".join(neutral(text) for text in entry.files)
    except ValueError as fault:
        raise ValueError(f"{entry.told}: {fault}") from fault
