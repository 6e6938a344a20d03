"""Falsifies what tests expect, one expectation at a time: a test that still passes proves nothing by it.

In the code of the loaded test functions each checked value is led through an object here, which hands on the value, or
another one of its type for the expectation that is falsified. One process, forked from the one that has collected all
tests, first runs every test unchanged to see which expectations it comes to, then once for each of them.

What is found is said as ["unproven", {"tests": node ids, "path", "line", "why": "accepts" another value, or is "never"
come to}]. Plain standard library, Python 3.9.
"""

import ast
import os
import types

from .standins import inner_codes

MARK = "\0expectation"
MOST = 3000
PLAIN = (int, float, complex, str, bytes, bool, type(None))
COMPARING = ("assertEqual", "assertIs", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual")
COMPARING += ("assertCountEqual", "assertSequenceEqual", "assertMultiLineEqual", "assertAlmostEqual")
JUDGING = ("assertTrue", "assertFalse")
RAISING = ("raises", "assertRaises", "assertRaisesRegex")


class AnotherError(Exception):
    """What no code under test raises."""


class Expectations:
    """Hands checked values on, and notes which expectations a test comes to.

    Attributes:
        false: the number of the expectation that is falsified; None for none.
        met: numbers of those that the running test has come to.
        open: numbers of those of them whose values may be equal to anything: they are of no plain type.
    """

    def __init__(self):
        self.false = None
        self.met = set()
        self.open = set()

    def begin(self):
        """A test begins."""
        self.met, self.open = set(), set()

    def value(self, number, value):
        """A value that is compared with what is expected."""
        self.met.add(number)
        if type(value) not in PLAIN:
            self.open.add(number)
        return another(value) if number == self.false else value

    def truth(self, number, value):
        """A value that has to be true, or false."""
        self.met.add(number)
        return not value if number == self.false else value

    def error(self, number, kind):
        """The exception that is expected."""
        self.met.add(number)
        return AnotherError if number == self.false else kind


def another(value):
    """Another value of the same plain type; for others an object that is equal to nothing else."""
    kind = type(value)
    if kind is bool:
        return not value
    if kind in (int, float, complex):
        changed = value * 2 + 1
        return changed if changed != value else kind(0)
    if kind in (str, bytes):
        return value + ("x" if kind is str else b"x")
    if kind in (list, tuple):
        # Other elements, not more of them: what is equal to any element must not be taken for a proof.
        return kind([another(one) for one in value] or [object()])
    if kind in (set, frozenset):
        return kind([*value, object()])
    if kind is dict:
        return {**value, object(): None}
    return object()


class Marker(ast.NodeTransformer):
    """Leads each checked value of the tests in a syntax tree through `Expectations`.

    Attributes:
        lines: the line of each expectation, by its number.
        owners: the test it stands in, `function` or `Class::method`, by its number.
    """

    def __init__(self):
        self.lines = []
        self.owners = []
        self.test = None
        self.classes = []

    def visit_ClassDef(self, node):
        """Methods are known by the class, too."""
        self.classes.append(node.name)
        self.generic_visit(node)
        self.classes.pop()
        return node

    def visit_FunctionDef(self, node):
        """See `in_function`."""
        return self.in_function(node)

    def visit_AsyncFunctionDef(self, node):
        """See `in_function`."""
        return self.in_function(node)

    def in_function(self, node):
        """Tests only, with what is defined in them."""
        before = self.test
        if self.test is None and node.name.startswith("test"):
            self.test = "::".join([*self.classes, node.name])
        if self.test is not None:
            node.body = [self.visit(one) for one in node.body]
        self.test = before
        return node

    def visit_Assert(self, node):
        """One that compares by `==` or `is` gets another value, any other the opposite."""
        if self.test is None:
            return node
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
            test.left = self.led("value", test.left)
            test.comparators[0] = self.led("value", test.comparators[0])
        else:
            node.test = self.led("truth", test)
        return node

    def visit_Call(self, node):
        """Checks of unittest, and expected exceptions."""
        self.generic_visit(node)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if self.test is not None and node.args and not isinstance(node.args[0], ast.Starred):
            for names, way in ((COMPARING, "value"), (JUDGING, "truth"), (RAISING, "error")):
                for place in range(2 if way == "value" else 1) if name in names else ():
                    if place < len(node.args):
                        node.args[place] = self.led(way, node.args[place])
        return node

    def led(self, way, value):
        """The expression led through."""
        number = len(self.lines)
        self.lines.append(value.lineno)
        self.owners.append(self.test)
        function = ast.Attribute(ast.Constant(MARK), way, ast.Load())
        return ast.copy_location(ast.Call(function, [ast.Constant(number), value], []), value)


class MarkedFile:
    """A test file whose loaded functions are led through `Expectations`.

    Raises SyntaxError where it does not compile; such a file is not there, as its tests have been collected.
    """

    def __init__(self, project, path, functions):
        self.path = path
        self.expectations = Expectations()
        full = os.path.join(project, path)
        with open(full, "rb") as stream:
            tree = ast.parse(stream.read(), full)
        self.marker = Marker()
        tree = ast.fix_missing_locations(self.marker.visit(tree))
        codes = {}
        waiting = [compile(tree, full, "exec", dont_inherit=True)]
        while waiting:
            code = waiting.pop()
            waiting += inner_codes(code)
            codes[code.co_name, code.co_firstlineno] = code
        for function in functions:
            code = codes.get((function.__code__.co_name, function.__code__.co_firstlineno))
            if code is not None and code.co_freevars == function.__code__.co_freevars:
                function.__code__ = with_constant(code, self.expectations)


def with_constant(code, expectations):
    """The code, and the code in it, with the object in the place of its mark."""
    consts = []
    for one in code.co_consts:
        if one == MARK:
            one = expectations
        elif isinstance(one, types.CodeType):
            one = with_constant(one, expectations)
        consts.append(one)
    return code.replace(co_consts=tuple(consts))


def falsify(project, tests, live, run, say):
    """Falsify what tests expect, and say what proves nothing.

    Args:
        project: its real path.
        tests: node ids of tests that pass.
        live: the loaded functions; see swap.py.
        run: runs some tests from a fresh state: node ids → those that fail.
    """
    paths = list(dict.fromkeys(nodeid.split("::")[0] for nodeid in tests))
    functions = live.functions_in({path: os.path.realpath(os.path.join(project, path)) for path in paths})
    marked = {path: MarkedFile(project, path, functions[path]) for path in paths}
    met, rows, proven, left = {}, {}, set(), MOST
    for nodeid in tests:
        file = marked[nodeid.split("::")[0]]
        file.expectations.begin()
        if not run([nodeid]):
            lines = {file.marker.lines[number] for number in file.expectations.open}
            doubted = {number for number in file.expectations.met if file.marker.lines[number] in lines}
            met[nodeid] = sorted(file.expectations.met), doubted
            rows.setdefault(nodeid.partition("[")[0], []).append(nodeid)
    for nodeid, (numbers, doubted) in met.items():
        file = marked[nodeid.split("::")[0]]
        # What one row proves holds for the others, as long as all that they compare there is of plain types.
        numbers = [number for number in numbers if number in doubted or (file.path, number) not in proven]
        proven.update((file.path, number) for number in numbers)
        for number in numbers[:left]:
            file.expectations.false = number
            if not run([nodeid]):
                unproven(say, file, number, [nodeid], "accepts")
        file.expectations.false = None
        left -= len(numbers[:left])
    for file in marked.values():
        reached = {number for nodeid in met if nodeid.split("::")[0] == file.path for number in met[nodeid][0]}
        for number, owner in enumerate(file.marker.owners):
            name = "{}::{}".format(file.path, owner)
            if number not in reached and name in rows:
                unproven(say, file, number, rows[name], "never")


def unproven(say, file, number, nodeids, why):
    """Say that an expectation proves nothing."""
    say("unproven", {"tests": nodeids, "path": file.path, "line": file.marker.lines[number], "why": why})
