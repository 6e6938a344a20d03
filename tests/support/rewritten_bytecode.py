"""Makes the bytecode of test files with pytest's rewritten assertions, once, where each worker would do it anew.

`compileall` cannot: pytest keeps such bytecode under a name of its own. A worker writes it only where Python may write
bytecode, and workers that start together all rewrite the same files. Pytest also rewrites the packages that its plugins
come in, in each session that loads them: in those of our tests, and in those that they start.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distributions
from pathlib import Path
from types import SimpleNamespace

from _pytest.assertion import rewrite  # pytest offers no other way to its bytecode

TESTS = Path(__file__).resolve().parents[1]


def rewritten_files() -> Iterator[Path]:
    """The test files, and the files of each installed distribution that has a plugin for pytest."""
    yield from (path for path in TESTS.rglob("*.py") if path.name.startswith(("test_", "conftest")))
    for distribution in distributions():
        if any(entry.group == "pytest11" for entry in distribution.entry_points):
            files = (Path(str(file.locate())) for file in distribution.files or () if file.suffix == ".py")
            yield from (path.resolve() for path in files if path.is_file())


def write_bytecode(path: Path) -> None:
    """Write a file's bytecode unless what is there is of the same source."""
    compiled = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, compiled) is None:
        digest, code = rewrite._rewrite_test(path, None)  # pyrefly: ignore[bad-argument-type]  # None: no hook for what passes
        rewrite.try_makedirs(compiled.parent)
        rewrite._write_pyc(SimpleNamespace(trace=print), code, digest, compiled)  # pyrefly: ignore[bad-argument-type]


if __name__ == "__main__":
    with ProcessPoolExecutor() as pool:
        list(pool.map(write_bytecode, rewritten_files(), chunksize=16))
