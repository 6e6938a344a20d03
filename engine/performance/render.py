"""Renders a performance spec of Python calls as a pytest file with the `benchmark` fixture of pytest-benchmark."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import AgentFailure
from ...utils.generated_header import with_header
from ...utils.python_source import literal_or, parse_expression, parse_python
from ..python.model.spec_case import SpecExpectation
from ..python.source.import_block import import_block
from ..python.source.polish import polish
from ..python.write.render import format_python
from ..python.write.render_pytest import PytestDialect
from .helpers import HELPERS, IMPORTS, MARK

_NEXT = {
    "constant": ("a time that grows with it", 1),
    "logarithmic": ("linear growth", 1),
    "linear": ("quadratic growth", 2),
    "n log n": ("quadratic growth", 2),
    "quadratic": ("cubic growth", 3),
    "cubic": ("growth with the fourth power", 4),
}
_COUNTED = {2: "Twice", 4: "Four times", 8: "Eight times", 16: "16 times", 64: "64 times"}
_METRICS = {"growth_ratio": "work_ratio", "reference_cost": "additions", "repeat_share": "share_of_first"}


def render_performance(spec: Mapping[str, Any], framework: str) -> str:
    """Renders the test file, header included; the same spec gives the same bytes.

    Raises:
        AgentFailure: the spec does not render as Python, or it is not one for pytest.
        EnvironmentFault: ruff, which formats the file, cannot be run.
    """
    if framework != "pytest":
        raise AgentFailure(f"timed calls cannot be written for {framework!r}", advice="ask for the framework pytest")
    target = spec["target"]
    module = (target.get("module") or {}).get("module") or target["name"]
    path = (target.get("module") or {}).get("path") or target["name"]
    try:
        makers = _makers(spec["cases"])
        tests = ["\n".join(_test_lines(case, makers)) for case in spec["cases"]]
        used = {
            _METRICS[one["metric"]] for case in spec["cases"] for one in case["expect"] if one["metric"] in _METRICS
        }
        helpers = HELPERS.text(used)
        code = "\n\n\n".join([MARK, *([helpers] if helpers else []), *makers, *tests])
        block = import_block([*(spec.get("imports") or ()), *IMPORTS], code=code, first_party=module.partition(".")[0])
        text = "\n\n".join([_docstring(module), block, code])
        parse_python(text)
    except (SyntaxError, ValueError, KeyError, TypeError) as error:
        raise AgentFailure(f"the spec for {module} does not render as Python: {error}") from error
    return with_header(format_python(text), target=str(path))


def _docstring(module: str) -> str:
    return (
        f'"""Performance tests for {module}.\n\n'
        "They compare times within one run, never seconds with seconds: a slower or busier\n"
        'machine slows both sides.\n"""'
    )


def _makers(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """The functions that build inputs, each once; of two by one name the first, the other stays in its test."""
    found: dict[str, str] = {}
    for case in cases:
        for text in (case.get("arrange") or {}).get("statements") or ():
            if text.startswith("def "):
                found.setdefault(text.partition("(")[0], text)
    return list(found.values())


def _test_lines(case: Mapping[str, Any], makers: Sequence[str]) -> list[str]:
    act = case["act"]
    name = f"test_{str(case['id']).removeprefix('tc_')}"
    own = [text for text in (case.get("arrange") or {}).get("statements") or () if text not in makers]
    told = _told(case)
    body = [f'"""{told}"""', *_spaced(list(map(polish, own)))]
    body += [*([""] if own else []), f"result = {_benchmarked(str(act['expression']))}", ""]
    dialect = PytestDialect()
    for data in case.get("returns") or ():
        one = SpecExpectation.from_json(data)
        body += dialect.check(one, one.actual)
    for limit in case["expect"]:
        body += _limit_lines(limit, act)
    return [f"def {name}(benchmark):", *(f"    {line}" if line else "" for text in body for line in text.split("\n"))]


def _spaced(statements: Sequence[str]) -> list[str]:
    """Statements with an empty line behind each function."""
    return [line for text in statements for line in ([*text.split("\n"), ""] if text.startswith("def ") else [text])]


def _limit_lines(limit: Mapping[str, Any], act: Mapping[str, Any]) -> list[str]:
    call = _callable(str(act["expression"]))
    sign = {"less": "<", "at_most": "<=", "greater": ">", "at_least": ">="}[limit["operator"]]
    value = _number(limit["value"])
    if limit["metric"] == "growth_ratio":
        return [f"assert work_ratio({call}, {_callable(str(act['compared']))}) {sign} {value}"]
    if limit["metric"] == "reference_cost":
        # A repeated call is answered by the cache: what costs something is the first one.
        return [f"assert additions({'first' if act.get('first') else call}) {sign} {value}"]
    if limit["metric"] == "repeat_share":
        first = "\n".join(f"    {line}" for text in act["first"] for line in text.split("\n"))
        maker = f"def first():\n{first}\n    return {act['expression']}\n"
        return ["", *maker.split("\n"), f"assert share_of_first({call}, first) {sign} {value}"]
    raise ValueError(f"{limit['metric']} is no limit of a timed call")


def _number(value: float) -> str:
    whole = int(value)
    return (f"{whole:_}" if whole >= 10_000 else str(whole)) if whole == value else repr(value)


def _told(case: Mapping[str, Any]) -> str:
    """What the test is about, for its docstring; it holds nothing that differs from one measurement to the next."""
    limit = case["expect"][0]
    if limit["metric"] == "growth_ratio":
        small, large = limit["sizes"]
        factor = large // small
        slower, degree = _NEXT[limit.get("growth") or "linear"]
        times = _COUNTED.get(factor, f"{factor} times")
        return f"{times} the input; with {slower} it would take {factor**degree:,} times as long."
    if limit["metric"] == "reference_cost":
        return "It took a quarter of that or less when it was measured; a wait or a lock takes more."
    return "Without its cache, every call takes as long as the first."


def _benchmarked(expression: str) -> str:
    """The call of the fixture: with a function and its arguments where these are the same in every round.

    A generator among them would be read to its end by the first one.
    """
    node = parse_expression(expression)
    if isinstance(node, ast.Call) and all(map(_is_constant, (*node.args, *(one.value for one in node.keywords)))):
        arguments = [ast.unparse(node.func), *map(ast.unparse, node.args)]
        arguments += [ast.unparse(one) for one in node.keywords]
        simple = isinstance(node.func, ast.Name) or _is_plain_attribute(node.func)
        if simple and all(one.arg for one in node.keywords):
            return f"benchmark({', '.join(arguments)})"
    return f"benchmark({_callable(expression)})"


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or literal_or(node, ...) is not ...


def _is_plain_attribute(node: ast.expr) -> bool:
    """Whether a function is an attribute of a name: a method that is looked up once."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _callable(expression: str) -> str:
    node = parse_expression(expression)
    if isinstance(node, ast.Call) and not node.args and not node.keywords and _is_plain_attribute(node.func):
        return ast.unparse(node.func)
    return f"lambda: {expression}"
