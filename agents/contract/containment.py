"""Keeps an agent of others inside of its request: whatever it raises, however long it blocks, whatever it returns."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import Any, TypeVar

from ...core.errors import AgentFailure
from .protocol import AgentResponse

Result = TypeVar("Result")
_BITS = 64
"""Length of the longest number that a checkpoint holds, with its sign."""


async def contained(work: Awaitable[Result], *, everything: bool = False) -> Result:
    """Await an agent's work; what would end the process, or the run around it, becomes an error of the agent.

    Args:
        everything: whether that holds of all that is no Exception, such as `pytest.fail` in a function of the user's.

    Raises:
        AgentFailure: the work raised SystemExit, or a cancellation that nobody asked for.
    """
    try:
        return await work
    except SystemExit as error:
        raise AgentFailure(f"it raised SystemExit({error.code!r}), which would have ended the run") from error
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # the caller, or a deadline, cancels it
            raise
        raise AgentFailure("it raised CancelledError, and nobody had cancelled it") from error
    except BaseException as error:
        if not everything:
            raise
        raise AgentFailure(f"it raised {type(error).__name__}: {error}") from error


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function that may block in a thread of its own, which does not keep the process from ending.

    Raises:
        AgentFailure: it raised what would end or hang its caller: SystemExit, StopIteration, CancelledError, or what is
            no Exception.
        Exception: whatever else it raised.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Result | None, BaseException | None]] = loop.create_future()
    context = copy_context()

    def finish(result: Result | None, error: BaseException | None) -> None:
        if not done.done():  # else the caller has given up
            done.set_result((result, error))

    def work() -> None:
        try:
            outcome = context.run(function, *arguments), None
        except BaseException as error:  # noqa: BLE001 - of a thread nothing may be lost, or its caller waits for ever
            outcome = None, error
        with suppress(RuntimeError):  # the loop has ended before the function
            loop.call_soon_threadsafe(finish, *outcome)

    threading.Thread(target=work, name="testwright-agent", daemon=True).start()
    result, error = await done
    if error is None:
        return result  # pyrefly: ignore[bad-return] - of a function that returned
    raise raised_by_agent(error)


def raised_by_agent(error: BaseException) -> Exception:
    """The error to raise for what an agent raised: itself, or an AgentFailure for what would end or hang its caller."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    failure = AgentFailure(f"it raised {type(error).__name__}, which says nothing about its task")
    failure.__cause__ = error
    return failure


def as_json(response: AgentResponse) -> AgentResponse:
    """The response as it is once it was stored and read again.

    Raises:
        AgentFailure: its result, trace, metadata or the details of its error are no JSON, or hold a whole number of
            more than 64 bits, which a run's checkpoints cannot hold.
    """
    error = response.error
    parts = {"result": response.result, "trace": response.trace, "metadata": response.metadata}
    parts |= {"details": error.details, "trace_context": error.trace_context} if error is not None else {}
    read: dict[str, Any] = {}
    for name, value in parts.items():
        try:
            read[name] = json.loads(json.dumps(value, allow_nan=False), parse_int=_storable)
        except (TypeError, ValueError, RecursionError) as failure:
            raise AgentFailure(
                f"its {name} is no JSON: {failure}", advice="Answer with texts, numbers, booleans, lists and objects."
            ) from failure
    if error is not None:
        error = replace(error, details=read["details"], trace_context=read["trace_context"])
    return replace(response, result=read["result"], trace=read["trace"], metadata=read["metadata"], error=error)


def _storable(digits: str) -> int:
    number = int(digits)
    if number.bit_length() >= _BITS:
        raise ValueError(f"a number of {len(digits)} digits is longer than {_BITS} bits")
    return number
