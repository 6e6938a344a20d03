"""The parts of a search that a test gives its trials itself and runs in its own process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from testwright.engine.python.model.model import Observation, Raised, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.observer import EXPLORING


class InProcessWatcher:
    """Watches trials by running them in this process."""

    conditions = EXPLORING

    def __init__(self, source: str) -> None:
        self._space: dict[str, Any] = {}
        exec(source, self._space)

    def value_of(self, expression: str) -> Any:
        """What an expression gives in the module."""
        return eval(expression, dict(self._space))

    async def watch(self, trials: Sequence[Trial], **_: object) -> list[ObservedTrial]:
        return [ObservedTrial(self._observed(trial)) for trial in trials]

    def _observed(self, trial: Trial) -> Observation:
        space = dict(self._space)
        try:
            for statement in trial.arrange:
                exec(statement, space)
            result = eval(trial.act, space)
        except (LookupError, TypeError, ValueError) as error:
            return Observation("raised", raised=Raised(type(error).__name__, str(error)))
        held = tuple((name, Value("list", source=repr(one))) for name, one in getattr(result, "__dict__", {}).items())
        source = None if held else repr(result)
        return Observation("returned", value=Value(type(result).__name__, source=source, attributes=held))


class IdleProposer:
    """Proposes no trial of its own."""

    def initial(self) -> Any:
        return iter(())

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        return []

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        return []
