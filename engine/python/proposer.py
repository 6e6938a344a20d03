"""The proposer that exploring asks: trials at first, then more of what observations say is worth it (B-06).

The same observations in the same order always give the same trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .branches import branch_arcs
from .layout import Layout
from .model import Arc, ModuleFacts, Observation, Trial
from .mutate import mutate
from .propose import ProposalContext, fresh, proposal_context, propose, trial_key
from .usage import Usage

_MAXIMUM_FOLLOW_UP = 12
_MAXIMUM_KEPT = 3
_MAXIMUM_NEAR = 40
_MAXIMUM_ROUNDS = 12


@dataclass(slots=True)
class _Kept:
    """A trial that reached a line beyond which something is unseen."""

    trial: Trial
    observation: Observation
    tried: int = 0


@dataclass(slots=True)
class _Frontier:
    """Branch arcs not yet taken, and the trials that came to the lines they leave."""

    missing: set[Arc]
    at: dict[int, list[_Kept]] = field(default_factory=dict)

    def lines(self) -> list[int]:
        """Lines that were reached and still have a way not taken."""
        open_lines = {start for start, _ in self.missing}
        return sorted(open_lines & set(self.at))


class SourceProposer:
    """Proposes trials from the source of a project; fulfils `Proposer` of explore.py.

    Args:
        root: the project's root folder.
        layout: its layout.
        facts: the target module.
        usage: uses of the target, found anew when not given.
    """

    def __init__(self, root: Path, layout: Layout, facts: ModuleFacts, usage: Usage | None = None) -> None:
        self.facts = facts
        self.context: ProposalContext = proposal_context(root, layout, facts, usage)
        self._seen: set[tuple[str, ...]] = set()
        self._reached: set[Arc] = set()
        self._frontier = _Frontier(set(_branch_arcs(root, facts)))

    def initial(self) -> Iterator[Trial]:
        """Trials from documents, usage and signatures; then, as observations come in, ever further mutations of the
        trials that stand before a way not taken. Ends when nothing new comes to mind."""
        yield from fresh_only(propose(self.facts, self.context), self._seen)
        for _ in range(_MAXIMUM_ROUNDS):
            before = len(self._seen)
            for line in self._frontier.lines():
                for kept in list(self._frontier.at.get(line, [])):
                    yield from self._further(kept, line)
            if len(self._seen) == before:
                return

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Trials to run because of what one did: none when it reached nothing new."""
        self._seen.add(trial_key(trial))
        new = observation.arcs - self._reached
        self._reached |= observation.arcs
        self._frontier.missing -= observation.arcs
        if observation.outcome not in ("returned", "raised"):
            return []
        opened = self._keep(trial, observation)
        if not new:
            return []
        lines = frozenset(opened) if opened else None
        found = mutate(trial, observation, self.facts, self.context, lines)
        return list(fresh(found, self._seen))[:_MAXIMUM_FOLLOW_UP]

    def _keep(self, trial: Trial, observation: Observation) -> list[int]:
        """Remember the trial at each line it reached that has a way not taken; those lines."""
        open_lines = {start for start, _ in self._frontier.missing}
        reached = sorted({start for start, _ in observation.arcs} & open_lines)
        for line in reached:
            kept = self._frontier.at.setdefault(line, [])
            if len(kept) < _MAXIMUM_KEPT:
                kept.append(_Kept(trial, observation))
        return reached

    def _further(self, kept: _Kept, line: int) -> Iterator[Trial]:
        """The next few mutations of a kept trial that were not tried."""
        found = mutate(kept.trial, kept.observation, self.facts, self.context, frozenset({line}))
        piece = found[kept.tried : kept.tried + _MAXIMUM_NEAR]
        kept.tried += len(piece)
        for trial in fresh(piece, self._seen):
            if not any(start == line for start, _ in self._frontier.missing):
                return
            yield trial


def fresh_only(trials: Iterator[Trial], seen: set[tuple[str, ...]]) -> Iterator[Trial]:
    """The trials not seen before, marked as seen as they are drawn."""
    for trial in trials:
        yield from fresh([trial], seen)


def _branch_arcs(root: Path, facts: ModuleFacts) -> frozenset[Arc]:
    """What branch coverage counts; empty when the file has changed so that it does not parse."""
    try:
        return branch_arcs((root / facts.path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return frozenset()
