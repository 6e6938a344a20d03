"""Which variables of the settings an API's tests give the application, and in which form."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.agents.embedded.specs.start_by_hand import describe_start
from testwright.engine.api.document.application import AppLaunch

pytestmark = pytest.mark.feature("T-20")
VARIABLES = {"SHOP_REGION": "eu west", "SHOP_PLACE": "north-of-the-river", "SHOP_PASSWORD": "correct-horse"}


def test_own_words_are_kept_secrets_are_made_up_and_what_is_taken_is_left_to_who_runs_the_tests(tmp_path: Path) -> None:
    nobody = cast(Any, None)
    generator = ApiSpecGenerator(nobody, tmp_path, nobody, variables=VARIABLES, taken={"SHOP_PLACE": "north-${SIDE}"})
    launch, _ = generator._launch({"application": {"import": "shop:app"}})
    assert launch is not None
    assert launch.environment == {"SHOP_REGION": "eu west", "SHOP_PLACE": "", "SHOP_PASSWORD": "test-shop-password"}
    assert set(launch.private) == {"north-of-the-river", "correct-horse"}
    assert "SHOP_REGION='eu west'" in describe_start(launch, "fastapi")
    assert "a value of your own in SHOP_PASSWORD and SHOP_PLACE" in describe_start(launch, "fastapi")
    assert launch.taken == {"SHOP_PLACE": "north-${SIDE}"}


def test_a_credential_of_the_source_is_told_as_that_where_the_application_is_started_by_hand() -> None:
    launch = AppLaunch("shop:app", environment={"DESK_TOKEN": "a-literal", "MAIL_TOKEN": "test-mail-token"})
    told = describe_start(launch, "fastapi", {"DESK_TOKEN": "a-literal", "OTHER_TOKEN": "unused"})
    assert "with a value of your own in MAIL_TOKEN, with what the source has as DESK_TOKEN:" in told
    assert "a-literal" not in told


MAKING_ADMINISTRATORS = """
import os

EMAIL, PHRASE = os.environ.get("SHOP_ADMIN_EMAIL"), os.environ.get("SHOP_ADMIN_PASSWORD")
MAIL = os.environ.get("SMTP_USER"), os.environ.get("SMTP_PASSWORD")
"""


@pytest.mark.parametrize(
    ("variables", "made_up"),
    [
        ({}, {"SHOP_ADMIN_EMAIL": "admin@example.com", "SHOP_ADMIN_PASSWORD": "test-shop-admin-password"}),
        ({"SHOP_ADMIN_EMAIL": "boss@example.com"}, {"SHOP_ADMIN_EMAIL": "boss@example.com"}),
    ],
)
def test_an_administrator_whom_two_variables_make_is_made_up_where_neither_is_given(
    tmp_path: Path, variables: dict[str, str], made_up: dict[str, str]
) -> None:
    (tmp_path / "shop.py").write_text(MAKING_ADMINISTRATORS)
    nobody = cast(Any, None)
    launch, _ = ApiSpecGenerator(nobody, tmp_path, nobody, variables=variables)._launch(
        {"application": {"import": "shop:app"}}
    )
    assert launch is not None
    assert launch.environment.items() >= made_up.items()
    assert "SMTP_USER" not in launch.environment


GREETING = "def hello(request):\n    return None\n"
ASKING_WHO_THEY_ARE = f"from django.contrib.auth.decorators import login_required\n\n\n@login_required\n{GREETING}"


@pytest.mark.parametrize(
    ("views", "framework", "superuser"),
    [
        (
            ASKING_WHO_THEY_ARE,
            "django",
            {
                "DJANGO_SUPERUSER_USERNAME": "admin",
                "DJANGO_SUPERUSER_EMAIL": "admin@example.com",
                "DJANGO_SUPERUSER_PASSWORD": "test-django-superuser-password",
            },
        ),
        (GREETING, "django", {}),
        (ASKING_WHO_THEY_ARE, "flask", {}),
    ],
)
def test_an_application_of_django_that_asks_who_somebody_is_gets_a_superuser(
    tmp_path: Path, views: str, framework: str, superuser: dict[str, str]
) -> None:
    (tmp_path / "views.py").write_text(views)
    nobody = cast(Any, None)
    launch, _ = ApiSpecGenerator(nobody, tmp_path, nobody)._launch(
        {"application": {"import": "site:application"}, "framework_of_app": framework}
    )
    assert launch is not None
    assert dict(launch.environment) == superuser
