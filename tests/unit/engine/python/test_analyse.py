from __future__ import annotations

import pytest

from testwright.engine.python.facts.analyse import subjects
from testwright.engine.python.model.arcs import branch_arcs, possible_arcs
from testwright.engine.python.model.model import BodyComparison, Parameter
from testwright.tests.support.engine.python_projects import facts_of, write_project

pytestmark = pytest.mark.feature("B-05", "B-06")

CART = '''
"""A cart."""
from __future__ import annotations
import asyncio
import contextlib
from dataclasses import dataclass, field
from enum import Enum
from .money import Money as M

LIMIT = 99

class Colour(Enum):
    RED = 1
    BLUE = "b"

@dataclass
class Line:
    name: str
    quantity: int = 1
    tags: list[str] = field(default_factory=list)
    hidden: int = field(default=0, init=False)

class Cart:
    """Holds lines."""
    def __init__(self, owner: str, *, limit=LIMIT):
        self.owner = owner
        self._lines = []

    def add(self, name, quantity=1, /, *extras, **options):
        """Add one.

        Args:
            name: what.

        Raises:
            ValueError: if quantity is not positive.

        >>> cart = Cart("ann")
        >>> cart.add("apple")
        1
        """
        if quantity <= 0:
            raise ValueError("no")
        self._lines.append((name, quantity))
        return len(self._lines)

    @property
    def total(self):
        return 1

    @total.setter
    def total(self, value):
        self._total = value

    @classmethod
    def parse(cls, text):
        return cls(text)

    @staticmethod
    def check(text):
        return text.startswith("a:")

    async def load(self):
        yield 1

    def _secret(self):
        pass

def kind(value, flags=("a", "b")):
    if isinstance(value, (int, str)) and value in ("x", "y"):
        return 1
    for item in value:
        item.strip()
    return callback(value[0])

@contextlib.contextmanager
def opened(path):
    yield open(path)

def _private():
    pass
'''


@pytest.fixture
def facts(tmp_path):
    write_project(tmp_path, {"shop/__init__.py": "", "shop/cart.py": CART})
    return facts_of(tmp_path, "shop/cart.py")


def one(facts, qualname):
    return next(item for item in facts.callables() if item.qualname == qualname)


def test_module_facts_name_the_module_its_imports_and_constants(facts):
    assert (facts.module, facts.import_root, facts.documentation.summary) == ("shop.cart", ".", "A cart.")
    assert dict(facts.imports)["M"] == "from shop.money import Money as M"
    assert dict(facts.constants) == {"LIMIT": "99"}
    assert facts.line_count == CART.strip().count("\n") + 1
    assert len(facts.digest) == 64


def test_subjects_are_public_functions_constructors_and_members(facts):
    names = {item.qualname for item in subjects(facts)}
    assert names == {
        "Line",
        "Cart",
        "Cart.add",
        "Cart.total",
        "Cart.parse",
        "Cart.check",
        "Cart.load",
        "kind",
        "opened",
    }


def test_all_limits_the_subjects(tmp_path):
    write_project(
        tmp_path,
        {"m.py": "__all__ = ['a']\n__all__ += ['C']\ndef a(): ...\ndef b(): ...\nclass C:\n  def m(self): ...\n"},
    )
    facts = facts_of(tmp_path, "m.py")
    assert facts.exported == ("a", "C")
    assert [item.qualname for item in subjects(facts)] == ["a", "C.m"]


def test_parameters_keep_kind_annotation_and_default_without_self(facts):
    assert one(facts, "Cart").parameters == (
        Parameter("owner", "positional_or_keyword", "str"),
        Parameter("limit", "keyword_only", None, "LIMIT"),
    )
    kinds = [item.kind for item in one(facts, "Cart.add").parameters]
    assert kinds == ["positional_only", "positional_only", "var_positional", "var_keyword"]


def test_kinds_of_members_are_told_apart(facts):
    kinds = {item.name: item.kind for item in facts.classes[2].members}
    assert kinds == {
        "add": "method",
        "total": "property",
        "parse": "classmethod",
        "check": "staticmethod",
        "load": "method",
        "_secret": "method",
    }
    assert one(facts, "Cart.total").has_setter
    assert one(facts, "Cart.load").is_async
    assert one(facts, "Cart.load").is_generator
    assert one(facts, "opened").is_context_manager
    assert not one(facts, "opened").is_generator


def test_class_kinds_fields_and_made_up_constructors(facts):
    colour, line, cart = facts.classes
    assert (colour.kind, colour.fields) == ("enum", (("RED", "1"), ("BLUE", "'b'")))
    assert (line.kind, cart.kind) == ("dataclass", "plain")
    assert [(item.name, item.default) for item in line.constructor.parameters] == [
        ("name", None),
        ("quantity", "1"),
        ("tags", "list()"),
    ]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("class A(Exception): ...", "exception"),
        ("class A(NamedTuple):\n    x: int", "namedtuple"),
        ("A = namedtuple('A', 'x y')", "namedtuple"),
        ("class A(TypedDict):\n    x: int", "typeddict"),
        ("class A(Protocol): ...", "protocol"),
        ("class A(ABC):\n    @abstractmethod\n    def f(self): ...", "abstract"),
        ("@attrs.define\nclass A:\n    x: int", "attrs"),
        ("class A(BaseModel):\n    x: int", "pydantic"),
        ("class A(enum.IntEnum):\n    X = 1", "enum"),
    ],
)
def test_kinds_of_classes(tmp_path, source, kind):
    write_project(tmp_path, {"m.py": source})
    assert facts_of(tmp_path, "m.py").classes[0].kind == kind


def test_bodies_tell_comparisons_raises_constants_and_branches(facts):
    add = one(facts, "Cart.add")
    assert add.raises[0].exception == "ValueError"
    assert add.raises[0].condition == "quantity <= 0"
    assert BodyComparison("quantity", "<=", "0", add.raises[0].line - 1) in add.comparisons
    assert add.raises[0].line - 1 in add.branch_lines
    kind = one(facts, "kind")
    assert {(item.name, item.operator, item.operand) for item in kind.comparisons} == {("value", "in", "('x', 'y')")}
    check = one(facts, "Cart.check")
    assert [(item.operator, item.operand) for item in check.comparisons] == [("startswith", "'a:'")]


def test_uses_tell_what_is_done_with_parameters(facts):
    uses = set(one(facts, "kind").uses)
    assert {("value", "isinstance:int"), ("value", "iterated"), ("value", "element:method:strip")} <= uses
    assert ("value", "item:0") in uses
    assert ("self._lines", "method:append") in one(facts, "Cart.add").uses
    assert ("owner", "stored:owner") in one(facts, "Cart").uses


def test_docstrings_give_parameters_raises_and_examples(facts):
    documentation = one(facts, "Cart.add").documentation
    assert documentation.parameters == (("name", "what."),)
    assert documentation.raises == (("ValueError", "if quantity is not positive."),)
    first, second = documentation.examples
    assert (second.arrange, second.act, second.want) == (('cart = Cart("ann")',), 'cart.add("apple")', "1\n")
    assert CART.lstrip("\n").splitlines()[second.line - 1].strip() == '>>> cart.add("apple")'
    assert first.want == ""


def test_broken_doctests_do_not_hide_the_good_ones(tmp_path):
    write_project(tmp_path, {"m.py": 'def f(x):\n    """Do.\n\n    >>> f(1)\n    2\n\n    >>>f(2)\n    3\n    """\n'})
    examples = facts_of(tmp_path, "m.py").functions[0].documentation.examples
    assert [item.act for item in examples] == ["f(1)"]


def test_a_prompt_whose_text_goes_on_without_dots_is_one_statement(tmp_path):
    source = """
        def f(text, more=1):
            '''Do.

            >>> text = \"\"\"
            one
              two
            \"\"\"
            >>> f(text)
            3
            '''
        """
    write_project(tmp_path, {"m.py": source})
    first, second = facts_of(tmp_path, "m.py").functions[0].documentation.examples
    assert first.act == 'text = """\none\n  two\n"""'
    assert (second.act, second.arrange) == ("f(text)", (first.act,))
    assert second.want == "", "what was never a doctest binds nobody"


def test_a_broken_statement_stays_as_it_is(tmp_path):
    write_project(tmp_path, {"m.py": 'def f(x):\n    """Do.\n\n    >>> f(\n    2\n    >>> f(2)\n    3\n    """\n'})
    examples = facts_of(tmp_path, "m.py").functions[0].documentation.examples
    assert [(item.act, item.want) for item in examples] == [("f(", "2\n"), ("f(2)", "3\n")]


def test_syntax_error_names_path_and_line(tmp_path):
    write_project(tmp_path, {"pkg/bad.py": "x = 1\ndef f(:\n"})
    with pytest.raises(SyntaxError) as caught:
        facts_of(tmp_path, "pkg/bad.py")
    assert (caught.value.filename, caught.value.lineno) == ("pkg/bad.py", 2)


@pytest.mark.parametrize("contents", [b"x = 1\x00\n", b"# -*- coding: utf-8 -*-\nx = '\xff'\n", b"(" * 5000])
def test_unreadable_sources_are_syntax_errors_with_a_path(tmp_path, contents):
    (tmp_path / "bad.py").write_bytes(contents)
    with pytest.raises(SyntaxError) as caught:
        facts_of(tmp_path, "bad.py")
    assert caught.value.filename == "bad.py"


def test_empty_module_and_module_without_public_names_have_no_subjects(tmp_path):
    write_project(tmp_path, {"empty.py": "", "private.py": "def _a(): ...\nclass _B:\n    def m(self): ...\n"})
    assert subjects(facts_of(tmp_path, "empty.py")) == ()
    assert facts_of(tmp_path, "empty.py").line_count == 0
    assert subjects(facts_of(tmp_path, "private.py")) == ()


def test_conditional_definitions_are_found_and_main_guards_left_out(tmp_path):
    source = """
    try:
        import fast
    except ImportError:
        def slow(): ...
    if True:
        class C: ...
    if __name__ == "__main__":
        def main(): ...
    """
    write_project(tmp_path, {"m.py": source})
    facts = facts_of(tmp_path, "m.py")
    assert [item.name for item in facts.functions] == ["slow"]
    assert [item.name for item in facts.classes] == ["C"]


def test_overloads_are_left_to_type_checkers(tmp_path):
    write_project(
        tmp_path, {"m.py": "@overload\ndef f(a: int): ...\n@typing.overload\ndef f(a: str): ...\ndef f(a, b): ...\n"}
    )
    assert [item.name for item in facts_of(tmp_path, "m.py").functions[0].parameters] == ["a", "b"]


def test_analysis_of_ten_thousand_lines_finds_every_function(tmp_path):
    body = (
        "def f{0}(a, b=1):\n    if a == {0}:\n        return 'x'\n    for c in b:\n        print(c)\n    return a\n\n\n"
    )
    write_project(tmp_path, {"big.py": "".join(body.format(number) for number in range(1300))})
    facts = facts_of(tmp_path, "big.py")
    assert facts.line_count > 10_000
    assert len(facts.functions) == 1300


def test_branch_arcs_are_those_that_leave_a_line_two_ways():
    source = "def f(a):\n    if a:\n        return 1\n    return 2\n"
    assert branch_arcs(source) == {(2, 3), (2, 4)}
    assert branch_arcs(source) < possible_arcs(source)
    with pytest.raises(SyntaxError):
        possible_arcs("def (:")


def test_a_descriptor_that_takes_a_method_makes_a_property(tmp_path):
    source = (
        "class Stats:\n"
        "    def _mean(self):\n        return 1\n\n"
        "    mean = LazyProperty('mean', _mean)\n"
        "    other = Registry(_mean)\n"
    )
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert [(one.qualname, one.kind) for one in facts.classes[0].members if one.public] == [("Stats.mean", "property")]


def test_operators_that_a_class_body_assigns_are_members(tmp_path):
    source = (
        "class Names:\n"
        "    def _comparing(compare):\n"
        "        def comparer(self, other):\n            return compare(self._names, other)\n\n"
        "        return comparer\n\n"
        "    __lt__ = _comparing(lt)\n"
        "    def common(self, *others):\n        return self\n\n"
        "    __and__ = common\n"
        "    size = common\n"
    )
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    found = {one.name: one for one in facts.classes[0].members if one.public}

    assert list(found) == ["__lt__", "common", "__and__"]
    assert (found["__lt__"].lines, found["__and__"].lines) == ((3, 4), (9, 10))
    operands = [[(one.name, one.kind) for one in found[name].parameters] for name in ("__lt__", "__and__")]
    assert operands == [[("other", "positional_only")], [("others", "positional_only")]]


def test_a_class_that_its_name_calls_a_base_is_only_derived_from(tmp_path):
    source = (
        "class BaseQueue:\n    def add(self, item): ...\n\nclass Heap(BaseQueue): ...\n\nclass BaseLine: ...\n"
        "class KnowledgeBase:\n    def ask(self): ...\n\nclass _Cached(KnowledgeBase): ...\n"
        "class LoudBase:\n    def say(self): ...\n    def stop(self): ...\n\n"
        "class Loud(LoudBase):\n    def say(self): ...\n"
    )
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert {one.name: one.kind for one in facts.classes} == {
        "BaseQueue": "abstract",
        "Heap": "plain",
        "BaseLine": "plain",
        "KnowledgeBase": "plain",
        "_Cached": "plain",
        "LoudBase": "plain",
        "Loud": "plain",
    }


def test_a_class_that_calls_a_method_which_only_its_heirs_define_is_only_derived_from(tmp_path):
    source = (
        "class Registry:\n"
        "    def add(self, name):\n        self.known = self._expand(name)\n"
        "    def _again(self):\n        self.add(1)\n\n"
        "class Rules(Registry):\n    def _expand(self, name):\n        return name\n\n"
        "class Schemas(Registry):\n    def _expand(self, name):\n        return [name]\n\n"
        "class Whole:\n    def add(self, name):\n        self._store(name)\n    def _store(self, name): ...\n\n"
        "class Part(Whole):\n    def _store(self, name): ...\n"
    )
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    kinds = {one.name: one.kind for one in facts.classes}
    assert kinds == {"Registry": "abstract", "Rules": "plain", "Schemas": "plain", "Whole": "plain", "Part": "plain"}
