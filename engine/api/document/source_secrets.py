"""Finds credentials that a project's own source holds: what its code compares a header with, and what its settings say.

An example, a tool for one team, or a service under development often has its token as a literal. The tests may use
that token, which stands in the project already; what has the form of a provider's key is left alone. Nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ....utils.python_names import last_name
from ....utils.python_source import parse_or_none
from ....utils.redact import is_secret_name
from ....utils.untrusted_files import source_or_empty
from ...python.project.layout import ModulePlace
from ..values.data import looks_secret
from .auth import header_scheme, is_secret

MOST_SECRETS = 12
_MOST_HEADERS = 3
_WORTH = re.compile(r"authori[sz]ation|key|token|secret|credential|passw", re.IGNORECASE)
_ABOUT = re.compile(r"authori[sz]ation|api_?key|_key$|token|secret|credential|passw(?:or)?d", re.IGNORECASE)
_LISTED = re.compile(r"(?:key|token|secret|credential)s?$", re.IGNORECASE)
_PERSON = re.compile(r"^(?:\w+_)?(?:user_?name|user|login|passw(?:or)?d)(?:_bytes)?$", re.IGNORECASE)
_PASSWORD = re.compile(r"pass", re.IGNORECASE)
_USERS = re.compile(r"users$|accounts$|passwords$|credentials$", re.IGNORECASE)
_VALUE = re.compile(r"(?:[A-Za-z]{4,10} )?[\x21-\x7e]{3,200}")
"""A credential as a header may hold it, with the word of its scheme or without."""
_SCHEME_WORDS = frozenset({"bearer", "basic", "token", "digest", "authorization"})
_COMPARING = frozenset({"compare_digest", "constant_time_compare"})
_ORDINALS = ("", *(f"{word}_" for word in "SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH".split()))
_HEADER = re.compile(r"^x_|authori[sz]ation|api_?key", re.IGNORECASE)
_SURELY = re.compile(r"passw|secret|credential|auth|access|api", re.IGNORECASE)
_ANSWER = re.compile(r"resp|^(?:r|res|answer|reply|result)$|_(?:answer|reply|result)$", re.IGNORECASE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class SourceSecret:
    """A credential in the source.

    Attributes:
        variable: the environment variable that is to hold it for the tests, made of the name it has in the source.
        value: as a header holds it, perhaps with the word of its scheme before it: `Bearer abc`.
    """

    variable: str
    value: str


def find_source_secrets(root: Path, places: Iterable[ModulePlace]) -> list[SourceSecret]:
    """Return the credentials in a project's modules, those that something is compared with first. Blocks."""
    trees = [
        tree
        for place in places
        if _WORTH.search(text := source_or_empty(root, place.path)) and (tree := parse_or_none(text)) is not None
    ]
    constants = {name: value for tree in trees for name, value in _constants(tree)}
    comparisons = [found for tree in trees for found in _compared(tree, constants)]
    # A file may compare many texts, and few of them with a header.
    compared = [(name, text) for of_header in (True, False) for name, text, other in comparisons if other is of_header]
    assigned = [found for tree in trees for found in _assigned(tree)]
    pairs = [found for tree in trees for found in _pairs(tree, constants)]
    values: dict[str, str] = {}
    for name, value in (*compared, *pairs, *assigned):
        # `Bearer` before it makes a secret of every word.
        alone = value.rpartition(" ")[2]
        if _VALUE.fullmatch(value) and alone.lower() not in _SCHEME_WORDS and not looks_secret(alone):
            values.setdefault(value, name)
    return list(_named(list(values.items())[:MOST_SECRETS]))


def find_headers_read(root: Path, places: Iterable[ModulePlace]) -> list[str]:
    """Return the headers with names of credentials that a project's code reads of a request itself. Blocks.

    Those that a framework reads for it, such as a parameter of a handler, need not be among them.
    """
    found: dict[str, str] = {}
    for place in places:
        text = source_or_empty(root, place.path)
        tree = parse_or_none(text) if "eaders" in text else None
        handed = _handed(tree) if tree is not None else {}
        for node in _in_order(tree) if tree is not None else ():
            for name in _header_read(node, handed.get(node, frozenset())):
                if header_scheme(name) is not None:
                    found.setdefault(name.lower(), name)
    return list(found.values())[:_MOST_HEADERS]


def _handed(tree: ast.Module) -> dict[ast.AST, frozenset[str]]:
    """Return what may be a request by its place, for each part of a module: what its functions are given.

    What is called like an answer is none, and an object itself only where its class is a handler.
    """
    found: dict[ast.AST, frozenset[str]] = {}
    for scope in ast.walk(tree):
        names: frozenset[str] = frozenset()
        if isinstance(scope, _FUNCTIONS):
            every = (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)
            names = frozenset(one.arg for one in every if one.arg != "self" and not _ANSWER.search(one.arg))
        elif isinstance(scope, ast.ClassDef) and any("Handler" in last_name(base) for base in scope.bases):
            names = frozenset({"self"})
        for node in ast.walk(scope) if names else ():
            found[node] = found.get(node, frozenset()) | names
    return found


def _header_read(node: ast.AST, handed: frozenset[str]) -> Iterator[str]:
    """Yield the name of the header in `request.headers["X-API-Key"]` and `request.headers.get("X-API-Key")`.

    Args:
        handed: what may be a request besides what is called so.
    """
    if isinstance(node, ast.Subscript):
        holder, key = node.value, node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        holder, key = node.func.value, node.args[0]
    else:
        return
    # Only what is read: an assignment makes a header of an answer, or of a request to another service.
    read = not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load)
    owner = holder.value if isinstance(holder, ast.Attribute) and holder.attr == "headers" else None
    given = isinstance(owner, ast.Name) and owner.id in handed
    asked = given or (owner is not None and "req" in last_name(owner).lower())
    if read and asked and isinstance(key, ast.Constant) and isinstance(key.value, str):
        yield key.value


def _named(found: list[tuple[str, str]]) -> Iterator[SourceSecret]:
    taken: set[str] = set()
    for value, name in found:
        base = re.sub(r"\W+|_{2,}", "_", name).strip("_").upper()
        base = base if is_secret(base) else f"{base}_TOKEN"
        names = (*(f"{ordinal}{base}" for ordinal in _ORDINALS), *(f"{base}_{at}" for at in range(9, MOST_SECRETS + 1)))
        variable = next((known for known in names if known not in taken), "")
        if re.fullmatch(r"[A-Z][A-Z0-9_]{0,99}", variable):
            taken.add(variable)
            yield SourceSecret(variable, value)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names in a module, and in its classes, that stand for a text."""
    for node in ast.walk(tree):
        for name, value in _assignments(node):
            text = _text(value, {})
            if text is not None:
                yield name, text


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _in_order(tree: ast.AST) -> list[ast.AST]:
    return sorted(ast.walk(tree), key=lambda node: getattr(node, "lineno", 0))


def _assigned(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the texts whose names say that they are credentials: a constant, a default of settings, a table of keys."""
    for node in _in_order(tree):
        for name, value in _assignments(node):
            text = _text(value, {})
            if text is not None and is_secret_name(name):
                yield name, text
            elif text is None and _LISTED.search(name):
                yield from ((name, entry) for entry in _entries(value))


def _entries(value: ast.expr) -> Iterator[str]:
    """Yield the texts of a literal that lists credentials: its elements, its keys, and the texts that its keys name."""
    if isinstance(value, ast.Call) and last_name(value.func) in ("set", "frozenset", "list", "tuple") and value.args:
        value = value.args[0]
    parts: list[ast.expr] = []
    if isinstance(value, ast.Dict):
        parts = [*filter(None, value.keys), *value.values]
    elif isinstance(value, ast.Set | ast.List | ast.Tuple):
        parts = list(value.elts)
    yield from (text for part in parts if (text := _text(part, {})) is not None)


def _compared(tree: ast.Module, constants: Mapping[str, str]) -> Iterator[tuple[str, str, bool]]:
    """Yield the texts that code compares with what it calls a credential, with its name and whether it is a header."""
    for node in _in_order(tree):
        found: list[tuple[str, str, bool]] = []
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            # A text that is looked for is a word among others: `"token" in ("token", "name")`.
            name = "" if isinstance(node.left, ast.Constant) else _name_of(node.left)
            found = [(name, entry, _is_header(name)) for entry in _entries(node.comparators[0])] if name else []
        sides = _sides(node)
        for side, other in (sides, reversed(sides)) if len(sides) == 2 else ():
            text = _text(side, constants)
            compared = _name_of(other)
            name = _name_of(side, texts=False) or compared
            if text is not None and name:
                found.append((name, text, _is_header(compared)))
        for name, text, of_header in found:
            if of_header or isinstance(node, ast.Call) or not _is_word(name, text):
                yield name, text, of_header


def _is_header(name: str) -> bool:
    return _HEADER.search(name) is not None


def _is_word(name: str, text: str) -> bool:
    """Whether a text is rather a word of a language than a credential: `token == "const"`, `sort_key == "name"`."""
    return text.isidentifier() and not re.search(r"\d", text) and _SURELY.search(name) is None


def _pairs(tree: ast.Module, constants: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield names with their passwords, as HTTP's basic scheme joins them: compared, or in a table such as USERS."""
    for node in _in_order(tree):
        for name, value in _assignments(node):
            if _USERS.search(name) and isinstance(value, ast.Dict):
                both = [
                    (_text(key, {}), _text(word, {})) for key, word in zip(value.keys, value.values, strict=True) if key
                ]
                yield from ((f"{name}_PASSWORD", f"{user}:{word}") for user, word in both if user and word)
    paired: set[ast.AST] = set()
    # The parts of one condition belong together, then those of one function that has as many names as passwords.
    for kinds in ((ast.BoolOp,), _FUNCTIONS):
        # What lies deeper comes first: an `and` inside an `or`.
        for scope in reversed([node for node in ast.walk(tree) if isinstance(node, kinds)]):
            known = {node: _of_person(node, constants) for node in _in_order(scope) if node not in paired}
            named = [node for node, (about, _) in known.items() if about and not _PASSWORD.search(about)]
            words = [node for node, (about, _) in known.items() if _PASSWORD.search(about)]
            if len(named) == len(words):
                paired.update(named, words)
                yield from (
                    (known[word][0], f"{known[user][1]}:{known[word][1]}")
                    for user, word in zip(named, words, strict=True)
                )


def _of_person(node: ast.AST, constants: Mapping[str, str]) -> tuple[str, str]:
    """Return what a comparison calls a name or a password, and the text that it is to be; empty for anything else."""
    sides = _sides(node)
    for side, other in (sides, reversed(sides)) if len(sides) == 2 else ():
        text, about = _text(side, constants), _name_of(other, texts=False, pattern=_PERSON)
        if text and about:
            return about, text
    return "", ""


def _sides(node: ast.AST) -> list[ast.expr]:
    """Return the two expressions that something compares for equality; none where it compares nothing."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.Call) and last_name(node.func) in _COMPARING:
        return list(node.args[:2])
    return []


def _text(node: ast.expr, constants: Mapping[str, str]) -> str | None:
    """Return the text that an expression stands for; None where that is not known.

    Args:
        constants: texts by the names that stand for them.
    """
    if isinstance(node, ast.Constant):
        value = node.value.decode("ascii", "replace") if isinstance(node.value, bytes) else node.value
        return value if isinstance(value, str) else None
    if isinstance(node, ast.Name | ast.Attribute):
        return constants.get(last_name(node))
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part.value if isinstance(part, ast.FormattedValue) else part, constants) for part in node.values]
        known = [part for part in parts if part is not None]
        return "".join(known) if len(known) == len(parts) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, constants), _text(node.right, constants)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.Call):
        return _text_of_call(node, constants)
    return None


def _text_of_call(node: ast.Call, constants: Mapping[str, str]) -> str | None:
    """Return the text of `TOKEN.encode()`, of `TOKEN.get_secret_value()`, of `SecretStr("…")` and of `Field("…")`."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("encode", "get_secret_value", "strip"):
        return _text(node.func.value, constants)
    if last_name(node.func) in ("SecretStr", "Field"):
        given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "default")]
        return _text(given[0], constants) if given else None
    return None


def _name_of(node: ast.expr, *, texts: bool = True, pattern: re.Pattern[str] = _ABOUT) -> str:
    """Return the name of a credential in an expression, or of the header that it is read from; empty without one.

    Args:
        texts: whether texts count as names: `headers["X-API-Key"]`.
        pattern: what the name has in it.
    """
    for inner in ast.walk(node):
        name = last_name(inner)
        if texts and isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            name = inner.value.replace("-", "_")
        if pattern.search(name):
            return name
    return ""
