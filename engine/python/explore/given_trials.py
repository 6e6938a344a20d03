"""Observes trials that somebody else proposes: each as it is, without a search, confirmed in other processes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ....sandbox.target import PythonTarget
from ....utils.untrusted_files import decoded_source, read_source_bytes
from ..model.arcs import ArcMap
from ..model.model import ModuleFacts, Trial, TrialFinding
from ..search.observer import EXPLORING, open_observer
from .confirm import confirm

_ENDED = frozenset({"returned", "raised"})


async def observe_given(target: PythonTarget, facts: ModuleFacts, trials: Sequence[Trial]) -> list[TrialFinding | None]:
    """Observes trials; None for one that did not end, or whose outcome is not the same each time.

    Raises:
        TargetImportError: the module does not import.
        SandboxFailure: the sandbox breaks.
    """
    if not trials:
        return []
    content = await asyncio.to_thread(read_source_bytes, target.snapshot.path, facts.path)
    arcs = ArcMap(decoded_source(content))
    async with open_observer(target, facts, EXPLORING) as observer:
        seen = await observer.watch(trials)
    ended = [at for at, one in enumerate(seen) if one.observation.outcome in _ENDED]
    confirmed = await confirm(target, facts, [(trials[at], seen[at]) for at in ended])
    found: list[TrialFinding | None] = [None] * len(trials)
    for at, one in zip(ended, confirmed, strict=True):
        if one.seen is not None:
            own = arcs.real(one.seen.observation.arcs)
            covered = own | arcs.real(one.seen.setup)
            verdict = one.verdict
            found[at] = TrialFinding(
                trials[at],
                one.seen.observation,
                own,
                covered,
                one.unstable,
                agrees=verdict.agrees,
                contradicts=verdict.contradicts,
            )
    return found
