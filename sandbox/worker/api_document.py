"""Tells the OpenAPI document that an application makes of itself: `python api_document.py CONFIG`, CONFIG as JSON.

CONFIG is {"application", "import_roots", "folder", "document"}. `document` gets {"document": object or null, "routes":
[{"path", "methods", "name", "line", "file", "parameters", "doc"}], "framework"} or {"error", "trace"}.
"""

import importlib.util
import inspect
import json
import os
import re
import sys
import traceback
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
_CONVERTERS = {
    "IntegerConverter": {"type": "integer"},
    "FloatConverter": {"type": "number"},
    "UUIDConverter": {"type": "string", "format": "uuid"},
    "IntConverter": {"type": "integer"},
    "FloatConvertor": {"type": "number"},
    "IntegerConvertor": {"type": "integer"},
    "UUIDConvertor": {"type": "string", "format": "uuid"},
}


def load(name: str) -> Any:
    """A module beside this file, without putting this folder on the target's path."""
    spec = importlib.util.spec_from_file_location("_testwright_" + name, os.path.join(HERE, name + ".py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def facts_of(application):
    """The document, or the routes where the application makes none."""
    make = getattr(application, "openapi", None)
    if callable(make):
        return {"framework": "fastapi", "document": make(), "routes": []}
    if hasattr(application, "url_map"):
        return {"framework": "flask", "document": None, "routes": list(_flask(application))}
    if hasattr(application, "routes"):
        return {"framework": "starlette", "document": None, "routes": list(_starlette(application.routes, ""))}
    if type(application).__module__.startswith("django."):
        from django.urls import get_resolver  # type: ignore[import-not-found]

        return {"framework": "django", "document": None, "routes": list(_django(get_resolver().url_patterns, "/"))}
    return {"framework": "", "document": None, "routes": []}


def _flask(application):
    for rule in application.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        parameters = {name: _CONVERTERS.get(type(one).__name__, {}) for name, one in rule._converters.items()}
        path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", rule.rule)
        yield _route(path, rule.methods or (), application.view_functions.get(rule.endpoint), parameters)


def _starlette(routes, prefix):
    for route in routes:
        path = prefix + getattr(route, "path", "")
        inner = getattr(route, "routes", None)
        if inner and not getattr(route, "methods", None):
            yield from _starlette(inner, path)
        elif getattr(route, "methods", None):
            found = getattr(route, "param_convertors", {})
            parameters = {name: _CONVERTERS.get(type(one).__name__, {}) for name, one in found.items()}
            yield _route(re.sub(r"{(\w+):\w+}", r"{\1}", path), route.methods, route.endpoint, parameters)


def _django(patterns, prefix):
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            if getattr(pattern, "app_name", None) != "admin":
                yield from _django(pattern.url_patterns, path)
            continue
        found = getattr(pattern.pattern, "converters", {})
        parameters = {name: _CONVERTERS.get(type(one).__name__, {}) for name, one in found.items()}
        view = pattern.callback
        owner = getattr(view, "view_class", None) or getattr(view, "cls", None)
        named = [name.upper() for name in ("get", "post", "put", "patch", "delete") if hasattr(owner, name)]
        path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", path)
        if "(" not in path and "^" not in path:
            yield _route(path, named or ("GET",), owner or view, parameters)


def _route(path, methods, handler, parameters):
    handler = inspect.unwrap(handler) if handler is not None else None
    code = getattr(handler, "__code__", None)
    line = code.co_firstlineno if code else 0
    file = code.co_filename if code else ""
    if handler is not None and code is None:
        try:
            file, line = inspect.getsourcefile(handler) or "", inspect.getsourcelines(handler)[1]
        except (OSError, TypeError):
            pass
    return {
        "path": path,
        "methods": sorted(one for one in methods if one not in ("HEAD", "OPTIONS")),
        "name": getattr(handler, "__name__", ""),
        "doc": inspect.getdoc(handler) or "" if handler is not None else "",
        "file": file,
        "line": line,
        "parameters": parameters,
    }


def main(config):
    """Write what is asked for."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != HERE]
    sys.path[:0] = [one for one in config["import_roots"] if one not in sys.path]
    os.chdir(config["folder"])
    try:
        facts = facts_of(load("api_serving").load(config["application"]))
    except BaseException as error:
        facts: Any = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-4000:]}
        facts["missing"] = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    with open(config["document"], "w", encoding="utf-8") as stream:
        json.dump(facts, stream, default=str)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
