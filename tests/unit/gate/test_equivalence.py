"""The rules by which a mutant is set aside as equivalent, before any test runs."""

from __future__ import annotations

import pytest

from testwright.mutation.catalog import mutants_of

_FUNCTION = "def f(k):\n    pass\n"
_LOGGER = "import logging\nhere = logging.getLogger(__name__)\n"


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("if __name__ == '__main__':\n    run(1)\n", "main_guard"),
        ("if TYPE_CHECKING:\n    limit = 3\n", "type_checking"),
        ("__version__ = '1'\n", "metadata"),
        ("T = TypeVar('T')\n", "typing_only"),
        ("if sys.version_info > (3, 8):\n    pass\n", "platform_guard"),
        ("def f():  # pragma: no cover\n    return g()\n", "no_cover"),
    ],
)
def test_what_looks_equivalent_is_set_aside_by_a_named_rule(source: str, rule: str) -> None:
    assert {one.rule for one in mutants_of(source.encode(), "a.py")} == {rule}


@pytest.mark.parametrize(
    ("source", "operator", "rule"),
    [
        (f"import functools\n@functools.lru_cache(maxsize=3)\n{_FUNCTION}", "number", "cache_only"),
        (f"from functools import lru_cache as kept\n@kept(3)\n{_FUNCTION}", "number", "cache_only"),
        (f"import functools\n@functools.lru_cache(maxsize=0)\n{_FUNCTION}", "number", None),
        (f"import functools\n@functools.lru_cache(typed=True)\n{_FUNCTION}", "boolean", None),
        (f"import functools\n@functools.lru_cache(maxsize=3)\n{_FUNCTION}", "removed decorator", None),
        (f"import functools\n@functools.cached_property\n{_FUNCTION}", "removed decorator", None),
        (f"from shop import lru_cache\n@lru_cache(3)\n{_FUNCTION}", "number", None),
        ("def f(self, k):\n    return self.cache(k + 1)\n", "arithmetic", None),
        (f"from typing import final\n@final\n{_FUNCTION}", "removed decorator", "checker_decorator"),
        (f"import typing_extensions as t\n@t.overload\n{_FUNCTION}", "removed decorator", "checker_decorator"),
        ("from typing import runtime_checkable\n@runtime_checkable\nclass A:\n    a = b\n", "removed decorator", None),
        (f"from game import final\n@final\n{_FUNCTION}", "removed decorator", None),
        (f"{_LOGGER}here.debug('now')\n", "removed call", "log_message"),
        (f"{_LOGGER}here.debug('%d', len(a) + 1)\n", "arithmetic", "log_message"),
        ("from logging import getLogger\nb = getLogger()\nb.error('now')\n", "string", "log_message"),
        ("import logging\nlogging.info('now')\n", "removed call", "log_message"),
        ("log.info(a + 1)\n", "arithmetic", None),
        ("def f(self, logger):\n    logger.error('now')\n", "removed call", None),
        (f"{_LOGGER}here = Board()\nhere.log('now')\n", "removed call", None),
        (f"{_LOGGER}here.debug(waiting.pop())\n", "removed call", None),
    ],
)
def test_only_caches_decorators_and_loggers_that_are_known_by_their_import_are_set_aside(
    source: str, operator: str, rule: str | None
) -> None:
    assert {one.rule for one in mutants_of(source.encode(), "a.py") if one.operator == operator} == {rule}
