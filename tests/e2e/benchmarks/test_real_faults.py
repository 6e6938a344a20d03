"""Trials of real faults in processes of their own."""

import os
import sys
from pathlib import Path

import pytest

from testwright.benchmarks.generators.commands import PreparationError
from testwright.benchmarks.generators.environments import Environment
from testwright.benchmarks.generators.sources import Source
from testwright.benchmarks.generators.tools.generated import Terms
from testwright.benchmarks.real_faults.pairs import Pair
from testwright.benchmarks.real_faults.processes import tried_in_processes
from testwright.benchmarks.real_faults.trial import Group


class Deadly:
    """Ends the process that it is handed to."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_group_that_ends_its_process_does_not_end_the_run(tmp_path):
    with pytest.raises(PreparationError, match="1 modules could not be tried"):
        list(tried_in_processes([Deadly()], Terms(tmp_path, tmp_path), None, 1))  # pyrefly: ignore[bad-argument-type]


@pytest.fixture
def group(tmp_path):
    """A fault of a module that is run by the interpreter of these tests."""
    proof = "import words\nwords.first('ab')"
    pair = Pair("words", "1.0", "1.1", "words", ("first",), "takes the last letter", proof, "'a'")
    sources = {}
    for subject, body in ((pair.earlier, "text[-1]"), (pair.later, "text[0]")):
        root = tmp_path / f"words-{subject.version}"
        root.mkdir()
        (root / "words.py").write_text(f"def first(text):\n    return {body}\n")
        sources[subject.version] = Source(subject, root, "words.py", ".", "0" * 64)
    home = Environment(Path(sys.prefix), "own")
    return Group((pair,), sources["1.1"], {"1.0": sources["1.0"]}, home)


def test_a_proof_is_run_in_both_versions_in_a_process(group, tmp_path):
    [[result]] = list(tried_in_processes([group], Terms(tmp_path, tmp_path / "work"), None, 1))
    assert (result.verdict, result.note) == ("no test", "")
