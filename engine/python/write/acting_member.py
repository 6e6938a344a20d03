"""A test that is to be named, and which member its name tells: mostly its subject, else what the act really calls."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ....utils.names.case_names import snake_case
from ....utils.python_names import last_name, mentioned_names, names_of
from ....utils.python_source import parse_expression, parse_python, shared_module
from ..model.model import CallableFacts
from ..model.spec_case import Case
from ..source.message_words import message_words
from ..source.outcome_words import outcome_words
from ..source.titles import shared_words, subject_slug
from ..usage.slicing import completes
from .situation import Situation

_ORDINALS = ("second", "third", "fourth", "fifth")
# Builtins that only show what a call returns.
_COLLECTING = frozenset("list tuple set frozenset dict sorted next iter print repr str bool len".split())
# What a class or a function says of itself: that it is made or called shows nothing of that.
_SPECIAL = {"__doc__": "docstring", "__name__": "name", "__qualname__": "qualified_name", "__module__": "module"}
# What the words behind a member's own tell of a test.
_BY_A_LOOK = re.compile(
    r"_for_(?!(?:no|nested|pair|slice|itself|list_of)(?:_|$))|_after_|_in_reversed$"
    r"|_(?:when|is)_empty$|_with_single_\w+$|_in_the_(?:past|future)$"
)
_AN_EDGE = re.compile(r"_(?:when|is)_empty$|_for_new_\w+$")
_BY_AN_OPTION = re.compile(r"_(?:with|without)_(\w+)$")


@dataclass(slots=True)
class NamedTest:
    """One test function: a single case or the rows of a table.

    Attributes:
        told: what its name says behind the words of the member and the exception, a phrase of its message left out.
        vague: whether its name does not tell what sets it apart from the tests before it.
        shown: what a document says that it shows, in words.
        alike: the other tests of the member of which documents say the same.
        conditions: what sets it apart from the usual test of the member, in words, the most telling first.
        only_of_size: whether no other test of the member has a result of the same size.
        own_names: the names in its code that no other test of the member has.
    """

    cases: list[Case]
    facts: CallableFacts | None
    situation: Situation
    name: str = ""
    told: str = ""
    vague: bool = False
    shown: str = ""
    alike: tuple[NamedTest, ...] = field(default=(), compare=False, repr=False)
    conditions: Sequence[str] = ()
    only_of_size: bool = True
    own_names: frozenset[str] = frozenset()

    @property
    def act(self) -> ast.expr:
        """The expression that acts; in a table, that of the first row."""
        return parse_expression(self.cases[0].expression)

    @property
    def exception(self) -> str:
        """Name of the exception that it expects; empty without one."""
        raised = next((one for one in self.cases[0].expect if one.kind == "raises"), None)
        return (raised.exception or "").rpartition(".")[2] if raised is not None else ""


def names_used(test: NamedTest) -> frozenset[str]:
    """The names and attributes that the statements and the acts of a test mention."""
    texts = dict.fromkeys(text for case in test.cases for text in (*case.statements, case.expression))
    trees = (shared_module(text.strip()) for text in texts)
    return frozenset(mentioned_names(tree for tree in trees if tree is not None))


def shared_outcome(test: NamedTest) -> str:
    """Returns the outcome that all rows of a test have; empty where they differ."""
    return shared_words(map(outcome_words, test.cases))


def acting_member(subject: str, base: str, test: NamedTest) -> str:
    """Returns what a test is named for: the member's name `base`, or what the act calls or reads in place of it."""
    found = f"{subject_slug(subject)}_in_{user}" if (user := _user_of(subject, test)) else base
    read = attribute_read(test) or _call_at_property(test)
    found = f"{subject_slug(subject)}_{read}" if read else found
    inherited = _inherited_call(snake_case(subject.rpartition(".")[2]), test)
    return subject_slug(f"{subject.rpartition('.')[0]}.{inherited}") if inherited else found


def told_behind(subject: str, member: str, test: NamedTest) -> str:
    """What a test's name says behind the words of its member and its exception, without a phrase of the message.

    Args:
        member: what the test is named for. A step that it tells is no name of the member.
    """
    plain = subject_slug(subject)
    step = member.removeprefix(plain).startswith("_after_")
    heads = [plain] if step else [member.removesuffix("_construction"), plain]
    name = next((test.name.removeprefix(head) for head in heads if test.name.startswith(head)), "")
    if test.exception:
        name = name.removeprefix(f"_raises_{snake_case(test.exception)}")
        phrase = message_words(test.cases)
        name = "" if phrase and name in (f"_{phrase}", f"_for_{phrase}") else name
    return name


def names_a_look(told: str, set_up: Collection[str] = ()) -> bool:
    """Whether a test's name tells it from others by what a value looks like (`_for_negative_index`, `_for_empty_text`),
    by what was done with its object before (`_after_add`, `_for_new_cart`, `_without_intervals`), or by a result that
    is empty or single.

    What values hold, and that none is passed, says what is asked.

    Args:
        told: what the name says behind the member's own words, which say nothing of a value.
        set_up: the parameters of the constructor that the callable has not, too.
    """
    if _BY_A_LOOK.search(told):
        return True
    option = _BY_AN_OPTION.search(told)
    return option is not None and option[1] in set_up


def names_an_edge(told: str) -> bool:
    """Whether a test's name tells it from others by an object that is new or empty, or by an empty result: an edge that
    persons ask for though it may run no way of its own."""
    return _AN_EDGE.search(told) is not None


def attribute_read(test: NamedTest) -> str:
    """Names what a test reads of a new object, of a property, or of what a class says of itself; empty for others."""
    return _attribute_of_new(test) or _attribute_of_property(test) or _SPECIAL.get(_attribute(test.act), "")


def _attribute(act: ast.expr) -> str:
    return act.attr if isinstance(act, ast.Attribute) else ""


def repeated_call(test: NamedTest) -> str:
    """Says which of several equal calls acts, as `second_next_call`; empty for the first one."""
    case, act = test.cases[0], test.act
    before = sum(text.strip() == case.expression for text in case.statements)
    called = last_name(act.func) if isinstance(act, ast.Call) else ""
    if not called or snake_case(called) == snake_case(case.subject.rpartition(".")[2]):
        return ""
    return f"{_ORDINALS[before - 1]}_{snake_case(called)}_call" if 0 < before <= len(_ORDINALS) else ""


def outer_call(test: NamedTest) -> str:
    """Names the builtin that is given what the subject returns, as `in_reversed`; empty for what only collects it."""
    act, name = test.act, test.facts.name if test.facts is not None else ""
    while isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.args:
        outer = act.func.id
        if outer == name or not hasattr(builtins, outer):
            return ""
        if outer not in _COLLECTING:
            return f"in_{snake_case(outer)}"
        act = act.args[0]
    return ""


def named_once(name: str) -> str:
    """`search_search` as `search`."""
    half = name[: len(name) // 2]
    return half if name == f"{half}_{half}" else name


def uses_of_result(test: NamedTest) -> list[str]:
    """Names what a test does with what its subject made in an arranging statement; none where the act calls it."""
    facts, case = test.facts, test.cases[0]
    if facts is None or (facts.owner is not None and facts.kind != "constructor"):
        return []
    name = facts.owner or facts.name
    act = test.act
    nodes = [node for text in case.statements for node in parse_python(text.strip()).body]
    if name in names_of(act) or not any(name in names_of(node) for node in nodes):
        return []
    if isinstance(nodes[-1], ast.Assign) and isinstance(nodes[-1].targets[0], ast.Tuple):
        return ["unpacking"]
    called = [last_name(node.func) for node in ast.walk(act) if isinstance(node, ast.Call)]
    called = [one for one in called if one not in _COLLECTING]
    made = [node.value for node in nodes[-1:] if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    methods = [node.func.attr for node in made if isinstance(node.func, ast.Attribute)]
    read = [node.attr for node in ast.walk(act) if isinstance(node, ast.Attribute)]
    if methods:
        return [snake_case(methods[0]), f"from_{snake_case(methods[0])}"]
    if called:
        return [snake_case(called[0]) if called[0] in read else f"{snake_case(called[0])}_call"]
    if any(isinstance(node, ast.Subscript) for node in ast.walk(act)):
        return ["indexing"]
    return ["_and_".join(snake_case(name) for name in dict.fromkeys(read))] if read else []


def _inherited_call(member: str, test: NamedTest) -> str:
    """Names the inherited method that the act calls in place of the member that completes it: `dumps`."""
    act = test.act
    called = act.func.attr if isinstance(act, ast.Call) and isinstance(act.func, ast.Attribute) else ""
    if not completes(member, called):
        return ""
    used = mentioned_names([act, *(parse_python(text.strip()) for text in test.cases[0].statements)])
    return "" if member in {snake_case(name) for name in used} else called


def _user_of(subject: str, test: NamedTest) -> str:
    """Names the function that is given what a constructor makes, as `render` in `render(Page())`; empty for others."""
    act = test.act
    if test.facts is None or test.facts.kind != "constructor" or not isinstance(act, ast.Call):
        return ""
    before = [node for text in test.cases[0].statements for node in parse_python(text.strip()).body]
    nodes = [inner for node in (*before, act) for inner in ast.walk(node) if inner is not act]
    made = {last_name(node.func) for node in nodes if isinstance(node, ast.Call)}
    outer = last_name(act.func)
    passed = names_of(act) - {outer}
    used = isinstance(act.func, ast.Name) and outer != subject and not hasattr(builtins, outer) and bool(passed)
    return snake_case(outer) if used and subject in made else ""


def _attribute_of_new(test: NamedTest) -> str:
    """Names the attribute that is read of a new object, as `largest` in `Stats([2, 1]).largest`; empty for others."""
    act = test.act
    if test.facts is None or test.facts.kind != "constructor" or not isinstance(act, ast.Attribute):
        return ""
    made = act.value
    return (
        snake_case(act.attr)
        if isinstance(made, ast.Call) and last_name(made.func) == (test.facts.owner or test.facts.name)
        else ""
    )


def _attribute_of_property(test: NamedTest) -> str:
    """Names what is read of a property, as `isfile_is_false` of `url.path.isfile`; empty for others."""
    act = test.act
    if test.facts is None or test.facts.kind != "property" or not isinstance(act, ast.Attribute):
        return ""
    if not isinstance(act.value, ast.Attribute) or act.value.attr != test.facts.name:
        return ""
    return f"{snake_case(act.attr)}_is_false" if shared_outcome(test) == "is_false" else snake_case(act.attr)


def _call_at_property(test: NamedTest) -> str:
    """Names the call that acts where the subject is a property: of what is read, or before it is read of a new object.

    `normalize` of `url.path.normalize()`, `after_set` of `Url("a").set({}).text`; empty for others.
    """
    act = test.act
    if test.facts is None or test.facts.kind != "property":
        return ""
    if isinstance(act, ast.Call) and isinstance(act.func, ast.Attribute):
        of = act.func.value
        is_own = isinstance(of, ast.Attribute) and of.attr == test.facts.name
        return f"{snake_case(act.func.attr)}{_options(act)}" if is_own else ""
    made = act.value if isinstance(act, ast.Attribute) and act.attr == test.facts.name else None
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
        return ""
    return f"after_{snake_case(made.func.attr)}" if isinstance(made.func.value, ast.Call) else ""


def _options(call: ast.Call) -> str:
    """The options that a call passes by name: `_with_dont_quote`, `_without_quote_plus`."""
    words = [
        f"_{'without' if isinstance(one.value, ast.Constant) and one.value.value is False else 'with'}_{one.arg}"
        for one in call.keywords
        if one.arg
    ]
    return "".join(words[:1])
