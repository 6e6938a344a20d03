"""Says in a few words what the passage around a documented example shows: its comment, lead-in or section heading."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from ....utils.python_names import last_name, printed_argument
from ....utils.python_source import expression_or_none
from ....utils.untrusted_files import source_or_empty
from ..model.spec_case import Case
from .titles import slug

_MOST_WORDS, _FEWEST_LETTERS, _MOST_LINES = 4, 4, 400
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)")
_QUOTES = ('"""', "'''")
_DOCSTRING = re.compile(r"[rRuUbB]*(?:\"\"\"|''')")
# Comments for tools say nothing of what an example shows.
_FOR_TOOLS = re.compile(r"[#\s]*(?:(?:doctest|pragma|noqa|nosec)\b|(?:type|fmt|isort|mypy|pylint|ruff):)")
_MARKUP = re.compile(r"^#+\s+|[`*]|:\w+:|_(?=\s|$)|\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_UNDERLINE = re.compile(r"\s*([=\-~^\"'#*+])\1{2,}\s*$")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,}|\.\. )")
_COMMENT = re.compile(r"(?<=[)\]}'\"\w])\s+#\s*(?P<said>[^#]+)$")
_ARTICLES = frozenset("a an the".split())
# Words that say nothing of what an example shows.
_EMPTY = frozenset(
    "use using basic basics simple quick quickstart start starting getting started output result results return more "
    "other see api reference introduction overview tutorial description test tests how to for of and or with in get "
    "new general misc miscellaneous details features that this is are it you can will does normal default defaults "
    "typical case cases".split()
)
# Words of what is said of the text itself, of the reader, or of another example.
_OF_TEXT = frozenset(
    "example examples usage doctest doctests docstring note notes below above following here just still again also "
    "works remains means like same ditto instead".split()
)
# What a sentence about something else, or a part of one, begins with.
_OF_SENTENCES = frozenset(
    "this that these those it you we i they there see let lets but now please or and always only how what why some "
    "dont raises raise".split()
)
_BASES = (
    "accept add align allow apply assign build check convert copy count create drop escape expand extract fill find "
    "get give handle ignore increment initialize insert invert iterate join keep leave limit make merge move override "
    "overwrite pad preserve read reject remove repeat replace respect reverse round skip sort split strip support swap "
    "treat trim truncate unwrap update wrap"
).split()
# What a comment asks for is what the code does: `invert bounds` as `inverts_bounds`.
_DOES = {
    base: f"{base[:-1]}ies"
    if base[-2:] in ("py", "ly")
    else f"{base}es"
    if base.endswith(("s", "x", "sh"))
    else f"{base}s"
    for base in _BASES
}
_VERBS = frozenset(_DOES.values())
_JOINED = frozenset("after at before by from if in on unless when while with without".split())
# `clipped to width` is what was done, `mixed types` is what there is.
_AFTER_DONE = frozenset("to by with from in into at on as".split())
# Words that make a clause of others.
_FINITE = frozenset("is are was were be been has have had do does can may must should will would".split())
_GERUND = re.compile(r"[a-z]{3,}ing")


Documents = Mapping[str, Sequence[str]]
"""The lines of files that document cases, by their paths."""


def documents_of(root: Path, paths: Iterable[str]) -> Documents:
    """The lines of a project's files; one that cannot be read has none. Blocks."""
    return {path: source_or_empty(root, path).expandtabs().splitlines() for path in sorted(set(paths))}


def passage_words(case: Case, documents: Documents, *, near: bool = False) -> str:
    """Words for what the document of a case says that it shows, with their preposition: `ignores_missing_keys`.

    Empty where it says nothing in at most four words that are not those of any example.

    Args:
        documents: the lines of what documents it.
        near: whether only a comment of the example itself counts.
    """
    place = next(iter(case.documented), None)
    lines = documents.get(place.path, ()) if place is not None else ()
    if place is None or not 0 < place.lines[0] <= len(lines):
        return ""
    known = set(slug(case.subject.replace(".", " ")).split("_"))
    at = place.lines[0] - 1
    comments = (_phrase(text, known, orders=True) for text in _comments(lines, at))
    around = () if near else _around(lines, at, in_code=place.path.endswith(".py"))
    return next(filter(None, chain(comments, (_phrase(text, known, orders=False) for text in around))), "")


def _comments(lines: Sequence[str], at: int) -> Iterator[str]:
    """The comments of an example: behind it, and in the line above."""
    behind = _COMMENT.search(lines[at])
    if behind is not None and not _FOR_TOOLS.match(behind["said"]):
        yield behind["said"]
    above, before = (_code(lines[one]) if one >= 0 else "" for one in (at - 1, at - 2))
    prompted = [_PROMPT.match(lines[one]) is not None for one in (at - 1, at) if one >= 0]
    # The last line of several is only a part, and a line without a prompt above one with it is no comment.
    is_whole = above.startswith("#") and not before.startswith("#") and len(set(prompted)) == 1
    if is_whole and not _FOR_TOOLS.match(above):
        yield above.lstrip("# ")


def _code(line: str) -> str:
    return line.strip().removeprefix(">>>").strip()


def _around(lines: Sequence[str], at: int, *, in_code: bool) -> Iterator[str]:
    """The heading over an example, and the line that leads to its block where it is the first of it."""
    heading, section = _section(lines, at, in_code=in_code)
    if heading and _is_of_one_kind(section):
        yield heading
    while at and _is_set_up(lines[at - 1]):
        at -= 1
    while at and (not lines[at - 1].strip() or _FENCE.match(lines[at - 1])):
        at -= 1
    before = lines[at - 1].strip() if at else ""
    alone = at < 2 or not lines[at - 2].strip()
    if before.endswith(":") and alone and not _PROMPT.match(before) and not _DOCSTRING.match(before):
        yield before


def _is_set_up(line: str) -> bool:
    """Whether a line of a session binds a name, imports or comments: the example below it is the first of its block."""
    code = line.strip()
    if not code.startswith((">>>", "...")):
        return False
    code = code[3:].strip()
    return code.startswith(("#", "import ", "from ")) or re.match(r"[\w.\[\], ]+ = ", code) is not None or not code


def _section(lines: Sequence[str], at: int, *, in_code: bool) -> tuple[str, Sequence[str]]:
    """The heading over a line, and the lines of its section up to the next heading; none in a docstring without."""
    start = next((one for one in range(at - 1, max(at - _MOST_LINES, -1), -1) if _is_heading(lines, one)), None)
    if start is None or (in_code and any(quote in line for line in lines[start:at] for quote in _QUOTES)):
        return "", ()
    end = next(
        (one for one in range(at, len(lines)) if _is_heading(lines, one) or (in_code and '"""' in lines[one])), None
    )
    return lines[start], lines[start + 1 : end]


def _is_heading(lines: Sequence[str], at: int) -> bool:
    line = lines[at].strip()
    if re.match(r"#{1,6} \w", lines[at]):
        return not _FENCE.match(line)
    under = lines[at + 1] if at + 1 < len(lines) else ""
    alone = at == 0 or not lines[at - 1].strip() or _UNDERLINE.match(lines[at - 1]) is not None
    words = re.match(r"[A-Za-z`]", line) is not None and len(line.split()) <= 2 * _MOST_WORDS
    return words and alone and _UNDERLINE.match(under) is not None and len(under.strip()) >= len(line)


def _is_of_one_kind(section: Sequence[str]) -> bool:
    """Whether all that a section shows are calls of one function with the same options, so that its heading fits."""
    found: set[tuple[str, tuple[str, ...]]] = set()
    for code in _statements(section):
        node = expression_or_none(code)
        while isinstance(node, ast.Compare | ast.Call):
            inner = node.left if isinstance(node, ast.Compare) else printed_argument(node)
            if inner is None:
                break
            node = inner
        if isinstance(node, ast.Call):
            found.add((last_name(node.func), tuple(sorted(one.arg or "" for one in node.keywords))))
    return len(found) == 1


def _statements(section: Sequence[str]) -> list[str]:
    """The statements of a session, without prompts; one of several lines is joined."""
    found: list[str] = []
    for line in section:
        code = line.strip()
        if code.startswith(">>> "):
            found.append(code[4:])
        elif code.startswith("... ") and found:
            found[-1] += f"\n{code[4:]}"
    return found


def _phrase(text: str, known: set[str], *, orders: bool) -> str:
    """The words of a text with their preposition; empty where they are too many or one, or are those of any example.

    Args:
        known: words of the subject's own name.
        orders: whether the text may say in the imperative what is done.
    """
    plain = _MARKUP.sub(" ", text.strip()).strip().rstrip(":.!").strip()
    if not plain or re.search(r"[=<>{}\[\]|\\/\d\"]|'\w+'|[.,;:!?]\s", plain) or not plain.isascii():
        return ""
    words = [word for word in slug(plain.replace("'", "")).split("_") if word not in _ARTICLES]
    if not 1 < len(words) <= _MOST_WORDS or words[0] in _OF_SENTENCES or not _OF_TEXT.isdisjoint(words):
        return ""
    if words[0] in _DOES:
        words = [_DOES[words[0]], *words[1:]] if orders else []
    elif words[0] == "using":
        words = ["with", *words[1:]]
    elif _GERUND.fullmatch(words[0]):
        words = words[1:]
    while words and words[0] in ("of", "for", "to"):
        words = words[1:]
    if not _tells(words, known):
        return ""
    joined = "_".join(words)
    if words[0] in _VERBS | _JOINED:
        return joined
    done = words[0].endswith("ed") and len(words) > 2 and words[1] in _AFTER_DONE
    done = done or (words[0].endswith("ly") and words[-1].endswith("ed"))
    return f"when_{joined}" if done else f"for_{joined}"


def _tells(words: Sequence[str], known: set[str]) -> bool:
    """Whether words say more than the subject's own name, and are no clause without a verb or preposition before it."""
    stems = tuple(word for word in known if len(word) >= _FEWEST_LETTERS)
    telling = [word for word in words if word not in _EMPTY | known and not (stems and word.startswith(stems))]
    if sum(map(len, telling)) < _FEWEST_LETTERS:
        return False
    return words[0] in _VERBS | _JOINED or (_FINITE | _VERBS).isdisjoint(words)
