"""Says in a few words what the passage around a documented example shows: its comment, lead-in or section heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from ....utils.names.case_names import slug
from ....utils.python_source import literal_or
from ..model.spec_case import Case
from .documents import Document, Documents

_MOST_WORDS, _FEWEST_LETTERS = 4, 4
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)")
_DOCSTRING = re.compile(r"[rRuUbB]*(?:\"\"\"|''')")
# Comments for tools say nothing of what an example shows.
_FOR_TOOLS = re.compile(r"[#\s]*(?:(?:doctest|pragma|noqa|nosec)\b|(?:type|fmt|isort|mypy|pylint|ruff):)")
_MARKUP = re.compile(r"^#+\s+|[`*]|:\w+:|_(?=\s|$)|\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,}|\.\. )")
# A line of code up to the first `#` that stands in no text, and the comment behind it.
_COMMENT = re.compile(r"""(?P<code>(?:[^'"#\\]|\\.|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*+)#\s*(?P<said>[^#]+)$""")
_WHOLE = re.compile(r"[)\]}'\"\w]\s+$")
_PRINTING = re.compile(r"\s*print\(")
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
    "its thats theres heres whats youre youll raises raise throws throw".split()
)
_NEGATED = frozenset(
    "dont doesnt didnt isnt arent wasnt werent wont cant cannot couldnt shouldnt wouldnt mustnt hasnt havent "
    "hadnt".split()
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
# `adding rows` is what is done to rows; `missing cells` and `string keys` are things.
_GERUNDS = frozenset(
    form for base in _BASES for form in (f"{base[:-1] if base.endswith('e') else base}ing", f"{base}{base[-1]}ing")
)
_VERBS = frozenset(_DOES.values()).union(
    "avoids becomes chooses closes combines compares computes contains creates detects disables enables ensures "
    "evaluates excludes fails falls flattens follows guesses hides includes infers loads makes moves needs "
    "normalizes opens parses picks prefers prevents prints produces renders requires resets resolves restores "
    "returns saves selects sends separates serializes shows stores takes tells translates tries turns validates "
    "writes yields".split()
)
# These are verbs only with an object behind them: `sets flag` does something, `sets of rows` are things.
_VERBS_OR_NOUNS = frozenset(
    "calls changes forces formats lists maps marks matches orders passes quotes runs sets starts stops uses".split()
)
_JOINED = frozenset("after at before by from if in on unless when while with without".split())
_AFTER_NOUNS = frozenset("and or of for to in on at as by with without from".split())
# `clipped to width` is what was done, `mixed types` is what there is.
_AFTER_DONE = frozenset("to by with from in into at on as".split())
# Words that make a clause of others.
_FINITE = frozenset("is are was were be been has have had do does can may must should will would".split())
# What a comment says before a result.
_GIVING = re.compile(r"(?:returns|prints|gives|outputs?|result)\b:?\s*", re.IGNORECASE)


def passage_words(case: Case, documents: Documents, *, near: bool = False) -> str:
    """Words for what the document of a case says that it shows, with their preposition: `ignores_missing_keys`.

    Empty where it says nothing in at most four words that are not those of any example.

    Args:
        documents: the files that document it.
        near: whether only a comment of the example itself counts.
    """
    place = next(iter(case.documented), None)
    document = documents.get(place.path) if place is not None else None
    if place is None or document is None or not 0 < place.lines[0] <= len(document.lines):
        return ""
    known = set(slug(case.subject.replace(".", " ")).split("_"))
    at = place.lines[0] - 1
    told = (text for text in _comments(document.lines, at) if not _is_result(text, case))
    comments = (_phrase(text, known, orders=True) for text in told)
    around = () if near else _around(document, at)
    return next(filter(None, chain(comments, (_phrase(text, known, orders=False) for text in around))), "")


def _comments(lines: Sequence[str], at: int) -> Iterator[str]:
    """The comments of an example: behind it, and in the line above."""
    prompt = _PROMPT.match(lines[at])
    behind = _COMMENT.match(lines[at], prompt.end() if prompt is not None else 0)
    printing = prompt is None and _PRINTING.match(lines[at]) is not None  # the comment is what it prints
    if behind is not None and not printing and _WHOLE.search(behind["code"]) and not _FOR_TOOLS.match(behind["said"]):
        yield behind["said"]
    above, before = (_code(lines[one]) if one >= 0 else "" for one in (at - 1, at - 2))
    # The last line of several is only a part, and a line without a prompt above one with it is no comment.
    # Nor is what the line before it prints.
    alike = (_PROMPT.match(lines[at - 1]) is None) == (prompt is None)
    is_whole = above.startswith("#") and not before.startswith(("#", "print(")) and alike
    if is_whole and not _FOR_TOOLS.match(above):
        yield above.lstrip("# ")


def _code(line: str) -> str:
    return line.strip().removeprefix(">>>").strip()


def _is_result(text: str, case: Case) -> bool:
    """Whether a comment is the result that the test expects, or what is printed."""
    expected = {slug(str(literal_or(one.value, one.value))) for one in case.expect if one.value}
    return slug(_GIVING.sub("", text.strip(), count=1)) in expected or slug(text) in expected


def _around(document: Document, at: int) -> Iterator[str]:
    """The heading over an example, and the line that leads to its block where it is the first of it."""
    lines, heading = document.lines, document.heading_over(at)
    if heading:
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
    if not 1 < len(words) <= _MOST_WORDS or words[0] in _OF_SENTENCES | _NEGATED or not _OF_TEXT.isdisjoint(words):
        return ""
    if words[0] in _DOES:
        words = [_DOES[words[0]], *words[1:]] if orders else []
    elif words[0] == "using":
        words = ["with", *words[1:]]
    elif words[0] in _GERUNDS:
        words = words[1:]
    while words and words[0] in ("of", "for", "to"):
        words = words[1:]
    if not _tells(words, known):
        return ""
    joined = "_".join(words)
    if words[0] in _JOINED or _does(words):
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
    return words[0] in _JOINED or _does(words) or (_FINITE | _VERBS | _NEGATED).isdisjoint(words)


def _does(words: Sequence[str]) -> bool:
    """Whether words begin with a verb that says what the code does."""
    return words[0] in _VERBS or (words[0] in _VERBS_OR_NOUNS and len(words) > 1 and words[1] not in _AFTER_NOUNS)
