"""Describes in words how the situation of a test differs from that of its member's first test.

Words name parameters and kinds of values (`negative_index`, `empty_name`, `longer_text`, `after_clear`), never the
digits of literals.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....utils.names.case_names import snake_case
from ....utils.python_names import last_name
from ..model.model import CallableFacts
from ..search.story_steps import is_filling
from ..source.counterparts import APART, counterpart_names, relation_of, takes_counterparts
from ..source.moments import moment_words
from ..source.set_algebra import CHANGING, COMBINING
from .argument_words import (
    TELLING,
    added_words,
    noun_of,
    option_name,
    plain_name,
    spread_words,
    value_words,
)
from .situation import CLOCK, CONTENT, LATER, RECEIVER, Situation, plural
from .value_features import (
    NAMELESS,
    feature_beside,
    item_count,
    made_words,
    with_feature,
)

# Parameters whose values are looked up: which of two is larger says nothing.
_KEYS = frozenset({"key", "k", "name", "id", "ident"})
_ONLY = "after_only_"
# Words that say only of a value that it is another one, or how large.
UNTOLD = ("other_", "longer_", "shorter_", "larger_", "smaller_")
_ORDERED = ("larger_", "smaller_")
_MADE = "made_by_"
# Words that say only that something is not the same: those that say how come before them.
VAGUE = (*UNTOLD, "function_as_", "on_a_", "in_the_", _ONLY, _MADE)

_EQUAL = "equal_"
# Names of parameters that are the two ends of a range.
_ENDS = frozenset(
    tuple(pair.split())
    for pair in (
        "lower upper,start stop,start end,begin end,low high,lo hi,min max,minimum maximum,left right,first last,"
        "min_value max_value,minimum_value maximum_value,since until,from to"
    ).split(",")
)
_ITSELF = "itself"
# Of the features of a value, those that tell little beside several others.
_SIZES_ALONE = frozenset(
    "large positive whole pair of_one_letter of_one_digit of_one_sign capitalized with_digits".split()
)


def differences(mine: Situation, usual: Situation, facts: CallableFacts | None) -> list[str]:
    """Describes what differs from the usual test, arguments of the call first."""
    if mine.handed_on:
        return []
    itself = mine.itself if mine.itself != usual.itself else ""
    found = [_ITSELF if itself else "", _equal_arguments(mine, usual)]
    passed = ((name, node) for name, node in mine.arguments.items() if name != itself)
    told = {name: _difference(name, node, mine, usual) for name, node in passed}
    told |= dict.fromkeys(_left_at_defaults(mine, usual, facts), "")
    if mine.needed and not usual.built and not _sets_options(usual):
        told |= dict.fromkeys(mine.needed & told.keys(), "")  # each object is made with them: they set none apart
    found += told.values()
    for name in sorted(mine.varying - usual.varying - {*usual.arguments, CLOCK}):
        found.append(f"with_{option_name(name)}")
    if mine.built and not usual.built:
        found.append(_built_of_nothing(mine, usual, facts))
    if mine.set_up() != usual.set_up():
        found = [words for words in found if not words.startswith(_ORDERED)]
    steps = _steps(mine, usual, facts)
    found += [_related_arguments(mine, usual, facts), steps]
    if mine.maker and mine.maker != usual.maker and facts is not None and usual.set_up()[1]:
        found.append(f"{_MADE}{snake_case(mine.maker)}")
    filled = mine.filling() == list(mine.before) and (usual.content in usual.arguments or bool(usual.filling()))
    set_up = {steps} if filled else set[str]()
    if any("." not in name for name in told) and mine.content in told and told[mine.content] != "when_empty":
        set_up.add(told[mine.content])
    lacking = _lacking(mine, usual, facts)
    # An option that is passed tells more than what the operands look like, and these more than one that is not; how an
    # object was filled or with what it was made, where the call has arguments of its own, tells least.
    return sorted(
        dict.fromkeys(words for words in (*found, *lacking) if words),
        key=lambda words: (
            words.startswith(VAGUE),
            words in set_up,
            not words.startswith((_ITSELF, _EQUAL)),
            words in lacking or not words.startswith(("with_", "without_")),
            words in lacking and not words.startswith("when_"),
        ),
    )


def _left_at_defaults(mine: Situation, usual: Situation, facts: CallableFacts | None) -> list[str]:
    """The arguments that are passed as their defaults are and that the usual test does not pass, mostly for the sake of
    a later one that is passed by its place."""
    defaults = {one.name: one.default for one in facts.parameters} if facts is not None else {}
    return [
        name
        for name, node in mine.arguments.items()
        if name not in (*usual.arguments, *usual.varying) and defaults.get(name) == ast.unparse(node)
    ]


def _built_of_nothing(mine: Situation, usual: Situation, facts: CallableFacts | None) -> str:
    """Describes an object that is built with nothing, where the usual one is not."""
    if _is_filled(usual):
        return "when_empty"
    new = f"new_{snake_case(facts.owner)}" if facts is not None and facts.owner else ""
    # Without what was done to the usual object it is new; with all options left out it has its defaults, but not beside
    # arguments of the call, of which a reader would take that to be said.
    given = [name for name in (*mine.arguments, *mine.varying) if "." not in name and name != CLOCK]
    passes = any(name != mine.spread or item_count(mine.arguments.get(name)) for name in given)
    plain = not _sets_options(usual) and not mine.optional
    return new if new and (usual.before or passes or plain) else "with_defaults"


def _steps(mine: Situation, usual: Situation, facts: CallableFacts | None) -> str:
    """Describes what was done to the object before, never what was not: that says nothing of a test."""
    added = [name for name in mine.before if name not in usual.before]
    own = facts.name if facts is not None else ""  # what the usual test does again, both do
    missing = [] if mine.built else [name for name in usual.before if name not in (*mine.before, own)]
    if added:
        return f"after_{snake_case(added[-1])}"
    if len(mine.before) > len(usual.before):
        return f"after_several_{plural(snake_case(mine.before[-1]))}"
    if missing and not mine.before:
        # What nothing was put into, where the usual one was filled by calls, is empty.
        empty = mine.content not in mine.arguments and all(map(is_filling, missing))
        new = f"new_{snake_case(facts.owner)}" if facts is not None and facts.owner else ""
        return "when_empty" if empty else new
    if missing:
        return f"{_ONLY}{snake_case(mine.before[0])}" if len(set(mine.before)) == 1 else ""
    return f"after_single_{snake_case(mine.before[0])}" if len(mine.before) == 1 < len(usual.before) else ""


def _lacking(mine: Situation, usual: Situation, facts: CallableFacts | None) -> list[str]:
    """Names the arguments that the usual test has and this one has not; none of those that may have any name."""
    found: list[str] = []
    free = facts is not None and any(one.kind == "var_keyword" for one in facts.parameters)
    known = {one.name for one in facts.parameters} if facts is not None else set[str]()
    required = {one.name for one in facts.needed if one.is_positional} if facts is not None else set[str]()
    own = {plain_name(name) for name in (*mine.arguments, *mine.varying)}
    for name in usual.arguments:
        if name in mine.arguments or name in mine.varying or mine.built or name == CLOCK or plain_name(name) in own:
            continue
        if (free and "." not in name and name not in known) or (mine.maker and "." in name):
            continue
        if name in required or ("." not in name and facts is not None and facts.name.startswith("__")):
            continue  # every call has it, though the act may hide it
        if name == usual.content and mine.before:
            continue  # it was given to calls instead
        empty = name == usual.content and (_is_filled(usual) or plain_name(name) in NAMELESS)
        found.append("when_empty" if empty else f"without_{plain_name(name)}")
    return found


def empty_arguments(mine: Situation) -> str:
    """Names what is empty where all that a usual call works on is: its arguments, or what its object is built with."""
    own = {name: node for name, node in mine.arguments.items() if "." not in name and name != mine.spread}
    built = {name: node for name, node in mine.arguments.items() if name.startswith(f"{RECEIVER}.")}
    if not own and len(built) == 1 and not mine.before and not mine.varying:
        content = _content_of_receiver(*next(iter(built.items())), None, mine)
        return content if content == "when_empty" else ""
    items = [node for node in own.values() if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)]
    if not own or len(items) != len(own) or any(item_count(node) for node in items) or mine.varying:
        return ""
    name, node = next(iter(own.items()))
    return f"empty_{noun_of(name, node)}"


def _difference(name: str, node: ast.expr, mine: Situation, usual: Situation) -> str:
    """Describes one argument beside the usual one; empty where they are equal."""
    other = usual.arguments.get(name)
    if other is not None and ast.dump(other) == ast.dump(node):
        return ""
    if name == CLOCK:
        return "" if LATER in mine.before else moment_words(node)
    if name == mine.spread:
        return spread_words(name, node, other)
    content = _content_of_receiver(name, node, other, mine)
    if content is not None:
        return content
    if plain_name(name) in _KEYS and isinstance(node, ast.Constant) and isinstance(other, ast.Constant):
        known, usual_known = ast.dump(node) in mine.known, ast.dump(other) in usual.known
        return f"{'missing' if mine.known and usual_known and not known else 'other'}_{plain_name(name)}"
    if other is None and name in usual.varying:
        words = value_words(name, node, None)
        if words.startswith(TELLING) or isinstance(node, ast.Slice):
            return words
        # Otherwise it is one more of the values that are usual, unless it is made or looks otherwise than all of them.
        return _beside_rows(noun_of(name, node), node, usual.rows.get(name, []))
    return added_words(name, node, choice=name in mine.choices) if other is None else value_words(name, node, other)


def _beside_rows(plain: str, node: ast.expr, rows: Sequence[ast.expr]) -> str:
    """Says what sets a value apart from all those of a table; empty where it is like them."""
    if isinstance(node, ast.Call):
        calls = {last_name(row.func) for row in rows if isinstance(row, ast.Call)}
        return made_words(plain, node) if rows and last_name(node.func) not in calls else ""
    feature = feature_beside(node, rows) if rows and {type(row) for row in rows} == {type(node)} else ""
    return with_feature(feature, plain) if feature and feature not in _SIZES_ALONE else ""


def _content_of_receiver(name: str, node: ast.expr, usual: ast.expr | None, mine: Situation) -> str | None:
    """Describes what an object is built with, where no parameter's name says what that is; None for other arguments.

    It only sets the object up, and is no condition, where calls fill the object as well, or the usual one.
    """
    owner, _, own = name.partition(".")
    if owner != RECEIVER or own not in (*CONTENT, "other"):
        return None
    if mine.filling():
        return ""
    if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return "" if usual is None else None
    size, others = item_count(node), item_count(usual)
    if not size:
        return "when_empty"
    return "with_single_item" if size == 1 and others != 1 else "" if usual is None else None


def _equal_arguments(mine: Situation, usual: Situation) -> str:
    """Names two arguments of the call that are equal, where the usual call has different ones; empty without any."""
    told = {name: ast.dump(node) for name, node in mine.arguments.items() if "." not in name}
    whole = (ast.Call, ast.List, ast.Tuple, ast.Dict, ast.Set)
    names = list(told)
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            # That two plain values are the same by chance says something of the ends of a range alone.
            if not isinstance(mine.arguments[first], whole) and (first.strip("_"), second.strip("_")) not in _ENDS:
                continue
            known = [usual.arguments.get(name) for name in (first, second)]
            apart = None in known or len({ast.dump(node) for node in known if node is not None}) > 1
            if told[first] == told[second] and apart and mine.spread not in (first, second):
                return f"{_EQUAL}{plain_name(first)}_and_{plain_name(second)}"
    return ""


def _related_arguments(mine: Situation, usual: Situation, facts: CallableFacts | None) -> str:
    """Says that two texts or lists that play the same part are equal or share nothing, where the usual ones do not."""
    pairs = [_counterparts(one, facts) for one in (mine, usual)]
    compared = {mine.spread, *(counterpart_names(facts) if facts is not None else ())}
    if any("." not in name and name not in usual.arguments for name in mine.arguments.keys() - compared):
        return ""  # an option may decide what counts as equal
    relations = [relation_of(*pair) if len(pair) == 2 else "" for pair in pairs]
    if not relations[0] or relations[0] == relations[1]:
        return ""
    if relations[0] == APART:
        # Of a set and its operands, a reader would take it for what they share with the set.
        own = facts is not None and facts.name in (*COMBINING, *CHANGING)
        return "" if mine.spread and own else f"with_{APART}"
    return f"with_{_EQUAL}{plain_name(mine.spread) if mine.spread else 'arguments'}"


def _counterparts(one: Situation, facts: CallableFacts | None) -> list[ast.expr]:
    if facts is None or not takes_counterparts(facts):
        return []
    spread = one.arguments.get(one.spread)
    if isinstance(spread, ast.Tuple):
        return spread.elts
    return [one.arguments[name] for name in counterpart_names(facts) if name in one.arguments]


def _sets_options(usual: Situation) -> bool:
    """Whether the usual object is built with anything that another one may leave to its defaults."""
    return any(name.startswith(f"{RECEIVER}.") for name in (*usual.arguments, *usual.varying))


def _is_filled(usual: Situation) -> bool:
    """Whether the usual object is made of items, so that one made of nothing is empty."""
    own = usual.content.partition(".")[2]
    node = usual.arguments.get(usual.content)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)
    return own in CONTENT and (is_text or item_count(node) > 0)
