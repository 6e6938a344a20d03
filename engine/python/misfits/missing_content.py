"""Finds objects that were made of nothing although their class, or the function that makes them, takes content."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ....utils.python_names import last_name
from ..facts.lineage import bases_by_class, lineage
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from ..usage.json_examples import EMPTY_DOCUMENTS, reads_json

_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_WORDING = re.compile(r"(\w+_)?(msg|message|error|label|name|description|doc)")
_COLLECTIONS = frozenset({"list", "tuple", "set", "frozenset", "dict"})
_FEWEST_OPTIONS = 2


def constructor_of(owner: ClassFacts, facts: ModuleFacts) -> CallableFacts | None:
    """The constructor of a class, its own or the nearest inherited one of the module."""
    owners, bases = {one.name: one for one in facts.classes}, bases_by_class(facts.classes)
    found = (owners[name].constructor for name in lineage(owner.name, bases))
    return next((one for one in found if one is not None), None)


def lacks_content(built: ast.Call, owner: ClassFacts, facts: ModuleFacts) -> bool:
    """Whether the call that made an object gave it nothing that it could work with."""
    constructor = constructor_of(owner, facts)
    if isinstance(built.func, ast.Name) and built.func.id in (owner.makers or ()):
        return not (built.args or built.keywords)
    if isinstance(built.func, ast.Name) and built.func.id == owner.name and constructor is not None:
        if is_made_of_nothing(built, constructor):
            return True
        if _leaves_all_out(built, constructor):
            return True
    given = [*built.args, *(keyword.value for keyword in built.keywords)]
    read = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return _are_mostly_empty(given) or is_empty_document(read, facts)


def is_made_of_nothing(built: ast.Call, constructor: CallableFacts) -> bool:
    """Whether an object is made of any number of parts, and of none here: `All()`, `All(msg="no")`.

    A constructor that only passes on `*args, **kwargs` is another one, of which nothing is known.
    """
    taken = [item for item in constructor.parameters if item.name not in ("self", "cls")]
    passes_on = bool(taken) and taken[0].name == "args" and any(item.kind == "var_keyword" for item in taken)
    if not taken or taken[0].kind != "var_positional" or passes_on:
        return False
    settings = {item.name for item in taken if item.kind == "keyword_only"}
    # What goes into `**kwargs` may be content.
    return not built.args and all(keyword.arg in settings for keyword in built.keywords)


def _leaves_all_out(built: ast.Call, constructor: CallableFacts) -> bool:
    """Whether none of several limits is set that are None by default, and that the constructor only keeps."""
    options = [item for item in constructor.parameters if item.name not in ("self", "cls")]
    limits = [item for item in options if not _WORDING.fullmatch(item.name)]
    if built.args or any(not _WORDING.fullmatch(keyword.arg or "") for keyword in built.keywords):
        return False
    return len(limits) >= _FEWEST_OPTIONS and all(_is_only_kept(item, constructor) for item in limits)


def _is_only_kept(item: Parameter, constructor: CallableFacts) -> bool:
    uses = [what for name, what in constructor.uses if name == item.name]
    return item.default == "None" and bool(uses) and all(what.startswith("stored:") for what in uses)


def _are_mostly_empty(given: Sequence[ast.expr]) -> bool:
    """Whether most of several collections that an object is made of are empty."""
    collections = [node for node in given if isinstance(node, _CONTAINERS) or _is_empty_collection(node)]
    empty = list(filter(_is_empty_collection, collections))
    return len(collections) > 1 and 2 * len(empty) > len(collections)


def _is_empty_collection(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in _COLLECTIONS and not (node.args or node.keywords)
    return isinstance(node, _CONTAINERS) and not (node.keys if isinstance(node, ast.Dict) else node.elts)


def is_empty_document(value: object, facts: ModuleFacts) -> bool:
    """Whether what a module is given that reads JSON is a document without content."""
    return isinstance(value, str) and value in EMPTY_DOCUMENTS and reads_json(facts)
