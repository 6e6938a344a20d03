"""Rules of test code (T-10): what is wrong is found with its line, what is right is left alone."""

from __future__ import annotations

from textwrap import dedent

import pytest

from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.mcp.tools.validate_code import check_code
from testwright.tests.support.engine.shop_findings import exploration, shop_findings


def found(source: str, framework: str = "pytest", name: str = "test_it.py", conftests=()) -> list[tuple[str, str, int]]:
    result = check_code(dedent(source), name, framework, tuple(conftests))
    return [(error["type"], error["rule"], error["line"]) for error in result["errors"]]


@pytest.mark.feature("T-10")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_what_the_embedded_writer_renders_is_good(framework):
    spec = compose_spec(exploration(*shop_findings()), framework=framework)
    result = check_code(render(spec, framework), "test_cart.py", framework)
    assert result == {
        "valid": True,
        "syntax_valid": True,
        "lint_passed": True,
        "structure_valid": True,
        "errors": [],
    }


@pytest.mark.feature("T-10", "T-07")
def test_every_place_that_does_not_parse_is_told_and_nothing_else_passes():
    result = check_code("def test_a(:\n    pass\n\nx = = 2\n", "test_it.py", "pytest")
    assert (result["valid"], result["syntax_valid"], result["lint_passed"], result["structure_valid"]) == (False,) * 4
    assert {error["type"] for error in result["errors"]} == {"syntax"}
    assert {error["line"] for error in result["errors"]} >= {1, 4}


@pytest.mark.feature("T-10")
def test_all_lint_and_structure_errors_come_together_with_lines_and_suggestions():
    source = "import os\nimport time\n\n\ndef test_a(nothing):\n    time.sleep(1)\n    value = 1\n"
    result = check_code(source, "test_it.py", "pytest")
    rules = {(error["type"], error["rule"], error["line"]) for error in result["errors"]}
    assert rules == {
        ("lint", "F401", 1),
        ("lint", "F841", 7),
        ("structure", "no_assertion", 5),
        ("structure", "no_fixture", 5),
        ("structure", "sleep", 6),
    }
    assert all(error["suggestion"] for error in result["errors"])
    assert (result["syntax_valid"], result["lint_passed"], result["structure_valid"]) == (True, False, False)


def test_a_check_that_is_switched_off_counts_as_passed():
    source = "import os\n\n\ndef test_a():\n    pass\n"
    result = check_code(source, "test_it.py", "pytest", lint=False, structure=False)
    assert (result["valid"], result["errors"]) == (True, [])


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("assert True", "tautology"),
        ("x = 1\n    assert x == x", "tautology"),
        ("assert (1, 'message')", "tautology"),
        ("assert [] or True", "tautology"),
        ("pass", "no_assertion"),
        ("print('looks good')", "no_assertion"),
        ("import asyncio\n    asyncio.run(asyncio.sleep(3))\n    assert len('a') == 1", "sleep"),
        ("import requests\n    assert requests.get('https://example.com').ok", "network"),
        ("import socket\n    assert socket.create_connection(('example.com', 80))", "network"),
        ("try:\n        assert len(1)\n    except TypeError:\n        pass", "swallowed"),
        ("try:\n        len(1)\n    except Exception:\n        pass\n    assert len('a')", "swallowed"),
        ("import contextlib\n    with contextlib.suppress(TypeError):\n        assert len(1)", "swallowed"),
        ("import pytest\n    pytest.skip('later')\n    assert len('a')", "skip"),
        ("len('a') == 1\n    assert len('b')", "idle_comparison"),
        ("assert len('a')\n    return len('a')", "returns"),
        ("yield\n    assert len('a')", "yields"),
        ("def test_inner():\n        assert len('a')\n    assert len('b')", "nested_test"),
    ],
)
def test_a_test_that_proves_nothing_or_harms_is_told(body, rule):
    assert rule in {one[1] for one in found(f"def test_it():\n    {body}\n")}


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def check_it():\n    assert len('a')\n", "test_name"),
        ("x = 1\n", "no_tests"),
        ("def test_a():\n    assert len('a')\n\n\ndef test_a():\n    assert len('b')\n", "duplicate_name"),
        (
            "class TestIt:\n    def __init__(self):\n        pass\n\n    def test_a(self):\n        assert len('a')\n",
            "class_init",
        ),
        ("class It:\n    def test_a(self):\n        assert len('a')\n", "class_name"),
        ("async def test_a():\n    assert len('a')\n", "async_test"),
        ("import pytest\n\n\n@pytest.mark.skip\ndef test_a():\n    assert len('a')\n", "skip"),
        ("import pytest\n\npytestmark = pytest.mark.xfail\n\n\ndef test_a():\n    assert len('a')\n", "skip"),
        (
            "import pytest\n\n\n@pytest.fixture\ndef cart():\n    return []\n\n\ndef test_a():\n"
            "    assert cart() == []\n",
            "fixture_called",
        ),
        (
            "import pytest\n\n\n@pytest.mark.parametrize(('a', 'b'), [(1, 2), (3,)])\ndef test_a(a, b):\n"
            "    assert a < b\n",
            "parametrize",
        ),
        (
            "import pytest\n\n\n@pytest.mark.parametrize('c', [1])\ndef test_a(a):\n    assert a\n",
            "parametrize",
        ),
        (
            "import pytest\n\n\n@pytest.mark.parametrize('a', [pytest.param(1, id='x'), pytest.param(2, id='x')])\n"
            "def test_a(a):\n    assert a\n",
            "duplicate_name",
        ),
    ],
)
def test_a_file_that_pytest_would_not_run_as_meant_is_told(source, rule):
    assert rule in {one[1] for one in found(source)}


def test_a_file_name_that_is_not_collected_is_told():
    assert ("structure", "file_name", 0) in found("def test_a():\n    assert len('a')\n", name="cart.py")


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n\n\ndef test_a(tmp_path, monkeypatch):\n    with pytest.raises(TypeError):\n        1 < 'a'\n",
        "from unittest import mock\nfrom shop import buy\n\n\ndef test_a():\n    m = mock.Mock()\n    buy(m)\n"
        "    m.assert_called_once_with(1)\n",
        "from shop import half\n\n\ndef is_small(n):\n    assert n < 3\n\n\ndef test_a():\n    is_small(half(2))\n",
        "import unittest\n\nfrom shop import half\n\n\nclass CartCase(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertEqual(half(2), 1)\n",
        "import pytest\n\n\n@pytest.fixture\ndef make():\n    return list\n\n\ndef test_a(make):\n"
        "    assert make() == []\n",
        "import pytest\n\n\n@pytest.mark.parametrize('a, b', [(1, 2)])\nclass TestIt:\n"
        "    def test_a(self, a, b):\n        assert a < b\n",
        "import pytest\n\n\n@pytest.mark.parametrize(['a'], [(1,), (2,)])\ndef test_a(a, b=1):\n    assert a >= b\n",
        "import asyncio\n\n\ndef test_a():\n    async def act():\n        await asyncio.sleep(0)\n"
        "        return 1\n\n    assert asyncio.run(act()) == 1\n",
        "import httpx\n\n\ndef test_a():\n    assert httpx.get('http://127.0.0.1:8000/').status_code == 200\n",
        "from unittest.mock import patch\n\n\n@patch('os.getcwd')\ndef test_a(getcwd):\n"
        "    assert getcwd is not None\n",
        "import random\n\n\ndef test_a():\n    assert random.Random(1).random() == random.Random(1).random()\n",
    ],
)
def test_what_people_write_is_left_alone(source):
    assert found(source) == []


def test_fixtures_may_come_from_conftest_files():
    source = "def test_a(cart):\n    assert cart\n"
    assert found(source) == [("structure", "no_fixture", 1)]
    assert (
        found(source, conftests=["import pytest\n\n@pytest.fixture(name='cart')\ndef _cart():\n    return 1\n"]) == []
    )
    assert found(source, conftests=["from .fixtures import *\n"]) == []
    assert found(source, conftests=["pytest_plugins = ['shop.fixtures']\n"]) == []


SHOP = "from shop import half\n"
UNITTEST = "import unittest\n\n\nclass CartTest(unittest.TestCase):\n"


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def test_a():\n    assert len('a')\n", "class_name"),
        ("class CartTest:\n    def test_a(self):\n        assert len('a')\n", "class_name"),
        (UNITTEST + "    def check(self):\n        self.assertTrue(len('a'))\n", "no_tests"),
        (UNITTEST + "    def test_a(self):\n        len('a')\n", "no_assertion"),
        (UNITTEST + "    def test_a(self):\n        self.assertTrue(True)\n", "tautology"),
        (UNITTEST + "    def test_a(self):\n        self.assertEqual('a', 'a')\n", "tautology"),
        (UNITTEST + "    def test_a(self, cart):\n        self.assertTrue(cart)\n", "no_fixture"),
        (
            UNITTEST
            + "    def setup(self):\n        self.x = 1\n\n    def test_a(self):\n        self.assertTrue(self.x)\n",
            "hook_name",
        ),
        (UNITTEST + "    async def test_a(self):\n        self.assertTrue(len('a'))\n", "async_test"),
        (UNITTEST + "    @unittest.skip('later')\n    def test_a(self):\n        self.assertTrue(len('a'))\n", "skip"),
        (UNITTEST + "    def test_a(self):\n        self.skipTest('later')\n", "skip"),
        (
            UNITTEST + "    def test_a(self):\n        self.fail()\n\n    def test_a(self):\n        self.fail()\n",
            "duplicate_name",
        ),
    ],
)
def test_a_unittest_file_is_held_to_unittest(source, rule):
    assert rule in {one[1] for one in found(source, "unittest")}


@pytest.mark.parametrize(
    "source",
    [
        SHOP
        + UNITTEST
        + "    def setUp(self):\n        self.x = half(2)\n\n    def test_a(self):\n"
        + "        with self.assertRaises(TypeError):\n            1 < 'a'\n",
        "import unittest\n\n\nclass Base(unittest.TestCase):\n    pass\n\n\nclass CartTest(Base):\n"
        "    def test_a(self):\n        self.assertEqual(1, len('a'))\n",
        SHOP + "import unittest\n\n\nclass CartTest(unittest.IsolatedAsyncioTestCase):\n"
        "    async def test_a(self):\n        self.assertTrue(half(2))\n",
    ],
)
def test_a_good_unittest_file_is_left_alone(source):
    assert found(source, "unittest") == []


PYTEST = "import pytest\n\nfrom shop import half\n\n\n"


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("def test_a():\n    if half(2):\n        assert half(4) == 2\n", "conditional_assertion"),
        (
            "def test_a():\n    try:\n        half(3)\n    except ValueError as e:\n        assert str(e)\n",
            "conditional_assertion",
        ),
        ("def test_a():\n    value = 1 + 1\n    assert value == 2\n", "no_subject"),
        ("def test_a():\n    numbers = sorted([2, 1])\n    assert numbers == [1, 2]\n", "no_subject"),
        (
            "def test_a():\n    assert half(2) == 1\n\n\ndef test_b():\n    assert half(2) == 1\n",
            "duplicate_body",
        ),
        ("@pytest.mark.usefixtures('gone')\ndef test_a():\n    assert half(2)\n", "no_fixture"),
        ("@pytest.mark.parametrize('n', [1], indirect=True)\ndef test_a(n):\n    assert half(n)\n", "no_fixture"),
        ("@pytest.mark.parametrize('n', [1], indirect=['n'])\ndef test_a(n):\n    assert half(n)\n", "no_fixture"),
        ("def test_a(request):\n    assert half(request.getfixturevalue('gone'))\n", "no_fixture"),
        ("pytestmark = pytest.mark.usefixtures('gone')\n\n\ndef test_a():\n    assert half(2)\n", "no_fixture"),
        ("@pytest.mark.xfail\ndef test_a():\n    assert half(2)\n", "skip"),
        ("@pytest.mark.skipif(True)\ndef test_a():\n    assert half(2)\n", "skip"),
        ("@pytest.mark.skip(reason='later')\ndef test_a():\n    assert half(2)\n", "skip"),
        ("def test_a():\n    if half(2):\n        pytest.xfail('later')\n    assert half(2)\n", "skip"),
        ("from time import sleep as rest\n\n\ndef test_a():\n    rest(1)\n    assert half(2)\n", "sleep"),
        (
            "import time\n\n\n@pytest.fixture\ndef two():\n    time.sleep(1)\n    return 2\n\n\n"
            "def test_a(two):\n    assert half(two)\n",
            "sleep",
        ),
        (
            "import httpx\n\nURL = 'https://example.org/x'\n\n\ndef test_a():\n    assert half(httpx.get(URL))\n",
            "network",
        ),
        ("def test_a():\n    try:\n        assert half(2)\n    except AssertionError:\n        pass\n", "swallowed"),
    ],
)
def test_filler_of_every_kind_is_told(source, rule):
    assert rule in {one[1] for one in found(PYTEST + source)}


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    "source",
    [
        "def test_a():\n    try:\n        half(3)\n        assert False\n    except ValueError:\n        pass\n",
        "def test_a():\n    try:\n        half(3)\n    except ValueError as e:\n        assert str(e)\n"
        "    else:\n        pytest.fail('no error')\n",
        "def test_a():\n    wrong = [n for n in (2, 4) if half(n) * 2 != n]\n    if wrong:\n"
        "        raise AssertionError(f'{wrong}')\n",
        "def test_a():\n    for n in range(9):\n        if n % 2 == 0:\n            assert half(n) * 2 == n\n",
        "import sys\n\n\ndef test_a():\n    if sys.platform == 'linux':\n        assert half(2) == 1\n",
        "@pytest.mark.skipif(half is None, reason='not there')\ndef test_a():\n    assert half(2)\n",
        "@pytest.mark.xfail(reason='issue 7')\ndef test_a():\n    assert half(2) == 7\n",
        "def test_a():\n    if not half(2):\n        pytest.skip('no halves here')\n    assert half(4) == 2\n",
        "def test_a():\n    one = half(2)\n    assert one == one\n    assert one <= one\n    assert one == 1\n",
        "@pytest.fixture\ndef two(request):\n    return request.param\n\n\n"
        "@pytest.mark.parametrize('two', [2], indirect=True)\ndef test_a(two):\n    assert half(two) == 1\n",
        "import httpx\n\n\ndef test_a(server):\n    assert half(httpx.get(f'{server.url}/x').status_code)\n\n\n"
        "@pytest.fixture\ndef server():\n    return 1\n",
        "def test_a(benchmark):\n    benchmark(half, 2)\n",
        "class CartTestMixin:\n    def test_a(self):\n        assert half(2) == 1\n\n\nclass TestCart(CartTestMixin):\n"
        "    pass\n",
        "try:\n    import yaml\nexcept ImportError:\n    HAVE = False\nelse:\n    HAVE = True\n\n\n"
        "def test_a():\n    assert half(HAVE) == 0\n",
        "from tests.support import holds\n\n\ndef test_a():\n    holds(half(2))\n",
    ],
)
def test_what_real_suites_do_is_left_alone(source):
    assert (
        found(PYTEST.replace("import pytest\n\n", "" if "pytest" not in source else "import pytest\n\n") + source) == []
    )


def test_helpers_that_call_each_other_many_times_over_are_followed_to_their_end():
    levels = [f"def step{n}():\n    step{n + 1}()\n    step{n + 1}()\n    step0()\n" for n in range(60)]
    source = "from shop import half\n\n\n" + "\n\n".join(levels) + "\n\ndef step60():\n    {}\n\n\n"
    test = "def test_a():\n    step0()\n    half(2)\n"
    assert found(source.replace("{}", "assert half(2) == 1") + test) == []
    assert [one[1] for one in found(source.replace("{}", "half(2)") + test)] == ["no_assertion"]


@pytest.mark.parametrize(
    "source",
    [
        "class CartTestMixin:\n    def test_a(self):\n        self.assertEqual(half(2), 1)\n\n\n"
        "class CartTest(CartTestMixin, unittest.TestCase):\n    pass\n",
        "def with_cart(test):\n    return lambda self: test(self, {})\n\n\nclass CartTest(unittest.TestCase):\n"
        "    @with_cart\n    def test_a(self, cart):\n        self.assertEqual(half(cart), 1)\n",
        "from unittest import mock\n\n\nclass CartTest(unittest.TestCase):\n    @mock.patch('os.getcwd')\n"
        "    def test_a(self, getcwd):\n        half(2)\n        getcwd.assert_called_once()\n",
        "class CartTest(unittest.TestCase):\n    @unittest.skipUnless(half, 'no halves')\n    def test_a(self):\n"
        "        self.assertEqual(half(2), 1)\n",
    ],
)
def test_what_real_unittest_suites_do_is_left_alone(source):
    assert found("import unittest\n\nfrom shop import half\n\n\n" + source, "unittest") == []
