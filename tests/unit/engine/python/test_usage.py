from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.inputs.seeds import example_trials
from testwright.engine.python.model.model import Observation, Trial, TrialFinding
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.initial_trials import distinct_trials
from testwright.engine.python.usage.slicing import without_unrelated
from testwright.engine.python.usage.usage import find_usage
from testwright.tests.support.engine.python_projects import context_of, facts_of, run_trials, write_project

pytestmark = pytest.mark.feature("B-06")

CART = '''
import math

class Cart:
    """A cart.

    >>> cart = Cart()
    >>> cart.add("apple", 2)
    2
    >>> unrelated = 1
    >>> cart.total
    2
    """
    def __init__(self):
        self.lines = []
    def add(self, name, quantity=1):
        self.lines.append((name, quantity))
        return quantity
    @property
    def total(self):
        return sum(quantity for _, quantity in self.lines)

def price(amount, rate=0.0):
    """Price.

    >>> from shop import cart
    >>> cart.price(10)
    10
    >>> print(price(2))
    2
    >>> math.floor(price(2.5))
    2
    """
    if amount < 0:
        raise ValueError("negative")
    return amount
'''
TESTS = """
import time
import unittest
import pytest
from shop import cart as module
from shop import Cart
from shop.cart import price

RATE = 0.5

@pytest.fixture
def full():
    cart = Cart()
    cart.add("pear", 3)
    return cart

def test_total(full):
    assert full.total == 3

@pytest.mark.parametrize("amount, wanted", [(1, 1), (2, 2), pytest.param(3, 3, id="three")])
def test_price(amount, wanted):
    assert module.price(amount, rate=RATE) == wanted

def test_negative():
    with pytest.raises(ValueError):
        price(-1)

def test_clock():
    assert price(time.time()) > 0

def test_unknown(some_fixture):
    assert price(some_fixture) == 1

def test_unused_statements():
    other = Cart()
    other.add("x")
    cart = Cart()
    cart.add("plum", 4)
    assert cart.total == 4

class TestCart(unittest.TestCase):
    def setUp(self):
        self.cart = Cart()

    def test_add(self):
        self.assertEqual(self.cart.add("kiwi", 5), 5)

    def test_old(self):
        with self.assertWarnsRegex(UserWarning, "old"), self.assertRaises(ValueError):
            price(-6)

def test_loop():
    for amount in [7, 8]:
        assert price(amount) == amount
"""


@pytest.fixture
def project(tmp_path):
    return write_project(
        tmp_path,
        {
            "shop/__init__.py": "from .cart import Cart, price\n",
            "shop/cart.py": CART,
            "shop/desk.py": "from .cart import price\n\ndef run():\n    return price(11, rate=0.25)\n",
            "tests/test_cart.py": TESTS,
            "tests/broken.py": "from shop import (",
            "README.md": "# Shop\n\n```python\nfrom shop import Cart\ncart = Cart()\ncart.add('fig', 6)\n```\n",
        },
    )


def sequences(project):
    return find_usage(project, find_layout(project), facts_of(project, "shop/cart.py")).trials


def acts(project):
    return {sequence.act: sequence for sequence in sequences(project)}


def test_parametrised_rows_become_calls_under_the_public_name(project):
    found = acts(project)["price(2, rate=RATE)"]
    assert found.arrange == ("RATE = 0.5",)
    assert found.imports == ("from shop.cart import price",)
    assert (found.subject, found.source) == ("price", "existing_test")


def test_code_blocks_of_restructured_text_are_read(tmp_path):
    code = "    from shop import Cart\n    cart = Cart()\n    cart.add('plum', 9)\n"
    page = f"Shop\n====\n\n.. code-block:: python\n\n{code}"
    files = {"shop/__init__.py": "from .cart import Cart, price\n", "shop/cart.py": CART, "README.rst": page}
    found = acts(write_project(tmp_path, files))["cart.add('plum', 9)"]
    assert (found.arrange, found.source) == (("cart = Cart()",), "document")


def test_an_import_that_a_sentence_names_holds_for_the_prompts_of_the_document(tmp_path):
    page = "# Shop\n\nImport it as `import shop as S` first.\n\n```\n>>> S.price(7)\n7\n```\n"
    files = {"shop/__init__.py": "from .cart import Cart, price\n", "shop/cart.py": CART, "README.md": page}
    found = acts(write_project(tmp_path, files))["price(7)"]
    assert (found.imports, found.source) == (("from shop.cart import price",), "document")


def test_operators_of_objects_that_functions_make_are_about_the_operators(tmp_path):
    source = """
class Span:
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __or__(self, other):
        return Span(min(self.start, other.start), max(self.end, other.end))

    def __invert__(self):
        return Span(self.end, self.start)

    def moved(self, by):
        return Span(self.start + by, self.end + by)


def span(start, end):
    return Span(start, end)
"""
    page = (
        "Write `import pkg as P`.\n\n>>> (P.span(1, 2) | P.span(2, 3)).end\n3\n>>> P.span(4, 5) | P.span(6, 7)\n"
        ">>> ~P.span(1, 3)\n>>> len(P.listed(P.span(8, 9)))\n>>> one = P.listed(1)[0]\n>>> one.moved(2)\n"
    )
    files = {
        "pkg/__init__.py": "from .spans import Span, span\nfrom .lists import listed\n",
        "pkg/spans.py": source,
        "pkg/lists.py": "def listed(one):\n    return [one]\n",
        "README.md": page,
    }
    project = write_project(tmp_path, files)
    found = find_usage(project, find_layout(project), facts_of(project, "pkg/spans.py")).trials
    assert [(one.act, one.subject) for one in found] == [
        ("(span(1, 2) | span(2, 3)).end", "Span.__or__"),
        ("span(4, 5) | span(6, 7)", "Span.__or__"),
        ("~span(1, 3)", "Span.__invert__"),
        ("one.moved(2)", "Span.moved"),
    ]


def test_fixtures_and_setup_become_statements(project):
    assert acts(project)["full.total"].arrange == ("cart = Cart()", "cart.add('pear', 3)", "full = cart")
    assert acts(project)["cart.add('kiwi', 5)"].arrange == ("cart = Cart()",)


def test_only_needed_statements_are_kept(project):
    assert acts(project)["cart.total"].arrange == ("cart = Cart()", "cart.add('plum', 4)")


def test_raising_blocks_loops_documents_and_call_sites_are_read(project):
    found = acts(project)
    assert found["price(-1)"].source == "existing_test"
    assert found["price(-6)"].source == "existing_test"
    assert "price(8)" in found
    assert found["cart.add('fig', 6)"].source == "document"
    assert found["price(11, rate=0.25)"].source == "call_site"


def test_clocks_and_unknown_fixtures_are_left_out(project):
    assert not [act for act in acts(project) if "time" in act or "some_fixture" in act]


def test_every_use_runs_on_its_own(project):
    trials = list(find_usage(project, find_layout(project), facts_of(project, "shop/cart.py")).trials)
    outcomes = run_trials(project, trials)
    assert {outcome for outcome, _ in outcomes} == {"returned", "raised"}


def test_doctests_become_trials_with_what_they_want(project):
    facts, context = context_of(project, "shop/cart.py")
    found = {trial.act: trial for trial in example_trials(facts, context.index)}
    total = found["cart.total"]
    assert (total.subject, total.wanted) == ("Cart.total", "2\n")
    assert total.arrange == ("cart = Cart()", "cart.add('apple', 2)")
    assert found["price(10)"].imports == ("from shop.cart import price",)
    assert found["math.floor(price(2.5))"].imports == ("from shop.cart import price", "import math")
    assert CART.lstrip("\n").splitlines()[total.wanted_line - 1].strip() == ">>> cart.total"


def test_printed_examples_are_also_tried_without_print(project):
    facts, context = context_of(project, "shop/cart.py")
    found = {trial.act: trial for trial in example_trials(facts, context.index)}
    assert found["print(price(2))"].wanted == "2\n"
    assert found["price(2)"].wanted == "prints:2\n"


def test_an_example_that_only_shows_the_result_is_about_the_callable_that_it_documents(tmp_path):
    source = '''class Url:
    def __init__(self, text):
        self.text = text

    def child(self, name):
        """
        >>> url = Url("a")
        >>> url.child("b").to_text()
        'a/b'
        >>> child = url.child("c")
        >>> child.to_text()
        'a/c'
        >>> print(url.child("d").to_text())
        a/d
        >>> url.to_text()
        'a'
        >>> url.child("e").parts.copy()
        ['a', 'e']
        """
        return Url(f"{self.text}/{name}")

    @property
    def parts(self):
        return self.text.split("/")

    def to_text(self):
        return self.text

    def clear(self):
        """
        >>> url = Url("b")
        >>> url.clear()
        >>> url == Url("")
        True
        """
        self.text = ""

    def __eq__(self, other):
        return self.text == other.text
'''
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    found = [(one.act, one.subject) for one in example_trials(facts, context.index) if one.wanted]
    assert found == [
        ("url.child('b').to_text()", "Url.child"),
        ("child.to_text()", "Url.child"),
        ("url.child('d').to_text()", "Url.child"),
        ("print(url.child('d').to_text())", "Url.child"),
        ("url.to_text()", "Url.to_text"),
        ("url.child('e').parts.copy()", "Url.child"),
        ("url == Url('')", "Url.clear"),
    ]


def test_usage_is_the_same_each_time(project):
    assert sequences(project) == sequences(project)
    trials = list(find_usage(project, find_layout(project), facts_of(project, "shop/cart.py")).trials)
    assert distinct_trials(trials) == trials


def test_relative_imports_below_an_import_root_are_named_from_that_root(tmp_path):
    project = write_project(
        tmp_path,
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": CART,
            "src/shop/desk.py": "from .cart import price\n\ndef run():\n    return price(11, rate=0.25)\n",
        },
    )
    found = find_usage(project, find_layout(project), facts_of(project, "src/shop/cart.py")).trials
    assert [(one.act, one.imports) for one in found] == [("price(11, rate=0.25)", ("from shop.cart import price",))]


def test_examples_that_hand_an_object_of_the_module_to_other_code_are_about_its_class(tmp_path):
    source = '''
class Rule:
    """A rule.

    >>> import json
    >>> rule = Rule({"size": int})
    >>> json.dumps("a", default=rule)
    '"a"'
    >>> result = json.dumps("b", default=rule)
    >>> result
    '"b"'
    >>> assert json.dumps("c", default=rule) == '"c"'
    """

    def __init__(self, shape):
        self.shape = shape
'''
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")

    found = {trial.act: trial for trial in example_trials(facts, context.index)}

    wanted = {act: (one.subject, one.wanted) for act, one in found.items() if act.startswith("json")}
    assert wanted["json.dumps('a', default=rule)"] == ("Rule", "'\"a\"'\n")
    assert wanted["json.dumps('c', default=rule) == '\"c\"'"] == ("Rule", "True")
    assert found["json.dumps('a', default=rule)"].arrange == ("rule = Rule({'size': int})",)
    assert "json.dumps('b', default=rule)" in wanted


def test_examples_of_private_methods_are_no_tests_of_the_class(tmp_path):
    source = '''
class Resolver:
    """Resolves.

    >>> resolver = Resolver()
    >>> list(resolver._slices([1, 2]))
    [[1, 2], [1]]
    """

    def __init__(self):
        self.kept = []

    def _slices(self, items):
        yield items
        yield items[:1]
'''
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert [trial.act for trial in example_trials(facts, context.index)] == ["Resolver()"]


def test_a_documented_call_of_an_inherited_method_is_about_the_member_that_completes_it(tmp_path):
    files = {
        "shop/__init__.py": "from .safe import Safe\n",
        "shop/base.py": "class Base:\n    def dumps(self, value):\n        return self.dump_payload(value)\n",
        "shop/safe.py": "from .base import Base\n\n\nclass Safe(Base):\n"
        "    def dump_payload(self, value):\n        return repr(value)\n",
        "README.md": "```python\nfrom shop import Safe\nsafe = Safe()\nprint(safe.dumps([1]))\n# [1]\n```\n",
    }
    root = write_project(tmp_path, files)
    layout, facts = find_layout(root), facts_of(root, "shop/safe.py")

    found = [(trial.subject, trial.arrange, trial.act) for trial in find_usage(root, layout, facts).trials]

    assert found == [("Safe.dump_payload", ("safe = Safe()",), "safe.dumps([1])")]


def test_a_call_that_is_printed_changes_its_object_for_the_examples_after_it(tmp_path):
    source = '''
class Stack:
    """Holds items.

    >>> stack = Stack([1, 2])
    >>> print(stack.pop())
    2
    >>> print(len(stack.items))
    1
    >>> stack.size()
    1
    """

    def __init__(self, items):
        self.items = items

    def pop(self):
        return self.items.pop()

    def size(self):
        return len(self.items)
'''
    facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")

    found = {trial.act: trial.arrange for trial in example_trials(facts, context.index)}

    assert found["stack.size()"] == ("stack = Stack([1, 2])", "stack.pop()")


@pytest.mark.parametrize(
    ("base", "member", "shown"),
    [
        ("Base", "total", "safe.total_price"),
        ("Base", "get_value", "safe.get_all()"),
        ("Base", "get_value", "safe.get"),
        ("dict", "get_value", "safe.get('a')"),
        ("object", "get_value", "safe.get('a')"),
    ],
)
def test_what_only_shares_a_word_with_a_member_is_not_about_it(tmp_path, base, member, shown):
    method = f"    def {member}(self, name):\n        return 1\n"
    files = {
        "shop/__init__.py": "from .safe import Safe\n",
        "shop/base.py": "class Base:\n    pass\n",
        "shop/safe.py": f"from .base import Base\n\n\nclass Safe({base}):\n{method}",
        "README.md": f"```python\nfrom shop import Safe\nsafe = Safe()\nprint({shown})\n# 1\n```\n",
    }
    root = write_project(tmp_path, files)
    layout, facts = find_layout(root), facts_of(root, "shop/safe.py")

    assert f"Safe.{member}" not in {trial.subject for trial in find_usage(root, layout, facts).trials}


def test_a_fixture_that_nothing_names_any_more_is_left_out():
    stopped = "monkeypatch.setattr('shop.time', now)"
    trial = Trial("clear", "cart.clear()", arrange=("cart = Cart()",), fixtures=("monkeypatch",))
    finding = TrialFinding(trial, Observation("returned"))
    patched = replace(finding, trial=replace(trial, arrange=(stopped, *trial.arrange)))

    assert without_unrelated(finding).trial.fixtures == ()
    assert without_unrelated(patched).trial.fixtures == ("monkeypatch",)


def test_a_function_named_like_its_package_is_called_by_both_names_in_one_document(tmp_path):
    page = "```python\nfrom caps import caps\ncaps.caps('a', up=True)\n```\n"
    root = write_project(
        tmp_path, {"caps/__init__.py": "def caps(text, up=False):\n    return text\n", "README.md": page}
    )
    layout, facts = find_layout(root), facts_of(root, "caps/__init__.py")

    assert [trial.act for trial in find_usage(root, layout, facts).trials] == ["caps('a', up=True)"]


def test_what_was_done_to_a_variable_before_it_is_bound_anew_is_no_part_of_an_example(tmp_path):
    page = "```python\nfrom bag import Bag\nb = Bag()\nb.add(1)\n```\n```python\nb = Bag(2)\nprint(b.add(5))\n```\n"
    code = "class Bag:\n    def __init__(self, size=1):\n        pass\n\n    def add(self, one):\n        return one\n"
    root = write_project(tmp_path, {"bag.py": code, "README.md": page})
    layout, facts = find_layout(root), facts_of(root, "bag.py")

    found = [
        (trial.arrange, trial.act) for trial in find_usage(root, layout, facts).trials if trial.subject == "Bag.add"
    ]

    assert found == [(("b = Bag()",), "b.add(1)"), (("b = Bag(2)",), "b.add(5)")]


def test_a_call_with_variables_says_what_its_other_arguments_are(tmp_path):
    main = "from .cart import price\nfrom . import rates\n\n\ndef run(order):\n"
    main += "    return price(order.amount, rate=rates.LOW)\n"
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": CART,
        "shop/rates.py": "LOW = 0.25\n",
        "shop/main.py": main + "\n\ndef other(price):\n    return order.price(4)\n",
    }
    root = write_project(tmp_path, files)
    usage = find_usage(root, find_layout(root), facts_of(root, "shop/cart.py"))
    assert [(one.act, one.imports) for one in usage.calls] == [
        ("price(order_variable.amount, rate=rates.LOW)", ("from shop import rates", "from shop.cart import price"))
    ]
    _, context = context_of(root, "shop/cart.py")
    assert [one.source for one in context.values.known["price", "rate"]] == ["rates.LOW"]


def test_a_variable_with_the_name_of_a_builtin_or_a_module_says_nothing(tmp_path):
    main = "from .cart import price\n\n\ndef run(id, string):\n    return price(id, rate=string)\n"
    files = {"shop/__init__.py": "", "shop/cart.py": CART, "shop/main.py": main}
    root = write_project(tmp_path, files)
    _, context = context_of(root, "shop/cart.py")
    known = [one.source for name in ("amount", "rate") for one in context.values.known.get(("price", name), ())]
    assert known
    assert not {"id", "string"} & set(known)


def test_a_function_that_returns_a_part_of_an_object_makes_none(tmp_path):
    source = """
class Span:
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __sub__(self, by):
        return Span(self.start - by, self.end - by)

    def __neg__(self):
        return Span(-self.end, -self.start)

    @property
    def width(self):
        return self.end - self.start


def width(start, end):
    return Span(start, end).width
"""
    page = (
        ">>> from pkg.spans import Span, width\n>>> width(1, 4) - 2\n>>> -Span(1, 3).width\n"
        ">>> wide = Span(1, 2).width + 3\n>>> wide - 1\n"
    )
    project = write_project(tmp_path, {"pkg/__init__.py": "", "pkg/spans.py": source, "README.md": page})
    found = find_usage(project, find_layout(project), facts_of(project, "pkg/spans.py")).trials
    assert {one.subject for one in found} == {"width", "Span.width"}


def test_the_objects_that_a_module_makes_itself_say_what_its_classes_are_made_of(tmp_path):
    source = """
class Zone:
    def __init__(self, hours, name):
        self.hours, self.name = hours, name

    def label(self):
        return f"{self.name} ({self.hours} h)"


EASTERN = Zone(-5, "Eastern")
PACIFIC = Zone(-8, "Pacific")
"""
    root = write_project(tmp_path, {"zones.py": source})
    facts, context = context_of(root, "zones.py")
    assert [one.source for one in context.values.known["Zone", "name"]] == ["'Eastern'", "'Pacific'"]
    assert context.values.of_class(facts, facts.classes[0])[0].source == "Zone(-5, 'Eastern')"
