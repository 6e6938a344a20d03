"""Compares API tests that testwright adds with Schemathesis, on the shop's API: what each finds in it as it is, and how
many changes planted in its code each notices.

    python benchmarks/api_comparison.py --schemathesis VENV/bin/schemathesis --count 12 --seed 1

Schemathesis, in an environment of its own, gets the key and the token of the application. For the code as it is it runs
as long as testwright does; for each change `--seconds`, at least what the added tests take, with a baseline of what it
reports without the change, in the same time, too. A change counts as noticed when a test fails, or when Schemathesis
reports what is not in its baseline. The places are drawn with a seed, as in planted_defects.py.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from testwright.benchmarks.planted_defects import ROOT, Planted, Suite, _drawn, _shown

PROJECT, FILE, APPLICATION = "examples/shop", "src/shop/api.py", "shop.api:app"
KEYS = {"SHOP_API_KEY": "key-of-the-shop", "SHOP_TOKEN": "token-of-the-shop"}
HEADERS = ("-H", f"X-API-Key: {KEYS['SHOP_API_KEY']}", "-H", f"Authorization: Bearer {KEYS['SHOP_TOKEN']}")
START_SECONDS = 20.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemathesis", type=Path, required=True, help="the program, in an environment of its own")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0, help="of Schemathesis for each change")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="api-comparison-") as folder:
        project = Path(folder) / "shop"
        shutil.copytree(
            ROOT / PROJECT, project, ignore=shutil.ignore_patterns(".testwright", "__pycache__", "generated")
        )
        suite, seconds = _generated(project)
        fuzzer = _Schemathesis(arguments.schemathesis, project, Path(folder))
        print(f"Schemathesis, {seconds:.0f} s: {fuzzer.first(seconds, arguments.seed)}")
        began = time.monotonic()
        if suite.run().returncode:
            sys.exit("the tests do not pass on the application as it is")
        took = time.monotonic() - began
        budget = max(arguments.seconds, took)
        print(f"the tests take {took:.1f} s; Schemathesis gets {budget:.0f} s for each change")
        fuzzer.learn(budget, arguments.seed)
        drawn, _every, _equivalent = _drawn(project, [FILE], arguments.count, arguments.seed)
        noticed = {"testwright": 0, "Schemathesis": 0}
        for number, one in enumerate(drawn, 1):
            with _planted(project, one):
                found = {
                    "testwright": suite.run().returncode != 0,
                    "Schemathesis": fuzzer.reports(budget, arguments.seed),
                }
            for name, is_noticed in found.items():
                noticed[name] += is_noticed
            marks = ", ".join(f"{name} {'noticed' if seen else 'MISSED'}" for name, seen in found.items())
            print(f"{number:3} {FILE}:{one.line} {_shown(one.before)} -> {_shown(one.after)}: {marks}", flush=True)
        print(", ".join(f"{name} {count} of {len(drawn)}" for name, count in noticed.items()))


def _generated(project: Path) -> tuple[Suite, float]:
    """The suite that testwright adds, and the seconds that its run takes."""
    began = time.monotonic()
    command = [sys.executable, str(ROOT / "main.py"), "run", "API tests of the project", "--root", str(project)]
    done = subprocess.run([*command, "--run-id", "api"], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if not (project / "tests/generated/api").is_dir():
        sys.exit(done.stderr or done.stdout)
    report = json.loads((project / ".testwright/runs/api/report.json").read_text(encoding="utf-8"))
    titles = [defect["title"] for defect in report["suspected_defects"]]
    print(
        f"testwright, {seconds:.0f} s: {report['totals']['kept']} tests kept; suspected defects: {titles}", flush=True
    )
    return Suite(project, "pytest", "tests/generated", ("src",)), seconds


class _Schemathesis:
    """Runs Schemathesis on the application, and keeps what it reports without a change as a baseline."""

    def __init__(self, program: Path, project: Path, folder: Path) -> None:
        self._program, self._project, self._folder = program, project, folder
        self._baseline = folder / "baseline.json"

    def first(self, seconds: float, seed: int) -> str:
        """What it reports of the application as it is, in its own summary."""
        done = self._run(seconds, seed, "--baseline-update")
        lines = [line.strip(" =❌🔍") for line in done.stdout.splitlines()]
        begin = next((at for at, line in enumerate(lines) if line.startswith("Failures:")), len(lines))
        return "; ".join(line for line in lines[begin : begin + 8] if line) or done.stdout[-600:]

    def learn(self, seconds: float, seed: int) -> None:
        """Add to the baseline what it reports without a change in as much time and with the same seed."""
        self._run(seconds, seed, "--baseline-update")

    def reports(self, seconds: float, seed: int) -> bool:
        """Whether it reports what the baseline does not have, or cannot even read the application's description."""
        return self._run(seconds, seed).returncode != 0

    def _run(self, seconds: float, seed: int, *more: str) -> subprocess.CompletedProcess[str]:
        with _serving(self._project) as address:
            if not address:
                return subprocess.CompletedProcess((), 1, "the application does not start", "")
            command = [str(self._program), "run", f"{address}/openapi.json", *HEADERS, "--max-time", str(int(seconds))]
            command += ["--seed", str(seed), "--baseline", str(self._baseline), "--no-color", *more]
            return subprocess.run(
                command, cwd=self._folder, capture_output=True, text=True, timeout=seconds + 120, check=False
            )


@contextmanager
def _planted(project: Path, one: Planted) -> Iterator[None]:
    place = project / one.path
    original = place.read_bytes()
    place.write_bytes(original[: one.start] + one.replacement.encode("utf-8") + original[one.end :])
    try:
        yield
    finally:
        place.write_bytes(original)


@contextmanager
def _serving(project: Path) -> Iterator[str]:
    """The address of the application; "" where it does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command: Sequence[str] = [sys.executable, "-m", "uvicorn", APPLICATION, "--port", str(port), "--log-level", "error"]
    environment = {**os.environ, **KEYS, "PYTHONPATH": str(project / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    server = subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://127.0.0.1:{port}" if _answers(server, port) else ""
    finally:
        server.kill()
        server.wait()


def _answers(server: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        with socket.socket() as probe:
            probe.settimeout(0.2)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


if __name__ == "__main__":
    main()
