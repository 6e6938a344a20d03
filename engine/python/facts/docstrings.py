"""Reads docstrings: parameters, results, documented exceptions, and doctest examples."""

from __future__ import annotations

import ast
import doctest
import inspect
import re

import docstring_parser

from ....utils.python_source import parse_or_none, source_lines
from ..model.model import Documentation, Example
from .code_examples import docstring_examples

_MAXIMUM_LENGTH = 20_000
_SECTION_MARKS = tuple(":param :return :raise :type args: arguments: raises: returns: ---- @param".split())
_LONGEST_STATEMENT = 60
_MOST_PROMPTS = 400
_TYPE_FIELD = re.compile(r"(?m)^[ \t]*[:@]type[ \t]+(\w+):[ \t]*(\S[^\n]*)$")
_WORD = r"[`:~\w.]{1,100}"  # bounded, so that no text is searched in quadratic time
_MORE = rf"(?:, | or | and |, or |, and )(?:an? )?{_WORD}"
# What is done instead of raising says that nothing is raised.
_DENIED = "".join(
    f"(?<!(?i:{words}) )"
    for words in (
        "not",
        "n't",
        "never",
        "without",
        "instead of",
        "rather than",
        "avoid",
        "avoids",
        "avoiding",
        "no longer",
    )
)
_RAISING = re.compile(rf"{_DENIED}\b[Rr]ais(?:es?|ing) (?:an? )?({_WORD}(?:{_MORE}){{0,8}})")
_RAISED = re.compile(rf"(?<!(?i:no) )(?<![`:~\w.])({_WORD}) (?:is|are|will be|gets) (?:raised|thrown)\b")
_NAME = re.compile(r"\b([A-Z]\w*)\b(?!\.\w)")
_Owner = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def documentation_of(node: _Owner) -> Documentation:
    """Parses the docstring of a module, class or function; empty when it has none."""
    raw = ast.get_docstring(node, clean=False)
    if raw is None:
        return Documentation()
    first, text = node.body[0], inspect.cleandoc(raw)
    parameters: tuple[tuple[str, str], ...] = ()
    returns = ""
    raises: tuple[tuple[str, str], ...] = ()
    summary = " ".join(text.partition("\n\n")[0].split())
    if _has_sections(text):
        parsed = _parsed(text)
        if parsed is not None:
            parameters = tuple((param.arg_name, _joined(param.type_name, param.description)) for param in parsed.params)
            named = {name for name, _ in parameters}
            # A type without a description is left out by the parser.
            parameters += tuple((one[1], one[2].rstrip()) for one in _TYPE_FIELD.finditer(text) if one[1] not in named)
            returns = _joined(None, parsed.returns.description) if parsed.returns else ""
            raises = tuple((one.type_name, _joined(None, one.description)) for one in parsed.raises if one.type_name)
            summary = parsed.short_description or summary
    known = {name.rpartition(".")[2] for name, _ in raises}
    raises += tuple((name, "") for name in _raised_in_prose(text) if name not in known)
    return Documentation(
        summary=summary,
        text=text,
        parameters=parameters,
        returns=returns,
        raises=raises,
        examples=(*examples_in(raw, first.lineno), *docstring_examples(raw, first.lineno)),
        lines=(first.lineno, first.end_lineno or first.lineno),
    )


def _raised_in_prose(text: str) -> list[str]:
    """The capitalised names that sentences say are raised: "Raises ValueError or KeyError", "a `Full` is raised".

    A word that is no exception does no harm: only the name of what a call did raise is looked up among them.
    """
    text = " ".join(text[:_MAXIMUM_LENGTH].split())
    phrases = [*_RAISING.findall(text), *_RAISED.findall(text)]
    return list(dict.fromkeys(name for phrase in phrases for name in _NAME.findall(phrase)))


def examples_in(text: str, first_line: int) -> tuple[Example, ...]:
    """Finds the doctest prompts of a text, each with the statements before it.

    Only the first few hundred of a text: each holds the statements before it.

    Args:
        text: a docstring as written, or a document.
        first_line: line number of the text's first line in the file.
    """
    if ">>>" not in text:
        return ()
    found: list[Example] = []
    lines = source_lines(text.expandtabs())
    for start, block in _blocks(text):
        before: list[str] = []
        end = 0
        strict = True
        for one in block[: _MOST_PROMPTS - len(found)]:
            at = start + one.lineno
            if at < end:  # this line belongs to a statement that was completed before
                continue
            source, want = one.source.strip(), one.want
            whole = _whole_statement(lines, at, one.indent, source)
            if whole is not None:
                source, end = whole
                strict = False
            skipped = bool(one.options.get(doctest.OPTIONFLAGS_BY_NAME["SKIP"]))
            # doctest cannot run a block that is not strict, nor runs what it skips: their output was never verified.
            want = want if strict and not skipped else ""
            found.append(Example(arrange=tuple(before), act=source, want=want, line=first_line + at))
            if source and not skipped:
                before.append(source)
    return tuple(found)


def _whole_statement(lines: list[str], at: int, indent: int, source: str) -> tuple[str, int] | None:
    """Completes a statement that continues without `...` before its further lines, mostly a multi-line string.

    Returns:
        The statement and the line after it; None when the source is whole, or does not become so.
    """
    if parse_or_none(source) or "\n" in source:
        return None
    for end in range(at + 1, min(len(lines), at + _LONGEST_STATEMENT) + 1):
        rest = [line[indent:] if not line[:indent].strip() else line for line in lines[at + 1 : end]]
        if any(line.startswith(">>>") for line in rest):
            return None
        whole = "\n".join([source, *rest])
        if rest and parse_or_none(whole):
            return whole, end
    return None


def _blocks(text: str) -> list[tuple[int, list[doctest.Example]]]:
    """All prompts as one block; where a part of the text has broken prompts, the paragraphs that have not."""
    parser = doctest.DocTestParser()
    try:
        return [(0, parser.get_examples(text))]
    except ValueError:
        pass
    found: list[tuple[int, list[doctest.Example]]] = []
    line = 0
    for paragraph in text.split("\n\n"):
        try:
            examples = parser.get_examples(paragraph)
        except ValueError:
            examples = []
        if examples:
            found.append((line, examples))
        line += paragraph.count("\n") + 2
    return found


def _has_sections(text: str) -> bool:
    lowered = text[:_MAXIMUM_LENGTH].lower()
    return any(mark in lowered for mark in _SECTION_MARKS)


def _parsed(text: str) -> docstring_parser.Docstring | None:
    try:
        return docstring_parser.parse(text[:_MAXIMUM_LENGTH])
    except (docstring_parser.ParseError, ValueError, IndexError, AttributeError, TypeError):
        # Free prose may look like sections; the plain text is still used.
        return None


def _joined(type_name: str | None, description: str | None) -> str:
    return " ".join(f"{type_name or ''} {description or ''}".split())
