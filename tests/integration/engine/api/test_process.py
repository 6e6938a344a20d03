"""The helper that stands beside generated tests: it starts the application, resets it, and is sure to stop it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from testwright.engine.api.write.render import helper_source
from testwright.tests.support.projects.small_api import APP

pytestmark = pytest.mark.feature("T-20")


@pytest.fixture(scope="module")
def helper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("helper")
    for name in ("api_process", "api_serving"):
        (folder / f"{name}.py").write_text(helper_source(name), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("api_process", folder / "api_process.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield module
    sys.modules.pop("api_serving", None)


def application(helper: ModuleType, folder: Path, name: str = "notes:app", source: str = APP, **more: Any) -> Any:
    (folder / "notes.py").write_text(source, encoding="utf-8")
    return helper.Application(None if more.get("command") else name, root=folder, import_roots=["."], **more)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_application_answers_and_a_reset_throws_its_state_away(helper: ModuleType, tmp_path: Path) -> None:
    with application(helper, tmp_path) as api:
        assert api.post("/notes", json={"text": "milk"}).succeeded().json["id"] == 1
        assert len(api.get("/notes").json) == 1
        api.reset()
        assert api.get("/notes").json == []


def test_what_readings_and_refusals_leave_behind_is_thrown_away(helper: ModuleType, tmp_path: Path) -> None:
    source = (
        "SEEN = []\n"
        "def app(environ, start_response):\n"
        "    SEEN.append(1)\n"
        "    start_response('200 OK' if environ['REQUEST_METHOD'] == 'GET' else '403 Forbidden', [])\n"
        "    return [str(len(SEEN)).encode()]\n"
    )
    (tmp_path / "counting.py").write_text(source, encoding="utf-8")
    with helper.Application("counting:app", root=tmp_path, import_roots=["."]) as api:
        for ask in (api.get, api.post):
            assert ask("/").text == "1"
            api.reset()


def test_nothing_is_left_running(helper: ModuleType, tmp_path: Path) -> None:
    api = application(helper, tmp_path)
    with api:
        api.get("/notes")
        pid = api._process.pid
    assert gone(pid)
    with pytest.raises(OSError, match=r"refused|reset"):
        helper.socket.create_connection(("127.0.0.1", int(api.base_url.rpartition(":")[2])), timeout=5).recv(1)


def test_an_application_that_does_not_import_is_told_with_what_it_printed(helper: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(helper.ApplicationFailure, match=r"No module named 'nowhere_to_be_found'"):
        application(helper, tmp_path, source="import nowhere_to_be_found").start()


def test_one_that_has_ended_before_it_takes_its_first_order_is_told_as_well(
    helper: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*command: Any, **options: Any) -> Any:
        process = subprocess.Popen(*command, **options)
        process.wait()
        return process

    monkeypatch.setattr(helper, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": ended}))
    with pytest.raises(helper.ApplicationFailure, match="it ended with code 7"):
        application(helper, tmp_path, launcher=[sys.executable, "-c", "raise SystemExit(7)"]).start()


def test_an_application_that_dies_is_told_and_starts_again(helper: ModuleType, tmp_path: Path) -> None:
    with application(helper, tmp_path) as api:
        with pytest.raises(helper.ApplicationFailure, match="GET /die was not answered"):
            api.get("/die")
        api.reset()
        assert api.get("/notes").status == 200


def test_a_hanging_answer_is_given_up(helper: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "ANSWER_SECONDS", 0.5)
    with application(helper, tmp_path) as api:
        with pytest.raises(helper.ApplicationFailure, match=r"not answered in 0\.5 s"):
            api.get("/hang")
        monkeypatch.setattr(helper, "ANSWER_SECONDS", 30.0)
        api.reset()
        assert api.get("/notes").status == 200


def test_secrets_that_the_application_prints_are_not_told(helper: ModuleType, tmp_path: Path) -> None:
    secret = "very-secret-value"
    with application(helper, tmp_path, environment={"NOTES_TOKEN": secret}) as api:
        with pytest.raises(helper.ApplicationFailure) as told:
            api.get("/tell")
        assert secret not in str(told.value)
        assert "the token is ***" in str(told.value)


def test_a_command_gets_a_free_port_and_is_ended(helper: ModuleType, tmp_path: Path) -> None:
    serve = (
        "import sys; from wsgiref.simple_server import make_server; import notes;"
        "make_server('127.0.0.1', int(sys.argv[1]), notes.app).serve_forever()"
    )
    with application(helper, tmp_path, command=[sys.executable, "-c", serve, "{port}"]) as api:
        address = api.base_url
        assert api.get("/notes").json == []
        assert api.post("/notes", json={}).status == 422
        api.reset()
        assert api.base_url == address, "a start is slow: what only reads or is refused costs none"
        api.post("/notes", json={"text": "milk"})
        api.reset()
        assert api.get("/notes").json == []


def test_a_command_that_ends_is_told_with_its_code(helper: ModuleType, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('port taken', file=sys.stderr); sys.exit(3)"]
    with pytest.raises(helper.ApplicationFailure, match=r"ended with code 3[\s\S]*port taken"):
        application(helper, tmp_path, command=command).start()


def test_files_in_the_working_folder_are_put_back(helper: ModuleType, tmp_path: Path) -> None:
    source = (
        "from pathlib import Path\nPath('seen.txt').write_text('')\n"
        "def app(environ, start_response):\n"
        "    start_response('200 OK', [])\n"
        "    place = Path('seen.txt')\n"
        "    place.write_text(place.read_text() + 'x')\n"
        "    return [place.read_bytes()]\n"
    )
    with application(helper, tmp_path, source=source) as api:
        assert api.post("/").text == "x"
        assert api.post("/").text == "xx"
        api.reset()
        assert api.post("/").text == "x"


def test_a_factory_is_called(helper: ModuleType, tmp_path: Path) -> None:
    with application(helper, tmp_path, "notes:make()", source=APP + "\n\ndef make():\n    return app\n") as api:
        assert api.get("/notes").status == 200


def test_a_running_server_is_used_where_its_address_is_given(
    helper: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with application(helper, tmp_path) as running:
        monkeypatch.setenv("API_BASE_URL", running.base_url)
        with helper.Application("nowhere:app") as api:
            assert api.post("/notes", json={"text": "milk"}).status == 201
            api.reset()
            assert len(api.get("/notes").json) == 1


@pytest.mark.parametrize(("seconds", "times"), [(0.0, 3), (60.0, 1)])
def test_who_has_signed_in_once_does_so_again_before_a_token_is_too_old(
    helper: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, times: int
) -> None:
    monkeypatch.setattr(helper, "SIGNED_IN_SECONDS", seconds)
    signed_in: list[Any] = []

    def sign_in(api: Any) -> dict[str, dict[str, str]]:
        signed_in.append(len(api.get("/notes").json))
        api.post("/notes", json={"text": "who"}).succeeded()
        return {"user": {}}

    with application(helper, tmp_path) as api:
        api.sign_in_by(sign_in, keeps=True)
        for _ in range(2):
            api.get("/notes")
            api.reset()
    assert signed_in == [0] * times


ROUTES = """
import os

from django.http import JsonResponse
from django.urls import path

IMPORTED_BY = os.getpid()


def told(request):
    return JsonResponse({"imported_by": IMPORTED_BY, "served_by": os.getpid()})


urlpatterns = [path("told", told)]
"""
SITE = """
import os

from django.conf import settings

settings.configure(SECRET_KEY="no-secret-of-anybody", ROOT_URLCONF="routes", ALLOWED_HOSTS=["*"])
from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
"""


def test_the_routes_of_django_are_imported_once_and_not_by_each_fork(helper: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "routes.py").write_text(ROUTES, encoding="utf-8")
    with application(helper, tmp_path, "notes:application", SITE) as api:
        first = api.get("/told").json
        api.reset()
        second = api.get("/told").json
    assert first["imported_by"] == second["imported_by"]
    assert len({first["imported_by"], first["served_by"], second["served_by"]}) == 3


def test_routes_that_do_not_import_are_told_by_the_answer(helper: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "routes.py").write_text("raise KeyError('SHOP')\n", encoding="utf-8")
    with application(helper, tmp_path, "notes:application", SITE) as api:
        assert api.get("/told").status == 500
