"""The sanitizer, version v1.0.0: one fence and white space, never the content."""

from __future__ import annotations

import pytest

from testwright.agents.contract.sanitizer import SANITIZER_VERSION, parse_llm_output, sanitize_llm_output
from testwright.core.errors import MalformedLlmOutput

FENCE = "```"


@pytest.mark.feature("A-02")
@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('  \n{"a": 1}\n ', '{"a": 1}'),
        (f'{FENCE}json\n{{"a": 1}}\n{FENCE}', '{"a": 1}'),
        (f'{FENCE}\n{{"a": 1}}\n{FENCE}', '{"a": 1}'),
        (f'{FENCE}json{{"a": 1}}', '{"a": 1}'),
        (f'{{"a": 1}}{FENCE}', '{"a": 1}'),
        (f'\n {FENCE}json\n{{"a": 1}}\n{FENCE}\n\n', '{"a": 1}'),
        (f"{FENCE}{FENCE}json\n1\n{FENCE}{FENCE}", f"{FENCE}json\n1\n{FENCE}"),
        (f"{FENCE}JSON\n1\n{FENCE}", "JSON\n1"),
        (FENCE, ""),
        ("", ""),
        (f'{{"text": "{FENCE}json inside{FENCE}"}}', f'{{"text": "{FENCE}json inside{FENCE}"}}'),
        ('{"A": 1,  "b" :2}', '{"A": 1,  "b" :2}'),
    ],
)
def test_one_fence_and_outer_white_space_go_and_nothing_else(raw: str, clean: str) -> None:
    assert sanitize_llm_output(raw) == clean


@pytest.mark.feature("A-02")
def test_the_version_is_the_seeds() -> None:
    assert SANITIZER_VERSION == "v1.0.0"


@pytest.mark.feature("A-03")
@pytest.mark.parametrize("raw", ["", "Sure! Here it is: {}", '{"a": 1', '{"a": NaN}', "[" * 100_000, '{"a": 1} {}'])
def test_what_does_not_parse_is_malformed(raw: str) -> None:
    with pytest.raises(MalformedLlmOutput, match="not JSON") as caught:
        parse_llm_output(raw)
    assert caught.value.details["sanitizer"] == "v1.0.0"


@pytest.mark.feature("A-03")
@pytest.mark.parametrize("raw", ['{"a": "\\ud800"}', '{"\\udfff": 1}', '{"a": 1e999}', '{"a": "\\u12"}'])
def test_what_no_file_can_hold_is_malformed(raw: str) -> None:
    with pytest.raises(MalformedLlmOutput, match="not JSON") as caught:
        parse_llm_output(raw)
    assert caught.value.message.isascii()


def test_characters_in_two_halves_are_whole() -> None:
    assert parse_llm_output('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


@pytest.mark.feature("A-02")
def test_a_fenced_answer_parses() -> None:
    assert parse_llm_output(f'{FENCE}json\n{{"steps": []}}\n{FENCE}') == {"steps": []}
