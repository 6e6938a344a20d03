"""Renders the body of one test: arrange, act, assert. A `Dialect` supplies what differs between frameworks."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, replace
from typing import Protocol

from ....utils.python_source import parse_expression
from ..model.spec_case import CODE, ELSEWHERE, PRINTED_ERRORS, Case, SpecExpectation
from ..source.polish import polish
from ..source.statements import plain_change

INLINE_WIDTH = 84
_PATTERN_CHARACTERS = set(".^$*+?{}[]\\|()")
_MOST_MARKED = 4
_SOLE_KINDS = ("equals", "approx", "is", "is_instance", "length", "holds")
_SOLE_ACTUALS = re.compile(r"^(?:(?P<call>callable|sorted|repr|math\.isnan)\(result\)|not result|result)$")


class Dialect(Protocol):
    """The framework-specific parts of a test's body. Lines may contain line breaks."""

    def fixture(self, name: str) -> list[str]:
        """Returns lines that provide a fixture of the case."""
        ...

    def check(self, one: SpecExpectation, actual: str) -> list[str]:
        """Returns lines that assert one expectation about `actual`."""
        ...

    def raising(self, one: SpecExpectation) -> str:
        """Returns a context manager that requires an exception."""
        ...

    def code(self) -> str:
        """Returns the expression for the exit code, after `raising(…) as raised`."""
        ...

    def warning(self, demands: list[SpecExpectation]) -> ActWrapper:
        """Returns what requires warnings; called with one or more."""
        ...

    def capturing(self, *, output: bool, errors: bool) -> list[str]:
        """Returns context managers that capture printed output, if any are needed."""
        ...

    def captured(self, *, output: bool, errors: bool) -> tuple[list[str], str, str]:
        """Returns lines that read the captured text, and the expressions for standard output and standard error."""
        ...


@dataclass(frozen=True, slots=True)
class ActWrapper:
    """Code around an act: context managers, innermost first; lines inside them before the act; lines after them."""

    managers: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def body_lines(case: Case, dialect: Dialect) -> list[str]:
    """Returns the statements of a test. Raises SyntaxError if the case's source is not Python."""
    arrange = [line for name in case.fixtures for line in dialect.fixture(name)]
    arrange += [polish(statement) for statement in case.statements]
    sole = _single_line_check(case, dialect)
    if sole is not None:
        return _spaced(arrange, sole)
    raised = next((one for one in case.expect if one.kind == "raises"), None)
    about_result = [one for one in case.expect if raised is None and _reads_result(one)]
    apart = [one for one in case.expect if one.kind in ("raises", "warns", "output") or one.actual in ELSEWHERE]
    rest = [one for one in case.expect if one not in about_result and one not in apart]
    helper, act = _act(case, bind=bool(about_result), checks=_checks(about_result, dialect))
    warned = [one for one in apart if one.kind == "warns"]
    around = dialect.warning(warned) if warned else ActWrapper()
    act = _wrapped_act(act, _raising(apart, raised, dialect), around)
    for manager in dialect.capturing(**_printed(apart)):
        act = [f"with {manager}:", *_indented(act)]
    checks = [] if case.mode == "enter" else _checks(about_result, dialect)
    checks += [*_checks_beside_result(apart, dialect), *around.after, *_checks(rest, dialect)]
    return _spaced(arrange, helper, act, checks)


def pattern(text: str, *, whole: bool = False) -> tuple[str, bool]:
    """Returns the source of a pattern that finds, or with `whole` equals, a literal text, and whether it needs `re`."""
    if whole:
        marked = "".join(f"\\{one}" if one in _PATTERN_CHARACTERS else one for one in text)
        quote = next((one for one in "\"'" if one not in text), None)
        if quote is not None and len(marked) - len(text) <= _MOST_MARKED:
            return f"r{quote}^{marked}${quote}", False
        return f'"^" + re.escape({polish(repr(text))}) + "$"', True
    if _PATTERN_CHARACTERS & set(text):
        return f"re.escape({polish(repr(text))})", True
    return polish(repr(text)), False


def act_expression(case: Case) -> str:
    """Returns the act as one expression, for the modes that have one."""
    act = polish(case.expression)
    if case.mode == "await":
        return f"asyncio.run({act})"
    if case.mode == "iterate":
        return f"list({act})"
    if case.mode in ("aiterate", "aenter"):
        return "asyncio.run(scenario())"
    return act


def helper_imports(case: Case) -> list[str]:
    """Returns imports that the act's mode needs."""
    return ["import asyncio"] if case.mode in ("await", "aiterate", "aenter") else []


def _single_line_check(case: Case, dialect: Dialect) -> list[str] | None:
    """Returns a single line that acts and asserts, or None if the test needs more: a long one about what has a name
    already stays one assertion."""
    if case.mode not in ("call", "await", "iterate") or len(case.expect) != 1:
        return None
    one = case.expect[0]
    act = act_expression(case)
    found = _SOLE_ACTUALS.match(one.actual)
    if one.kind not in _SOLE_KINDS or found is None or "\n" in act:
        return None
    if found["call"]:
        actual = f"{found['call']}({act})"
    elif one.actual == "not result":
        actual = _negated(act)
    else:
        actual = act if one.kind == "holds" else _operand(act)
    lines = dialect.check(one, actual)
    if len(lines) != 1 or "\n" in lines[0]:
        return None
    return lines if len(lines[0]) <= INLINE_WIDTH or _is_about_a_name(act) else None


def _is_about_a_name(act: str) -> bool:
    """Whether an act is a variable, or compares one."""
    node = parse_expression(act)
    return isinstance(node.left if isinstance(node, ast.Compare) else node, ast.Name)


def _negated(source: str) -> str:
    """Negates a condition in its usual form, e.g. `x not in y`."""
    node = parse_expression(source)
    opposites: dict[type[ast.cmpop], type[ast.cmpop]] = {
        ast.In: ast.NotIn,
        ast.Is: ast.IsNot,
        ast.Eq: ast.NotEq,
        ast.NotIn: ast.In,
        ast.IsNot: ast.Is,
    }
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in opposites:
        return ast.unparse(ast.Compare(node.left, [opposites[type(node.ops[0])]()], node.comparators))
    return f"not {source}" if isinstance(node, ast.Call | ast.Name | ast.Attribute) else f"not ({source})"


def _operand(source: str) -> str:
    """Parenthesizes source where an operand of a comparison needs it."""
    node = parse_expression(source)
    simple = ast.Call | ast.Attribute | ast.Name | ast.Subscript | ast.Constant | ast.BinOp | ast.UnaryOp
    plain = isinstance(node, simple) and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
    return source if plain else f"({source})"


def _act(case: Case, *, bind: bool, checks: list[str]) -> tuple[list[str], list[str]]:
    """Returns helper lines, and the lines of the act."""
    source = polish(case.expression)
    if case.mode == "enter":
        if bind:
            return [], [f"with {source} as result:", *_indented(checks)]
        return [], [f"with {source}:", "    pass"]
    helper: list[str] = []
    if case.mode == "aiterate":
        helper = ["async def scenario():", *_indented([f"return [item async for item in {source}]"]), ""]
    elif case.mode == "aenter":
        name = "inside" if re.search(r"\bentered\b", source) else "entered"
        inner = [f"async with {source} as {name}:", *_indented([f"return {name}"])]
        helper = ["async def scenario():", *_indented(inner), ""]
    act = act_expression(case)
    if bind:
        return helper, [f"result = {act}"]
    return helper, [_as_statement(act) if case.mode == "call" else act]


def _as_statement(act: str) -> str:
    """Turns `d.__setitem__(k, v)` into the statement `d[k] = v`, and the same for `del` and `d += v`."""
    node = parse_expression(act)
    changed = plain_change(node) if isinstance(node, ast.Call) else None
    if changed is not None:
        return polish(ast.unparse(changed))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return act
    receiver, name, arguments = ast.unparse(node.func.value), node.func.attr, [ast.unparse(arg) for arg in node.args]
    if name == "__setitem__" and len(arguments) == 2:
        return polish(f"{receiver}[{arguments[0]}] = {arguments[1]}")
    if name == "__delitem__" and len(arguments) == 1:
        return polish(f"del {receiver}[{arguments[0]}]")
    return act


def _wrapped_act(act: list[str], raising: list[str], around: ActWrapper) -> list[str]:
    """Wraps the act in the check of its exception, and that in the checks of warnings.

    The exception check must be the inner one: a warning check lets an exception pass without checking.
    """
    if around.before:
        inner = [f"with {raising[0]}:", *_indented(act)] if raising else act
        return [f"with {', '.join(reversed(around.managers))}:", *_indented([*around.before, *inner])]
    managers = [*raising, *around.managers]
    return [f"with {', '.join(reversed(managers))}:", *_indented(act)] if managers else act


def _raising(demands: list[SpecExpectation], raised: SpecExpectation | None, dialect: Dialect) -> list[str]:
    if raised is None:
        return []
    kept = " as raised" if any(demand.actual == CODE for demand in demands) else ""
    return [f"{dialect.raising(raised)}{kept}"]


def _printed(demands: list[SpecExpectation]) -> dict[str, bool]:
    return {
        "output": any(demand.kind == "output" for demand in demands),
        "errors": any(demand.actual == PRINTED_ERRORS for demand in demands),
    }


def _checks_beside_result(demands: list[SpecExpectation], dialect: Dialect) -> list[str]:
    """Returns checks of exit code, output and errors."""
    printed = _printed(demands)
    lines, output, errors = dialect.captured(**printed) if any(printed.values()) else ([], "", "")
    places = {CODE: dialect.code(), PRINTED_ERRORS: errors}
    checks: list[str] = []
    for demand in demands:
        if demand.actual in places:
            checks += dialect.check(demand, places[demand.actual])
        elif demand.kind == "output":
            checks += dialect.check(replace(demand, kind="equals", exception=None, match=None), output)
    return [*lines, *checks]


def _checks(expectations: list[SpecExpectation], dialect: Dialect) -> list[str]:
    return [line for expectation in expectations for line in dialect.check(expectation, polish(expectation.actual))]


def _reads_result(one: SpecExpectation) -> bool:
    return one.kind not in ("raises", "warns", "output") and re.search(r"\bresult\b", one.actual) is not None


def _indented(lines: list[str]) -> list[str]:
    return [textwrap.indent(line, "    ") for line in lines]


def _spaced(*parts: list[str]) -> list[str]:
    """Joins the non-empty parts with an empty line between them."""
    lines: list[str] = []
    for part in parts:
        if part and lines:
            lines.append("")
        lines += part
    return lines
