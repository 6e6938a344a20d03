"""No variable of a test hides what its file imports (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.write.local_names import with_names_of_classes, with_own_names

pytestmark = pytest.mark.feature("B-16")


def case(*statements: str, expression: str, actual: str = "result", value: str = "1") -> Case:
    return Case(
        "tc_call", "Calls", "Jaro.__call__", statements=statements, expression=expression,
        expect=(SpecExpectation("equals", actual, value),),
    )  # fmt: skip


def test_a_variable_with_the_name_of_an_import_is_told_from_it_wherever_it_is_read() -> None:
    given = case("jaro = Jaro()", "jaro.learn('jaro')", expression="jaro('kitten')", actual="jaro.words", value="jaro")

    found = with_own_names(given, {"Jaro", "jaro"})

    assert found.statements == ("new_jaro = Jaro()", "new_jaro.learn('jaro')")
    assert found.expression == "new_jaro('kitten')"
    assert [(one.actual, one.value) for one in found.expect] == [("new_jaro.words", "jaro")]


def test_what_is_made_of_no_class_gets_an_article_and_no_name_twice() -> None:
    given = case("url = 'https://example.com'", "a_url = 3", expression="parse(url, a_url)")

    assert with_own_names(given, {"url", "parse"}).statements == ("a_url_2 = 'https://example.com'", "a_url = 3")


def test_other_variables_keep_their_names() -> None:
    given = case("jaro = Jaro()", expression="jaro('kitten')")

    assert with_own_names(given, {"Jaro"}) is given


def test_a_function_of_the_test_is_renamed_where_it_is_defined_too() -> None:
    given = case("def double(text):\n    return text * 2", expression="apply(double, 'text')")

    found = with_own_names(given, {"apply", "double", "text"})

    assert found.statements[0].startswith("def a_double(")
    assert found.expression == "apply(a_double, 'text')"


def test_an_object_is_named_for_its_own_class_and_not_for_its_base() -> None:
    given = case("abstract_heap = BinaryHeap()", "abstract_heap.insert(1)", expression="abstract_heap.min_child(6)")

    found = with_names_of_classes(given, {"BinaryHeap": ("AbstractHeap",)})

    assert found.statements == ("binary_heap = BinaryHeap()", "binary_heap.insert(1)")
    assert found.expression == "binary_heap.min_child(6)"
    assert with_names_of_classes(given, {"BinaryHeap": ()}) is given


def test_an_object_whose_name_is_right_for_its_class_keeps_it_though_the_base_has_the_same_one() -> None:
    given = case("stack = Stack()", expression="stack.push(1)")

    assert with_names_of_classes(given, {"Stack": ("_Stack",)}) is given


def test_a_variable_that_holds_an_object_of_the_base_first_keeps_its_name() -> None:
    given = case("base = Base()", "base = Child(base)", expression="base.push(1)")

    assert with_names_of_classes(given, {"Child": ("Base",)}) is given


def test_an_object_is_named_for_its_class_though_what_is_checked_is_no_python() -> None:
    given = case("base = Child()", expression="base.push(1)", actual="the printed text")

    assert with_names_of_classes(given, {"Child": ("Base",)}).expression == "child.push(1)"
