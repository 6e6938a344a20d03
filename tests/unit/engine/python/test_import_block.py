"""A test file imports what it uses, once, in the usual order."""

from __future__ import annotations

import subprocess

import pytest
from ruff.__main__ import find_ruff_bin  # pyrefly: ignore[implicit-reexport] - ruff 0.9 has it only there

from testwright.engine.python.facts.names import ImportNames, imported_from_origin
from testwright.engine.python.model.model import ModuleFacts
from testwright.engine.python.model.spec_case import SpecExpectation
from testwright.engine.python.source.import_block import import_block

STATEMENTS = (
    "from shop.cart import total",
    "from shop.cart import Cart, LIMIT",
    "import pytest",
    "import re",
    "from datetime import timedelta",
    "from datetime import date as day",
    "import shop.money",
    "import os.path",
)
CODE = "pytest.x(re, Cart, LIMIT, total, timedelta, day, shop.money.Money, os.path.join)"


def test_imports_are_merged_and_sorted_in_sections() -> None:
    assert import_block(STATEMENTS, code=CODE, first_party="shop").splitlines() == [
        "import os.path",
        "import re",
        "from datetime import date as day",
        "from datetime import timedelta",
        "",
        "import pytest",
        "",
        "import shop.money",
        "from shop.cart import LIMIT, Cart, total",
    ]


def test_ruff_finds_nothing_to_sort() -> None:
    text = import_block(STATEMENTS, code=CODE, first_party="shop") + "\n\n" + CODE + "\n"
    arguments = [
        "check",
        "--isolated",
        "--select",
        "I,F401",
        "--config",
        "lint.isort.known-first-party = ['shop']",
        "-",
    ]

    done = subprocess.run([find_ruff_bin(), *arguments], input=text.encode(), capture_output=True, check=False)

    assert done.returncode == 0, done.stdout.decode()


def test_what_is_not_used_is_not_imported() -> None:
    assert import_block(STATEMENTS, code="re.escape(Cart)", first_party="shop").splitlines() == [
        "import re",
        "",
        "from shop.cart import Cart",
    ]


def test_a_package_is_not_imported_beside_its_module() -> None:
    assert import_block(["import a", "import a.b"], code="a.b.c(a)", first_party="") == "import a.b"


def adopt(names: ImportNames, act: str, *imports: str, value: str = "1", value_imports: tuple[str, ...] = ()) -> str:
    """The act and the expected value as the file will have them."""
    expect = (SpecExpectation("equals", "result", value),)
    source = names.adopt((), act, imports, expect, value_imports)
    return f"{source.expression} == {source.expect[0].value}"


def test_a_name_with_two_meanings_gets_two_names() -> None:
    names = ImportNames()

    text = adopt(
        names,
        "ago(datetime(2024, 1, 1))",
        "from shop.times import ago",
        "from datetime import datetime",
        value="datetime.timedelta(1)",
        value_imports=("import datetime",),
    )

    assert text == "ago(datetime(2024, 1, 1)) == datetime_module.timedelta(1)"
    assert "import datetime as datetime_module" in names.statements()


def test_members_of_a_standard_module_are_reached_through_it_where_it_is_imported() -> None:
    names = ImportNames(["import datetime", "from datetime import datetime"])

    first = adopt(names, "ago(datetime(2024, 1, 1))", "from shop.times import ago", "from datetime import datetime")
    second = adopt(names, "ago(dt.date(2024, 1, 1))", "from shop.times import ago", "import datetime as dt")

    assert first == "ago(datetime.datetime(2024, 1, 1)) == 1"
    assert second == "ago(datetime.date(2024, 1, 1)) == 1"
    assert names.statements() == ["from shop.times import ago", "import datetime"]


def test_a_target_called_like_a_test_is_not_collected() -> None:
    names = ImportNames()

    text = adopt(names, "test_connection(1)", "from shop.net import test_connection")

    assert text == "tested_test_connection(1) == 1"
    assert names.statements() == ["from shop.net import test_connection as tested_test_connection"]


def test_a_target_called_like_a_module_that_tests_use_gets_another_name() -> None:
    names = ImportNames()

    assert adopt(names, "re(1)", "from shop.mail import re") == "re_of_mail(1) == 1"


@pytest.mark.parametrize(
    ("statement", "origin"),
    [
        pytest.param("from spans import Span", "from spans.span import Span", id="from_the_package_above"),
        pytest.param("from spans.tree import date", "from datetime import date", id="from_the_target"),
        pytest.param("from other import Span", "from other import Span", id="from_elsewhere"),
        pytest.param("from spans import Span as S", "from spans import Span as S", id="under_another_name"),
    ],
)
def test_a_name_that_the_target_imports_comes_from_where_it_takes_it(statement: str, origin: str) -> None:
    imports = (("Span", "from spans.span import Span"), ("date", "from datetime import date"))
    facts = ModuleFacts("spans/tree.py", "spans.tree", ".", "", imports=imports)

    assert imported_from_origin([statement], facts) == [origin]
