"""Renders a spec as a test file for Jest: a `describe` for each function, tables where calls differ in values only."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ...utils.generated_header import with_header
from .domain.value_pools import quoted_text
from .layout import WIDTH, laid_out
from .titles import SHOWABLE, Case, is_shown, outcome_text, row_title, title_of, verb_of

Spec = Mapping[str, Any]
_LEAST_ROWS = 2
_LONGEST_CALL = 60
_LONGEST_SHOWN = 40
_KEPT_SUFFIXES = (".mjs", ".cjs", ".mts", ".cts", ".json")
_DECLARED = re.compile(r"^const (\w+) =", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class RenderedTest:
    """One test of the file: its full name in Jest, and the case that it is."""

    name: str
    case_id: str


def render_jest(spec: Spec, test_path: str) -> str:
    """The test file of a spec; the same spec gives the same bytes.

    Args:
        test_path: POSIX, relative to the project, as the module's path in the spec.
    """
    lines = [*_globals(spec), *import_lines(spec, test_path), *described_cases(spec)]
    return with_header("\n".join(lines), target=str(spec["target"]["path"]), comment="//")


def described_cases(spec: Spec) -> Iterator[str]:
    """The lines of the tests, in a `describe` for each subject."""
    for subject, cases in _by_subject(spec):
        yield from ("", f"describe({_quoted(subject)}, () => {{")
        for at, block in enumerate(_blocks(subject, cases)):
            yield from ["", *block.lines] if at else block.lines
        yield "});"


def rendered_tests(spec: Spec) -> list[RenderedTest]:
    """The tests of the file by their names in Jest, in its order."""
    found = []
    for subject, cases in _by_subject(spec):
        for block in _blocks(subject, cases):
            found += [RenderedTest(f"{subject} {title}", case_id) for title, case_id in block.tests]
    return found


@dataclass(frozen=True, slots=True)
class _Block:
    lines: list[str]
    tests: list[tuple[str, str]]


def _by_subject(spec: Spec) -> Iterator[tuple[str, list[Case]]]:
    groups: dict[str, list[Case]] = {}
    for case in spec.get("cases") or ():
        groups.setdefault(str(case["subject"]), []).append(case)
    yield from groups.items()


def _blocks(subject: str, cases: Sequence[Case]) -> Iterator[_Block]:
    """Tables of cases that differ in values only, and single tests."""
    tables: dict[tuple[Any, ...], list[Case]] = {}
    for case in cases:
        tables.setdefault(_form(case), []).append(case)
    for rows in tables.values():
        if len(rows) >= _LEAST_ROWS:
            yield _table(rows)
        else:
            yield _single(rows[0])


def _form(case: Case) -> tuple[Any, ...]:
    """What cases of one table have in common."""
    act, expect = case["act"], case["expect"]
    one = expect[0]
    alone = len(expect) == 1 and one.get("actual", "result") == "result"
    statements = tuple((case.get("arrange") or {}).get("statements") or ())
    # What the test makes itself cannot stand in a row.
    made = {name for name in _DECLARED.findall("\n".join(statements)) if name in act["arguments"]}
    if not alone or made or not act["arguments"] or "..." in "".join(act["arguments"]):
        return (case["id"],)
    matcher = _matcher(one, one.get("value", ""))[0] if one["kind"] != "throws" else "throws"
    shown = is_shown(one)
    return (
        act["callee"],
        act.get("mode", "call"),
        len(act["arguments"]),
        statements,
        matcher,
        shown,
        one.get("error"),
        one["kind"],
    )


def _single(case: Case) -> _Block:
    act, title = case["act"], title_of(case)
    statements: list[str] = list((case.get("arrange") or {}).get("statements") or ())
    names = _changed_arguments(case)
    arguments = list(act["arguments"])
    if len(_call(act, arguments)) > _LONGEST_CALL:
        # Long arguments get names, so that act and expectation can be read at a glance.
        long = {at: name for at, name in enumerate(_column_names(act)) if len(arguments[at]) > _LONGEST_SHOWN}
        names = {**long, **names}
    for at, name in names.items():
        statements.append(f"const {name} = {arguments[at]};")
        arguments[at] = name
    body: list[str] = [_statement(one) for one in statements]
    call = _call(act, arguments)
    body += ([""] if statements else []) + list(_assertions(case, call))
    wait = "async " if any("await " in line for line in body) else ""
    lines = [
        f"  test({_quoted(title)}, {wait}() => {{",
        *(f"    {line}" if line else "" for part in body for line in part.split("\n")),
        "  });",
    ]
    return _Block(lines, [(title, str(case["id"]))])


def _table(rows: Sequence[Case]) -> _Block:
    first = rows[0]
    act, one = first["act"], first["expect"][0]
    names = _column_names(act)
    throws = one["kind"] == "throws"
    by_message = throws and any(row["expect"][0].get("message") != one.get("message") for row in rows)
    # What has a matcher of its own, such as toBeNull(), stands in no column.
    fixed = not throws and _matcher(one, str(one["value"]))[1] is not None
    shown = is_shown(one) and not throws and not fixed
    # What all conditions begin with stands in the title.
    common = "for " if all(str(row["condition"]).startswith("for ") for row in rows) else ""
    lines, tests = ["  test.each(["], []
    for row in rows:
        fields = {"condition": _quoted(str(row["condition"]).removeprefix(common))}
        fields |= dict(zip(names, row["act"]["arguments"], strict=True))
        expected = row["expect"][0]
        if not throws and not fixed:
            fields["expected"] = str(expected["value"])
        elif by_message:
            fields["message"] = _quoted(str(expected.get("message") or ""))
        source = f"{{ {', '.join(_pair(name, value) for name, value in fields.items())} }}"
        lines.append(f"    {laid_out(source, column=4, indent=4)},")
        tests.append((row_title(row, shown=shown), str(row["id"])))
    outcome = outcome_text(first)
    title = f"{verb_of(first)} $expected {common}$condition" if shown else f"{outcome} {common}$condition"
    columns = [*names, *(["expected"] if not throws and not fixed else ["message"] if by_message else [])]
    call = _call(act, names)
    if throws:
        body = list(
            _throwing(
                call,
                one,
                message="message" if by_message else _quoted(str(one.get("message") or "")),
                awaited=act.get("mode") == "await",
            )
        )
    else:
        body = [
            _expect(
                call,
                one,
                "expected",
                str(first["expect"][0]["value"]),
                shown_all=[str(row["expect"][0]["value"]) for row in rows],
            )
        ]
    statements = [_statement(each) for each in (first.get("arrange") or {}).get("statements") or ()]
    body = [*statements, *([""] if statements else []), *body]
    wait = "async " if any("await " in line for line in body) else ""
    lines.append(f"  ])({_quoted(title)}, {wait}({{ {', '.join(columns)} }}) => {{")
    lines += [f"    {line}" if line else "" for part in body for line in part.split("\n")]
    lines.append("  });")
    return _Block(lines, tests)


def _changed_arguments(case: Case) -> dict[int, str]:
    """Names of the arguments that the call changes, and that are looked at afterwards."""
    names = list(case["act"].get("parameters") or ())
    wanted = {str(one.get("actual")) for one in case["expect"]}
    return {at: name for at, name in enumerate(names) if name in wanted}


def _column_names(act: Mapping[str, Any]) -> list[str]:
    taken = {"expected", "condition", "message", *_WORD.findall(str(act["callee"]))[:1]}
    names: list[str] = []
    given = list(act.get("parameters") or ()) or [f"value{at}" for at, _ in enumerate(act["arguments"], 1)]
    for name in given:
        wanted = f"{name}Argument" if name in taken or name in names or name in _RESERVED else name
        names.append(wanted)
    return names


_RESERVED = frozenset(
    "class default delete function new in if for return switch this typeof var void while with test it expect describe "
    "jest beforeEach afterEach beforeAll afterAll xit fit xtest xdescribe fdescribe require module exports".split()
)


def _call(act: Mapping[str, Any], arguments: Sequence[str]) -> str:
    mode = act.get("mode", "call")
    if mode == "get":
        return str(act["callee"])
    called = f"{act['callee']}({', '.join(arguments)})"
    return f"await {called}" if mode == "await" else f"[...{called}]" if mode == "spread" else called


def _assertions(case: Case, call: str) -> Iterator[str]:
    """The act and what it is expected to give."""
    mode = case["act"].get("mode", "call")
    result = [one for one in case["expect"] if one.get("actual", "result") == "result"]
    others = [one for one in case["expect"] if one not in result]
    if others and result and result[0]["kind"] != "throws":
        yield _statement(f"const result = {call};")
        yield ""
        call = "result"
    elif others:
        yield _statement(f"{call};")
        yield ""
    for one in result:
        if one["kind"] == "throws":
            yield from _throwing(
                call.removeprefix("await "),
                one,
                message=_quoted(str(one.get("message") or "")),
                awaited=mode == "await",
            )
        else:
            yield _expect(call, one, str(one["value"]), str(one["value"]))
    for one in others:
        yield _expect(str(one["actual"]), one, str(one["value"]), str(one["value"]))


def _throwing(call: str, one: Mapping[str, Any], *, message: str, awaited: bool) -> Iterator[str]:
    call = call.removeprefix("await ")
    wanted = [str(one["error"])] if one.get("error") else []
    wanted += [message] if one.get("message") else []
    wanted = wanted or [""]
    if awaited:
        for what in wanted:
            yield f"await expect({call}).rejects.toThrow({what});"
    elif len(wanted) == 1:
        yield f"expect(() => {call}).toThrow({wanted[0]});"
    else:
        yield _statement(f"const act = () => {call};")
        yield ""
        for what in wanted:
            yield f"expect(act).toThrow({what});"


def _expect(call: str, one: Mapping[str, Any], shown: str, value: str, shown_all: Sequence[str] = ()) -> str:
    name, plain = _matcher(one, value)
    if shown_all and any(other != shown_all[0] for other in shown_all) and plain is not None:
        # Rows differ: the value stands in the row.
        name, plain = "toBe", None
    inside = shown if plain is None else plain
    if name == "toBeCloseTo":
        inside = f"{inside}, 8"
    head = f"expect({call})"
    if len(head) + 4 > WIDTH - 20:
        head = laid_out(head, column=4, indent=4)
        head = head.replace("\n    ", "\n")
    text = f"{head}.{name}({inside});"
    return (
        text
        if len(text) + 4 <= WIDTH
        else f"{head}.{name}({laid_out(inside, column=4 + len(head) + len(name) + 2, indent=0)});"
    )


def _matcher(one: Mapping[str, Any], value: str) -> tuple[str, str | None]:
    """The matcher, and its argument where it is not the value: toBeNull()."""
    if one["kind"] == "close":
        return "toBeCloseTo", None
    fixed = {"undefined": "toBeUndefined", "null": "toBeNull", "NaN": "toBeNaN"}.get(value)
    if fixed:
        return fixed, ""
    plain = (
        SHOWABLE.fullmatch(value) or value[:1] in "'\"`" or re.fullmatch(r"-?[\d.]+(?:e[+-]?\d+)?n?|-?Infinity", value)
    )
    return ("toBe" if plain else "toEqual"), None


def _statement(source: str) -> str:
    """A statement, laid out where it is too long."""
    if len(source) + 4 <= WIDTH:
        return source
    head, equals, value = source.partition(" = ")
    ends = value.endswith(";")
    if equals and head.startswith(("const ", "let ")):
        shown = laid_out(value.removesuffix(";"), column=4 + len(head) + 3, indent=0)
        return f"{head} = {shown}{';' if ends else ''}"
    return f"{laid_out(source.removesuffix(';'), column=4, indent=0)};"


def _pair(name: str, value: str) -> str:
    return name if name == value else f"{name}: {value}"


def _globals(spec: Spec) -> Iterator[str]:
    target = spec["target"]
    if target.get("unchecked"):
        # In a table `'gold'` is any text, and a compiler that checks types would refuse the whole file for it.
        yield "// @ts-nocheck: values in tables have wider types than the parameters that take them"
    if target.get("import"):
        yield "import { describe, expect, test } from '@jest/globals';"


def import_lines(spec: Spec, test_path: str) -> Iterator[str]:
    """What the tests import of the module under test; nothing where they use none of its exports."""
    target = spec["target"]
    path = str(target["path"])
    place = posixpath.relpath(path, PurePosixPath(test_path).parent.as_posix())
    place = place if place.startswith(".") else f"./{place}"
    suffix = PurePosixPath(path).suffix
    typed = spec.get("language") == "typescript"
    if suffix not in _KEPT_SUFFIXES and (typed or target["system"] == "commonjs"):
        place = place.removesuffix(suffix)
    needed = _needed(spec)
    exports: Mapping[str, str] = target["exports"]
    default = next((own for name, own in exports.items() if name == "default" and own in needed), "")
    named = sorted(
        {
            name if name == own else f"{name} as {own}"
            for name, own in exports.items()
            if name != "default" and own in needed and own != default
        }
    )
    source = _quoted(place)
    if target["system"] == "commonjs":
        if default:
            yield f"const {default} = require({source});"
        if named:
            yield wrapped_names(True, ", ".join(one.replace(" as ", ": ") for one in named), source)
        return
    if not default and not named:
        return
    parts = ([default] if default else []) + ([f"{{ {', '.join(named)} }}"] if named else [])
    line = f"import {', '.join(parts)} from {source};"
    yield line if len(line) <= WIDTH or default else wrapped_names(False, ", ".join(named), source)


def wrapped_names(commonjs: bool, names: str, source: str) -> str:
    """What imports names from a source, over several lines where one is too long."""
    if commonjs:
        return _wrapped("const", names, f" = require({source});")
    return _wrapped("import", names, f" from {source};")


def _wrapped(head: str, names: str, tail: str) -> str:
    line = f"{head} {{ {names} }}{tail}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{head} {{", *(f"  {name}," for name in names.split(", ")), f"}}{tail}"])


def _needed(spec: Spec) -> set[str]:
    """Local names of exports that the tests use."""
    own = set(spec["target"]["exports"].values())
    used: set[str] = set()
    for case in spec.get("cases") or ():
        texts = [
            case["act"]["callee"],
            *case["act"]["arguments"],
            *((case.get("arrange") or {}).get("statements") or ()),
        ]
        texts += [str(one.get(part) or "") for one in case["expect"] for part in ("error", "actual")]
        for text in texts:
            # Names inside of texts, and properties, are no names of exports.
            bare = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "''", str(text))
            used |= set(re.findall(r"(?<![\w$.])[A-Za-z_$][\w$]*(?!\s*:)", bare))
    return own & used


def _quoted(text: str) -> str:
    return quoted_text(text)
