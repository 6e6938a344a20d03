"""Makes answers of servers and programs in the form that the code reads: JSON by its use, texts by their words."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..model.model import CallableFacts, ClassFacts, ModuleFacts
from ..usage.project_index import ProjectIndex
from .bodies import Bodies, bodies_of
from .json_samples import sample
from .json_shapes import JsonReader, JsonShape

_USUAL = "{'id': 1, 'name': 'Ann'}"
_LINES = "first line\nsecond line\n"
_PAGE = "<html><head><title>Welcome</title></head><body><p>Hello</p></body></html>"
_COMMANDS = (
    ({"rev-parse", "branch", "symbolic-ref"}, "main\n"),
    ({"--porcelain", "status"}, " M src/app.py\n?? notes.txt\n"),
    ({"describe", "tag", "tags"}, "v1.2.0\n"),
    ({"log"}, "a1b2c3d Add the login\nd4e5f6a Fix a typo\n"),
    ({"diff", "--name-only", "ls-files"}, "src/app.py\ntests/test_app.py\n"),
    ({"--version", "-V"}, "tool 1.2.3\n"),
)


def reads_json(bodies: Bodies) -> bool:
    """Whether the code reads JSON: `response.json()`, `json.loads(…)`, `json.load(…)`."""
    return any(_is_json(node) for node in bodies.calls())


def json_answers(
    facts: ModuleFacts, one: CallableFacts, index: ProjectIndex, keys: Mapping[str, str] | None = None
) -> list[str]:
    """Returns sources of JSON values in the form that the code reads, the plainest first; never empty.

    Args:
        keys: texts that the call passes, by parameter: values are looked up under them.
    """
    bodies = bodies_of(facts, one, index).definitions
    if not bodies:
        return [_USUAL]

    def class_named(name: str) -> ClassFacts | None:
        found = index.class_in(name, facts)
        return found[1] if found is not None else None

    reader = JsonReader({body.name: body for body in bodies}, class_named, _is_json)
    reader.read(bodies[0])
    if not reader.root.known:
        return [_USUAL]
    found = [repr(sample(reader.root, keys=keys)), *_further(reader.root, keys)]
    return list(dict.fromkeys(found))


def _further(root: JsonShape, keys: Mapping[str, str] | None) -> list[str]:
    """Further values: other alternatives where the code compares with some; a list without items."""
    other = [repr(sample(root, place=1, keys=keys))] if root.has_alternatives else []
    return [*other, "[]"] if root.item is not None and not root.keyed and not root.fields else other


def text_answers(bodies: Bodies) -> list[str]:
    """Returns sources of texts that the code may look for something in."""
    constants = [value for value in bodies.constants() if isinstance(value, str)]
    if any("<" in value for value in constants):
        return [repr(_PAGE), repr(_LINES)]
    if bodies.called() & {"int", "float"}:
        return ["'42\\n'"]
    return [repr(_LINES)]


def program_outputs(bodies: Bodies) -> list[str]:
    """Returns sources of what a program may print, by the words of its command line."""
    words = {word for value in bodies.constants() if isinstance(value, str) for word in value.split()}
    if not bodies.called() & {"int", "float"}:
        for known, output in _COMMANDS:
            if known & words:
                return [repr(output)]
    return text_answers(bodies)


def _is_json(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == "json":
        return not node.args
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("loads", "load") and len(node.args) >= 1
