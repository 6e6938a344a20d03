"""Names tests by what came of their requests where that could not be known before they were sent."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from http import HTTPStatus

from ..model.model import ObservedProposal, Proposal
from ..probe.lists.filled import BY_USERS, FILTERS, PAGES
from ..probe.lists.members import list_lengths
from ..probe.propose import PUT_UNKNOWN
from ..probe.propose_updates import BY_NEW
from ..values.paging import cuts
from .shown import is_empty_list
from .superseded_readings import is_after_update

FINDS_NOTHING, UNKNOWN, UNFIT = "finds_nothing", "unknown_filters", "unfit_queries"
"""The groups of filters that leave nothing of a list, that name nothing, and that are refused for something else."""
Names = Container[tuple[str, str]]
"""The operations and the names of the proposals that worked."""


def named_by_outcome(seen: ObservedProposal, working: Names) -> ObservedProposal:
    """Return an observation with the name and the group of what was observed.

    An update by an unknown id that makes the thing is a success. Filters that find nothing, or are refused, are no part
    of the table of those that find something, and filters by users are tests of their own. A page is named by what it
    shows, and what an update has given another id by its being gone from the old one.
    """
    proposal, answer = seen.proposal, seen.answer
    if proposal.group == PUT_UNKNOWN:
        return replace(seen, proposal=_of_unknown(proposal) if answer.ok else replace(proposal, group=""))
    if proposal.group == BY_USERS:
        # A row of a table cannot name a user.
        return replace(seen, proposal=replace(proposal, group=""))
    if proposal.group == FILTERS and not answer.ok:
        return replace(
            seen, proposal=replace(proposal, group=UNKNOWN if answer.status == HTTPStatus.NOT_FOUND else UNFIT)
        )
    if proposal.group == FILTERS and is_empty_list(seen):
        return replace(seen, proposal=replace(proposal, group=FINDS_NOTHING))
    if proposal.group == PAGES and answer.ok:
        return replace(seen, proposal=_of_page(seen))
    if is_after_update(proposal.name) and answer.status == HTTPStatus.NOT_FOUND and proposal.operation.path_parameters:
        word = proposal.operation.path_parameters[-1].name
        if (proposal.operation.name, f"{proposal.name}{BY_NEW}{word}".lower()) in working:
            named = replace(proposal, name=f"is_gone_from_its_old_{word}_{proposal.name}".lower())
            return replace(seen, proposal=replace(named, title=f"{proposal.title} is gone from its old {word}"[:300]))
    return seen


def _of_unknown(proposal: Proposal) -> Proposal:
    """Return the update by an unknown id that makes the thing."""
    title = f"{proposal.operation.label} makes what was not there"
    return replace(proposal, name="makes_what_was_not_there", title=title, category="success", group="")


def _of_page(seen: ObservedProposal) -> Proposal:
    """Return the reading of a page, named by how many members it shows, where that is one list."""
    proposal = seen.proposal
    given = {name: value for name, value in (proposal.request.get("query") or {}).items() if cuts(name)}
    lengths = list_lengths(seen.answer)
    shown = f"shows {lengths[0]} " if len(lengths) == 1 else ""
    words = f"{shown}with {' and '.join(f'{name} {value}' for name, value in given.items())}"
    name = re.sub(r"\W+", "_", words).strip("_").lower()
    return replace(proposal, name=name, title=f"{proposal.operation.label} {words}"[:300])
