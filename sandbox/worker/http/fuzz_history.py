"""The changes that Schemathesis made before an answer: what has to be sent again for the answer to come again.

What an answer told that nobody had sent (an id) is another one on a fresh state. Where a later request has it, the
request that it came from saves it, and the later one names it: `{{made_1}}`.
"""

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
        links: the values of the request that earlier answers told.
        told: what the answer told that the request does not have, with its place.
        scenario: the scenario it was sent in.
    """

    def __init__(self, request, links, answer, scenario):
        self.request, self.links, self.scenario = request, links, scenario
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

    def add(self, request, answer, scenario):
        """Add what was changed last."""
        # A value that only later answers tell is none of theirs: it was sent before there was such a thing.
        change = Change(request, self._links(request), answer, scenario)
        self.changes.append(change)
        for value in change.told:
            self._makers.setdefault(value, len(self.changes) - 1)

    def stories(self, request, scenario):
        """What may have to be sent before a request, the shorter first: [{"before": [...], "request"}].

        The first has the changes of what the request names, and those of its scenario; the second the last ones of
        any kind as well.
        """
        links = self._links(request)
        near = self._related(links) | {at for at, one in enumerate(self.changes) if one.scenario == scenario}
        near = self._with_makers(sorted(near)[-NEAREST:], links)
        wide = self._with_makers({*near, *range(max(0, len(self.changes) - WIDEST), len(self.changes))}, links)
        chosen = [near, wide] if len(wide) > len(near) else [near]
        return [self._story(each, request, links) for each in chosen if each]

    def _links(self, request):
        """The values of a request that an earlier answer told."""
        return {value for value in _ids(request) if value in self._makers}

    def _related(self, wanted):
        """Numbers of the changes that made what a request names, or that name it as well."""
        return {at for at, one in enumerate(self.changes) if wanted & one.links or wanted & one.told.keys()}

    def _with_makers(self, chosen, links):
        """The numbers, with those of the changes that made what they and a request name."""
        found, left = set(chosen), [links, *(self.changes[at].links for at in chosen)]
        while left:
            makers = {self._makers[value] for value in left.pop()} - found
            found |= makers
            left += [self.changes[at].links for at in makers]
        return sorted(found)

    def _story(self, chosen, request, links):
        wanted = links.union(*(self.changes[at].links for at in chosen))
        names = {value: "made_{}".format(number) for number, value in enumerate(sorted(wanted), 1)}
        before = []
        for at in chosen:
            change = self.changes[at]
            saved = {
                names[value]: place
                for value, place in change.told.items()
                if value in names and self._makers[value] == at
            }
            step = _named(change.request, change.links, names)
            before.append({**step, "save": saved} if saved else step)
        return {"before": before, "request": _named(request, links, names)}


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


def _named(request, links, names):
    """A request with the names of saved values in the place of those that earlier answers told."""
    made = dict(request)
    for part in _PARTS:
        if part in request:
            ids = links.intersection(_ids({part: request[part]}))
            made[part] = _replaced(request[part], {value: names[value] for value in ids})
    return made


def _replaced(value, names):
    if isinstance(value, dict):
        return {key: _replaced(entry, names) for key, entry in value.items()}
    if isinstance(value, list):
        return [_replaced(entry, names) for entry in value]
    named = isinstance(value, (str, int)) and not isinstance(value, bool) and _key(value) in names
    return "{{" + names[_key(value)] + "}}" if named else value
