"""The folder that reviewers get, and its key."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..generators.corpus import Subject
from ..generators.sources import Source, fetched
from ..generators.tools.generated import Terms
from ..generators.tools.testwright import Testwright
from .form import empty_form
from .neutral import neutral


def write_pack(subjects: Sequence[Subject], out: Path, terms: Terms, suites: Path | None = None) -> None:
    """Write the pack of some modules to `out`, and beside it, in `out.key.json`, which module is which.

    A module without tests is not in the pack; the key names it.

    Args:
        suites: folder of suites by module; those of other modules are made.

    Raises:
        PreparationError: a source could not be had.
        ValueError: a mark of origin stands in a test's code.
    """
    out.mkdir(parents=True)
    names: dict[str, str] = {}
    tests: dict[str, str] = {}
    without: list[str] = []
    for subject in subjects:
        source = fetched(subject, terms.folder)
        files = _suite(source, terms, suites)
        told = f"{subject.requirement}:{subject.module}"
        print(f"{told}: {len(files)} test files", flush=True)
        if not files:
            without.append(told)
            continue
        name = f"module_{len(names) + 1:02}"
        names[name] = told
        tests[name] = _joined(files, subject.module)
        shutil.copyfile(source.root / source.path, out / f"{name}.py")
        (out / f"test_{name}.py").write_text(tests[name], encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("INSTRUCTIONS.md"), out / "INSTRUCTIONS.md")
    (out / "form.json").write_text(json.dumps(empty_form(tests), indent=1, ensure_ascii=False) + "\n")
    key = {"testwright": Testwright().version(), "modules": names, "without tests": without}
    out.with_name(f"{out.name}.key.json").write_text(json.dumps(key, indent=1) + "\n")


def _suite(source: Source, terms: Terms, suites: Path | None) -> list[str]:
    """The texts of a module's test files; made where they are not at hand."""
    module = source.subject.module
    if suites is not None and (suites / module).is_dir():
        return [path.read_text(encoding="utf-8") for path in sorted((suites / module).rglob("test_*.py"))]
    generated = Testwright(repeated=False).generate(source, terms)
    return [generated.files[path].decode("utf-8") for path in sorted(generated.files) if path.endswith(".py")]


def _joined(files: Sequence[str], module: str) -> str:
    """Test files without marks of origin, one after the other. Raises ValueError where a mark stands in the code."""
    try:
        return "\n\n".join(neutral(text) for text in files)
    except ValueError as fault:
        raise ValueError(f"{module}: {fault}") from fault
