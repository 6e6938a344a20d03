"""Cases that differ only in values become rows of one table."""

from __future__ import annotations

import ast
from dataclasses import replace

from testwright.engine.python.judge.case_tables import (
    MOST_ROWS,
    Group,
    cases_by_shape,
    merge_tables,
    read_group,
    tabulate,
)
from testwright.engine.python.model.spec_case import Case, SpecExpectation


def case(act: str, value: str = "1", *, statements: tuple[str, ...] = (), number: int = 0, **more: str) -> Case:
    """A case of `f` that expects a value."""
    expect = more.pop("expect", None) or SpecExpectation("equals", "result", value)
    subject = more.pop("subject", "f")
    return Case(f"tc_{number}", "title", subject, act, expect=(expect,), statements=statements, **more)  # pyrefly: ignore[bad-argument-type]


def test_arguments_and_values_become_columns() -> None:
    table = tabulate([case("f(1, 2)", "3"), case("f(2, 2)", "4")])

    assert table is not None
    assert table.columns == ("value", "expected")
    assert table.rows == (("1", "3"), ("2", "4"))
    assert table.template.expression == "f(value, 2)"
    assert table.template.expect[0].value == "expected"


def test_columns_are_called_like_the_parameters_they_go_to() -> None:
    names = ["low", "high"]

    table = tabulate([case("f(1, 2)"), case("f(2, 3)")], (), lambda call, at: names[at])

    assert table is not None
    assert table.columns == ("low", "high")


def test_a_text_that_stands_in_two_places_of_every_row_is_one_column() -> None:
    found = [case(f"f({text!r})", f"Page(Line({text!r}))") for text in ("apple", "pear")]

    table = tabulate(found, (), lambda call, at: "text" if ast.unparse(call.func) == "Line" else "url")

    assert table is not None
    assert table.columns == ("url",)
    assert table.template.expect[0].value == "Page(Line(url))"


def test_what_a_call_returns_and_its_object_keeps_is_one_column() -> None:
    def step(number: int, *answers: str) -> Case:
        kept = tuple(
            SpecExpectation("equals", name, one) for name, one in zip(("result", "it.at"), answers, strict=True)
        )
        return replace(case(f"it.f({number})"), expect=kept)

    same, apart, small = (
        tabulate([step(1, *first), step(2, *second)])
        for first, second in (
            (("1264395000", "1264395000"), ("1264737600", "1264737600")),
            (("1264395000", "1264395000"), ("1264737600", "1264737601")),
            (("3", "3"), ("4", "4")),
        )
    )

    assert same is not None
    assert apart is not None
    assert small is not None
    assert same.columns == ("value", "expected")
    assert [one.value for one in same.template.expect] == ["expected", "expected"]
    assert [len(one.columns) for one in (apart, small)] == [3, 3]


def test_names_given_for_the_columns_win() -> None:
    table = tabulate([case("f(1)", "3"), case("f(2)", "4")], ("price", "sum"))

    assert table is not None
    assert table.columns == ("price", "sum")


def test_keywords_give_their_names_and_arranged_values_theirs() -> None:
    rows = [
        case("cart.add(name='a')", statements=("cart = Cart(1)", "items = [1]")),
        case("cart.add(name='b')", statements=("cart = Cart(1)", "items = [2]")),
    ]

    table = tabulate(rows)

    assert table is not None
    assert table.columns == ("items", "name")
    assert table.template.statements == ("cart = Cart(1)",)


def test_a_variable_that_is_changed_afterwards_is_assigned_from_its_column() -> None:
    rows = [
        case("len(items)", statements=("items = [1]", "items += [5]")),
        case("len(items)", statements=("items = [2, 3]", "items += [5]")),
    ]

    table = tabulate(rows)

    assert table is not None
    assert table.columns == ("items_value",)
    assert table.template.statements == ("items = items_value", "items += [5]")


def test_several_nameless_arguments_are_told_in_order() -> None:
    table = tabulate([case("f(1, 2)"), case("f(2, 3)")])

    assert table is not None
    assert table.columns == ("first", "second")


def test_short_texts_with_line_breaks_stand_in_rows_and_long_ones_alone() -> None:
    short = [case(f"f({text!r})", number=at) for at, text in enumerate(("a\n", "b\nc"))]
    long = [case(f"f({(text * 20)!r})", number=at) for at, text in enumerate(("ab\ncd", "ef\ngh"), 2)]

    assert [len(bucket) for bucket in cases_by_shape([*short, *long])] == [2, 1, 1]


def test_a_column_never_hides_a_name_the_test_reads() -> None:
    table = tabulate([case("f(1, value)"), case("f(2, value)")])

    assert table is not None
    assert table.columns == ("value_value",)


def test_arguments_that_read_arranged_names_stay_in_the_test() -> None:
    one = case("f(cart, 1)", statements=("cart = Cart()",))
    two = case("f(cart, 2)", statements=("cart = Cart()",))

    table = tabulate([one, two])

    assert table is not None
    assert table.template.expression == "f(cart, value)"


def test_cases_of_different_shape_have_no_table() -> None:
    assert tabulate([case("f(1)"), case("f(1, 2)")]) is None
    assert tabulate([case("f(1)"), case("g(2)")]) is None
    assert tabulate([case("f(1)"), case("f(2)", expect=SpecExpectation("length", value="2"))]) is None  # pyrefly: ignore[bad-argument-type]
    assert tabulate([case("f(1)"), case("f(1)")]) is None


def test_messages_that_differ_become_a_column() -> None:
    demands = [SpecExpectation("raises", exception="ValueError", match=text) for text in ("too low", "too high")]
    rows = [case(f"f({at})", expect=demand) for at, demand in enumerate(demands)]  # pyrefly: ignore[bad-argument-type]

    table = tabulate(rows)

    assert table is not None
    assert table.columns == ("value", "message")
    assert [ast.literal_eval(row[1]) for row in table.rows] == ["too low", "too high"]


def test_many_rows_are_split_evenly_and_long_values_stand_alone() -> None:
    many = [case(f"f({at})", number=at) for at in range(MOST_ROWS + 2)]
    long = case(f"f({'x' * 300!r})")

    sizes = [len(one) for one in cases_by_shape([*many, long])]

    assert sizes == [13, 13, 1]


def test_a_group_carries_its_name_and_columns() -> None:
    group = Group("group_thousands", ("value", "expected"))

    assert group.text == "group_thousands__value__expected"
    assert read_group(group.text) == group


def test_the_state_of_an_object_afterwards_is_no_value_of_its_constructor() -> None:
    def row(key: str, number: int) -> Case:
        returned = SpecExpectation("equals", "result", f"Box([{key}, 1])")
        held = SpecExpectation("equals", "box", f"Box([{key}, 2])")
        act, statements = f"box.set({key})", ("box = Box()",)
        return Case(f"tc_{number}", "title", "f", act, expect=(returned, held), statements=statements)

    table = tabulate([row("3", 0), row("4", 1)], (), lambda call, at: "key")

    assert table is not None
    assert table.columns == ("key", "expected", "expected_state")
    assert [one.value for one in table.template.expect] == ["Box(expected)", "Box(expected_state)"]


def test_of_two_tables_that_are_merged_the_name_is_the_one_that_the_ids_begin_with() -> None:
    def row(case_id: str, act: str, group: str) -> Case:
        return Case(case_id, "title", "f", act, expect=(SpecExpectation("equals", "result", "1"),), group=group)

    host, block = row("tc_f_for_text_a", "f(1)", "f__value"), row("tc_f_for_text_b", "f(2)", "f_for_text__value")
    ((first, second),) = merge_tables([[host], [block]])

    assert {first.group, second.group} == {"f_for_text__value"}


def test_a_name_that_pytest_passes_itself_is_no_column() -> None:
    rows = [case("handle(request)", number=at, statements=(f"request = {at}",)) for at in (1, 2)]

    table = tabulate(rows)

    assert table is not None
    assert "request" not in table.columns
    assert table.template.statements == (f"request = {table.columns[0]}",)


def test_a_date_that_is_arranged_is_lifted_whole_not_by_its_year_and_day() -> None:
    days = ("datetime.datetime(2010, 1, 25)", "datetime.datetime(2013, 1, 30, 12)")
    cases = [
        case("days.of(base)", str(at), statements=(f"base = {day}", "days = Days(base)")) for at, day in enumerate(days)
    ]

    table = tabulate(cases)

    assert table is not None
    assert (table.columns, [row[0] for row in table.rows]) == (("base", "expected"), [*days])
    assert table.template.statements == ("days = Days(base)",)


def test_an_object_of_the_tested_class_is_made_in_the_test_though_a_standard_class_has_its_name() -> None:
    rows = [
        case("path.name()", f"'{name}'", statements=(f"path = Path('{name}', {at})",), subject="Path.name")
        for at, name in enumerate("ab")
    ]
    given = [case(f"f(Path('{name}', {at}))", f"'{name}'") for at, name in enumerate("ab")]
    own, other = tabulate(rows), tabulate(given)

    assert own is not None
    assert own.template.statements[0].startswith("path = Path(first_path, ")
    assert other is not None
    assert other.rows[0] == ("Path('a', 0)", "'a'")


def test_many_arguments_of_one_call_are_lifted_all_or_not_at_all() -> None:
    some = [case("v1.mset(0, 11, 2, 33)", "1"), case("v1.mset(3, 0, 3, 33)", "2")]
    each = [case("v1.mset(0, 11, 2, 33)", "1"), case("v1.mset(3, 0, 5, 34)", "2")]

    assert tabulate(some) is None
    assert tabulate(each) is not None
