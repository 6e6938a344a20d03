"""Which texts of a body are input for it, and which it only writes."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.facts.definitions import callable_facts


def read_in(body: str) -> tuple[str, ...]:
    """The constants that a function with such a body reads."""
    node = ast.parse(f"def f(text, sep):\n    {body}").body[0]
    assert isinstance(node, ast.FunctionDef)
    return callable_facts(node, None).read_constants


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return '{}{}'.format(text, sep)", id="a template"),
        pytest.param("return '<%s>' % text", id="a template of percent signs"),
        pytest.param("return '{' + text + '}'", id="the pieces of a result"),
        pytest.param("return re.split('[.[]', text)", id="a regular expression"),
        pytest.param("raise ValueError('no such field: %r' % text)", id="the message of an exception"),
        pytest.param("raise ValueError('no ' + text)", id="the sum of a message"),
        pytest.param("raise ValueError(f'no {text}')", id="the fields of a message"),
        pytest.param("raise ValueError('a' if text else 'b')", id="a message of two"),
        pytest.param("raise ValueError('no {}'.format(text), 'more')", id="a message and what is kept beside it"),
        pytest.param("return ', '.join(text)", id="what joins the parts of a result"),
        pytest.param("return 'odd' if text else 'even'", id="a result"),
        pytest.param("return text.encode('utf-8')", id="the name of an encoding"),
    ],
)
def test_a_text_that_is_only_written_is_no_input(body):
    assert read_in(body) == ()


@pytest.mark.parametrize(
    ("body", "read"),
    [
        pytest.param("return text == 'plain'", "'plain'", id="compared with"),
        pytest.param("return text.split('=')", "'='", id="split at"),
        pytest.param("return text.replace('~1', '/')", "'~1'", id="replaced"),
        pytest.param("return text == 'a' + sep", "'a'", id="compared with in a sum"),
        pytest.param("return text.startswith('a' + sep)", "'a'", id="searched for in a sum"),
        pytest.param("return text.endswith(('a' + sep, sep))", "'a'", id="searched for among others"),
        pytest.param("raise ValueError(text.partition(':'))", "':'", id="split at for a message"),
        pytest.param("return text[len(text) % 10]", "10", id="computed with"),
        pytest.param("return ',' + text if text.startswith(',') else text", "','", id="written and searched for"),
    ],
)
def test_a_text_that_the_code_looks_for_is_input(body, read):
    assert read_in(body) == (read,)
