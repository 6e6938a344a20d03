"""How the browser of an exploration is driven: when a site is put back to its start, and what is not read of a page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from testwright.sandbox.worker.browser import page as pages
from testwright.sandbox.worker.browser import play as playing
from testwright.sandbox.worker.browser.page import PlayedPage
from testwright.sandbox.worker.browser.play import Freshness, play
from testwright.sandbox.worker.browser.project_files import ProjectFiles


class Counted:
    """An application that counts how often it is put back."""

    def __init__(self) -> None:
        self.resets = 0

    def fresh(self) -> None:
        self.resets += 1


@pytest.mark.parametrize(("slow", "wrote", "resets"), [(True, False, 0), (True, True, 2), (False, False, 3)])
def test_a_slow_start_is_left_out_as_long_as_nothing_was_written(slow, wrote, resets):
    application = Counted()
    freshness = Freshness(application, slow)
    for _ in range(3):
        freshness.restore()
        freshness.is_fresh = freshness.is_fresh and not wrote
    assert application.resets == resets


def test_a_page_that_never_settles_is_not_read_because_it_might_not_answer(monkeypatch):
    class Looping:
        url = "http://127.0.0.1:8000/loop"

    page = PlayedPage.__new__(PlayedPage)
    page._base_url, page.page = "http://127.0.0.1:8000", Looping()
    page._forget()
    monkeypatch.setattr(page, "settle", lambda: False)
    state = page.state()
    assert (state["url"], state["settled"], state["tree"], state["fields"]) == ("/loop", False, "", [])


@pytest.mark.parametrize(("seconds", "answers", "settles", "looks"), [(3, True, True, 2), (6, False, False, 1)])
def test_a_page_is_looked_at_until_it_is_quiet_on_a_slow_machine_and_given_up_where_it_does_not_answer(
    seconds, answers, settles, looks, monkeypatch
):
    now, seen = [0.0], []

    def look():
        now[0] += seconds
        seen.append(now[0])
        return "- heading" if answers else None

    page = PlayedPage.__new__(PlayedPage)
    page._waiting, page.page = set(), SimpleNamespace(url="http://127.0.0.1:8000/", wait_for_timeout=lambda _: None)
    page._forget()
    monkeypatch.setattr(page, "_tree", look)
    monkeypatch.setattr(pages, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert page.settle() is settles
    assert len(seen) == looks


def test_files_of_the_project_that_change_are_told_once_and_caches_and_logs_are_not(tmp_path):
    for name in ("library.db", "pages/a.html", "gone.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("before")
    files = ProjectFiles(str(tmp_path))
    assert files.changed() == []
    (tmp_path / "library.db").write_text("another size")
    (tmp_path / "pages/b.html").write_text("new")
    (tmp_path / "gone.txt").unlink()
    for name in ("access.log", "__pycache__/x.py", ".cache"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("new")
    assert files.changed() == ["gone.txt", "library.db", "pages/b.html"]
    assert files.changed() == []


def test_what_a_start_itself_writes_is_no_change_of_the_flow_that_it_comes_before(tmp_path):
    database = tmp_path / "app.db"
    database.write_text("first")
    files = ProjectFiles(str(tmp_path))

    class Seeding:
        """An application that fills its database at every start."""

        base_url, environment = "http://127.0.0.1:8000", None

        def fresh(self) -> None:
            database.write_text("filled anew")

    class Browser:
        def new_context(self, **_: object) -> SimpleNamespace:
            return SimpleNamespace(close=lambda: None)

        def is_connected(self) -> bool:
            return True

    class Writing:
        """A page whose first action sends something, perhaps to be stored."""

        def __init__(self, *_: object) -> None:
            self.wrote = True

        def act(self, action: dict[str, str]) -> None:
            if action["kind"] == "store":
                database.write_text("what somebody sent")

        def state(self) -> dict[str, bool]:
            return {"settled": True}

        settle = state

    application = Seeding()
    freshness = Freshness(application, slow=True)
    freshness.is_fresh = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(playing, "PlayedPage", Writing)
        kinds = ("click", "store")
        answers = [play(Browser(), application, freshness, {"actions": [{"kind": kind}]}, files) for kind in kinds]
    assert [answer["changed"] for answer in answers] == [[], ["app.db"]]
