"""Writes the OpenAPI document that an application makes of itself: `http.write_document CONFIG`, CONFIG as JSON.

CONFIG is {"application", "import_roots", "project", "folder", "document"}; without a project, `folder` is in it.
`document` gets {"document": object or null, "routes": [{"path", "methods", "name", "lines", "file", "parameters",
"query", "headers", "body", "media_type", "components", "doc"}], "framework"} or {"error", "trace"}.
"""

import contextlib
import dataclasses
import inspect
import json
import os
import re
import sys
import traceback
from typing import Any

from . import api_serving
from .handlers import handler_forms as forms
from .handlers import handler_reads as reads
from .handlers import handler_trees as trees

OPTIONAL_SIGN_IN = "x-optional-sign-in"
_METHODS = ("get", "post", "put", "patch", "delete")
_CONVERTERS = {
    "IntegerConverter": {"type": "integer"},
    "FloatConverter": {"type": "number"},
    "UUIDConverter": {"type": "string", "format": "uuid"},
    "IntConverter": {"type": "integer"},
    "FloatConvertor": {"type": "number"},
    "IntegerConvertor": {"type": "integer"},
    "UUIDConvertor": {"type": "string", "format": "uuid"},
}


def facts_of(application):
    """The document, or the routes where the application makes none; places of handlers in both cases."""
    make = getattr(application, "openapi", None)
    if callable(make):
        routes = list(_starlette(getattr(application, "routes", ()), ""))
        document = make()
        _mark_optional(document, getattr(application, "routes", ()))
        return {"framework": "fastapi", "document": document, "routes": routes}
    if hasattr(application, "url_map"):
        return {"framework": "flask", "document": None, "routes": list(_flask(application))}
    if hasattr(application, "routes"):
        return {"framework": "starlette", "document": None, "routes": list(_starlette(application.routes, ""))}
    if type(application).__module__.startswith("django."):
        from django.urls import get_resolver

        return {"framework": "django", "document": None, "routes": list(_django(get_resolver().url_patterns, "/"))}
    return {"framework": "", "document": None, "routes": []}


def _mark_optional(document, routes):
    """Mark in the document where signing in may be optional: schemes with `auto_error=False`, of which it says nothing.

    The code that gets nothing from such a scheme may refuse it all the same.
    """
    for route in routes:
        schemes = list(_security_schemes(getattr(route, "dependant", None)))
        item = (document.get("paths") or {}).get(getattr(route, "path_format", ""))
        if not schemes or not isinstance(item, dict) or any(getattr(one, "auto_error", True) for one in schemes):
            continue
        for method in getattr(route, "methods", None) or ():
            operation = item.get(method.lower())
            if isinstance(operation, dict) and operation.get("security"):
                operation[OPTIONAL_SIGN_IN] = True


def _security_schemes(dependant):
    """What a route of FastAPI depends on that signs somebody in."""
    for inner in getattr(dependant, "dependencies", ()):
        if hasattr(inner.call, "scheme_name") and hasattr(inner.call, "auto_error"):
            yield inner.call
        yield from _security_schemes(inner)


def _flask(application):
    before = getattr(application, "before_request_funcs", {})
    for rule in application.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        parameters = {
            name: _CONVERTERS.get(type(converter).__name__, {}) for name, converter in rule._converters.items()
        }
        path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", rule.rule)
        view = application.view_functions.get(rule.endpoint)
        blueprint = rule.endpoint.rpartition(".")[0]
        guards = [*before.get(None, ()), *(before.get(blueprint, ()) if blueprint else ())]
        yield from _routes(path, rule.methods or (), view, parameters, guards)


def _starlette(routes, prefix):
    for route in routes:
        contexts = getattr(route, "effective_route_contexts", None)
        if callable(contexts):  # a router that an application of FastAPI has taken in
            yield from _starlette(contexts(), prefix)
            continue
        path = prefix + (getattr(route, "path", None) or "")
        inner = getattr(route, "routes", None)
        endpoint = getattr(route, "endpoint", None)
        if inner and endpoint is None:
            yield from _starlette(inner, path)
        elif endpoint is not None and type(route).__name__ not in ("WebSocketRoute", "APIWebSocketRoute"):
            found = getattr(route, "param_convertors", None) or {}
            parameters = {name: _CONVERTERS.get(type(convertor).__name__, {}) for name, convertor in found.items()}
            yield from _routes(re.sub(r"{(\w+):\w+}", r"{\1}", path), route.methods or (), endpoint, parameters)


def _django(patterns, prefix):
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            if getattr(pattern, "app_name", None) != "admin":
                yield from _django(pattern.url_patterns, path)
            continue
        found = getattr(pattern.pattern, "converters", {})
        parameters = {name: _CONVERTERS.get(type(converter).__name__, {}) for name, converter in found.items()}
        path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", path)
        if "(" not in path and "^" not in path:
            yield from _routes(path, (), pattern.callback, parameters)


def _routes(path, methods, view, parameters, guards=()):
    """A route for each method; a class answers each with a function of its own."""
    owner = view if isinstance(view, type) else getattr(view, "view_class", None) or getattr(view, "cls", None)
    layers = list(_layers(view)) if view is not None else []
    handler = layers[-1] if layers else None
    named = {verb.upper(): verb for verb in _METHODS if owner is not None and hasattr(owner, verb)}
    named.update({verb.upper(): name for verb, name in (getattr(view, "actions", None) or {}).items()})
    wanted = [method for method in methods if method not in ("HEAD", "OPTIONS")] or list(named)
    # The route names no method: its decorators or its code do, and else whether it reads a body.
    if not wanted:
        wanted = trees.methods_of(handler) or (["POST"] if reads.of_handler(handler, "POST").body else ["GET"])
    for method in sorted(wanted):
        own = getattr(owner, named.get(method, ""), None) if owner is not None else None
        around = [*guards, *layers[:-1]]
        # A class-based view: decorators may stand on the class, the dispatching view and the method.
        if own is not None:
            around += [*layers, *getattr(owner, "decorators", ())]
            *more, function = _layers(own)
            around += more
        else:
            function = handler
        if function is not None:
            route = _route(path, method, function, parameters, around)
            yield {**route, **({} if "body" in route else forms.body_of(owner, method))}


def _name_apart(routes):
    """Add the method to the names that several routes have: of a function that answers two methods, say."""
    names = [route["name"] for route in routes]
    for route in [route for route in routes if names.count(route["name"]) > 1 and route["name"]]:
        route["name"] += f"_{route['methods'][0].lower()}"


def _layers(function):
    """A function and what it wraps, the innermost last."""
    seen = []
    while function is not None and not any(layer is function for layer in seen):
        seen.append(function)
        function = getattr(function, "__wrapped__", None) or _enclosed(function)
    return seen


def _enclosed(function):
    """The one function that a decorator's inner function holds, where it does not say what it wraps; else None."""
    code = getattr(function, "__code__", None)
    if code is None or "<locals>" not in getattr(function, "__qualname__", "") or not function.__closure__:
        return None
    held = dict(zip(code.co_freevars, function.__closure__))
    found = []
    for cell in held.values():
        with contextlib.suppress(ValueError):  # an empty cell
            found.append(cell.cell_contents)
    functions = [one for one in found if inspect.isfunction(one)]
    # Only what takes whatever it is given passes all of it on.
    passes_on = code.co_flags & inspect.CO_VARARGS and code.co_flags & inspect.CO_VARKEYWORDS
    return functions[0] if len(functions) == 1 and passes_on else None


def _route(path, method, handler, parameters, around):
    code = getattr(handler, "__code__", None)
    try:
        first = inspect.getsourcelines(handler)
        lines, file = [first[1], first[1] + len(first[0]) - 1], inspect.getsourcefile(handler) or ""
    except (OSError, TypeError):
        lines, file = [code.co_firstlineno] * 2 if code else [], code.co_filename if code else ""
    found = reads.of_handler(handler, method, _first_parameters(handler))
    headers = dict(found.headers())
    for layer in around:
        headers.update(reads.of_handler(layer, method).headers())
    return {
        "path": path,
        "methods": [method],
        "name": getattr(handler, "__qualname__", "").rpartition("<locals>.")[2].replace(".", "_"),
        "doc": inspect.getdoc(handler) or "",
        "file": os.path.realpath(file) if file else "",
        "lines": lines,
        "parameters": parameters,
        "query": found.schema("query"),
        "headers": headers,
        **_body(found),
    }


def _first_parameters(handler):
    """The names that the request may have: the first parameter, or the second of a method."""
    try:
        names = list(inspect.signature(handler).parameters)
    except (TypeError, ValueError):
        return []
    annotated = [
        name for name, annotation in getattr(handler, "__annotations__", {}).items() if "Request" in str(annotation)
    ]
    return [*annotated, *(name for name in names[:2] if name in ("request", "req", "r", "http_request"))]


def _body(found):
    form = found.schema("form")
    if form and not found.body:
        return {"body": form, "media_type": "application/x-www-form-urlencoded"}
    if not found.body:
        return {}
    body, components = found.schema("body") or {"type": "object"}, {}
    for model in found.models:
        schema = model_schema(model)
        if schema:
            components.update(schema.pop("$defs", {}))
            body = schema
    return {"body": body, "media_type": "application/json", "components": components}


def model_schema(model: Any) -> Any:
    """The schema of a class that a body is made into: a pydantic model or a dataclass; None for any other."""
    make = getattr(model, "model_json_schema", None)
    if callable(make):
        return make(ref_template="#/components/schemas/{model}")
    if not dataclasses.is_dataclass(model):
        return None
    kinds = {"int": "integer", "float": "number", "str": "string", "bool": "boolean", "list": "array", "dict": "object"}
    fields = [field for field in dataclasses.fields(model) if field.init]
    missing = dataclasses.MISSING
    told = {field.name: getattr(field.type, "__name__", str(field.type)).partition("[")[0] for field in fields}
    return {
        "type": "object",
        "properties": {name: {"type": kinds[kind]} if kind in kinds else {} for name, kind in told.items()},
        "required": [field.name for field in fields if field.default is missing and field.default_factory is missing],
    }


def main():
    """Write what is asked for."""
    config = json.loads(sys.argv[1])
    sys.path[:0] = [import_root for import_root in config["import_roots"] if import_root not in sys.path]
    os.chdir(config["folder"])
    if config["project"]:
        scratch = os.path.dirname(os.path.abspath(config["document"]))
        api_serving.Confinement(config["folder"], [scratch], config["project"]).install()
    try:
        facts = facts_of(api_serving.load(config["application"]))
    except BaseException as error:
        facts: Any = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-4000:]}
        facts["missing"] = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    _name_apart(facts.get("routes") or ())
    with open(config["document"], "w", encoding="utf-8") as stream:
        json.dump(facts, stream, default=str)
