"""What is arranged in front of a trial so that it reaches stand-ins instead of the world outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..model.model import Trial

NOTES = frozenset({"commands", "sent", "waits"})
"""Variables in which stand-ins note what they were asked for."""

DATA = frozenset({"answer", "output"})
"""Variables with what stand-ins answer."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Statements that put stand-ins in place.

    Attributes:
        imports: import statements that they need.
        fixtures: names the runner provides.
        instead: what serves better in a trial that can be given the stand-in itself.
    """

    statements: tuple[str, ...]
    imports: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ("monkeypatch",)
    instead: Instead | None = None


@dataclass(frozen=True, slots=True)
class Instead:
    """Another arrangement for trials that contain a text, which becomes another one there."""

    arrangement: Arrangement
    text: str
    given: str


def combined(parts: Iterable[Arrangement]) -> Arrangement:
    """All statements of several arrangements, none twice."""
    parts = list(parts)
    return Arrangement(
        tuple(dict.fromkeys(text for part in parts for text in part.statements)),
        tuple(dict.fromkeys(text for part in parts for text in part.imports)),
        tuple(dict.fromkeys(name for part in parts for name in part.fixtures)),
        next((part.instead for part in parts if part.instead is not None), None),
    )


def arranged(trial: Trial, arrangement: Arrangement) -> Trial:
    """The trial with the stand-ins in place first; a documented result no longer applies."""
    instead = arrangement.instead
    if instead is not None and instead.text in "\n".join((*trial.arrange, trial.act)):
        given = [text.replace(instead.text, instead.given) for text in (*trial.arrange, trial.act)]
        return arranged(replace(trial, arrange=tuple(given[:-1]), act=given[-1]), instead.arrangement)
    return replace(
        trial,
        arrange=(*arrangement.statements, *trial.arrange),
        imports=tuple(sorted({*trial.imports, *arrangement.imports})),
        fixtures=tuple(sorted({*trial.fixtures, *arrangement.fixtures})),
        source="sequence",
        wanted=None,
        wanted_line=0,
    )
