"""How a site is started to be explored, and what of the settings never gets into a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs import e2e_specs
from testwright.agents.embedded.specs.e2e_specs import BrowserSpecGenerator
from testwright.engine.browser.model.flow import Exploration, Flow, SignIn
from testwright.engine.browser.write.compose import compose_spec
from testwright.engine.browser.write.evidence import TextPlaces
from testwright.engine.browser.write.render import render_browser
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-20")
SITE = {"site.py": 'import os\nPASSWORD = os.environ["SHOP_PASSWORD"]\nKEY = os.environ["SHOP_API_KEY"]\n'}
TARGET = {"application": {"import": "site:application"}}
ACTIONS = (
    {"kind": "open", "url": "/"},
    {"kind": "fill", "locator": {"by": "label", "value": "Password"}, "secret": "SHOP_PASSWORD"},
)
SIGNS_IN = SignIn("keeper", "SHOP_PASSWORD", ACTIONS)


async def _never():
    raise AssertionError("nothing is started")


def _generator(root: Path, **variables: str) -> BrowserSpecGenerator:
    return BrowserSpecGenerator(_never, root, sign_in="keeper:SHOP_PASSWORD", variables=variables)


def test_a_value_of_the_settings_reaches_the_site_and_no_file(tmp_path):
    root = make_project(tmp_path, SITE)
    generator = _generator(root, SHOP_PASSWORD="the real one")
    launch = generator._launch(TARGET)
    assert launch is not None
    assert launch.unwritten == {"SHOP_PASSWORD": "the real one"}
    assert generator._who(launch) == SignIn("keeper", "SHOP_PASSWORD")
    seen = {"kind": "visible", "locator": {"by": "text", "value": "Orders"}}
    flows = [Flow("signs_in", "keeper signs in", "sign_in", ACTIONS, (seen,))]
    exploration = Exploration(flows=flows, sign_in=SIGNS_IN)
    spec = compose_spec(
        exploration, name="shop", framework="pytest", target={}, launch=launch, places=TextPlaces(root, [])
    )
    text = render_browser(spec, "pytest", "tests/generated/e2e/test_shop_browser.py")[0].contents
    assert "the real one" not in repr((launch, spec, text))
    assert 'page.get_by_label("Password").fill(os.environ["SHOP_PASSWORD"])' in text
    environment = spec["target"]["application"]["environment"]
    assert (set(environment), environment["SHOP_PASSWORD"]) == ({"SHOP_API_KEY", "SHOP_PASSWORD"}, "")


def test_a_variable_that_only_the_settings_name_is_enough_to_sign_in(tmp_path):
    root = make_project(tmp_path, {"site.py": "USERS = {}\n"})
    generator = _generator(root, SHOP_PASSWORD="x")
    launch = generator._launch(TARGET)
    assert launch is not None
    assert generator._who(launch) is not None


class _Explored(Exception):
    """Ends a generation where the exploration would begin."""


@pytest.mark.parametrize(
    ("application", "may_click"),
    [
        ({"import": "site:application"}, True),
        ({"command": ["python", "serve.py", "{port}"]}, False),
        ({"command": ["python", "-m", "http.server", "{port}"], "folder": "public"}, True),
    ],
)
async def test_what_looks_destructive_is_clicked_only_where_kept_tests_cannot_harm(
    tmp_path, monkeypatch, application, may_click
):
    clicks: list[bool] = []

    async def explore(*_: Any, destructive: bool, **__: Any) -> None:
        clicks.append(destructive)
        raise _Explored

    async def prepared() -> Any:
        return None

    monkeypatch.setattr(e2e_specs, "explore_site", explore)
    generator = BrowserSpecGenerator(prepared, make_project(tmp_path, SITE))
    with pytest.raises(_Explored):
        await generator.generate({"target": {"application": application}})
    assert clicks == [may_click]
