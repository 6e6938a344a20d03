"""Objects of the project's classes are built only where their constructors can be called."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.tests.support.engine.python_projects import facts_of, write_project


@pytest.mark.parametrize(("count", "is_built"), [(0, True), (101, False)])
def test_no_object_is_made_without_the_arguments_of_which_there_are_too_many(
    count: int, is_built: bool, tmp_path: Path
) -> None:
    parameters = "".join(f", a{number}: int" for number in range(count))
    source = f"class Rule:\n    def __init__(self{parameters}): ...\n\ndef apply(rule: Rule):\n    return rule\n"
    project = write_project(tmp_path, {"m.py": source})
    trials = SourceProposer(project, find_layout(project), facts_of(project, "m.py")).initial()
    assert any("Rule()" in repr(trial) for trial in trials) is is_built
