"""Builds the words of case names and titles from the calls that the cases make.

A case's id is its title in short: `tc_cart_add_raises_value_error_for_zero_quantity`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ....utils.names.case_names import slug, snake_case
from ....utils.python_names import last_name
from ....utils.python_source import parse_expression, walk
from ..model.model import CallableFacts

LONGEST_SLUG = 66
_MOST_KEYS, _LONGEST_KEY = 3, 10
_LONGEST_VALUE = 24
_WORDS_OF_TEXT = 4
_LONGEST_FLOAT = 8
_CONVERSIONS = frozenset({"float", "Decimal", "Fraction"})
_NO_NUMBERS = {"inf": "infinity", "-inf": "minus_infinity", "nan": "nan", "-nan": "nan"}
_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "over",
    ast.FloorDiv: "over",
    ast.Mod: "modulo",
    ast.Pow: "to_the",
}
_SMALL_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class CallArgument:
    """One argument of a call.

    Attributes:
        name: the parameter that it binds, "" where unknown.
        by_name: whether it is a keyword argument.
    """

    name: str
    node: ast.expr
    by_name: bool = False

    @property
    def source(self) -> str:
        """Its source text."""
        return ast.unparse(self.node)


def cut_slug(text: str, limit: int = LONGEST_SLUG) -> str:
    """Cuts a slug between words to at most `limit` characters; a preposition is never its last word."""
    if len(text) <= limit:
        return text
    text = text[: limit + 1].rpartition("_")[0] or text[:limit]
    while "_" in text and text.rpartition("_")[2] in ("of", "for", "with", "and", "is", "a", "the", "from", "to"):
        text = text.rpartition("_")[0]
    return text


def has_digit(words: str) -> bool:
    """Whether words have a digit among their letters."""
    return any(letter.isdigit() for letter in words)


def shared_words(words: Iterable[str]) -> str:
    """The words that all rows of a test have; empty where they differ."""
    told = set(words)
    return told.pop() if len(told) == 1 else ""


def subject_slug(subject: str) -> str:
    """`Cart.add` as `cart_add`."""
    return "_".join(filter(None, (snake_case(part) for part in subject.split("."))))


def arguments_of(expression: str, facts: CallableFacts | None) -> list[CallArgument]:
    """The arguments of the call in `expression` that goes to the subject, in order. Raises SyntaxError."""
    node = parse_expression(expression)
    call = subject_call(node, facts.name if facts else "")
    if call is None:
        operand = _operand(node)
        names = positional_names(facts) if facts is not None and facts.name.startswith("__") else []
        name = names[0] if names and isinstance(node, ast.Subscript) else ""
        return [CallArgument(name, operand)] if operand is not None and not isinstance(operand, ast.Name) else []
    names = positional_names(facts)
    found = [
        CallArgument(names[at] if at < len(names) else "", node)
        for at, node in enumerate(call.args)
        if not isinstance(node, ast.Starred)
    ]
    return found + [CallArgument(keyword.arg, keyword.value, by_name=True) for keyword in call.keywords if keyword.arg]


def subject_call(node: ast.expr, name: str) -> ast.Call | None:
    """The call of `name` inside an expression, else its outermost call."""
    calls = [one for one in walk(node) if isinstance(one, ast.Call)]
    named = [call for call in calls if last_name(call.func) == name]
    if name == "__call__" and not named:
        # The arranged object is called itself: no call bears the method's name.
        return next(iter(calls), None)
    if name.startswith("__") and not named:
        # An operator or builtin calls the dunder method: in `len(cart)` the argument is the receiver.
        return None
    return (named or calls or [None])[0]


def positional_names(facts: CallableFacts | None) -> list[str]:
    """Names of the parameters that positional arguments bind, without `self` or `cls`."""
    if facts is None:
        return []
    names = [parameter.name for parameter in facts.parameters if parameter.is_positional]
    bound = facts.kind in ("method", "classmethod", "property", "constructor")
    return names[1:] if bound and names[:1] in (["self"], ["cls"]) else names


def describe(node: ast.expr) -> str:
    """Describes a value in a few slug words: `minus_5`, `empty_string`, `list_of_three`, `hello_world`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"minus_{describe(node.operand)}"
    if isinstance(node, ast.Constant):
        return _describe_constant(node.value)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _describe_items(type(node).__name__.lower(), node.elts)
    if isinstance(node, ast.Dict):
        return _describe_mapping(node)
    if isinstance(node, ast.Call):
        return _describe_call(node)
    if isinstance(node, ast.Lambda):
        return "a_function"
    if isinstance(node, ast.GeneratorExp):
        return "generator"
    if isinstance(node, ast.Name):
        return snake_case(node.id)
    if isinstance(node, ast.Attribute):
        return snake_case(node.attr)
    if isinstance(node, ast.BinOp) and not _is_path(node):
        return _describe_operation(node)
    if isinstance(node, ast.BinOp):
        # `tmp_path / "name"`: only the last part of a path distinguishes it.
        words = describe(node.right)
        return "missing_file" if words.startswith("missing_") else words
    return cut_slug(slug(ast.unparse(node)), _LONGEST_VALUE) or snake_case(type(node).__name__)


def _describe_mapping(node: ast.Dict) -> str:
    """Describes a dictionary by its keys, where these are a few words; else by how many there are."""
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    words = [slug(key) for key in keys]
    if 0 < len(words) == len(node.keys) <= _MOST_KEYS and all(1 < len(word) <= _LONGEST_KEY for word in words):
        return "_and_".join(words)
    return f"dict_of_{_count(len(node.keys))}" if node.keys else "empty_dict"


def qualified(argument: CallArgument) -> str:
    """Describes a value with its parameter: `zero_quantity`, `empty_name`, `quantity_5`, `strict`, `not_strict`."""
    name = snake_case(argument.name)
    node = argument.node
    if not name:
        return describe(node)
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            return name if value else f"not_{name}"
        if value is None:
            return f"no_{name}"
        if value == 0 and isinstance(value, int | float):
            return f"zero_{name}"
        if value in ("", b""):
            return f"empty_{name}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"negative_{name}"
    if isinstance(node, ast.List | ast.Tuple | ast.Dict) and describe(node).startswith("empty"):
        return f"empty_{name}"
    words = describe(node)
    return words if words == name or words.startswith(f"{name}_") else f"{name}_{words}"


def named_argument_words(arguments: Sequence[CallArgument], most: int = 2) -> str:
    """Describes named arguments, as `with_strict_and_limit_3_without_colour`; empty for none."""
    given: list[str] = []
    nones: list[str] = []
    without: list[str] = []
    for argument in arguments[:most]:
        name = argument.name.removeprefix("with_") or argument.name  # the slug itself says `with` already
        value = argument.node.value if isinstance(argument.node, ast.Constant) else ...
        if value is False:
            without.append(snake_case(name))
        elif value is None:
            nones.append(f"{snake_case(name)}_none")
        else:
            given.append(qualified(replace(argument, name=name)))
    words = [f"with_{'_and_'.join([*given, *nones])}"] if given or nones else []
    return "_".join([*words, f"without_{'_and_'.join(without)}"] if without else words)


def call_words(arguments: Sequence[CallArgument], *, required: int) -> str:
    """Describes the arguments of a call, as `of_1000_with_ndigits_2`; empty without arguments.

    Args:
        required: how many positional arguments the callable must have; those after them are named.
    """
    # A variable is described only when there is nothing else: a value says more.
    only_names = all(isinstance(argument.node, ast.Name) for argument in arguments)
    named = [one for at, one in enumerate(arguments) if one.by_name or (one.name and at >= max(required, 1))]
    plain = [
        describe(argument.node)
        for argument in arguments
        if argument not in named and (only_names or not isinstance(argument.node, ast.Name))
    ]
    words = [f"of_{'_and_'.join(plain[:3])}"] if plain else []
    return "_".join(filter(None, (*words, named_argument_words(named))))


def special_words(arguments: Sequence[CallArgument], usual: Sequence[Sequence[CallArgument]]) -> str:
    """Describes the arguments that no usual call has, as `zero_quantity`; all of them when every one is usual."""
    typical = {(one.name, one.source) for call in usual for one in call}
    apart = [argument for argument in arguments if (argument.name, argument.source) not in typical] or list(arguments)
    if len(arguments) == 1 and not arguments[0].by_name:
        return describe(arguments[0].node)
    return "_and_".join(qualified(one) for one in apart[:2])


def _operand(node: ast.expr) -> ast.expr | None:
    """The operand that an operator passes to the dunder method it calls."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return node.left if isinstance(node.ops[0], ast.In | ast.NotIn) else node.comparators[0]
    if isinstance(node, ast.BinOp):
        # A reflected operator has the receiver on its right.
        reflected = isinstance(node.right, ast.Name) and not isinstance(node.left, ast.Name)
        return node.left if reflected else node.right
    return node.slice if isinstance(node, ast.Subscript) else None


_ESCAPE_CODE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Signs that do not print, in the order of their codes.
_BLANKS = {"\t": "tab", "\n": "line_break", "\t ": "space_and_tab", "\n ": "space_and_line_break"}
# Formats of moments are told by what they hold.
_TIME_PARTS = re.compile(r"%([A-Za-z])")
_PARTS_OF_TIME = {
    **dict(zip("YymBbdjHIMS", "year year month month month day day hour hour minute second".split(), strict=True)),
    **dict(zip("fpAaZz", "microsecond noon weekday weekday zone zone".split(), strict=True)),
}
# Conversions of printf formats: a text that has only these is none of a moment.
_OF_PRINTF = frozenset("dfaA")
# Texts whose words tell less than what they are.
_FORMS = (
    (re.compile(r"--- [^\n]*\n\+\+\+ "), "unified_diff"),
    (re.compile(r"diff --git "), "git_diff"),
    (re.compile(r"\*\*\* [^\n]*\n--- "), "context_diff"),
    (re.compile(r"\d+(,\d+)?[acd]\d+(,\d+)?\n[<>] "), "normal_diff"),
    (re.compile(r'\{"[^\n]*\}\s*\Z'), "json_object"),
)


def _describe_constant(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool) or value is ...:
        return str(value).lower()
    if isinstance(value, int | float | complex):
        text = repr(value)
        if isinstance(value, float) and len(text) > _LONGEST_FLOAT:
            text = f"{value:.0f}" if _THOUSAND <= abs(value) < _TRILLION else f"{value:.4g}"
        return "zero" if text in ("0", "0.0") else slug(text.replace("e-", "e_minus_").replace(".", "_"))
    if isinstance(value, bytes):
        text = value.decode("latin-1")
        return (cut_slug(slug(text), _LONGEST_VALUE) or symbols_in_words(text)) if value.strip() else "empty_bytes"
    text = str(value)
    if not text:
        return "empty_string"
    if not text.strip():
        return _BLANKS.get("".join(sorted(set(text))), "blank_string")
    if moment := _format_of_moment(text.replace("%%", "")):
        return cut_slug(moment, _LONGEST_VALUE)
    form = next((noun for start, noun in _FORMS if start.match(text)), "")
    if form:
        return form
    shown = _ESCAPE_CODE.sub("", text)
    words = snake_case(shown).split("_")[:_WORDS_OF_TEXT]
    if shown != text:
        words.append("with_escape_codes")
    return cut_slug("_".join(word for word in words if word), _LONGEST_VALUE) or symbols_in_words(text)


def _format_of_moment(text: str) -> str:
    """What a format of moments holds, as `year_month`; empty for other texts."""
    parts = _TIME_PARTS.findall(text)
    words = dict.fromkeys(_PARTS_OF_TIME.get(part, "") for part in parts)
    is_one = len(words) > 1 and all(words) and not _OF_PRINTF.issuperset(parts)
    return "_".join(words) if is_one and not re.search("[A-Za-z]", _TIME_PARTS.sub("", text)) else ""


def _describe_items(kind: str, items: Sequence[ast.expr]) -> str:
    if not items:
        return f"empty_{kind}"
    plain = [describe(item) for item in items if isinstance(item, ast.Constant | ast.UnaryOp)]
    if len(plain) == len(items) <= 3 and len("_".join(plain)) <= _LONGEST_VALUE:
        return "_".join(plain)
    return f"{kind}_of_{_count(len(items))}"


def _is_path(node: ast.BinOp) -> bool:
    right = node.right
    return isinstance(node.op, ast.Div) and isinstance(right, ast.Constant) and isinstance(right.value, str)


def _describe_operation(node: ast.BinOp) -> str:
    """`one_over_3`, `today_minus_days_30`; `yesterday` and `tomorrow` for one day from today."""
    left, right = describe(node.left), describe(node.right)
    if left == "today" and right == "days_1":
        return "yesterday" if isinstance(node.op, ast.Sub) else "tomorrow"
    word = _OPERATIONS.get(type(node.op), "and")
    return cut_slug(f"{left}_{word}_{right}", _LONGEST_VALUE)


def _describe_call(node: ast.Call) -> str:
    sole = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if sole is not None and last_name(node.func) in _CONVERSIONS:
        text = sole.value.lower() if isinstance(sole, ast.Constant) and isinstance(sole.value, str) else ""
        return _NO_NUMBERS.get(text) or describe(sole)
    if last_name(node.func) == "timedelta" and (node.args or node.keywords):
        units = [*("days" for _ in node.args[:1]), *(keyword.arg for keyword in node.keywords)]
        given = [*node.args[:1], *(keyword.value for keyword in node.keywords)]
        return cut_slug("_".join(f"{unit}_{describe(one)}" for unit, one in zip(units, given, strict=True)), 24)
    values = [describe(arg) for arg in node.args] + [f"{one.arg}_{describe(one.value)}" for one in node.keywords]
    name = snake_case(last_name(node.func))
    if name in ("date", "datetime", "time") and values:
        return cut_slug("_".join(values), _LONGEST_VALUE)
    return cut_slug("_".join((name, *values)), _LONGEST_VALUE) or name or "a_call"


def _count(number: int) -> str:
    return _SMALL_NUMBERS[number] if number < len(_SMALL_NUMBERS) else str(number)


_MOST_SYMBOLS = 3
_THOUSAND, _TRILLION = 1e3, 1e12


_SYMBOLS = {"|": "bar"} | {
    pair[0]: pair[2:]
    for pair in (
        "! exclamation_mark|\" double_quote|# hash|$ dollar|% percent|& ampersand|' quote|( open_parenthesis|"
        ") closed_parenthesis|* star|+ plus|, comma|- minus|. dot|/ slash|: colon|; semicolon|< less_than|= equals|"
        "> greater_than|? question_mark|@ at|[ open_bracket|\\ backslash|] closed_bracket|^ caret|_ underscore|"
        "` backtick|{ open_brace|} closed_brace|~ tilde"
    ).split("|")
}


def symbols_in_words(text: str) -> str:
    """`slash`, `open_brackets`, `minus_dot`; `symbols` where there are many."""
    if not text.isascii():
        return "non_ascii_text"
    runs = [(mark, sum(1 for _ in same)) for mark, same in groupby("".join(text.split()))]
    names = [_SYMBOLS.get(mark, "") for mark, _ in runs]
    if len(runs) > _MOST_SYMBOLS or not all(names):
        return "symbols"
    many = ["es" if name.endswith(("h", "s")) else "s" for name in names]
    return "_".join(name + (end if count > 1 else "") for name, end, (_, count) in zip(names, many, runs, strict=True))
