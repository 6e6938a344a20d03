"""Says which trials no test may show because of what they pass, whatever came of it."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....utils.python_names import assigned_variable
from ....utils.python_source import shared_expression, shared_module
from ..domain.arguments import Argument, arguments_of
from ..domain.contains import is_inside
from ..model.domain import SAID_SOURCES, ParameterDomain
from ..model.model import RICH_SOURCES, ModuleFacts, Trial
from .missing_content import constructor_of, is_made_of_nothing
from .mixed_kinds import mixes_kinds
from .named_kinds import contradicts_name
from .odd_moments import has_odd_year

# None is no index, and hardly ever a key that somebody asks for.
_NONE_AS_KEY = re.compile(r"(del )?\w+\[None\]( = .*)?|\w+\.__(get|set|del)item__\(None(, .*)?\)")


def is_unfit(trial: Trial, facts: ModuleFacts) -> bool:
    """Whether a trial that nobody wrote passes what no person passes; of such parts no object is made.

    What persons pass may go into an object that nobody makes: `Union()` with a value of a call.
    """
    if trial.wanted or trial.source in RICH_SOURCES:
        return trial.source == "call_site" and not trial.wanted and _calls_empty_object(trial, facts)
    if (
        _takes_notes_of_its_own(trial, facts)
        or has_odd_year(trial, facts)
        or _calls_empty_object(trial, facts)
        or _NONE_AS_KEY.fullmatch(trial.act)
    ):
        return True
    arguments, kinds = arguments_of(trial, facts)
    if mixes_kinds(arguments, kinds) or any(contradicts_name(one, kinds) for one in arguments):
        return True
    made = [one for one in arguments if _builds_object(one, trial) and one.domain.source in SAID_SOURCES]
    return any(not is_inside(one.value, _of_any_items(one.domain), kinds, conditions=False) for one in made)


def _takes_notes_of_its_own(trial: Trial, facts: ModuleFacts) -> bool:
    """Whether a method is passed what it keeps notes in by its own object, `notes[self] = …`, in which others keep
    theirs: only the code that calls all of them knows what is in there."""
    owner, _, member = trial.subject.rpartition(".")
    members = (one for known in facts.classes if known.name == owner for one in known.members)
    kept = [(one, part) for one in members if one.name == member for part, use in one.uses if use == "item:self"]
    return any(part in {item.name for item in one.parameters} for one, part in kept)


def _calls_empty_object(trial: Trial, facts: ModuleFacts) -> bool:
    """Whether an object is called that is made of any number of parts, and of none here: `Union()(1)`."""
    owner, _, member = trial.subject.rpartition(".")
    found = next((one for one in facts.classes if one.name == owner), None)
    constructor = constructor_of(found, facts) if found is not None and member == "__call__" else None
    if found is None or constructor is None:
        return False
    trees = [tree for text in trial.arrange if (tree := shared_module(text.strip())) is not None]
    bound = [one for tree in trees for node in tree.body if (one := assigned_variable(node)) is not None]
    act = shared_expression(trial.act)
    calls = [node.func for node in ast.walk(act) if isinstance(node, ast.Call)] if act is not None else []
    called = {node.id for node in calls if isinstance(node, ast.Name)}
    made = [node for name, node in bound if name in called and isinstance(node, ast.Call)]
    return any(
        isinstance(one.func, ast.Name) and one.func.id == owner and is_made_of_nothing(one, constructor) for one in made
    )


def _of_any_items(domain: ParameterDomain) -> ParameterDomain:
    """The domain without what it says of the parts: code that takes several kinds of them is read as taking one."""
    alternatives = tuple(map(_of_any_items, domain.alternatives))
    return replace(domain, element=None, key=None, value=None, fields=(), alternatives=alternatives)


def _builds_object(one: Argument, trial: Trial) -> bool:
    """Whether an argument goes into an object that a method is called on later: a constructor that takes anything
    refuses nothing, and what the method makes of it is no behaviour."""
    return one.called.kind == "constructor" and not one.in_act and one.called.qualname != trial.subject
