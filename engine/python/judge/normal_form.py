"""Rewrites a finding into the form that its test will have, with the same meaning.

Drops statements unrelated to the act, inlines short values, turns a documented `print(x)` into `str(x)` and `x == y`
into an expectation about x, cuts endless iterators, and renames a local variable called `result`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ....utils.python_names import assigned_names, last_name
from ....utils.python_source import (
    expression_or_none,
    literal_or,
    literal_value,
    parse_expression,
    parse_python,
    shared_expression,
    shared_module,
)
from ..model.model import ModuleFacts, TrialFinding, Value
from ..source.import_block import read_imports
from ..source.statements import in_place_call, in_place_statement, plain_change
from ..usage.slicing import count_of, names_in, without_unrelated
from .compared_values import without_comparison

ITERATION_LIMIT = 50
_SHOWN_ITEMS = 5
_RESULT_NAME = "given"
_LONGEST_INLINED = 40
_LONGEST_ACT = 76
_CONVERSIONS = frozenset({"float", "int", "str", "bytes", "complex"})
_SLICE_ARGUMENTS = 3
_PRETTY_PRINTERS = frozenset({("pprint", "pprint"), ("pprint", "pp")})


def normal_form(finding: TrialFinding, facts: ModuleFacts, texts: frozenset[str] = frozenset()) -> TrialFinding | None:
    """Returns the finding in normal form; None if its source is not Python or awaits outside the act.

    Args:
        texts: subjects known to return strings, whose printed form is the result itself.
    """
    try:
        if _awaits(finding) or not _is_operator(finding):
            return None
        finding = _without_unseen_result(_without_returned_operand(finding))
        trial = finding.trial
        arrange = tuple(plain_statement(statement) for statement in trial.arrange)
        finding = replace(finding, trial=replace(trial, arrange=arrange, act=plain_expression(trial.act)))
        finding = _without_local_result(without_unrelated(finding))
        finding = _without_print(finding, facts, texts)
        finding = _without_stars(finding)
        finding = without_unrelated(_only_the_raising_call(finding, facts))
        finding = _inlined(finding)
        finding = without_comparison(finding)
        return _cut_iteration(finding)
    except SyntaxError:
        return None


def _is_operator(finding: TrialFinding) -> bool:
    """Whether a call of `__iadd__` and its like can be written as `x += y`; True for any other act."""
    act = shared_expression(finding.trial.act)
    call = in_place_call(act) if act is not None else None
    if call is None:
        return True
    value = finding.observation.value
    # What returns None leaves nothing in the variable, and what declines leaves the work to others.
    returns = value is not None and value.source not in ("None", "NotImplemented")
    return in_place_statement(call) is not None and (finding.observation.raised is not None or returns)


def _without_returned_operand(finding: TrialFinding) -> TrialFinding:
    """Writes what `x.__iadd__(y)` returned as what became of x.

    Where x itself changed, it is what was returned, and the effects say how; else x is the new object afterwards.
    """
    call = in_place_call(parse_expression(finding.trial.act))
    statement = in_place_statement(call) if call is not None else None
    if statement is None or finding.observation.raised is not None:
        return finding
    if finding.observation.effects:
        return replace(finding, observation=replace(finding.observation, value=Value("NoneType", "None")))
    arrange = (*finding.trial.arrange, ast.unparse(ast.fix_missing_locations(statement)))
    return replace(finding, trial=replace(finding.trial, arrange=arrange, act=ast.unparse(statement.target)))


def _without_unseen_result(finding: TrialFinding) -> TrialFinding:
    """Leaves out what `box.__setitem__(key, value)` returned: nobody sees it of `box[key] = value`."""
    call = shared_expression(finding.trial.act)
    if not isinstance(call, ast.Call) or _as_statement(ast.Expr(call)) is None or not finding.observation.effects:
        return finding
    if finding.observation.raised is not None or finding.observation.value is None:
        return finding
    return replace(finding, observation=replace(finding.observation, value=Value("NoneType", "None")))


def _awaits(finding: TrialFinding) -> bool:
    """Whether code outside the act's own mode awaits, which a synchronous test function cannot."""
    text = "\n".join((*finding.trial.arrange, finding.trial.act))
    waiting: list[ast.AST] = [shared_module(text) or parse_python(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Await):
            return True
        # Nested functions may await.
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False


def _without_local_result(finding: TrialFinding) -> TrialFinding:
    trial = finding.trial
    if "result" not in assigned_names(trial.arrange):
        return finding
    effects = tuple((_renamed(name), value) for name, value in finding.observation.effects)
    return replace(
        finding,
        trial=replace(trial, arrange=tuple(_renamed(one) for one in trial.arrange), act=_renamed(trial.act)),
        observation=replace(finding.observation, effects=effects),
        unstable=tuple(one if one == "result" else _renamed(one) for one in finding.unstable),
    )


def _renamed(source: str) -> str:
    tree = parse_python(source.strip())
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "result":
            node.id = _RESULT_NAME
    return ast.unparse(tree)


def _without_print(finding: TrialFinding, facts: ModuleFacts, texts: frozenset[str]) -> TrialFinding:
    """Turns `print(x)` and `print('x is', x)` into `str(x)`, so that the test need not capture output."""
    trial, seen = finding.trial, finding.observation
    node = parse_expression(trial.act)
    if not isinstance(node, ast.Call) or trial.mode != "call" or "output" in finding.unstable:
        return finding
    if _is_pretty_print(node, trial.imports):
        return _with_printed_value(finding, node)
    if not isinstance(node.func, ast.Name) or node.func.id != "print" or node.keywords:
        return finding
    found = _printed_argument(node.args, seen.output)
    if found is None:
        return finding
    shown, printed = found
    inner = ast.unparse(shown)
    plain = _gives_text(shown, facts, texts) and not _may_be_no_text(printed)
    act = inner if plain else f"str({inner})"
    value = Value("str", repr(printed), length=len(printed), text=printed[:200])
    seen = replace(seen, value=value, output="", outcome="returned")
    return replace(finding, trial=replace(trial, act=act), observation=seen)


def _is_pretty_print(node: ast.Call, imports: Sequence[str]) -> bool:
    """Whether a call is `pprint(x)` of the standard library, by any of its names."""
    named = {one.bound for one in read_imports(imports) if (one.module, one.name) in _PRETTY_PRINTERS}
    called = ast.unparse(node.func)
    return len(node.args) == 1 and not node.keywords and (called in named or called in ("pprint.pprint", "pprint.pp"))


def _with_printed_value(finding: TrialFinding, node: ast.Call) -> TrialFinding:
    """Turns `pprint(x)` into `x`, where what it printed is a literal."""
    trial, seen = finding.trial, finding.observation
    printed = expression_or_none(seen.output.strip())
    if printed is None or literal_or(seen.output.strip(), None) is None:
        return finding
    source = ast.unparse(printed)
    kind = type(literal_value(source)).__name__
    value = Value(kind, source, approximate="." in source, text=source[:200])
    seen = replace(seen, value=value, output="", outcome="returned")
    return replace(finding, trial=replace(trial, act=ast.unparse(node.args[0])), observation=seen)


def _printed_argument(given: list[ast.expr], output: str) -> tuple[ast.expr, str] | None:
    """Returns the only printed argument that is not a constant, and its printed text."""
    telling = [at for at, one in enumerate(given) if not isinstance(one, ast.Constant)]
    at = telling[0] if telling else 0
    if not given or len(telling) > 1 or isinstance(given[at], ast.Starred):
        return None
    before = "".join(f"{one.value} " for one in given[:at] if isinstance(one, ast.Constant))
    after = "".join(f" {one.value}" for one in given[at + 1 :] if isinstance(one, ast.Constant)) + "\n"
    if len(output) < len(before) + len(after) or not (output.startswith(before) and output.endswith(after)):
        return None
    return given[at], output[len(before) : len(output) - len(after)]


def _may_be_no_text(printed: str) -> bool:
    """Whether the printed text could come from a value that is not a string, such as None."""
    try:
        value = literal_value(printed)
        return not isinstance(value, str) and str(value) == printed
    except ValueError:
        return False


def _gives_text(node: ast.expr, facts: ModuleFacts, texts: frozenset[str]) -> bool:
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if name in ("str", "repr", "join", "format"):
        return True
    return any(item.name == name and (item.returns == "str" or item.qualname in texts) for item in facts.callables())


def _without_stars(finding: TrialFinding) -> TrialFinding:
    """Rewrites `f(*[1, 2])` as `f(1, 2)`."""
    tree = parse_expression(finding.trial.act)
    changed = False
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        arguments: list[ast.expr] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred) and isinstance(arg.value, ast.List | ast.Tuple):
                arguments += arg.value.elts
                changed = True
            else:
                arguments.append(arg)
        node.args = arguments
    return replace(finding, trial=replace(finding.trial, act=ast.unparse(tree))) if changed else finding


def _only_the_raising_call(finding: TrialFinding, facts: ModuleFacts) -> TrialFinding:
    """If an argument of the act is the subject's call that raised, makes that call the act."""
    trial, raised = finding.trial, finding.observation.raised
    subject = next((callable_ for callable_ in facts.callables() if callable_.qualname == trial.subject), None)
    if raised is None or subject is None or subject.is_generator or trial.mode != "call":
        return finding
    if not subject.lines[0] <= raised.line <= subject.lines[1] or subject.kind not in ("function", "constructor"):
        return finding
    node = parse_expression(trial.act)
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and last_name(one.func) == subject.name]
    if len(calls) != 1 or calls[0] is node:
        return finding
    if any(isinstance(one, ast.Call) and one.func is calls[0] for one in ast.walk(node)):
        return finding  # a decorated function may give what runs its body: `is_file()(None)`
    return replace(finding, trial=replace(trial, act=ast.unparse(calls[0])))


def _inlined(finding: TrialFinding) -> TrialFinding:
    """Inlines short literals that are assigned to a variable and used once."""
    trial = finding.trial
    arrange, act = list(trial.arrange), trial.act
    watched = {name for expression, _value in finding.observation.effects for name in names_in(expression)}
    for statement in trial.arrange:
        name, value = _plain_assignment(statement)
        if name is None or value is None or name in watched:
            continue
        uses = [count_of(one, name) for one in arrange if one != statement]
        replaced = _substituted(act, name, value)
        if any(uses) or count_of(act, name) != 1 or arrange.count(statement) != 1 or len(replaced) > _LONGEST_ACT:
            continue
        arrange.remove(statement)
        act = replaced
    return replace(finding, trial=replace(trial, arrange=tuple(arrange), act=act))


def _plain_assignment(statement: str) -> tuple[str | None, ast.expr | None]:
    text = statement.strip()
    body = (shared_module(text) or parse_python(text)).body
    node = body[0] if len(body) == 1 else None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return None, None
    source = ast.unparse(node.value)
    if len(source) > _LONGEST_INLINED:
        return None, None
    try:
        literal_value(source)
    except ValueError:
        return None, None
    return node.targets[0].id, node.value


def _substituted(source: str, name: str, value: ast.expr) -> str:
    class Substitute(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return value if node.id == name else node

        def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
            return node

    return ast.unparse(Substitute().visit(parse_expression(source)))


def _cut_iteration(finding: TrialFinding) -> TrialFinding:
    """Takes only the first items of an iterator that filled the observer's limit: it may be endless."""
    trial, value = finding.trial, finding.observation.value
    if trial.mode != "iterate" or value is None or value.length != ITERATION_LIMIT:
        return finding
    source = None
    if value.source is not None:
        node = parse_expression(value.source)
        if isinstance(node, ast.List):
            source = ast.unparse(ast.List(elts=node.elts[:_SHOWN_ITEMS], ctx=ast.Load()))
    act = f"list(itertools.islice({trial.act}, {_SHOWN_ITEMS}))"
    imports = tuple(dict.fromkeys((*trial.imports, "import itertools")))
    return replace(
        finding,
        trial=replace(trial, act=act, mode="call", imports=imports),
        observation=replace(finding.observation, value=replace(value, source=source, length=_SHOWN_ITEMS)),
    )


@lru_cache(maxsize=2048)
def plain_statement(source: str) -> str:
    """Rewrites a statement; returns the text as it was when nothing changes. Raises SyntaxError."""
    tree = parse_python(source.strip())
    writer = _Writer()
    for at, node in enumerate(tree.body):
        written = (_as_statement(node) if isinstance(node, ast.Expr) else None) or node
        writer.changed = writer.changed or written is not node
        tree.body[at] = writer.visit(written)
    return ast.unparse(ast.fix_missing_locations(tree)) if writer.changed else source


@lru_cache(maxsize=2048)
def plain_expression(source: str) -> str:
    """Rewrites an expression; returns the text as it was when nothing changes. Raises SyntaxError."""
    writer = _Writer()
    node = writer.visit(parse_expression(source))
    return ast.unparse(ast.fix_missing_locations(node)) if writer.changed else source


def _as_statement(node: ast.Expr) -> ast.stmt | None:
    """`d.__setitem__(k, v)` and `setattr(d, "name", v)` as assignments, `d.__delitem__(k)` as a deletion."""
    call = node.value
    if isinstance(call, ast.Call) and (changed := plain_change(call)) is not None:
        return changed
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    receiver, name = call.func.value, call.func.attr
    if isinstance(receiver, ast.Call) and getattr(receiver.func, "id", "") == "super":
        return None  # `super()` is no object that can be subscripted
    if name == "__setitem__" and len(call.args) == 2:
        return ast.Assign([ast.Subscript(receiver, call.args[0], ast.Store())], call.args[1], lineno=1)
    if name == "__delitem__" and len(call.args) == 1:
        return ast.Delete([ast.Subscript(receiver, call.args[0], ast.Del())])
    return None


class _Writer(ast.NodeTransformer):
    def __init__(self) -> None:
        self.changed = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        key = node.slice
        if isinstance(key, ast.Tuple):
            key.elts = [self._key(element) for element in key.elts]
        else:
            node.slice = self._key(key)
        return node

    def _key(self, node: ast.expr) -> ast.expr:
        """`slice(1, 3)` as `1:3`."""
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "slice" or node.keywords:
            return node
        given = node.args
        if not 0 < len(given) <= _SLICE_ARGUMENTS or any(isinstance(one, ast.Starred) for one in given):
            return node
        self.changed = True
        first, last, step = [None, given[0], None] if len(given) == 1 else [*given, None][:_SLICE_ARGUMENTS]
        return ast.Slice(*(None if is_none(one) else one for one in (first, last, step)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`float(float('inf'))` as `float('inf')`, `float('NAN')` as `float('nan')`."""
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if name in _CONVERSIONS and isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == name:
            self.changed = True
            return inner
        text = inner.value if name == "float" and isinstance(inner, ast.Constant) else None
        if isinstance(text, str) and text != text.lower() and text.lower().strip("+-") in ("nan", "inf", "infinity"):
            self.changed = True
            node.args = [ast.Constant(text.lower())]
        return node


def is_none(node: ast.AST | None) -> bool:
    """Whether a node is missing or the constant None."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)
