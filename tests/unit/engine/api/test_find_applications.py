"""Applications are found where a factory makes them, also one of another module that takes arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.api.document.apps import find_application_in, find_applications
from testwright.engine.python.project.layout import find_layout
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("T-20")

FACTORY = "from flask import Flask\n\ndef create_app({}):\n    made = Flask(__name__)\n    return made\n"


def found(root: Path, files: dict[str, str]) -> list[str]:
    return [one.label for one in find_applications(find_layout(make_project(root, files)))]


def test_what_a_factory_with_arguments_makes_is_an_application(tmp_path: Path) -> None:
    text = FACTORY.format("config") + "\napplication = create_app({})\n"
    assert found(tmp_path, {"run.py": text}) == ["run:application"]


def test_the_factory_may_be_imported_from_another_module(tmp_path: Path) -> None:
    main = "from shop.factory import create_app as make\n\napp = make('production')\n"
    assert found(tmp_path, {"shop/factory.py": FACTORY.format("name"), "wsgi.py": main}) == ["wsgi:app"]


def test_a_factory_may_have_any_name(tmp_path: Path) -> None:
    factory = FACTORY.replace("create_app", "build").format("config")
    main = "from shop.making import build\nfrom shop.settings import Config\n\napp = build(Config())\n"
    files = {
        "shop/__init__.py": "",
        "shop/making.py": factory,
        "shop/settings.py": "class Config: ...\n",
        "wsgi.py": main,
    }
    assert found(tmp_path, files) == ["wsgi:app"]


def test_the_factory_may_be_imported_from_the_package_beside(tmp_path: Path) -> None:
    main = "from . import create_app\n\napp = create_app('production')\n"
    assert found(tmp_path, {"shop/__init__.py": FACTORY.format("name"), "shop/wsgi.py": main}) == ["shop.wsgi:app"]


def test_a_factory_that_takes_nothing_comes_before_what_it_makes(tmp_path: Path) -> None:
    main = "from shop import create_app\n\napp = create_app()\n"
    assert found(tmp_path, {"shop/__init__.py": FACTORY.format("name=None"), "wsgi.py": main}) == ["shop:create_app()"]
    layout = find_layout(tmp_path)
    [place] = [one for one in layout.modules if one.module == "wsgi"]
    named = find_application_in(layout, place)
    assert named is not None
    assert named.label == "wsgi:app"


def test_what_another_function_makes_is_none(tmp_path: Path) -> None:
    main = "from shop import create_app, load\n\napp = load('production')\n"
    other = FACTORY.format("name") + "\n\ndef load(name):\n    return {}\n"
    assert found(tmp_path, {"shop/__init__.py": other, "wsgi.py": main}) == []
