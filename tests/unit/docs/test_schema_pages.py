"""docs/schemas: one page a schema, made from it, with an example that the schema accepts."""

import json
import re
from pathlib import Path

import pytest

from testwright.tests.support.schema_pages import example_of, page, page_path, pages, write_pages
from testwright.utils.error_formatter import schema_issues
from testwright.utils.schema_registry import CORE_SCHEMA, schema_names, validator

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schemas"
EXAMPLES = FOLDER / "examples"
LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)?(?:#([^)]+))?\)")


@pytest.mark.feature("T-08")
def test_every_page_is_what_its_schema_makes_and_there_is_no_other():
    made = pages(EXAMPLES)
    assert sorted(made) == sorted(path.name for path in FOLDER.glob("*.md")), "run `make docs`"
    assert [name for name, text in made.items() if (FOLDER / name).read_text() != text] == [], "run `make docs`"


@pytest.mark.feature("T-08")
@pytest.mark.parametrize("name", [name for name in schema_names() if name != CORE_SCHEMA])
def test_every_schema_has_an_example_that_it_accepts(name):
    example = example_of(name, EXAMPLES)
    assert example is not None
    assert schema_issues(validator(name).iter_errors(example)) == []
    assert json.dumps(example, indent=2, ensure_ascii=False) in (FOLDER / page_path(name)).read_text()


def test_every_example_belongs_to_a_schema():
    files = {f"schemas/{path.relative_to(EXAMPLES).as_posix()}" for path in EXAMPLES.rglob("*.json")}
    assert files <= set(schema_names())


def test_links_between_pages_lead_somewhere():
    headings = {
        path.name: {text.lower() for text in re.findall(r"^## (\S+)$", path.read_text(), re.MULTILINE)}
        for path in FOLDER.glob("*.md")
    }
    for path in FOLDER.glob("*.md"):
        prose = re.sub(r"```.*?```|``.*?``|`[^`\n]*`", "", path.read_text(), flags=re.DOTALL)
        for file, heading in LINK.findall(prose):
            assert (FOLDER / (file or path.name)).exists(), (path.name, file)
            assert not heading or heading in headings[file or path.name], (path.name, file, heading)


def test_every_field_of_a_schema_stands_on_its_page():
    text = page("schemas/unit_test_schema_v1.json")
    for field in ("`schema_version`", "`cases[].act`", "`suspected_defects`"):
        assert field in text
    assert '| `framework` | required | `"pytest"`, `"unittest"`, `"jest"` |' in text
    assert "[case_id](core_v1.md#case_id) | Stable identifier of a case" in text
    assert "## Conditions" in text


def test_pages_of_schemas_that_are_gone_are_removed(tmp_path):
    (tmp_path / "gone.md").write_text("old")
    write_pages(tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.md")) == sorted(pages(tmp_path))
