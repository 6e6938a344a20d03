"""Finds calls that reach forbidden things through a text: attribute names, format strings, patched names, test rows."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ...utils.python_names import last_name
from .file_rule import CHANGING
from .module_allowlist import BEHIND, ENVIRONMENT, FILES, RUNNER, UNREADABLE, import_violation, is_module
from .name_table import NameTable, root
from .possible_values import possible_texts, possible_values

DUNDERS = frozenset(
    f"__{name}__"
    for name in """name doc class qualname module len eq ne lt le gt ge hash str repr bool int float index bytes iter
    next contains getitem setitem delitem call enter exit aenter aexit aiter anext add sub mul truediv floordiv mod pow
    neg pos abs invert and or xor radd rsub rmul iadd isub imul cause context notes suppress_context members version all
    match_args annotations dataclass_fields slots format reversed missing init post_init new copy deepcopy round
    complex length_hint set_name wrapped await abstractmethods main mro_entries fspath""".split()
)
"""Special attributes that tests may name."""
ATTRIBUTES = dict.fromkeys(
    """f_globals f_locals f_builtins f_back f_code gi_frame gi_code cr_frame cr_code ag_frame ag_code
    tb_frame tb_next func_globals co_code co_consts traceback get_original temp_original in_dict _importer
    _get_target _getattr __builtins__ load_module exec_module find_spec enable_load_extension
    load_extension mro getrepr""".split(),
    UNREADABLE,
) | dict.fromkeys("_setattr _setitem _pytestfixturefunction pluginmanager hook".split(), RUNNER)
"""Attributes that lead from a value to more than the value, with what they lead to."""
RESERVED = frozenset(
    "tmp_path tmp_path_factory tmpdir tmpdir_factory monkeypatch request capsys capfd caplog recwarn ?".split()
)
"""Fixtures of pytest that no test file may make itself; `?` is a name that cannot be read."""
_TOOLS = frozenset({"pytester", "testdir", "pytestconfig", "?"})
_ATTACH = re.compile(r"\b(?:attach|vacuum\s+into|load_extension|writefile|readfile)\b", re.IGNORECASE)


class CallRule:
    """Checks the calls of one file that name something by a text.

    Args:
        names: what the file's names stand for.
        own, also: as for the whole file.
    """

    def __init__(self, names: NameTable, own: AbstractSet[str], also: AbstractSet[str]) -> None:
        self._names = names
        self._own, self._also = own, also

    def call(self, node: ast.Call) -> Iterator[str]:
        """Yields what a call reaches for."""
        dotted = self._names.dotted(node.func)
        builtin = self._names.builtin(node.func)
        if builtin in ("getattr", "setattr", "delattr") and len(node.args) > 1:
            yield from self._by_name(node.args[0], node.args[1], builtin)
        for dotted_name in dotted:
            if dotted_name in ("operator.attrgetter", "operator.methodcaller"):
                for given in node.args if dotted_name.endswith("attrgetter") else node.args[:1]:
                    yield from self._by_name(None, given, dotted_name)
            # Unpickling runs code, unless the test pickled the value itself.
            if dotted_name == "pickle.loads" and not self._was_pickled(node):
                yield f"{UNREADABLE} with pickle.loads"
            if dotted_name in ("unittest.mock.patch", "unittest.mock.patch.multiple"):
                yield from self._patched_by_text(node)
            if dotted_name == "unittest.mock.patch.dict" and self._is_kept(node):
                yield f"{ENVIRONMENT} with the value of patch.dict"
        if any(keyword.arg == "eval_str" for keyword in node.keywords):
            yield f"{UNREADABLE} with eval_str"
        if isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)

    def _method(self, node: ast.Call, called: ast.Attribute) -> Iterator[str]:
        name = called.attr
        if name in ("setattr", "delattr") and last_name(called.value) == "monkeypatch" and len(node.args) < 3:
            yield from self._patched_by_text(node)
        if name in ("format", "format_map", "vformat") and not self._formats_harmlessly(node, called):
            yield f"{UNREADABLE} with {name}"
        # SQL can open other files (ATTACH) or load extensions; unreadable SQL is refused where sqlite3 is imported.
        if name in ("execute", "executescript", "executemany") and node.args:
            texts = possible_texts(self._names, node.args[0])
            if any(item.startswith("sqlite3") for each in self._names.imported.values() for item in each) and (
                texts is None or any(_ATTACH.search(text) for text in texts)
            ):
                yield f"{FILES} with {name}"
        if name == "getfixturevalue":
            yield f"{RUNNER} with getfixturevalue"
        conditions = [*node.args, *(one.value for one in node.keywords if one.arg in ("condition", None))]
        marks = {
            name,
            *(part for part in ("skipif", "xfail") if name == "with_args" and part in ast.unparse(node.func)),
        }
        if marks & {"skipif", "xfail"} and any(map(_may_be_text, conditions)):
            yield f"{UNREADABLE} with a condition of {name} that is text"
        if name == "usefixtures":
            named = [text for given in node.args for text in possible_texts(self._names, given) or {"?"}]
            if set(named) & _TOOLS:
                yield f"{RUNNER} with usefixtures"
        if name == "parametrize":
            yield from self._parametrised(node)

    def _parametrised(self, node: ast.Call) -> Iterator[str]:
        """Refuses rows that hide pytest's own fixtures, and `parametrize` away from its test, where rows cannot be
        read.
        """
        named = (
            [inner.value for inner in ast.walk(node.args[0]) if isinstance(inner, ast.Constant)] if node.args else []
        )
        if {part.strip() for item in named for part in str(item).split(",")} & RESERVED:
            yield f"{RUNNER} with rows that hide pytest's own fixtures"
        around = self._names.parents.get(node)
        if not named or node not in getattr(around, "decorator_list", ()):
            yield f"{UNREADABLE} with parametrize away from its test"

    def _by_name(self, owner: ast.expr | None, name: ast.expr, how: str) -> Iterator[str]:
        """Checks an attribute named by a text as if it were written as code."""
        texts = possible_texts(self._names, name)
        if texts is None or (
            owner is not None and any(is_module(dotted_name) for dotted_name in self._names.dotted(owner))
        ):
            yield f"{UNREADABLE} with {how}"
            return
        for part in (part for text in texts for part in text.split(".")):
            hidden = part.startswith("__") and part.endswith("__") and part not in DUNDERS
            if hidden or part in ATTRIBUTES or part in CHANGING or part in BEHIND:
                yield f"{UNREADABLE} with {how} of {part}"

    def _patched_by_text(self, node: ast.Call) -> Iterator[str]:
        """Checks a patched name: patching imports its module, so the module must be importable by a test."""
        texts = possible_texts(self._names, node.args[0]) if node.args else set()
        if texts is None:
            value = node.args[0]
            if not (isinstance(value, ast.Name | ast.Attribute) and self._names.dotted(value)):
                yield f"{UNREADABLE} with a patched name that is not literal"
            return
        for text in texts:
            top = text.partition(".")[0]
            if {"tempfile", "__truediv__", "joinpath"} & set(text.split(".")):
                yield f"{FILES} with patching {text}"
            if import_violation(top, self._own, self._also) and top not in BEHIND:
                yield f"{UNREADABLE} with patching {text}"

    def _was_pickled(self, node: ast.Call) -> bool:
        given = node.args[:1]
        values = [
            value
            for given_value in given
            for value in (
                possible_values(self._names, given_value) if isinstance(given_value, ast.Name) else [given_value]
            )
        ]
        return bool(values) and all(
            isinstance(value, ast.Call) and "pickle.dumps" in self._names.dotted(value.func) for value in values
        )

    def _is_kept(self, node: ast.Call) -> bool:
        """Whether the code can get hold of the dictionary that `patch.dict` returns."""
        around = self._names.parents.get(node)
        if isinstance(around, ast.withitem):
            return around.optional_vars is not None
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return node not in around.decorator_list
        if isinstance(around, ast.Call) and last_name(around.func) in ("enter_context", "enterContext"):
            return not isinstance(self._names.parents.get(around), ast.Expr)
        return True

    def _formats_harmlessly(self, node: ast.Call, called: ast.Attribute) -> bool:
        """Whether a format text is readable here, or the target's own: format fields can reach into values."""
        texts = possible_texts(self._names, called.value)
        if texts is None:
            first = root(called.value)
            values = possible_values(self._names, first) if isinstance(first, ast.Name) else [first]
            return all(self._is_not_made_here(value) for value in values)
        for text in texts:
            try:
                fields = [entry for _, entry, _, _ in string.Formatter().parse(text) if entry]
            except ValueError:
                continue
            if any("__" in item or set(re.split(r"[.\[\]]", item)[1:]) & BEHIND for item in fields):
                return False
        return True

    def _is_not_made_here(self, text: ast.AST) -> bool:
        """Whether a text comes from the code under test or a fixture instead of being built in the test."""
        begins = root(text)
        if isinstance(text, ast.Call) and isinstance(begins, ast.Name):
            return bool(self._names.dotted(begins)) or self._names.values(begins) is not None
        return isinstance(begins, ast.Name)


def _may_be_text(condition: ast.expr) -> bool:
    """Whether the condition of a mark may be text, which pytest evaluates; what compares or negates is none."""
    if isinstance(condition, ast.Compare | ast.UnaryOp):
        return False
    if isinstance(condition, ast.BoolOp):
        return any(map(_may_be_text, condition.values))
    if isinstance(condition, ast.Constant):
        return isinstance(condition.value, str)
    return True
