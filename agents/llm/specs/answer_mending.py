"""Mends what a machine can mend in answered cases: imports, unused names, lines, subjects. Nothing is expected less.

A case that is still wrong afterwards is left out alone, with a note.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....engine.python.judge.finding_selection import free_names
from ....engine.python.source.import_block import Binding, read_imports
from ....utils.python_names import BUILTIN_NAMES, last_name
from ....utils.python_source import expression_or_none, literal_or, parse_or_none, source_lines
from ...contract.protocol import JsonObject
from ...guardrails.module_allowlist import is_plain_module
from .spec_answer import is_range

_RESULT = "result"
_DEEPEST = 60
"""Nesting of a case's code; what writes it anew recurses several times for each level."""
_WELL_KNOWN = {
    name: module
    for module, names in {
        "datetime": "date timedelta timezone",
        "decimal": "Decimal",
        "fractions": "Fraction",
        "pathlib": "Path",
        "unittest.mock": "Mock MagicMock",
    }.items()
    for name in names.split()
}
_GIVEN = frozenset({_RESULT, "error", "raised", "printed_err"})
_WITHOUT_EFFECT = (ast.Name, ast.Constant, ast.List, ast.Tuple, ast.expr_context)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Subjects:
    """What a module defines: qualified names, and the lines of their docstrings.

    Args:
        source: of the module; one that does not parse defines nothing.
        module: its dotted name.
    """

    def __init__(self, source: str, module: str) -> None:
        tree = parse_or_none(source) or ast.Module([], [])
        self._module = module
        self._docstring = ast.get_docstring(tree) or ""
        self._docstring_end = (tree.body[0].end_lineno or 1) if self._docstring else 0
        self._nodes = dict(_definitions(tree.body, ""))
        lines = source_lines(source)
        self._imports = {
            one.bound: one for one in read_imports(lines[node.lineno - 1] for node in tree.body if _is_import(node))
        }
        self._assigned = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }

    def docstring_lines(self, subject: str) -> list[int] | None:
        """First and last line of a subject's docstring; None without one."""
        node = self._nodes.get(subject)
        if node is None or not ast.get_docstring(node):
            return None
        return [node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno]

    def may_speak_of(self, subject: str, lines: Sequence[int]) -> bool:
        """Whether lines lie where a subject is documented: in itself or its class, or outside of all definitions."""
        first, last = min(lines), max(lines)
        owner = subject.partition(".")[0]
        others = [
            name
            for name, node in self._nodes.items()
            if name not in (subject, owner) and not subject.startswith(f"{name}.") and _overlap(node, first, last)
        ]
        return not others

    def owner_of(self, lines: Sequence[int], subject: str) -> str:
        """Which of a subject and its class holds all the lines; "" where neither does."""
        first, last = min(lines), max(lines)
        for name in dict.fromkeys((subject, subject.partition(".")[0])):
            node = self._nodes.get(name)
            if node is not None and node.lineno <= first and last <= (node.end_lineno or node.lineno):
                return name
        return ""

    def is_documented_in(self, subject: str, lines: Sequence[int]) -> bool:
        """Whether lines lie in a subject or its class, outside of other members, or in a module docstring naming it."""
        first, last = min(lines), max(lines)
        nodes = [self._nodes[name] for name in (subject, subject.partition(".")[0]) if name in self._nodes]
        if any(node.lineno <= first and last <= (node.end_lineno or node.lineno) for node in nodes):
            return self.may_speak_of(subject, lines)
        named = re.search(rf"\b{re.escape(subject.rpartition('.')[2])}\b", self._docstring)
        return named is not None and first >= 1 and last <= self._docstring_end

    def subject_of(self, case: Mapping[str, Any]) -> str:
        """The case's subject if the module defines it, else the one that its act or its statements call."""
        subject = str(case["subject"]).removeprefix(f"{self._module}.").partition("(")[0].strip()
        if subject in self._nodes:
            return subject
        for text in (str(case["expression"]), *reversed(case["statements"])):
            tree = parse_or_none(str(text))
            for node in ast.walk(tree) if tree is not None else ():
                found = self._called(node) if isinstance(node, ast.Call) else None
                if found is not None:
                    return found
        return subject or str(case["subject"])

    def _called(self, call: ast.Call) -> str | None:
        name = last_name(call.func)
        if isinstance(call.func, ast.Attribute):
            members = [one for one in self._nodes if one.endswith(f".{name}")]
            return members[0] if len(members) == 1 else name if name in self._nodes else None
        return name if name in self._nodes else None

    def binding(self, name: str) -> Binding | None:
        """The import that binds a name which a case lacks: of the module, as the module does, or of a plain module."""
        if name in self._nodes or name in self._assigned:
            return Binding(self._module, name)
        if name in self._imports:
            return self._imports[name]
        if name in _WELL_KNOWN:
            return Binding(_WELL_KNOWN[name], name)
        return Binding(name) if name == "pytest" or is_plain_module(name) else None


def mended(case: Mapping[str, Any], imports: Sequence[str], subjects: Subjects) -> tuple[JsonObject, list[str]]:
    """Mend an answered case. Returns it, and the imports that it needs beside those given.

    Its documented expectations without lines cite its subject's docstring.
    """
    subject = subjects.subject_of(case)
    lines = subjects.docstring_lines(subject)
    expect = [
        {**expected, "lines": lines}
        if expected["origin"] == "documented" and not is_range(expected["lines"]) and lines is not None
        else expected
        for expected in case["expect"]
    ]
    better = {**case, "subject": subject, "expect": expect}
    better["statements"] = _without_unused(better)
    known = {one.bound for one in read_imports(imports)}
    missing = [subjects.binding(name) for name in unbound_names(better, known)]
    return better, [one.statement for one in missing if one is not None]


def unreadable(case: Mapping[str, Any]) -> str | None:
    """Why a text of an answered case is no Python that can be judged as a whole; None where all are.

    A comment hides what follows it in the line that the text becomes part of.
    """
    statements = [str(text) for text in case["statements"]]
    expressions = [str(case["expression"]), *_expected_texts(case)]
    for text in (*statements, *expressions):
        tree = parse_or_none(text) if text in statements else expression_or_none(text)
        if tree is None:
            return f"{text[:80]!r} is no Python"
        if _depth(tree) > _DEEPEST:
            return "its code is nested too deeply"
        if any(token.type == tokenize.COMMENT for token in tokenize.generate_tokens(io.StringIO(text).readline)):
            return f"{text[:80]!r} has a comment"
    return None


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [inner for node in level for inner in ast.iter_child_nodes(node)]
    return depth


def read_names(case: Mapping[str, Any]) -> set[str]:
    """Names that an answered case reads and does not bind itself; none of one that is no Python."""
    texts = [*case["statements"], f"{_RESULT} = ({case['expression']})", *_expected_texts(case)]
    try:
        return free_names("\n".join(texts)) - set(case["fixtures"]) - _GIVEN
    except SyntaxError:
        return set()  # the spec's validation says what is wrong


def unbound_names(case: Mapping[str, Any], imported: set[str]) -> list[str]:
    """Names that an answered case reads and that neither imports, statements, fixtures nor builtins bind."""
    return sorted(read_names(case) - imported - BUILTIN_NAMES)


def _expected_texts(case: Mapping[str, Any]) -> list[str]:
    keys = ("actual", "value", "exception")
    return [str(expected[key]) for expected in case["expect"] for key in keys if expected.get(key)]


def _without_unused(case: Mapping[str, Any]) -> list[str]:
    """The statements, without assignments of names, literals and lists of them to names that nothing reads."""
    kept: list[str] = []
    later = [str(case["expression"]), *_expected_texts(case)]
    for text in reversed([str(one) for one in case["statements"]]):
        tree = parse_or_none(text)
        node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and not _is_read(target.id, later):
            plain = all(isinstance(inner, _WITHOUT_EFFECT) for inner in ast.walk(node.value))
            if plain or literal_or(node.value, _RESULT) != _RESULT:
                continue
            text = ast.unparse(node.value)
        kept.append(text)
        later.append(text)
    return kept[::-1]


def _is_read(name: str, texts: Sequence[str]) -> bool:
    trees = [parse_or_none(text) or expression_or_none(text) for text in texts]
    nodes = [node for tree in trees if tree is not None for node in ast.walk(tree)]
    return None in trees or any(isinstance(node, ast.Name) and node.id == name for node in nodes)


def _definitions(body: Sequence[ast.stmt], owner: str) -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, Definition):
            yield f"{owner}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node.body, f"{owner}{node.name}.")


def _overlap(node: Definition, first: int, last: int) -> bool:
    return node.lineno <= last and first <= (node.end_lineno or node.lineno)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) and (node.end_lineno or node.lineno) == node.lineno
