"""Objects of the project's classes are built only where their constructors can be called."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.inputs.calls import class_candidates
from testwright.engine.python.inputs.values import Values
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project


@pytest.mark.parametrize(("count", "is_built"), [(0, True), (101, False)])
def test_no_object_is_made_without_the_arguments_of_which_there_are_too_many(
    count: int, is_built: bool, tmp_path: Path
) -> None:
    parameters = "".join(f", a{number}: int" for number in range(count))
    source = f"class Rule:\n    def __init__(self{parameters}): ...\n\ndef apply(rule: Rule):\n    return rule\n"
    project = write_project(tmp_path, {"m.py": source})
    trials = SourceProposer(project, find_layout(project), facts_of(project, "m.py")).initial()
    assert any("Rule()" in repr(trial) for trial in trials) is is_built


@pytest.mark.parametrize(
    ("base", "content"), [("dict", "{'banana': 3, 'apple': 1}"), ("list", "[3, 1, 8, 2]"), ("str", "'hello world'")]
)
def test_a_class_that_extends_a_built_in_container_is_built_with_content(
    base: str, content: str, tmp_path: Path
) -> None:
    source = f"class Box({base}):\n    def first(self):\n        return next(iter(self))\n"
    project = write_project(tmp_path, {"m.py": source})
    trials = SourceProposer(project, find_layout(project), facts_of(project, "m.py")).initial()
    assert any(f"box = Box({content})" in trial.arrange for trial in trials)


def test_any_number_of_sequences_have_something_in_common(tmp_path: Path) -> None:
    source = "from typing import Sequence\n\ndef common(*sequences: Sequence):\n    return sequences[0]\n"
    project = write_project(tmp_path, {"m.py": source})
    trials = SourceProposer(project, find_layout(project), facts_of(project, "m.py")).initial()
    acts = [trial.act for trial in trials]
    assert acts.index("common('planning', 'playing')") < acts.index("common([3, 1, 2])")


def test_objects_that_functions_make_are_made_by_these_alone(tmp_path: Path) -> None:
    source = (
        "class Queue:\n"
        '    """A queue. Do not instantiate directly, use :func:`queued`."""\n\n'
        "    def __init__(self, left, right, size):\n        self.size = size\n\n"
        "    def first(self):\n        return self.size\n\n\n"
        "def queued(items=()):\n    return Queue(list(items), [], len(list(items)))\n"
    )
    project = write_project(tmp_path, {"m.py": source})
    trials = list(SourceProposer(project, find_layout(project), facts_of(project, "m.py")).initial())
    written = [text for trial in trials for text in (*trial.arrange, trial.act)]

    assert not any("Queue(" in text for text in written)
    assert any(text.startswith("queue = queued([") for text in written)


def test_objects_that_functions_of_the_module_make_come_before_an_empty_one(tmp_path: Path) -> None:
    source = """
class Span:
    def __init__(self, *parts):
        self.parts = parts

    @classmethod
    def of(cls, start, end):
        return cls((start, end))

    def __len__(self):
        return len(self.parts)


def span(start: int, end: int):
    return Span.of(start, end)


def widest(spans):
    if len(spans) > 1:
        return Span.of(0, 1)
    return spans[0]
"""
    root = write_project(tmp_path, {"pkg/__init__.py": "", "pkg/spans.py": source})
    facts, context = context_of(root, "pkg/spans.py")
    found = [one.source for one in context.values.of_class(facts, facts.classes[0])]
    assert found[0].startswith("span(")
    assert not [one for one in found if one.startswith("widest(")]


def test_of_many_functions_that_make_objects_no_more_are_called_than_there_is_room_for(tmp_path: Path) -> None:
    makers = "\n\n".join(f"def span{number}(end: int):\n    return Span(0, end)" for number in range(40))
    source = f"class Span:\n    def __init__(self, *ends):\n        self.ends = ends\n\n\n{makers}\n"
    root = write_project(tmp_path, {"spans.py": source})
    facts, context = context_of(root, "spans.py")
    asked: list[str] = []

    class Asked(Values):
        def for_parameter(self, one, parameter, where=None, depth=0):
            asked.append(one.name)
            return super().for_parameter(one, parameter, where, depth)

    values = Asked(facts, context.index, {}, {}, context.learned, context.domains)
    found = class_candidates(values, facts, facts.classes[0], 0)
    assert [one.source.partition("(")[0] for one in found] == [f"span{number}" for number in range(10)]
    assert "span39" not in asked
