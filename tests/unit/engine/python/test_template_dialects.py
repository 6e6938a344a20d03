"""Templates of another dialect than the documents show are no examples (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.inputs.template_dialects import foreign_samples

pytestmark = pytest.mark.feature("B-16")


@pytest.mark.parametrize(
    ("written", "own", "foreign"),
    [
        pytest.param("https://example.com/gists{/gist_id}", "/users{?name,page}", "{{ name }}", id="named_braces"),
        pytest.param("Hello {{ user }}", "{{ name }}", "Hello {name}", id="double_braces"),
        pytest.param("{} and {}", "{} of {}", "{name}", id="empty_braces"),
        pytest.param("Dear %s", "Hello %s", "Hello $name", id="percent"),
        pytest.param("Dear $user", "Hello $name", "Hello %s", id="dollar"),
    ],
)
def test_samples_of_the_dialect_that_documents_show_are_no_strangers(written: str, own: str, foreign: str) -> None:
    found = foreign_samples([written])

    assert foreign in found
    assert own not in found


def test_where_documents_show_no_template_every_sample_may_be_tried() -> None:
    assert foreign_samples(["https://example.com", '{"name": "Ada"}']) == frozenset()


def test_texts_that_are_no_templates_stay() -> None:
    assert not foreign_samples(["{name}"]) & {"name=value", '{"name": "Ada", "age": 36}', "50%", "$12.50"}
