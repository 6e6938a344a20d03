"""Files that Python does not load as they are: the true reason, and what helps."""

from __future__ import annotations

import pytest

from testwright.tests.support.projects.files import FLAT_PYTEST, make_project
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = pytest.mark.feature("T-03")

GOOD = 'def double(x: int) -> int:\n    """Twice."""\n    return x * 2\n'
FILES = {
    **FLAT_PYTEST,
    "json.py": 'def dumps(value):\n    """Own."""\n    return str(value)\n',
    "good.py": GOOD,
    "cookie.py": "# -*- coding: no-such -*-\n" + GOOD,
    "broken.py": "def a(:\n    return 1\n",
    "uses.py": "import broken\n\n\n" + GOOD,
    "one.py": "from two import b\n\n\ndef a(x: int) -> int:\n    return b(x)\n",
    "two.py": "from one import a\n\n\ndef b(x: int) -> int:\n    return a(x)\n",
}


def test_each_reason_is_true_and_comes_with_what_helps(tmp_path):
    root = make_project(tmp_path / "odd", FILES)
    (root / "bytes.py").write_bytes('def c(x: str) -> str:\n    return "ü" + x\n'.encode("latin-1"))
    ran = invoke_command("run", "unit tests of everything", "--trials", "200", "--mutants", "0", cwd=root)
    said = " ".join(ran.out.split())
    assert "good.py: " in said
    assert "Traceback" not in ran.out + ran.err
    for reason in (
        "json.py: failed json does not import: json is a module that the test tools use",
        "rename it, or move it into a package",
        "cookie.py does not parse: unknown encoding: no-such",
        "The first lines of cookie.py name an encoding that Python does not have",
        "bytes.py is not in UTF-8: save it so, or name its encoding",
        "broken.py does not parse: invalid syntax in line 1",
        "Correct line 1 of broken.py",
        "most likely due to a circular import",
        "Import one of them inside the function that needs it",
    ):
        assert reason in said, reason
    assert "doctor" not in said
    assert "does not parse with" not in said


def test_a_file_in_the_encoding_that_it_declares_gets_tests_and_mutants(tmp_path):
    root = make_project(tmp_path / "latin", {**FLAT_PYTEST, "good.py": GOOD})
    text = '# -*- coding: latin-1 -*-\n\n\ndef greet(name: str) -> str:\n    """Greet."""\n    return "Grüß " + name\n'
    (root / "greet.py").write_bytes(text.encode("latin-1"))
    ran = invoke_command("run", "greet", "--trials", "200", "--mutants", "20", cwd=root)
    assert ran.code == 0, ran.out + ran.err
    assert "mutants 100 % noticed" in ran.out
    assert '"Grüß ' in (root / "tests/generated/greet/test_greet.py").read_text("utf-8")
