"""Examples of a package say what the functions of its other modules are passed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.unit_specs import UnitSpecGenerator
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.explore.package_usage import with_examples_run
from testwright.engine.python.model.model import CallableFacts, Parameter, Trial
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.observer import open_observer
from testwright.engine.python.usage.joint_examples import rows_of_calls
from testwright.engine.python.usage.package_examples import package_examples
from testwright.engine.python.usage.project_index import ProjectIndex
from testwright.engine.python.usage.usage import ProjectUsage
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.exploration import facts_of
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("B-16")

README = """
# query

```bash
pip install query
```

```python
import query

query.shorten("select name from people; drop")
query.Query("take 3").run(limit=2)
```
"""
LEXER = '''
class Lexer:
    """Splits texts."""

    def __init__(self, separator=" "):
        self.separator = separator

    def words(self, text, most=None):
        """The words of a text."""
        for word in text.split(self.separator)[:most]:
            yield word


def read(text, *names, keep=False, **options):
    """Count the words that are a name."""
    return sum(word in names for word in Lexer().words(text)) + len(options)


def measure(lexer, text):
    """The number of words that a lexer finds."""
    return len(list(lexer.words(text)))


def is_secret(text):
    """Whether a word is secret."""
    return text == "hunter"
'''
FILES = {
    "README.md": README,
    "src/query/__init__.py": "from .api import Query, shorten\n",
    "src/query/api.py": '''
from .lexer import Lexer, measure, read

class Query:
    def __init__(self, text):
        self.text = text
    def run(self, limit):
        return list(Lexer(" ").words(self.text, most=limit))

def shorten(text):
    """Shorten.

    >>> shorten("from people take all")
    4
    """
    return read(text, "select", "from", keep=True, order="up") + measure(Lexer(), text)
''',
    "src/query/lexer.py": LEXER,
}


async def recorded(target: PythonTarget) -> ProjectUsage:
    root = target.snapshot.path
    facts = facts_of(target, "src/query/lexer.py")
    layout = find_layout(root)
    examples = package_examples(root, layout, facts, ProjectIndex(root, layout, (facts,)))
    async with open_observer(target, facts) as observer:
        return await with_examples_run(ProjectUsage(), facts, examples, observer)


def usage_of(folder: Path, files: Mapping[str, str]) -> ProjectUsage:
    async def run() -> ProjectUsage:
        async with prepared(folder, files) as target:
            return await recorded(target)

    return asyncio.run(run())


def test_functions_are_called_as_the_examples_of_other_modules_make_the_package_call_them(tmp_path: Path) -> None:
    found = usage_of(tmp_path, FILES)
    acts = {trial.act: trial for trial in found.trials}
    whole = "read('select name from people; drop', 'select', 'from', keep=True, order='up')"
    assert whole in acts
    assert acts[whole].imports == ("from query.lexer import read",)
    assert "read('select name from people;', 'select', 'from', keep=True, order='up')" in acts  # its first statement
    assert "read('from people take all', 'select', 'from', keep=True, order='up')" in acts  # of a docstring


def test_methods_and_calls_that_get_unwritten_objects_say_what_their_other_arguments_are(tmp_path: Path) -> None:
    acts = [trial.act for trial in usage_of(tmp_path, FILES).calls]
    assert "lexer.words('take 3', 2)" in acts
    assert "lexer.words('from people take all')" in acts  # what is its parameter's default is left out
    assert "measure(lexer_variable, 'from people take all')" in acts


def test_what_a_method_is_passed_together_is_tried_together() -> None:
    call = Trial("Lexer.words", "lexer.words('take 3', 2)", source="call_site")
    other = Trial("Lexer.words", "lexer.words(text_variable, 5)", source="call_site")
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in ("self", "text", "most"))
    words = CallableFacts("Lexer.words", "method", (1, 9), parameters, owner="Lexer")
    rows = rows_of_calls(words, [call, other])
    assert [[value.source for _, value in row] for row in rows] == [["'take 3'", "2"]]


FORMS = '''
import io


def count(stream):
    """The lines of a stream."""
    return len(stream.readlines())


def shift(a=1, b=2, /):
    """The sum."""
    return a + b


def retry(function):
    """A function that is tried again."""

    def retry(value):
        return function(value)

    return retry
'''


def test_calls_are_written_as_python_takes_them_and_large_files_in_memory_are_not(tmp_path: Path) -> None:
    lines = ["query.small()", "query.large()", "query.shifted()", "query.retried()"]
    api = """
import io

from .forms import count, retry, shift


def small():
    return count(io.StringIO("one\\ntwo"))


def large():
    return count(io.StringIO("word " * 100_000))


def shifted():
    return shift(1, 5)


def retried():
    return retry(str)(7)
"""
    files = {
        "README.md": "\n".join(["```python", "import query", *lines, "```", ""]),
        "src/query/__init__.py": "from .api import *\n",
        "src/query/api.py": api,
        "src/query/lexer.py": FORMS,
    }
    found = usage_of(tmp_path, {**files, "src/query/api.py": api.replace(".forms", ".lexer")})
    assert {trial.act for trial in found.trials} == {"count(io.StringIO('one\\ntwo'))", "shift(1, 5)", "retry(str)"}


def test_what_no_example_leads_to_is_not_recorded(tmp_path: Path) -> None:
    found = usage_of(tmp_path, FILES)
    assert not any("is_secret" in trial.act for trial in (*found.trials, *found.calls))


def test_after_two_examples_that_do_not_end_the_rest_is_not_run(tmp_path: Path) -> None:
    endless = ["query.wait(1)", "query.wait(2)"]
    ending = [f"query.shorten('word {at}')" for at in range(3)] + [f"query.Query('{at}').run(1)" for at in range(9)]
    further = [f"query.Query('more {at}').run(1)" for at in range(12)] + ["query.shorten('last')"]
    api = f"{FILES['src/query/api.py']}\n\ndef wait(seconds):\n    while True:\n        pass\n"
    files = {
        **FILES,
        "README.md": "\n".join(["```python", "import query", *endless, *ending, "```", ""]),
        "GUIDE.md": "\n".join(["```python", "import query", *further, "```", ""]),
        "src/query/api.py": api.replace(">>> ", ""),
        "src/query/__init__.py": "from .api import Query, shorten, wait\n",
    }
    acts = " ".join(trial.act for trial in usage_of(tmp_path, files).trials)
    assert "'word 2'" in acts
    assert "'last'" not in acts


def test_a_package_without_examples_has_nothing_to_run(tmp_path: Path) -> None:
    found = usage_of(tmp_path, {"src/query/__init__.py": "", "src/query/lexer.py": LEXER})
    assert found == ProjectUsage()


def test_tests_of_an_inner_module_take_their_input_from_the_readme(tmp_path: Path) -> None:
    async def run() -> dict[str, Any]:
        async with prepared(tmp_path, FILES) as target:

            async def provided() -> PythonTarget:
                return target

            budget = ExplorationBudget(trials=400, mutant_search=MutantSearchLimits(mutants=0))
            generator = UnitSpecGenerator(provided, target.snapshot.path, budget=budget)
            inputs = {"target": {"path": "src/query/lexer.py"}, "framework": "pytest", "user_request": ""}
            return (await generator.generate(inputs)).spec

    spec = asyncio.run(run())
    asked = [case["act"]["expression"] for case in spec["cases"] if case["subject"] == "read"]
    assert any("select name from people" in text or "from people take all" in text for text in asked)
