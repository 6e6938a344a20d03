"""Tracks the lists, dictionaries and sets that an act passes to what it calls, and reports which were changed."""

import ast

_KEEP = "__testwright_keep"
_MUTABLE = (ast.List, ast.Dict, ast.Set)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Literals:
    """The literal arguments of one act."""

    def __init__(self):
        self.given = {}
        self.kept = {}

    def keeping(self, act, namespace):
        """The act as a tree that keeps hold of its literal arguments; None where it has none."""
        if "[" not in act and "{" not in act:
            return None
        tree = ast.parse(act, "<act>", "eval")
        for call in _calls(tree.body):
            call.args = [self._held(arg) for arg in call.args]
            for keyword in call.keywords:
                keyword.value = self._held(keyword.value)
        if not self.given:
            return None
        namespace[_KEEP] = self._keep
        return ast.fix_missing_locations(tree)

    def changed(self):
        """Places (line, column) of the literals that are no longer what is written there."""
        return [list(place) for place, value in self.kept.items() if not _same(value, self.given[place])]

    def _held(self, node):
        if not isinstance(node, _MUTABLE):
            return node
        place = node.lineno, node.col_offset
        try:
            ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return node
        self.given[place] = node
        constant = [ast.copy_location(ast.Constant(value), node) for value in place]
        name = ast.copy_location(ast.Name(_KEEP, ast.Load()), node)
        return ast.copy_location(ast.Call(name, [*constant, node], []), node)

    def _keep(self, line, column, value):
        self.kept[line, column] = value
        return value


def _calls(node):
    """The calls that the act itself makes."""
    found = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            found.append(node)
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found


def _same(value, node):
    try:
        return _alike(value, ast.literal_eval(node))
    except Exception:  # what was put in cannot even be compared
        return False


def _alike(value, other):
    """Whether two values are equal, in order too, and of the same types."""
    if type(value) is not type(other):
        return False
    if isinstance(value, (list, tuple)):
        return len(value) == len(other) and all(_alike(*pair) for pair in zip(value, other))
    if isinstance(value, dict):
        return _alike(list(value), list(other)) and all(_alike(value[key], other[key]) for key in value)
    return value == other or value != value
