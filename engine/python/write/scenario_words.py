"""Names what scenarios show: `calls_load_once` by counted calls, `reads_what_save_wrote` by what came back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ....utils.names.case_names import snake_case
from ....utils.python_names import assigned_variable, assignments_in, last_name, loaded_names, names_of
from ....utils.python_source import (
    expression_or_none,
    literal_or,
    normalized,
    parse_expression,
    parse_or_none,
    shared_expression,
)
from ..facts.inverse_names import undoes
from ..model.spec_case import Case
from ..scenarios.drawn_results import FIRST_DRAW, is_seeded_text
from ..search.story_steps import is_filling
from ..source.moments import NOW

CALLS = "calls"
# So short a name of an argument says nothing in the name of a test.
_SHORT = 2


def scenario_words(cases: Sequence[Case]) -> Iterator[str]:
    """Generates what a test of one case shows by a scenario, in words; nothing for tables and other tests."""
    if len(cases) == 1:
        case = cases[0]
        yield from filter(
            None,
            (
                counted_words(case),
                undone_words(case),
                drawn_words(case),
                dropped_words(case),
                copied_words(case),
                spared_words(case),
                unchanged_words(case),
                linked_words(case),
            ),
        )


def linked_words(case: Case) -> str:
    """The attributes by which a test links objects of one class before it walks over them; empty for other tests."""
    nodes = _nodes(case.statements[1:])
    targets = [node.targets[0] for node in nodes if isinstance(node, ast.Assign)]
    names = dict.fromkeys(target.attr for target in targets if isinstance(target, ast.Attribute))
    walks = isinstance(parse_expression(case.expression), ast.List)
    return f"links_{'_and_'.join(names)}" if walks and names and len(targets) == len(nodes) else ""


def counted_words(case: Case) -> str:
    """How often a function of the test is called, and after what; empty for a test that counts no calls."""
    counted = expression_or_none(_equal_to(case, CALLS) or "")
    if not isinstance(counted, ast.List):
        return ""
    nodes = _nodes(case.statements)
    name = next((found for node in nodes if (found := _noting(node))), "")
    act = parse_expression(case.expression)
    if not name:
        return ""
    if isinstance(act, ast.List):
        made = assigned_variable(nodes[-1])
        return _repeated(act, len(counted.elts), name, _flag(made[1]) if made is not None else "")
    again = "_again" if len(counted.elts) > 1 else ""
    return f"calls_{name}{again}{_after(nodes, act)}"


def undone_words(case: Case) -> str:
    """What a test undoes with an object of the project; empty for other tests."""
    act = parse_expression(case.expression)
    if isinstance(act, ast.Compare) and len(act.ops) == 1 and isinstance(act.ops[0], ast.Eq):
        act = act.left
    if not isinstance(act, ast.Call) or len(act.args) != 1 or act.keywords:
        return ""
    given, last = act.args[0], parse_or_none(case.statements[-1]) if case.statements else None
    if isinstance(given, ast.Call) and last_name(given.func) == case.subject.rpartition(".")[2]:
        return ""  # what is asked of what the subject made is no way back
    if isinstance(given, ast.Call) and loaded_names(given) and undoes(last_name(act.func), last_name(given.func)):
        return f"reverses_{snake_case(last_name(given.func))}"
    writer = last.body[-1] if last is not None and last.body else None
    if "tmp_path" not in loaded_names(given) or not isinstance(writer, ast.Expr):
        return ""
    name = last_name(writer.value.func) if isinstance(writer.value, ast.Call) else ""
    return f"reads_what_{snake_case(name)}_wrote" if name and ast.unparse(given) in ast.unparse(writer) else ""


def drawn_words(case: Case) -> str:
    """What a test says of a result that chance decides; empty for other tests."""
    if not any(is_seeded_text(text) for text in (*case.statements, case.expression)):
        return ""
    act = parse_expression(case.expression)
    called = act.func.id if isinstance(act, ast.Call) and isinstance(act.func, ast.Name) else ""
    if called == "all":
        return "stays_in_range"
    if called in ("sorted", "len"):
        return {"sorted": "keeps_all_items", "len": "has_given_size"}[called]
    if not isinstance(act, ast.Compare):
        return ""
    if len(act.ops) == 2:
        return "stays_in_range"
    if isinstance(act.ops[0], ast.Eq):
        return "repeats_for_equal_seeds" if ast.unparse(act.comparators[0]) == FIRST_DRAW else ""
    words: dict[type[ast.cmpop], str] = {ast.In: "gives_a_member", ast.LtE: "gives_only_members"}
    return words.get(type(act.ops[0]), "")


def dropped_words(case: Case) -> str:
    """Which item gave place to the one that a test puts into a full object; empty for other tests."""
    shown = next(
        (one for one in case.expect if one.kind == "equals" and one.actual.startswith(("dict(", "list("))), None
    )
    held = literal_or((shown.value or "") if shown is not None else "", None)
    put_in = [_put_in(text) for text in (*case.statements[1:], case.expression)]
    items = [one for one in put_in if one]
    if not isinstance(held, dict | list) or not put_in[-1] or len(set(items)) != len(items) or items[-1] not in held:
        return ""
    gone = [one for one in items if one not in held]
    if len(gone) != 1 or len(items) - len(put_in) not in (0, -1):
        return ""
    read = next((text for text, item in zip(case.statements[1:], put_in, strict=False) if not item), "")
    if not read:
        return "drops_oldest_item" if gone == items[:1] else ""
    return "keeps_item_that_was_read" if repr(items[0]) in read and gone != items[:1] else ""


def _put_in(text: str) -> str:
    """The text that a statement puts into an object as an item, or as the key of one; empty for other statements."""
    tree = parse_or_none(text)
    node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    key: ast.expr | None = None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        key = node.targets[0].slice
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args:
        key = node.value.args[0] if is_filling(last_name(node.value.func)) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def copied_words(case: Case) -> str:
    """That a test changes a copy and looks at both objects; empty for other tests."""
    copied = re.compile(rf"(copied_\w+) = (\w+)\.{re.escape(case.subject.rpartition('.')[2])}\(\)")
    made = next((found for text in case.statements if (found := copied.fullmatch(text))), None)
    both = made is not None and {made[1], made[2]} <= set(loaded_names(parse_expression(case.expression)))
    return "leaves_original_alone" if both else ""


def spared_words(case: Case) -> str:
    """The flag with which a test calls a function that then leaves its argument alone; empty for other tests."""
    act = parse_expression(case.expression)
    if not isinstance(act, ast.List) or len(act.elts) != 2 or not isinstance(act.elts[1], ast.Name):
        return ""
    call, left = act.elts[0], act.elts[1].id
    flag = _flag(call)
    if not flag or left not in loaded_names(call):
        return ""
    made, both = assignments_in(case.statements).get(left), shared_expression(_equal_to(case, "result") or "")
    if made is None or not isinstance(both, ast.List) or not both.elts or ast.dump(both.elts[-1]) != ast.dump(made):
        return ""  # the call changed it, or nothing says that it did not
    return f"{flag}_leaves_{snake_case(left)}_alone"


def unchanged_words(case: Case) -> str:
    """That a test calls its subject and then finds the argument as it was; empty for other tests."""
    act = parse_expression(case.expression)
    call = expression_or_none(case.statements[-1]) if case.statements else None
    if not isinstance(act, ast.Name) or not isinstance(call, ast.Call) or act.id not in loaded_names(call):
        return ""
    made, shown = assignments_in(case.statements).get(act.id), _equal_to(case, "result")
    if made is None or last_name(call.func) != case.subject.rpartition(".")[2] or shown is None:
        return ""
    if normalized(shown) != ast.unparse(made):
        return ""  # the call changed it
    return f"leaves_{snake_case(act.id) if len(act.id) > _SHORT else 'its_argument'}_alone"


def restored_words(cases: Sequence[Case]) -> str:
    """Returns `reverses_encode` where each case passes what a call made and gets back what that call was given."""
    found: set[str] = set()
    for case in cases:
        act, one = parse_expression(case.expression), case.expect[0]
        inner = act.args[0] if isinstance(act, ast.Call) and act.args else None
        if (written := _undone_in_files(case)) and isinstance(act, ast.Call):
            found.add(written)
            continue
        if not isinstance(inner, ast.Call) or not inner.args or one.actual != "result" or one.kind != "equals":
            return ""
        if ast.unparse(inner.args[0]) != one.value or last_name(inner.func)[:1].isupper():
            return ""  # an object that gives back what it was made of is not undone
        if last_name(inner.func) == case.subject.rpartition(".")[2]:
            return ""  # what is asked of what the subject made is no way back
        found.add(snake_case(last_name(inner.func)))
    return f"reverses_{found.pop()}" if len(found) == 1 else ""


def _undone_in_files(case: Case) -> str:
    """The call before the act whose file the act restores; empty where a file differs from the one before."""
    given = [one.value for one in case.expect if one.kind == "equals" and ".read_" in one.actual]
    nodes = [parse_expression(text) for text in case.statements if expression_or_none(text) is not None]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    written = [ast.unparse(call.args[0]) for call in calls if last_name(call.func) == "write_text" and call.args]
    made = [call for call in calls if "tmp_path" in {name for one in call.args for name in names_of(one)}]
    return snake_case(last_name(made[-1].func)) if made and given and written and given[0] in written else ""


def _nodes(statements: Sequence[str]) -> list[ast.stmt]:
    return [node for text in statements if (tree := parse_or_none(text)) for node in tree.body]


def _equal_to(case: Case, actual: str) -> str | None:
    """The value that a test expects something to equal; None where it expects none."""
    return next((one.value for one in case.expect if one.kind == "equals" and one.actual == actual), None)


def _flag(call: ast.expr) -> str:
    """The flag that a call passes last by its name, in words: `without_copy`; empty for none."""
    last = call.keywords[-1] if isinstance(call, ast.Call) and call.keywords else None
    if last is None or not isinstance(last.value, ast.Constant) or not isinstance(last.value.value, bool):
        return ""
    return f"{'with' if last.value.value else 'without'}_{last.arg}"


def _repeated(act: ast.List, called: int, name: str, flag: str) -> str:
    """How often an act of several alike calls has the function called.

    Args:
        flag: that with which the object was made, in words; empty for none.
    """
    if called == 1:
        return f"calls_{name}_once"
    if called < len(act.elts):
        return f"calls_{name}_once_for_equal_arguments"
    last = act.elts[-1]
    option = last.keywords[-1].arg if isinstance(last, ast.Call) and last.keywords else ""
    with_option = f"with_{option}" if option else flag
    return f"{with_option}_calls_{name}_each_time" if with_option else f"calls_{name}_each_time"


def _after(nodes: list[ast.stmt], act: ast.expr) -> str:
    last = nodes[-1] if nodes else None
    if any(isinstance(node, ast.AugAssign) and ast.unparse(node.target) == NOW for node in nodes):
        return "_after_a_while"
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and ast.dump(last.value) != ast.dump(act):
        return f"_after_{snake_case(last_name(last.value.func))}"
    if any(isinstance(inner, ast.Raise) for node in nodes for inner in ast.walk(node)):
        return "_after_failure"
    return ""


def _noting(node: ast.stmt) -> str:
    """Name of the function below a statement that notes its calls; empty without one."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef) and f"{CALLS}.append(" in ast.unparse(inner):
            return snake_case(inner.name)
    return ""
