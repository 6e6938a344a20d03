"""The parts of benchmarks/generators that need no other generator and no network."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.benchmarks.generators import corpus, suites
from testwright.benchmarks.generators.commands import PreparationError
from testwright.benchmarks.generators.environments import PINS
from testwright.benchmarks.generators.fresh_process import Coverage, Judged, Record, read_journal
from testwright.benchmarks.generators.kept import Kept
from testwright.benchmarks.generators.measuring import conduct, mutants, sizes
from testwright.benchmarks.generators.sampling import sample_digest
from testwright.benchmarks.generators.sources import Source, located, strip
from testwright.benchmarks.generators.tools.generated import Generated, Terms, complaint
from testwright.benchmarks.generators.tools.pynguin import Pynguin
from testwright.benchmarks.generators.warming import warm
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

ROOT = Path(__file__).resolve().parents[3]


def test_twelve_modules_are_pinned_by_version_and_digest():
    assert len({subject.module for subject in corpus.TWELVE}) == 12
    assert all(re.fullmatch(r"[0-9a-f]{64}", subject.sha256) for subject in corpus.TWELVE)
    releases = {(subject.package, subject.version, subject.sha256) for subject in corpus.TWELVE}
    assert len(releases) == len({subject.package for subject in corpus.TWELVE}) == 10


def test_a_quick_run_is_of_modules_of_the_twelve():
    assert [subject.module for subject in corpus.chosen(corpus.QUICK)] == list(corpus.QUICK)


def test_a_module_that_is_not_among_the_twelve_is_named():
    with pytest.raises(ValueError, match="flask: not among humanize"):
        corpus.chosen(["docopt", "flask"])


def test_a_further_module_is_named_by_package_version_and_module():
    found = corpus.further("python-slugify==8.0.4:slugify.slugify")
    assert (found.requirement, found.module, found.further) == ("python-slugify==8.0.4", "slugify.slugify", True)


@pytest.mark.parametrize("text", ["tabulate", "tabulate:tabulate", "tabulate==1.0", "tabulate>=1:tabulate", "a==1:b c"])
def test_a_further_module_without_all_three_is_refused(text):
    with pytest.raises(ValueError, match="PACKAGE==VERSION:module"):
        corpus.further(text)


@pytest.mark.parametrize("path", sorted(PINS.glob("*.txt")), ids=lambda path: path.stem)
def test_environments_are_pinned_line_by_line(path):
    lines = path.read_text().splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line)] == []


OUTSIDE_LIBRARIES_LISTED = frozenset(
    {
        "sandbox/worker/start.py",  # what pytest itself needs
        "engine/python/project/exploration_digest.py",  # what reads settings
        "engine/integration/model/programs.py",  # what parses command lines
    }
)
"""Files that list well-known libraries by what they are for: a package of the corpus is among them for that alone."""


def test_nothing_in_the_package_names_a_module_of_the_corpus():
    names = "|".join(sorted({subject.package for subject in corpus.TWELVE}))
    tracked = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    found = [
        path
        for path in filter(None, tracked.stdout.split("\0"))
        if path.partition("/")[0] not in {"tests", "benchmarks", "examples"}
        and path not in OUTSIDE_LIBRARIES_LISTED
        and (ROOT / path).is_file()
        and re.search(rf"\b({names})\b", (ROOT / path).read_text())
    ]
    assert found == []


@pytest.fixture
def project(tmp_path):
    """A project in the layout of many, with tests, documentation and examples."""
    root = tmp_path / "words-1.0"
    contents = {
        "src/words/__init__.py": "",
        "src/words/case.py": "def upper(text):\n    return text.upper() if text else None\n",
        "src/words/tests/test_case.py": "assert 1\n",
        "src/words/testing.py": "",
        "docs/conf.py": "",
        "docs/index.rst": "",
        "examples/one.py": "",
        "tests/conftest.py": "",
        "test_more.py": "",
        "README.md": "",
    }
    for path, text in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_tests_documentation_and_examples_are_removed(project):
    strip(project)
    left = sorted(path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file())
    assert left == ["README.md", "src/words/__init__.py", "src/words/case.py", "src/words/testing.py"]


def test_a_module_is_found_in_the_source_folder_or_beside_the_project_file(project):
    assert located(project, "words.case") == ("src/words/case.py", "src")
    assert located(project, "words") == ("src/words/__init__.py", "src")
    assert located(project, "test_more") == ("test_more.py", ".")
    with pytest.raises(PreparationError, match=r"has no module words\.missing"):
        located(project, "words.missing")


def test_lines_are_counted_without_blank_ones_after_formatting_at_100_columns():
    long = f"assert first({'1, ' * 30}2) == second\n"
    assert 100 < len(long) < 120
    assert suites.filled_lines("a\n\n  \nb\n") == 2
    assert suites.test_lines({"test_a.py": "x = 1;y = 2\n\n\n\n", "data.json": "{}\n"}) == 2
    assert suites.test_lines({"test_a.py": long}) > 2
    assert suites.test_lines({"test_a.py": "def broken(:\n"}) == 1


def test_a_strict_xfail_becomes_a_test_that_passes_when_something_is_raised():
    text = (
        "from __future__ import annotations\n\nimport pytest\n\n\n"
        "@pytest.mark.xfail(strict=True)\ndef test_raises():\n    raise SystemExit(1)\n\n\n"
        "@pytest.mark.xfail(strict=True)\ndef test_does_not():\n    assert True\n\n\n"
        "@pytest.mark.xfail(reason='soft')\ndef test_soft():\n    assert True\n"
    )
    names: dict = {}
    turned = suites.without_xfail(text)
    exec(compile(turned, "test_turned.py", "exec"), names)
    names["test_raises"]()
    with pytest.raises(AssertionError, match="nothing was raised"):
        names["test_does_not"]()
    assert "xfail(reason='soft')" in turned
    assert "strict" not in turned


def test_a_suite_without_strict_xfail_stays_as_it_is():
    text = "import words\n\n\ndef test_words():\n    assert words\n"
    assert suites.without_xfail(text) == text


def test_a_journal_names_the_test_in_which_the_process_ended():
    lines = '["start", "a"]\n["passed", "a"]\n["failed", "a"]\n["start", "b"]\n["xfailed", "b"]\n["start", "c"]\n["pas'
    assert read_journal(lines) == Record({"a": "failed", "b": "xfailed", "c": "failed"}, ended=False)
    assert read_journal('["start", "a"]\n["skipped", "a"]\n["end", ""]\n') == Record({"a": "skipped"}, ended=True)
    assert read_journal("") == Record({}, ended=False)


def test_the_plugin_writes_a_journal_of_what_pytest_does(tmp_path):
    (tmp_path / "test_sorts.py").write_text(
        "import os, pytest\n"
        "def test_passes(): pass\n"
        "def test_fails(): assert 0\n"
        "@pytest.mark.xfail(strict=True)\ndef test_raises(): assert 0\n"
        "@pytest.mark.xfail(strict=True)\ndef test_does_not(): pass\n"
        "@pytest.mark.skip\ndef test_skipped(): pass\n"
        "@pytest.fixture\ndef broken(): assert 0\n"
        "def test_setup(broken): pass\n"
        "def test_ends_it_all(): os._exit(1)\n"
        "def test_never_begun(): pass\n"
    )
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")
    plugin = ROOT / "benchmarks" / "generators" / "plugin"
    environment = {
        **os.environ,
        **WITHOUT_PLUGINS,
        "PYTHONPATH": str(plugin),
        "BENCH_JOURNAL": str(tmp_path / "journal"),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "bench_journal",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
    ]
    command += ["--rootdir", str(tmp_path), "--continue-on-collection-errors", str(tmp_path)]
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    record = read_journal((tmp_path / "journal").read_text())
    short = {nodeid.rpartition("::")[2]: outcome for nodeid, outcome in record.outcomes.items()}
    assert not record.ended
    assert short == {
        "test_broken.py": "failed",
        "test_passes": "passed",
        "test_fails": "failed",
        "test_raises": "xfailed",
        "test_does_not": "failed",
        "test_skipped": "skipped",
        "test_setup": "failed",
        "test_ends_it_all": "failed",
    }


def test_rows_and_functions_are_counted_apart():
    assert sizes({"t.py::test_a[1]": "passed", "t.py::test_a[2]": "passed", "t.py::test_b": "failed"}) == {
        "functions": 2,
        "rows": 3,
    }


def test_what_passes_once_and_not_under_every_condition_is_flaky():
    judged = Judged(None, {"a": "passed", "b": "failed", "c": "xfailed", "d": "passed"}, unsteady=("d",))
    assessed = {"tests": [{"nodeid": name, "verdict": word} for name, word in (("a", "flaky"), ("b", "failed"))]}
    assert conduct(judged, assessed) == {"failing": ["b"], "flaky": ["a", "d"], "xfail": ["c"], "skipped": 0}


def test_mutants_that_do_not_end_are_noticed_and_uncovered_ones_survive():
    counts = {"found": 300, "sampled": 100, "killed": 70, "timeout": 5, "survived": 10, "uncovered": 5}
    rest = {"equivalent": 10, "untried": 0, "score": 83.33, "set_aside": []}
    told = mutants({"mutation": {**counts, **rest}})
    assert told is not None
    assert (told["killed"], told["survived"], told["equivalent"]) == (75, 15, 10)
    assert mutants({"notes": []}) is None


def test_a_complaint_is_the_last_error_that_was_printed():
    assert complaint(1, "x\nValueError: one\nRuntimeError: got\n   negative size\n") == (
        "exit 1: RuntimeError: got negative size"
    )
    assert complaint(None, "") == "stopped after its time: it printed nothing"


def test_coverage_of_a_file_without_branches_is_whole():
    assert (Coverage(4, 3, 0, 0).line, Coverage(4, 3, 0, 0).branch) == (75.0, 100.0)


def test_the_sample_is_the_same_for_the_same_source_and_size(project):
    path = "src/words/case.py"
    assert sample_digest(project, path, 100) == sample_digest(project, path, 100)
    assert sample_digest(project, path, 100) != sample_digest(project, path, 1)


def test_what_a_peer_made_is_kept_for_the_same_terms_only(project, tmp_path):
    source = Source(corpus.further("words==1.0:words.case"), project, "src/words/case.py", "src", "0" * 64)
    terms = Terms(tmp_path, tmp_path, seconds=60, seed=0)
    made = Generated("pynguin", "1", files={"tests/test_a.py": b"\xff"}, notes=("said",))
    kept = Kept(tmp_path / "kept")
    kept.keep_generated(Pynguin(), source, terms, made)
    assert kept.generated(Pynguin(), source, terms) == made
    assert kept.generated(Pynguin(), source, Terms(tmp_path, tmp_path, seconds=60, seed=1)) is None
    kept.keep_measured(source, made, "sample", {"rows": 1})
    assert kept.measured(source, made, "sample") == {"rows": 1}
    assert kept.measured(source, made, "another sample") is None


class Seeing:
    """A generator that remembers what it was run on."""

    name, peer = "seeing", False

    def __init__(self, fault: Exception | None = None):
        self.fault, self.seen = fault, []

    def version(self):
        return "1"

    def generate(self, source, terms):
        if self.fault is not None:
            raise self.fault
        text = (source.root / source.path).read_text()
        self.seen.append((source.subject.module, "def parity" in text, terms.seconds))
        return Generated(self.name, "1")


def test_each_generator_runs_once_quickly_before_anything_is_measured(tmp_path):
    broken, seeing = Seeing(PreparationError("no network")), Seeing()
    warm([broken, seeing], Terms(tmp_path, tmp_path / "work", seconds=60))
    assert seeing.seen == [("counted", True, 2)]


WATCHED = """
import os, sys, time
from pathlib import Path
from testwright.benchmarks.generators.account import descendants
from testwright.benchmarks.generators.watched import adopt_orphans, run_watched

def first():
    # True once memory has been looked at since the file was made; then the program is told so.
    if not Path("made").exists():
        return False
    with Path("seen").open("a") as seen:
        seen.write("once ")
    if Path("seen").stat().st_size < 25:
        return False
    Path("looked").touch()
    return True

adopt_orphans()
done = run_watched(
    [sys.executable, "-c", sys.argv[1]], cwd=Path.cwd(), environment=os.environ, wall_seconds=float(sys.argv[2]),
    memory_mib=1024, first=first,
)
print(done.exit_code, done.peak_mib > 60, done.cpu_seconds > 0, done.first_seconds is not None)
print(len(descendants(os.getpid())))
print(done.output)
"""


def watched(program: str, folder: Path, seconds: float = 60) -> list[str]:
    """`run_watched` in a process of its own: it takes every child of its process for its own."""
    command = [sys.executable, "-c", WATCHED, program, str(seconds)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()


def test_what_a_program_starts_is_counted_and_ended_with_it(tmp_path):
    inner = "import time; held = bytearray(80 << 20); open('made', 'w').close(); time.sleep(600)"
    program = (
        "import os, subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {inner!r}], start_new_session=True)\n"
        "while not os.path.exists('looked'): time.sleep(0.01)\n"
        "print('said', flush=True)\n"
        "os._exit(3)\n"
    )
    assert watched(program, tmp_path) == ["3 True True True", "0", "said", ""]


UNTOLD = """
import os, sys
from pathlib import Path
from testwright.benchmarks.generators.watched import adopt_orphans, run_watched

def first():
    # A second look has been taken when this is asked for the second time after the file was made.
    if Path("made").exists():
        with Path("seen").open("a") as seen:
            seen.write("once ")
        if Path("seen").stat().st_size > 9:
            Path("looked").touch()
    return False

adopt_orphans()
done = run_watched(
    [sys.executable, "-c", sys.argv[1]], cwd=Path.cwd(), environment=os.environ, wall_seconds=60, memory_mib=1024,
    first=first,
)
print(done.exit_code, done.cpu_seconds >= 0.4)
"""


def test_what_a_child_used_counts_although_nobody_waits_for_it(tmp_path):
    program = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"  # Linux forgets what such children used
        "child = os.fork()\n"
        "if not child:\n"
        "    while time.process_time() < 0.5: pass\n"
        "    open('made', 'w').close()\n"
        "    while not os.path.exists('looked'): time.sleep(0.01)\n"
        "    os._exit(0)\n"
        "try:\n"
        "    os.waitpid(child, 0)\n"
        "except ChildProcessError:\n"
        "    pass\n"
    )
    command = [sys.executable, "-c", UNTOLD, program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True"]


def test_a_program_is_held_to_its_memory_and_its_time(tmp_path):
    first, left, *said = watched("bytearray(2 << 30)", tmp_path)
    assert (first.split()[0], left) == ("1", "0")
    assert "MemoryError" in "\n".join(said)
    first, left, *_ = watched("import time; time.sleep(600)", tmp_path, seconds=0.2)
    assert (first.split()[0], left) == ("None", "0")


def test_the_readme_names_options_that_there_are():
    page = (ROOT / "benchmarks" / "README.md").read_text()
    command = [sys.executable, "-m", "testwright.benchmarks.generators", "--help"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    section = page.partition("## Generators side by side")[2].partition("### How")[0]
    named = {word for cell in re.findall(r"^\| `(--[^|]*)` \|", section, re.MULTILINE) for word in shlex.split(cell)}
    options = {word.strip("`,") for word in named if word.startswith("--")}
    assert options
    assert {option for option in options if option not in told} == set()
