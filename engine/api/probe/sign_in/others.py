"""Finds what a signed-up user may do with what another one created, though it is refused to anonymous requests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...document.auth import auth_names
from ...document.base_path import without_names
from ...model.json_values import leaves, lists
from ...model.model import UNSAFE, Json, ObservedProposal, Operation
from ...values.paging import cuts
from ..execute import saved_values
from ..judge import ContractViolation
from ..resource_model import parse_json
from .users import OTHER, USER

_SEVERAL = 2
"""How many things a list may show a part of."""
_MOST_LABELS = 5
SHARED_FLAG = "shared_flag"
"""The group of proposals that show another user's act on a flag which the owner reads; see `shared_flags`."""


def refused_to_anonymous(found: Sequence[ObservedProposal]) -> frozenset[str]:
    """Return the names of operations that refuse requests without credentials."""
    return frozenset(
        seen.proposal.operation.name
        for seen in found
        if seen.proposal.category == "authentication" and seen.answer.keeps_out
    )


def shown_to_others(found: Iterable[ObservedProposal]) -> frozenset[str]:
    """Return the paths of a user's things, and of lists below them, that are there for others to read.

    Somebody who has not signed in reads them or may do so, or another user reads what was added below them. That
    another user reads the thing itself shows as well that nobody looks whose it is.
    """
    return frozenset(without_names(seen.proposal.operation.path) for seen in found if _reads_anothers(seen))


def _reads_anothers(seen: ObservedProposal) -> bool:
    proposal = seen.proposal
    reads = proposal.request["method"] == "GET" and "{" in proposal.operation.path
    single = proposal.operation.path.rstrip("/").endswith("}")
    owned = any(step["method"] in UNSAFE and auth_names(step) == (USER,) for step in proposal.setup)
    read = seen.steady and seen.complete and seen.answer.ok
    listed = not single and any(lists(parse_json(seen.answer), frozenset()))
    asked = auth_names(proposal.request)
    everybody = asked == () or () in proposal.operation.security
    return reads and owned and read and ((everybody and single) or (listed and asked in ((), (OTHER,))))


def marks_of(found: Iterable[ObservedProposal]) -> frozenset[str]:
    """Return the paths at which each user sets a mark of their own and takes it away: `PUT …/star` has no body.

    What changes a flag of the thing for its owner, such as `PUT …/publish`, is no mark.
    """
    seen = list(found)
    shared = (one.proposal.setup[-1]["path"] for one in seen if one.proposal.group == SHARED_FLAG and one.answer.ok)
    return mark_paths(one.proposal.operation for one in seen) - {without_names(path) for path in shared}


def mark_paths(operations: Iterable[Operation]) -> frozenset[str]:
    """Return the paths, without names, of what looks like a mark: set and taken away without a body."""
    methods: dict[str, set[str]] = {}
    for operation in operations:
        if operation.body is None:
            methods.setdefault(without_names(operation.path), set()).add(operation.method)
    set_and_taken = (path for path, known in methods.items() if "DELETE" in known and {"POST", "PUT"} & known)
    return frozenset(path for path in set_and_taken if path[-1:] != "}")


def changed_by_another(
    seen: ObservedProposal, guarded: Collection[str], shown: Collection[str] = (), marks: Collection[str] = ()
) -> ContractViolation | None:
    """Return the violation where another user changes or deletes what its owner created; None for all else.

    What is added below a thing that others may read, such as a comment, belongs to who adds it, and so does a mark.

    Args:
        guarded: see `refused_to_anonymous`.
        shown: see `shown_to_others`.
        marks: see `marks_of`.
    """
    operation = seen.proposal.operation
    if not _reaches(seen, guarded) or seen.proposal.request["method"] not in UNSAFE:
        return None
    path = without_names(operation.path)
    if (operation.method == "POST" or path in marks) and (_is_shown(path, shown) or _names_shown(seen, shown)):
        return None
    return ContractViolation(
        seen,
        "other_user",
        "",
        f"{operation.label} lets another user change what is not theirs",
        "what a user created is changed by that user",
        f"{seen.answer.status} to another user",
    )


def _names_shown(seen: ObservedProposal, shown: Collection[str]) -> bool:
    """Whether something new is made that names only things which others read: an item of a store that all see."""
    named = [without_names(step["path"]).rstrip("/") for step in seen.proposal.setup if step.get("save")]
    alone = "{" not in seen.proposal.operation.path
    return alone and bool(named) and all(any(one.startswith(f"{place}/{{") for one in shown) for place in named)


def _is_shown(path: str, shown: Collection[str]) -> bool:
    """Whether a part is added to a list that others read, or below a thing that they do."""
    own = path in shown and not path.endswith("}")
    return own or any(path.startswith(f"{one}/") for one in shown if one.endswith("}"))


def read_by_others(found: Sequence[ObservedProposal]) -> list[str]:
    """Return a question for each operation that shows a user what another one created: sharing may be intended."""
    guarded = refused_to_anonymous(found)
    labels = dict.fromkeys(
        seen.proposal.operation.label
        for seen in found
        if _reaches(seen, guarded) and seen.proposal.request["method"] not in UNSAFE and not hides_from_others(seen)
    )
    return [f"{label} shows another user what is not theirs; is it meant to be shared?" for label in labels]


def taken_by_others(found: Sequence[ObservedProposal]) -> list[str]:
    """Return a question for each mark that another user takes away without an error after its owner has set it."""
    guarded, marks = refused_to_anonymous(found), marks_of(found)
    labels = dict.fromkeys(
        seen.proposal.operation.label
        for seen in found
        if seen.proposal.request["method"] == "DELETE"
        and _reaches(seen, guarded)
        and without_names(seen.proposal.operation.path) in marks
        and any(_sets_mark(step, seen.proposal.request) for step in seen.proposal.setup)
    )
    return [f"{label} is answered to another user than the one who set it; has each a mark there?" for label in labels]


def _sets_mark(step: Json, request: Json) -> bool:
    same = (step["path"], step.get("path_parameters")) == (request["path"], request.get("path_parameters"))
    return same and step["method"] in ("POST", "PUT") and auth_names(step) == (USER,)


def changed_by_the_first(found: Sequence[ObservedProposal]) -> list[str]:
    """Return a question where a user changes what another one created, which that one may not do with theirs."""
    labels = list(dict.fromkeys(seen.proposal.operation.label for seen in found if _changes_anothers(seen)))
    if not labels:
        return []
    which = f"{', '.join(labels[:_MOST_LABELS])}{' and more' * (len(labels) > _MOST_LABELS)}"
    return [f"The first user changes what another user created, by {which}; is the first one meant to be allowed to?"]


def _changes_anothers(seen: ObservedProposal) -> bool:
    proposal = seen.proposal
    makers = {auth_names(step) for step in proposal.setup if step["method"] in UNSAFE}
    asked = proposal.category == "state" and auth_names(proposal.request) == (USER,)
    changes = proposal.request["method"] in UNSAFE and "{" in proposal.operation.path
    return asked and changes and (OTHER,) in makers and (USER,) not in makers and seen.steady and seen.answer.ok


def _reaches(seen: ObservedProposal, guarded: Collection[str]) -> bool:
    """Whether another user succeeds with what the owner created before."""
    proposal = seen.proposal
    owned = any(step["method"] in UNSAFE and auth_names(step) == (USER,) for step in proposal.setup)
    asked = proposal.category in ("authorization", "state") and auth_names(proposal.request) == (OTHER,)
    # Where everybody is answered, nothing is private.
    private = proposal.operation.name in guarded
    answered = seen.steady and seen.complete and 200 <= seen.answer.status < 300
    return owned and asked and private and answered and ("{" in proposal.operation.path or _shows_it(seen))


def hides_from_others(seen: ObservedProposal) -> bool:
    """Whether a list that another user reads lacks what its owner has put there before, told by saved ids.

    One of two things that is shown alone is chosen. Where nothing was put into the list itself, or a page cuts it,
    it has to show none of what was stored.
    """
    proposal = seen.proposal
    asked = auth_names(proposal.request) == (OTHER,) and not proposal.operation.path.endswith("}")
    place = proposal.request["path"].rstrip("/")
    stored = [step for step in proposal.setup if step.get("save")]
    if not asked or not stored or proposal.request["method"] != "GET" or not seen.answer.ok:
        return False
    listed = [step for step in stored if step["path"].rstrip("/") == place]
    # Below something of the owner's it is a list where something was put into it.
    if "{" in place and not listed:
        return False
    if len(listed) < _SEVERAL or any(map(cuts, proposal.request.get("query") or ())):
        return not _shows_it(seen)
    shown = _shown_ids(seen)
    return any(not (ids & shown) for ids in _saved_ids(seen, listed))


def _shows_it(seen: ObservedProposal) -> bool:
    """Whether a list holds something under an id that the setup has saved."""
    shown = _shown_ids(seen)
    return any(ids & shown for ids in _saved_ids(seen, seen.proposal.setup))


def _shown_ids(seen: ObservedProposal) -> set[tuple[str, Any]]:
    """Return the names and values of the scalars in an answer."""
    return {(pointer.rpartition("/")[2], leaf) for pointer, leaf in leaves(parse_json(seen.answer)) if _may_be_id(leaf)}


def _saved_ids(seen: ObservedProposal, steps: Iterable[Json]) -> Iterator[set[tuple[str, Any]]]:
    """Yield, for each of some steps of the setup, the names and values of what it has saved."""
    saved = saved_values(seen.proposal.setup, seen.answers)
    for step in steps:
        pointers: Mapping[str, str] = step.get("save") or {}
        known = {name: pointer for name, pointer in pointers.items() if _may_be_id(saved.get(name))}
        yield {(pointer.rpartition("/")[2], saved[name]) for name, pointer in known.items()}


def _may_be_id(value: Any) -> bool:
    return isinstance(value, str | int)
