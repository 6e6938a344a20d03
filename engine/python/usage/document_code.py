"""Reads the code of a document: doctest prompts, fenced blocks, blocks of reStructuredText, and what they import."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....utils.python_source import parse_or_none, source_lines
from ..facts.analyse import imports_of
from ..facts.code_examples import results_in_comments
from ..facts.docstrings import examples_in
from .documented_results import DocumentedStatement, documented_statements

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})([^`]*)$")
_LANGUAGES = frozenset({"", "python", "py", "pycon", "python3"})
_BLOCK = re.compile(r"^\.\. (?:code-block|code|sourcecode):: *python[ ]*\n((?:[ ]*\n|[ ]+\S[^\n]*\n)+)", re.MULTILINE)
# An import that a sentence names: "assuming that it is imported with `import numpy as np`".
_NAMED_IMPORT = re.compile(r"(?<!`)`{1,3}((?:import|from) [\w.]+(?: import [\w, ]+)?(?: as \w+)?)`+")


@dataclass(frozen=True, slots=True)
class DocumentCode:
    """The code of one document.

    Attributes:
        prompts: statements at doctest prompts, with what they show.
        fenced: statements of blocks without prompts, with what their comments say.
        imports: names that the document imports anywhere, in a sentence too, with the statement that binds each.
    """

    prompts: Sequence[DocumentedStatement]
    fenced: Sequence[DocumentedStatement]
    imports: dict[str, str]

    def bodies(self) -> list[tuple[list[ast.stmt], dict[str, str]]]:
        """The prompts' statements and those of the blocks, each with the imports that hold for them."""
        bodies = ([one.node for one in statements] for statements in (self.prompts, self.fenced))
        return [(body, {**self.imports, **_imports(body)}) for body in bodies]


def code_of_document(text: str) -> DocumentCode:
    """Returns the code of a document.

    What a sentence or a block imports holds for the whole document, where prompts or blocks do not import it.
    """
    prompts = documented_statements(examples_in(text, 1))
    fenced = [statement for line, block in _blocks(text) if ">>>" not in block for statement in _told(line, block)]
    named = [statement for match in _NAMED_IMPORT.finditer(text) for statement in _statements(match.group(1))]
    return DocumentCode(prompts, fenced, _imports([*named, *(one.node for one in (*fenced, *prompts))]))


def _told(line: int, block: str) -> Iterator[DocumentedStatement]:
    """Generates the statements of a block that begins in a line."""
    body, results = results_in_comments(textwrap.dedent(block))
    for at, node in enumerate(body):
        want, certain = results.get(at, ("", True))
        yield DocumentedStatement(node, want, line + node.lineno - 1 if want else 0, certain)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Generates the blocks of Python, and those that say no language, with the line that each begins in."""
    fence, is_python, block, start = "", False, list[str](), 0
    lines = source_lines(text)
    for number, line in enumerate(lines, 1):
        found = _FENCE.match(line.rstrip())
        if found is not None and not fence and found[1].startswith("~") and number > 1 and lines[number - 2].strip():
            found = None  # the line below a title
        # A block of another language is read to its end, too: the line that ends it begins no block.
        if found is not None and not fence:
            words = found[2].strip("{} ").split()
            fence, block, start = found[1], [], number + 1
            is_python = (words[0] if words else "").lstrip(".").lower() in _LANGUAGES
        elif found is not None and found[1].startswith(fence) and not found[2].strip():
            if is_python:
                yield start, "\n".join(block)
            fence = ""
        elif fence:
            block.append(line)
    counted, start = 0, 1
    for match in _BLOCK.finditer(text):
        start, counted = start + text.count("\n", counted, match.start(1)), match.start(1)
        yield start, match[1]


def _imports(body: Sequence[ast.stmt]) -> dict[str, str]:
    return imports_of([one for one in body if isinstance(one, ast.Import | ast.ImportFrom)], "")


def _statements(source: str) -> list[ast.stmt]:
    tree = parse_or_none(source)
    return tree.body if tree else []
