"""report.html as text: complete in itself, safe whatever a project puts into it, and the numbers in it."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from testwright.reports.build import build_report
from testwright.reports.html.page import html_form
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes
from testwright.tests.support.runs.report_pages import HOSTILE, hostile_page, large_report, page_inputs

pytestmark = pytest.mark.feature("B-13")


class Page(HTMLParser):
    """Elements with their attributes, and the text inside each kind of element."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self._open = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)


def data_of(page):
    return json.loads(page.texts["script"][0])


def test_hostile_texts_add_no_element_and_no_handler():
    page = Page(hostile_page())

    assert [attributes for tag, attributes in page.elements if tag in ("img", "iframe", "object")] == []
    assert sum(tag == "script" for tag, _ in page.elements) == 2
    assert [name for _, attributes in page.elements for name in attributes if name.startswith("on")] == []
    assert "<img src=x" in page.texts["h3"][0]


def test_hostile_texts_reach_the_script_as_the_texts_they_are_with_controls_made_visible():
    text = hostile_page()
    data = data_of(Page(text))

    shown = HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")
    assert data["tests"][0]["title"] == shown
    assert set(data["sources"].values()) == {shown}
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_the_policy_allows_the_pages_own_script_and_style_and_nothing_else():
    page = Page(html_form(page_inputs(large_report(3))))

    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    script, style = page.texts["script"][1], page.texts["style"][0]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not any("style" in attributes for _, attributes in page.elements)


def test_the_page_loads_nothing():
    page = Page(html_form(page_inputs(large_report(3))))

    places = [a[name] for _, a in page.elements for name in ("src", "href", "action", "srcset") if name in a]
    assert {place.partition(":")[0][:1] for place in places} <= {"#", "d"}
    assert "url(" not in page.texts["style"][0]
    assert not re.search(
        r"\b(?:fetch|XMLHttpRequest|innerHTML|outerHTML|insertAdjacentHTML|eval)\b", page.texts["script"][1]
    )


def test_the_sections_have_headings_and_labels():
    page = Page(html_form(page_inputs(large_report(3))))

    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    labels = [attributes["aria-labelledby"] for _, attributes in page.elements if "aria-labelledby" in attributes]
    assert len(ids) == len(set(ids))
    assert set(labels) <= set(ids)
    assert page.elements[[tag for tag, _ in page.elements].index("html")][1]["lang"] == "en"


def test_each_test_comes_with_the_lines_of_its_code():
    data = data_of(Page(html_form(page_inputs(large_report(2, modules=1)))))

    second = next(test for test in data["tests"] if test["id"] == "tc_add_1")
    text = data["files"][data["targets"][second["target"]]["file"]].split("\n")
    assert text[second["code"][0] - 1 : second["code"][1]] == [
        "def test_add_1():",
        "    result = add(1, 2)",
        "",
        "    assert result == 1 + 2",
    ]


def test_mutants_come_with_the_tests_that_notice_them():
    data = data_of(Page(html_form(page_inputs(large_report(5, modules=1)))))

    assert data["targets"][0]["noticed"][0]["by"] == ["tc_add_0", "tc_add_1", "tc_add_2"]
    assert data["targets"][0]["noticed"][0]["tests"] == 5
    assert [mutant["line"] for mutant in data["targets"][0]["survivors"]] == [6, 11, 16, 21, 26]


def test_an_earlier_run_is_compared_by_tests_branches_and_defects():
    earlier, now = large_report(4, modules=1), large_report(6, modules=1, defects=0)
    text = " ".join(html_form(page_inputs(now, earlier=earlier)).split())

    assert "Compared with an earlier run" in text
    assert "2 new, 0 gone" in text
    assert "No longer suspected" in text
    assert "Compared with an earlier run" not in html_form(page_inputs(now))


def test_what_stops_every_target_is_said_once():
    reason = "the sandbox cannot be opened on this machine"
    steps = [generate_step(n, status="failed", error_message=reason, executed=False) for n in (1, 2, 3)]
    report = build_report(facts(), outcomes(*steps))

    assert (
        Page(html_form(page_inputs(report))).texts["p"].count(f"Every target stopped for the same reason: {reason}")
        == 1
    )
    assert html_form(page_inputs(report)).count(reason) == 1


def test_a_run_without_targets_has_a_page():
    assert "No module was a target of this run." in html_form(page_inputs(build_report(facts(), outcomes())))


def test_tests_that_were_not_executed_are_called_written():
    written: dict[str, Any] = {**executed(["tc_a"]), "executed": False, "test_results": {}}
    step = generate_step(1, **written)

    assert "Tests written" in html_form(page_inputs(build_report(facts(), outcomes(step))))
