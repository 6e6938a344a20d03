"""What is said of a list whose members stand in another order where the clock goes on between two requests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.model.model import Api, HttpAnswer, Json, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.effects.moments import mark_unordered
from testwright.engine.api.probe.judge import expectations
from testwright.engine.api.values.data import SecretFilter
from testwright.engine.api.write.render_checks import SavedNames, render_checks
from testwright.engine.api.write.render_names import SharedPayloads

pytestmark = pytest.mark.feature("T-20")
TITLES = ("b", "a", "c")
SETUP = tuple({"method": "POST", "path": "/news", "body": {"content": {"title": title}}} for title in TITLES)
READ: Json = {"method": "GET", "path": "/news"}
LIST = Operation("", "list", "GET", "/news")


class News:
    """Lists news, the newest first; those of one second as they were made."""

    def __init__(self, *, newest_first: bool = True, seconds: str = "2026-01-01T10:00:0{}") -> None:
        self.newest_first, self.seconds = newest_first, seconds
        self.pauses: list[float] = []

    async def answers(self, requests: Sequence[Json], *, pause: float = 0.0, **_: Any) -> tuple[HttpAnswer, ...]:
        self.pauses.append(pause)
        made = [one["body"]["content"]["title"] for one in requests if one["method"] == "POST"]
        rows = [{"title": title, "at": self.seconds.format(at if pause else 0)} for at, title in enumerate(made)]
        query = requests[-1].get("query") or {}
        if query.get("sort"):
            rows.sort(key=lambda row: row["title"], reverse=query["sort"] == "-title")
        elif pause and self.newest_first:
            rows.reverse()
        limit = query.get("limit", len(rows))
        listed = HttpAnswer(200, {}, json.dumps({"news": rows[:limit]}))
        return (*(HttpAnswer(201) for _ in made), listed)


async def marked(
    news: News, request: Json = READ, setup: tuple[Json, ...] = SETUP, seconds: float = 60
) -> ObservedProposal:
    requests = (READ, request) if request is not READ else (READ,)
    seen = [
        ObservedProposal(Proposal(LIST, "lists", "it lists", "success", one, setup), await news.answers((*setup, one)))
        for one in requests
    ]
    return (await mark_unordered(cast(AppObserver, news), seen, {}, seconds))[-1]


def told(seen: ObservedProposal) -> list[str]:
    known = SavedNames({}, SharedPayloads({}))
    expected = list(expectations(seen, Api("News", (LIST,), {}, {}), SecretFilter({}), shows=False))
    return [check.condition for check in render_checks(expected, known)][1:]


async def test_a_list_of_one_second_is_told_in_any_order_where_another_second_changes_it() -> None:
    assert told(await marked(News())) == [
        'len(response.json["news"]) == 3',
        'sorted(one["title"] for one in response.json["news"]) == ["a", "b", "c"]',
    ]


@pytest.mark.parametrize(("sort", "first"), [("title", "a"), ("-title", "c")])
async def test_an_order_that_is_asked_for_is_told(sort: str, first: str) -> None:
    seen = await marked(News(), {**READ, "query": {"sort": sort}})

    assert not seen.unordered
    assert json.loads(seen.answer.text)["news"][0]["title"] == first


async def test_of_a_page_of_such_a_list_only_the_length_is_told() -> None:
    checks = told(await marked(News(), {**READ, "query": {"limit": 1}}))
    assert checks == ['len(response.json["news"]) == 1']


@pytest.mark.parametrize("news", [News(newest_first=False), News(seconds="2026-01-01T10:00:00.{}1")])
async def test_a_list_whose_order_a_pause_leaves_alone_or_that_tells_parts_of_a_second_keeps_its_order(news) -> None:
    seen = await marked(news)
    assert seen.unordered == frozenset()
    assert 'sorted(one["title"]' not in " ".join(told(seen))


async def test_nothing_is_waited_for_where_only_one_thing_was_made() -> None:
    news = News()
    await marked(news, setup=SETUP[:1])
    assert not any(news.pauses)


async def test_nothing_is_waited_for_longer_than_there_is_time_and_no_order_is_guessed_then() -> None:
    news = News()
    assert (await marked(news, seconds=3)).unordered == {"/news"}
    assert not any(news.pauses)


async def test_a_long_list_leaves_its_time_to_a_shorter_one() -> None:
    news = News(newest_first=False)
    seen: list[ObservedProposal] = []
    for name, setup in (("long", SETUP * 4), ("short", SETUP[:2])):
        proposal = Proposal(Operation("", name, "GET", "/news"), "lists", "it lists", "success", READ, setup)
        seen.append(ObservedProposal(proposal, await news.answers((*setup, READ))))
    found = await mark_unordered(cast(AppObserver, news), seen, {}, 4)
    assert [one.unordered for one in found] == [{"/news"}, frozenset()]
    assert len([pause for pause in news.pauses if pause]) == 1


async def test_members_that_only_their_saved_ids_tell_apart_are_told_by_these() -> None:
    setup = tuple({"method": "POST", "path": "/news", "save": {name: "/id"}} for name in ("news_id", "other_news_id"))
    rows = [{"id": 7, "by": "ada"}, {"id": 9, "by": "ada"}]
    answers = (*(HttpAnswer(201, {}, json.dumps(row)) for row in rows), HttpAnswer(200, {}, json.dumps(rows)))
    proposal = Proposal(LIST, "lists", "it lists", "success", READ, setup)
    hidden = frozenset({"/0/id", "/1/id"})
    seen = ObservedProposal(proposal, answers, unstable=hidden, unordered=frozenset({""}))
    assert told(seen)[1:] == ['sorted(one["id"] for one in response.json) == sorted([news_id, other_news_id])']


async def test_a_list_of_texts_is_told_sorted() -> None:
    proposal = Proposal(LIST, "lists", "it lists", "success", READ, SETUP)
    seen = ObservedProposal(proposal, (HttpAnswer(200, {}, '["b", "a"]'),), unordered=frozenset({""}))
    assert told(seen)[1:] == ['sorted(response.json) == ["a", "b"]']


def _told_of(members: list[Json], **more: Any) -> list[str]:
    proposal = Proposal(LIST, "lists", "it lists", "success", READ, SETUP)
    answer = HttpAnswer(200, {}, json.dumps(members))
    return told(ObservedProposal(proposal, (answer,), unordered=frozenset({""}), **more))[1:]


def test_a_long_text_tells_no_members_apart() -> None:
    assert _told_of([{"text": letter * 900, "n": n} for n, letter in enumerate("ab")]) == [
        'sorted(one["n"] for one in response.json) == [0, 1]'
    ]


def test_more_members_than_a_test_holds_are_counted() -> None:
    proposal = Proposal(LIST, "lists", "it lists", "success", READ, SETUP)
    answer = HttpAnswer(200, {}, json.dumps([f"text {number}" for number in range(800)]))
    assert told(ObservedProposal(proposal, (answer,), unordered=frozenset({""}))) == ["len(response.json) == 800"]


def test_a_member_that_is_another_one_each_time_is_told_by_no_field() -> None:
    assert _told_of([{"n": 1}, {"n": 2}], unstable=frozenset({"/0"})) == []


def test_a_list_in_any_order_within_a_member_is_told() -> None:
    rows = HttpAnswer(200, {}, json.dumps([{"title": "a", "tags": ["x", "b"]}]))
    proposal = Proposal(LIST, "lists", "it lists", "success", READ, SETUP)
    checks = told(ObservedProposal(proposal, (rows,), unordered=frozenset({"/0/tags"})))
    assert 'sorted(response.json[0]["tags"]) == ["b", "x"]' in checks
    assert 'len(response.json[0]["tags"]) == 2' in checks
