"""What is arranged in front of a trial so that it reaches stand-ins instead of the world outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..model.model import Trial


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Statements that put stand-ins in place.

    Attributes:
        imports: import statements that they need.
        fixtures: names the runner provides.
    """

    statements: tuple[str, ...]
    imports: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ("monkeypatch",)


def combined(parts: Iterable[Arrangement]) -> Arrangement:
    """All statements of several arrangements, none twice."""
    parts = list(parts)
    return Arrangement(
        tuple(dict.fromkeys(text for part in parts for text in part.statements)),
        tuple(dict.fromkeys(text for part in parts for text in part.imports)),
        tuple(dict.fromkeys(name for part in parts for name in part.fixtures)),
    )


def arranged(trial: Trial, arrangement: Arrangement) -> Trial:
    """The trial with the stand-ins in place first; a documented result no longer applies."""
    return replace(
        trial,
        arrange=(*arrangement.statements, *trial.arrange),
        imports=tuple(sorted({*trial.imports, *arrangement.imports})),
        fixtures=tuple(sorted({*trial.fixtures, *arrangement.fixtures})),
        source="sequence",
        wanted=None,
        wanted_line=0,
    )
