"""Lines that a formatter leaves too long are broken without changing the code."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.source.long_lines import break_long_lines, is_same_code, suppress_long_lines

PROSE = "a sentence that goes on and on until nobody reads it to its end any more"


def too_long(text: str, width: int) -> set[int]:
    return {number for number, line in enumerate(text.split("\n"), 1) if len(line) > width}


def docstring_words(text: str) -> list[str]:
    [function] = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    return (ast.get_docstring(function) or "").split()


@pytest.mark.parametrize(
    "code",
    [
        f"assert f(1) == {PROSE!r}\n",
        f"f({PROSE!r})\n",
        f"f({PROSE!r}, {PROSE.title()!r})\n",
        f"f(name={PROSE!r})\n",
        f"x = [{PROSE!r}, {{{PROSE!r}: 1}}]\n",
        f"x = {PROSE!r}.upper()\n",
        f"x = f({PROSE!r} % 1)\n",
        f"x = {PROSE.encode()!r}\n",
        f"x = 'a' {PROSE!r}\n",
        r"x = 'tabs\tand\x41\u00e4\N{LATIN SMALL LETTER A}\\ and \'quotes\' in one long line of text'" + "\n",
        f"x = {'unbroken' * 9!r}\n",
    ],
)
def test_a_literal_is_broken_and_keeps_its_value(code):
    new = break_long_lines(code, {1}, 60)

    assert new != code
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(code))


def test_a_docstring_on_one_line_gets_several():
    code = f'def test_it():\n    """{PROSE} (tc_it)."""\n    assert True\n'

    new = break_long_lines(code, {2}, 60)

    assert too_long(new, 60) == set()
    assert docstring_words(new) == [*PROSE.split(), "(tc_it)."]
    assert new.splitlines()[-2] == '    """'


def test_long_lines_inside_and_at_the_end_of_a_docstring_are_wrapped():
    code = f'def test_it():\n    """Short.\n\n    {PROSE}\n    {PROSE}"""\n    assert True\n'

    new = break_long_lines(code, {4, 5}, 60)

    assert too_long(new, 60) == set()
    assert docstring_words(new) == ["Short.", *PROSE.split(), *PROSE.split()]


def test_a_comment_is_wrapped():
    new = break_long_lines(f"if True:\n    # {PROSE}\n    pass\n", {2}, 60)

    assert too_long(new, 60) == set()
    assert [line.lstrip()[:2] for line in new.split("\n")[1:3]] == ["# ", "# "]


def test_what_nothing_breaks_is_marked_for_linters():
    code = f"def test_{'very_' * 20}long(): pass\n"

    assert break_long_lines(code, {1}, 60) == code
    assert suppress_long_lines(code, {1}) == code.replace("pass", "pass  # noqa: E501")


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("import b\nimport a\nx = 1", "import a\nimport b\n\nx = (1)  # one", True),
        ('def f():\n    """One."""\n    return 1', 'def f():\n    """One,\n    two."""\n    return 1', True),
        ("x = 'ab'", "x = ('a'\n 'b')", True),
        ("x = 1", "from __future__ import annotations\n\nx = 1", True),
        ("x = 1", "import os\nx = 1", False),
        ("import os\nx = 1", "x = 1", False),
        ("x = 1", "x = 2", False),
        ("x = 1", "x = (", False),
        ("x = u'a'", 'x = "a"', True),
        ("x = u'a'", "x = b'a'", False),
        ("def f():\n    import b\n    import a", "def f():\n    import a\n    import b", True),
        ("def f():\n    from a import b, c", "def f():\n    from a import b\n    from a import c", True),
        ("import a\nx = 1\nimport b", "import b\nx = 1\nimport a", False),
        ("def f():\n    import a\n    return a", "def f():\n    return a", False),
        ("f = lambda: 1 if x else 2", "f = lambda: (1 if x else 2)", True),
    ],
)
def test_only_the_layout_may_change(before, after, same):
    assert is_same_code(before, after) is same


@pytest.mark.parametrize(
    ("after", "same"),
    [
        ("import os\nfrom a import b\n\nx = 1", True),
        ("import sys\nx = 1", False),
        ("x = 1\n\ndef f():\n    import os", False),
    ],
)
def test_imports_that_a_project_requires_may_be_added(after, same):
    assert is_same_code("x = 1", after, required=["import os", "from a import b"]) is same
