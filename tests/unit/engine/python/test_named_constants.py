"""Constants beside the one that is a default are what a person passes in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.usage.named_constants import constants_beside_default
from testwright.engine.python.usage.project_index import ProjectIndex
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("B-16")

FILES = {
    "shop/__init__.py": "",
    "shop/kinds.py": """
KIND_PLAIN = "plain"
KIND_GIFT = "gift-1.2"
VERSION = "1.2"
AUTHOR = "somebody"
_HIDDEN = "hidden"
LIMIT = 3
TITLE = "A title of many words"
""",
    "shop/wrap.py": """
from .kinds import KIND_PLAIN, LIMIT, VERSION

FAST = "fast"


def wrap(thing, kind=KIND_PLAIN, version=VERSION, limit=LIMIT, speed=FAST, size="small"):
    return thing
""",
}


def beside(folder: Path, parameter: str) -> list[tuple[str, tuple[str, ...]]]:
    root = make_project(folder, FILES)
    layout = find_layout(root)
    facts = analyse_module(root, "shop/wrap.py", layout)
    found = next(one for one in facts.functions[0].parameters if one.name == parameter)
    values = constants_beside_default(found, facts, ProjectIndex(root, layout, (facts,)))
    return [(value.source, value.imports) for value in values]


def test_the_other_words_of_the_family_are_named_as_the_project_names_them(tmp_path: Path) -> None:
    assert beside(tmp_path, "kind") == [("KIND_GIFT", ("from shop.kinds import KIND_GIFT",))]


@pytest.mark.parametrize("parameter", ["limit", "speed", "size", "version"])
def test_a_default_that_is_no_named_word_or_stands_alone_has_no_family(tmp_path: Path, parameter: str) -> None:
    assert beside(tmp_path, parameter) == []
