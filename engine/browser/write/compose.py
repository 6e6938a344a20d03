"""Composes the spec of a site's tests from its flows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....utils.python_names import unique_name
from ..explore.session import SiteLaunch
from ..model.flow import Defect, Exploration, Flow, SignIn
from ..model.page import Action, Json
from ..model.words import slug
from .evidence import TextPlaces

SCHEMA_VERSION = "1.0.0"
_BASE_URL = "http://127.0.0.1:8000"
_LONGEST_ID = 150
_KINDS = {
    "visible": "{what} is seen",
    "hidden": "{what} is not seen",
    "text": "{what} says “{value}”",
    "title": "the title is “{value}”",
    "focused": "{what} is held back",
    "dialog": "the dialog asks “{value}”",
}


def compose_spec(
    exploration: Exploration, *, name: str, framework: str, target: Json, launch: SiteLaunch, places: TextPlaces
) -> Json:
    """Compose the spec of a site's browser tests.

    Args:
        name: of the site.
        framework: pytest, playwright or maestro.
        target: `path`, `digest` and `base_url`, as far as they are known.
    """
    spec: Json = {
        "schema_version": SCHEMA_VERSION,
        "test_type": "e2e",
        "title": f"Browser tests of {name}"[:300],
        "language": {"pytest": "python", "maestro": "yaml"}.get(framework, "typescript"),
        "framework": framework,
        "target": {
            "name": name[:200],
            "platform": "web",
            "base_url": launch.url or _BASE_URL,
            **target,
            **_started(launch),
        },
    }
    user = _user_name(exploration.sign_in.user) if exploration.sign_in else ""
    if exploration.sign_in is not None and any(flow.signed_in for flow in exploration.flows):
        spec["users"] = {user: _user(exploration.sign_in)}
    taken: set[str] = set()
    spec["cases"] = [_case(flow, user, exploration.sign_in, places, taken) for flow in exploration.flows]
    if launch.url:
        for case in spec["cases"]:
            case["preconditions"][0] = f"The site runs at {launch.url}."
    placed = [(defect, places.of({"value": defect.subject})) for defect in exploration.defects]
    spec["suspected_defects"] = list(_defects([(one, evidence) for one, evidence in placed if evidence]))
    # A defect has to say where in the project: one of a site of which nothing lies there is told as a note.
    notes = [*(f"{one.title}. {one.observed}" for one, evidence in placed if not evidence), *exploration.notes]
    spec["not_reached"] = [{"subject": name[:300], "reason": note[:1000]} for note in notes]
    return spec


def _defects(placed: Sequence[tuple[Defect, Json]]) -> Iterator[Json]:
    taken: set[str] = set()
    for defect, evidence in placed[:500]:
        name = unique_name(f"sd_{slug(defect.title)}", taken)
        taken.add(name)
        first = ["Sign in."] if defect.signed_in else []
        yield {
            "id": name,
            "title": (defect.title[:1].upper() + defect.title[1:])[:300],
            "subject": defect.subject[:300] or "/",
            "documented": defect.documented[:4000],
            "observed": defect.observed[:4000],
            "reproduce": "\n".join([*first, *(_step(action) for action in defect.actions)])[:8000],
            "evidence": evidence,
        }


def _user_name(user: str) -> str:
    """What to call who signs in, as an identifier."""
    name = slug(user.partition("@")[0])
    return name if name[:1].isalpha() else f"user_{name}"


def _user(sign_in: SignIn) -> Json:
    """How somebody signs in; who goes on before the form is gone would break the signing in off."""
    form = next(action["locator"] for action in sign_in.actions if "secret" in action)
    return {"actions": list(sign_in.actions), "expect": [{"kind": "hidden", "locator": form, "origin": "observed"}]}


def _started(launch: SiteLaunch) -> Json:
    application: Json = {}
    if launch.application:
        application["import"] = launch.application
    if launch.command:
        application["command"] = list(launch.command)
    # Values of the settings stand in no file; the application, which gets no other variables, is handed them by name.
    handed = dict.fromkeys(launch.unwritten, "") if launch.application else {}
    if launch.environment or handed:
        application["environment"] = {**launch.environment, **handed}
    if launch.folder:
        application["folder"] = launch.folder
    return {"application": application, "import_roots": list(launch.import_roots)} if application else {}


def _case(flow: Flow, user: str, sign_in: SignIn | None, places: TextPlaces, taken: set[str]) -> Json:
    case_id = unique_name(f"tc_{flow.slug}"[:_LONGEST_ID].rstrip("_"), taken)
    taken.add(case_id)
    # What comes after the last expectation shows nothing: what was expected there did not hold a second time.
    last = max((one.get("after_action", len(flow.actions) - 1) for one in flow.expect), default=len(flow.actions) - 1)
    actions = list(flow.actions)[: last + 1]
    case: Json = {
        "id": case_id,
        "title": flow.title[:300],
        "priority": flow.priority,
        "preconditions": ["The application is as it is after its start."],
        "steps": [_step(action) for action in actions],
        "expected": _sentence(flow.expect),
        "flow": flow.goal,
    }
    if flow.signed_in and sign_in is not None:
        case["preconditions"].append(f"{sign_in.user} has signed in.")
        case["arrange"] = {"signed_in_as": user}
    case["act"] = {"actions": actions}
    case["expect"] = [_expectation(one, places) for one in flow.expect]
    return case


def _expectation(one: Json, places: TextPlaces) -> Json:
    evidence = places.of(one)
    return {**one, "origin": "observed", **({"evidence": evidence} if evidence else {})}


def _step(action: Action) -> str:
    what = _named(action.get("locator") or {})
    kind, value = action["kind"], action.get("value", "")
    answer = {"accept": " and confirm", "dismiss": " and do not confirm"}.get(action.get("dialog", ""), "")
    sentences = {
        "open": f"Open {action.get('url', '')}.",
        "fill": f"Fill in {what}: {value}." if value else f"Fill in {what}.",
        "select": f"Choose {value} as {what}.",
        "click": f"Click on {what}{answer}.",
    }
    return sentences.get(kind, f"{kind.replace('_', ' ').capitalize()} {what}.")[:1000]


def _named(locator: Json) -> str:
    name = locator.get("name") or locator.get("value", "")
    return f"the {locator['value']} “{name}”" if locator.get("by") == "role" and "name" in locator else f"“{name}”"


def _sentence(expect: Sequence[Json]) -> str:
    last = [one for one in expect if "after_action" not in one] or list(expect)
    parts = [
        _KINDS.get(one["kind"], "{what} is as it was").format(
            what=_named(one.get("locator") or {}), value=one.get("value", "")
        )
        for one in last[:3]
    ]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}"[:990] + "."
