"""Whatever an integration spec can say, a test of either framework says: it passes when right and fails when wrong."""

import os
import re
import subprocess
import sys

import pytest

from testwright.engine.integration.flows.loopback import server_service
from testwright.engine.rendering import render_files
from testwright.mcp.tools.validate_code import check_code
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

TEST_PATH = "tests/generated/integration/test_pair_front_flows.py"
FRONT = '''"""The front."""

import contextlib
import urllib.request
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

from .back import half


def halved(number):
    return half(number)


def parts(number):
    yield half(number)
    yield number


async def later(number):
    return half(number)


async def stream(number):
    yield half(number)
    yield number


@contextlib.contextmanager
def opened(number):
    yield half(number)


@contextlib.asynccontextmanager
async def entered(number):
    yield half(number)


def say(number):
    print(half(number))


def warn(number):
    warnings.warn(f"{half(number)} left", UserWarning, stacklevel=2)
    return number


def keep(path, number):
    path.write_text(str(half(number)))


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 + half(4))
        self.end_headers()

    def log_message(self, *_):
        pass


def asked(host, port):
    with urllib.request.urlopen(f"http://{host}:{port}/", timeout=60) as answer:
        return answer.status


def serve():
    return HTTPServer(("127.0.0.1", 0), Page)
'''
BACK = '''"""The back."""


def half(number):
    if number < 0:
        raise ValueError(f"{number} is too small (by far)")
    return number // 2 if number % 2 == 0 else number / 2
'''
FILES = {
    "pyproject.toml": '[project]\nname = "pair"\nversion = "1.0"\n',
    "src/pair/__init__.py": "",
    "src/pair/front.py": FRONT,
    "src/pair/back.py": BACK,
}

EVIDENCE = {"path": "src/pair/front.py", "lines": [1, 9]}


def told(kind, actual="result", **more):
    about = {} if kind in ("raises", "warns", "output") else {"actual": actual}
    return {"kind": kind, "origin": "observed", "evidence": EVIDENCE, **about, **more}


# By name: expression, mode, what must hold, and a value (or a name, a text) that does not.
FORMS = {
    "equals": ("halved(4)", "call", told("equals", value="2"), "3"),
    "approx": ("halved(3)", "call", told("approx", value="1.5"), "1.6"),
    "approx_of_a_list": ("[halved(3), 2.5]", "call", told("approx", value="[1.5, 2.5]"), "[1.5, 2.6]"),
    "approx_within": (
        "halved(3)",
        "call",
        told("approx", value="1.4", tolerance={"absolute": 0.2}),
        "1.2",
    ),
    "identity": ("halved(4) > 1", "call", told("is", value="True"), "False"),
    "is_instance": ("halved(3)", "call", told("is_instance", value="float"), "str"),
    "length": ("[halved(4)]", "call", told("length", value="1"), "2"),
    "holds": ("halved(4)", "call", told("holds", "result == 2"), "result == 3"),
    "raises": ("halved(-1)", "call", told("raises", exception="ValueError"), "KeyError"),
    "raises_with_words": (
        "halved(-1)",
        "call",
        told("raises", exception="ValueError", match="too small (by far)"),
        "too large (by far)",
    ),
    "output": ("say(4)", "call", told("output", value="'2\\n'"), "'3\\n'"),
    "warns": ("warn(4)", "call", told("warns", exception="UserWarning", match="2 left"), "3 left"),
    "awaited": ("later(4)", "await", told("equals", value="2"), "3"),
    "iterated": ("parts(4)", "iterate", told("equals", value="[2, 4]"), "[2, 5]"),
    "aiterated": ("stream(4)", "aiterate", told("equals", value="[2, 4]"), "[2, 5]"),
    "opened": ("opened(4)", "enter", told("equals", value="2"), "3"),
    "aentered": ("entered(4)", "aenter", told("equals", value="2"), "3"),
    "file": ("keep(tmp_path / 'n', 4)", "call", told("equals", "(tmp_path / 'n').read_text()", value="'2'"), "'3'"),
    "steps": ("halved(first + second)", "call", told("equals", value="2"), "4"),
    "served": ("asked(host, port)", "call", told("equals", value="202"), "203"),
    "shared_setup": ("halved(EIGHT)", "call", told("equals", value="4"), "5"),
}
BEFORE = [
    {"component": "front", "expression": "later(4)", "mode": "await", "save_as": "first"},
    {"component": "front", "expression": "len(list(parts(6)))", "mode": "call", "save_as": "second"},
    {"component": "front", "expression": "say(4)", "mode": "call"},
]


def case_of(name, *, wrong):
    expression, mode, demand, other = FORMS[name]
    if wrong:
        changed = next(key for key in ("value", "match", "exception", "actual") if key in demand)
        demand = {**demand, changed: other}
    fixtures = {"file": ["tmp_path"], "served": ["running"]}.get(name, [])
    services = {"file": ["folder"], "served": ["serving"], "shared_setup": ["EIGHT"]}.get(name, [])
    statements = ["server = serve()", "host, port = running.enter_context(serving(server))"] if name == "served" else []
    return {
        "id": f"tc_{name}",
        "title": f"The form {name}",
        "priority": "medium",
        "preconditions": [],
        "steps": [expression],
        "expected": "as observed",
        "crosses": [{"from": "front", "to": "back"}],
        "arrange": {"fixtures": fixtures, "services": services, "statements": statements},
        "act": {
            "steps": [
                *(BEFORE if name == "steps" else []),
                {"component": "front", "expression": expression, "mode": mode},
            ]
        },
        "expect": [demand],
    }


def spec_of(*, wrong=False):
    def component(name, role):
        return {
            "name": name,
            "role": role,
            "path": f"src/pair/{name}.py",
            "module": f"pair.{name}",
            "import_root": "src",
            "digest": "0" * 64,
        }

    return {
        "schema_version": "1.0.0",
        "test_type": "integration",
        "title": "Integration tests for pair.front with back",
        "language": "python",
        "framework": "pytest",
        "target": {
            "components": [component("front", "entry"), component("back", "collaborator")],
            "edges": [{"from": "front", "to": "back", "through": "calls"}],
        },
        "imports": [
            "from pair.front import asked, entered, halved, keep, later, opened, parts, say, serve, stream, warn",
            "import contextlib",
            "import threading",
        ],
        "services": [
            {"name": "folder", "kind": "filesystem", "stand_in": "real", "fixture": "tmp_path"},
            server_service(),
            {
                "name": "EIGHT",
                "kind": "process",
                "stand_in": "fake",
                "setup": ["EIGHT = 8"],
                "teardown": ["print('cleared up')"],
            },
        ],
        "cases": [case_of(name, wrong=wrong) for name in FORMS],
        "suspected_defects": [],
        "not_reached": [],
    }


def ran(root, framework, spec):
    (file,) = render_files(spec, framework, TEST_PATH)
    make_project(root, {**FILES, TEST_PATH: file.contents})
    runner = ["pytest", "-v", "-s", "-p", "no:cacheprovider"] if framework == "pytest" else ["unittest", "-v"]
    environment = {**os.environ, **WITHOUT_PLUGINS, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", *runner, TEST_PATH]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return file.contents, done


def test_every_form_of_the_schema_is_tried():
    kinds = {demand["kind"] for _, _, demand, _ in FORMS.values()}
    modes = {mode for _, mode, _, _ in FORMS.values()}
    assert kinds == {"equals", "approx", "is", "is_instance", "raises", "holds", "length", "output", "warns"}
    assert modes == {"call", "await", "iterate", "aiterate", "enter", "aenter"}
    assert check_spec(spec_of(), "integration")["errors"] == []


@pytest.mark.feature("T-20", "B-04")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_every_form_passes_where_it_is_right(tmp_path, framework):
    contents, done = ran(tmp_path, framework, spec_of())
    assert done.returncode == 0, done.stdout + done.stderr
    said = f"{len(FORMS)} passed" if framework == "pytest" else f"Ran {len(FORMS)} tests"
    assert said in done.stdout + done.stderr
    assert "cleared up" in done.stdout
    assert check_code(contents, TEST_PATH, framework)["errors"] == []


@pytest.mark.feature("T-20", "B-04")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_every_form_fails_where_it_is_wrong(tmp_path, framework):
    _, done = ran(tmp_path, framework, spec_of(wrong=True))
    words = done.stdout + done.stderr
    assert done.returncode != 0
    if framework == "pytest":
        failed = re.findall(r"^FAILED [^ ]*::test_(\w+)", words, re.MULTILINE)
        assert set(failed) == set(FORMS), words
    else:
        counts = re.search(r"FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?\)", words)
        assert counts is not None, words
        assert int(counts[1] or 0) + int(counts[2] or 0) == len(FORMS), words
