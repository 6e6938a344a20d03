"""Reads the operations of a bundled OpenAPI 3 document in a natural reading order, with the lines of their handlers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....core.errors import ProjectError
from ....utils.python_names import unique_name
from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source
from ...repository.python_routes import python_facts
from ..model.model import Api, ApiParameter, HandlerLocations, Json, Operation, RequestBody
from .read_bodies import READ
from .schemas import normalize_schema, resolve_part, without_read_only

METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "trace")
_OPTIONAL_SIGN_IN = "x-optional-sign-in"
"""What the reader of an application marks operations with; see write_document.py."""
_ORDER = {"POST": 0, "PUT": 1, "GET": 2, "HEAD": 3, "PATCH": 4, "DELETE": 5, "OPTIONS": 6, "TRACE": 7}
_JSON = re.compile(r"^application/(?:[\w.+-]+\+)?json\b")


def api_from_document(
    document: Json, *, path: str, most: int = 60, documented: bool = True, places: HandlerLocations | None = None
) -> Api:
    """Read a document.

    Args:
        document: its references are local; invalid parts are left out, never an error.
        path: the file of the document, or of the application that serves it.
        most: maximum number of operations; those left out are listed with the reason.
        places: locations of the operations; an operation without one gets the whole of `path`.
    """
    components = {
        str(name): normalize_schema(schema)
        for name, schema in _mapping(_mapping(document.get("components")).get("schemas")).items()
    }
    found = [_placed(operation, places or {}) for operation in _operations(document, path, components)]
    chosen, others = _prioritised(found, most)
    left_out = [
        (other.label, f"the API has {len(found)} operations; the {most} most important ones are tested")
        for other in others
    ]
    schemes = _mapping(_mapping(document.get("components")).get("securitySchemes"))
    return Api(
        title=str(_mapping(document.get("info")).get("title") or "the API"),
        operations=tuple(_named(chosen)),
        schemes={str(name): dict(resolve_part(scheme, document)) for name, scheme in schemes.items()},
        components=components,
        documented=documented,
        path=path,
        left_out=tuple(left_out),
        others=tuple(others),
    )


def _operations(document: Json, path: str, components: Mapping[str, Any]) -> Iterator[Operation]:
    common = document.get("security")
    for place, item in _mapping(document.get("paths")).items():
        item = resolve_part(item, document)
        for method in METHODS:
            operation = item.get(method)
            # Extensions (`x-…`) may stand between paths.
            if not isinstance(operation, Mapping) or not str(place).startswith("/"):
                continue
            security = operation.get("security", common)
            yield Operation(
                id=str(operation.get("operationId") or ""),
                name="",
                method=method.upper(),
                path=str(place),
                parameters=tuple(_parameters(item, operation, document)),
                body=_body(operation.get("requestBody"), document, components),
                responses=dict(_responses(operation, document)),
                media=dict(_media(operation, document)),
                security=tuple(tuple(schemes) for schemes in security or () if isinstance(schemes, Mapping)),
                sign_in_optional=operation.get(_OPTIONAL_SIGN_IN) is True,
                links=tuple(_links(operation, document)),
                summary=_summary(operation, name_of(str(operation.get("operationId") or ""), method, str(place))),
                source=path,
            )


def _placed(operation: Operation, places: HandlerLocations) -> Operation:
    known = places.get((operation.method, operation.path))
    return operation if known is None else replace(operation, source=known[0], lines=known[1])


def _parameters(item: Mapping[str, Any], operation: Mapping[str, Any], document: Json) -> Iterator[ApiParameter]:
    found: dict[tuple[str, str], ApiParameter] = {}
    for parameter in [*_list(item.get("parameters")), *_list(operation.get("parameters"))]:
        parameter = resolve_part(parameter, document)
        where, name = str(parameter.get("in")), str(parameter.get("name"))
        if where not in ("path", "query", "header", "cookie") or parameter.get("name") is None:
            continue
        schema = parameter.get("schema")
        if schema is None and _mapping(parameter.get("content")):
            continue  # a parameter that is a document of its own
        examples = _examples(parameter)
        required, schema = bool(parameter.get("required")), normalize_schema(schema)
        found[where, name] = ApiParameter(name, where, required, schema, examples)
    yield from found.values()


def _body(value: Any, document: Json, components: Mapping[str, Any]) -> RequestBody | None:
    body = resolve_part(value, document)
    content = _mapping(body.get("content"))
    if not content:
        return None
    kinds = sorted(content, key=lambda media_type: (not _JSON.match(media_type), "form-urlencoded" not in media_type))
    media = _mapping(content[kinds[0]])
    schema = without_read_only(normalize_schema(media.get("schema")), components)
    return RequestBody(kinds[0], schema, bool(body.get("required")), _examples(media), read=bool(body.get(READ)))


def _responses(operation: Mapping[str, Any], document: Json) -> Iterator[tuple[str, Any]]:
    for status, response in _mapping(operation.get("responses")).items():
        content = _mapping(resolve_part(response, document).get("content"))
        kind = next((name for name in content if _JSON.match(str(name))), None)
        schema = _mapping(content[kind]).get("schema") if kind else None
        yield str(status).upper().replace("DEFAULT", "default"), None if schema is None else normalize_schema(schema)


def _media(operation: Mapping[str, Any], document: Json) -> Iterator[tuple[str, tuple[str, ...]]]:
    for status, response in _mapping(operation.get("responses")).items():
        content = _mapping(resolve_part(response, document).get("content"))
        kinds = tuple(str(name).partition(";")[0].strip().lower() for name in content)
        if kinds:
            yield str(status).upper().replace("DEFAULT", "default"), kinds


def _links(operation: Mapping[str, Any], document: Json) -> Iterator[tuple[str, str, dict[str, str]]]:
    for status, response in _mapping(operation.get("responses")).items():
        for link in _mapping(resolve_part(response, document).get("links")).values():
            link = resolve_part(link, document)
            if isinstance(link.get("operationId"), str):
                given = {str(key): str(value) for key, value in _mapping(link.get("parameters")).items()}
                yield str(status), link["operationId"], given


def _examples(holder: Mapping[str, Any]) -> tuple[Any, ...]:
    named = [_mapping(example).get("value") for example in _mapping(holder.get("examples")).values()]
    given = [holder["example"]] if "example" in holder else []
    return tuple(example for example in (*given, *named) if example is not None)


def _prioritised(found: Sequence[Operation], most: int) -> tuple[list[Operation], list[Operation]]:
    """Select the operations to test, in the document's order: shallow paths first, resources whole."""
    ranked = sorted(
        range(len(found)),
        key=lambda at: (found[at].path.count("/"), first_part(found[at].path), _ORDER[found[at].method], at),
    )
    if len(found) > most:
        # A few resources with all their operations show more than the first operation of each.
        roots = [first_part(operation.path) for operation in found]
        first = {root: number for number, root in reversed(list(enumerate(roots)))}
        ranked.sort(key=lambda at: (first[first_part(found[at].path)], found[at].path.count("/")))
    kept = set(ranked[:most])
    return [found[at] for at in sorted(kept)], [operation for at, operation in enumerate(found) if at not in kept]


def resource_named(field: str) -> str:
    """Return the resource that a field such as `cart_id`, `cartId` or `cart` may refer to: `cart`."""
    return re.sub(r"_(?:id|uuid|number|key|code|no)$", "", snake_case(field))


def first_part(path: str) -> str:
    """Return the resource a path belongs to: `orders` for /api/v1/orders/{id}/lines."""
    parts = [part for part in path.split("/") if part and "{" not in part and not re.fullmatch(r"api|v\d+", part)]
    return parts[0] if parts else ""


def _named(operations: Sequence[Operation]) -> Iterator[Operation]:
    taken: set[str] = set()
    for operation in operations:
        name = unique_name(name_of(operation.id, operation.method, operation.path), taken)
        taken.add(name)
        yield replace(operation, name=name)


def name_of(operation_id: str, method: str, path: str) -> str:
    """Return the operationId in snake case, without the path and method that frameworks append."""
    words = snake_case(operation_id)
    tail = snake_case(f"{path}_{method}")
    words = words.removesuffix(f"_{tail}").removesuffix(tail) or words
    if not words:
        parts = [snake_case(part.strip("{}")) for part in path.split("/") if part]
        words = "_".join([method.lower(), *parts]) if parts else f"{method.lower()}_root"
    return words[:60].strip("_")


def _summary(operation: Mapping[str, Any], name: str) -> str:
    """Return the summary of an operation as a sentence; "" where it only repeats the name."""
    summary, description = (" ".join(str(operation.get(key) or "").split()) for key in ("summary", "description"))
    # Frameworks make up a summary from the name of the function: the description says more.
    if not summary or snake_case(summary) == name:
        summary = re.split(r"(?<=[.!?])\s", description)[0]
    return summary[:200]


def snake_case(text: str) -> str:
    """`listPets` and `list-pets` as `list_pets`."""
    apart = re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3_\2", text)
    return re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")


_ENDS_IN_IE = re.compile(r"(?:^|_)(?:mov|cook|calor|pix|zomb|self|hood|rook|brown|p|t|d|l)ies$")


def singular(word: str) -> str:
    """`category` for categories, `box` for boxes, `movie` for movies, `cart` for carts."""
    if _ENDS_IN_IE.search(word):
        return word[:-1]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|x|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_MOST_LISTED = 20


def named_operations(api: Api, wanted: Sequence[str]) -> frozenset[str]:
    """Return the names of the operations that `POST /orders`, `/orders` or `orders` mean.

    A path without a method means its operations and those below it, a word all operations with it in their path.

    Raises:
        ProjectError: one of them means none.
    """
    found: set[str] = set()
    for text in wanted:
        means = [operation.name for operation in api.operations if _is_meant(operation, text, api.base)]
        if not means:
            labels = ", ".join(operation.label for operation in api.operations[:_MOST_LISTED])
            raise ProjectError(f"{api.title} has no operation {text}.", advice=f"It has {labels or 'none at all'}.")
        found |= set(means)
    return frozenset(found)


def _is_meant(operation: Operation, text: str, base: str) -> bool:
    method, _, path = text.strip().rpartition(" ")
    if not path or (method and operation.method != method.upper()):
        return False
    here, there = _plain_path(operation.path), _plain_path(path)
    # A person names the path as the document has it, or as it is asked for.
    if base and not f"{there}/".startswith(f"{base.lower()}/"):
        here = here.removeprefix(base.lower())
    if "/" not in path:
        parts = {part.lower() for part in operation.path.split("/") if part}
        return bool(parts & {path.lower(), f"{path.lower()}s", path.lower().removesuffix("s")})
    if method:
        return here == there
    return here == there or here.startswith(f"{there}/")


def _plain_path(path: str) -> str:
    """The path without the names of its parameters."""
    return re.sub(r"\{[^{}]*\}|<[^<>]*>", "{}", path).rstrip("/").lower()


def handler_lines(api: Api, root: Path) -> Api:
    """Add the lines of handlers in the API's file; lines that are known are kept. Blocks."""
    file = root / api.path
    if not api.path.endswith(".py") or not file.is_file():
        return api
    try:
        text = read_source(file.parent, file.name)
        tree = parse_python(text)
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return api
    ends = {
        node.lineno: node.end_lineno or node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    places = {(route.method, route.path.rstrip("/")): route.line for route in python_facts(api.path, text).routes}
    operations = tuple(_with_lines(operation, api.path, places, ends) for operation in api.operations)
    return replace(api, operations=operations)


def _with_lines(operation: Operation, path: str, places: dict[tuple[str, str], int], ends: dict[int, int]) -> Operation:
    # The document reader knows the lines already, or the handler is in another file.
    if operation.lines != (1, 1) or operation.source != path:
        return operation
    line = places.get((operation.method, operation.path.rstrip("/")))
    if line is None:
        return operation
    return replace(operation, lines=(line, ends.get(line, line)))
