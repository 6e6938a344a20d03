"""Renders a load test spec as a locustfile and its helpers; the same spec gives the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

from ....core.errors import AgentFailure
from ...api.document.auth import auth_names
from ...api.document.operations import snake_case
from ...api.model.json_values import HEADERS, formatted, literal, quoted, saved_names_in
from ...api.write.dialects import FORM
from ...api.write.docstring_lines import docstring_text, indented
from ...api.write.render import ApiTestFile, rendered_python, with_helpers
from ...api.write.render_checks import cookie_of, path_of, saved, saved_of
from ...api.write.render_launch import application_call, environment_literal, secret_source, takes_secrets
from .profiles import stages_of
from .tasks import THINK_SECONDS, name_of_task

Json = Mapping[str, Any]
HELPERS = ("api_process", "api_serving", "load_profiles", "load_traffic")
_UNITS = {"ratio": "round trips", "milliseconds": "ms", "seconds": "s", "percent": "%", "per_second": ""}
_SAVED = re.compile(r"(\{\{\w+\}\})")
_PATH_CHARACTERS = "/%:@!$&'()*+,;=~-._"
"""Characters of paths that are sent as they are, as `http/api_process.py` does."""
_METRICS = frozenset(
    "latency_mean latency_p50 latency_p90 latency_p95 latency_p99 latency_max error_rate requests_per_second".split()
)
_SIDES = {"less": "at_most", "at_most": "at_most", "greater": "at_least", "at_least": "at_least"}


def render_load(spec: Json, framework: str, test_path: str) -> tuple[ApiTestFile, ...]:
    """Render the locustfile of a spec, then the helpers it needs.

    Args:
        spec: valid against the performance test schema, for Locust.
        framework: locust.
        test_path: POSIX, relative to the project's root; the file finds the project from there.

    Raises:
        AgentFailure: the spec does not make a locustfile, or the framework is another one.
        EnvironmentFault: ruff, which formats the files, cannot be run.
    """
    if framework != "locust":
        raise AgentFailure(f"load tests cannot be written for {framework!r}", advice="ask for the framework locust")
    source = rendered_python("load test spec", lambda: _Source(spec, test_path).text())
    target = spec["target"]
    return with_helpers(test_path, source, str(target.get("path") or target["name"]), {}, HELPERS)


class _Source:
    """The text of one locustfile."""

    def __init__(self, spec: Json, test_path: str) -> None:
        self._spec = spec
        self._path = test_path
        self._depth = len(PurePosixPath(test_path).parts) - 1
        self._auth: Mapping[str, Json] = spec.get("auth") or {}
        self._environment = (spec["target"].get("application") or {}).get("environment") or {}
        words = [part.capitalize() for part in snake_case(str(spec["target"]["name"])).split("_") if part]
        self._name = re.sub(r"\W", "", "".join(words)) or "Api"
        if not self._name[0].isalpha():
            self._name = f"Api{self._name}"

    def text(self) -> str:
        """The file before formatting."""
        user = "\n".join(self._user())
        parts = [self._docstring(), self._imports(user), "\n".join(self._constants())]
        return "\n\n".join([*parts, "", "\n".join(self._profiles()), "", user]) + "\n"

    def _docstring(self) -> str:
        first = profile_name(self._spec["cases"][0])
        title = docstring_text(str(self._spec["title"]))
        command = f"locust -f {self._path} --headless --load-profile {first}"
        return f'"""{title}.\n\n    {command}\n\nadds --host http://127.0.0.1:8000 for a server that runs already.\n"""'

    def _imports(self, user: str) -> str:
        standard = ["import base64"] if any(entry["kind"] == "basic" for entry in self._auth.values()) else []
        standard += ["import os"] if self._auth or takes_secrets(self._spec) else []
        ours = ["from api_process import Application", "from load_profiles import Limit, LoadProfiles, Profile"]
        standard.append("from pathlib import Path")
        if "urlencode(" in user:
            standard.append("from urllib.parse import urlencode")
        block = [*standard, "", *ours, "from locust import FastHttpUser, between, task"]
        return "\n".join(block)

    def _constants(self) -> Iterator[str]:
        yield f"ROOT = Path(__file__).resolve().parents[{self._depth}]"
        if self._environment:
            yield f"ENVIRONMENT = {environment_literal(self._environment)}"
        for name, entry in self._auth.items():
            yield f"{name.upper()} = {secret_source(entry, self._environment)}"

    def _profiles(self) -> Iterator[str]:
        yield f"class {self._name}Load(LoadProfiles):"
        yield f"    application = {application_call(self._spec['target'])}"
        yield "    profiles = {"
        for case in self._spec["cases"]:
            load = case["act"]["load"]
            start, stages = stages_of(load)
            parts = [quoted(str(case["id"])), literal_stages(stages)]
            parts += [f"start={start}"] if start else []
            warm_up = float(load.get("warm_up_seconds", 1.0))
            parts += [f"warm_up={warm_up:g}"] if warm_up != 1.0 else []
            limits = ", ".join(self._limit(one) for one in case["expect"])
            yield f"        {quoted(profile_name(case))}: Profile({', '.join(parts)}, limits=[{limits},]),"
        yield "    }"

    def _limit(self, expectation: Json) -> str:
        metric = str(expectation["metric"])
        if expectation["kind"] != "threshold" or metric not in _METRICS:
            raise AgentFailure(f"load tests have no figure {metric!r} as a {expectation['kind']}")
        parts = [quoted(metric), f"{_SIDES[expectation['operator']]}={float(expectation['value']):g}"]
        unit = _UNITS[expectation["unit"]]
        parts += [f"unit={quoted(unit)}"] if unit else []
        if expectation.get("request"):
            parts.append(f"request={quoted(str(expectation['request']))}")
        return f"Limit({', '.join(parts)})"

    def _user(self) -> Iterator[str]:
        tasks: Sequence[Json] = self._spec["cases"][0]["act"]["tasks"]
        shortest, longest = tasks[0].get("think_seconds") or THINK_SECONDS
        yield f"class {self._name}User(FastHttpUser):"
        yield f"    wait_time = between({shortest:g}, {longest:g})"
        for one in tasks:
            yield ""
            yield "    @task" + (f"({one['weight']})" if one["weight"] > 1 else "")
            yield f"    def {name_of_task(one['name'], one['requests'][0]['method'])}(self):"
            yield from indented(indented([line for request in one["requests"] for line in self._request(request)]))

    def _request(self, request: Json) -> list[str]:
        call = self._call(request)
        save: Mapping[str, str] = request.get("save") or {}
        if not save:
            return [call]
        if len(save) == 1:
            name, pointer = next(iter(save.items()))
            return [f"{name} = {saved_of(pointer, call, body='.json()')}"]
        if any(pointer.startswith(HEADERS) for pointer in save.values()):
            parts = (f"{name} = {saved_of(pointer, 'answer', body='.json()')}" for name, pointer in save.items())
            return [f"answer = {call}", *parts]
        return [f"answer = {call}.json()", *(f"{name} = {saved(at, 'answer')}" for name, at in save.items())]

    def _call(self, request: Json) -> str:
        secrets = [(name.upper(), str(self._auth[name]["kind"])) for name in auth_names(request) if name in self._auth]
        address = _address(request, [name for name, kind in secrets if kind == "api_key_query"])
        parts = [address]
        if address != quoted(str(request["path"])):
            parts.append(f"name={quoted(str(request['path']))}")
        parts += _body(request)
        headers = _headers(request, [(name, kind) for name, kind in secrets if kind != "api_key_query"])
        if len(headers) == 1 and headers[0].startswith("**"):
            parts.append(f"headers={headers[0][2:]}")
        elif headers:
            parts.append(f"headers={{{', '.join(headers)}}}")
        return f"self.client.{str(request['method']).lower()}({', '.join(parts)})"


def profile_name(case: Json) -> str:
    """The profile of a case, by the end of its id; its category where that says nothing."""
    last = str(case["id"]).rpartition("_")[2]
    return last if last in ("smoke", "load", "stress", "spike", "soak") else str(case["id"]).removeprefix("tc_")


def literal_stages(stages: Sequence[tuple[float, int]]) -> str:
    """Render stages; whole seconds without a point."""
    return "[" + ", ".join(f"({seconds:g}, {users})" for seconds, users in stages) + "]"


def _address(request: Json, keys: Sequence[str]) -> str:
    """The path with its query, quoted; what is known when the test runs only is quoted then.

    Args:
        keys: names of constants with credentials that stand in the query.
    """
    path, query = _quoted_path(path_of(request)), request.get("query") or {}
    if not keys and not saved_names_in(query):
        return formatted(path + ("?" + urlencode(_texts(query), doseq=True) if query else ""))
    entries = [*(f"{literal(name)}: {literal(value)}" for name, value in _texts(query).items())]
    is_repeated = ", doseq=True" if any(isinstance(value, list) for value in query.values()) else ""
    return (
        f"{formatted(path + '?')} + urlencode({{{', '.join([*entries, *(f'**{key}' for key in keys)])}}}{is_repeated})"
    )


def _quoted_path(path: str) -> str:
    """A path as the client of the API tests sends it; saved values stay `{{name}}`."""
    parts = _SAVED.split(path)
    return "".join(part if at % 2 else quote(part, safe=_PATH_CHARACTERS) for at, part in enumerate(parts))


def _texts(values: Json) -> dict[str, Any]:
    """The values of a query or a form as they are sent."""
    return {
        str(name): [_text(one) for one in value] if isinstance(value, list) else _text(value)
        for name, value in values.items()
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _headers(request: Json, secrets: Sequence[tuple[str, str]]) -> list[str]:
    """The entries of the headers, with credentials and cookies."""
    cookies, jar = cookie_of(request), [name for name, kind in secrets if kind == "api_key_cookie"]
    headers = {str(name): value for name, value in (request.get("headers") or {}).items()}
    found = [f"**{name}" for name, _ in secrets]
    if len(jar) + bool(cookies) > 1:
        # There is one header for all cookies.
        joined = ", ".join([*([formatted(cookies)] if cookies else []), *(f'{name}["Cookie"]' for name in jar)])
        found = [f"**{name}" for name, _ in secrets if name not in jar] + [f'"Cookie": "; ".join([{joined}])']
    elif cookies:
        headers["Cookie"] = cookies
    media = str((request.get("body") or {}).get("media_type") or "")
    if media and media != "application/json":
        headers["Content-Type"] = media
    return [*found, *(f"{literal(name)}: {literal(value)}" for name, value in headers.items())]


def _body(request: Json) -> list[str]:
    body = request.get("body")
    if body is None or "content" not in body:
        return []
    if "json" in body["media_type"] and not body.get("raw"):
        return [f"json={literal(body['content'])}"]
    if body["media_type"] == FORM and isinstance(body["content"], dict):
        fields = _texts(body["content"])
        # The client sends a list as the text of a list.
        is_repeated = any(isinstance(value, list) for value in fields.values())
        return [f"data=urlencode({literal(fields)}, doseq=True)" if is_repeated else f"data={literal(fields)}"]
    return [f"data={literal(str(body['content']))}"]
