"""The runner that the Action's steps are executed by: its expression language, and what it refuses."""

import pytest

from testwright.tests.support.runs.action_expressions import Contexts, UnknownExpression, evaluate, filled, holds

KNOWN = Contexts(
    inputs={"cache": "true", "name": "it's", "artifact-days": "0"},
    steps={"run": {"run-id": "r1"}},
    github={"ref": "refs/heads/main"},
    runner={"temp": "/tmp"},
    known_steps=frozenset({"run", "later"}),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.cache == 'TRUE'", True),
        ("inputs.name == 'it''s'", True),
        ("steps.run.outputs.run-id != ''", True),
        ("steps.run.outputs.other", ""),
        ("steps.later.outputs.any == ''", True),
        ("!cancelled() && inputs.cache == 'true'", True),
        ("inputs.cache != 'true' || (github.ref == 'x')", False),
        ("inputs.artifact-days && 'yes' || 'no'", "yes"),
        ("always()", True),
        ("!failure()", True),
    ],
)
def test_expressions_have_the_values_that_github_gives_them(text, value):
    assert evaluate(text, KNOWN) == value


@pytest.mark.parametrize(
    "text",
    [
        "secrets.KEY",
        "inputs.gone",
        "steps.gone.outputs.x",
        "steps.run.conclusion",
        "github.token",
        "contains(inputs.name, 'x')",
        "inputs.cache == ",
        "inputs.cache 'x'",
        "hashFiles('**')",
        "1 + 1",
        "inputs['cache']",
    ],
)
def test_what_is_not_known_raises_and_is_never_taken_for_empty(text):
    with pytest.raises(UnknownExpression):
        evaluate(text, KNOWN)


def test_texts_are_put_together_and_a_condition_without_a_status_needs_success():
    assert filled("${{ runner.temp }}/x-${{ inputs.cache }}", KNOWN) == "/tmp/x-true"
    failed = Contexts(KNOWN.inputs, KNOWN.steps, KNOWN.github, KNOWN.runner, KNOWN.known_steps, failed=True)
    assert holds(None, KNOWN)
    assert not holds(None, failed)
    assert not holds("${{ inputs.cache == 'true' }}", failed)
    assert holds("${{ !cancelled() && inputs.cache == 'true' }}", failed)
