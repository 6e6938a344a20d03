"""Errors as an agent reads them (T-06, T-07)."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from testwright.utils.error_formatter import (
    MAX_ISSUES,
    code_feedback,
    join_issues,
    json_path,
    schema_issues,
)

SCHEMA = {
    "type": "object",
    "required": ["name", "size"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "description": "What it is called.", "minLength": 2},
        "size": {"enum": ["small", "large"]},
        "parts": {"type": "array", "items": {"type": "integer", "minimum": 1}},
    },
}


def issues(value):
    return schema_issues(Draft202012Validator(SCHEMA).iter_errors(value))


@pytest.mark.parametrize(
    ("parts", "path"),
    [([], "$"), (["cases", 0, "act"], "$.cases[0].act"), (["odd key", "a"], '$["odd key"].a')],
)
def test_a_place_is_a_json_path(parts, path):
    assert json_path(parts) == path


@pytest.mark.feature("T-06")
def test_all_errors_are_told_each_with_path_message_severity_and_fix():
    found = issues({"nmae": "x", "parts": [0, "1"]})
    assert [(one.path, one.rule) for one in found] == [
        ("$.name", "required"),
        ("$.size", "required"),
        ("$.nmae", "unknown"),
        ("$.parts[0]", "minimum"),
        ("$.parts[1]", "type"),
    ]
    assert all(one.message and one.suggestion and one.severity == "error" for one in found)
    assert found[0].suggestion == "add 'name': What it is called."
    assert found[2].suggestion == "rename it to 'name'"


def test_the_work_and_the_size_of_errors_are_bounded():
    found = issues({"name": "ab", "size": "small", **{f"k{number}{'k' * 5000}": "x" * 5000 for number in range(3000)}})
    assert len(found) <= MAX_ISSUES
    assert len(json.dumps([issue.to_dict() for issue in found[:50]])) < 60_000
    assert join_issues(found, 2).endswith(f"and {len(found) - 2} more")


def test_list_positions_are_ordered_as_numbers():
    found = issues({"name": "ab", "size": "small", "parts": [1, 0, *[1] * 8, 0]})
    assert [one.path for one in found] == ["$.parts[1]", "$.parts[10]"]


def test_a_near_miss_of_an_allowed_value_is_suggested():
    (found,) = issues({"name": "ab", "size": "larg"})
    assert found.suggestion == 'use "large"'
    assert found.excerpt == '"larg"'


def test_a_value_of_the_wrong_kind_altogether_is_one_error():
    (found,) = issues([1])
    assert (found.path, found.rule, found.message) == ("$", "type", "array where object is wanted")


def test_long_values_are_cut():
    (found,) = issues({"name": "ab", "size": "x" * 5000})
    assert len(found.excerpt) <= 160


@pytest.mark.feature("T-07")
def test_the_feedback_on_code_quotes_the_lines_syntax_first():
    errors = [
        {"type": "lint", "line": 1, "message": "unused", "suggestion": "remove it"},
        {"type": "syntax", "line": 2, "message": "invalid syntax", "suggestion": ""},
        {"type": "structure", "line": 0, "message": "no test", "suggestion": "write one"},
    ]
    assert code_feedback(errors, "import os\nx = = 1\n").splitlines() == [
        "The test file is not valid yet: 3 problems.",
        "- syntax in line 2: invalid syntax",
        "    2 | x = = 1",
        "- structure: no test; fix: write one",
        "- lint in line 1: unused; fix: remove it",
        "    1 | import os",
    ]


def test_an_error_of_another_file_or_of_the_answer_names_it_and_quotes_no_line_of_this_one():
    errors = [
        {"type": "lint", "line": 1, "message": "unused", "path": "tests/generated/helpers.py"},
        {"type": "structure", "line": 0, "message": "no JSON", "path": "$", "excerpt": "Certainly! " * 50},
    ]
    first, second = code_feedback(errors, "import os\n").splitlines()[1:]
    assert first == "- structure of $: no JSON (there: " + ("Certainly! " * 50)[:160] + ")"
    assert second == "- lint in line 1 of tests/generated/helpers.py: unused"


def test_feedback_that_grows_too_long_counts_the_rest():
    errors = [{"type": "structure", "line": 0, "message": "wrong"} for _ in range(100)]
    text = code_feedback(errors, limit=10)
    assert text.count("\n- structure") == 10
    assert text.endswith("- and 90 more")
