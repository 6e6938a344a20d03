"""Sites of Django send to a login whoever has not signed in, tell what they take by forms, and have a superuser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django import forms

from testwright.engine.api.model.model import HttpAnswer
from testwright.sandbox.worker.http.handlers.handler_forms import body_of
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-20")


@pytest.mark.parametrize(
    ("status", "location", "keeps_out"),
    [
        (302, "/accounts/login/?next=/books/", True),
        (302, "https://shop.example/sign-in?lang=en&returnTo=%2Fbooks", True),
        (303, "/auth/log_in?redirect_uri=/books", True),
        (302, "/login_page?next=/books", True),
        (302, "/LoginPage?next=/books", True),
        (302, "/books/1", False),
        (302, "/blog-in-depth?redirect=1", False),
        (302, "/log-in-depth?redirect=1", False),
        (302, "/login", False),
        (302, "/blog/?next=/books/", False),
        (401, "", True),
        (404, "", False),
    ],
)
def test_a_redirection_to_a_login_that_leads_back_keeps_somebody_out(
    status: int, location: str, keeps_out: bool
) -> None:
    answer = HttpAnswer(status, {"location": location} if location else {})
    assert answer.keeps_out is keeps_out
    assert answer.ok is (status < 400 and not keeps_out)


class Booking(forms.Form):
    """A seat that somebody books."""

    email = forms.EmailField()
    seats = forms.IntegerField(min_value=1, max_value=8)
    row = forms.ChoiceField(choices=[("", "any"), ("a", "first"), ("b", "second")])
    remark = forms.CharField(max_length=200, required=False)


class BookingView:
    form_class = Booking


class PlainView:
    pass


def test_a_view_takes_what_its_form_has() -> None:
    assert body_of(BookingView, "POST") == {
        "media_type": "application/x-www-form-urlencoded",
        "body": {
            "type": "object",
            "properties": {
                "email": {"type": "string", "format": "email", "maxLength": 320},
                "seats": {"type": "integer", "minimum": 1, "maximum": 8},
                "row": {"enum": ["a", "b"]},
                "remark": {"type": "string", "maxLength": 200},
            },
            "required": ["email", "seats", "row"],
        },
    }
    assert body_of(BookingView, "GET") == body_of(PlainView, "POST") == body_of(None, "POST") == {}


SETTINGS = """
SECRET_KEY = "not-a-secret"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "developers.sqlite3"}}
"""
SHOWING = """
from django.core.wsgi import get_wsgi_application
from testwright.sandbox.worker.http import api_serving

api_serving.with_own_database(get_wsgi_application())
from django.contrib.auth import authenticate, get_user_model

print(authenticate(username="boss", password="a-long-phrase").is_superuser, get_user_model().objects.count())
"""


def _run(tmp_path: Path, program: str, files: dict[str, str], **variables: str) -> subprocess.CompletedProcess[str]:
    make_project(tmp_path, files)
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, **variables, "DJANGO_SETTINGS_MODULE": "shop_settings", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_variables_of_the_command_that_makes_a_superuser_make_one(tmp_path: Path) -> None:
    superuser = {"USERNAME": "boss", "EMAIL": "boss@example.com", "PASSWORD": "a-long-phrase"}
    variables = {f"DJANGO_SUPERUSER_{name}": value for name, value in superuser.items()}
    done = _run(tmp_path, SHOWING, {"shop_settings.py": SETTINGS}, **variables)
    assert done.stdout.split() == ["True", "1"], done.stderr
    assert not (tmp_path / "developers.sqlite3").exists()


URLS = """
from django.urls import path


def price(request):
    return {}["price"]


urlpatterns = [path("price", price)]
"""
BREAKING = """
import sys

from django.core.wsgi import get_wsgi_application
from testwright.sandbox.worker.http import api_serving

application = api_serving.with_own_database(get_wsgi_application())
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/price", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80"}
application({**environ, "wsgi.input": sys.stdin.buffer}, lambda status, headers: print(status))
"""


def test_what_breaks_a_request_of_django_is_printed_with_its_place(tmp_path: Path) -> None:
    settings = f'{SETTINGS}ROOT_URLCONF = "shop_urls"\n'
    done = _run(tmp_path, BREAKING, {"shop_settings.py": settings, "shop_urls.py": URLS})
    assert done.stdout.startswith("500"), done.stderr
    assert 'shop_urls.py", line 6, in price' in done.stderr
    assert "KeyError: 'price'" in done.stderr
