"""Test files that can be collected in a version that lacks some of the names they import."""

from __future__ import annotations

import ast


def tolerant(text: str) -> str:
    """A test file in which an import of a missing name leaves None in its place.

    Between two versions a name may have come or gone that has nothing to do with the fault. Where a file imports it,
    none of its tests could be collected, and all of them would seem to notice the fault.
    """
    tree = ast.parse(text)
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and _is_listed(statement):
            body += [_guarded(statement, alias) for alias in statement.names]
        else:
            body.append(statement)
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, tree.type_ignores)))


def _is_listed(statement: ast.ImportFrom) -> bool:
    return statement.module != "__future__" and all(alias.name != "*" for alias in statement.names)


def _guarded(statement: ast.ImportFrom, alias: ast.alias) -> ast.Try:
    one = ast.ImportFrom(statement.module, [alias], statement.level)
    name = ast.Name(alias.asname or alias.name, ast.Store())
    absent = ast.Assign([name], ast.Constant(None))
    handler = ast.ExceptHandler(ast.Name("ImportError", ast.Load()), None, [absent])
    return ast.Try([one], [handler], [], [])
