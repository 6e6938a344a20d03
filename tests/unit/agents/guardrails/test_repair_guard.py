"""A refinement may not weaken a test (B-03)."""

from __future__ import annotations

import pytest

from testwright.agents.guardrails.repair_guard import weakened_code
from testwright.agents.guardrails.replaced_subjects import replaced_subjects

BEFORE = '''import pytest
from shop import half


def test_half():
    """tc_half: four."""
    result = half(4)
    assert result == 2
    assert isinstance(result, int)


def test_odd():
    """tc_odd: three."""
    with pytest.raises(ValueError, match="odd"):
        half(3)
'''


@pytest.mark.feature("B-03")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    assert isinstance(result, int)\n", "", "asserts 1 thing instead of 2"),
        ("result == 2", "result is not None", "weaker"),
        ("result == 2", "result == result", "weaker"),
        ("result == 2", "result == 2 or True", "weaker"),
        ("result == 2", "result == pytest.approx(2)", "weaker"),
        ("assert result == 2", "if result:\n        assert result == 2", "need not reach"),
        ("    assert result == 2", "    return\n    assert result == 2", "need not reach"),
        ("ValueError, match", "Exception, match", "any exception"),
        (', match="odd"', "", "message"),
        ("def test_odd", "@pytest.mark.xfail\ndef test_odd", "expected to fail"),
        ("def test_half", "@pytest.mark.skip\ndef test_half", "skipped"),
        ("    result = half(4)", "    pytest.skip()\n    result = half(4)", "skipped"),
        (
            "    result = half(4)",
            "    try:\n        result = half(4)\n    except ValueError:\n        result = 2",
            "swallows",
        ),
        ("    assert result == 2", "    result = 2\n    assert result == 2", "weaker"),
        ("    assert result == 2", "    expected = result\n    assert result == expected", "weaker"),
        ("assert result == 2", "assert (result := 2) == 2", "weaker"),
        ("assert result == 2", "assert (result == 2, 'it is')", "weaker"),
        ("assert result == 2", "assert result == ANY", "weaker"),
        ("assert result == 2", "assert not result != 2", "weaker"),
        ("    assert result == 2", "    if True:\n        return\n    assert result == 2", "need not reach"),
        ("    assert result == 2", "    with open('a'):\n        return\n    assert result == 2", "need not reach"),
        ("assert result == 2", "if False:\n        assert result == 2", "need not reach"),
        (
            "assert result == 2",
            "match result:\n        case 2:\n            assert result == 2",
            "need not reach",
        ),
        ("assert result == 2", "async def later():\n        assert result == 2", "need not reach"),
        (
            "    assert result == 2",
            "    try:\n        assert result == 2\n    except AssertionError:\n        pass",
            "swallows",
        ),
        ("    assert result == 2", "    with suppress(AssertionError):\n        assert result == 2", "swallows"),
        ("    result = half(4)", "    yield\n    result = half(4)", "need not reach"),
        ("tc_odd: three", "three", "tc_odd is gone"),
        ("import pytest\n", "import pytest\n\npytestmark = pytest.mark.skip\n", "the file skips itself"),
    ],
)
def test_what_asserts_less_is_refused(old: str, new: str, said: str) -> None:
    assert old in BEFORE
    problems = weakened_code(BEFORE, BEFORE.replace(old, new, 1))
    assert any(said in problem["message"] for problem in problems), problems


@pytest.mark.feature("B-03")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def test_half", "def test_half_of_four"),
        ("assert result == 2", "assert 2 == result"),
        ("    result = half(4)", "    # four\n    number = 4\n    result = half(number)"),
        ("assert isinstance(result, int)", "assert result == 1 + 1"),
        ("assert isinstance(result, int)", "assert isinstance(result, int)\n    assert result > 1"),
    ],
)
def test_what_asserts_as_much_passes(old: str, new: str) -> None:
    assert old in BEFORE
    assert weakened_code(BEFORE, BEFORE.replace(old, new, 1)) == []


ROWS = '''import pytest
from shop import half, root


@pytest.mark.parametrize(("number", "expected"), [(4, 2), (6, 3), (8, 4)])
def test_half(number, expected):
    """tc_half: of even numbers."""
    assert half(number) == expected


def test_root():
    """tc_root: nearly."""
    assert root(2) == pytest.approx(1.41421356, abs=1e-6)
    assert abs(root(3) - 1.732) < 0.001


class TestOdd:
    def test_odd(self):
        """tc_odd: three."""
        with pytest.raises(KeyError):
            half(3)
'''


@pytest.mark.feature("B-03")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (", (8, 4)]", "]", "runs 2 rows instead of 3"),
        ("abs=1e-6", "abs=0.5", "tolerates more"),
        ("abs=1e-6", "rel=0.5, abs=1e-6", "tolerates more"),
        ("abs=1e-6", "abs=LOOSE", "tolerates more"),
        ("< 0.001", "< 0.5", "tolerates more"),
        ("raises(KeyError)", "raises(LookupError)", "admits more"),
        ("raises(KeyError)", "raises((KeyError, ValueError))", "admits more"),
        ("raises(KeyError)", "raises(Exception)", "any exception"),
        ("            half(3)", "            raise KeyError", "weaker"),
        ("            half(3)", "            {}['a']", "weaker"),
        ("class TestOdd:\n", "class TestOdd:\n    __test__ = False\n\n", "skipped"),
        ("class TestOdd:\n", "class TestOdd:\n    pytestmark = pytest.mark.skip\n\n", "skipped"),
        ("class TestOdd:\n", "class TestOdd:\n    def __init__(self):\n        pass\n\n", "no longer run"),
        ("class TestOdd:", "class Odd:", "no longer run"),
        ("from shop import half, root\n", "from shop import half, root\n\n__test__ = False\n", "the file skips itself"),
        ("class TestOdd", "test_root = None\n\n\nclass TestOdd", "no longer run"),
        ("class TestOdd", "def test_root():\n    pass\n\n\nclass TestOdd", "no longer run"),
        ("def test_root", "@pytest.fixture\ndef test_root", "no longer run"),
        ("def test_root():\n", "def unused():\n  def test_root():\n", "no longer run"),
        ("    assert abs(root(3)", "    test_root.__test__ = False\n    assert abs(root(3)", "skipped"),
    ],
)
def test_fewer_rows_wider_tolerances_broader_exceptions_and_uncollected_tests_are_refused(
    old: str, new: str, said: str
) -> None:
    assert old in ROWS
    problems = weakened_code(ROWS, ROWS.replace(old, new, 1))
    assert any(said in problem["message"] for problem in problems), problems


@pytest.mark.feature("B-03")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(8, 4)]", "(8, 4), (10, 5)]"),
        ("abs=1e-6", "abs=1e-9"),
        ("raises(KeyError)", "raises(ValueError)"),
        ("            half(3)", "            half(number=3)"),
        ("< 0.001", "< 0.0001"),
    ],
)
def test_asserting_more_is_not_refused(old: str, new: str) -> None:
    assert old in ROWS
    assert weakened_code(ROWS, ROWS.replace(old, new, 1)) == []


CASES = [{"id": "tc_half", "subject": "half"}, {"id": "tc_odd", "subject": "half"}, {"id": "tc_now", "subject": "now"}]


@pytest.mark.feature("B-03")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from shop import half\n", "def half(number):\n    return 2\n"),
        ("from shop import half\n", "from shop import half\n\nhalf = lambda number: 2\n"),
        ("from shop import half\n", "from shop_values import half\n"),
        ("from shop import half\n", "from .values import half\n"),
        ("    result = half(4)", "    def half(number):\n        return 2\n    result = half(4)"),
        ("def test_half():", "def test_half(half=lambda number: 2):"),
        ("import pytest\n", "class pytest:\n    raises = print\n"),
        ("import pytest\n", "import pytest\nfrom contextlib import suppress as raises\n"),
        ("def test_half():", "@patch('shop.half', return_value=2)\ndef test_half(mock):"),
        ("def test_half():", "def test_half(monkeypatch):\n    monkeypatch.setattr(shop, 'half', print)"),
        ("def test_half():", "def test_half(monkeypatch):\n    monkeypatch.setattr('shop.half', print)"),
        ("def test_half():", "def test_half():\n    half.cache = 3"),
        (
            "def test_half():",
            "@pytest.fixture(autouse=True)\ndef calm(monkeypatch):\n    monkeypatch.setattr('shop.half', print)\n\n\n"
            "def test_half():",
        ),
        (
            "def test_half():",
            "@pytest.fixture\ndef calm(mocker):\n    mocker.patch.object(shop, 'half')\n\n\ndef test_half(calm):",
        ),
    ],
)
def test_a_test_that_replaces_what_it_tests_is_refused(old: str, new: str) -> None:
    assert replaced_subjects(BEFORE, CASES, "shop") == []
    assert old in BEFORE
    assert replaced_subjects(BEFORE.replace(old, new, 1), CASES, "shop")


@pytest.mark.feature("B-03")
def test_what_a_test_is_not_about_may_be_patched() -> None:
    """`now` is a subject too, of another test."""
    asks, sets = "def test_half(monkeypatch):", "    monkeypatch.setattr('shop.now', print)\n    result = half(4)"
    fixed = BEFORE.replace("def test_half():", asks).replace("    result = half(4)", sets)
    fixture = "@pytest.fixture\ndef calm(monkeypatch):\n    monkeypatch.setattr('shop.now', print)\n\n\n"
    for good in (fixed, BEFORE.replace("def test_half():", f"{fixture}def test_half(calm):")):
        assert replaced_subjects(good, CASES, "shop") == []


@pytest.mark.feature("B-03")
def test_a_file_that_did_not_parse_may_be_mended_but_not_skipped() -> None:
    broken = BEFORE.replace("half(4)", "half(4")
    assert weakened_code(broken, BEFORE) == []
    assert weakened_code(broken, BEFORE.replace("def test_half", "@pytest.mark.skip\ndef test_half"))
