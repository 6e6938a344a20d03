"""Finds comparisons that cannot fail: an `__eq__` that does not look at what an object was built from."""

import ast
import copy

MAX_VARIANTS = 4


def tells_apart(source, scope, thing):
    """Whether `thing` differs from something that is built like it with one literal changed.

    True, too, where no such thing can be built, so that there is nothing to learn.
    """
    compared = 0
    for variant in variants(source):
        try:
            other = eval(compile(variant, "<value>", "eval"), dict(scope))
            if (other == thing) is not True:
                return True
        except Exception:  # the class may refuse the changed value
            continue
        compared += 1
    return not compared


def variants(source):
    """Yield up to MAX_VARIANTS expressions that differ from `source` in one literal, or in an item for nothing."""
    tree = ast.parse(source, mode="eval")
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.List) and not node.elts][:1]:
        node.elts = [ast.Constant(1)]
        yield ast.fix_missing_locations(copy.deepcopy(tree))
        node.elts = []
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and _changed(node.value) is not None]
    # The last one, too: what is compared may stand behind what is only described.
    for node in nodes if len(nodes) <= MAX_VARIANTS else (*nodes[: MAX_VARIANTS - 1], nodes[-1]):
        kept = node.value
        node.value = _changed(kept)
        yield ast.fix_missing_locations(copy.deepcopy(tree))
        node.value = kept


def _changed(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 2 + 1
    if isinstance(value, str):
        return value + "x"
    return value + b"x" if isinstance(value, bytes) else None
