"""Examples that show a refusal without a traceback become tests of the exception (B-16)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from testwright.engine.python.inputs.refused_calls import refused_call
from testwright.engine.python.inputs.seeds import example_trials
from testwright.engine.python.judge.comparison import compare_with_document
from testwright.engine.python.judge.oracle import Oracle
from testwright.engine.python.model.model import Observation, Raised, TrialFinding
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-16")


@pytest.mark.parametrize(
    ("block", "name"),
    [
        ("with raises(Refused, regex='^no: '):\n    root(-1)", "Refused: no: ..."),
        ("with raises(Refused, match=r'less than .+ \\(0\\)$'):\n    root(-1)", "Refused: ...less than ... (0)"),
        ("with raises(Refused, match=re.escape('no (0)')):\n    root(-1)", "Refused: ...no (0)..."),
        ("with self.assertRaisesRegex(Refused, 'no'):\n    root(-1)", "Refused: ...no..."),
        ("with raises(Refused, 'no root: -1.'):\n    root(-1)", "Refused: ...no root: -1...."),
        ("with raises(Refused, r'no \\d+ roots'):\n    root(-1)", "Refused"),
        ("with raises(Refused, ' '):\n    root(-1)", "Refused"),
        ("with raises(Refused, root):\n    root(-1)", "Refused"),
        ("with raises(Refused, match='no|none'):\n    root(-1)", "Refused"),
        ("with raises(Refused, match='nos?'):\n    root(-1)", "Refused"),
        ("with raises(Refused, match='.*'):\n    root(-1)", "Refused"),
        ("with pytest.raises(m.Refused):\n    root(-1)", "m.Refused"),
        ("with self.assertRaises(ValueError):\n    root(-1)", "ValueError"),
        (
            "try:\n    root(-1)\n    raise AssertionError('not raised')\nexcept Refused as error:\n    told = error",
            "Refused",
        ),
    ],
)
def test_the_call_and_the_exception_of_a_refusal_are_read(block: str, name: str) -> None:
    found = refused_call(ast.parse(block).body[0])

    assert found is not None
    assert ast.unparse(found.body[-1]) == "root(-1)"
    assert found.want == f"Traceback (most recent call last):\n{name}\n"


@pytest.mark.parametrize(
    "block",
    [
        "with open('a.txt') as file:\n    file.read()",
        "with raises(Exception):\n    root(-1)",
        "with raises((ValueError, TypeError)):\n    root(-1)",
        "try:\n    root(-1)\nexcept:\n    pass",
        "try:\n    root(4)\nexcept Refused:\n    print('bad')",
        "try:\n    root(-1)\nexcept ImportError:\n    pass",
        "with raises(Refused):\n    for number in (-1, -2):\n        root(number)",
        "root(-1)",
    ],
)
def test_what_shows_no_single_refusal_is_none(block: str) -> None:
    assert refused_call(ast.parse(block).body[0]) is None


def test_a_doctest_with_raises_is_an_example_of_the_exception(tmp_path: Path) -> None:
    source = (
        "class Refused(ValueError):\n    pass\n\n\n"
        'def root(number):\n    """Takes the root.\n\n    >>> with raises(Refused, match="negative"):\n'
        '    ...     root(-4)\n    """\n'
        "    if number < 0:\n        raise Refused('negative')\n    return number**0.5\n"
    )
    write_project(tmp_path, {"m.py": source})
    facts, context = context_of(tmp_path, "m.py")
    (trial,) = example_trials(facts, context.index)
    raised = Raised("m.Refused", "negative", bases=("ValueError",))

    assert (trial.subject, trial.act) == ("root", "root(-4)")
    assert compare_with_document(trial, ObservedTrial(Observation("raised", raised=raised))).agrees


@pytest.mark.parametrize(("pattern", "match"), [("^is not a root: ", "is not a root:"), ("^nothing else: ", None)])
def test_what_a_document_tells_of_a_message_is_looked_for_in_it(
    pattern: str, match: str | None, tmp_path: Path
) -> None:
    example = f'>>> with raises(ValueError, match="{pattern}"):\n    ...     ask(-4)'
    source = f'def ask(number):\n    """Asks.\n\n    {example}\n    """\n'
    write_project(tmp_path, {"m.py": f"import math\n\n\n{source}    return math.sqrt(number)\n"})
    facts, context = context_of(tmp_path, "m.py")
    (trial,) = example_trials(facts, context.index)
    seen = Observation("raised", raised=Raised("builtins.ValueError", "is not a root: -4", bases=()))
    agrees = compare_with_document(trial, ObservedTrial(seen)).agrees

    (told,) = Oracle(facts).judge(TrialFinding(trial, seen, agrees=agrees)).expectations

    assert (told.exception, told.match) == ("ValueError", match)
