"""The arguments that a program's parser accepts, and values for them: plain ones, samples and made-up input files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source_bytes, source_or_empty
from ....utils.untrusted_folders import walk_files
from ...python.project.layout import Layout
from .file_formats import CONTENTS, ENDINGS, NAMED_FORMATS, endings_in, shape_names

Kind = Literal["text", "whole", "number", "date", "input", "output", "flag"]
_PATHLIKE = re.compile(
    r"(^|_)(file|path|filename|csv|json|yaml|yml|toml|xml|txt|document|infile|outfile|input|source)s?($|_)"
)
_WRITES = re.compile(
    r"\b(out|output|outfile|write|writes|written|save|saves|dest|destination|export|result)\b", re.IGNORECASE
)
_OUTPUT_FILE = re.compile(
    r"^(?:out|output|outfile): (?!.*\bfile (?:format|type|encoding|mode|names)\b).*\bfile(?:name)?\b", re.IGNORECASE
)
_READS = re.compile(r"(?:the |an? |one or more )?(?:input|source)\b", re.IGNORECASE)
_OF_A_FILE = re.compile(r"(?:^|_)(?:enc|encoding|charset|codec|format|type|mode|delimiter|separator)(?:\s|$)")
"""What may be told of a file, and is none."""
DATABASE = re.compile(r"(?:^|_)(?:db|database|sqlite)(?:_?(?:path|file|name))?(?:$|_| )")
"""Names of arguments for a database of SQLite, which is made where there is none."""
_COMMON_TYPES = frozenset({"", "str", "string", "text", "bool", "path", "choice"})
_EXAMPLE = re.compile(
    r"(?:such as|e\.?\s?g\.?,?|for example,?|example:|like(?: this| these)?:?)\s+[`'\"]?([^\s,;`'\"]*[^\s,;.)`'\"])",
    re.IGNORECASE,
)
_TEXTS = {
    r"(customer|user|username|person|author|owner|name|who)": ("Ann", "Bob"),
    r"(article|product|item|fruit|key|word|label|tag|title)": ("apple", "banana"),
    r"(text|message|sentence|line|content|query|string)": ("hello world", "one two"),
    r"(pattern|regex|expression)": ("[a-z]+", "o"),
    r"(color|colour)": ("red", "blue"),
    r"(sep|separator|delimiter)": (";", ","),
    r"(lang|language|locale)": ("en", "de"),
    r"(enc|encoding|charset|codec)": ("utf-8", "latin-1"),
}


@dataclass(frozen=True, slots=True)
class ProgramArgument:
    """An option or a positional argument; `flags` is empty for a positional one, `apart` names what excludes it."""

    name: str
    kind: Kind
    flags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    required: bool = False
    many: bool = False
    count: int = 1
    default: str | None = None
    documented_default: str | None = None
    help: str = ""
    examples: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The longest way to write an option."""
        return max(self.flags, key=len, default="")


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand, or the program itself where `words` is empty; `arguments` are those of its parents too."""

    words: tuple[str, ...]
    arguments: tuple[ProgramArgument, ...]
    description: str = ""
    before: tuple[ProgramArgument, ...] = field(default=())


def commands_of(parser: Mapping[str, Any]) -> tuple[Command, ...]:
    """Every command that can be run by itself, in order of declaration."""
    return tuple(_commands(parser, (), ()))


def _commands(parser: Mapping[str, Any], words: tuple[str, ...], above: tuple[ProgramArgument, ...]) -> list[Command]:
    declared = list(parser.get("arguments") or ())
    own = _sharing_examples([(str(one.get("type") or ""), _argument(one)) for one in declared])
    inner = parser.get("commands") or {}
    found: list[Command] = []
    if not inner or not parser.get("needs_command", True):
        found.append(Command(words, own, str(parser.get("description") or ""), above))
    for name, command in inner.items():
        found += _commands(command, (*words, str(name)), (*above, *own))
    return found


def _sharing_examples(declared: Sequence[tuple[str, ProgramArgument]]) -> tuple[ProgramArgument, ...]:
    """Return the arguments, each without examples with those of another that a type of the program's own reads, too."""
    shown = {kind: one.examples for kind, one in reversed(declared) if one.examples and kind not in _COMMON_TYPES}
    return tuple(
        one if one.examples or one.kind != "text" else replace(one, examples=shown.get(kind, ()))
        for kind, one in declared
    )


def _argument(declared: Mapping[str, Any]) -> ProgramArgument:
    help_text = str(declared.get("help") or "")
    metavar = str(declared.get("metavar") or "")
    default = str(declared["default"]) if declared.get("has_default") and declared.get("default") is not None else None
    documented = re.search(
        r"\(?\bdefaults?(?: is|:| to)\s*[`'\"]?([^\s)\]`'\"]+[^\s)\].,`'\"]|[^\s)\].,`'\"])", help_text
    )
    examples = [match for match in _EXAMPLE.findall(help_text) if len(match) < 60]
    return ProgramArgument(
        name=str(declared["name"]),
        kind=_kind(declared, help_text, metavar),
        flags=tuple(str(flag) for flag in declared.get("flags") or ()),
        choices=tuple(str(choice) for choice in declared.get("choices") or ()),
        required=bool(declared.get("required")),
        many=bool(declared.get("many")),
        count=max(1, int(declared.get("count") or 1)),
        default=default,
        documented_default=documented[1] if documented and "%(" not in documented[1] else None,
        help=help_text,
        examples=tuple(dict.fromkeys(examples)),
        apart=tuple(str(name) for name in declared.get("apart") or ()),
    )


def _kind(declared: Mapping[str, Any], help_text: str, metavar: str) -> Kind:
    if declared.get("flag"):
        return "flag"
    if declared.get("choices"):
        return "text"
    kind = str(declared.get("type") or "").lower()
    default = declared.get("default")
    # argparse and click name types differently; a default tells the type where none is declared.
    if re.search(r"(?:^|_)int(?:eger)?(?:[ _]?range)?$", kind) or (
        isinstance(default, int) and not isinstance(default, bool)
    ):
        return "whole"
    if re.search(r"(?:^|_)(?:float|number|decimal)(?:[ _]?range)?$", kind) or isinstance(default, float):
        return "number"
    if "date" in kind:
        return "date"
    name = f"{declared['name']} {metavar}".lower().replace("-", "_")
    path = kind.startswith(("filetype", "path", "file", "purepath")) or "filename" in kind
    if path or (any(_PATHLIKE.search(word) for word in name.split()) and not _OF_A_FILE.search(name)):
        # argparse's FileType('w'), or a word such as output or target in what the help says first.
        first = re.split(r"[.;](?:\s|$)", help_text)[0]
        said = f"{declared['name']} {first}".replace("_", " ")
        writes = kind.endswith(":w") or _WRITES.search(said) is not None or DATABASE.match(name) is not None
        return "output" if writes and not _READS.match(help_text) else "input"
    return "output" if _OUTPUT_FILE.search(f"{name.split()[0]}: {help_text}") else "text"


def long_options(commands: Iterable[Command], words: Sequence[str]) -> dict[str, str]:
    """The longest way to write each option of the command of these words, which says what a letter does not."""
    own = (command for command in commands if tuple(command.words) == tuple(words))
    arguments = [each for command in own for each in (*command.arguments, *command.before)]
    return {flag: max(each.flags, key=len) for each in arguments for flag in each.flags}


def plain_values(argument: ProgramArgument) -> tuple[str, ...]:
    """Values for an argument that is no file, the plainest first; one that is likely rejected comes last."""
    if argument.choices:
        return argument.choices
    if argument.examples:
        return tuple(dict.fromkeys(value for text in argument.examples for value in _near(text)))
    if argument.kind == "whole":
        return ("12", "3", "1", "10", "0", "-1")  # 12 is also in the tables of input_files: a boundary
    if argument.kind == "number":
        return ("2.5", "1", "0")
    if argument.kind == "date":
        return ("2024-05-03", "2024-02-29")
    for pattern, values in _TEXTS.items():
        if re.search(rf"(^|_){pattern}s?($|_)", argument.name.lower()):
            return values
    return ("hello", "world")


def _near(example: str) -> list[str]:
    """A documented example and variations: other whole numbers, only its first part, shorter and longer decimals."""
    found = [example]
    match = re.search(r"(?<![\d.])\d+(?![\d.])", example)
    if match is not None:
        found += [example[: match.start()] + number + example[match.end() :] for number in ("12", "0", "1000")]
    beginning = re.split(r"[:=,/;]", example)[0]
    found[2:2] = [beginning] if beginning and beginning != example else []
    decimal = re.search(r"(\d)\.\d+", example)
    if decimal is not None:
        found.append(f"{example[: decimal.end(1)]}{example[decimal.end() :]}")
        found.append(f"{example[: decimal.end()]}5{example[decimal.end() :]}")
    return found


_CODE_AND_PAGES = (".py", ".md", ".html", ".rst", ".js", ".css", ".cfg", ".in", ".c", ".h")
_SAMPLES = re.compile(r"(^|/)(examples?|samples?|data|testdata|fixtures|tests?|docs?)(/|$)")
_COLUMNS = re.compile(r"columns?(?:\s*+:)?\s++([\w-]++(?:(?:,\s*+|\s++and\s++)[\w-]++)*+)", re.IGNORECASE)
_LARGEST = 2_000
_MOST_SAMPLES = 3
_MOST_UNKNOWN = 20
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
            (name, None) for name in NAMED_FORMATS if name in imported or (name == "toml" and "tomllib" in imported)
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
    documented: Sequence[tuple[str, str]] = (),
) -> list[tuple[str, str]]:
    """Names and contents to try for an input file, the likeliest first.

    Args:
        samples: name and contents of files that the project has.
        vocabulary: words that the program's own documentation uses.
        shown: the name of a file that a document gives; its ending says what the file is.
        documented: name and contents of files that documents show.
    """
    ending = shown.rpartition(".")[2].lower()
    words = f"{argument.name} {argument.help}".lower()
    named = [name for name in NAMED_FORMATS if re.search(rf"\b{name}\b", words)]
    wanted = named or endings_in(words) or list(reading.formats)
    # A documented file name is surer than a word of the help text.
    wanted = [ending] if ending in ENDINGS or any(sample.endswith(f".{ending}") for sample, _ in samples) else wanted
    kind = wanted[0] if wanted else "txt"
    endings = {*(wanted or [kind]), *({"yaml", "yml"} if {"yaml", "yml"} & {*wanted} else ())}
    written = [file for file in documented if file[0].rpartition(".")[2].lower() in endings][:_MOST_SAMPLES]
    stem = re.sub(r"\W+", "_", argument.name).strip("_").lower() or "input"
    name = stem if stem.endswith(f".{kind}") else f"{stem}.{kind}"
    found = [sample for sample in samples if sample[0].endswith(tuple(f".{each}" for each in wanted or [kind]))][
        :_MOST_SAMPLES
    ]
    if kind in ("csv", "tsv"):
        columns = _documented_columns(argument.help, reading) or list(reading.columns) or [("name", ""), ("age", "int")]
        separator = "\t" if kind == "tsv" else ","
        # Columns that the program reads by name make the likeliest file; guessed ones come last.
        own = _table(columns, vocabulary, separator)
        # What a document shows is a likelier file than one with the columns that the code reads.
        if not written:
            found.insert(0 if reading.columns else len(found), (name, own))
        shown_table = next((text for file, text in written if file.endswith(f".{kind}")), own)
        # Where the code reads columns and converts none, a word for a number is as good as any.
        converts = not reading.columns or any(how for _, how in reading.columns)
        found += _broken(shown_table, separator, kind, with_word=converts)
    else:
        # Beside documented files, what is made up is named by what it is.
        names = shape_names(kind, stem, first=bool(written))
        found += list(zip(names, CONTENTS.get(kind, CONTENTS["txt"]), strict=True))
        # Of a program that takes several formats the first file of each shows more than a second one of the first.
        others = [other for other in wanted[1:_MOST_SAMPLES] if other in CONTENTS and not (named or ending == kind)]
        found[1:1] = [(f"{stem}.{other}", CONTENTS[other][0]) for other in others]
    return [*written, *found]


def _documented_columns(help_text: str, reading: InputFormats) -> list[tuple[str, str]]:
    match = _COLUMNS.search(help_text)
    if match is None:
        return []
    names = [part for part in re.split(r", ?| and ", " ".join(match[1].split())) if part]
    known = dict(reading.columns)
    return [(name, known.get(name, "")) for name in names]


def _table(columns: Sequence[tuple[str, str]], vocabulary: Sequence[str], separator: str) -> str:
    words = tuple(dict.fromkeys((*vocabulary, *_WORDS)))[:3]
    rows = [separator.join(name for name, _ in columns)]
    for at in range(3):
        # Words in another order in each column: equal ones do not show that one column is taken for another.
        turned = [(*words[place % 3 :], *words[: place % 3]) for place in range(len(columns))]
        rows.append(separator.join(_cell(*column, at, own) for column, own in zip(columns, turned, strict=True)))
    return "\n".join(rows) + "\n"


def _broken(table: str, separator: str, ending: str, *, with_word: bool) -> list[tuple[str, str]]:
    """Invalid tables, by name: without the last column, and, `with_word`, with a word in place of the last number."""
    lines = table.splitlines()[:2]
    columns = lines[0].split(separator)
    short = "\n".join(lines) + "\n"
    cut = "".join(line.rpartition(separator)[0] + "\n" for line in lines)
    spoilt = re.sub(rf"(?<={re.escape(separator)})\d[\d.]*(?=\n)", "many", short)
    last = re.sub(r"\W+", "_", columns[-1]).strip("_").lower()
    named = [(f"without_{last}.{ending}", cut if len(columns) > 1 else "")]
    named += [(f"{last}_many.{ending}", spoilt)] if with_word else []
    return [(name, text) for name, text in named if text and text != short]


def _cell(name: str, how: str, at: int, words: Sequence[str]) -> str:
    description = f"{name} {how}".lower()
    if how == "int" or (
        re.search(r"\b(count|number|quantity|pieces|age|year|size|amount|id)\b", description) and how != "float"
    ):
        return _WHOLE[at]
    if "date" in description:
        return ("2024-05-03", "2024-02-29", "2023-12-31")[at]
    if how in ("float", "Decimal") or re.search(r"price|cost|total|rate|sum|value|money|decimal", description):
        return _DECIMAL[at]
    return words[at]


def samples_of(layout: Layout) -> list[tuple[str, str]]:
    """Small text files that the project keeps as samples, by name; those in folders of examples first."""
    found: list[tuple[bool, str, str]] = []
    for path in sorted(walk_files(layout.root, lambda folder: folder.name[0] != "." and folder.name != "node_modules")):
        relative = path.relative_to(layout.root).as_posix()
        if relative.startswith(".") or "/." in relative or "node_modules" in relative or path.is_symlink():
            continue
        if not path.suffix or path.suffix in _CODE_AND_PAGES or not path.is_file():
            continue
        if not _SAMPLES.search(PurePosixPath(relative).parent.as_posix()) or path.stat().st_size > _LARGEST:
            continue
        known = path.suffix.lstrip(".") in ENDINGS
        if not known and sum(name.rpartition(".")[2] not in ENDINGS for _, name, _ in found) >= _MOST_UNKNOWN:
            continue
        text = source_or_empty(layout.root, relative)
        if text and "\r" not in text:
            found.append(("test" in relative, path.name, text))
        if len(found) >= 60:
            break
    return [(name, text) for _, name, text in sorted(found)]
