"""Model-backed agents whose answers are checked against what is known, and given back once with all problems (P-01)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..contract.protocol import JsonObject
from .model_agent import GivenBack, ModelAgent


class CheckedModelAgent(ModelAgent):
    """Base of the three agents of A-01 that ask a model."""

    async def _checked(self, user: str, schema: JsonObject, wrong: Callable[[Any], list[JsonObject]]) -> Any:
        """The model's answer, after one repair if it is wrong in substance; what is wrong still is for the caller.

        Args:
            user: the first user message.
            wrong: everything that an answer in the asked form has wrong.

        Raises:
            UnusableAnswer: an answer is not in the asked form, repairs included. ModelFailure, BudgetExhausted.
        """
        answer = await self._asked(user, schema)
        problems = wrong(answer.parsed)
        if problems and self._repairs:
            answer = await self._asked(user, schema, attempt=2, back=GivenBack(problems, answer.text))
        return answer.parsed
