"""report.html in a real Chromium: by eye (axe), by keyboard, by search, wide and narrow, with 10 and 3,000 tests."""

import pytest

from testwright.reports.html.assessment_page import assessment_page
from testwright.reports.html.page import html_form
from testwright.tests.support.runs.assessments import REPORT
from testwright.tests.support.runs.browsers import axe_violations, open_browser, open_page
from testwright.tests.support.runs.report_pages import hostile_page, large_report, page_inputs

pytestmark = pytest.mark.feature("B-13")

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page for 10 and for 3,000 tests, with an earlier run to compare with; a hostile one; an assessment's."""
    folder = tmp_path_factory.mktemp("pages")
    texts = {
        "10": html_form(page_inputs(large_report(10, modules=3), earlier=large_report(8, modules=3))),
        "3000": html_form(page_inputs(large_report(3000, modules=20))),
        "hostile": hostile_page(),
        "assessment": assessment_page(
            {**REPORT, "run_id": "r1", "framework": "pytest", "seconds": 2.0, "files": [], "notes": ["a_name_" * 30]}
        ),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return lambda name: folder / f"{name}.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [pytest.param(WIDE, id="wide"), pytest.param(NARROW, id="narrow")])
def test_axe_finds_nothing_and_the_console_stays_empty(browser, pages, scheme, viewport):
    with open_page(browser, pages("10"), color_scheme=scheme, viewport=viewport) as (page, complaints):
        page.locator("#test-list summary").first.click()
        page.locator("#source-view button").first.click()

        assert axe_violations(page) == []
        assert complaints == []
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [pytest.param(WIDE, id="wide"), pytest.param(NARROW, id="narrow")])
def test_the_page_of_an_assessment_fits_and_axe_finds_nothing(browser, pages, scheme, viewport):
    with open_page(browser, pages("assessment"), color_scheme=scheme, viewport=viewport) as (page, complaints):
        assert page.locator("h1").inner_text() == "Assessment of tests"
        assert axe_violations(page) == []
        assert complaints == []
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_hostile_texts_run_nothing(browser, pages):
    with open_page(browser, pages("hostile"), viewport=WIDE) as (page, complaints):
        page.on("dialog", lambda dialog: complaints.append("dialog"))
        page.locator("#test-list summary").first.click()

        assert page.locator("img").count() == 0
        assert page.locator("#test-list details").count() == 1
        assert complaints == []
        assert axe_violations(page) == []


def test_three_thousand_tests_are_searched_in_a_page_that_stays_small(browser, pages):
    with open_page(browser, pages("3000"), viewport=WIDE) as (page, complaints):
        assert page.locator("#found").inner_text() == "3000 of 3000 tests"
        assert page.evaluate("document.querySelectorAll('*').length") < 6000

        module = page.get_by_role("search").get_by_label("Module")
        page.get_by_label("Search").fill("add(97, EQUALS")
        assert page.locator("#found").inner_text() == "20 of 3000 tests"
        module.select_option(label="src/shop/cart7.py")
        assert page.locator("#found").inner_text() == "1 of 3000 tests"
        page.locator("#test-list summary").click()
        assert "assert result == 97 + 2" in page.locator("#test-list pre").inner_text()

        page.get_by_label("Search").fill("")
        module.select_option(label="src/shop/cart2.py")
        assert page.locator("#found").inner_text() == "150 of 3000 tests"
        assert page.locator("#test-list details").count() == 25
        page.get_by_role("button", name="Next").click()
        assert page.locator("#page-number").inner_text() == "Page 2 of 6"
        assert complaints == []


def test_everything_is_reached_by_keyboard(browser, pages):
    with open_page(browser, pages("10"), viewport=WIDE) as (page, _):
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")

        page.locator("#test-list summary").first.focus()
        page.keyboard.press("Enter")
        page.locator("#test-list pre").wait_for()
        page.keyboard.press("Tab")
        assert page.locator(":focus").get_attribute("role") == "group"

        page.locator("#source-view button").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("#source-view button").first.get_attribute("aria-expanded") == "true"
        assert "no test notices it" in page.locator("#source-view .detail").first.inner_text()


def test_a_place_leads_to_its_line_and_a_mutant_to_the_test_that_notices_it(browser, pages):
    with open_page(browser, pages("10"), viewport=WIDE) as (page, _):
        page.locator("#defects a").nth(1).click()
        assert page.locator(":focus").get_attribute("id") == "line-8"

        page.locator("#source-view").get_by_role("button", name="Mutants of line 16: 1 survive, 1 noticed").click()
        page.locator("#source-view .detail a").first.click()
        assert page.locator(":focus").inner_text().startswith("add(0, 2) of cart 1 equals 2")


def test_the_theme_follows_the_system_until_one_is_chosen(browser, pages):
    with open_page(browser, pages("10"), color_scheme="dark", viewport=WIDE) as (page, _):
        colour = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(colour)
        page.get_by_role("button", name="Theme: as the system").click()
        light = page.evaluate(colour)
        page.get_by_role("button", name="Theme: light").click()

        assert (dark, light, page.evaluate(colour)) == ("rgb(21, 23, 27)", "rgb(251, 251, 250)", dark)


def test_without_script_the_numbers_and_the_defects_are_there(browser, pages):
    with open_page(browser, pages("10"), java_script_enabled=False, viewport=WIDE) as (page, _):
        assert page.locator("#defects article").count() == 2
        assert page.locator("#overview tbody tr").count() >= 3
        assert "needs JavaScript" in page.locator("#tests").inner_text()
