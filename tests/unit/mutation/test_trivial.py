"""Which trivial implementations stand in for a function, and which of them examples do not tell apart."""

from __future__ import annotations

import textwrap

import pytest

from testwright.mutation.trivial import TestedFunction, functions_of, implementations_of

pytestmark = pytest.mark.feature("B-16")


def the_function(source: str) -> TestedFunction:
    (found,) = functions_of(textwrap.dedent(source), "shop.py")
    return found


def titles(function: TestedFunction, *answers: str) -> list[str]:
    return [one.title for one in implementations_of(function, answers)]


def test_public_functions_are_read_with_their_parameters_and_flavors() -> None:
    source = """
        import functools

        def _hidden(): return 1 + 1

        @functools.cache
        def total(price, *more, rate=2, _inner=None): return price * rate

        class Cart:
            def __init__(self, owner): self.owner = owner
            @property
            def size(self): return len(self.items)
            @classmethod
            def of(cls, items): return cls(items)
            @staticmethod
            def vat(price): return price * 2
            def _grow(self): self.items.append(1)
            def each(self):
                def inner(): return 3
                yield inner()

        class _Private:
            def run(self): return 2 + 2
    """
    found = functions_of(textwrap.dedent(source), "shop.py")
    assert [(one.name, one.flavor) for one in found] == [
        ("total", "function"),
        ("Cart.__init__", "constructor"),
        ("Cart.size", "property"),
        ("Cart.of", "class method"),
        ("Cart.vat", "static method"),
        ("Cart.each", "method"),
    ]
    total, init, *_, each = found
    assert (total.line, total.lines) == (6, (7, 7)), "a function begins with its first decorator"
    assert [(one.name, one.default, one.keyword_only, one.variadic) for one in total.parameters] == [
        ("price", None, False, False),
        ("more", None, False, True),
        ("rate", "2", True, False),
        ("_inner", "None", True, False),
    ]
    assert [one.name for one in init.parameters] == ["owner"]
    assert each.generator


def test_every_kind_of_trivial_implementation_stands_in_for_a_function() -> None:
    found = titles(the_function("def total(price, count, rate=1): return price * count * rate"), "6", "6", "8")
    assert found[:2] == ["always returns 6", "always returns 8"]
    assert {"always returns None", "always returns {}", "returns `price` as it is", "changes nothing"} < set(found)
    assert {"takes `price` and `count` for each other", "ignores `rate`", "returns len(count)"} < set(found)
    assert "ignores `price`" not in found


def test_an_argument_that_the_body_never_reads_is_not_ignored_by_a_trivial_implementation() -> None:
    assert "ignores `context`" not in titles(the_function("def handle(event, context=None): return event + 1"))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            "def hook(value):\n    '''Do nothing.'''\n    return value",
            "it is trivial itself: it returns value as it is",
        ),
        ("def version(): return '1'", "it is trivial itself: it always returns '1'"),
        ("def close(): pass", "it is trivial itself: it does nothing"),
        ("def stop(): raise SystemExit(2)", "it only raises"),
        ("async def ticks():\n    yield 1", "it is an asynchronous generator"),
        ("@abstractmethod\ndef area(self): return 1 + 1", "it is abstract"),
        ("def __hash__(self): return hash(self.name)", "__hash__ is called by the interpreter in places that no"),
    ],
)
def test_a_function_that_no_implementation_can_be_told_from_is_left_out_with_a_reason(source: str, reason: str) -> None:
    function = the_function(source)
    assert function.left_out.startswith(reason)
    assert implementations_of(function) == ()
