"""Modules, classes and functions that are called as everyday words of requests are found where a name stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.agents.embedded.plan.request.lexemes import lexemes
from testwright.tests.support.mcp.tool_session import write_files

pytestmark = pytest.mark.feature("T-02")

WORDS = ("broken", "behaviour", "coverage", "cases", "logic", "code")
FUNCTION = "def value(text: str) -> str:\n    return text\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {f"src/pkg/{name}.py": FUNCTION for name in (*WORDS, "exc", "pricing")}
    sums = "class Check:\n    def run(self):\n        return 1\n\n\ndef add(a: int, b: int) -> int:\n    return a + b\n"
    files |= {"src/pkg/__init__.py": "", "src/pkg/sums.py": sums}
    return write_files(tmp_path_factory.mktemp("words") / "project", files)


def planned(request: str, root: Path) -> list[str]:
    inputs: dict[str, Any] = {"user_request": request, "root": str(root), "strict": True}
    targets = [
        step["params"]["target"] for step in EmbeddedPlannerAgent().plan(inputs)["steps"] if "target" in step["params"]
    ]
    names = {":".join([one["module"].removeprefix("pkg."), *(one.get("symbols") or ())]) for one in targets}
    return sorted(names)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("sentence", ["unit tests for {}", "test the {} module", "{}", "cover {}, please"])
def test_a_module_is_meant_by_its_name_though_it_is_an_everyday_word(project, word, sentence):
    assert planned(sentence.format(word), project) == [word]


@pytest.mark.parametrize("word", WORDS)
def test_such_a_name_counts_beside_another_and_behind_except(project, word):
    assert planned(f"unit tests for {word} and exc", project) == sorted([word, "exc"])
    assert planned(f"unit tests for exc and {word}", project) == sorted([word, "exc"])
    assert word not in planned(f"everything except {word}", project)
    assert "exc" in planned(f"everything except {word}", project)


def test_a_function_that_is_called_as_a_verb_is_meant_where_a_name_stands(project):
    assert planned("unit tests for add", project) == ["sums:add"]


@pytest.mark.parametrize(
    "sentence",
    [
        "improve the coverage of pricing",
        "cover the edge cases of pricing",
        "check the behaviour of pricing",
        "unit tests for the pricing code",
        "add unit tests for pricing",
        "test cases for pricing",
    ],
)
def test_an_everyday_word_in_another_place_stays_one(project, sentence):
    assert planned(sentence, project) == ["pricing"]


@pytest.mark.parametrize("request_text", ["run without", "code except", "logic, except"])
def test_the_first_word_of_a_request_is_not_excluded_by_its_last(request_text):
    first, *_ = lexemes(request_text, known=lambda _: False, is_method=lambda _: True)
    assert first.role != "mention"


@pytest.mark.parametrize("word", ["the backend", "the server", "this back-end"])
def test_an_everyday_word_for_the_application_names_it_where_nothing_else_has_that_name(tmp_path, word):
    root = write_files(tmp_path, {"shop/main.py": "from fastapi import FastAPI\n\napp = FastAPI()\n"})
    steps = EmbeddedPlannerAgent().plan({"user_request": f"API tests for {word}", "root": str(root), "strict": True})
    [step] = [one for one in steps["steps"] if one["type"] == "generate_api_tests"]
    assert step["params"]["target"]["path"] == "shop/main.py"


def test_a_site_of_django_is_served_once(tmp_path):
    maker = "from django.core.{0} import get_{0}_application\n\napplication = get_{0}_application()\n"
    root = write_files(tmp_path, {f"site/{name}.py": maker.format(name) for name in ("asgi", "wsgi")})
    inputs = {"user_request": "API tests", "root": str(root), "strict": True}
    [step] = [one for one in EmbeddedPlannerAgent().plan(inputs)["steps"] if one["type"] == "generate_api_tests"]
    assert step["params"]["target"]["path"] == "site/wsgi.py"
