"""Finds what sets values apart in words: `with_duplicates`, `sorted`, `quoted`, `uppercase`; the most telling first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from ....utils.names.case_names import slug, snake_case
from ....utils.python_names import last_name
from ..inputs.plain_texts import is_sample
from ..source.titles import describe, has_digit

_MOST_FIELDS = 4
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
PLAIN_WORDS = re.compile(r"[A-Za-z][a-z]{2,11}([ _-][A-Za-z][a-z]{1,11})?")
_PLAIN_PART = re.compile(r"[A-Za-z0-9]{1,12}")
_SIGN = re.compile(r"[^\w\s]")
METASYNTACTIC = frozenset("foo bar baz qux moo spam eggs abc xyz".split())
"""Texts that stand for any text."""
NAMELESS = frozenset({"operand", "value"})
"""What an object is made of, where the parameter's name says no more than that."""


def features(node: ast.expr) -> tuple[str, ...]:
    """Returns features of a value: adjectives such as `empty`, and additions such as `with_none`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return tuple(name for name, has in _TEXT_FEATURES if has(node.value))
    if isinstance(node, _CONTAINERS):
        return tuple(_of_container(node))
    number = number_of(node)
    return tuple(name for name, has in _NUMBER_FEATURES if has(number)) if number is not None else ()


def feature_beside(node: ast.expr, others: Sequence[ast.expr]) -> str:
    """Returns the first feature, or two together, that none of the other values has; empty where there is none."""
    mine = features(node)
    theirs = [set(features(other)) for other in others]
    for name in mine:
        if not any(name in one for one in theirs):
            return name
    for at, first in enumerate(mine):
        for second in mine[at + 1 :]:
            if not any({first, second} <= one for one in theirs):
                return f"{first}_{second}"
    return ""


def _is_record(node: ast.expr) -> bool:
    """Whether a value is a tuple of a few fields, as a point or a colour is: that two are the same says nothing."""
    return isinstance(node, ast.Tuple) and len(node.elts) <= _MOST_FIELDS


def item_count(node: ast.expr | None) -> int:
    """Returns the number of items of a list, tuple, set or dictionary; 0 for anything else."""
    return len(getattr(node, "elts", getattr(node, "keys", ())))


def with_feature(feature: str, noun: str) -> str:
    """Joins a feature and a noun: `sorted_items`, `items_with_duplicates`."""
    return f"{noun}_{feature}" if feature.startswith(("with_", "of_", "in_")) else f"{feature}_{noun}"


def distinct_words(nodes: Sequence[ast.expr]) -> list[str]:
    """Describes values so that no two have the same words, where features tell them apart."""
    words = [describe(node) for node in nodes]
    found: list[str] = []
    for at, node in enumerate(nodes):
        others = [other for number, other in enumerate(nodes) if number != at]
        same = [nodes[other] for other, text in enumerate(words) if other != at and text == words[at]]
        # What sets a list apart from all others tells more than its items.
        feature = feature_beside(node, others) if isinstance(node, _CONTAINERS) and others else ""
        feature = feature or (feature_beside(node, same) if same else "")
        if not feature:
            found.append(_with_own_parts(words[at], node, same) if same else words[at])
        elif isinstance(node, _CONTAINERS):
            found.append(feature)  # how many items it has tells less
        else:
            found.append(with_feature(feature, words[at]))
    return found


def _with_own_parts(words: str, node: ast.expr, others: Sequence[ast.expr]) -> str:
    """The words of a text with the part of it that no other text of the same words has: `0_0_29_2_2024`."""
    mine, *theirs = (_parts_of_line(one) for one in (node, *others))
    own = next((part for part in reversed(mine) if not any(part in other for other in theirs)), "")
    part = slug(own) if _PLAIN_PART.fullmatch(own) else ""
    return f"{words}_{part}" if part and not words.endswith(part) else words


def _parts_of_line(node: ast.expr) -> list[str]:
    text = str(node.value) if isinstance(node, ast.Constant) else ""
    return text.split() if "\n" not in text else []


def constant_words(plain: str, value: object, usual: object) -> str:
    """Describes a literal in words, without digits, beside the usual one of the parameter; None without a usual one."""
    if value is None:
        return f"no_{plain}"
    if isinstance(value, bool):
        return plain if value else f"not_{plain}"
    if value in (0, "", b""):
        return f"zero_{plain}" if value == 0 else f"empty_{plain}"
    if isinstance(value, int | float):
        if isinstance(usual, int | float) and not isinstance(usual, bool):
            return f"larger_{plain}" if value > usual else f"smaller_{plain}"
        return f"number_as_{plain}" if usual is not None else f"other_{plain}"
    if isinstance(value, str):
        return _text(plain, value, usual)
    return f"bytes_as_{plain}" if isinstance(value, bytes) else f"other_{plain}"


def _text(plain: str, value: str, usual: object) -> str:
    """Describes a text by its words, or by what it has and the usual one has not."""
    if not value.strip():
        return f"blank_{plain}"
    if value in METASYNTACTIC and not isinstance(usual, str):
        return f"text_as_{plain}" if usual is not None else f"other_{plain}"
    if (is_sample(value) or value in METASYNTACTIC) and PLAIN_WORDS.fullmatch(value):
        # A word for the sake of a word says nothing; that it has no signs does.
        signs = isinstance(usual, str) and _SIGN.search(usual)
        return f"plain_{'text' if plain in NAMELESS else plain}" if signs else f"other_{plain}"
    if PLAIN_WORDS.fullmatch(value):
        return f"{plain}_{slug(value)}" if slug(value) != plain else plain
    if not value.isascii():
        return f"non_ascii_{plain}"
    if not isinstance(usual, str):
        return f"text_as_{plain}" if usual is not None else f"other_{plain}"
    feature = feature_beside(ast.Constant(value), [ast.Constant(usual)])
    if feature:
        return with_feature(feature, plain)
    size = "longer" if len(value) > len(usual) else "shorter" if len(value) < len(usual) else "other"
    return f"{size}_{plain}"


def flag_words(node: ast.expr) -> str:
    """Names a member of an enumeration, or two that are put together: `real_and_path`; empty for other values."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [flag_words(part) for part in (node.left, node.right)]
        return "_and_".join(parts) if all(parts) and not any("_and_" in part for part in parts) else ""
    member = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper()
    words = snake_case(node.attr) if member and isinstance(node, ast.Attribute) else ""
    return words if words.replace("_", "").isalpha() and len(words) > 1 else ""


def made_words(noun: str, call: ast.Call) -> str:
    """Describes a value by the call that makes it: `clipped_text`, `expanded_tabs`, `interval_from_string`."""
    made = snake_case(last_name(call.func))
    done = _PARTICIPLES.get(made, "")
    if done:
        return done if "_" in done else f"{done}_{noun}"
    if made and made != noun and made in noun.split("_"):
        return f"{noun}_as_{made}"  # `random_random_state` says a word twice
    if f"_{noun}_" in f"_{made}_":
        return made
    if made.startswith(("from_", "as_")):
        return f"{noun}_{made}"
    return f"{made}_{noun}" if made else ""


def _of_container(node: ast.expr) -> list[str]:
    items = list(node.values) if isinstance(node, ast.Dict) else list(getattr(node, "elts", ()))
    if not items:
        return ["empty"]
    leaves = list(_leaves(node))
    values = [one.value for one in leaves if isinstance(one, ast.Constant)]
    numbers = [number for one in leaves if (number := number_of(one)) is not None]
    listed = not isinstance(node, ast.Dict)
    texts = [value for value in values if isinstance(value, str) and listed and len(values) == len(leaves)]
    dumps = [ast.dump(item) for item in items]
    inner = [item for item in items if isinstance(item, _CONTAINERS)]
    holds = {
        "single": len(items) == 1,
        "with_none": any(value is None for value in values),
        "with_negative_numbers": any(number < 0 for number in numbers),
        "with_empty_items": any(not list(_leaves(item)) for item in inner),
        "of_equal_items" if listed else "of_equal_values": len(items) > 1 and len(set(dumps)) == 1,
        "with_duplicates": listed and not _is_record(node) and 1 < len(set(dumps)) < len(dumps),
        "with_line_breaks": any("\n" in text.strip() for text in texts),
        **_kinds(values, numbers),
        **_order(items),
        "of_mixed_case": len({text[:1].isupper() for text in texts if text[:1].isalpha()}) > 1,
        "with_uneven_rows": listed and len({item_count(item) for item in inner}) > 1,
        "nested": bool(inner),
        "with_zero": 0 in numbers,
        "pair": len(items) == 2,
    }
    return [name for name, has in holds.items() if has]


def _kinds(values: Sequence[object], numbers: Sequence[int | float]) -> dict[str, bool]:
    texts, raw = (any(isinstance(value, kind) for value in values) for kind in (str, bytes))
    return {
        "of_mixed_types": (texts or raw) and bool(numbers),
        "of_bytes_and_texts": texts and raw and not numbers,
        "of_bytes": raw and not texts and not numbers,
        "of_texts": texts and not raw and not numbers,
        "of_numbers": bool(numbers) and not texts,
    }


def _order(items: Sequence[ast.expr]) -> dict[str, bool]:
    """How three or more numbers are ordered, if at all; nothing of other items."""
    numbers = [number for item in items if (number := number_of(item)) is not None]
    if not len(numbers) == len(items) > 2:
        return {}
    return {"sorted": numbers == sorted(numbers), "descending": numbers == sorted(numbers, reverse=True)}


def is_unsorted(node: ast.expr) -> bool:
    """Whether a list of three or more numbers is in no order."""
    order = _order(getattr(node, "elts", ()))
    return bool(order) and not any(order.values())


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict):
        for part in (*node.keys, *node.values):
            if part is not None:
                yield from _leaves(part)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for part in node.elts:
            yield from _leaves(part)
    else:
        yield node


def number_of(node: ast.expr) -> int | float | None:
    """The value of a literal number, also of a negative one; None for others."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_of(node.operand)
        return -inner if inner is not None else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


# What a value is after calls of these names; with an underscore where that needs no noun.
_PARTICIPLES = {
    name: done
    for name, _, done in (
        text.partition(":")
        for text in (
            "expandtabs:expanded_tabs upper:uppercase lower:lowercase casefold:lowercase capitalize:capitalized "
            "strip:stripped lstrip:stripped rstrip:stripped trim:trimmed clip:clipped wrap:wrapped unwrap:unwrapped "
            "split:split join:joined repeat:repeated reverse:reversed reversed:reversed sort:sorted sorted:sorted "
            "copy:copied deepcopy:copied encode:encoded decode:decoded escape:escaped unescape:unescaped quote:quoted "
            "unquote:unquoted compress:compressed decompress:decompressed normalize:normalized format:formatted "
            "center:centred ljust:padded rjust:padded zfill:padded pad:padded truncate:truncated shuffle:shuffled "
            "compile:compiled"
        ).split()
    )
}
_NUMBER_FEATURES: tuple[tuple[str, Callable[[int | float], bool]], ...] = (
    ("zero", lambda number: number == 0),
    ("negative", lambda number: number < 0),
    ("fractional", lambda number: number % 1 != 0),
    ("large", lambda number: abs(number) >= 1000),
    ("positive", lambda number: number > 0),
    ("whole", lambda number: number % 1 == 0),
)
# An odd character tells more than a capital letter.
_TEXT_FEATURES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("empty", lambda text: not text),
    ("blank", lambda text: bool(text) and not text.strip()),
    ("non_ascii", lambda text: not text.isascii()),
    ("negative", lambda text: text.lstrip().startswith("-") and text.lstrip()[1:2].isdigit()),
    ("quoted", lambda text: text.count("'") >= 2),
    ("double_quoted", lambda text: text.count('"') >= 2),
    ("with_open_quote", lambda text: text.count("'") % 2 == 1 or text.count('"') % 2 == 1),
    # `#0099gg` is a colour, `#1` a number: a comment begins with a blank or with a word before another one.
    ("with_comment", lambda text: re.search(r"(?:^|\s)#(?:[ \t!]|[A-Za-z]{3,}[ \t]+[A-Za-z])", text) is not None),
    ("with_line_break", lambda text: "\n" in text.strip()),
    ("with_backslash", lambda text: "\\" in text),
    ("padded", lambda text: text != text.strip() and bool(text.strip())),
    ("uppercase", str.isupper),
    ("numeric", str.isdigit),
    ("with_brackets", lambda text: any(letter in "()[]{}<>" for letter in text)),
    ("with_equals_sign", lambda text: "=" in text),
    ("with_colon", lambda text: ":" in text.replace("://", "")),  # each URL has the one of its scheme
    ("with_comma", lambda text: "," in text),
    ("with_percent_sign", lambda text: "%" in text),
    ("with_ampersand", lambda text: "&" in text),
    ("with_question_mark", lambda text: "?" in text),
    ("with_at_sign", lambda text: "@" in text),
    ("with_tilde", lambda text: "~" in text),
    ("with_tab", lambda text: "\t" in text.strip()),
    ("with_slash", lambda text: "/" in text),
    ("capitalized", lambda text: text[:1].isupper() and not text.isupper()),
    ("with_dots", lambda text: "." in text),
    ("with_dashes", lambda text: "-" in text),
    ("with_underscores", lambda text: "_" in text),
    ("with_spaces", lambda text: " " in text.strip()),
    ("with_digits", has_digit),
    ("with_punctuation", lambda text: any(not letter.isalnum() and not letter.isspace() for letter in text)),
    ("of_one_letter", lambda text: len(text) == 1 and text.isalpha()),
    ("of_one_digit", lambda text: len(text) == 1 and text.isdigit()),
    ("of_one_sign", lambda text: len(text) == 1),
)
