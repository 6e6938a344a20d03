"""The changes that Schemathesis made before an answer: what has to be sent again for the answer to come again.

What an answer told that nobody had sent (an id) is another one on a fresh state. Where a later request has it, the
request that it came from saves it, and the later one names it: `{{made_1}}`.
"""

import json
from typing import Any

CHANGING = ("POST", "PUT", "PATCH", "DELETE")
NEAREST = 20
"""As many changes of the same thing are sent again, the last ones."""
WIDEST = 40
"""As many changes of anything are, where those of the same thing are not enough."""
TELLING_LETTERS = 8
"""A shorter text in a body or a query is hardly an id: others are equal to it by chance."""
_PARTS = ("path_parameters", "query", "body")


class Change:
    """A request that may have changed something.

    Attributes:
        told: what the answer told that the request does not have, with its place.
        scenario: the scenario it was sent in.
    """

    def __init__(self, request, answer, scenario):
        self.request, self.scenario = request, scenario
        sent = {_key(value) for _, value in leaves([request.get(part) for part in _PARTS])}
        self.told: Any = {}
        for place, value in leaves(answer):
            if _key(value) not in sent:
                self.told.setdefault(_key(value), place)


class History:
    """The changes so far, in order."""

    def __init__(self):
        self.changes: Any = []
        self._makers: Any = {}

    def add(self, change):
        """Add what was changed last."""
        self.changes.append(change)
        for value in change.told:
            self._makers.setdefault(value, len(self.changes) - 1)

    def stories(self, request, scenario):
        """What may have to be sent before a request, the shorter first: [{"before": [...], "request"}].

        The first has the changes of what the request names, and those of its scenario; the second the last ones of
        any kind as well.
        """
        near = self._related(request) | {at for at, one in enumerate(self.changes) if one.scenario == scenario}
        near = self._with_makers(sorted(near)[-NEAREST:], request)
        wide = self._with_makers(
            sorted({*near, *range(max(0, len(self.changes) - WIDEST), len(self.changes))}), request
        )
        chosen = [near, wide] if len(wide) > len(near) else [near]
        return [self._story(each, request) for each in chosen if each]

    def _links(self, request):
        """The values of a request that an earlier answer told."""
        return {value for value in _ids(request) if value in self._makers}

    def _related(self, request):
        """Numbers of the changes that made what a request names, or that name it as well."""
        wanted = self._links(request)
        return {at for at, one in enumerate(self.changes) if wanted & {*self._links(one.request), *one.told}}

    def _with_makers(self, chosen, request):
        """The numbers, with those of the changes that made what they and a request name."""
        found, left = set(chosen), [request, *(self.changes[at].request for at in chosen)]
        while left:
            makers = {self._makers[value] for value in self._links(left.pop())} - found
            found |= makers
            left += [self.changes[at].request for at in makers]
        return sorted(found)

    def _story(self, chosen, request):
        wanted = {
            value for one in (request, *(self.changes[at].request for at in chosen)) for value in self._links(one)
        }
        names = {value: "made_{}".format(number) for number, value in enumerate(sorted(wanted), 1)}
        before = []
        for at in chosen:
            saved = {
                names[value]: place
                for value, place in self.changes[at].told.items()
                if value in names and self._makers[value] == at
            }
            step = _named(self.changes[at].request, names)
            before.append({**step, "save": saved} if saved else step)
        return {"before": before, "request": _named(request, names)}


def leaves(value, place=""):
    """The texts and whole numbers in a value, each with its JSON Pointer."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves(entry, "{}/{}".format(place, str(key).replace("~", "~0").replace("/", "~1")))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from leaves(entry, "{}/{}".format(place, number))
    elif value and isinstance(value, (str, int)) and not isinstance(value, bool):
        yield place, value


def _ids(request):
    """The values in a request that may be ids of something."""
    for _, value in leaves(request.get("path_parameters")):
        yield _key(value)
    for part in ("query", "body"):
        for place, value in leaves(request.get(part)):
            named = place.rpartition("/")[2].lower().endswith("id")
            if named if isinstance(value, int) else len(value) >= TELLING_LETTERS:
                yield _key(value)


def _key(value):
    """A value as texts and numbers in paths and bodies are compared."""
    return str(value)


def _named(request, names):
    """A request with the names of saved values in the place of these."""
    made = json.loads(json.dumps(request))
    for part in _PARTS:
        if part in made:
            made[part] = _replaced(made[part], names, {*_ids({part: made[part]})})
    return made


def _replaced(value, names, ids):
    if isinstance(value, dict):
        return {key: _replaced(entry, names, ids) for key, entry in value.items()}
    if isinstance(value, list):
        return [_replaced(entry, names, ids) for entry in value]
    is_id = isinstance(value, (str, int)) and not isinstance(value, bool) and _key(value) in ids
    return "{{" + names[_key(value)] + "}}" if is_id and _key(value) in names else value
