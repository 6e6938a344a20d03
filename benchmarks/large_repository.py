"""Plans tests in a repository of many small modules, which it makes in a temporary folder: seconds and memory.

Prints for a request that names one file, and for one for the whole package: seconds, processor seconds, the most
memory of the process, and what was planned.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_MAIN = Path(__file__).resolve().parents[1] / "main.py"
_A_FOLDER = 100
_MODULE = '''"""Part {number}."""


def add_{number}(a: int, b: int) -> int:
    """Return the sum of a, b and {number}."""
    if a > b:
        return a + b + {number}
    return a - b
'''


def make(root: Path, files: int) -> Path:
    """Write a package `big` of so many files; return one of them."""
    package = root / "src" / "big"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    path = package
    for number in range(files - 1):
        folder = package / f"part_{number // _A_FOLDER:05d}"
        if number % _A_FOLDER == 0:
            folder.mkdir()
            (folder / "__init__.py").touch()
            continue
        path = folder / f"module_{number:06d}.py"
        path.write_text(_MODULE.format(number=number))
    return path


def plan(root: Path, request: str) -> str:
    """Run `plan` and return its row of the table."""
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, str(_MAIN), "plan", request, "--json"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return f"| {request} | exit {done.returncode}: {done.stderr.strip()[-200:]} |"
    steps = sum(step["type"].startswith("generate_") for step in json.loads(done.stdout)["steps"])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"| `{request}` | {seconds:.1f} | {cpu:.1f} | {after.ru_maxrss // 1024} | {steps:,} |"


def main() -> None:
    """Make the repository, and plan twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    files = parser.parse_args().files
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        one = make(root, files).relative_to(root).as_posix()
        print(f"{files:,} files, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}\n")
        print("| request | seconds | processor seconds | MiB | steps |\n|---|---:|---:|---:|---:|")
        for request in (f"unit tests for {one}", "unit tests for src/big"):
            print(plan(root, request), flush=True)


if __name__ == "__main__":
    main()
