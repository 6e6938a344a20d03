"""Lists the Python files of the checkout without walking its environments, which hold ten times as many."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def python_files() -> tuple[Path, ...]:
    """Absolute paths, sorted; none below a hidden folder, such as one with runs, `build`, or a folder of test data."""
    tops = [path for path in ROOT.iterdir() if not path.name.startswith(".") and path.name != "build"]
    found = (path for top in tops for path in (top.rglob("*.py") if top.is_dir() else [top]))
    return tuple(sorted(path for path in found if path.suffix == ".py" and _is_source(path.relative_to(ROOT))))


def _is_source(path: Path) -> bool:
    return not any(part == "data" or part.startswith(".") for part in path.parts)
