"""Finds the examples of a project's settings that name nothing of the project."""

from __future__ import annotations

import ast
import difflib

from ....core.errors import ProjectError
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import read_source
from ..facts.analyse import analyse_module
from ..inputs.given_examples import GivenExamples
from ..project.layout import Layout


def unknown_examples(examples: GivenExamples, layout: Layout) -> dict[str, str]:
    """Maps the keys of examples that no module, function or parameter of the project has, to the reason."""
    paths = {place.module: place.path for place in layout.modules}
    found: dict[str, str] = {}
    for key in sorted(examples):
        module, _, name = key.rpartition(":")
        if not module:
            continue
        if module not in paths:
            found[key] = f"the project has no module {module}{_meant(module, list(paths))}"
            continue
        try:
            facts = analyse_module(layout.root, paths[module], layout)
        except ProjectError:
            continue  # what is wrong with the module is said where it is tested
        names = [item.qualname for item in facts.callables()]
        if name not in names:
            found[key] = f"{module} defines no function or method {name}{_meant(name, names)}"
    parameters = {key for key in examples if ":" not in key}
    missing = parameters - _parameters(layout, parameters) if parameters else parameters
    return {**found, **dict.fromkeys(sorted(missing), "no function of the project has a parameter of that name")}


def _meant(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]}" if near else ""


def _parameters(layout: Layout, wanted: set[str]) -> set[str]:
    """The wanted names that are parameters of a function, or fields of a class, anywhere in the project."""
    found: set[str] = set()
    for place in layout.modules:
        try:
            text = read_source(layout.root, place.path)
        except (OSError, UnicodeDecodeError):
            continue
        open_names = {name for name in wanted - found if name in text}
        tree = parse_or_none(text) if open_names else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found & wanted
