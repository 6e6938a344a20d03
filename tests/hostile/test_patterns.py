"""Text of a clone that patterns are matched on: none of it takes longer than its length explains."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from testwright.agents.embedded.plan.request.lexemes import lexemes
from testwright.agents.model.salvage import EmbeddedValue, embedded_values
from testwright.analysis.code_search.chunks import document_chunks
from testwright.analysis.ignore_rules import read_rules
from testwright.config.variables import Variables, has_reference
from testwright.engine.api.document import operations
from testwright.engine.integration.model import programs
from testwright.engine.integration.programs import arguments
from testwright.engine.python.domain.from_prose import Prose
from testwright.engine.python.facts.docstrings import examples_in
from testwright.engine.python.inputs import operands
from testwright.engine.python.judge import comparison
from testwright.engine.python.outside import databases
from testwright.engine.python.project.exploration_digest import Foundations
from testwright.engine.python.search.initial_trials import initial_trials
from testwright.engine.python.search.unreached import unreached_callables
from testwright.engine.python.usage import project_index
from testwright.engine.python.usage.document_code import code_of_document
from testwright.engine.python.usage.prose_examples import prose_examples
from testwright.engine.repository import survey
from testwright.engine.repository.pages import javascript_facts, next_page
from testwright.graph.execution_graph.nodes import retrieve_context
from testwright.reports import reading
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project
from testwright.utils.redact import Redactor
from testwright.vcs.git_files import unreadable_git_file

LONG = 400_000
BLANKS = "x" + " " * LONG + "y"


@pytest.fixture(autouse=True)
def _is_linear() -> Iterator[None]:
    """`re` cannot count its steps: a quadratic search of this takes minutes, a linear one less than a second."""
    began = time.process_time()
    yield
    assert time.process_time() - began < 20


@pytest.mark.parametrize("line", [f"# {BLANKS}", "#" + " " * LONG, "# " + "#" * LONG + "x", "-" * LONG + "x"])
def test_a_heading_full_of_blanks_is_cut_at_once(line: str) -> None:
    assert [chunk.kind for chunk in document_chunks(f"{line}\ntext\n")] == ["section"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("# A title", "A title"),
        ("##  A title  ##", "A title"),
        ("# C# and F#", "C# and F"),
        ("### ##", "##"),
    ],
)
def test_headings_keep_their_names(line: str, name: str) -> None:
    assert [chunk.name for chunk in document_chunks(f"{line}\ntext\n")] == [name]


@pytest.mark.parametrize("value", [BLANKS, f'"{BLANKS}', '"' * LONG + "x"])
def test_a_git_configuration_full_of_blanks_is_read_at_once(tmp_path: Path, value: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f"[core]\n\ta = {value}\n")
    assert unreadable_git_file(tmp_path) is None


def test_a_name_of_very_many_words_is_redacted_at_once() -> None:
    text = "SECRET_" * (LONG // 7)
    assert Redactor().text(f"# {text}") == f"# {text}"


def test_empty_lines_without_a_class_are_passed_over_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def price(): ...\n")
    (tmp_path / "b.py").write_text("\n" * LONG + "x = 1\n")
    assert Foundations(tmp_path, ("a.py", "b.py")).digest_of("a.py")


SCRIPTS = ["/*", "/*a", "//", "import a ", "import " + " " * 99, "export * ", "require('a", "x.get('/a", "const a = "]


@pytest.mark.parametrize("unit", SCRIPTS)
def test_a_script_of_beginnings_without_ends_is_read_at_once(unit: str) -> None:
    text = unit * (LONG // 10 // len(unit))
    javascript_facts("server.js", f"express\n{text}")
    next_page("app/page.tsx", "metadata " * (LONG // 200) + text)


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("import a from './x'", True),
        ("import {b, c} from './x'", True),
        ("import './x'", True),
        ("import a, {b} from './x'", True),
        ("import * as a from './x'", True),
        ("export * from './x'", True),
        ("/* import a from './x' */", False),
        ("// import a from './x'", False),
        ("/* a */ import a from './x' // /*", True),
        ("// */ import a from './x'", False),
    ],
)
def test_imports_of_scripts_are_read_and_comments_are_not(text: str, imported: bool) -> None:
    assert bool(javascript_facts("server.js", text).imports) is imported


def test_other_patterns_on_texts_of_a_project_take_linear_time() -> None:
    blanks = " " * (LONG // 4)
    assert programs._ENTRY.match(f"a = b{blanks}x") is None
    assert arguments._COLUMNS.search(f"column{blanks}") is None
    assert not code_of_document(f"```{blanks}").fenced
    assert not code_of_document("````a\n```\n" * 20_000).fenced
    assert not code_of_document("`" * LONG).imports
    assert not databases._TABLE.search("create table a (" * 5_000)
    assert len(list(databases._columns("a int," * 20_000))) == 20_000


def test_the_patterns_read_what_they_are_for() -> None:
    entry = programs._ENTRY.match("shop = shop.cli : main  [extra]")
    assert entry is not None
    assert entry.groups() == ("shop", "shop.cli", "main")
    columns = arguments._COLUMNS.search("with columns: name, price and count of each")
    assert columns is not None
    assert columns[1] == "name, price and count"
    assert [column.name for column in databases._columns("a int, b decimal(5, 2), c text")] == ["a", "b", "c"]


DOCSTRINGS = [
    "Given " + "given = 1, " * 700,
    "Example " + "1" * 7_000 + "x",
    "Input: " + "1.1" * 2_500,
    "xor" * 100 + "! `x` is it.",
    "x-" * 190 + "! `x` is it. " + "xorx and x, " * 300 + "`x`",
    "``" + "'" * 2_000 + "x" * 2_000 + " `x`",
]


@pytest.mark.parametrize("text", DOCSTRINGS)
def test_a_docstring_of_beginnings_without_ends_is_read_at_once(text: str, tmp_path: Path) -> None:
    source = f'def f(given, x=1, xorx=2):\n    """{text}"""\n'
    facts = facts_of(write_project(tmp_path, {"a.py": source}), "a.py")
    for _ in range(20):
        list(prose_examples(facts))
        Prose(facts.functions[0], (), lambda _: None).domain("x")


def test_names_beside_a_parameter_belong_to_the_same_phrase(tmp_path: Path) -> None:
    source = 'def f(a, b, c):\n    """Join the strings `a`, b and c; "a" or nothing."""\n'
    facts = facts_of(write_project(tmp_path, {"a.py": source}), "a.py")
    prose = Prose(facts.functions[0], (), lambda _: None)
    assert [prose.domain(name)[0].kind for name in "abc"] == ["text"] * 3


def test_a_document_of_very_many_prompts_is_read_in_little_memory() -> None:
    examples = examples_in(">>> 1\n" * (LONG // 6), 1)
    assert sum(len(one.arrange) for one in examples) < LONG
    assert examples[-1].arrange


def test_a_request_of_beginnings_without_ends_is_read_at_once() -> None:
    for unit in ("“a", "unit/api(", "'a ", "`a", "the ", "not only ", "what has no "):
        assert lexemes(unit * (LONG // 4 // len(unit)), lambda _: False)


def test_quotes_of_both_kinds_set_names_apart() -> None:
    found = lexemes("tests for “shop cart” and unit/integration tests", lambda _: False)
    assert "shop cart" in [one.text for one in found]
    assert [one.value for one in found if one.role == "type"] == ["unit", "integration"]


def test_references_without_ends_are_passed_over_at_once() -> None:
    text = "${A:-" * (LONG // 5)
    assert Variables({}).filled(text) == text
    assert Variables({"A": "1"}).filled("${A}/${B:-2}" + text) == "1/2" + text
    assert not has_reference(text)


def test_sets_without_ends_are_names_like_any() -> None:
    assert read_rules(["[a" * (LONG // 2)])
    (rule,) = read_rules(["[ab]c\\*[d"])
    assert [rule.fits([name]) for name in ("ac*[d", "bc*[d", "cc*[d", "acx[d")] == [True, True, False, False]


def test_an_answer_of_thoughts_without_ends_is_read_at_once() -> None:
    assert embedded_values("<think>a" * (LONG // 8) + '{"a": 1}') == [EmbeddedValue({"a": 1})]
    assert embedded_values('<think>{"b": 2}</think>{"a": 1}') == [EmbeddedValue({"a": 1})]
    found = embedded_values('{"cases": [' + "1, " * (LONG // 3), "cases")
    assert found == [EmbeddedValue({"cases": [1] * (LONG // 3)}, whole=False)]
    assert embedded_values('{"cases": [' * (LONG // 11), "cases") == []


def test_classes_and_paths_without_ends_are_passed_over_at_once() -> None:
    assert not list(project_index._CLASS.finditer("class A(\n" * (LONG // 9)))
    assert not list(project_index._CLASS.finditer("class A" + "\t" * LONG))
    assert [found.groups() for found in project_index._CLASS.finditer("class A (B,\n  C) :\nclass D:")] == [
        ("A", "B,\n  C"),
        ("D", None),
    ]
    assert operations._plain_path("{a" * (LONG // 2))
    assert operations._plain_path("/Carts/{number}/<int:id>/") == "/carts/{}/{}"
    assert not operands._LOOKS_LIKE_PATTERN.search("[a" * (LONG // 2))
    assert not comparison._PERSONAL.search("< " * (LONG // 2))
    assert comparison._PERSONAL.search("a < b, <Cart object at 1>")


def test_a_function_of_very_many_parameters_is_not_called_and_says_so(tmp_path: Path) -> None:
    many = ", ".join(f"p{number}" for number in range(5_000))
    source = f"import sqlite3\n\n\ndef f({many}):\n    return p1\n\n\ndef g(a):\n    return a\n"
    facts, context = context_of(write_project(tmp_path, {"a.py": source}), "a.py")
    trials = list(itertools.islice(initial_trials(facts, context), 10))
    assert {trial.subject for trial in trials} == {"g"}
    [f, _] = unreached_callables(facts, {}, [], {}, frozenset())
    assert f.reason == "no call was tried: it takes more than 100 arguments"


def test_texts_of_reports_scripts_and_requests_are_searched_at_once() -> None:
    for unit in ("-", "a/", "w1/", "/", "//a"):
        assert reading._WORKSPACE.sub("", unit * (LONG // 4 // len(unit)) + "!")
    assert not survey._RETURNS_MARKUP.search("=>" + "\n" * LONG + "return" + "\n" * LONG)
    assert not retrieve_context._DOCUMENT.search("1" * (LONG // 4) + "!")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("in /tmp/run-1/w12/project/src/a.py", "in src/a.py"),
        ("file:///tmp/w1/scratch", "file://"),
        ("(w3/project/a.py)", "(a.py)"),
        ("/tmp/w1/projects/a.py", "/tmp/w1/projects/a.py"),
    ],
)
def test_folders_of_a_run_are_left_out_of_texts(text: str, shown: str) -> None:
    assert reading._WORKSPACE.sub("", text) == shown


def test_markup_and_documents_are_found() -> None:
    for text in ("return <p>", "return (\n  <p>", "() => <p>", "x => (\n<>"):
        assert survey._RETURNS_MARKUP.search(text)
    found = retrieve_context._DOCUMENT.search("API tests by docs/shop-openapi.v1.yaml, please")
    assert found is not None
    assert found[0] == "docs/shop-openapi.v1.yaml"
