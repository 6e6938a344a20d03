"""What documents and tests show becomes documented expectations and suspected defects of a spec, by real calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.evidence.value_examples import read_examples
from testwright.agents.embedded.specs.evidence_examples import EvidenceExamples, _merged, example_trials_of
from testwright.agents.embedded.specs.spec_agent import EmbeddedSpecAgent, SpecResult
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.judge.case_tables import read_group
from testwright.engine.python.project.layout import find_layout
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("D-02", "D-04")

CODE = (
    "def slugify(text, sep='-'):\n    words = text.lower().split()\n    if not words:\n"
    "        raise ValueError('empty')\n    return sep.join(words)\n\n\n"
    "def clip(text, width):\n    return text if len(text) <= width else text[:width]\n"
)
README = (
    "`slugify('A b')` returns `'a-b'`, `slugify(' ')` raises `ValueError`.\n`clip('abcdef', 3)` returns `'abc~'`.\n"
)
OWN_TEST = "def test_it():\n    assert slugify('Q r') == 'q-r'\n    assert clip('ab', 1) == 'b'\n"
FILES = {"src/textkit.py": CODE, "README.md": README, "tests/test_textkit.py": OWN_TEST}


def case(case_id: str, subject: str, expression: str, value: str) -> dict[str, Any]:
    place = {"path": "src/textkit.py", "lines": [1, 5]}
    return {
        "id": case_id,
        "title": case_id,
        "subject": subject,
        "priority": "medium",
        "preconditions": [],
        "steps": [expression],
        "expected": value,
        "arrange": {"fixtures": [], "statements": []},
        "act": {"expression": expression, "mode": "call"},
        "expect": [{"kind": "equals", "actual": "result", "value": value, "origin": "observed", "evidence": place}],
    }


BASE = {
    "framework": "pytest",
    "target": {"path": "src/textkit.py", "module": "textkit", "import_root": "src"},
    "imports": ["from textkit import clip, slugify"],
    "cases": [
        case("tc_slugify", "slugify", "slugify('Q r')", "'q-r'"),
        case("tc_clip_frozen", "clip", "clip('abcdef', 3)", "'abc'"),
        case("tc_clip", "clip", "clip('ab', 1)", "'a'"),
    ],
    "suspected_defects": [],
    "not_reached": [],
}


def examples() -> Iterator[dict[str, Any]]:
    for kind, path, text in (("document", "README.md", README), ("test", "tests/test_textkit.py", OWN_TEST)):
        for one in read_examples(kind, path, 1, text, ["slugify", "clip"]):
            yield one.to_dict()


async def test_documents_label_prove_and_contradict(tmp_path):
    async with prepared(tmp_path, FILES) as target:

        async def provide():
            return target

        spec, notes, renamed = await EvidenceExamples(provide, target.root).added(BASE, list(examples()))
    by_act = {one["act"]["expression"]: one["expect"][0] for one in spec["cases"]}
    places = {act: (row["origin"], row["evidence"]["path"]) for act, row in by_act.items()}
    # A document's example is a case, and says where it is documented; a test's only labels the case that is there.
    assert places["slugify('A b')"] == ("documented", "README.md")
    assert (by_act["slugify(' ')"]["kind"], places["slugify(' ')"]) == ("raises", ("documented", "README.md"))
    assert places["slugify('Q r')"] == ("documented", "tests/test_textkit.py")
    # What a document says otherwise is a suspected defect, and no case freezes what the code does there, or in another
    # call like it; what a test says otherwise contradicts nothing: the project's own run of it does.
    assert "clip('abcdef', 3)" not in by_act
    assert "clip('ab', 1)" not in by_act
    [defect] = spec["suspected_defects"]
    assert (defect["documented"], defect["evidence"]) == ("'abc~'", {"path": "README.md", "lines": [2, 2]})
    assert notes == ["1 of 4 examples outside of the module contradicts it"]
    assert set(renamed.values()) == {one["id"] for one in spec["cases"]}


class Explored:
    """What the engine found without documents: a table of one shape, and a single case of another."""

    def __init__(self) -> None:
        rows = [case(f"tc_slugify_{name}", "slugify", f"slugify('{name} r')", f"'{name}-r'") for name in ("q", "x")]
        alone = case("tc_slugify_with_sep", "slugify", "slugify('q r', '_')", "'q_r'")
        table = [{**row, "group": "slugify__text__expected"} for row in rows]
        self.spec: dict[str, Any] = {**BASE, "cases": [*table, alone]}
        self.notices = {one["id"]: [number] for number, one in enumerate(self.spec["cases"])}

    async def generate(self, inputs, *, seconds=None):
        return SpecResult(self.spec, {"notices": self.notices})


async def test_cases_bear_the_names_of_the_tests_that_they_form_with_those_of_documents(tmp_path):
    shows = "`slugify('A b')` returns `'a-b'`, `slugify('A b', '_')` returns `'a_b'`.\n"
    rows = [one.to_dict() for one in read_examples("document", "README.md", 1, shows, ["slugify"])]
    engine = Explored()
    async with prepared(tmp_path, {**FILES, "README.md": shows}) as target:

        async def provide():
            return target

        agent = EmbeddedSpecAgent({"unit": engine}, shown=EvidenceExamples(provide, target.root))
        inputs = {"target": BASE["target"], "evidence": {"examples": rows}}
        async with agent:
            response = await agent.process(AgentRequest("g", "t", RequestMetadata("r"), inputs))
    cases = response.result["spec"]["cases"]
    groups = {one["group"] for one in cases}
    assert len(cases) == 5
    assert {read_group(text).name for text in groups} == {"slugify", "slugify_with_sep"}
    assert all(one["id"].startswith(f"tc_{read_group(one['group']).name}_") for one in cases)
    by_act = {one["act"]["expression"]: one["id"] for one in cases}
    noticed = {by_act[one["act"]["expression"]]: engine.notices[one["id"]] for one in engine.spec["cases"]}
    assert response.metadata["notices"] == noticed, "what a case notices goes with it"


def trials_of(tmp_path, files, rows):
    root = make_project(tmp_path / "examples", files)
    layout = find_layout(root)
    facts = analyse_module(root, "src/textkit.py", layout)
    return {one.act: one.source for one in example_trials_of(root, layout, facts, rows)}


def test_an_example_of_a_name_that_another_module_has_too_is_left_out(tmp_path):
    twice = {**FILES, "src/other.py": "def slugify(text):\n    return text\n"}
    assert trials_of(tmp_path, twice, list(examples())) == {"clip('abcdef', 3)": "doctest", "clip('ab', 1)": "prose"}


def test_only_a_call_of_the_target_is_a_trial_and_one_without_its_set_up_accuses_nothing(tmp_path):
    document = (
        "```python\nfrom html import clip\nassert clip('ab', 1) == 'b'\n```\n"
        "```python\nfrom html import clip\nassert len(clip('efg', 1)) == 2\n```\n"
        "```python\nassert d.clip('cd', 1) == 'd'\n```\n"
        "```python\nset_separator('_')\nassert slugify('A b') == 'a_b'\n```\n"
        "```python\nfrom textkit import slugify\nassert slugify('C d') == 'c-d'\n```\n"
    )
    rows = [one.to_dict() for one in read_examples("document", "a.md", 1, document, ["slugify", "clip"])]
    assert trials_of(tmp_path, FILES, rows) == {"slugify('A b')": "prose", "slugify('C d')": "doctest"}


def test_a_contradiction_takes_away_only_cases_with_the_same_set_up():
    kept, gone = case("tc_one", "clip", "clip(text, 1)", "'a'"), case("tc_two", "clip", "clip(text, 1)", "'b'")
    kept["arrange"] = {"fixtures": [], "statements": ["text = 'ab'"]}
    gone["arrange"] = {"fixtures": [], "statements": ["text = 'bc'"]}
    reproduce = "from textkit import clip\ntext = 'bc'\nclip(text, 1)"
    defect = {"id": "sd", "subject": "clip", "documented": "'c'", "reproduce": reproduce}
    shown = {**BASE, "cases": [], "suspected_defects": [defect]}
    made, _ = _merged({**BASE, "cases": [kept, gone]}, shown, frozenset())
    assert [one["id"] for one in made["cases"]] == ["tc_one"]


def test_what_is_only_observed_of_another_call_like_a_contradicted_one_is_not_kept():
    like = case("tc_like", "clip", "clip('cd', 1)", "'c'")
    other = case("tc_other", "clip", "clip('cd', 1, mark='+')", "'c+'")
    told = case("tc_told", "clip", "clip('ef', 1)", "'e'")
    told["expect"] = [{**one, "origin": "documented"} for one in told["expect"]]
    defect = {
        "id": "sd",
        "subject": "clip",
        "documented": "'b'",
        "reproduce": "from textkit import clip\nclip('ab', 1)",
    }
    shown = {**BASE, "cases": [], "suspected_defects": [defect]}
    made, _ = _merged({**BASE, "cases": [like, other, told]}, shown, frozenset())
    assert [one["id"] for one in made["cases"]] == ["tc_other", "tc_told"]


def test_an_example_that_needs_what_it_does_not_bring_is_no_trial(tmp_path):
    root = make_project(tmp_path / "shop", FILES)
    layout = find_layout(root)
    facts = analyse_module(root, "src/textkit.py", layout)
    open_name = {
        "about": "slugify",
        "act": "slugify(name)",
        "arrange": [],
        "want": "'a'",
        "path": "a.md",
        "line": 1,
        "kind": "document",
    }
    assert example_trials_of(root, layout, facts, [open_name]) == []
