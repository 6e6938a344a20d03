"""The kinds of planted faults, each with the changes of that kind in one function."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from .edits import Edit, Source
from .functions import OWNERS, Function
from .guards import GUARDS

Edits = Callable[[Function, Source], Iterator[Edit]]
_STATUSES = {200: 202, 201: 200, 202: 200, 204: 200, 400: 422, 401: 403, 403: 401, 404: 400, 409: 400, 412: 409}
_NAMES = {200: "HTTP_202_ACCEPTED", 201: "HTTP_200_OK", 204: "HTTP_200_OK", 400: "HTTP_409_CONFLICT"}
_NAMES |= {401: "HTTP_403_FORBIDDEN", 403: "HTTP_401_UNAUTHORIZED", 404: "HTTP_400_BAD_REQUEST"}
_NAMES |= {409: "HTTP_400_BAD_REQUEST"}
_CHECKS = re.compile(r"^(?:verify|check|compare)_?\w*(?:password|hash|digest)|^checkpw$|^compare_digest$")


def _calls(function: Function, *names: str) -> Iterator[ast.Call]:
    for node in function.walk():
        if isinstance(node, ast.Call) and _called(node) in names:
            yield node


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _called_alone(node: ast.AST) -> str:
    """Return the name of a function whose result a statement does not use."""
    return _called(node.value) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""


def _receiver(call: ast.Call, source: Source) -> Edit | None:
    """Leave one call of a chain out."""
    return source.replaced(call, source.of(call.func.value)) if isinstance(call.func, ast.Attribute) else None


def status_changed(function: Function, source: Source) -> Iterator[Edit]:
    for decorator in function.node.decorator_list:
        for word in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if word.arg == "status_code":
                yield from _other_status(word.value, source)
    for node in function.walk():
        if isinstance(node, ast.Call) and _called(node) in ("HTTPException", "abort", "HttpError", "JSONResponse"):
            named = [word.value for word in node.keywords if word.arg == "status_code"]
            for value in named or node.args[:1]:
                yield from _other_status(value, source)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and function.verbs:
            for value in node.value.elts[1:2]:
                yield from _other_status(value, source)
        elif isinstance(node, ast.Assign) and source.of(node.targets[0]).endswith(".status_code"):
            yield from _other_status(node.value, source)


def _other_status(value: ast.expr, source: Source) -> Iterator[Edit]:
    if isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value in _STATUSES:
        yield source.replaced(value, str(_STATUSES[value.value]))
    match = re.match(r"HTTP_(\d{3})_", value.attr) if isinstance(value, ast.Attribute) else None
    if isinstance(value, ast.Attribute) and match and int(match[1]) in _NAMES:
        yield source.replaced(value, f"{source.of(value.value)}.{_NAMES[int(match[1])]}")


def field_dropped(function: Function, source: Source) -> Iterator[Edit]:
    """Leave a key out of a dictionary that is returned."""
    for node in function.walk():
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        for inner in ast.walk(node.value):
            if isinstance(inner, ast.Dict) and len(inner.keys) > 1:
                for at, key in enumerate(inner.keys):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield source.entry_dropped(inner, at)


def value_not_stored(function: Function, source: Source) -> Iterator[Edit]:
    """Store the wrong text or number of what was sent."""
    if not function.creates:
        return
    for node in function.walk():
        # A class is made with what the request holds.
        if isinstance(node, ast.Call) and _called(node)[:1].isupper() and len(node.keywords) > 1:
            for word in node.keywords:
                if word.arg and isinstance(word.value, ast.Attribute) and not OWNERS.search(word.arg):
                    yield source.dropped(node, word)


def filter_ignored(function: Function, source: Source) -> Iterator[Edit]:
    for node in function.walk():
        if isinstance(node, ast.If) and _only_narrows(node) and not OWNERS.search(source.of(node)):
            yield source.replaced(node.test, "False")
        elif isinstance(node, ast.comprehension):
            for condition in node.ifs:
                if not OWNERS.search(source.of(condition)):
                    yield source.replaced(condition, "True")
    for call in _calls(function, "where", "filter", "filter_by"):
        if not OWNERS.search("".join(source.of(part) for part in (*call.args, *call.keywords))):
            edit = _receiver(call, source)
            if edit is not None:
                yield edit


def _only_narrows(node: ast.If) -> bool:
    """Whether a branch only gives a query or a list a narrower value of its own."""
    [first, *others] = node.body
    if others or node.orelse or not isinstance(first, ast.Assign) or not isinstance(first.targets[0], ast.Name):
        return False
    target = first.targets[0].id
    return any(isinstance(part, ast.Name) and part.id == target for part in ast.walk(first.value))


def sort_changed(function: Function, source: Source) -> Iterator[Edit]:
    for call in _calls(function, "sorted", "sort"):
        word = next((word for word in call.keywords if word.arg == "reverse"), None)
        if word is not None:
            yield source.replaced(word.value, f"not ({source.of(word.value)})")
        else:
            # A generator that is the one argument has the parentheses of the call for its own.
            inside = [source.of(part) for part in (*call.args, *call.keywords)]
            yield source.replaced(call, f"{source.of(call.func)}({', '.join([*inside, 'reverse=True'])})")
    for call in _calls(function, "order_by"):
        edit = _receiver(call, source)
        if edit is not None:
            yield edit
    for call in _calls(function, "desc", "asc"):
        if isinstance(call.func, ast.Attribute):
            other = "asc" if call.func.attr == "desc" else "desc"
            yield source.replaced(call, f"{source.of(call.func.value)}.{other}()")
    for node in function.walk():
        if isinstance(node, ast.Slice) and node.step is not None and source.of(node.step) == "-1":
            yield source.replaced(node.step, "1")


def limit_ignored(function: Function, source: Source) -> Iterator[Edit]:
    for call in _calls(function, "limit"):
        edit = _receiver(call, source)
        if edit is not None:
            yield edit
    for node in _page_slices(function):
        if node.upper is not None:
            yield source.replaced(node.upper, "")


def page_off_by_one(function: Function, source: Source) -> Iterator[Edit]:
    for call in _calls(function, "offset"):
        if call.args:
            yield source.replaced(call.args[0], f"{source.of(call.args[0])} + 1")
    for node in _page_slices(function):
        if node.lower is not None:
            yield source.replaced(node.lower, f"{source.of(node.lower)} + 1")
    for node in function.walk():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.BinOp):
            inner = node.left
            if isinstance(inner.op, ast.Sub) and source.of(inner.right) == "1":
                # The page behind the one that is asked for.
                start, end = source.span(node)
                yield Edit(start, end, f"{source.of(inner.left)} * {source.of(node.right)}")


def _page_slices(function: Function) -> Iterator[ast.Slice]:
    for node in function.walk():
        if isinstance(node, ast.Slice) and node.step is None and not isinstance(node.upper, ast.Constant):
            yield node


def writes_nothing(function: Function, source: Source) -> Iterator[Edit]:
    if not function.updates:
        return
    for node in function.walk():
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Attribute | ast.Subscript):
            if "headers" not in source.of(target):
                yield source.replaced(node, "pass")
        elif isinstance(node, ast.stmt) and _called_alone(node) in ("setattr", "update", "save", "commit"):
            yield source.replaced(node, "pass")
        elif isinstance(node, ast.Call) and _called(node) in ("change", "update", "replace"):
            for word in node.keywords:
                if word.arg is not None:
                    yield source.dropped(node, word)


def overwrites_rest(function: Function, source: Source) -> Iterator[Edit]:
    """Have a partial update write what the request does not hold, too."""
    for node in function.walk():
        if isinstance(node, ast.keyword) and node.arg in ("exclude_unset", "exclude_none", "partial"):
            yield source.replaced(node.value, "False")
    if not function.updates:
        return
    for node in function.walk():
        if isinstance(node, ast.If) and not node.orelse and _writes(node) and _is_given(node.test):
            yield source.replaced(node.test, "True")


def _writes(node: ast.If) -> bool:
    return all(
        isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute | ast.Subscript) for one in node.body
    )


def _is_given(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In | ast.IsNot)


def delete_keeps(function: Function, source: Source) -> Iterator[Edit]:
    if not function.removes:
        return
    for node in function.walk():
        alone = _called_alone(node) in ("delete", "remove", "pop", "discard")
        if isinstance(node, ast.stmt) and (alone or isinstance(node, ast.Delete)):
            yield source.replaced(node, "pass")


def default_changed(function: Function, source: Source) -> Iterator[Edit]:
    if not function.verbs:
        return
    arguments = function.node.args
    named = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = list(zip(named[::-1], reversed(arguments.defaults), strict=False))
    for argument, default in chain(pairs, zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
        if default is not None:
            yield from other_default(default, argument.annotation, source)


def other_default(default: ast.expr, annotation: ast.expr | None, source: Source) -> Iterator[Edit]:
    """Change a default: a flag, a number, another word of those allowed, or another text."""
    if isinstance(default, ast.Call):
        inner = [word.value for word in default.keywords if word.arg == "default"] or default.args[:1]
        for value in inner:
            yield from other_default(value, annotation, source)
        return
    value: Any = default.value if isinstance(default, ast.Constant) else None
    if isinstance(value, bool):
        yield source.replaced(default, str(not value))
    elif isinstance(value, int):
        yield source.replaced(default, str(value + 1 if value < 10 else 1))
    elif isinstance(value, str):
        words = [node.value for node in ast.walk(annotation) if isinstance(node, ast.Constant)] if annotation else []
        others = [word for word in words if isinstance(word, str) and word != value]
        yield source.replaced(default, repr(others[0] if others else f"{value}other"))


def any_login(function: Function, source: Source) -> Iterator[Edit]:
    """Take any password, or a token whose signature is wrong."""
    for node in function.walk():
        if not isinstance(node, ast.Call):
            continue
        if _CHECKS.search(_called(node)):
            yield source.replaced(node, "True")
        elif _called(node) == "decode" and len(node.args) > 1 and isinstance(node.func, ast.Attribute):
            start, end = source.span(node)
            yield Edit(start, end, f'{source.of(node)[:-1]}, options={{"verify_signature": False}})')


def header_dropped(function: Function, source: Source) -> Iterator[Edit]:
    for node in function.walk():
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        held = source.of(target.value) if isinstance(target, ast.Subscript) else ""
        if isinstance(node, ast.stmt) and held.endswith("headers"):
            yield source.replaced(node, "pass")


def early_answer_skipped(function: Function, source: Source) -> Iterator[Edit]:
    """Do again what a request with the same key has done."""
    for node in function.walk():
        if function.creates and isinstance(node, ast.If) and isinstance(node.body[-1], ast.Return) and not node.orelse:
            yield source.replaced(node.test, "False")


KINDS: dict[str, Edits] = {
    **GUARDS,
    "status changed": status_changed,
    "field dropped": field_dropped,
    "value not stored": value_not_stored,
    "filter ignored": filter_ignored,
    "sort reversed or ignored": sort_changed,
    "limit ignored": limit_ignored,
    "page off by one": page_off_by_one,
    "update writes nothing": writes_nothing,
    "update overwrites the rest": overwrites_rest,
    "delete keeps": delete_keeps,
    "default changed": default_changed,
    "login takes anybody": any_login,
    "header dropped": header_dropped,
    "repeated request carried out again": early_answer_skipped,
}


def model_edits(source: Source, answered: frozenset[str]) -> Iterator[tuple[str, str, Edit]]:
    """Yield kind, class and change of the fields of classes that requests and answers are made of."""
    for node in source.tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        is_model = any(re.search(r"Model$|Schema$", source.of(base)) for base in node.bases) or node.name in answered
        for field in node.body:
            if not is_model or not isinstance(field, ast.AnnAssign):
                continue
            if node.name in answered:
                yield "field dropped", node.name, source.replaced(field, "pass")
            elif field.value is not None:
                for edit in other_default(field.value, field.annotation, source):
                    yield "default changed", node.name, edit
