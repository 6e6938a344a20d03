"""Code from a model that reaches for more than the target is refused before it is staged; what tests need is not."""

from __future__ import annotations

import pytest

from testwright.agents.guardrails.code_limits import (
    case_problems,
    code_problems,
    helper_problems,
    imported_by,
    reach_violations,
)
from testwright.tests.support.agents.accepted_tests import GOOD_TESTS

pytestmark = pytest.mark.feature("B-03")

NETWORK = [
    "import socket\nsocket.create_connection(('127.0.0.1', 1))",
    "from urllib import request\nrequest.urlopen('http://x')",
    "from urllib.request import urlopen as fetch\nfetch('http://x')",
    "import http.client\nhttp.client.HTTPConnection('x')",
    "import asyncio\nasyncio.run(asyncio.open_connection('x', 1))",
    "import smtplib\nsmtplib.SMTP('x')",
    "import requests\nrequests.get('http://x')",
    "import httpx\nhttpx.Client().get('http://x')",
    "import aiohttp\naiohttp.ClientSession()",
]
PROGRAMS = [
    "import subprocess as s\ns.run(['rm', '-rf', '/'])",
    "import os\nos.system('rm -rf /')",
    "import os as harmless\nharmless.system('x')",
    "from os import system\nsystem('rm -rf /')",
    "import os\nf = os.system\nf('x')",
    "import os\ndef run(f=os.popen):\n    f('x')",
    "import os\nlist(map(os.system, ['x']))",
    "import os\n@os.system\ndef test(): ...",
    "import os\nx = [os.execv]",
    "import posix\nposix.system('x')",
    "import asyncio\nasyncio.create_subprocess_exec('x')",
    "import os\nclass A:\n    def __reduce__(self):\n        return (os.system, ('x',))",
    "import multiprocessing\nmultiprocessing.Process()",
    "import threading\nthreading.Timer(1, print)",
    "import ctypes\nctypes.CDLL(None)",
    "def test(pytester): ...",
    "import concurrent.futures\nconcurrent.futures.ProcessPoolExecutor()",
]
ENVIRONMENT = [
    "import os\nassert os.environ['HOME']",
    "from os import environ\nx = dict(environ)",
    "from os import environ as e",
    "import os\nassert os.getenv('HOME')",
    "import os\nf'{os.environ}'",
    "import os\nfrom unittest import mock\nwith mock.patch.dict(os.environ) as seen:\n    print(seen)",
    "import os\nfrom unittest.mock import patch\nseen = patch.dict('os.environ').start()",
    "import platform\nplatform.node()",
]
FILES = [
    "import shutil\nshutil.rmtree('/x')",
    "from shutil import rmtree as tidy\ntidy('/x')",
    "import shutil\nremove = shutil.rmtree",
    "from pathlib import Path\nPath('/x').unlink()",
    "from pathlib import Path\nP = Path('/x')\nQ = P\nQ.write_text('')",
    "from pathlib import Path\nPath('../../x').write_text('')",
    "from pathlib import Path\n(Path('/') / 'etc' / 'x').read_text()",
    "from pathlib import Path\nPath('etc').joinpath('..', '..').iterdir()",
    "from pathlib import Path\nPath.home()",
    "from pathlib import Path\nPath.unlink(Path('x'))",
    "from pathlib import Path\ngone = Path('x').unlink",
    "from pathlib import Path\nPath('src/shop/cart.py').write_text('')",
    "open('/etc/passwd')",
    "open('out.txt', 'w')",
    "name = '/etc/passwd'\nopen(name)",
    "import os\nopen(os.path.join('/', 'etc'))",
    "import os\nopen(os.sep + 'etc')",
    "import os\nos.remove(os.path.join('a', '..', 'b'))",
    "open('/' + 'etc')",
    "open('%s/passwd' % '/etc')",
    "open(f'{\"/\"}etc')",
    "open('dwssap/cte/'[::-1])",
    "open(chr(47) + 'etc')",
    "def test(tmp_path):\n    open(str(tmp_path)[0] + 'etc')",
    "import shutil\nclass A:\n    def test(self):\n        self.addCleanup(shutil.rmtree, '/x')",
    "import tempfile\nx = tempfile.mkdtemp().join('..')\nopen(x, 'w')",
    "import os\nopen(os.path.dirname(os.path.abspath('x')), 'w')",
    "from pathlib import Path\nPath(__file__).parent.parent.rename('/x')",
    "from pathlib import Path\ndef test_a(tmp_path):\n    tmp_path.unlink()\n\ntest_a(Path('/x'))",
    "import pytest\n@pytest.fixture(params=['/etc/x'])\ndef f(request):\n    return open(request.param)",
    "import pytest\n@pytest.mark.parametrize('n', ['/etc/x'])\nclass TestA:\n    def test(self, n):\n        open(n)",
    "from unittest.mock import patch\n@patch('tempfile.mkdtemp', lambda: '/x')\ndef test(): ...",
    "from pathlib import Path\nfor one in Path('.').iterdir():\n    one.unlink()",
    "def test(tmp_path):\n    (tmp_path / '..' / 'x').write_text('')",
    "def test(tmp_path):\n    (tmp_path / '/etc/x').unlink()",
    "def test(tmp_path):\n    (tmp_path.parent / 'x').write_text('')",
    "def test(tmp_path):\n    open(str(tmp_path) + '/../x', 'w')",
    "def test(tmp_path):\n    tmp_path = '/etc'\n    open(tmp_path)",
    "import pytest\n@pytest.mark.parametrize('n', ['a', '/x'])\ndef test(tmp_path, n):\n    (tmp_path / n).touch()",
    "def wipe(path):\n    path.unlink()\n\ndef test():\n    from pathlib import Path\n    wipe(Path('/x'))",
    "import pytest\n@pytest.fixture\ndef tmp_path():\n    return '/etc'\n\ndef test(tmp_path):\n    open(tmp_path)",
    "import sqlite3\nsqlite3.connect('/x.db')",
    "import sqlite3\nsqlite3.connect(':memory:').execute(\"ATTACH '/x' AS y\")",
    "import zipfile\nzipfile.ZipFile('/x.zip', 'w')",
    "import tempfile\ntempfile.mkdtemp(dir='/etc')",
    "import logging\nlogging.FileHandler('/x')",
    "import io\nio.open('/x')",
]
UNREADABLE = [
    "eval('1')",
    "run = eval\nrun('1')",
    "where = open\nwhere('/etc')",
    "exec('x')",
    "compile('x', '', 'exec')",
    "__import__('os').system('x')",
    "x = __builtins__",
    "import builtins\nbuiltins.eval('1')",
    "import importlib\nimportlib.import_module('os').system('x')",
    "import os\ngetattr(os, 'sys' + 'tem')('x')",
    "import os\nvars(os)['system']",
    "import os\nos.__dict__['system']",
    "globals()['x']",
    "().__class__.__base__.__subclasses__()",
    "def f(): ...\nf.__globals__",
    "import sys\nsys.modules['os'].system('x')",
    "import sys\nsys._getframe()",
    "import inspect\ninspect.currentframe()",
    "import gc\ngc.get_objects()",
    "import pickle\npickle.loads(b'cos\\nsystem\\n')",
    "import marshal\nmarshal.loads(b'')",
    "import codecs\ncodecs.open('/x')",
    "from os import *",
    "import os\nf = os\nf.system('x')",
    "import operator\noperator.attrgetter('__globals__')(print)",
    "import operator\noperator.methodcaller('unlink')(1)",
    "def test(name):\n    getattr(print, name)",
    "pick = getattr\npick(1, 'x')",
    "'{0.__class__.__init__.__globals__}'.format(1)",
    "t = '{0.__cl' + 'ass__}'\nt.format(1)",
    "t = ''.join(['{0.__cl', 'ass__}'])\nt.format(1)",
    "def f():\n    yield\nf().gi_frame",
    "import pytest\ndef test():\n    with pytest.raises(ValueError) as e: ...\n    e.traceback[0].frame.eval('x')",
    "import typing\ntyping.get_type_hints(print)",
    "import pathlib\npathlib.os.system('x')",
    "import logging\nlogging.sys.exit()",
    "import unittest.mock\nunittest.mock._importer('os')",
    "from unittest.mock import patch\npatch('antigravity.x')",
    "if False:\n    eval = print\neval('1')",
    "def f():\n    eval = 1\n\nx = eval('1')",
    "import types\ntypes.FunctionType(1, {})",
    "import runpy\nrunpy.run_path('x')",
    "import os\nclass M:\n    def dict(self, o):\n        o.system('x')\n\nm = M()\nm.dict(os)",
    "import pytest\nmark = pytest.mark.parametrize('n', ['/etc'])",
    "from .helpers import os\nos.system('x')",
    "import timeit\ntimeit.timeit('x')",
    "import pytest\n@pytest.mark.skipif('__import__(1)', reason='x')\ndef test(): ...",
    "import pytest\n@pytest.mark.skipif(condition='__import__(1)', reason='x')\ndef test(): ...",
    "import pytest\n@pytest.mark.skipif.with_args('__import__(1)', reason='x')\ndef test(): ...",
    "import pytest\nwhy = 'x' + 'y'\n@pytest.mark.xfail(why)\ndef test(): ...",
    "import functools\nfunctools.singledispatch(print)",
    "def f(x: \"__import__('os').system('x')\"): ...",
    "x: 'f()' = 1",
    "match print:\n    case object(__globals__=g): ...",
    "match print:\n    case object(traceback=t): ...",
    "import string\nstring.Formatter().get_field('0', (1,), {})",
    "import warnings\nwarnings.formatwarning('x', UserWarning, '/etc/passwd', 1)",
]
RUNNER = [
    "from . import conftest",
    "from .conftest import settings",
    "from ..tests.conftest import settings",
    "import pytest\n@pytest.mark.usefixtures('pytester')\ndef test(): ...",
    "def test(monkeypatch):\n    monkeypatch.syspath_prepend('x')",
    "import pytest\npytest.main([])",
    "import pytest\npytest.importorskip('os').system('x')",
    "def test(request):\n    request.config",
    "def test(request):\n    request.getfixturevalue('x')",
    "def test(pytestconfig): ...",
    "def test(monkeypatch):\n    monkeypatch._setattr",
    "def pytest_runtest_makereport(item, call): ...",
    "import _pytest.config",
    "import unittest\nunittest.defaultTestLoader",
    "import pytest\n@pytest.fixture(name='tmp_path')\ndef where():\n    return '/etc'",
    "import pytest\ntmp_path = pytest.fixture(lambda: '/etc')",
    "import pytest\n@pytest.mark.parametrize('a, tmp_path', [(1, '/etc')])\ndef test(a, tmp_path): ...",
    "pytest_plugins = ['evil']",
]
OWN = [
    ("from shop import cart\ncart.os.system('x')", "other programs"),
    ("import shop.cart\nshop.cart.os.environ['A']", "the environment"),
    ("from shop.cart import os\nos.system('x')", "cannot be read"),
    ("from shop.cart import os\nsys = os", "cannot be read"),
    ("from shop import cart\nc = cart\nc.os.system('x')", "other programs"),
    ("from shop import cart\nx = cart.os", "cannot be read"),
    ("from shop import cart\ngetattr(cart, 'os').system('x')", "cannot be read"),
    ("class A:\n    def test(self):\n        self.cart.os.system('x')", "other programs"),
    ("import numpy", "neither the target"),
    ("import curses", "cannot be read"),
]


def _refused() -> list[tuple[str, str]]:
    kinds = {
        "the network": NETWORK,
        "other programs": PROGRAMS,
        "the environment": ENVIRONMENT,
        "files outside": FILES,
        "": UNREADABLE,
        "the test runner": RUNNER,
    }
    return [(source, what) for what, sources in kinds.items() for source in sources]


@pytest.mark.parametrize(("source", "what"), [*_refused(), *OWN])
def test_forbidden_test_code_is_refused(source: str, what: str) -> None:
    found = reach_violations(source, "shop.cart")
    assert any(what in one for _, one in found), found


NEEDS_A_REASON = ("argparse", "configparser", "glob", "importlib.metadata", "locale", "shlex", "sqlite3", "tarfile")


@pytest.mark.feature("B-14")
@pytest.mark.parametrize("module", NEEDS_A_REASON)
def test_modules_that_open_files_by_name_need_the_target_its_tests_or_a_person(module: str) -> None:
    source = f"import {module}\n"
    [(_, said)] = reach_violations(source, "shop.cart")
    assert "--allow-import" in said
    top = module.partition(".")[0]
    assert reach_violations(source, "shop.cart", imported={top}) == []
    assert reach_violations(source, "shop.cart", helpers={top}) == []


@pytest.mark.parametrize("name", GOOD_TESTS)
def test_real_test_files_are_not_refused(name: str) -> None:
    """They test code that keeps rows in databases and archives, and imports these modules itself."""
    assert reach_violations(GOOD_TESTS[name], "shop.store", imported={"gzip", "sqlite3", "zipfile"}) == []


@pytest.mark.parametrize(
    "source",
    [
        "import os\nassert os.path.join('a', 'b') == 'a/b'",
        "from subprocess import CalledProcessError\nerror = CalledProcessError",
        "from pathlib import Path\nassert suffix(Path('/a/b.txt')) == '.txt'",
        "store.remove('a')\nstore.open('b')\nevaluate('1')",
        "from .helpers import made\nassert made(1) == 1",
        "from shop import eval\nassert eval('1 + 1') == 2",
        "from shop import Cart, open\nassert open('a') == Cart()",
        "assert 'a{}'.format(1) == 'a1'\nassert '{0.name} {x[1]}'.format(a, x=b)",
        "from datetime import datetime, time\nassert datetime(2020, 1, 1).time() == time()",
        "import time\nassert time.time() > 0",
        "import pickle\nassert pickle.loads(pickle.dumps(1)) == 1",
        "import pytest\nimport sys\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test(): ...",
        "def test(given: 'Cart | None', other: \"Cart\") -> 'int': ...",
    ],
)
def test_common_test_code_is_not_refused(source: str) -> None:
    assert reach_violations(source, "shop.cart") == []


def test_the_package_under_test_may_be_called() -> None:
    assert reach_violations("import requests\nrequests.Request('GET', 'x')", "requests.models") == []


def test_what_the_target_imports_may_be_imported_but_only_its_harmless_parts_used() -> None:
    also = imported_by("import subprocess\nimport numpy as np\nfrom requests import get\nfrom .a import b")
    assert also == {"subprocess", "numpy", "requests"}
    good = "import numpy as np\nimport subprocess\nimport requests\nx = np.array([1])\n"
    good += "y = (subprocess.CalledProcessError, subprocess.PIPE, requests.exceptions.Timeout, requests.Response)"
    assert reach_violations(good, "shop.cart", imported=also) == []
    for bad in ("subprocess.run(['x'])", "requests.get('http://x')", "np.os.system('x')", "np.sys.modules"):
        head = "import numpy as np\nimport subprocess\nimport requests\n"
        assert reach_violations(head + bad, "shop.cart", imported=also), bad


def test_helpers_beside_the_test_may_be_imported_unless_they_hide_a_module() -> None:
    source = "from cart_values import PRICES\n"
    assert reach_violations(source, "shop.cart")
    assert reach_violations(source, "shop.cart", helpers=["cart_values"]) == []
    hiding = [f"tests/{name}.py" for name in ("json", "shop", "pytest", "sitecustomize")]
    told = helper_problems(["tests/test_cart.py", "tests/cart_values.py", *hiding], "tests/test_cart.py", "shop.cart")
    assert len(told) == len(hiding)


def test_violations_carry_their_line() -> None:
    [one] = code_problems("import os\n\nos.system('x')\n", "shop.cart")
    assert (one["line"], one["rule"], one["message"]) == (3, "reach", "reaches for other programs with os.system")


def _case(**more: object) -> dict[str, object]:
    return {"id": "tc_a", "fixtures": [], "statements": [], "expression": "half(4)", "expect": [], **more}


@pytest.mark.parametrize(
    ("case", "imports", "refused"),
    [
        (_case(statements=["p = tmp_path / 'a'", "p.write_text('x')"], fixtures=["tmp_path"]), [], False),
        (_case(statements=["p = tmp_path.parent / 'a'", "p.write_text('x')"], fixtures=["tmp_path"]), [], True),
        (_case(statements=["for one in [eval]:\n    one('x')"]), [], True),
        (_case(expression="system('x')"), ["from os import system"], True),
        (_case(), ["from os import *"], True),
        (_case(), ["__import__('os').system('x')"], True),
        (_case(expect=[{"actual": "result", "value": "__import__('os').getcwd()"}]), [], True),
        (_case(expect=[{"exception": "eval('ValueError')"}]), [], True),
        (_case(expect=[{"exception": "ValueError"}, {"actual": "result", "value": "2"}]), [], False),
        (_case(fixtures=["pytester"]), [], True),
        (_case(statements=["name = '/etc/passwd'"], expression="open(name).read()"), [], True),
    ],
)
def test_a_case_is_read_as_the_test_that_its_parts_make(
    case: dict[str, object], imports: list[str], refused: bool
) -> None:
    assert bool(case_problems(case, 0, imports, "shop.cart")) is refused


def test_a_long_file_is_read_in_one_pass() -> None:
    lines = "\n".join(f"    assert half({number}) == {number // 2}" for number in range(2000))
    head = "from shop.cart import half\n\n\ndef test_half(tmp_path):\n    path = tmp_path / 'a'\n"
    assert reach_violations(f"{head}{lines}\n    path.unlink()\n", "shop.cart") == []


def test_a_file_made_to_be_hard_to_read_is_read_all_the_same() -> None:
    """Each name is twice the one before, and the last leads back to the first: answers are found once, not 2 ** 60."""
    doubling = "\n".join(f"    a{number} = a{number - 1} / (a{number - 1} + a{number - 1})" for number in range(1, 60))
    source = f"def test_a(tmp_path):\n    a0 = tmp_path\n    a0 = a59\n{doubling}\n    a59.unlink()\n"
    assert reach_violations(source, "shop.cart")
