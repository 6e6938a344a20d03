"""Processes the result of an act: awaits it, iterates over it, or enters it."""

import contextlib
import inspect
from collections import abc

AWAITING = ("await", "aiterate", "aenter")
MAX_ITERATED = 50
TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


@contextlib.contextmanager
def untraced(tracer):
    """Without tracing, where it is on."""
    tracer.stop()
    try:
        yield
    finally:
        if tracer.active:
            tracer.start()


def calls_for(result):
    """The mode that would tell more about a result than looking at it."""
    if isinstance(result, abc.Awaitable):
        return "await"
    if isinstance(result, abc.AsyncIterator):
        return "aiterate"
    if isinstance(result, (abc.Iterator, abc.ValuesView)) or _is_mapping_view(result):
        return "iterate"
    return ""


def _is_mapping_view(result):
    """Whether a result is a view of a mapping that is no plain dictionary.

    The text of one repeats the mapping, or no expression makes it: its items tell more.
    """
    if not isinstance(result, (abc.KeysView, abc.ItemsView)):
        return False
    return type(result).__module__ != "builtins" or type(result).__name__.startswith("odict_")


async def evaluate(code, namespace):
    """Run compiled code, awaiting it where it awaits."""
    result = eval(code, namespace)
    if code.co_flags & inspect.CO_COROUTINE:
        result = await result
    return result


async def take(iterator):
    """The first items of an asynchronous iterator."""
    items = []
    async for item in iterator:
        items.append(item)
        if len(items) == MAX_ITERATED:
            break
    return items
