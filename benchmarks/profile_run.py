"""Where the time of one run goes: `make profile`, or `python benchmarks/profile_run.py --help`.

The command runs as a user runs it. Its stages come from the run's own events; the processor time of each stage, and of
each kind of program in it (our own process, exploring, test runs, mutants, linters), from looking at the process tree
every few milliseconds. A second run of the same words is measured after it. `--functions` looks at the stacks of our
own process as well, and names the functions that held it longest.

Wall times mean little on a busy machine; processor time and shares say more.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAIN = HERE.parent / "main.py"
EXAMPLE = HERE.parent / "examples" / "shop"
TICK = os.sysconf("SC_CLK_TCK")
LOOK_SECONDS = 0.01
STACK_SECONDS = 0.005
KINDS = (
    ("observe.", "exploring"),
    ("mutants.", "mutants"),
    ("suites.", "test runs"),
    ("ruff", "linters"),
    ("node", "linters"),
    ("start.py", "sandbox starts"),
    ("keeper.py", "sandbox starts"),
    ("bwrap", "sandbox starts"),
)


@dataclass
class Tree:
    """Processor time of a command and everything it starts.

    Attributes:
        samples: (seconds since the epoch, kind, processor seconds since the last look).
        peak_mib: the most memory all of it held at once, shared pages counted once for each process.
    """

    root: int
    samples: list[tuple[float, str, float]] = field(default_factory=list)
    peak_mib: float = 0.0
    _spent: dict[int, float] = field(default_factory=dict)
    _kinds: dict[int, str] = field(default_factory=dict)

    def look(self) -> None:
        """Take one sample of the whole tree."""
        now, held = time.time(), 0
        rows = dict(processes())
        for pid in descendants(self.root, rows):
            parent, spent, pages = rows[pid]
            held += pages
            kind = self._kind(pid, parent)
            gone = spent - self._spent.get(pid, 0.0)
            self._spent[pid] = spent
            if gone > 0:
                self.samples.append((now, kind, gone))
        self.peak_mib = max(self.peak_mib, held * os.sysconf("SC_PAGE_SIZE") / 2**20)

    def _kind(self, pid: int, parent: int) -> str:
        if pid == self.root:
            return "our process"
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            return self._kinds.get(pid, "other")
        names = [Path(word).name for word in words[:6]]
        found = next((kind for part, kind in KINDS if any(name.startswith(part) for name in names)), "")
        self._kinds[pid] = found or self._kinds.get(parent, "other")
        return self._kinds[pid]


def processes() -> Iterator[tuple[int, tuple[int, float, int]]]:
    """Every process: its id, its parent, its processor seconds, its resident pages."""
    for entry in os.listdir("/proc"):  # noqa: PTH208 - many times a second
        if entry.isdigit():
            try:
                row = Path(f"/proc/{entry}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:
                continue
            yield int(entry), (int(row[1]), (int(row[11]) + int(row[12])) / TICK, int(row[21]))


def descendants(root: int, rows: dict[int, tuple[int, float, int]]) -> list[int]:
    """A process and everything below it, parents first."""
    children: dict[int, list[int]] = defaultdict(list)
    for pid, (parent, _, _) in rows.items():
        children[parent].append(pid)
    found, waiting = [], [root] if root in rows else []
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children[pid]
    return found


@dataclass
class Measured:
    """One command, measured. Seconds; `cpu` is that of all processes that were waited for."""

    began: float
    ended: float
    cpu: float
    exit_code: int
    tree: Tree
    output: str

    @property
    def wall(self) -> float:
        """Seconds from start to end."""
        return self.ended - self.began


def measure(argv: list[str], cwd: Path) -> Measured:
    """Run a command and watch its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.time()
    with subprocess.Popen(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        tree = Tree(process.pid)
        done = threading.Event()

        def watch() -> None:
            while not done.wait(LOOK_SECONDS):
                tree.look()

        watcher = threading.Thread(target=watch)
        watcher.start()
        output, _ = process.communicate()
        ended = time.time()
        done.set()
        watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(began, ended, cpu, process.returncode, tree, output)


def stages(events: list[dict], measured: Measured) -> list[tuple[str, float, float]]:
    """The run's stages in order: name, start, end (seconds since the epoch). Stages of several targets may overlap."""
    found = [("start: reading the program's modules", measured.began, events[0]["at"])]
    opened: dict[tuple[str, str], float] = {}
    inner = {"verify_suite", "accept_tests"}
    for event in events:
        node, step = event["data"].get("node"), event.get("step_id") or ""
        if event["type"] == "node_started" and node != "execute_current_step":
            opened[step, node] = event["at"]
        elif event["type"] == "node_ended" and (step, node) in opened:
            found.append((f"{node} {step}".strip(), opened.pop((step, node)), event["at"]))
        elif event["type"] == "step_started" and step in inner:
            opened[step, ""] = event["at"]
        elif event["type"] == "step_ended" and (step, "") in opened:
            found.append((step, opened.pop((step, "")), event["at"]))
    found.append(("end: leaving the program", events[-1]["at"], measured.ended))
    return found


def first_tests(events: list[dict]) -> float | None:
    """When the first tests were known to pass, in seconds since the epoch."""
    return next(
        (event["at"] for event in events if "first_tests" in event["data"] or event["type"] == "tests_run"), None
    )


def told(measured: Measured, events: list[dict]) -> str:
    """The stages as a table."""
    kinds = sorted({kind for _, kind, _ in measured.tree.samples}, key=lambda kind: (kind != "our process", kind))
    rows = []
    for name, start, end in stages(events, measured):
        spent: defaultdict[str, float] = defaultdict(float)
        for at, kind, seconds in measured.tree.samples:
            if start < at <= end:
                spent[kind] += seconds
        if end - start >= 0.02:
            rows.append((name[:60], end - start, [spent[kind] for kind in kinds]))
    total: defaultdict[str, float] = defaultdict(float)
    for _, kind, seconds in measured.tree.samples:
        total[kind] += seconds
    rows.append(("the whole command", measured.wall, [total[kind] for kind in kinds]))
    lines = [f"{'stage':60} {'wall s':>8}" + "".join(f" {kind + ' cpu':>20}" for kind in kinds)]
    lines += [f"{name:60} {wall:8.2f}" + "".join(f" {one:20.2f}" for one in each) for name, wall, each in rows]
    first = first_tests(events)
    lines.append("")
    if first is not None:
        lines.append(f"first tests that pass: {first - measured.began:.2f} s after the command's start")
    lines.append(f"processor time: {sum(total.values()):.1f} s; memory at its peak: {measured.tree.peak_mib:.0f} MiB")
    return "\n".join(lines)


def watched_inside(out: Path, words: list[str]) -> None:
    """Run the command line in this process and count the stacks of its threads."""
    alone: Counter[str] = Counter()
    within: Counter[str] = Counter()
    own = threading.get_ident()

    def look() -> None:
        me = threading.get_ident()
        while True:
            time.sleep(STACK_SECONDS)
            for thread, frame in list(sys._current_frames().items()):
                if thread == me:
                    continue
                names, step = [], frame
                while step is not None:
                    code = step.f_code
                    names.append(f"{'/'.join(Path(code.co_filename).parts[-3:])}:{code.co_qualname}")
                    step = step.f_back
                if any(waits in names[0] for waits in ("selectors.py", "threading.py", "thread.py:_worker")):
                    continue
                alone[names[0]] += 1
                within.update(set(names))

    def told() -> None:
        out.write_text(json.dumps({"alone": alone.most_common(60), "within": within.most_common(120), "main": own}))

    threading.Thread(target=look, daemon=True).start()
    atexit.register(told)  # the command leaves in a way that passes over `finally`
    sys.argv = [str(MAIN), *words]
    from testwright.main import main

    main()


def functions_told(path: Path) -> str:
    """The functions that held our own process longest; seconds are looks times the time between them."""
    found = json.loads(path.read_text("utf-8"))
    lines = []
    for title, key in (("in the function itself", "alone"), ("in it and what it calls", "within")):
        lines.append(f"\nseconds {title}, at least:")
        lines += [f"{count * STACK_SECONDS:8.2f}  {name}" for name, count in found[key]]
    return "\n".join(lines)


def main() -> None:
    """Measure one run, and the same once more."""
    if sys.argv[1:2] == ["--inside"]:
        watched_inside(Path(sys.argv[2]), sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("request", nargs="?", default="unit tests for src/shop/pricing.py")
    parser.add_argument("--root", type=Path, default=EXAMPLE, help="the project; a copy of it is worked on")
    parser.add_argument("--functions", action="store_true", help="also name the functions that take the time")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("rest", nargs="*", help="after --: more words for the run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="testwright-profile-") as folder:
        project = Path(folder) / "project"
        shutil.copytree(given.root, project, symlinks=True, ignore=shutil.ignore_patterns(".testwright", ".git"))
        words = ["run", given.request, "--root", str(project), *given.rest]
        stacks = Path(folder) / "stacks.json"
        inside = [str(Path(__file__).resolve()), "--inside", str(stacks)] if given.functions else [str(MAIN)]
        first = measure([sys.executable, *inside, *words], Path(folder))
        runs = sorted((project / ".testwright" / "runs").glob("*/events.jsonl"))
        if not runs:
            sys.exit(first.output)
        events = [json.loads(line) for line in runs[0].read_text("utf-8").splitlines()]
        sys.stdout.write(first.output + "\n" + told(first, events) + "\n")
        if given.functions:
            sys.stdout.write(functions_told(stacks) + "\n")
        second = measure([sys.executable, str(MAIN), *words], Path(folder))
        sys.stdout.write(f"\nthe same again: {second.wall:.2f} s wall, {second.cpu:.2f} s processor time\n")
        if given.json:
            figures = {
                "wall_seconds": first.wall,
                "first_tests_seconds": (first_tests(events) or first.ended) - first.began,
                "second_run_seconds": second.wall,
                "peak_mib": first.tree.peak_mib,
                "stages": [[name, end - start] for name, start, end in stages(events, first)],
            }
            given.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
