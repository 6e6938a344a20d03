"""Type comments are read as annotations, PEP 484."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support.engine.python_projects import facts_of, write_project

pytestmark = pytest.mark.feature("B-06")

SOURCE = '''
def cut(
    text,  # type: str
    *parts,  # type: int
    limit=None  # type: Optional[int]
):
    # type: (...) -> List[str]
    """Cut a text."""


def join(parts, glue):
    # type: (List[str], str) -> str
    return glue.join(parts)


def area(width, height):
    #type: (int, int) -> int
    return width * height


def short(text, size):
    # type: (str) -> str
    return text[:size]


def scale(value: float, factor):
    # type: (int, int) -> float
    return value * factor


class Url:
    def remove(self, name, value=None):
        # type: (str, Optional[str]) -> Url
        return self
'''


def annotations_of(folder: Path, source: str) -> dict[str, dict[str, str | None]]:
    write_project(folder, {"src/pkg/__init__.py": "", "src/pkg/texts.py": source})
    found = facts_of(folder, "src/pkg/texts.py")
    return {
        one.qualname: {**{each.name: each.annotation for each in one.parameters}, "return": one.returns}
        for one in found.callables()
    }


def test_comments_of_parameters_and_of_whole_signatures_are_annotations(tmp_path: Path) -> None:
    found = annotations_of(tmp_path, SOURCE)
    assert found["cut"] == {"text": "str", "parts": "int", "limit": "Optional[int]", "return": "List[str]"}
    assert found["join"] == {"parts": "List[str]", "glue": "str", "return": "str"}
    assert found["area"] == {"width": "int", "height": "int", "return": "int"}
    assert found["short"] == {"text": None, "size": None, "return": "str"}
    assert found["Url.remove"] == {"name": "str", "value": "Optional[str]", "return": "Url"}


def test_an_annotation_goes_before_a_comment(tmp_path: Path) -> None:
    assert annotations_of(tmp_path, SOURCE)["scale"] == {"value": "float", "factor": "int", "return": "float"}


@pytest.mark.parametrize("comment", ["# type: text of a kind", "# type: (str) -> ", "# type: ignore"])
def test_a_comment_that_is_no_type_is_left_alone(tmp_path: Path, comment: str) -> None:
    source = f"def cut(text, size=3):\n    {comment}\n    return text[:size]\n"
    assert annotations_of(tmp_path, source)["cut"] == {"text": None, "size": None, "return": None}
