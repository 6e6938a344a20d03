"""Files of API specs that name a test client; specs by hand, nothing is run."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from testwright.engine.api.write.render import render_api
from testwright.sandbox.worker.suites.user_environment import OF_THE_SYSTEM

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-04")]
PATH = "tests/generated/api/test_shop_api.py"
PROOF = {"origin": "documented", "evidence": {"path": "src/shop.py", "lines": [1, 2]}}
SIGN_UP = {
    "method": "POST",
    "path": "/login",
    "body": {"media_type": "application/json", "content": {"email": "{{email}}", "password": "{{password}}"}},
}
USER = {"kind": "bearer", "variable": "USER", "sign_in": {"requests": [SIGN_UP], "pointer": "/token", "keeps": False}}


def case(name: str, request: dict[str, Any], status: int = 200, **more: Any) -> dict[str, Any]:
    return {
        "id": f"tc_{name}",
        "title": f"it {name}",
        "operation": {"method": request["method"], "path": request["path"]},
        "act": {"request": request},
        "expect": [{"kind": "status", "statuses": [status], **PROOF}, *more.pop("expect", ())],
        **more,
    }


def text(*cases: dict[str, Any], client: dict[str, Any] | None = None, **more: Any) -> str:
    application = {
        "import": more.pop("place", "shop.web:app"),
        "client": {"kind": "fastapi", **(client or {})},
        **({"environment": more.pop("environment")} if "environment" in more else {}),
    }
    target = {"name": "Shop", "application": application, "import_roots": ["src"]}
    framework = more.pop("framework", "pytest")
    spec = {"test_type": "api", "title": "API tests for Shop", "target": target, "cases": list(cases), **more}
    files = render_api(spec, framework, PATH)
    assert [file.path for file in files] == [PATH]
    ast.parse(files[0].contents)
    return files[0].contents


READ = {"method": "GET", "path": "/carts"}


def test_a_test_asks_the_client_of_the_framework_and_no_helper_is_written() -> None:
    made = text(case("reads", READ, expect=[{"kind": "body_equals", "value": [], **PROOF}]))
    assert "from fastapi.testclient import TestClient\n" in made
    assert "from shop.web import app\n" in made
    assert "    with TestClient(app) as client:\n        yield client\n" in made
    assert '    response = client.get("/carts")\n    assert response.status_code == 200\n' in made
    assert "    assert response.json() == []\n" in made
    assert '"""It reads."""' in made or '"""it reads."""' in made


def test_what_requests_change_is_copied_for_each_test() -> None:
    made = text(case("reads", READ), client={"state": [["shop.web:CARTS"]]})
    assert "from shop import web\n" in made
    assert '    monkeypatch.setattr(web, "CARTS", copy.deepcopy(web.CARTS))\n' in made


def test_all_names_of_an_object_get_the_same_copy() -> None:
    made = text(case("reads", READ), client={"state": [["shop.store:CARTS", "shop.web:CARTS"]]})
    assert '    monkeypatch.setattr(store, "CARTS", copy.deepcopy(store.CARTS))\n' in made
    assert '    monkeypatch.setattr(web, "CARTS", store.CARTS)\n' in made


def test_modules_of_one_name_keep_apart() -> None:
    made = text(case("reads", READ), client={"state": [["shop.a.store:ROWS"], ["shop.b.store:ROWS"]]})
    names = {alias.asname or alias.name for node in ast.walk(ast.parse(made)) for alias in getattr(node, "names", ())}
    assert {"store", "store_2"} <= names


def test_variables_are_set_by_the_fixture_and_early_ones_before_the_import() -> None:
    late = text(case("reads", READ), environment={"SHOP_KEY": "made-up"})
    assert 'ENVIRONMENT = {"SHOP_KEY": "made-up"}' in late
    assert "        monkeypatch.setenv(name, value)\n" in late
    early = text(case("reads", READ), environment={"SHOP_KEY": "made-up"}, client={"early_environment": True})
    assert early.index("os.environ.update(ENVIRONMENT)") < early.index("from shop.web import app")
    assert "setenv" not in early


def test_users_sign_in_once_and_each_has_a_client() -> None:
    made = text(case("reads", {**READ, "auth": "user"}), client={"state": [["shop.web:CARTS"]]}, auth={"user": USER})
    assert '@pytest.fixture(scope="module")\ndef signed_in():' in made
    assert '    return TestClient(web.app, headers=signed_in["user"])\n' in made
    assert "def test_reads(user):\n" in made
    assert 'return {"Authorization": "Bearer " + answer.json()["token"]}' in made


def test_users_sign_in_to_each_application_that_a_function_makes() -> None:
    made = text(case("reads", {**READ, "auth": "user"}), place="shop.web:make()", auth={"user": USER})
    assert "    with TestClient(make()) as client:\n" in made
    assert "@pytest.fixture(autouse=True)\ndef signed_in(client):\n" in made
    assert '    return TestClient(client.app, headers=signed_in["user"])\n' in made


def test_what_users_leave_who_sign_in_once_is_copied_for_each_application_that_a_function_makes() -> None:
    client = {"kind": "flask", "own_folder": True, "signed_in_once": True}
    made = text(case("reads", {**READ, "auth": "user"}), place="shop.web:make()", client=client, auth={"user": USER})
    assert "        patch.chdir(folder)\n        yield sign_in(make().test_client())\n" in made
    assert "def client(signed_in, monkeypatch, tmp_path, folder):\n" in made
    assert (
        "    shutil.copytree(folder, tmp_path, symlinks=True, dirs_exist_ok=True)\n    monkeypatch.chdir(tmp_path)\n"
        in made
    )
    assert "autouse" not in made


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_nothing_is_copied_where_the_application_has_no_folder_of_its_own(framework: str) -> None:
    client = {"kind": "flask", "signed_in_once": True}
    reads, more = case("reads", {**READ, "auth": "user"}), {"auth": {"user": USER}, "framework": framework}
    made = text(reads, place="shop.web:make()", client=client, **more)
    assert "copytree" not in made


def test_redirects_are_not_followed_where_one_is_expected() -> None:
    assert "TestClient(app, follow_redirects=False)" in text(case("moves", READ, 307))


@pytest.mark.parametrize(
    ("method", "body", "call"),
    [
        (
            "POST",
            {"media_type": "application/json", "content": "{", "raw": True},
            'client.post("/carts", headers={"Content-Type": "application/json"}, content="{")',
        ),
        (
            "DELETE",
            {"media_type": "application/json", "content": {"a": 1}},
            'client.request("DELETE", "/carts", json={"a": 1})',
        ),
        (
            "POST",
            {"media_type": "application/x-www-form-urlencoded", "content": {"a": "b"}},
            'client.post("/carts", data={"a": "b"})',
        ),
        (
            "POST",
            {"media_type": "multipart/form-data", "content": {"n": 1, "f": {"filename": "a.txt", "content": "x"}}},
            'client.post("/carts", files=[("n", (None, "1")), ("f", ("a.txt", "x"))])',
        ),
    ],
)
def test_bodies_are_written_as_the_client_takes_them(method: str, body: dict[str, Any], call: str) -> None:
    assert f"response = {call}\n" in text(case("sends", {"method": method, "path": "/carts", "body": body}))


def test_a_client_of_werkzeug_gets_the_words_of_werkzeug() -> None:
    form = {"media_type": "multipart/form-data", "content": {"f": {"filename": "a.txt", "content": "x"}, "last": True}}
    sent = case("sends", {"method": "POST", "path": "/carts", "query": {"all": True}, "body": form})
    made = text(sent, client={"kind": "flask"})
    assert "    return app.test_client()\n" in made
    assert 'query_string={"all": "true"}' in made
    assert 'data={"f": (io.BytesIO("x".encode()), "a.txt"), "last": "true"}' in made
    assert 'content_type="multipart/form-data"' in made
    assert "import io\n" in made


def test_setup_checks_that_it_worked() -> None:
    before = {"requests": [{**SIGN_UP, "save": {"login_id": "/id"}}]}
    assert ".raise_for_status().json()[" in text(case("reads", READ, arrange=before))
    made = text(case("reads", READ, arrange=before), client={"kind": "flask"})
    assert "def succeeded(response):\n" in made
    assert '    return succeeded(client.post("/login", ' in made


def test_variables_of_the_shell_are_removed() -> None:
    late = text(case("reads", READ), client={"unset": ["SHOP_DATABASE"]})
    assert '    monkeypatch.delenv("SHOP_DATABASE", raising=False)\n' in late
    early = text(case("reads", READ), client={"unset": ["SHOP_DATABASE"], "early_environment": True}, environment={})
    assert early.index('os.environ.pop("SHOP_DATABASE", None)') < early.index("from shop.web import app")


def test_an_application_with_a_database_is_imported_anew_and_its_database_restored() -> None:
    client = {"database": "shop.db", "packages": ["shop"]}
    made = text(case("reads", {**READ, "auth": "user"}), client=client, auth={"user": USER})
    assert '        app = importlib.import_module("shop.web").app\n' in made
    assert "def snapshot(app, signed_in):\n" in made
    assert "        snapshot.backup(database)\n    return TestClient(app)\n" in made
    assert '    return TestClient(app, headers=signed_in["user"])\n' in made


def bound_twice(made: str) -> set[str]:
    """Names that the head and the functions of a file bind more than once."""
    names = [
        name
        for node in ast.parse(made).body
        for name in (
            [node.name]
            if isinstance(node, ast.FunctionDef)
            else [alias.asname or alias.name for alias in getattr(node, "names", ())]
        )
    ]
    return {name for name in names if names.count(name) > 1}


@pytest.mark.parametrize("name", ["user", "copy_state", "sign_in", "create_row", "time", "patch"])
def test_a_module_by_the_name_of_another_thing_in_the_file_is_renamed(name: str) -> None:
    row = {**SIGN_UP, "path": "/rows"}
    asked = case("reads", {**READ, "auth": "user"}, arrange={"requests": [row]})
    made = text(asked, client={"state": [[f"shop.{name}:ROWS"]]}, auth={"user": USER})
    assert bound_twice(made) == set()
    assert "def create_row(client, " in made
    assert f"    patch.setattr({name}_module, " in made


def test_an_application_by_the_name_of_a_user_is_renamed() -> None:
    made = text(case("reads", {**READ, "auth": "user"}), place="shop.web:user", auth={"user": USER})
    assert "from shop.web import user as user_application\n" in made
    assert "    with TestClient(user_application) as client:\n" in made


QUICK = {"kind": "response_time", "milliseconds": 500, **PROOF}


def test_a_client_whose_answers_do_not_say_how_long_they_took_is_timed() -> None:
    made = text(case("reads", READ, expect=[QUICK]), client={"kind": "flask"})
    assert "import time\n" in made
    lines = [
        "began = time.perf_counter()",
        'response = client.get("/carts")',
        "seconds = time.perf_counter() - began",
    ]
    assert "".join(f"    {line}\n" for line in lines) in made
    assert "    assert seconds <= 0.5\n" in made
    assert "perf_counter" not in text(case("reads", READ), client={"kind": "flask"})
    assert "    assert response.elapsed.total_seconds() <= 0.5\n" in text(case("reads", READ, expect=[QUICK]))


def test_the_type_of_a_body_is_sent_once() -> None:
    body = {"media_type": "application/merge-patch+json", "content": {"a": 1}}
    for name in ("Content-Type", "content-type"):
        request = {"method": "POST", "path": "/carts", "headers": {name: "text/csv"}, "body": body}
        assert f'client.post("/carts", headers={{"{name}": "text/csv"}}, json={{"a": 1}})' in text(
            case("sends", request)
        )


def test_variables_of_the_system_are_kept_where_an_application_is_imported_anew() -> None:
    made = text(case("reads", READ), client={"database": "shop.db", "packages": ["shop"]})
    (kept,) = [
        ast.literal_eval(node.value)
        for node in ast.parse(made).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "KEPT_VARIABLES"
    ]
    assert kept == OF_THE_SYSTEM.pattern
    assert OF_THE_SYSTEM.fullmatch("HOME")
    assert not OF_THE_SYSTEM.fullmatch("API_KEY")


DJANGO = {"kind": "django", "settings": "shop.settings", "transactions": True}


def test_django_is_set_up_before_its_modules_are_imported_and_undoes_what_a_test_stores() -> None:
    made = text(case("reads", READ), client={**DJANGO, "state": [["shop.views:CARTS"]]})
    ready = made.index('os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\ndjango.setup()\n')
    assert ready < made.index("from shop import views  # noqa: E402\n")
    assert "    with transaction.atomic():\n        yield Client()\n        transaction.set_rollback(True)\n" in made
    assert '    monkeypatch.setattr(views, "CARTS", copy.deepcopy(views.CARTS))\n' in made
    assert "from shop.web import app" not in made
    assert "has_plugin" not in made


def test_with_pytest_django_the_tests_have_its_database() -> None:
    made = text(case("reads", READ), client={**DJANGO, "plugin": True})
    assert 'if request.config.pluginmanager.has_plugin("django"):' in made
    assert 'with request.getfixturevalue("django_db_blocker").unblock():' in made


def test_the_superuser_that_variables_name_is_made_and_is_gone_for_other_tests_of_the_session() -> None:
    made = text(case("reads", READ), client={**DJANGO, "plugin": True, "superuser": True})
    assert "from django.core.management import CommandError, call_command\n" in made
    assert "import contextlib\n" in made
    made_already = "with contextlib.suppress(CommandError):  # the project has made one of that name\n"
    assert f'{made_already}            call_command("createsuperuser", interactive=False, verbosity=0)\n' in made
    assert "    databases = runner.setup_databases()\n    create_superuser()\n    yield\n" in made
    inside = "            create_superuser()\n            yield\n            transaction.set_rollback(True)\n"
    assert f'getfixturevalue("django_db_blocker").unblock(), transaction.atomic():\n{inside}' in made


@pytest.mark.parametrize(
    ("method", "body", "call"),
    [
        ("POST", {"content": {"a": 1}}, 'client.post("/carts", data={"a": 1}, content_type="application/json")'),
        ("POST", {"content": "a"}, 'client.post("/carts", data=json.dumps("a"), content_type="application/json")'),
        ("POST", None, 'client.generic("POST", "/carts")'),
        (
            "GET",
            {"content": [1]},
            'client.generic("GET", "/carts", data=json.dumps([1]), content_type="application/json")',
        ),
    ],
)
def test_bodies_are_written_as_django_takes_them(method: str, body: dict[str, Any] | None, call: str) -> None:
    sent = {"body": {"media_type": "application/json", **body}} if body is not None else {}
    request = {"method": method, "path": "/carts", **sent}
    assert call in text(case("asks", request), client=DJANGO)


def test_who_signs_in_by_a_cookie_does_not_send_that_of_somebody_else() -> None:
    user = {**USER, "kind": "api_key_cookie", "parameter": "sessionid"}
    request = {**READ, "auth": "user"}
    made = text(case("reads", request), client=DJANGO, auth={"user": user, "other_user": user})
    assert "    client.cookies.clear()\n    answer = succeeded(\n" in made
