"""Proposes flows: calls of an entry with real instances, files and a service of what it is integrated with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ....sandbox.javascript.syntax import text_of
from ....utils.names.article import with_article
from ..domain.shapes import Shape
from ..domain.types import TypeReader
from ..domain.value_pools import words
from ..domain.values import Values
from ..jsdoc import Example
from ..model import Class, Function, Module, Value
from ..observation_file import declared
from ..trials import Proposer, Trial, instance_name
from .seams import FILES, SERVICE, ScriptSeams, resolved
from .service_answers import Request, requests_of

_MOST = 220
_PATHS = re.compile(r"(?:path|file|filename)$", re.IGNORECASE)
_FOLDERS = re.compile(r"(?:folder|dir|directory)$", re.IGNORECASE)
_ADDRESSES = re.compile(r"(?:base_?url|^url$|endpoint|origin|api_?url|server_?url|service_?url)$", re.IGNORECASE)
_PLACES = re.compile(r"\.\w*(?:path|file|filename|folder|dir|directory|url|endpoint|origin)$", re.IGNORECASE)
_FILLS = re.compile(r"^(?:add|set|push|put|insert|append|enqueue|deposit|register|save|store)", re.IGNORECASE)
_MADE = re.compile(r"new ([A-Z]\w*)\(")
_OUT_OF_ORDER = "[500, { error: 'out of order' }]"


@dataclass(slots=True)
class FlowProposer:
    """Proposes the flows of one entry.

    Attributes:
        examples: documented calls of the entry, with the path of the document.
        domains: as `Proposer` finds them, after `propose`.
    """

    root: Path
    seams: ScriptSeams
    examples: Sequence[tuple[str, Example]] = ()
    _calls: Proposer = field(init=False)
    _classes: dict[str, Class] = field(init=False, default_factory=dict)
    _requests: list[tuple[Function, Request]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        others = tuple(self.seams.components.values())
        entry = _with_imported(self.root, self.seams)
        self._calls = Proposer(self.root, entry, self.examples, others, self._given)
        for module in self.seams.modules:
            for one in module.classes:
                if not one.is_error and not one.abstract:
                    self._classes.setdefault(one.name, one)

    @property
    def domains(self) -> dict[str, list[tuple[str, Shape, bool]]]:
        """What the parameters of the components take."""
        return self._calls.domains

    def propose(self, symbols: Sequence[str] | None = None) -> list[Trial]:
        """All flows; their ids are their places."""
        calls = self._calls.propose(symbols)
        self._requests = [one for module in self.seams.modules for one in self._asked(module)]
        found: list[Trial] = []
        for trial in calls:
            found += self._produced(trial)
            found += self._with_parts(trial)
        unique: dict[tuple[object, ...], Trial] = {}
        for one in found:
            key = (one.function.qualname, one.prelude, one.receiver, one.setup, one.arguments)
            unique.setdefault(key, one)
        return [replace(one, id=at) for at, one in enumerate(list(unique.values())[:_MOST])]

    def _given(self, shape: Shape, name: str) -> list[Value]:
        """Places for files and addresses: what stands for them is made by each test."""
        if shape.kinds - {"string", "any"} or shape.literals or shape.class_name:
            return []
        outside = frozenset[str]().union(*self.seams.outside.values())
        if FILES in outside and _FOLDERS.search(name):
            return [Value("folder")]
        if FILES in outside and _PATHS.search(name):
            return [Value(f"join(folder, '{self._file_name(name)}')")]
        if SERVICE in outside and _ADDRESSES.search(name):
            return [Value("standIn.url")]
        return []

    def _file_name(self, name: str) -> str:
        """`orders.json` for what holds JSON, by the name of the parameter or of the module that uses files."""
        using = [one for one in self.seams.modules if FILES in self.seams.outside[one.path]]
        source = b"".join(one.source for one in using)
        ending = ".json" if b"JSON." in source else ".csv" if b"split(','" in source else ".txt"
        stem = re.sub(r"(?:path|file_?name|file)$", "", name, flags=re.IGNORECASE).rstrip("_")
        stem = words(stem).replace(" ", "-") if stem else PurePosixPath(using[0].path).stem.partition(".")[0]
        return f"{stem}{ending}"

    def _asked(self, module: Module) -> Iterator[tuple[Function, Request]]:
        if SERVICE not in self.seams.outside[module.path]:
            return
        reader, values = TypeReader(self.root, module), Values({})
        for function in module.callables:
            for one in requests_of(function, module, reader, values):
                yield function, one

    def _produced(self, trial: Trial) -> Iterator[Trial]:
        """The typical call with an argument that another module's function makes, by the type of both."""
        if trial.changed >= 0 or trial.example is not None:
            return
        for at, parameter in enumerate(trial.function.parameters[: len(trial.arguments)]):
            wanted = _bare_type(text_of(parameter.type))
            for module in self.seams.modules:
                for maker in module.functions:
                    if not wanted or maker is trial.function or _bare_type(text_of(maker.returns)) != wanted:
                        continue
                    given = self._calls.typical(maker)
                    if given is None or maker.is_async or not parameter.name.isidentifier():
                        continue
                    call = f"{maker.name}({', '.join(one.source for one in given)})"
                    arguments = (*trial.arguments[:at], parameter.name, *trial.arguments[at + 1 :])
                    yield from self._with_parts(
                        replace(
                            trial,
                            arguments=arguments,
                            prelude=(f"const {parameter.name} = {call};",),
                            phrases=(f"{with_article(words(parameter.name))} from {maker.name}",),
                            needs=trial.needs | {maker.name},
                        )
                    )

    def _with_parts(self, trial: Trial) -> Iterator[Trial]:
        """The flow with its folder and service, and instances that are looked at afterwards: filled, then new ones."""
        plain = self._with_instances(trial)
        filled = self._filled(plain)
        for one in (filled, plain) if filled is not None else (plain,):
            yield from self._with_surroundings(one)

    def _with_instances(self, trial: Trial) -> Trial:
        """Instances that are arguments get names, by which they are asked what they hold now."""
        prelude, arguments, readings = list(trial.prelude), list(trial.arguments), list(trial.readings)
        taken = {trial.instance, "folder", "standIn", *declared(prelude)}
        for at, source in enumerate(arguments):
            made = _MADE.match(source)
            one = self._classes.get(made[1]) if made else None
            if one is None or not source.endswith(")"):
                continue
            name = instance_name(one.name)
            if name in taken:
                continue
            taken.add(name)
            prelude.append(f"const {name} = {source};")
            arguments[at] = name
            readings += self._calls.readings(one)
        if trial.receiver and (made := _MADE.match(trial.receiver)) and "folder" in trial.receiver:
            # What is kept in a file is read by another object that is opened on it.
            kept = [re.sub(rf"\b{trial.instance}\.", f"{trial.receiver}.", one) for one in trial.readings]
            readings = [*(one for one in kept if one.startswith(trial.receiver)), *readings]
        # A place differs from run to run.
        readings = [one for one in readings if not _PLACES.search(one)]
        return replace(trial, prelude=tuple(prelude), arguments=tuple(arguments), readings=tuple(readings[:8]))

    def _filled(self, trial: Trial) -> Trial | None:
        """The same with something in each instance of the prelude; None where nothing can be put into one."""
        prelude: list[str] = []
        filled: list[str] = []
        for statement in trial.prelude:
            prelude.append(statement)
            made = re.fullmatch(r"const (\w+) = new (\w+)\(.*\);", statement)
            one = self._classes.get(made[2]) if made else None
            filler = (
                next((own for own in one.members if own.kind == "method" and _FILLS.match(own.name)), None)
                if one
                else None
            )
            if filler is None or made is None:
                continue
            filled.append(made[1])
            for nth in range(2):
                given = self._calls.typical(filler, nth)
                if given is not None:
                    wait = "await " if filler.is_async else ""
                    prelude.append(f"{wait}{made[1]}.{filler.name}({', '.join(value.source for value in given)});")
        if len(prelude) == len(trial.prelude):
            return None
        held = " and ".join(f"{with_article(name)} with two entries" for name in filled)
        return replace(trial, prelude=tuple(prelude), state=" and ".join(one for one in (trial.state, held) if one))

    def _with_surroundings(self, trial: Trial) -> Iterator[Trial]:
        sources = [*trial.prelude, trial.receiver, *trial.setup, *trial.arguments]
        used = " ".join(sources)
        prelude = trial.prelude
        if re.search(r"\bfolder\b", used):
            prelude = ("const folder = temporaryFolder();", *prelude)
        if "standIn.url" not in used:
            yield replace(trial, prelude=prelude)
            return
        bodies = self._answers(trial)
        states = [({key: f"[200, {body}]" for key, body in bodies.items()}, "")]
        if bodies and trial.changed < 0:
            states += [
                ({}, "where the service knows nothing of it"),
                (dict.fromkeys(bodies, _OUT_OF_ORDER), "where the service is out of order"),
            ]
        for answers, phrase in states:
            rows = ", ".join(f"'{key}': {answer}" for key, answer in answers.items())
            head = f"const standIn = await serving({{ {rows} }});" if rows else "const standIn = await serving({});"
            # Another reading would ask the service itself.
            yield replace(trial, prelude=(head, *prelude), readings=("standIn.requests",), circumstance=phrase)

    def _answers(self, trial: Trial) -> dict[str, str]:
        """What the service answers: bodies by request, for what this call may ask."""
        given = {one.name: source for one, source in zip(trial.function.parameters, trial.arguments, strict=False)}
        found: dict[str, str] = {}
        for function, request in self._requests:
            own = given
            if function is not trial.function:
                typical = self._calls.typical(function) if function.owner or function.name else None
                names = [one.name for one in function.parameters if not one.optional]
                values = {name: one.source for name, one in zip(names, typical or (), strict=False)}
                own = {**values, **given}
            key = request.key(own)
            if key is not None:
                found[key] = request.body
        return found


def _with_imported(root: Path, seams: ScriptSeams) -> Module:
    """The entry with the functions and constants that it imports, so that what they do with a parameter is read too."""
    inner, constants = dict(seams.entry.inner), dict(seams.entry.constants)
    for local, (source, name) in seams.entry.imports.items():
        other = seams.components.get(resolved(root, seams.entry.path, source) or "")
        if other is None:
            continue
        own = other.exports.get(name, name)
        if own in other.inner:
            inner.setdefault(local, other.inner[own])
            constants = {**other.constants, **constants}
    return replace(seams.entry, inner=inner, constants=constants)


def _bare_type(text: str) -> str:
    """`Voucher` of `Voucher | null`; empty for anything that is no name of a type."""
    parts = [part.strip() for part in text.removeprefix(":").split("|")]
    named = [part for part in parts if part not in ("null", "undefined")]
    return named[0] if len(named) == 1 and re.fullmatch(r"[A-Z]\w*", named[0]) else ""
