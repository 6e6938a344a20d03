"""Finds in the project what the words of a request name, and accounts for every one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....engine.browser.sites import static_folder
from ....utils.names.counted import counted
from ...contract.protocol import JsonObject
from .api_plan import is_address
from .endpoints import is_endpoint, names_endpoints
from .named_programs import programs_left_out
from .request.lexicon import LOAD_FRAMEWORKS
from .request.parsed_request import Clause, Mention, ParsedRequest
from .target_index import ModuleTarget, TargetIndex, TargetMatch

_DOCUMENT = re.compile(r"\.(?:json|ya?ml)$", re.IGNORECASE)
SEVERAL = "several classes have a method of that name; say which class"
_MOST_METHODS = 5
NOT_FOUND = "it names no file, folder, package, module or symbol of the project"


@dataclass(slots=True)
class Reading:
    """The interpretation of one request.

    Attributes:
        targets: targets that its parts name, by index of the part.
        documents: API documents that they name, by index of the part.
        endpoints: endpoints of an API that they name, by index of the part.
        named: paths of the modules that are named as a file or by a symbol, and not by a folder, in the order said.
        excluded: what is left out, from the request and from options.
        stopping: those of `not_understood` without which something else than asked for would be done.
        groups: whether a mention of a package or folder names several modules.
        limited: targets were found and limited to changed code, so that an empty plan is not an error.
        tested: targets were found that have tests already; where nothing else is left, there is nothing to do.
        advice: what to do where nothing can be planned.
    """

    targets: dict[int, list[ModuleTarget]] = field(default_factory=dict)
    documents: dict[int, list[str]] = field(default_factory=dict)
    endpoints: dict[int, list[str]] = field(default_factory=dict)
    named: list[str] = field(default_factory=list)
    excluded: list[ModuleTarget] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    not_understood: list[JsonObject] = field(default_factory=list)
    stopping: list[str] = field(default_factory=list)
    skipped: list[JsonObject] = field(default_factory=list)
    groups: bool = True
    limited: bool = False
    tested: bool = False
    advice: str = ""

    def unclear(self, text: str, reason: str, suggestions: Sequence[str] = (), *, stops: bool = False) -> None:
        """Note a part of the request that was not understood, once.

        Args:
            stops: going on without it would do something else than what is asked for.
        """
        row = {"text": text, "reason": reason, "suggestions": list(suggestions)}
        if row not in self.not_understood:
            self.not_understood.append(row)
        if stops:
            self.stopping.append(text)


def is_document(text: str) -> bool:
    """Whether a word names an API description: an address, or a JSON or YAML file."""
    return is_address(text) or _DOCUMENT.search(text) is not None


def is_site(text: str, index: TargetIndex) -> bool:
    """Whether a word names a site: an address, or a folder of pages."""
    return is_address(text) or static_folder(index.layout.root, text) is not None


def resolve(clauses: Sequence[Clause], words: ParsedRequest, index: TargetIndex, reading: Reading) -> None:
    """Resolve every mention to targets, documents or exclusions, and note what was not understood."""
    outside = [mention for mention in words.mentions if mention.excluded]
    programs = programs_left_out(outside, index)
    beside = _beside(words.mentions, index)
    gone = {
        mention: _found(mention, index, reading, programs.get(mention), stops=True, beside=beside)
        for mention in outside
    }
    owners = {mention.within for mention in outside}
    reading.excluded += _inside(outside, gone, [target for found in gone.values() for target in found])
    reading.left_out += [mention.text for mention, found in gone.items() if found and mention.text not in owners]
    known: dict[Mention, list[ModuleTarget]] = {}
    for at, clause in enumerate(clauses):
        targets = reading.targets.setdefault(at, [])
        documents = reading.documents.setdefault(at, [])
        endpoints = reading.endpoints.setdefault(at, [])
        for mentions in (clause.mentions, clause.otherwise):
            if targets or documents or endpoints:
                break
            for mention in sorted(mentions, key=lambda mention: mention.weak):
                if mention.weak and (targets or documents or not index.find(mention.text, explicit=False).targets):
                    continue
                if clause.test_type == "e2e" and is_site(mention.text, index):
                    documents.append(mention.text)
                    continue
                if _asks_api(clause) and is_document(mention.text):
                    documents.append(mention.text)
                    continue
                if _asks_api(clause) and _is_endpoint(mention, index):
                    endpoints.append(mention.text)
                    reading.understood.append(f"{mention.text}: endpoints of the API")
                    continue
                if mention not in known:
                    stops = words.whole or bool(mention.within)
                    known[mention] = _found(mention, index, reading, stops=stops, beside=beside)
                targets += known[mention]
                if len(known[mention]) == 1 or all(target.symbols for target in known[mention]):
                    reading.named += [target.place.path for target in known[mention]]
            targets[:] = _inside(mentions, known, targets)
    reading.groups = all(len(found) > 1 for found in known.values() if found)
    somewhere = any(reading.documents.values()) or any(reading.endpoints.values())
    if not any(known.values()) and not somewhere and (words.whole or not known):
        reading.understood.append(f"the whole project: {counted(len(index.modules), 'module')}")


def _asks_api(clause: Clause) -> bool:
    """Whether the tests of a clause send requests to an API."""
    return clause.test_type == "api" or clause.framework in LOAD_FRAMEWORKS


def _is_endpoint(mention: Mention, index: TargetIndex) -> bool:
    """Whether a mention names endpoints: what names code of the project means that code."""
    if is_endpoint(mention.text):
        return True
    return not index.find(mention.text, explicit=mention.explicit).targets and names_endpoints(
        mention.text, index.layout
    )


def _inside(
    mentions: Sequence[Mention], known: dict[Mention, list[ModuleTarget]], targets: list[ModuleTarget]
) -> list[ModuleTarget]:
    """Leave out a package or module that only says where a target lies: "`total` in pricing" is `total` alone."""
    around: list[ModuleTarget] = []
    inner: list[ModuleTarget] = []
    for mention in mentions:
        outer = [other for other in mentions if other.text == mention.within]
        places = {target.place.path for other in outer for target in known.get(other, ())}
        here = [target for target in known.get(mention, ()) if target.place.path in places and not mention.beside]
        if here and outer:
            inner += here
            around += [target for other in outer for target in known.get(other, ())]
            elsewhere = [target for target in known.get(mention, ()) if target not in here]
            around += elsewhere
        elif outer and known.get(mention) and not (mention.beside or mention.weak):
            # Defined elsewhere and imported there: that place says where it is used, and is not asked for as a whole.
            around += [target for other in outer for target in known.get(other, ())]
    return [target for target in targets if target not in around or target in inner]


def _beside(mentions: Sequence[Mention], index: TargetIndex) -> tuple[ModuleTarget, ...]:
    """What the mentions name that are to be tested: a method by its bare name lies in it, where several have one."""
    wanted = [mention for mention in mentions if not mention.excluded and not mention.weak]
    return tuple(target for one in wanted for target in index.find(one.text, explicit=one.explicit).targets)


def _found(
    mention: Mention,
    index: TargetIndex,
    reading: Reading,
    found: TargetMatch | None = None,
    *,
    stops: bool = False,
    beside: Sequence[ModuleTarget] = (),
) -> list[ModuleTarget]:
    """Return the targets that a mention names, and note whether it was understood.

    Args:
        found: what it names, where that is known already.
        beside: see `_match`.
    """
    found = found or _match(mention, index, beside)
    if not found.targets:
        several = (
            [] if found.why_not else [spelled(target) for target in index.methods(mention.text.removesuffix("()"))]
        )
        reason = SEVERAL if len(several) > 1 else found.why_not or NOT_FOUND
        hints = several[:_MOST_METHODS] if len(several) > 1 else index.suggestions(mention.text)
        reading.unclear(mention.text, reason, hints, stops=stops)
        return []
    targets = _as_symbols(mention, list(found.targets), index)
    if mention.excluded and mention.within:
        places = {target.place.path for target in index.find(mention.within, explicit=True).targets}
        targets = [target for target in targets if target.place.path in places] or targets
    names = ", ".join(dict.fromkeys(spelled(target) for target in targets[:3]))
    more = f" and {len(targets) - 3} more" if len(targets) > 3 else ""
    reading.understood.append(f"{mention.text}: {'not ' if mention.excluded else ''}{names}{more}")
    return targets


def _as_symbols(mention: Mention, targets: list[ModuleTarget], index: TargetIndex) -> list[ModuleTarget]:
    """Take a module for its function of that name where words say so: "the slugify function", "slugify in slugify.py".

    A module lies in a package, never in itself: what is said to lie in the module alone is something in it.
    """
    within = (
        {target.place.path for target in index.find(mention.within, explicit=True).targets} if mention.within else ()
    )
    if not mention.is_symbol and within != {target.place.path for target in targets}:
        return targets
    name = mention.text.removesuffix("()").rpartition(".")[2]
    narrowed = [
        ModuleTarget(target.place, (name,))
        for target in targets
        if target.symbols is None and name in index.symbols_of(target.place.module)
    ]
    return narrowed or targets


def left_out_names(mentions: Sequence[Mention], index: TargetIndex) -> list[str]:
    """Return what a request leaves out, as the option `exclude` takes it; what is not found is not among it."""
    outside = [mention for mention in mentions if mention.excluded]
    owners = {mention.within for mention in outside}
    programs = programs_left_out(outside, index)
    beside = _beside(mentions, index)
    names: list[str] = []
    for mention in outside:
        if mention.text in owners:
            continue
        found = programs.get(mention) or _match(mention, index, beside)
        as_written = bool(found.targets) and found == index.find(mention.text, explicit=mention.explicit)
        names += [mention.text] if as_written else [spelled(target) for target in found.targets]
    return names


def _match(mention: Mention, index: TargetIndex, beside: Sequence[ModuleTarget] = ()) -> TargetMatch:
    """What a mention names; a method by its bare name where no other method has it, there or in the whole project.

    Args:
        beside: what the request names besides: "Signer and its unsign method", "Signer except sign".
    """
    found = index.find(mention.text, explicit=mention.explicit)
    before, _, last = mention.text.removesuffix("()").rpartition(".")
    within = mention.within or before
    around = index.find(within, explicit=True).targets if within else ()
    places = {target.place.path for target in around}
    if found.why_not or "/" in mention.text or last == "py":
        return found  # a path is no method's name, and to look for one every file of the project is read
    methods = [
        method for method in index.methods(last) if not within or any(_contains(target, method) for target in around)
    ]
    near = [method for method in methods if any(_contains(target, method) for target in beside)]
    if mention.excluded and not within and len(near) == 1 and not _meets(found.targets, beside):
        return TargetMatch(tuple(near))
    if any(target.place.path in places or not around for target in found.targets):
        return found
    for candidates in (methods, near):
        if len(candidates) == 1:
            return TargetMatch(tuple(candidates))
    return found


def _meets(targets: Sequence[ModuleTarget], others: Sequence[ModuleTarget]) -> bool:
    """Whether some of the targets have code in common."""
    return any(
        one.place == other.place
        and (
            one.symbols is None
            or other.symbols is None
            or any(_is_part(a, b) or _is_part(b, a) for a in one.symbols for b in other.symbols)
        )
        for one in targets
        for other in others
    )


def _is_part(name: str, of: str) -> bool:
    return name == of or name.startswith(f"{of}.")


def _contains(outer: ModuleTarget, method: ModuleTarget) -> bool:
    """Whether a method lies in a target: its module, or its class where the target is one."""
    owners = [name.rpartition(".")[0] for name in method.symbols or ()]
    return outer.place == method.place and (outer.symbols is None or any(name in outer.symbols for name in owners))


def by_options(
    include: Sequence[str], exclude: Sequence[str], index: TargetIndex, reading: Reading
) -> tuple[ModuleTarget, ...] | None:
    """Find what `include` and `exclude` name, by names and patterns; returns what is included, None for everything."""
    for name in exclude:
        found = index.find(name, explicit=True)
        reading.excluded += found.targets
        reading.left_out += [name] if found.targets else []
        _note_missing("exclude", name, found.why_not, bool(found.targets), index, reading)
    included: list[ModuleTarget] = []
    for name in include:
        found = index.find(name, explicit=True)
        included += found.targets
        _note_missing("include", name, found.why_not, bool(found.targets), index, reading)
    return tuple(included) if include else None


def _note_missing(option: str, name: str, why: str, found: bool, index: TargetIndex, reading: Reading) -> None:
    if found:
        return
    if re.search(r"[*?]", name):
        # A pattern may be meant for what is still to come; a name is a name.
        reading.skipped.append({"target": name, "reason": f"`{option}`: no module matches the pattern"})
        return
    reading.unclear(name, f"`{option}`: {why or NOT_FOUND}", index.suggestions(name), stops=True)


def merged(
    targets: Sequence[ModuleTarget], excluded: Sequence[ModuleTarget], included: Sequence[ModuleTarget] | None = None
) -> tuple[ModuleTarget, ...]:
    """Merge targets to one a module, in order of paths, without modules that are excluded completely.

    Args:
        included: limits the targets to these; None for no limit.
    """
    whole_modules = {target.place.path for target in excluded if target.symbols is None}
    chosen: dict[str, ModuleTarget] = {}
    for target in targets:
        earlier = chosen.get(target.place.path)
        if earlier is not None and (earlier.symbols is None or target.symbols is None):
            target = ModuleTarget(target.place)
        elif earlier is not None:
            names = dict.fromkeys((*(earlier.symbols or ()), *(target.symbols or ())))
            target = ModuleTarget(target.place, tuple(names))
        chosen[target.place.path] = target
    limits = {target.place.path: target.symbols for target in merged(included, ())} if included is not None else {}
    kept: list[ModuleTarget] = []
    for path, target in sorted(chosen.items()):
        if path in whole_modules or (included is not None and path not in limits):
            continue
        limit = limits.get(path)
        if limit is not None:
            symbols = target.symbols if target.symbols is not None else limit
            target = ModuleTarget(target.place, tuple(name for name in symbols if name in limit))
        if target.symbols != ():
            kept.append(target)
    return tuple(kept)


def spelled(target: ModuleTarget) -> str:
    """Write a target as people do: its path, or its module with the symbols."""
    return target.place.path if target.symbols is None else f"{target.place.module}:{', '.join(target.symbols)}"
