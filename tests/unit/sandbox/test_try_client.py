"""How the worker compares answers of a test client, and which variables it removes; no server is started."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from testwright.sandbox.worker.http import try_client
from testwright.sandbox.worker.http.framework_clients import Answer
from testwright.sandbox.worker.suites.user_environment import variables_read

pytestmark = pytest.mark.feature("T-20")


class Asked:
    """A client that gives one answer to everything."""

    def __init__(self, status: int, text: str) -> None:
        self._answer = Answer(status, {}, text, "")

    def ask(self, *parts: Any) -> Any:
        return self._answer


@pytest.mark.parametrize(
    ("status", "text", "same"),
    [(200, "[]", True), (200, "<html>", False), (404, "<html>", False), (404, "[]", False), (200, "[1]", False)],
)
def test_an_answer_without_json_is_another_answer(status: int, text: str, same: bool) -> None:
    trial = object.__new__(try_client.Trial)
    trial._config = {"names": {}}
    case = {"requests": [{"method": "GET", "path": "/"}], "status": 200, "body": []}
    assert trial._send(Asked(status, text), {}, case) is same


def test_variables_are_removed_that_were_not_given_and_that_a_process_can_run_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "settings.py"
    source.write_text(
        'import os\nos.environ["HOME"], os.getenv("PATH"), os.environ.pop("SHOP_A", None)\n'
        'os.environb.get(b"SHOP_B"), os.environ.setdefault("SHOP_GIVEN", ""), os.environ["API_KEY"]\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("SHOP_A", "shell")
    monkeypatch.setenv("SHOP_GIVEN", "given")
    names = try_client._not_given(variables_read([str(source)]), {"environment": {"SHOP_GIVEN": "given"}})
    assert names == ["API_KEY", "SHOP_A", "SHOP_B"]
    monkeypatch.delenv("API_KEY", raising=False)
    try_client._remove(names)
    assert "SHOP_A" not in os.environ
    assert os.environ["SHOP_GIVEN"] == "given"
    assert os.environ["HOME"]


def test_no_more_cases_are_sent_when_too_many_are_answered_otherwise() -> None:
    trial = object.__new__(try_client.Trial)
    cases = [{"fits": at % 2 == 0} for at in range(40)]
    trial._config = {"allowed": 1}
    sent: list[bool] = []

    def answered(case: dict[str, bool]) -> bool:
        sent.append(case["fits"])
        return case["fits"]

    assert trial._counted(answered, cases) == sent.count(True)
    assert sent.count(False) == 2
    trial._config["allowed"] = 20
    assert trial._counted(answered, cases) == 20


@pytest.mark.parametrize(
    ("fits", "number", "looked_into"), [(False, 200, [10]), (True, 200, [10, 200]), (False, 9, [9])]
)
def test_an_application_that_answers_otherwise_is_not_sent_all_of_many_cases(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fits: bool, number: int, looked_into: list[int]
) -> None:
    monkeypatch.chdir(tmp_path)
    trial = object.__new__(try_client.Trial)
    cases = [{"number": at} for at in range(number)]
    trial._config = {"cases": cases, "allowed": number // 50, "folder": str(tmp_path), "application": "os:path"}
    trial.state, trial._factory, trial.once = [], True, False
    found: list[int] = []
    monkeypatch.setattr(trial, "find_state", lambda some: found.append(len(some)))
    monkeypatch.setattr(trial, "_alone", lambda case: fits)
    assert trial.count() == (number if fits else 0)
    assert found == looked_into


@pytest.mark.parametrize(
    ("strict", "leave", "once"),
    [
        (False, os.mkdir, True),
        (False, lambda path: Path(path).symlink_to("nowhere"), True),
        (False, os.mkfifo, False),
        (True, os.mkdir, False),
    ],
    ids=["lenient", "dangling", "pipe", "strict"],
)
def test_an_application_that_cannot_be_made_again_in_a_copied_folder_has_its_users_sign_in_for_each_test(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, strict: bool, leave: Callable[[str], None], once: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    trial = object.__new__(try_client.Trial)
    case = {"requests": [{"method": "GET", "path": "/"}], "status": 200, "body": []}
    trial._config = {"names": {}, "users": {}, "folder": str(tmp_path), "allowed": 1}
    trial.state, trial.transactions, trial._factory, trial.once = [], False, True, True

    @contextlib.contextmanager
    def made() -> Iterator[Any]:
        Path("stored").mkdir(exist_ok=not strict)
        if not os.path.lexists("now"):
            leave("now")
        yield Asked(200, "[]")

    monkeypatch.setattr(trial, "_client", made)
    assert trial._count_on_copies([case, case]) == 2
    assert trial.once is once
