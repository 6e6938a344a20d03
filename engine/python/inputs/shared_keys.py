"""Keys that values share: mappings of one object have the same keys, and its methods are asked for these."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from ....utils.python_source import parse_or_none, shared_expression
from ..domain.example_tables import SORTED_WORD_ROWS, WORD_ROWS
from ..model.model import Candidate, Parameter

_TEXT = (None, "", "str", "Any", "object", "Hashable")
_MOST_KEYS = 3
_EXAMPLES = frozenset(chain(*WORD_ROWS, *SORTED_WORD_ROWS))


def with_shared_keys(values: Sequence[Candidate]) -> list[Candidate]:
    """Gives literal mappings the texts that are keys of the first one: stock and prices are of the same articles."""
    found: list[Candidate] = []
    keys: list[ast.expr] = []
    for value in values:
        node = shared_expression(value.source)
        if isinstance(node, ast.Dict) and _is_table(node):
            if keys:
                shared = ast.Dict(list(keys[: len(node.keys)]), node.values[: len(keys)])
                value = replace(value, source=ast.unparse(shared))
            keys = keys or [key for key in node.keys if key is not None]
        found.append(value)
    return found


def keys_in(statements: Iterable[str]) -> list[str]:
    """The keys of mappings that statements pass to calls, texts only, as source; those of most mappings first.

    Keys of a record or of settings are the code's own: a key counts where two mappings have it, or as an example word.
    """
    mappings: list[list[str]] = []
    words: set[str] = set()
    for text in statements:
        tree = parse_or_none(text)
        for call in ast.walk(tree) if tree is not None else ():
            given = [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else []
            for node in given:
                if isinstance(node, ast.Dict) and all(map(_is_text, node.keys)):
                    mappings.append([ast.unparse(key) for key in node.keys if key is not None])
                    words.update(mappings[-1] if _is_table(node) else ())
    counts = Counter(key for keys in mappings for key in dict.fromkeys(keys))
    known = [key for key, count in counts.items() if count > 1 or key in words]
    return sorted(known, key=lambda key: -counts[key])[:_MOST_KEYS]


def takes_key(parameter: Parameter) -> bool:
    """Whether a text may be given for a parameter."""
    return parameter.annotation in _TEXT and parameter.kind != "var_keyword"


def _is_table(node: ast.Dict) -> bool:
    """Whether a mapping holds alike things by example words; the keys of a record or of settings are the code's own."""
    words = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    kinds = {_kind(value) for value in node.values}
    return bool(words) and len(words) == len(node.keys) and set(words) <= _EXAMPLES and len(kinds) == 1


def _kind(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    return ast.unparse(node.func) if isinstance(node, ast.Call) else type(node).__name__


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
