"""The test case generator without a model: writes cases for the routes and pages that a crawl found.

A case expects what the source declares: statuses that handlers name, texts of pages, and what a framework documents.
What no source declares, such as an existing id, is a precondition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, refusal, success_response
from .case_words import variable_of

_DEPTHS = {"smoke": 0, "core": 1, "standard": 2, "deep": 3}
_REASONS = {400: "a bad request", 401: "missing authorization", 403: "a forbidden caller", 404: "something unknown"}
_UNKNOWN = "does-not-exist-0"
_NO_INTEGER = "not-a-number"


class EmbeddedCaseAgent(Agent):
    """Writes test cases for a repository's HTTP routes and pages.

    Inputs and result are those of `schemas/test_case_generator/`, inputs plain or in a hydration envelope. Depths:
    smoke has one case for each route and page, core adds the errors that handlers name, standard adds what frameworks
    reject, deep adds methods that must not be offered.

    Args: as of `Agent`.
    """

    role = "test_case_generator"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        stack = inputs["detected_stack"]
        routes = _objects(stack.get("routes"))
        pages = _objects(stack.get("pages"))
        depth = _DEPTHS[inputs["depth_level"]]
        notes: list[str] = []
        cases = [*_route_cases(routes, depth, notes), *_page_cases(pages, depth, notes)]
        if not cases:
            return refusal(
                f"{inputs['repo_full_name']} declares no HTTP route and no page whose address is known",
                error="RequestError",
                advice='For a library, ask for unit tests: testwright run "unit tests for the whole project".',
            )
        taken: dict[str, int] = {}
        named: list[JsonObject] = []
        for case in cases:
            number = taken[case["id"]] = taken.get(case["id"], 0) + 1
            named.append({**case, "id": case["id"] if number == 1 else f"{case['id']}_{number}"})
        result = {
            "run_id": inputs["run_id"],
            "test_cases": named,
            "coverage_notes": _notes(inputs, routes, pages, notes),
        }
        return success_response(result, trace=[{"event": "cases_written", "cases": len(cases)}])


def _route_cases(routes: list[JsonObject], depth: int, notes: list[str]) -> Iterable[JsonObject]:
    closed: set[str] = set()
    for route in routes:
        if route.get("template") and route["method"] == "GET":
            continue  # what it shows is asserted by the page's case
        yield _success(route)
        if depth >= 1:
            yield from _declared_errors(route, notes)
        if depth >= 2:
            yield from _rejected(route)
        if depth >= 3 and route["path"] not in closed:
            closed.add(route["path"])
            yield from _closed(route, routes)


def _success(route: JsonObject) -> JsonObject:
    needs = [*_existing(route["path"]), *_body_needs(route)]
    status = route.get("success")
    expected = f"The answer has status {status}." if status else "The answer has a status below 500."
    priority = "critical" if route["method"] in ("GET", "POST") else "high"
    return _request_case(
        route, "succeeds", "succeeds", needs, f"{route['path']}{_some_body(route)}", expected, priority
    )


def _declared_errors(route: JsonObject, notes: list[str]) -> Iterable[JsonObject]:
    for status in route.get("errors") or ():
        if status in (401, 403):
            if route.get("authorized"):
                continue  # standard depth asks without authorization
        elif status == 404 and _names(route["path"]):
            sent, what = f"{_filled(route)}{_some_body(route)}", "answers 404 for something unknown"
            yield _request_case(route, "unknown", what, _body_needs(route), sent, "The answer has status 404.", "high")
            continue
        why = _REASONS.get(status, "a condition in the handler")
        also = f"{route['method']} {route['path']} also answers {status} ({why})"
        notes.append(f"{also}; how to bring that about cannot be read off.")


def _rejected(route: JsonObject) -> Iterable[JsonObject]:
    path = route["path"]
    if route.get("authorized"):
        refused = [status for status in route.get("errors") or () if status in (401, 403)] or [401, 403]
        answer = f"The answer has status {' or '.join(str(status) for status in refused)}."
        name, what, sent = "needs_authorization", "is refused without authorization", f"{path} without authorization"
        yield _request_case(route, name, what, _existing(path), sent, answer, "high")
    for name, status in route.get("typed_parameters") or ():
        sent = path.replace(f"{{{name}}}", _NO_INTEGER)
        needs = [*_existing(sent, path), *_body_needs(route)]
        what, answer = f"rejects a {name} that is no integer", f"The answer has status {status}."
        yield _request_case(route, f"rejects_{name}", what, needs, f"{sent}{_some_body(route)}", answer, "medium")
    if route.get("rejects_empty"):
        needs = [*_existing(path), *_authorization(route)]
        sent, answer = f"{path} with the JSON body {{}}", f"The answer has status {route['rejects_empty']}."
        what = "rejects a body without its required fields"
        yield _request_case(route, "rejects_empty_body", what, needs, sent, answer, "medium")


def _closed(route: JsonObject, routes: list[JsonObject]) -> Iterable[JsonObject]:
    """Yield a case for a method that no route of the path declares: frameworks answer 405, some 404."""
    path = route["path"]
    declared = {str(other["method"]) for other in routes if _shape(other["path"]) == _shape(path)}
    method = next((verb for verb in ("DELETE", "PUT", "PATCH") if verb not in declared), None)
    if method is None:
        return
    sent, answer = re.sub(r"{\w+}", "1", path), "The answer has status 401, 403, 404 or 405."
    yield _request_case({**route, "method": method}, "is_closed", "is not offered", [], sent, answer, "low")


def _page_cases(pages: list[JsonObject], depth: int, notes: list[str]) -> Iterable[JsonObject]:
    for page in pages:
        path = str(page["path"])
        needs = _existing(path)
        title, headings = _quotable(page.get("title")), _quoted(page.get("headings"))
        shown = [f'The page shows the heading "{text}".' for text in (headings if depth else headings[:1])]
        if title and not shown:
            shown = [f'The page title is "{title}".']
        elif title and depth:
            expected = f'The page title is "{title}".'
            yield _case(
                f"page_{_words(path)}_title", f"{path} has its title", needs, [f"Open {path}."], expected, "low"
            )
        if shown:
            yield _case(
                f"page_{_words(path)}_opens", f"{path} opens", needs, [f"Open {path}."], " ".join(shown), "critical"
            )
        else:
            notes.append(f"{path} ({page.get('file')}) holds no literal title or heading to look for.")
        parts = [f'The page shows the field "{text}".' for text in _quoted(page.get("fields"))]
        parts += [f'The page shows the button "{text}".' for text in _quoted(page.get("buttons"))]
        if parts and depth >= 1:
            yield _case(
                f"page_{_words(path)}_form",
                f"{path} offers its form",
                needs,
                [f"Open {path}."],
                " ".join(parts),
                "high",
            )


def _request_case(
    route: JsonObject, name: str, what: str, needs: list[str], sent: str, expected: str, priority: str
) -> JsonObject:
    """A case that sends one request; `sent` is its path with what goes along."""
    method, path = route["method"], route["path"]
    title, step = f"{method} {path} {what}", f"Send {method} {sent}."
    return _case(f"{method.lower()}_{_words(path)}_{name}", title, needs, [step], expected, priority)


def _case(name: str, title: str, needs: list[str], steps: list[str], expected: str, priority: str) -> JsonObject:
    return {
        "id": f"tc_{name}",
        "title": title,
        "preconditions": needs,
        "steps": steps,
        "expected": expected,
        "priority": priority,
    }


def _notes(inputs: Mapping[str, Any], routes: list[JsonObject], pages: list[JsonObject], notes: list[str]) -> str:
    first = (
        f"Made from {inputs['repo_full_name']} at {inputs['ref']}, depth {inputs['depth_level']}: "
        f"{len(routes)} routes, {len(pages)} pages, read from the source without running it."
    )
    components = [
        entry_point["path"] for entry_point in inputs["entry_points"] if entry_point["kind"] == "ui_component"
    ]
    unknown = sorted({*components} - {page.get("file") for page in pages})
    if unknown:
        shown = ", ".join(unknown[:10]) + (f" and {len(unknown) - 10} more" if len(unknown) > 10 else "")
        notes = [*notes, f"No address is known for {shown}."]
    return "\n".join([first, *dict.fromkeys(notes)])


def _filled(route: JsonObject) -> str:
    """Fill a path with values that exist nowhere; an integer parameter gets a large number."""
    typed = {name for name, _ in route.get("typed_parameters") or ()}
    return re.sub(r"{(\w+)}", lambda found: "999999999" if found[1] in typed else _UNKNOWN, route["path"])


def _body_variable(route: JsonObject) -> str:
    """The environment variable that holds the body of a request; empty for a request without one."""
    sends = route.get("body") and route["method"] in ("POST", "PUT", "PATCH")
    return f"{_words(route['path']).upper()}_{route['method']}_BODY" if sends else ""


def _some_body(route: JsonObject) -> str:
    variable = _body_variable(route)
    return f" with the JSON body ${variable}" if variable else ""


def _body_needs(route: JsonObject) -> list[str]:
    variable = _body_variable(route)
    accepted = f"holds a JSON body that {route['method']} {route['path']} accepts"
    return [*([f"The environment variable {variable} {accepted}."] if variable else []), *_authorization(route)]


def _authorization(route: JsonObject) -> list[str]:
    need = "The environment variable AUTHORIZATION holds an Authorization header that may do this."
    return [need] if route.get("authorized") else []


def _existing(path: str, whole: str | None = None) -> list[str]:
    """Preconditions for the parameters of a path; variables are named after the whole path."""
    return [
        f"The environment variable {variable_of(name, whole or path)} holds an existing {name}."
        for name in _names(path)
    ]


def _names(path: str) -> list[str]:
    return re.findall(r"{(\w+)}", path)


def _shape(path: str) -> str:
    return re.sub(r"{\w+}", "*", path)


def _words(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", path.lower()).strip("_") or "root"


def _quoted(texts: Any) -> list[str]:
    return [quotable for text in texts or () if (quotable := _quotable(text))]


def _quotable(text: Any) -> str:
    """Return a text that can be quoted in a sentence, else ""."""
    return text if isinstance(text, str) and text.strip() and '"' not in text and "\n" not in text else ""


def _objects(value: Any) -> list[JsonObject]:
    """Select valid routes or pages; a third-party crawler may leave them out or use another form."""
    rows = value if isinstance(value, list) else []
    return [
        row
        for row in rows
        if isinstance(row, dict)
        and isinstance(row.get("path"), str)
        and row["path"].startswith("/")
        and re.fullmatch(r"[A-Z]+", str(row.get("method", "GET")))
    ]
