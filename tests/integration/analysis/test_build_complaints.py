"""What compilers, type checkers and linters print, read as complaints (T-12)."""

from __future__ import annotations

import pytest

from testwright.analysis.builds.run import read_errors

pytestmark = pytest.mark.feature("T-12")

PRINTED = {
    "mypy": (
        'src/a.py:3:5: error: Incompatible types in assignment (expression has type "str")  [assignment]\n'
        "src/a.py:3:5: note: See https://mypy.readthedocs.io\n"
        "Found 1 error in 1 file (checked 2 source files)\n",
        [("src/a.py", 3, 5, "assignment", "error")],
    ),
    "mypy without columns": ("a.py:9: error: Missing return  [return]\n", [("a.py", 9, None, "return", "error")]),
    "pyright": (
        "src/a.py\n"
        '  src/a.py:1:10 - error: Type "str" is not assignable\n'
        '  \xa0\xa0"str" is not assignable to "int" (reportAssignmentType)\n'
        '  src/a.py:2:8 - warning: Import "x" could not be resolved (reportMissingImports)\n'
        "1 error, 1 warning, 0 informations\n",
        [
            ("src/a.py", 1, 10, "reportAssignmentType", "error"),
            ("src/a.py", 2, 8, "reportMissingImports", "warning"),
        ],
    ),
    "tsc": (
        "src/a.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
        "error TS18003: No inputs were found in config file.\n",
        [("src/a.ts", 12, 7, "TS2322", "error"), ("", None, None, "TS18003", "error")],
    ),
    "tsc for people": (
        "\x1b[96msrc/a.ts\x1b[0m:\x1b[93m12\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0m"
        "Type 'string' is not assignable to type 'number'.\n\n12 const a: number = 'x'\n",
        [("src/a.ts", 12, 7, "TS2322", "error")],
    ),
    "gcc": (
        "a.c: In function 'main':\n"
        "a.c:1:36: error: 'y' undeclared (first use in this function)\n"
        "a.c:1:36: note: each undeclared identifier is reported only once\n"
        "a.c:1:21: warning: unused variable 'x' [-Wunused-variable]\n"
        "b.c:2:10: fatal error: none.h: No such file or directory\n"
        "make: *** [Makefile:4: a.o] Error 1\n",
        [
            ("a.c", 1, 36, "", "error"),
            ("a.c", 1, 21, "-Wunused-variable", "warning"),
            ("b.c", 2, 10, "", "error"),
        ],
    ),
    "compileall": (
        "*** Error compiling 'src/a.py'...\n"
        '  File "src/a.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n\n',
        [("src/a.py", 3, None, "SyntaxError", "error")],
    ),
    "a traceback": (
        "Traceback (most recent call last):\n"
        '  File "setup.py", line 4, in <module>\n    import tool\n'
        '  File "tool.py", line 9, in <module>\n    raise ValueError("no")\nValueError: no\n',
        [("tool.py", 9, None, "ValueError", "error")],
    ),
    "eslint": (
        "\nsrc/a.js\n"
        "  1:7   error    'x' is assigned a value but never used  no-unused-vars\n"
        "  4:12  warning  Unexpected console statement            no-console\n\n"
        "✖ 2 problems (1 error, 1 warning)\n",
        [("src/a.js", 1, 7, "no-unused-vars", "error"), ("src/a.js", 4, 12, "no-console", "warning")],
    ),
    "ruff": ("src/a.py:1:8: F401 [*] `os` imported but unused\n", [("src/a.py", 1, 8, "F401", "error")]),
    "node": (
        "b.js:1\nthrow new TypeError('x')\n^\n\nTypeError: x\n"
        "    at Object.<anonymous> (b.js:1:7)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n",
        [("b.js", 1, 7, "TypeError", "error")],
    ),
    "go": ("./main.go:5:2: undefined: fmt\n", [("./main.go", 5, 2, "", "error")]),
    "nothing of the kind": (
        "Building 12:30:05: all is well\nhttp://localhost:8000/a: served\n  1:2 not a complaint\nError: no place\n",
        [],
    ),
}


@pytest.mark.parametrize("tool", PRINTED)
def test_complaints_are_read_from_what_a_tool_prints(tool):
    output, wanted = PRINTED[tool]
    found = read_errors(output)
    assert [(one.path, one.line, one.column, one.code, one.severity) for one in found] == wanted
    assert all(one.message for one in found)


def test_a_complaint_that_goes_on_in_the_next_line_is_one():
    output, _ = PRINTED["pyright"]
    assert read_errors(output)[0].message == 'Type "str" is not assignable; "str" is not assignable to "int"'


def test_the_same_complaint_is_told_once():
    assert len(read_errors("a.c:1:2: error: x\n" * 3 + "a.c:1:2: error: y\n")) == 2


def test_lines_without_end_are_passed_over():
    assert read_errors("a" * 1_000_000 + ":1:2: error: x\n" + "/" * 200_000) == []
