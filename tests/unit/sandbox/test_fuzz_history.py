"""What has to be sent again for a server error that Schemathesis met to come again."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.sandbox.worker.http.fuzz_history import History

pytestmark = pytest.mark.feature("T-20")


def _request(method: str, path: str, content: Any = None, **path_parameters: Any) -> dict[str, Any]:
    body = {"media_type": "application/json", "content": content}
    return {"method": method, "path": path, "path_parameters": path_parameters, "body": body}


def test_what_an_earlier_answer_told_is_saved_and_named() -> None:
    history = History()
    history.add(_request("POST", "/folders"), {"id": 7}, 1)
    history.add(_request("POST", "/notes", {"folder_id": 7}), {"id": 9}, 2)
    [story] = history.stories(_request("GET", "/notes/{id}", id=9), 3)
    folder, note = story["before"]
    assert (folder["save"], note["save"]) == ({"made_1": "/id"}, {"made_2": "/id"})
    assert note["body"]["content"] == {"folder_id": "{{made_1}}"}
    assert story["request"]["path_parameters"] == {"id": "{{made_2}}"}


def test_a_value_that_was_sent_before_any_answer_told_it_stays_as_it_was_sent() -> None:
    """Otherwise the change would wait for an id that a later one makes, and could not be sent."""
    history = History()
    history.add(_request("POST", "/notes", {"folder_id": 7}), {"id": 1}, 1)
    history.add(_request("POST", "/folders"), {"id": 7}, 1)
    [story] = history.stories(_request("GET", "/folders/{id}", id=7), 1)
    note, folder = story["before"]
    assert note["body"]["content"] == {"folder_id": 7}
    assert folder["save"] == {"made_1": "/id"}
    assert story["request"]["path_parameters"] == {"id": "{{made_1}}"}
