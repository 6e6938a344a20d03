"""Finds what becomes of an update whose body has the id of another thing than its path."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from ...model.json_values import HEADERS
from ...model.model import Json, Proposal
from ...values.negative_requests import replace_value, value_at
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import Others, producers_with_another
from ..execute import all_worked
from ..propose_updates import UPDATES
from ..propose_values import make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel, fields_of, merge_setups

_MADE_UP = "a_made_up_name"
_REFUSED = (400, 403, 409, 422)


async def other_id_proposals(
    finder: BaselineFinder, world: ResourceModel, second: Others, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return updates that are refused because their body has another's id, in the place where answers have it.

    Those that are taken are left out where the document knows no such property: it is passed over like any other.

    Args:
        second: second requests by the name of their operation.
        most: how many updates are tried.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    updates = (one for one in world.baselines.values() if is_wanted(one.operation, wanted))
    asked = ((baseline, *one) for baseline in updates for one in _with_another_id(world, baseline, second))
    for baseline, name, request, strange, setup in islice(asked, most):
        answers = await finder.send((*setup, request))
        reached = len(answers) == len(setup) + 1 and all_worked(answers[:-1], setup)
        declared = (
            name in world.samples.properties(baseline.operation.body.schema) if baseline.operation.body else False
        )
        if not reached or not (answers[-1].status in _REFUSED or (answers[-1].ok and declared)):
            continue
        # What is refused without the id as well is refused for something else, such as an address that is taken; and
        # where no property is taken that nobody knows, it is not looked at whose id it is.
        control = (*setup, baseline.request)
        if not declared and (await finder.send((*setup, strange)))[-1].status == answers[-1].status:
            continue
        if all_worked(await finder.send(control), control):
            marks: Json = {"setup": setup, "priority": "high"}
            words = f"with the {name} of another in its body"
            found.append(make_proposal(baseline, f"with_the_{name}_of_another", words, "state", request, **marks))
    return found


def _with_another_id(
    world: ResourceModel, baseline: BaselineRequest, second: Others
) -> Iterator[tuple[str, Json, Json, tuple[Json, ...]]]:
    """Yield the name of the id, an update with that of another thing, one with a property that nobody knows in its
    place, and the setup that makes both things.
    """
    operation, content = baseline.operation, fields_of(baseline.request)
    if operation.method not in UPDATES or operation.body is None or content is None:
        return
    last = operation.path_parameters[-1:]
    for producer, other, names in producers_with_another(world, operation, second):
        if producer is not world.producer_of(operation, last[0]) or not operation.path.endswith("}"):
            continue
        for variable, pointer in list(producer.saves.items())[:1]:
            place = tuple(pointer.split("/")[1:])
            # What has no such place in the body has its fields elsewhere.
            if pointer.startswith(HEADERS) or not isinstance(value_at(content, place[:-1]), dict):
                continue
            changed = replace_value(content, place, f"{{{{{names[variable]}}}}}")
            strange = replace_value(content, (*place[:-1], _MADE_UP), "made up")
            setup = tuple(merge_setups(baseline.setup, [other.saving]))
            yield place[-1], with_body(baseline.request, changed), with_body(baseline.request, strange), setup
