"""Provides input files for a program: samples of the project, else files with the columns that its code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source, read_source_bytes
from ....utils.untrusted_folders import walk_files
from ...python.project.layout import Layout
from .arguments import ProgramArgument

_FORMATS = ("csv", "tsv", "json", "yaml", "yml", "toml", "xml", "ini", "html", "md", "txt", "sql", "py", "log")
_SAMPLES = re.compile(r"(^|/)(examples?|samples?|data|testdata|fixtures|tests?|docs?)(/|$)")
_COLUMNS = re.compile(r"columns?\s*:?\s+((?:[\w-]+(?:,\s*|\s+and\s+))*[\w-]+)", re.IGNORECASE)
_LARGEST = 2_000
_MOST_SAMPLES = 3
_WHOLE = ("12", "4", "30")
_DECIMAL = ("3.50", "12.00", "0.99")
_WORDS = ("apple", "banana", "cherry")


@dataclass(frozen=True, slots=True)
class InputFormats:
    """The columns and file formats that the code of some modules reads.

    Attributes:
        columns: keys, in order of appearance, with the converter that is put around each, or nothing.
        formats: file formats that the modules import a reader of, or write the ending of.
    """

    columns: tuple[tuple[str, str], ...] = ()
    formats: tuple[str, ...] = ()


def reading_of(root: Path, paths: Iterable[str]) -> InputFormats:
    """Reads the input formats from the code of some files; files that do not parse are ignored."""
    columns: dict[str, str] = {}
    formats: dict[str, None] = {}
    for path in paths:
        try:
            tree = parse_python(read_source_bytes(root, path), path)
        except (OSError, SyntaxError):
            continue
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        formats.update(
            (name, None) for name in _FORMATS if name in imported or (name == "toml" and "tomllib" in imported)
        )
        if "csv" in imported:
            columns.update((name, how) for name, how in _keys(tree) if name not in columns or how)
    return InputFormats(tuple(columns.items()), tuple(formats))


def _keys(tree: ast.Module) -> Iterable[tuple[str, str]]:
    """Constant keys of subscripts of a name that is bound in a loop, with what is called on the cell."""
    looped = {
        target.id
        for node in ast.walk(tree)
        for target in ([node.target] if isinstance(node, ast.For | ast.comprehension) else [])
        if isinstance(target, ast.Name)
    }
    converters: dict[ast.expr, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) == 1:
            converters[node.args[0]] = ast.unparse(node.func).rpartition(".")[2]
    found: list[tuple[int, int, str, str]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name) or node.value.id not in looped:
            continue
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            found.append((node.lineno, node.col_offset, node.slice.value, converters.get(node, "")))
    return [(name, how) for _, _, name, how in sorted(found)]


def input_files(
    argument: ProgramArgument,
    reading: InputFormats,
    samples: Sequence[tuple[str, str]],
    vocabulary: Sequence[str],
    shown: str = "",
) -> list[tuple[str, str]]:
    """Names and contents to try for an input file, the likeliest first.

    Args:
        samples: name and contents of files that the project has.
        vocabulary: words that the program's own documentation uses.
        shown: the name of a file that a document gives; its ending says what the file is.
    """
    ending = shown.rpartition(".")[2].lower()
    said = f"{argument.name} {argument.help}".lower()
    wanted = [name for name in _FORMATS if re.search(rf"\b{name}\b", said)] or list(reading.formats)
    wanted = [ending] if ending in _FORMATS else wanted
    kind = wanted[0] if wanted else "txt"
    stem = re.sub(r"\W+", "_", argument.name).strip("_").lower() or "input"
    name = stem if stem.endswith(f".{kind}") else f"{stem}.{kind}"
    found = [sample for sample in samples if sample[0].endswith(tuple(f".{each}" for each in wanted or [kind]))][
        :_MOST_SAMPLES
    ]
    if kind in ("csv", "tsv"):
        columns = _documented_columns(argument.help, reading) or list(reading.columns) or [("name", ""), ("age", "int")]
        separator = "\t" if kind == "tsv" else ","
        found.insert(0 if reading.columns else len(found), (name, _table(columns, vocabulary, separator)))
        found += [(f"broken_{name}", text) for text in _broken(columns, vocabulary, separator)]
    else:
        found += [(name, text) for text in _CONTENTS.get("yaml" if kind == "yml" else kind, _CONTENTS["txt"])]
    return found


_CONTENTS = {
    "txt": ("first line\nsecond line\nthird line\n", "1\n2\n3\n"),
    "json": (
        '{"name": "Ann", "items": [1, 2, 3]}\n',
        '[{"name": "Ann", "age": 31}, {"name": "Bob", "age": 27}]\n',
        '{"name": \n',
    ),
    "yaml": ("name: Ann\nitems:\n  - 1\n  - 2\n", "---\nname: Ann\n", "name: [Ann\n"),
    "toml": ('name = "Ann"\nitems = [1, 2]\n\n[owner]\nage = 31\n', 'name = "Ann\n'),
    "ini": ("[section]\nname = Ann\n",),
    "xml": ('<items><item name="Ann">1</item><item name="Bob">2</item></items>\n',),
    "html": ("<html><body><h1>Title</h1><p>One <b>two</b></p></body></html>\n",),
    "md": ("# Title\n\nOne *two* [three](https://example.com).\n\n- a\n- b\n",),
    "sql": (
        "select a, b from t where a = 1 order by b\n",
        "SELECT id, count(*) FROM users u JOIN t ON u.id = t.id -- all\nGROUP BY id;\nUPDATE t SET a = 'x';\n",
    ),
    "py": ("import os\n\n\ndef half(number):\n    return number / 2\n",),
}


def _documented_columns(help_text: str, reading: InputFormats) -> list[tuple[str, str]]:
    match = _COLUMNS.search(help_text)
    if match is None:
        return []
    names = [part for part in re.split(r",\s*|\s+and\s+", match[1]) if part]
    known = dict(reading.columns)
    return [(name, known.get(name, "")) for name in names]


def _table(columns: Sequence[tuple[str, str]], vocabulary: Sequence[str], separator: str) -> str:
    words = tuple(dict.fromkeys((*vocabulary, *_WORDS)))[:3]
    rows = [separator.join(name for name, _ in columns)]
    for at in range(3):
        rows.append(separator.join(_cell(name, how, at, words) for name, how in columns))
    return "\n".join(rows) + "\n"


def _broken(columns: Sequence[tuple[str, str]], vocabulary: Sequence[str], separator: str) -> list[str]:
    """Invalid tables: without the last column, and with a word in place of a number."""
    whole = _table(columns, vocabulary, separator)
    cut = "".join(line.rpartition(separator)[0] + "\n" for line in whole.splitlines()[:2])
    spoilt = re.sub(rf"(?<={re.escape(separator)})\d[\d.]*(?=\n)", "many", "\n".join(whole.splitlines()[:2]) + "\n")
    return [text for text in ((cut if len(columns) > 1 else ""), spoilt) if text and text != whole]


def _cell(name: str, how: str, at: int, words: Sequence[str]) -> str:
    said = f"{name} {how}".lower()
    if how == "int" or (
        re.search(r"\b(count|number|quantity|pieces|age|year|size|amount|id)\b", said) and how != "float"
    ):
        return _WHOLE[at]
    if "date" in said:
        return ("2024-05-03", "2024-02-29", "2023-12-31")[at]
    if how in ("float", "Decimal") or re.search(r"price|cost|total|rate|sum|value|money|decimal", said):
        return _DECIMAL[at]
    return words[at]


def samples_of(layout: Layout) -> list[tuple[str, str]]:
    """Small text files that the project keeps as samples, by name; those in folders of examples first."""
    found: list[tuple[bool, str, str]] = []
    for path in sorted(walk_files(layout.root, lambda folder: folder.name[0] != "." and folder.name != "node_modules")):
        relative = path.relative_to(layout.root).as_posix()
        if relative.startswith(".") or "/." in relative or "node_modules" in relative or path.is_symlink():
            continue
        if path.suffix.lstrip(".") not in _FORMATS or path.suffix in (".py", ".md", ".html") or not path.is_file():
            continue
        if not _SAMPLES.search(PurePosixPath(relative).parent.as_posix()) or path.stat().st_size > _LARGEST:
            continue
        try:
            text = read_source(layout.root, relative)
        except (OSError, UnicodeDecodeError):
            continue
        if text and "\r" not in text:
            found.append(("test" in relative, path.name, text))
        if len(found) >= 60:
            break
    return [(name, text) for _, name, text in sorted(found)]
