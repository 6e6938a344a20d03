"""Builds trials from the examples in a module's documentation."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace

from ....utils.python_names import assigned_variables, last_name, printed_argument
from ....utils.python_source import expression_or_none, literal_or, parse_or_none, parse_python
from ..facts.analyse import imports_of, subjects
from ..facts.lineage import members_of_private_bases
from ..model.model import PRINTS, CallableFacts, Documentation, Example, ModuleFacts, Trial
from ..usage.project_index import ProjectIndex
from ..usage.prose_examples import prose_examples
from ..usage.scoping import NameScope, is_reproducible
from ..usage.slicing import Subjects, needed_statements, standalone
from .refused_calls import refused_call

_MAXIMUM_TEXT = 900


def example_trials(facts: ModuleFacts, index: ProjectIndex) -> Iterator[Trial]:
    """Yields a trial for each doctest prompt that is an expression about a subject of the module, and each example in
    words."""
    wanted = subjects(facts)
    inherited = tuple(members_of_private_bases(facts))
    finder = Subjects(facts, (*wanted, *inherited))
    heirs = {(one.name, one.lines): one for one in inherited}
    for function in facts.callables():
        own = function if function in wanted else heirs.get((function.name, function.lines))
        yield from _documented(function.documentation, own, facts, index, finder)
    constructors = {one.owner: one for one in wanted if one.kind == "constructor"}
    for owner in facts.classes:
        yield from _documented(owner.documentation, constructors.get(owner.name), facts, index, finder)
    yield from _documented(facts.documentation, None, facts, index, finder)
    for one in prose_examples(facts):
        trial = example_trial(one.example, one.about, facts, index, finder)
        if trial is not None and one.about in wanted:
            # Without a result it is an input that a person chose.
            source = "doctest" if one.certain else "prose" if one.example.want else "domain"
            yield replace(trial, source=source)


def _documented(
    documentation: Documentation, own: CallableFacts | None, facts: ModuleFacts, index: ProjectIndex, finder: Subjects
) -> Iterator[Trial]:
    for example in documentation.examples:
        trial = example_trial(example, own, facts, index, finder)
        if trial is not None:
            inner = printed_value(trial)
            # A reader keeps the plainer of both: the value, rather than the text that printing it shows.
            yield from (one for one in (inner, trial) if one is not None)


def example_trial(
    example: Example, own: CallableFacts | None, facts: ModuleFacts, index: ProjectIndex, finder: Subjects
) -> Trial | None:
    """Builds the trial of one example; None if it is no expression about a subject of the module."""
    trees = [tree for text in (*example.arrange, example.act) if (tree := parse_or_none(text))]
    if len(trees) <= len(example.arrange) or len(trees[-1].body) != 1:
        return None
    before, last = [node for tree in trees[:-1] for node in tree.body], trees[-1].body[0]
    functions = {one.name for one in facts.functions}
    aliases = {name: source for name, source in facts.constants if source in functions}
    for name in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)):
        name.id = aliases.get(name.id, name.id)  # an old name of a function is that function
    shown_to_fail = refused_call(last) if not example.want.strip() else None
    if shown_to_fail is not None:
        *inside, last = shown_to_fail.body
        before = [*before, *inside]
        example = replace(example, want=shown_to_fail.want)
    last, example = _asserted(*_collected(last, example))
    # `cart = Cart()` without output: the assigned expression is the act.
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) and not example.want:
        last = ast.copy_location(ast.Expr(value=last.value), last)
    if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Constant):
        return None
    imports = [one for one in (*before, last) if isinstance(one, ast.Import | ast.ImportFrom)]
    package = facts.module.rpartition(".")[0]
    scope = NameScope(facts, index, imports_of(list(imports), package))
    needed = [node for node in needed_statements(before, last) if not isinstance(node, ast.Import | ast.ImportFrom)]
    needed, value = _last_assigned(needed, last.value)
    resolved = standalone(needed, value, scope)
    if resolved is None or isinstance(resolved[1].value, ast.Name):
        return None
    arranged, act, arrange, act_text = resolved
    statements = scope.imports_for([*arranged, act])
    whole = "\n".join([*arrange, act_text])
    subject = finder.of(act.value, arranged) or _about(own, act.value, arranged, whole, finder)
    if own is not None and _only_shows(act.value, own, arranged):
        subject = own
    if statements is None or subject is None or len(whole) > _MAXIMUM_TEXT or not is_reproducible(whole):
        return None
    return Trial(
        subject=subject.qualname,
        act=act_text,
        imports=statements,
        arrange=arrange,
        source="doctest" if example.certain else "prose",
        wanted=example.want or None,
        wanted_line=example.line if example.want else 0,
    )


def _about(
    own: CallableFacts | None, act: ast.expr, arranged: list[ast.stmt], whole: str, finder: Subjects
) -> CallableFacts | None:
    """The callable that an example is about which calls nothing of the module directly; None for none.

    It is what it documents, if it names that; or the class whose object it prepares and hands to other code.
    """
    if own is not None and own.kind != "constructor" and own.name in whole:
        return own
    if any(isinstance(node, ast.AugAssign) for node in arranged):
        return finder.in_place(arranged)
    used = act.left if isinstance(act, ast.Compare) else act
    called = used.func if isinstance(used, ast.Call) else None
    if called is None or (isinstance(called, ast.Name) and hasattr(builtins, called.id)) or _reads_private(act):
        return None
    if own is not None and own.kind == "constructor" and (own.owner or own.name) in whole:
        return own
    return finder.prepared(arranged)


def _only_shows(act: ast.expr, own: CallableFacts, arranged: list[ast.stmt]) -> bool:
    """Whether an example asks for no more than how the result of the callable that it documents looks.

    `child = url.child("c")` followed by `child.to_text()` is an example of `child`, and so is `box.remove(5)` followed
    by `box == {1, 2}` one of `remove`, and `box.half() == Box(2)` one of `half`.
    """
    if own.kind != "constructor" and isinstance(act, ast.Compare) and isinstance(act.left, ast.Name):
        done = [one.value.func for one in arranged if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
        called = [one for one in done if isinstance(one, ast.Attribute) and one.attr == own.name]
        equal = len(act.ops) == 1 and isinstance(act.ops[0], ast.Eq)
        return equal and any(isinstance(one.value, ast.Name) and one.value.id == act.left.id for one in called)
    if isinstance(act, ast.Compare) and isinstance(act.left, ast.Call) and isinstance(act.ops[0], ast.Eq):
        return own.kind != "constructor" and last_name(act.left.func) == own.name
    act = (printed_argument(act) if isinstance(act, ast.Call) else None) or act
    asked = act.func if isinstance(act, ast.Call) and not (act.args or act.keywords) else act
    if own.kind == "constructor" or not isinstance(asked, ast.Attribute) or asked.attr == own.name:
        return False
    bound = assigned_variables(arranged)
    made = bound.get(asked.value.id) if isinstance(asked.value, ast.Name) else asked.value
    while isinstance(made, ast.Attribute):
        made = made.value  # `query.set(3).params.items()` looks at a part of the result
    return isinstance(made, ast.Call) and last_name(made.func) == own.name


def _reads_private(act: ast.expr) -> bool:
    """Whether an expression reads a private attribute, as the example of a private method does."""
    names = [node.attr for node in ast.walk(act) if isinstance(node, ast.Attribute)]
    return any(name.startswith("_") and not name.endswith("__") for name in names)


def _asserted(node: ast.stmt, example: Example) -> tuple[ast.stmt, Example]:
    """Reads `assert f(x) == [3]` as the comparison, which is true; one with True says less than it seems."""
    test = node.test if isinstance(node, ast.Assert) else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return node, example
    literal = literal_or(test.comparators[0], None)
    if literal is None or isinstance(literal, bool):
        return node, example
    return ast.copy_location(ast.Expr(test), node), replace(example, want="True")


def _last_assigned(needed: list[ast.stmt], act: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """Reads `result = f(x)` followed by `result` as `f(x)`, and the same for `result == 3`."""
    last = needed[-1] if needed else None
    if isinstance(act, ast.Compare) and isinstance(act.left, ast.Name):
        needed, left = _last_assigned(needed, act.left)
        return needed, ast.copy_location(ast.Compare(left, act.ops, act.comparators), act)
    if not isinstance(act, ast.Name) or not isinstance(last, ast.Assign) or len(last.targets) != 1:
        return needed, act
    target = last.targets[0]
    return (needed[:-1], last.value) if isinstance(target, ast.Name) and target.id == act.id else (needed, act)


def _collected(node: ast.stmt, example: Example) -> tuple[ast.stmt, Example]:
    """Reads `for item in items: print(repr(item))` as `list(items)` with the list that it shows."""
    if not isinstance(node, ast.For) or node.orelse or len(node.body) != 1 or not isinstance(node.target, ast.Name):
        return node, example
    items = [line for line in example.want.splitlines() if line.strip()]
    if ast.unparse(node.body[0]) != f"print(repr({node.target.id}))" or not isinstance(node.iter, ast.Call):
        return node, example
    if not items or any(expression_or_none(item) is None for item in items):
        return node, example
    act = ast.copy_location(ast.Expr(ast.Call(ast.Name("list", ast.Load()), [node.iter], [])), node)
    return ast.fix_missing_locations(act), replace(example, want=f"[{', '.join(items)}]")


def printed_value(trial: Trial) -> Trial | None:
    """Returns the trial of `print(x)` as a trial of `x`: a result can be compared, printed text only as text.

    None where the act prints nothing, or several things.
    """
    if not (trial.act.startswith("print(") and trial.act.endswith(")")):
        return None
    node = parse_python(trial.act).body[0]
    shown = printed_argument(node.value) if isinstance(node, ast.Expr) else None
    if shown is None:
        return None
    wanted = f"{PRINTS}{trial.wanted}" if trial.wanted and "Traceback" not in trial.wanted else None
    return replace(trial, act=ast.unparse(shown), wanted=wanted, wanted_line=trial.wanted_line if wanted else 0)
