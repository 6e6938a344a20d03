"""`walk` gives what `ast.walk` gives."""

from __future__ import annotations

import ast

import pytest

from testwright.utils.own_source import OWN_FOLDER
from testwright.utils.python_source import parse_python, walk

_EVERY_FORM = """
@decorated
async def f(a, /, b: int = 1, *c, d=None, **e) -> {**e, 'k': f'{a!r:>{b}}'}:
    match a:
        case {'x': [1, *rest], **others} | None:
            return await (lambda: (yield a))()
    try:
        del a[1:2], b
    except* ValueError as error:
        raise error from None
    else:
        global g
"""


@pytest.mark.parametrize(
    "source", [_EVERY_FORM, *(path.read_text(encoding="utf-8") for path in sorted(OWN_FOLDER.glob("utils/*.py"))[:5])]
)
def test_every_node_comes_once_and_in_the_order_of_ast(source: str) -> None:
    tree = parse_python(source)
    assert list(walk(tree)) == list(ast.walk(tree))


def test_a_node_that_lacks_a_field_is_walked_as_far_as_it_goes() -> None:
    call = ast.Call(ast.Name("f", ast.Load()), [ast.Constant(1)], [])
    del call.keywords
    assert list(walk(call)) == list(ast.walk(call))
