"""An application that answers by a rule, in place of one that is started."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from testwright.engine.api.model.model import HttpAnswer, Json


class AnsweringApplication:
    """Answers each request by itself.

    Args:
        answer: what it says to a request.
        signs_in: whether a user who is to sign in can.
    """

    constants: Mapping[str, str] = {}

    def __init__(self, answer: Callable[[Json], HttpAnswer], *, signs_in: bool = True) -> None:
        self._answer = answer
        self._signs_in = signs_in
        self.asked = 0

    async def sign_in(self, *_: Any, **__: Any) -> bool:
        return self._signs_in

    async def answers(self, requests: Sequence[Json], **_: Any) -> tuple[HttpAnswer, ...]:
        self.asked += len(requests)
        return tuple(map(self._answer, requests))
