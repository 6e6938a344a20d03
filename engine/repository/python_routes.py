"""Reads the routes that Python source declares: FastAPI and Starlette, Flask and Quart, Django's `path`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

from ...utils.python_names import imported_module, keyword_value, last_name
from ...utils.python_source import parse_python
from .findings import Route, SourceFacts, joined

_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_BODY = re.compile(r"\brequest\.(?:get_json|json|form|data|body)\b")
_AUTH = re.compile(
    r"login_required|jwt_required|token_required|requires_auth|auth_required|permission_required|current_user|"
    r"HTTPBearer|OAuth2|APIKeyHeader|get_user|verify_token|require_(?:user|auth|login)",
    re.IGNORECASE,
)
_ROUTERS = frozenset({"APIRouter", "Blueprint", "FastAPI", "Flask", "Quart", "Starlette"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_facts(path: str, text: str) -> SourceFacts:
    """Reads the routes, mounts and imports of a Python file; empty for one that does not parse.

    Args:
        path: POSIX path in the repository.
    """
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError):
        return SourceFacts()
    module = _Module(path, text, tree)
    for node in ast.walk(tree):
        if isinstance(node, Function):
            module.decorated(node)
        elif isinstance(node, ast.Call):
            module.called(node)
    found = sorted(
        zip(module.routes, module.routers, strict=True), key=lambda declared: (declared[0].line, declared[0].method)
    )
    return SourceFacts(
        routes=tuple(route for route, _ in found),
        routers=tuple(router for _, router in found),
        mounts=tuple(module.mounts),
        imports=tuple(sorted({*module.names.values(), *module.modules})),
    )


@dataclass
class _Module:
    path: str
    text: str
    tree: ast.Module
    routes: list[Route] = field(default_factory=list)
    routers: list[str] = field(default_factory=list)
    mounts: list[tuple[str, str]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    prefixes: dict[str, str] = field(default_factory=dict)
    makers: dict[str, str] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        package = self.path.removesuffix(".py").split("/")[:-1]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.modules.update(name.name for name in node.names)
                self.names.update({name.asname or name.name.partition(".")[0]: name.name for name in node.names})
            elif isinstance(node, ast.ImportFrom):
                base = imported_module(node, package)
                self.modules.add(base)
                self.names.update({name.asname or name.name: f"{base}.{name.name}" for name in node.names})
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                self._router(node.targets[0], node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call):
                self._router(node.target, node.value)
            # A body of such a model is refused when the field is missing.
            elif isinstance(node, ast.ClassDef) and _has_required_field(node):
                self.required.add(node.name)

    def decorated(self, function: Function) -> None:
        """Records the routes that a handler's decorators declare."""
        for decorator in function.decorator_list:
            if not (isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute)):
                continue
            owner, verb = ast.unparse(decorator.func.value), decorator.func.attr
            path = _text(
                decorator.args[0]
                if decorator.args
                else keyword_value(decorator, "path") or keyword_value(decorator, "rule")
            )
            if path is None or not (path.startswith("/") or path == "") or owner.split(".")[0] in ("mock", "pytest"):
                continue
            if verb in ("route", "api_route"):
                methods = [text.upper() for text in _texts(keyword_value(decorator, "methods"))] or ["GET"]
            elif verb in _METHODS:
                methods = [verb.upper()]
            else:
                continue
            for method in methods:
                self._add(method, path, owner, decorator, function)

    def called(self, call: ast.Call) -> None:
        """Records the mount of a router, or a route of Django's `path`."""
        name = last_name(call.func)
        if name in ("include_router", "register_blueprint", "mount") and call.args:
            what = call.args[1] if name == "mount" and len(call.args) > 1 else call.args[0]
            prefix = _text(keyword_value(call, "prefix") or keyword_value(call, "url_prefix"))
            if name == "mount":
                prefix = _text(call.args[0])
            self.mounts.append((self._dotted(what), prefix or ""))
        elif name == "path" and isinstance(call.func, ast.Name) and self.names.get("path", "").startswith("django"):
            where = _text(call.args[0]) if call.args else None
            if where is not None and len(call.args) > 1:
                self._django(call, where, call.args[1])

    def _router(self, target: ast.expr, call: ast.Call) -> None:
        maker = ast.unparse(call.func).rpartition(".")[2]
        if isinstance(target, ast.Name) and maker in _ROUTERS:
            self.makers[target.id] = maker
            self.prefixes[target.id] = _text(keyword_value(call, "prefix") or keyword_value(call, "url_prefix")) or ""

    def _dotted(self, value: ast.expr) -> str:
        first, _, rest = ast.unparse(value).partition(".")
        full = self.names.get(first, f"{self.path.removesuffix('.py').replace('/', '.')}.{first}")
        return f"{full}.{rest}" if rest else full

    def _django(self, call: ast.Call, where: str, view: ast.expr) -> None:
        if isinstance(view, ast.Call) and ast.unparse(view.func) == "include" and view.args:
            module = _text(view.args[0])
            self.mounts.append((f"{module}.urlpatterns" if module else self._dotted(view.args[0]), where))
        elif not isinstance(view, ast.Call) or ast.unparse(view.func).endswith(".as_view"):
            self.routes.append(Route("GET", joined(_parameters(where)), self.path, call.lineno))
            self.routers.append("urlpatterns")

    def _add(self, method: str, path: str, owner: str, decorator: ast.Call, function: Function) -> None:
        fastapi = self.makers.get(owner) in ("FastAPI", "APIRouter")
        source = ast.get_source_segment(self.text, function) or ""
        named = _status(keyword_value(decorator, "status_code"))
        returned = _returned_statuses(function)
        # Declared, else the first success that is returned; a plain `return` answers 200.
        success = (
            named
            or next((status for status in returned if status < 400), None)
            or (200 if fastapi or not returned else None)
        )
        guards = " ".join(ast.unparse(node) for node in [*function.decorator_list, *_defaults(function)])
        annotations = {
            argument.arg: ast.unparse(argument.annotation) for argument in _arguments(function) if argument.annotation
        }
        parameters = re.findall(r"{(\w+)", _parameters(path))
        body = [name for name in annotations.values() if name in self.required]
        whole = joined(self.prefixes.get(owner, ""), _parameters(path))
        # Frameworks treat `/a` and `/a/` as two addresses.
        if path.endswith("/") and path != "/" and not whole.endswith("/"):
            whole += "/"
        # FastAPI answers 422 to a path parameter of the wrong type; Flask's converters do not match it: 404.
        typed = tuple((name, 422) for name in parameters if fastapi and annotations.get(name) == "int")
        typed += tuple((name, 404) for name in re.findall(r"<int:(\w+)>", path))
        self.routes.append(
            Route(
                method=method,
                path=whole,
                file=self.path,
                line=function.lineno,
                success=success,
                errors=tuple(sorted({status for status in (*_raised_statuses(function), *returned) if status >= 400})),
                body=bool(body) or bool(_BODY.search(source)),
                rejects_empty=422 if fastapi and body else None,
                typed_parameters=typed,
                authorized=bool(_AUTH.search(guards)),
                template=_template(function),
            )
        )
        self.routers.append(owner)


def _parameters(path: str) -> str:
    """A path's parameters as `{name}`: `<int:id>`, `<id>` and `{id:path}` are other spellings."""
    return re.sub(r"{(\w+):\w+}", r"{\1}", re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path))


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _texts(node: ast.expr | None) -> list[str]:
    elements = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
    return [text for text in map(_text, elements) if text is not None]


def _status(node: ast.expr | None) -> int | None:
    """A status from `404`, `status.HTTP_404_NOT_FOUND` or `HTTPStatus.NOT_FOUND`."""
    if isinstance(node, ast.Constant) and type(node.value) is int and 100 <= node.value <= 599:
        return node.value
    if isinstance(node, ast.Attribute):
        named = re.match(r"HTTP_(\d{3})_", node.attr)
        if named:
            return int(named.group(1))
        known = HTTPStatus.__members__.get(node.attr)
        return int(known) if known is not None else None
    return None


def _own(function: Function) -> Iterator[ast.AST]:
    """Nodes of a function's body, without those of nested functions and classes."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _raised_statuses(function: Function) -> list[int]:
    found: list[int | None] = []
    for node in _own(function):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in ("HTTPException", "abort"):
                found.append(_status(keyword_value(node, "status_code") or (node.args[0] if node.args else None)))
            elif name.endswith("Response"):
                found.append(_status(keyword_value(node, "status_code") or keyword_value(node, "status")))
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) and node.exc.id == "Http404":
            found.append(404)
    return [status for status in found if status is not None]


def _returned_statuses(function: Function) -> list[int]:
    """Statuses of `return body, 201`."""
    values = [node.value for node in _own(function) if isinstance(node, ast.Return)]
    explicit = [_status(value.elts[1]) for value in values if isinstance(value, ast.Tuple) and len(value.elts) >= 2]
    plain = [200 for value in values if value is not None and not isinstance(value, ast.Tuple)]
    return [status for status in (*explicit, *plain) if status is not None]


def _template(function: Function) -> str:
    for node in _own(function):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            texts = [text for text in (*map(_text, node.args), _text(keyword_value(node, "name"))) if text]
            if name in ("render_template", "TemplateResponse", "render"):
                return next((text for text in texts if text.endswith((".html", ".jinja", ".j2", ".htm"))), "")
    return ""


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _defaults(function: Function) -> list[ast.expr]:
    given = [
        *function.args.defaults,
        *[kw_default for kw_default in function.args.kw_defaults if kw_default is not None],
    ]
    return [*given, *[argument.annotation for argument in _arguments(function) if argument.annotation is not None]]


def _has_required_field(node: ast.ClassDef) -> bool:
    """Whether a pydantic model (by the name of its base) has a field without a default."""
    if not any(ast.unparse(base).rpartition(".")[2] in ("BaseModel", "SQLModel") for base in node.bases):
        return False
    return any(isinstance(statement, ast.AnnAssign) and statement.value is None for statement in node.body)
