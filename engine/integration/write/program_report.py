"""What an entry's programs add to its spec: cases, services they need, suspected defects, what got no case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...python.model.model import ModuleFacts
from ..model.arcs import WideArcs
from ..model.model import IntegrationTarget
from ..model.spec_case import FlowCase
from ..programs.runs import ProgramFlows
from .compose import Told
from .program_cases import IMPORTS, ROW_IMPORTS, program_cases, program_services


def told_by_programs(
    programs: Sequence[ProgramFlows], arcs: WideArcs, target: IntegrationTarget, facts: ModuleFacts, taken: set[str]
) -> Told:
    """What the spec takes over from the runs of programs.

    Args:
        facts: those of the entry.
        taken: ids of cases that are used already.
    """
    cases: list[FlowCase] = []
    services: dict[str, dict[str, Any]] = {}
    imports: set[str] = set()
    lost: list[dict[str, Any]] = []
    for flows in programs:
        own = program_cases(flows, arcs, target, _lines(flows, facts), taken)
        cases += own
        services.update({str(one["name"]): one for one in program_services(flows, own)})
        imports |= {*IMPORTS} if own else set()
        lost += [
            {"subject": f"{flows.program.name} {words}".strip(), "reason": reason}
            for words, reason in sorted(flows.lost.items())
        ]
    if "rows_of" in services:
        imports |= {*ROW_IMPORTS}
    return Told(
        cases=tuple(cases),
        services=tuple(services.values()),
        imports=tuple(sorted(imports)),
        edges=frozenset(edge for flows in programs for one in flows.kept for edge in arcs.edges(one.arcs)),
        defects=tuple(one for flows in programs for one in flows.defects),
        not_reached=tuple(lost),
    )


def _lines(flows: ProgramFlows, facts: ModuleFacts) -> tuple[int, int]:
    """Lines of the function that the program begins with, or of the whole file."""
    start = flows.program.start[1]
    for one in facts.functions:
        if one.name == "main" or f"import {one.name};" in start:
            return one.lines
    return (1, max(facts.line_count, 1))
