"""Models which requests create the resources that an operation needs, and where their ids are used.

Links come from the document's own `links`, from nested paths (`POST /carts` creates what `/carts/{number}` reads) and
from names (`cart_id` in a body is the id of a cart).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....utils.redact import is_secret_name, is_telling
from ..document.auth import Credential, auth_entry
from ..document.operations import resource_named, singular, snake_case
from ..document.schemas import type_of
from ..model.json_values import HEADERS, is_constant, resolve_pointer
from ..model.model import Api, ApiParameter, HttpAnswer, Json, Operation
from ..values.data import NOTHING, SampleValues, looks_secret
from ..values.negative_requests import is_file
from .sign_in.failure import MissingCredential, SignInFailure
from .sign_in.shapes import with_own_password

ID_NAMES = ("id", "uuid", "uid", "key", "slug", "number", "code", "name")
_FILE = {"filename": "file.txt", "content": "content of a file"}
_LIST_OF_IDS = re.compile(r"(?:_ids|Ids)$")
_DEEPEST_LINK = 4
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class BaselineRequest:
    """A successful request of an operation, after its `setup`.

    Attributes:
        saves: parts of the answer that later requests may use: variable → JSON pointer.
    """

    operation: Operation
    request: Json
    setup: tuple[Json, ...]
    answer: HttpAnswer
    saves: Mapping[str, str] = field(default_factory=dict)

    @property
    def saving(self) -> Json:
        """The request as a step of a setup."""
        return {**self.request, "save": dict(self.saves)} if self.saves else dict(self.request)

    def is_like(self, step: Json) -> bool:
        """Whether a step of a setup is a request of the same operation."""
        return (self.operation.method, self.operation.path) == (step["method"], step["path"])

    @property
    def story(self) -> tuple[Json, ...]:
        """The setup and the request."""
        return (*self.setup, self.saving)


@dataclass(slots=True)
class ResourceModel:
    """What is known of an API so far.

    Attributes:
        baselines: successful requests by operation name.
        auth: security scheme → the name of its credential.
        refused: operations without a successful call, by name, with a call that is refused for its values.
        users: the users who can sign in, by name.
        roles: the user as whom an operation works, by its name, where the document does not say so.
        guarded: operations that refuse anonymous requests whatever these hold.
        logins: body of a login, by the operation's name.
        login_headers: headers of a login that takes no body, likewise.
        sign_in_failure: why nobody can sign in; None where somebody can, or nobody needs to.
        missing: the credential that some operations ask for and nobody knows; None where there is none.
    """

    api: Api
    samples: SampleValues
    baselines: dict[str, BaselineRequest] = field(default_factory=dict)
    auth: dict[str, str] = field(default_factory=dict)
    refused: dict[str, BaselineRequest] = field(default_factory=dict)
    users: dict[str, Credential] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    guarded: set[str] = field(default_factory=set)
    logins: dict[str, Any] = field(default_factory=dict)
    login_headers: dict[str, Json] = field(default_factory=dict)
    sign_in_failure: SignInFailure | None = None
    missing: MissingCredential | None = None

    def producer_of(self, operation: Operation, parameter: ApiParameter) -> BaselineRequest | None:
        """Return the request that creates the resource a path parameter names."""
        prefix = operation.path.partition("{" + parameter.name + "}")[0].rstrip("/")
        for baseline in self.baselines.values():
            for _, to, parameters in baseline.operation.links:
                if to and to == operation.id and parameter.name in parameters and baseline.saves:
                    return baseline
        for baseline in self.baselines.values():
            if (
                baseline.operation.method == "POST"
                and baseline.operation.path.rstrip("/") == prefix
                and _makes(baseline, parameter)
            ):
                return baseline
        return None

    def maker_of(self, operation: Operation, parameter: ApiParameter) -> BaselineRequest | None:
        """Return a PUT that creates the resource under a name chosen by the client."""
        prefix = operation.path.partition("{" + parameter.name + "}")[0]
        for baseline in self.baselines.values():
            if baseline.operation.method == "PUT" and re.fullmatch(
                re.escape(prefix) + r"\{[^/]+\}/?", baseline.operation.path
            ):
                return baseline
        return None

    def named(self, field_name: str) -> tuple[BaselineRequest, str] | None:
        """Return the producer and its variable that a field such as `cart_id`, `cartId` or `cart` refers to."""
        stem = resource_named(field_name)
        # A bare `id` or `name` does not say which resource it belongs to.
        if not stem or stem in ID_NAMES:
            return None
        for baseline in self.baselines.values():
            if baseline.operation.method == "POST" and baseline.saves and resource_of(baseline.operation.path) == stem:
                return baseline, next(iter(baseline.saves))
        return None

    def secured(self, operation: Operation) -> tuple[str, ...]:
        """Return the names of the credentials an operation needs together.

        Empty where it needs none or none are known.
        """
        if operation.name in self.roles:
            return (self.roles[operation.name],)
        for alternative in operation.security:
            known = [self.auth[scheme] for scheme in alternative if scheme in self.auth]
            if alternative and len(known) == len(alternative):
                return tuple(known)
        return ()

    def needs_auth(self, operation: Operation) -> bool:
        """Whether an operation needs credentials: by the document, or because only a user gets through."""
        return (bool(operation.security) and () not in operation.security) or operation.name in self.roles


def _makes(producer: BaselineRequest, parameter: ApiParameter) -> bool:
    return bool(producer.saves) or parameter.name in (fields_of(producer.request) or {})


def build_request(
    world: ResourceModel, operation: Operation, *, full: bool = False, linked: bool = True, body: Any = NOTHING
) -> tuple[Json, tuple[Json, ...]] | None:
    """Build a valid request and its setup; None where no valid values are found.

    Args:
        full: include all optional properties of the body.
        linked: use ids of created resources in the body.
        body: use this body instead of the plain one.
    """
    setup: list[Json] = []
    request: Json = {"method": operation.method, "path": operation.path}
    for parameter in operation.parameters:
        # Optional parameters are varied later, one at a time.
        if parameter.where != "path" and not parameter.required:
            continue
        value, before = _valued(world, operation, parameter, linked)
        if value is NOTHING:
            return None
        setup = merge_setups(setup, before)
        put_parameter(request, parameter, value)
    # Servers and proxies ignore or reject a body of GET and HEAD.
    if operation.body is not None and operation.method not in ("GET", "HEAD"):
        content = body if body is not NOTHING else world.logins.get(operation.name, NOTHING)
        content = content if content is not NOTHING else _body(world.samples, operation, full)
        if content is NOTHING:
            return None
        if linked:
            content, setup = _linked(world, operation.body.schema, content, setup)
        content = with_own_password(content, next(filter(world.users.get, world.secured(operation)), ""))
        request["body"] = {"media_type": operation.body.media_type, "content": content}
    own = world.login_headers.get(operation.name)
    if own:
        return {**request, "headers": {**(request.get("headers") or {}), **own}}, tuple(setup)
    secured = world.secured(operation)
    if secured:
        request["auth"] = auth_entry(secured)
    return request, tuple(setup)


def _valued(
    world: ResourceModel, operation: Operation, parameter: ApiParameter, linked: bool
) -> tuple[Any, tuple[Json, ...]]:
    """Return a value for a parameter and the setup it needs; NOTHING where none is found."""
    if parameter.where == "path":
        producer = world.producer_of(operation, parameter)
        if producer is not None:
            return _name_given(producer, parameter), producer.story
        maker = world.maker_of(operation, parameter)
        # A thing that is made elsewhere: /tags/{tag_id}, made by POST /stores/{store_id}/tags.
        link = world.named(parameter.name) if maker is None else None
        if link is not None and _fits(*link, type_of(world.samples.merged(parameter.schema))):
            return f"{{{{{link[1]}}}}}", link[0].story
        before = maker.story if maker is not None and maker.operation is not operation else ()
        return _parameter_value(world.samples, parameter), before
    link = world.named(parameter.name) if linked else None
    if link is not None:
        return f"{{{{{link[1]}}}}}", link[0].story
    return _parameter_value(world.samples, parameter), ()


def _name_given(producer: BaselineRequest, parameter: ApiParameter) -> Any:
    """Return what identifies the created resource.

    The saved id of that name, the name in the request, or the saved id.
    """
    for name, pointer in producer.saves.items():
        if pointer.rpartition("/")[2] == parameter.name:
            return f"{{{{{name}}}}}"
    content = fields_of(producer.request) or {}
    if isinstance(content.get(parameter.name), str | int):
        return content[parameter.name]
    return f"{{{{{next(iter(producer.saves))}}}}}"


def _parameter_value(samples: SampleValues, parameter: ApiParameter) -> Any:
    for example in (*samples.given(parameter.name, parameter.schema), *parameter.examples):
        if samples.problem(example, parameter.schema) is None and not _is_secret(parameter.name, example):
            return example
    value = samples.value(parameter.schema, parameter.name)
    # An object or null has no form in a path, query or header.
    if value is None or isinstance(value, dict):
        return NOTHING if parameter.required else value
    return value


_GOES_ON = re.compile(r"(?:^|[_-]|(?<=[a-z]))(?:page|next|continuation|sync|cursor)[_-]?token$", re.IGNORECASE)


def _is_secret(name: str, example: Any) -> bool:
    """Whether an example has the shape of a credential, or may be one because of the parameter's name.

    Tokens by which a listing goes on are no credentials.
    """
    may_be = isinstance(example, str) and is_telling(example) and any(letter.isdigit() for letter in example)
    return looks_secret(example) or (may_be and is_secret_name(name) and not _GOES_ON.search(name))


def put_parameter(request: Json, parameter: ApiParameter, value: Any) -> None:
    """Put a value where the parameter goes."""
    if parameter.where == "path":
        request["path_parameters"] = {**(request.get("path_parameters") or {}), parameter.name: value}
    elif parameter.where == "query":
        request["query"] = {**(request.get("query") or {}), parameter.name: value}
    else:
        key = "headers" if parameter.where == "header" else "cookies"
        text = str(value).lower() if isinstance(value, bool) else str(value)
        request[key] = {**(request.get(key) or {}), parameter.name: text}


def _body(samples: SampleValues, operation: Operation, full: bool) -> Any:
    body = operation.body
    assert body is not None
    for example in body.examples:
        if samples.problem(example, body.schema) is None and not looks_secret(example):
            return example
    made = samples.value(body.schema, "body", full=full)
    if "json" in body.media_type:
        return made
    if "form" in body.media_type and isinstance(made, dict):
        properties = samples.properties(body.schema)
        return {
            name: _FILE if is_file(samples.merged(properties.get(name, True))) else entry
            for name, entry in made.items()
        }
    return made if isinstance(made, str) else NOTHING


def _linked(
    world: ResourceModel, schema: Any, content: Any, setup: list[Json], depth: int = 0
) -> tuple[Any, list[Json]]:
    """Return the body with ids of created resources, also in what it wraps and lists, and the setup that creates them.

    A list of bare ids is told by its name: `tag_ids`.
    """
    if not isinstance(content, dict | list) or depth == _DEEPEST_LINK:
        return content, setup
    if isinstance(content, list):
        items, linked = world.samples.merged(schema).get("items", True), list[Any]()
        for entry in content:
            one, setup = _linked(world, items, entry, setup, depth + 1)
            linked.append(one)
        return linked, setup
    made: Json = {}
    properties = world.samples.properties(schema)
    for name, value in content.items():
        inner = properties.get(name, True)
        if isinstance(value, list) and _LIST_OF_IDS.search(name) and len(value) == 1:
            items = world.samples.merged(inner).get("items", True)
            one, setup = _linked_field(world, items, name[:-1], value[0], setup)
            made[name] = [one]
        elif isinstance(value, dict | list):
            made[name], setup = _linked(world, inner, value, setup, depth + 1)
        else:
            made[name], setup = _linked_field(world, inner, name, value, setup)
    return made, setup


def _linked_field(
    world: ResourceModel, schema: Any, name: str, value: Any, setup: list[Json]
) -> tuple[Any, list[Json]]:
    """Return the id of a created resource in place of a value, where its name says so; else the value."""
    link = world.named(name) if isinstance(value, int | str) and not isinstance(value, bool) else None
    if link is None or not _fits(link[0], link[1], type_of(world.samples.merged(schema))):
        return value, setup
    return f"{{{{{link[1]}}}}}", merge_setups(setup, link[0].story)


def _fits(producer: BaselineRequest, variable: str, kind: str) -> bool:
    """Whether the value of a variable has the wanted type."""
    value = resolve_pointer(parse_json(producer.answer), producer.saves[variable])
    if kind in ("integer", "number"):
        return isinstance(value, int | float)
    return kind in ("", "string") and isinstance(value, str)


def holds_id(producer: BaselineRequest, schema: Mapping[str, Any]) -> bool:
    """Whether a field may hold the id of what a request creates; a number with bounds is an amount."""
    fits = bool(producer.saves) and _fits(producer, next(iter(producer.saves)), type_of(schema) or "object")
    return fits and not {"maximum", "exclusiveMinimum", "exclusiveMaximum", "maxLength", "pattern"} & set(schema)


def readings_of(world: ResourceModel, operation: Operation) -> Iterator[BaselineRequest]:
    """Yield the readings of what an operation is about: at its own path, and of a POST those of the single thing."""
    path = operation.path.rstrip("/")
    for known in world.baselines.values():
        place = known.operation.path.rstrip("/")
        single = operation.method == "POST" and place.endswith("}") and place.rpartition("/")[0] == path
        if known.operation.method == "GET" and (place == path or single):
            yield known


def resource_of(path: str) -> str:
    """`cart` for /carts, /carts/ and /v1/shop/carts."""
    parts = [part for part in path.split("/") if part and "{" not in part]
    return singular(snake_case(parts[-1])) if parts else ""


def merge_setups(setup: Iterable[Json], more: Iterable[Json]) -> list[Json]:
    """Concatenate two setups, each request once, in order."""
    made, seen = [], set()
    for step in (*setup, *more):
        key = json.dumps(step, sort_keys=True)
        if key not in seen:
            seen.add(key)
            made.append(step)
    return made


ISSUED = "issued_"
"""What the names of saved tokens begin with: none of them is written into a test."""
_ENTITY_TAG = "entity_tag"
SAVED_TAG = f"{{{{{_ENTITY_TAG}}}}}"
"""What stands for the saved entity tag of a resource."""


def saving_tag(request: Json) -> Json:
    """Return a reading as a step that saves the entity tag it answers with."""
    return {**request, "save": {_ENTITY_TAG: f"{HEADERS}etag"}}


def with_header(request: Json, name: str, value: str) -> Json:
    """Return a request with a header more, or with another value of it."""
    return {**request, "headers": {**(request.get("headers") or {}), name: value}}


def fields_of(request: Json) -> Json | None:
    """Return what a body holds by name; None for none, and for one that is no object."""
    content = (request.get("body") or {}).get("content")
    return content if isinstance(content, dict) else None


def variables_in(value: Any) -> set[str]:
    """Return the saved names that `{{name}}` uses in a request."""
    found = _VARIABLE.findall(json.dumps({key: entry for key, entry in value.items() if key != "save"}))
    return {name for name in found if not is_constant(name)}


def is_complete(requests: Sequence[Json]) -> bool:
    """Whether every variable is saved before it is used."""
    known: set[str] = set()
    for request in requests:
        if not variables_in(request) <= known:
            return False
        known |= set(request.get("save") or {})
    return True


def parse_json(answer: HttpAnswer) -> Any:
    """Parse the answer as JSON; None where it is not JSON."""
    try:
        return json.loads(answer.text)
    except ValueError:
        return None
