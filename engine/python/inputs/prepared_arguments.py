"""Generates rows of prepared arguments: objects that their own methods have filled, files written beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..model.model import CallableFacts, Candidate, ModuleFacts, Parameter
from ..source.annotations import type_hint
from .calls import Pools, Row, argument_rows, rendered_arguments
from .learning import LearnedInputs
from .receivers import receivers
from .values import Values

_WRITES = re.compile(r"(save|write|dump|store|export)(?:_(\w+?))?(?:_to(?:_\w+)?)?")
_READS = re.compile(r"(load|read|parse|import|restore|open)(?:_(\w+?))?(?:_from(?:_\w+)?)?")
_PATH_NAMES = re.compile(r"(file_?)?path|file_?name|filepath|pathname")
_OUTPUT_NAMES = re.compile(r"(^|_)(out|output|dst|dest|destination|target)(_|$)")
_ENDINGS = (("json", ".json"), ("csv", ".csv"), ("pickle", ".pickle"), ("tomllib", ".toml"), ("yaml", ".yaml"))
_MOST_FILLED = 2
_RECEIVERS = 6


def with_new_file(one: CallableFacts, pools: Pools, facts: ModuleFacts) -> Pools:
    """Puts the path of a new file first among the values of a parameter that names what is written."""
    found = dict(pools)
    for item in one.parameters:
        # Beside a file that is read, the other is the one to write.
        paths = [given for given in pools.get(item.name, ()) if "tmp_path" in given.source]
        if paths and _OUTPUT_NAMES.search(item.name):
            found[item.name] = (_new_file(item, "output", facts), *pools[item.name])
    parameter = _path_parameter(one)
    match = _WRITES.fullmatch(one.name)
    if parameter is not None and match is not None:
        found[parameter.name] = (_new_file(parameter, match[2], facts), *pools[parameter.name])
    return found


def prepared_rows(
    one: CallableFacts, pools: Pools, values: Values, facts: ModuleFacts, learned: LearnedInputs | None = None
) -> Iterator[Row]:
    """Yields rows whose objects are filled and whose files the module itself has written.

    None where a required parameter has no values.
    """
    base = next(argument_rows(one, pools, 1), None)
    if base is None:
        return
    yield from _with_files(one, base, values, facts)
    objects = _filled_objects(one, values, facts, learned)
    for place in range(min(_MOST_FILLED, max((len(found) for found in objects.values()), default=0))):
        chosen = {name: found[min(place, len(found) - 1)] for name, found in objects.items()}
        values_by_name = {item.name: value for item, value in base} | chosen
        yield tuple((item, values_by_name[item.name]) for item in one.parameters if item.name in values_by_name)


def _filled_objects(
    one: CallableFacts, values: Values, facts: ModuleFacts, learned: LearnedInputs | None
) -> dict[str, list[Candidate]]:
    """For each parameter that takes an object of a project's class, variables whose object has been changed.

    The subject's own class is left out; of two parameters of one class only the first is filled, because variables are
    named after classes.
    """
    found: dict[str, list[Candidate]] = {}
    taken = {one.owner}
    for parameter in one.parameters:
        if parameter.kind in ("var_positional", "var_keyword"):
            continue
        hints = type_hint(parameter.annotation).members()
        known = next((made for hint in hints if (made := values.index.class_in(hint.name, facts)) is not None), None)
        if known is None or known[1].name in taken or known[1].kind in ("enum", "typeddict", "protocol", "abstract"):
            continue
        where, owner = known
        taken.add(owner.name)
        made = receivers(values, where, owner, _RECEIVERS, learned if where is facts else None)
        changed = [Candidate(it.variable, it.imports, it.arrange, it.fixtures, "sequence") for it in made if it.changes]
        if changed:
            found[parameter.name] = changed
    return found


def _with_files(one: CallableFacts, base: Row, values: Values, facts: ModuleFacts) -> Iterator[Row]:
    """For a function that reads a file: rows with a file that its writing counterpart has written."""
    parameter, match = _path_parameter(one), _READS.fullmatch(one.name)
    writer = _counterpart(match[2], facts) if match is not None and one.owner is None else None
    target = _path_parameter(writer) if writer is not None else None
    if parameter is None or match is None or writer is None or target is None:
        return
    pools = {item.name: values.for_parameter(writer, item) for item in writer.parameters}
    for row in argument_rows(writer, pools, _MOST_FILLED):
        ready = rendered_arguments(_replaced(row, target, _new_file(target, match[2], facts)))
        imports = tuple(dict.fromkeys((*ready.imports, f"from {facts.module} import {writer.name}")))
        arrange = (*ready.arrange, f"{writer.name}({ready.source})")
        written = replace(_new_file(parameter, match[2], facts), imports=imports, arrange=arrange, origin="sequence")
        yield _replaced(base, parameter, written)


def _counterpart(noun: str | None, facts: ModuleFacts) -> CallableFacts | None:
    """The function of the module that writes what another reads: `save_orders` for `load_orders`."""
    for function in facts.functions:
        match = _WRITES.fullmatch(function.name)
        if match is not None and match[2] == noun and not function.is_async and _path_parameter(function) is not None:
            return function
    return None


def _path_parameter(one: CallableFacts) -> Parameter | None:
    """The required parameter that takes a path, by its annotation or its name."""
    for item in one.parameters:
        names = {hint.name for hint in type_hint(item.annotation).members()}
        if item.required and (names & {"Path", "PathLike"} or (_PATH_NAMES.fullmatch(item.name) and names <= _TEXTUAL)):
            return item
    return None


_TEXTUAL = frozenset({"Any", "str", "None"})


def _new_file(parameter: Parameter, noun: str | None, facts: ModuleFacts) -> Candidate:
    """A path in the runner's folder, named after its content: `tmp_path / 'orders.json'`."""
    imported = {name for name, _ in facts.imports}
    ending = next((ending for module, ending in _ENDINGS if module in imported), ".txt")
    path = f"tmp_path / '{noun or 'data'}{ending}'"
    hints = {hint.name for hint in type_hint(parameter.annotation).members()}
    text = path if hints & {"Path", "PathLike"} else f"str({path})"
    return Candidate(text, fixtures=("tmp_path",))


def _replaced(row: Row, parameter: Parameter, value: Candidate) -> Row:
    return tuple((item, value if item.name == parameter.name else given) for item, given in row)
