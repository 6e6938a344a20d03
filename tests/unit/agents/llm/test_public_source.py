"""What a model reads of a module: all of a short one, the public source first of a long one, in parts that fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.agents.llm.prompt import load_prompt
from testwright.agents.llm.specs.public_source import MOST_CHARACTERS, MOST_LINES, fitting_part, source_parts
from testwright.agents.llm.specs.spec_message import SpecMessages
from testwright.agents.llm.specs.surroundings import delegates, readme_lines, tool_context
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-13")


def function(name: str, lines: int) -> str:
    body = "".join(f"    total += {number}  # a step of the sum\n" for number in range(lines - 3))
    return f'def {name}(total):\n    """{name}."""\n{body}    return total\n\n\n'


def test_a_short_module_is_read_whole() -> None:
    [part] = source_parts("import os\n\n\n" + function("one", 30) + function("_two", 30))
    assert part.subjects is None
    assert "def _two" in part.text


def test_private_code_does_not_push_the_public_end_out() -> None:
    [part] = source_parts(function("_big", 850) + function("_used", 10) + "def last(x):\n    return _used(x)\n")
    assert "def last" in part.text
    assert "def _used" in part.text
    assert "def _big" not in part.text


def test_a_long_module_is_read_in_parts_by_its_symbols_each_once() -> None:
    parts = source_parts("LIMIT = 3\n" + "".join(function(f"f{number}", 200) for number in range(10)))
    assert [name for part in parts for name in part.subjects or ()] == [f"f{number}" for number in range(10)]
    assert len(parts) > 1
    for part in parts:
        assert "LIMIT = 3" in part.text
        assert len(part.text.splitlines()) <= MOST_LINES + len(parts)
        assert len(part.text) <= MOST_CHARACTERS * 1.1


def test_a_long_class_is_read_by_its_members() -> None:
    methods = "".join("    " + line + "\n" for line in function("step", 500).splitlines())
    parts = source_parts("class Sum:\n    size = 3\n\n" + methods + methods.replace("step", "other"))
    assert [part.subjects for part in parts] == [("Sum.step",), ("Sum.other",)]
    assert all("size = 3" in part.text for part in parts)


def test_a_request_for_some_symbols_reads_them_and_what_they_call() -> None:
    source = function("_helper", 10) + function("one", 40) + function("two", 40).replace("total += 3 ", "_helper(3) ")
    [part] = source_parts(source, ["two"])
    assert part.subjects == ("two",)
    assert "def one" not in part.text
    assert "def _helper" in part.text


def test_signatures_of_what_is_called_and_lines_of_documents_stand_beside(tmp_path: Path) -> None:
    files = {
        "README.md": "# Shop\n\nTotals are `rounded` up to cents.\n\nOther things.\n",
        "src/shop/__init__.py": "",
        "src/shop/money.py": 'def cents(value: int) -> int:\n    """Whole cents.\n\n    More."""\n    return value\n',
        "src/shop/totals.py": "from .money import cents\n\n\ndef rounded(x):\n    return cents(x)\n\n\n"
        "def _h(a): ...\n",
    }
    root = make_project(tmp_path / "shop", files)
    source = files["src/shop/totals.py"]
    told = delegates(root, "src/shop/totals.py", source, "def rounded(x):")
    assert told.splitlines() == ["def _h(a)", "shop.money: def cents(value: int) -> int  # Whole cents."]
    assert readme_lines(root, "shop.totals", ["rounded"]) == "README.md: Totals are `rounded` up to cents."


def test_what_tools_say_is_bounded_and_leaves_the_target_out() -> None:
    snippets = [{"path": "a.py", "text": "the target"}, {"path": "b.py", "text": "beside it\n" + "x" * 9000}]
    inputs = {"codebase_context": {"snippets": snippets}, "ast_analysis": {"summary": "Sums."}}
    told = tool_context(inputs, "a.py")
    assert told.startswith("a.py: Sums.\n# b.py\nbeside it\n")
    assert "the target" not in told
    assert len(told) < 2000


def test_of_symbols_that_do_not_fit_together_the_first_are_shown() -> None:
    source = "".join(function(f"f{number}", 200) for number in range(10))
    part = fitting_part(source, ["f7", "f2", *(f"f{number}" for number in range(10) if number not in (2, 7))])
    assert part.subjects is not None
    assert {"f2", "f7"} <= set(part.subjects)
    assert len(part.subjects) < 10
    assert fitting_part(source, ["f3"]).subjects == ("f3",)


def test_gaps_are_asked_about_where_most_are_with_their_functions_and_the_others_are_told(tmp_path: Path) -> None:
    source = "".join(function(f"f{number}", 200) for number in range(10))
    root = make_project(tmp_path, {"src/shop/__init__.py": "", "src/shop/long.py": source})
    base = {"target": {"path": "src/shop/long.py", "module": "shop.long"}, "cases": []}
    messages = SpecMessages(load_prompt("spec"), {"target": {"symbols": None}}, base, root)
    rows = [{"subject": f"f{number}", "text": f"gap in f{number}"} for number in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8)]
    text, [note] = messages.about_gaps([*rows, {"subject": "", "text": "gap of the module"}])
    assert text is not None
    assert "def f9(" in text
    assert "- gap in f9" in text
    assert "- gap of the module" in text
    told = [name for name in (f"f{number}" for number in range(10)) if name in note]
    assert told
    assert all(f"gap in {name}" not in text for name in told)
    short, notes = messages.about_gaps(rows[:1])
    assert notes == []
    assert short is not None
    assert "def f0(" in short


@pytest.mark.parametrize("head", ["if sys.platform:\n", "try:\n", "try:\n    import fast\nexcept ImportError:\n"])
def test_functions_below_a_condition_are_read_and_asked_about_like_any(tmp_path: Path, head: str) -> None:
    inner = "".join(f"    {line}".rstrip() + "\n" for line in function("chosen", 60).splitlines())
    end = "finally:\n    pass\n" if head == "try:\n" else ""
    source = f"import sys\n\n{head}{inner}{end}\n" + "".join(function(f"f{number}", 200) for number in range(10))
    assert "chosen" in [name for part in source_parts(source) for name in part.subjects or ()]
    root = make_project(tmp_path, {"src/shop/__init__.py": "", "src/shop/long.py": source})
    base = {"target": {"path": "src/shop/long.py", "module": "shop.long"}, "cases": []}
    messages = SpecMessages(load_prompt("spec"), {"target": {"symbols": None}}, base, root)
    text, notes = messages.about_gaps([{"subject": "chosen", "text": "gap in chosen"}])
    assert notes == []
    assert text is not None
    assert "def chosen(" in text
    assert "- gap in chosen" in text
    made, notes = messages.about_gaps([{"subject": "made_at_import", "text": "gap in what is made"}])
    assert notes == []
    assert "- gap in what is made" in str(made)  # no part shows it, and none may hide it


def test_without_a_gap_there_is_no_question(tmp_path: Path) -> None:
    root = make_project(tmp_path, {"src/shop/__init__.py": "", "src/shop/long.py": function("one", 20)})
    base = {"target": {"path": "src/shop/long.py", "module": "shop.long"}, "cases": []}
    messages = SpecMessages(load_prompt("spec"), {"target": {"symbols": None}}, base, root)
    assert messages.about_gaps([]) == (None, [])
