"""Members of classes are asked for and left out as people say it, and nothing is done differently without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.core.errors import RequestError
from testwright.tests.support.mcp.tool_session import write_files
from testwright.utils.generated_header import with_header

pytestmark = pytest.mark.feature("T-02")

SIGNER = """class Signer:
    def __init__(self, key: str):
        self.key = key

    def __len__(self) -> int:
        return len(self.key)

    def _derive(self) -> str:
        return self.key

    def sign(self, text: str) -> str:
        return text + self.key

    def unsign(self, text: str) -> str:
        return text

    def validate(self, text: str) -> bool:
        return True


class Digest:
    def get(self) -> str:
        return ""

    def sums(self) -> str:
        return ""

    def any(self) -> str:
        return ""
"""
TIMED = (
    "class TimedSigner:\n    def sign(self, text: str) -> str:\n        return text\n\n"
    "    def unsign(self, text: str) -> str:\n        return text\n\n"
    "    def validate(self, text: str) -> bool:\n        return True\n"
)
SUMS = "def add(a: int) -> int:\n    return a\n\n\ndef subtract(a: int) -> int:\n    return a\n\n\nLIMIT = 3\n"
FILES = {
    "src/till/__init__.py": "",
    "src/till/signer.py": SIGNER,
    "src/till/timed.py": TIMED,
    "src/till/sums.py": SUMS,
}
DESK = {"src/till/desk.py": "from .sums import subtract\n\n\ndef close(a: int) -> int:\n    return subtract(a)\n"}
WITHOUT_SIGN = "signer:Signer.unsign,Signer.validate,Signer.__init__,Signer.__len__"


NOT_VALIDATE = "timed:TimedSigner.sign,TimedSigner.unsign"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("members") / "project", FILES)


def planned(request: str, root: Path, *, strict: bool | None = True) -> list[str]:
    inputs: dict[str, Any] = {"user_request": request, "root": str(root), "strict": strict}
    targets = [
        step["params"]["target"] for step in EmbeddedPlannerAgent().plan(inputs)["steps"] if "target" in step["params"]
    ]
    return sorted(
        one["module"].removeprefix("till.") + (f":{','.join(one['symbols'])}" if one["symbols"] else "")
        for one in targets
    )


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("unit tests for Signer and its unsign method", ["signer:Signer,Signer.unsign"]),
        ("the validate method of TimedSigner", ["timed:TimedSigner.validate"]),
        ("test Signer except sign", [WITHOUT_SIGN]),
        ("Signer without its sign method", [WITHOUT_SIGN]),
        ("the TimedSigner, but not its validate method", [NOT_VALIDATE]),
        ("signer without class Digest", ["signer:Signer"]),
        ("everything without class Digest", ["signer:Signer", "sums", "timed"]),
        ("everything except Signer.sign", [f"{WITHOUT_SIGN},Digest", "sums", "timed"]),
        ("round trip tests for Digest", ["signer:Digest"]),
        ("round-trip and sanity tests of the timed module", ["timed"]),
        ("timed and sums, nothing else", ["sums", "timed"]),
        ("add and subtract", ["sums:add,subtract"]),
        ("sums: only add", ["sums:add"]),
        ("Digest and its sums and get methods", ["signer:Digest,Digest.sums,Digest.get"]),
        ("Digest.get and any", ["signer:Digest.get,Digest.any"]),
        ("unit tests of sums without add, and of timed without validate", ["sums:subtract", NOT_VALIDATE]),
        ("signer: Digest, Signer; sums", ["signer:Digest,Signer", "sums"]),
    ],
)
def test_a_sentence_about_members_is_understood(project, request_text, expected):
    assert planned(request_text, project) == expected


def test_a_verb_that_begins_a_sentence_stays_one(project):
    assert planned("add unit tests for timed and signer", project) == ["signer", "timed"]
    assert planned("test and cover signer", project) == ["signer"]


def test_a_method_of_several_classes_is_asked_about_with_each_of_them(project):
    with pytest.raises(RequestError) as refused:
        planned("tests for unsign", project, strict=None)
    assert "several classes have a method of that name" in refused.value.message
    assert "till.signer:Signer.unsign, till.timed:TimedSigner.unsign" in refused.value.advice


def test_a_class_that_has_its_tests_is_not_called_unknown_for_another_word(tmp_path):
    files = {name.replace("src/", ""): text for name, text in FILES.items()}
    tests = "from till.signer import Digest\n\n\ndef test_get():\n    assert Digest().get() == ''\n"
    path = "tests/generated/till/test_till_signer.py"
    root = write_files(tmp_path / "project", {**files, path: with_header(tests, target="till/signer.py")})
    with pytest.raises(RequestError) as refused:
        planned("unit tests for Digest wibble", root, strict=None)
    assert "names nothing" not in refused.value.message
    assert f"{path} has the tests of Digest" in refused.value.message
    assert "Not understood: 'wibble'" in refused.value.message


@pytest.mark.parametrize("word", ["private", "sanctify", "formations"])
def test_nothing_is_suggested_that_only_shares_letters(project, word):
    inputs = {"user_request": f"unit tests for signer and `{word}`", "root": str(project)}
    (row,) = EmbeddedPlannerAgent().plan(inputs)["not_understood"]
    assert row["suggestions"] == []


def test_a_function_that_is_asked_for_where_it_is_imported_is_tested_alone(tmp_path: Path) -> None:
    assert planned("subtract in desk", write_files(tmp_path / "project", FILES | DESK)) == ["sums:subtract"]
