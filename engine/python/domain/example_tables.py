"""Tables of natural values: what a person would write, and the names of parameters that ask for some of them.

The place among a callable's parameters chooses the row.
"""

from __future__ import annotations

import re

from ..model.domain import ParameterDomain, PreconditionKind

INTEGERS = ("6", "4", "9", "2", "7", "5")
MORE_INTEGERS = ("3", "12", "10")
# Above all of `INTEGERS`.
ENDS = ("10", "12", "15")
SHARES = ("0.25", "0.1", "0.05")
REALS = ("2.5", "4.0", "1.5", "0.5")
WORDS = ("kitten", "sitting", "mitten", "bitten")
TEXTS = ("hello world", "the quick brown fox", "good morning", "see you soon")
LINES = ("first line\nsecond line", "one\n\ntwo\n\n")
# Letters of both cases, and several blanks between words.
CASED_WORDS = ("Hello World", "Hello   World")
INDENTS = ("* ", "  ", "> ")
ELLIPSES = ("...", " [...]")
LETTERS = ("a", "b", "c", "d")
DIGITS = ("1234", "567", "42", "908")
BINARY = ("1101", "1011", "110", "101")
ABSOLUTE_PATHS = ("/home/user/notes.txt", "/var/log/app.log", "/etc/hosts", "/usr/local/bin")
PALINDROMES = ("level", "racecar", "noon")
# By what a text has to be: plain ones, then edges.
REQUIRED_TEXTS: dict[PreconditionKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "digits": (DIGITS, ("0", "007", "")),
    "absolute path": (ABSOLUTE_PATHS, ("/",)),
    "palindrome": (PALINDROMES, ("a", "")),
}
ADDRESSES = ("https://example.com/a/b?x=1&y=2#top", "http://ann@example.org:8080/docs/", "/a/b?x=1")
# By the names of parts of web addresses.
ADDRESS_PARTS = (
    (r"(\w+_)?(path|segment)", ("/docs/guide", "docs/guide/", "a/b/c")),
    (r"(\w+_)?(query|querystr|querystring|params|args|qs|items)", ("x=1&y=2", "name=ann&page=3", "q=tea")),
    (r"(\w+_)?(fragment|anchor)", ("top", "chapter?page=3", "/a/b")),
    (r"(\w+_)?(scheme|protocol)", ("https", "ftp")),
    (r"(\w+_)?(host|hostname|domain)", ("example.com", "www.example.org")),
    (r"(\w+_)?netloc", ("ann:secret@example.com:8080", "example.org")),
)
# Opening and closing brackets, and the signs that stand for one another as separators and marks.
BRACKET_SIGNS = ("<[{(", ">]})", "\"'")
PAIRS = ("()", "[]", "<>")
SIGNS = {"-": ("_", "/"), "_": ("-", "."), ",": (";", "/"), ".": (",", ":"), ":": ("=", "/"), "=": (":", "-")}
OTHER_SIGNS = ("/", "-", ";")
BYTES = ("b'hello'", "b'world'", "b'abc'")

# Mean, median and middle differ, and neither end is the smallest or the largest.
INTEGER_ROWS = (("3", "1", "8", "2"), ("5", "9", "4", "7"), ("6", "2", "12", "4"))
SORTED_INTEGER_ROWS = (("1", "3", "5", "7", "9"), ("2", "4", "6", "8", "10"), ("0", "4", "8", "12", "16"))
REAL_ROWS = (("2.5", "1.0", "4.5", "3.0"), ("0.5", "2.0", "1.5", "3.5"))
WORD_ROWS = (("banana", "apple", "cherry"), ("dog", "cat", "bird"), ("red", "green", "blue"))
SORTED_WORD_ROWS = (("apple", "banana", "cherry"), ("bird", "cat", "dog"))
LETTER_ROWS = (("b", "a", "c"), ("x", "z", "y"))
BOOLEAN_ROWS = (("True", "False", "True"),)
BINARY_ROWS = (("1", "0", "1", "1", "0"), ("0", "1", "1", "0", "1"))

MATRICES = (
    "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]",
    "[[2, 0, 1], [1, 3, 2], [0, 1, 4]]",
    "[[1, 2], [3, 4]]",
)
REAL_MATRICES = ("[[4.0, 2.0], [2.0, 3.0]]", "[[1.5, 0.5], [2.0, 2.5]]")
# A way leads from the first corner to the last one.
GRIDS = (
    "[[1, 1, 0], [0, 1, 0], [0, 1, 1]]",
    "[[1, 0, 0], [1, 1, 0], [0, 1, 1]]",
)
TEXT_MATRICES = ("[['a', 'b', 'c'], ['d', 'e', 'f'], ['g', 'h', 'i']]", "[['x', 'o'], ['o', 'x']]")

INTERVALS = (
    (("1", "3"), ("2", "6"), ("8", "10")),
    (("5", "7"), ("1", "4"), ("6", "9")),
)
NUMBER_PAIRS = (
    (("1", "4"), ("3", "2"), ("5", "6")),
    (("2", "7"), ("4", "1"), ("6", "3")),
)

# By style: nodes of text, then numbered nodes. Every node is reached from the first one; no node reaches itself.
_GRAPHS: dict[str, tuple[str, str]] = {
    "list": (
        "{'A': ['B', 'C'], 'B': ['D'], 'C': ['D'], 'D': []}",
        "{0: [1, 2], 1: [3], 2: [3], 3: []}",
    ),
    "set": (
        "{'A': {'B', 'C'}, 'B': {'D'}, 'C': {'D'}, 'D': set()}",
        "{0: {1, 2}, 1: {3}, 2: {3}, 3: set()}",
    ),
    "mapping": (
        "{'A': {'B': 4, 'C': 1}, 'B': {'D': 1}, 'C': {'B': 2, 'D': 5}, 'D': {}}",
        "{0: {1: 4, 2: 1}, 1: {3: 1}, 2: {1: 2, 3: 5}, 3: {}}",
    ),
    "pairs": (
        "{'A': [('B', 4), ('C', 1)], 'B': [('D', 1)], 'C': [('B', 2), ('D', 5)], 'D': []}",
        "{0: [(1, 4), (2, 1)], 1: [(3, 1)], 2: [(1, 2), (3, 5)], 3: []}",
    ),
    "indexed": (
        "[[1, 2], [3], [3], []]",
        "[[1, 2], [3], [3], []]",
    ),
}
_GRAPH_COMPANIONS: dict[str, tuple[str, ...]] = {
    "list": ("{'A': ['B'], 'B': ['C'], 'C': ['A']}", "{'A': ['B'], 'B': [], 'C': []}", "{'A': []}", "{}"),
    "set": ("{'A': {'B'}, 'B': {'C'}, 'C': {'A'}}", "{'A': {'B'}, 'B': set(), 'C': set()}", "{'A': set()}", "{}"),
    "mapping": (
        "{'A': {'B': 1}, 'B': {'C': 2}, 'C': {'A': 3}}",
        "{'A': {'B': 1}, 'B': {}, 'C': {}}",
        "{'A': {}}",
        "{}",
    ),
    "pairs": (
        "{'A': [('B', 1)], 'B': [('C', 2)], 'C': [('A', 3)]}",
        "{'A': [('B', 1)], 'B': [], 'C': []}",
        "{'A': []}",
        "{}",
    ),
    "indexed": ("[[1], [2], [0]]", "[[1], [], []]", "[[]]", "[]"),
}
FIRST_NODE, LAST_NODE, INNER_NODE = ("'A'", "0"), ("'D'", "3"), ("'B'", "1")

PREDICATES = {1: "lambda x: x > 2", 2: "lambda x, y: x < y", -1: "lambda *args: len(set(args)) == 1"}
FUNCTIONS = {
    0: "lambda: 5",
    1: "lambda x: x * 2",
    2: "lambda x, y: x + y",
    3: "lambda x, y, z: x + y * z",
    -1: "lambda *args: len(args)",
}
DATES = (
    "datetime.date(2024, 5, 3)",
    "datetime.date(2024, 6, 17)",
    "datetime.date(2024, 2, 29)",
    "datetime.date(2023, 12, 31)",
)
DATETIMES = (
    "datetime.datetime(2024, 5, 3, 10, 30)",
    "datetime.datetime(2024, 6, 17, 18, 0)",
    "datetime.datetime(2024, 2, 29, 10, 30)",
    "datetime.datetime(2023, 12, 31, 23, 59, 59)",
)
DURATIONS = ("datetime.timedelta(hours=2)", "datetime.timedelta(days=1, seconds=30)", "datetime.timedelta(minutes=45)")

# Names of parameters that say what stands in them.

INTERVAL_NAME = re.compile(r"\w*(interval|range|meeting|booking|span|slot)s?\w*")
CONVERTER_NAME = re.compile(r"(conv|convert|converter|cast|coerce|parser?|type_?|factory|loads?)")
PREDICATE_NAME = re.compile(r"pred(icate)?|cond(ition)?|(\w+_)?test(_func)?|filter(_func)?|matcher?|is_\w+")
VARIABLES_NAME = re.compile(r"var_?dict|variables?|context|namespace|substitutions?|replacements?|bindings?|env(iron)?")
POSITION_NAME = re.compile(r"(start_?)?(pos|position|offset)(ition)?|cursor")
END_NAME = re.compile(r"(end|stop|finish|until|hi|high|max(imum)?|upper|last)(_\w+)?|\w+_(end|stop|max|until)")
BITS_NAME = re.compile(r"(\w+_)?bits?(_\w+)?")
SHARE_NAME = re.compile(r"(\w+_)?(rate|ratio|discount|share|percent(age)?|probability|fraction|margin|vat)")
LETTER_NAME = re.compile(r"(ch|char|character|letter|symbol|digit)")
# Names whose texts have a form of their own, in the table of type_inference; other names suggest a word.
PLAIN_TEXT = frozenset({"'hello world'", "'name'"})
NAME_OF = re.compile(r"([a-z]{3,})_name")
# Names of texts that stand before a line, and for what was cut off.
INDENT_NAME = re.compile(r"(\w+_)?(indent(ation)?|bullet)")
# What puts values in order is given one of them.
KEY_NAME = re.compile(r"key|key_?func(tion)?|sort_?key")
# Keys that differ from item to item, by the kind of the items.
KEY_FUNCTIONS = {
    "text": ("len", "str.lower", "lambda text: text[-1]"),
    "integer": ("lambda x: -x", "lambda x: x % 3"),
    "real": ("lambda x: -x", "round"),
}
ELLIPSIS_NAME = re.compile(r"placeholder|ellipsis|continuation|(truncation_)?marker")


def graph_sources(domain: ParameterDomain) -> list[str]:
    """Graphs of a domain, as source: the plainest first, an empty one last."""
    at = 1 if domain.element is not None and domain.element.kind == "integer" else 0
    if domain.style == "edges":
        length = domain.length or 2
        weights = ("4", "1", "2")
        pairs = (("0", "1"), ("0", "2"), ("2", "1")) if at else (("'A'", "'B'"), ("'A'", "'C'"), ("'C'", "'B'"))
        rows = [
            ", ".join([*pair, *([weight] if length > 2 else [])]) for pair, weight in zip(pairs, weights, strict=True)
        ]
        return [f"[{', '.join(f'({row})' for row in rows)}]", f"[({rows[0]})]", "[]"]
    style = domain.style or "list"
    # Nodes of one kind: those of another parameter are chosen from the first graph.
    companions = _GRAPH_COMPANIONS[style] if not at else ()
    return [_GRAPHS[style][at], *companions, "[]" if style == "indexed" else "{}"]
