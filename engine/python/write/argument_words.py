"""Describes an argument of a call in words, beside the one of the usual call: `negative_index`, `with_tax`, `slice`.

Words name parameters and kinds of values, never the digits of literals.
"""

from __future__ import annotations

import ast
import re

from ....utils.names.case_names import slug, snake_case
from ....utils.python_names import last_name
from ..inputs.plain_texts import is_sample
from ..source.titles import describe
from .situation import CONTENT, RECEIVER, VARYING, plural, singular
from .value_features import (
    PLAIN_WORDS,
    constant_words,
    feature_beside,
    flag_words,
    item_count,
    made_words,
    with_feature,
)

TELLING = (
    "itself",
    "single_",
    "negative_",
    "infinite_",
    "zero_",
    "empty_",
    "no_",
    "none_as_",
    "missing_",
    "blank_",
    "default_",
)
_KINDS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.Tuple: "tuple",
    ast.Set: "set",
    ast.Dict: "dict",
    ast.Constant: "text",
}
_INFINITE = ("inf", "infinity")
_COUNTS = {2: "two", 3: "three", 4: "four"}
# Names that say no more of what holds items than that it does.
_HOLDING = CONTENT | frozenset({"list", "tuple", "set", "dict", "iterable", "sequence", "container", "collection"})
# Options that any value may be given for: the word that is given says nothing.
_ANYTHING = frozenset({"default", "value", "fillvalue", "fill_value", "initial"})
# Options that take what is to be said: which words these are says nothing.
_WORDING = frozenset("msg message text label title description prefix suffix caption comment".split())


def noun_of(name: str, node: ast.expr) -> str:
    """What conditions call an argument that is bound to a parameter of the call or of the receiver's construction.

    It is the parameter's name; where that is a letter or two, what its value is.
    """
    plain = plain_name(name)
    if len(plain) > 2 or (isinstance(node, ast.Constant) and not isinstance(node.value, str)):
        return plain
    return _KINDS.get(type(node), plain)


def plain_name(name: str) -> str:
    """The name of a parameter, or of one of the receiver's construction, as conditions say it."""
    plain = snake_case(name.removeprefix(f"{RECEIVER}.").removeprefix("with_")) or "value"
    return "operand" if plain == "other" else plain  # `other_other` says nothing


def option_name(name: str) -> str:
    """The name of an option that is passed."""
    return "other" if name == "other" else plain_name(name)


def added_words(name: str, node: ast.expr, *, choice: bool) -> str:
    """Describes an argument that the usual call does not have.

    Args:
        choice: whether the parameter takes one of several words.
    """
    plain = option_name(name)
    if isinstance(node, ast.Constant):
        if node.value is True:
            return f"with_{plain}"
        if node.value is False:
            return f"without_{plain}"
        if node.value is None:
            return f"none_as_{plain}"  # were it the default, the usual call would say the same
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and PLAIN_WORDS.fullmatch(node.value):
        # The name of an option's choice tells more than that it was passed; a word for the sake of a word does not.
        own = slug(node.value) in plain or plain in slug(node.value)
        free = is_sample(node.value) or plain in _WORDING
        said = (free and not choice) or plain in _ANYTHING or own
        return f"with_{plain}" if said else f"with_{slug(node.value)}_{plain}"
    if flags := flag_words(node):
        return f"with_{flags}_{plain}"
    words = value_words(name, node, None) if plain not in _ANYTHING else ""
    # Of how many items it is tells less than that it is passed.
    return words if words.startswith(TELLING) and not words.startswith("single_") else f"with_{plain}"


def value_words(name: str, node: ast.expr, usual: ast.expr | None) -> str:
    """Describes an argument in words, without digits: by its sign, size, kind, or beside the usual one."""
    plain = noun_of(name, node)
    if _is_infinite(node):
        return f"infinite_{plain}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"negative_{plain}"
    if _is_slice(node) or (_is_slice(usual) and isinstance(node, ast.Constant)):
        return "slice" if _is_slice(node) else plain
    if isinstance(node, ast.Constant):
        return constant_words(plain, node.value, usual.value if isinstance(usual, ast.Constant) else None)
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return _container(plain, node, usual)
    if isinstance(node, ast.Call):
        return _made(plain, node, usual)
    if isinstance(node, ast.Lambda):
        return f"function_as_{plain}"
    if isinstance(node, ast.GeneratorExp):
        return f"{plain}_as_generator"
    if _is_union(node):
        return f"combined_{plain}"
    words = describe(node)
    return f"{plain}_{words}" if words != plain and not re.search(r"\d", words) else f"other_{plain}"


def _is_infinite(node: ast.expr) -> bool:
    """Whether an expression is infinity, of either sign: `math.inf`, `-P.inf`, `float("-inf")`."""
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(value, ast.Call) and last_name(value.func) == "float" and len(value.args) == 1:
        given = value.args[0]
        return isinstance(given, ast.Constant) and str(given.value).lstrip("+-").lower() in _INFINITE
    return isinstance(value, ast.Name | ast.Attribute) and last_name(value).lower() in _INFINITE


def _is_union(node: ast.expr) -> bool:
    """Whether an expression puts objects together: `closed(0, 2) | closed(4, 6)`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.BitOr):
        return False
    return all(isinstance(part, ast.Call) or _is_union(part) for part in (node.left, node.right))


def _is_slice(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Slice) or (isinstance(node, ast.Call) and last_name(node.func) == "slice")


def spread_words(name: str, node: ast.expr, usual: ast.expr | None) -> str:
    """Describes any number of arguments: by how many they are, else by what they are."""
    plain = plain_name(name)
    mine, others = (list(one.elts) if isinstance(one, ast.Tuple) else [] for one in (node, usual))
    if len(mine) == len(others):
        pairs = [pair for pair in zip(mine, others, strict=True) if VARYING not in pair]
        changed = [pair for pair in pairs if ast.dump(pair[0]) != ast.dump(pair[1])]
        words = [value_words(singular(plain), *pair) for pair in changed]
        # That one of them is empty tells more than that another is a list.
        return next((one for one in words if one.startswith(TELLING)), words[0] if words else "")
    if not mine:
        return f"no_{plain}"
    lists = [isinstance(one, ast.List) for one in (*mine, *others)]
    if len(mine) == 1 and others and lists == [True, *[False] * len(others)]:
        return f"list_of_{plural(singular(plain))}"
    count = _COUNTS.get(len(mine), "several")
    return f"single_{singular(plain)}" if len(mine) == 1 else f"{count}_{plural(singular(plain))}"


def _container(plain: str, node: ast.List | ast.Tuple | ast.Set | ast.Dict, usual: ast.expr | None) -> str:
    size = item_count(node)
    if size and isinstance(usual, ast.List | ast.Tuple | ast.Set | ast.Dict) and not item_count(usual):
        return f"non_empty_{plain}"
    kind = type(node).__name__.lower()
    if not size:
        return f"empty_{plain}"
    if usual is not None and type(usual) is not type(node):
        return kind if plain == kind else f"{kind}_of_{plain}" if plain.endswith("s") else f"{plain}_as_{kind}"
    others = item_count(usual)
    if size == 1 and others != 1:
        return _of_single_item(plain)
    feature = feature_beside(node, [usual]) if usual is not None else ""
    if feature == "pair":
        return f"two_{plain}"
    if feature:
        return with_feature(feature, plain)
    return f"longer_{plain}" if size > others else f"shorter_{plain}" if size < others else f"other_{plain}"


def _of_single_item(plain: str) -> str:
    """Says that what one argument holds is a single item: a single list would be said of how many lists there are."""
    if plain in _HOLDING:
        return "single_item"
    return f"single_{singular(plain)}" if singular(plain) != plain else f"single_item_in_{plain}"


def _made(plain: str, node: ast.Call, usual: ast.expr | None) -> str:
    made = snake_case(last_name(node.func))
    if usual is None or not isinstance(usual, ast.Call) or last_name(usual.func) != last_name(node.func):
        if made == plain or (made and len(plain) < 3):
            return made  # a single letter names nothing
        return made_words(plain, node) or f"other_{plain}"
    if not node.args and not node.keywords:
        return f"default_{made}"
    inner = _inner_difference(node, usual)
    if inner:
        return inner
    return f"other_{made}" if made == plain else f"other_{plain}"


def _inner_difference(node: ast.Call, usual: ast.Call) -> str:
    """Describes the only argument in which two calls of one function differ; empty where there is none."""
    pairs = list(zip(node.args, usual.args, strict=False))
    apart = [(mine, other) for mine, other in pairs if ast.dump(mine) != ast.dump(other)]
    if len(node.args) != len(usual.args) or len(apart) != 1 or node.keywords or usual.keywords:
        return ""
    made = snake_case(last_name(node.func))
    words = value_words(made, *apart[0])
    return words if not words.startswith("other_") else ""
