"""Sample texts in the formats that programs read: which of them a parameter takes is found by trying them.

The words that a module uses of itself put the formats first that they name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..model.model import ModuleFacts


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format with sample texts.

    Attributes:
        words: words that name it, in names and documents; a regular expression.
        texts: samples, the plainest first.
    """

    words: str
    texts: tuple[str, ...]


_FORMATS = (
    TextFormat(
        r"\w*env|config(uration)?|settings?|propert(y|ies)|assign(ment)?s?|bindings?|shell|export",
        (
            "name=value",
            "name='some value'",
            'name="some value"',
            "export name=value",
            "name = value  # comment",
            "# comment\nname=value\n",
            "first=one\nsecond=two\n",
            'name="first line\\nsecond line"',
            "name=${other}",
        ),
    ),
    TextFormat(r"ini|cfg|sections?|toml", ("[section]\nname = value\n", 'name = "value"\nsize = 3\n')),
    TextFormat(
        # A good record stands behind the broken one: only so it shows that reading goes on.
        r"jsonl\w*|ndjson|jsonlines?",
        (
            '{"name": "Ada"}\n{"name": "Bob"}\n',
            '{"name": "Ada"}\nbroken\n{"name": "Bob"}\n',
        ),
    ),
    TextFormat(r"json|schema|payload|decode[rs]?", ('{"name": "Ada", "age": 36}', "[1, 2, 3]", '"text"')),
    TextFormat(r"ya?ml|front_?matter", ("name: Ada\nage: 36\n", "- first\n- second\n")),
    TextFormat(
        r"csv|tsv|table|tabular|delimiter|columns?", ("name,age\nAda,36\nBob,41\n", "name\tage\nAda\t36\n", "a,b,c")
    ),
    TextFormat(
        r"intervals?|ranges?|bounds?|spans?",
        ("[1,2]", "(1,5)", "[1,5)", "[1,2] | [4,6]", "1-3,5", "1..5", "[1]"),
    ),
    TextFormat(
        r"sql|quer(y|ies)|statements?|database|tokens?",
        (
            "SELECT name FROM users WHERE id = 1",
            "SELECT name, age FROM users ORDER BY name; -- comment",
            "INSERT INTO users (name) VALUES ('Ada')",
        ),
    ),
    TextFormat(
        r"x?html?|xml|tags?|markup|elements?|dom|links?",
        (
            "<p>Hello <b>world</b></p>",
            '<a href="https://example.com">link</a>',
            '<item id="1">text</item>',
            "a &amp; b",
        ),
    ),
    TextFormat(
        r"markdown|md|rst|inline|blocks?|headings?|links?|labels?",
        (
            '(https://example.com "title")',
            "[label]: https://example.com",
            "<https://example.com>",
            ' "title")',
            "# Title\n\nSome *plain* text.\n",
            "- first\n- second\n",
            "[link](https://example.com)",
            "`code`",
            "> quoted",
        ),
    ),
    TextFormat(r"ur[il]_?templates?|expand|route\w*|rules?", ("/users/{name}", "{name}", "/users{?name,page}")),
    TextFormat(
        r"ur[il]s?|links?|http|host(name)?s?|domains?|netloc|scheme|quer(y|ies)",
        (
            "https://example.com/path?page=2#top",
            "http://user@example.com:8080/",
            "/path/to/page",
            "a=1&b=2",
            "example.com",
        ),
    ),
    TextFormat(r"e?mails?|address(es)?", ("ada@example.com", "Ada Lovelace <ada@example.com>")),
    TextFormat(
        r"paths?|files?|file_?names?|dirs?|folders?|globs?|ext",
        ("docs/notes.txt", "notes.tar.gz", "/usr/lib/notes", "*.txt"),
    ),
    TextFormat(
        r"dates?|datetimes?|times?|iso\w*|timestamps?|calendar",
        ("2024-05-03", "2024-05-03T10:30:00Z", "10:30:15", "May 3, 2024", "20240503"),
    ),
    TextFormat(
        r"durations?|intervals?|timedeltas?|periods?|elapsed", ("P1DT2H30M", "PT45S", "2 hours", "1d 2h", "1h30m")
    ),
    TextFormat(
        r"versions?|semantic|releases?|requirements?|specifiers?|constraints?",
        ("1.2.3", "1.2.3-rc.1+build.5", "2.0", ">=1.2,<2.0", "package==1.2.3", "^1.2", "v1.2.3"),
    ),
    TextFormat(
        r"num(ber)?s?|numeric|float|int(eger)?s?|decimal|amounts?|digits?|roman|currency|money",
        ("42", "-3.5", "1,234.50", "1e3", "0x1f", "XIV", "50%", "$12.50", "3/4"),
    ),
    TextFormat(
        r"expr(ession)?s?|math|calc\w*|formulas?|equations?|eval\w*|operators?|precedence|arithmetic|infix|postfix",
        ("1 + 2 * 3", "(4 - 1) / 3", "x ** 2", "2 3 + 4 *", "a and not b", "a == 1 or b < 2"),
    ),
    TextFormat(
        r"paths?|select(or)?s?|attr(ibute)?s?|lookup|pointer|getters?",
        ("name", "user.name", "items[0].name", "/items/0/name", "items[*].id", "div.note > a"),
    ),
    TextFormat(
        r"templates?|formats?|fmt|interpolat\w*|placeholders?|subst\w*",
        ("Hello {name}", "{} of {}", "Hello %s", "Hello $name", "{{ name }}", "{0:.2f}", "{user.name}"),
    ),
    TextFormat(
        r"regex(p|es)?|patterns?|match(er|es)?|wildcards?|gitignore",
        ("[a-z]+", r"\d{3}-\d{4}", "^(a|b)*$", "*.txt", "!docs/**"),
    ),
    TextFormat(r"cron\w*|schedules?|crontab", ("*/5 * * * *", "0 9 * * 1-5", "30 2 1 1 *")),
    TextFormat(r"colou?rs?|hex|rgb|palette|css", ("#ff8800", "#fa0", "rgb(1, 2, 3)", "red")),
    TextFormat(
        r"case|camel|snake|kebab|slugs?|identifiers?|words?|names?|titles?|plural\w*",
        ("some_name", "SomeName", "some-name", "Some Name", "someName", "HTTPServer"),
    ),
    TextFormat(r"ip|ipv[46]|networks?|cidr|mac", ("192.168.0.1", "10.0.0.0/8", "::1")),
    TextFormat(
        r"headers?|mime|content_?type|media|accept|cookies?",
        ("text/html; charset=utf-8", "Content-Type: text/html", "gzip, br;q=0.5", "id=1; Path=/"),
    ),
    TextFormat(
        r"lists?|items?|args?|split\w*|options?|arguments?|command|cli|usage",
        ("a, b, c", "--name=value -v file.txt", "git commit -m 'message'", "a b c", "a:b:c"),
    ),
    TextFormat(
        r"code|source|python|ast|indent\w*|lex(er)?|compile\w*",
        ("def add(a, b):\n    return a + b\n", "x = 1  # one\n", "total = f(a, b)"),
    ),
    TextFormat(r"bool\w*|flags?|truth\w*|strtobool", ("true", "no", "on")),
    TextFormat(r"sizes?|bytes?|units?|quantit(y|ies)|measures?", ("10 MB", "1.5 kB", "3 km", "5kg")),
    TextFormat(r"bin(ary)?|base_?\d*|encod\w*|checksum|hash\w*", ("1011", "SGVsbG8=", "48656c6c6f", "0b101")),
    TextFormat(r"brackets?|paren\w*|nest\w*|balanced", ("(a [b] {c})", "(()", "3[a2[c]]")),
    TextFormat(
        r"diffs?|patch\w*|hunks?",
        (
            "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n",
            "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n first\n-second\n+other\n third\n",
            "2c2\n< second\n---\n> other\n",
            "1a2\n> second\n",
            "2d1\n< second\n",
            "*** a\n--- b\n***************\n*** 1,2 ****\n  first\n! second\n--- 1,2 ----\n  first\n! other\n",
            "***************\n*** 1,2 ****\n  first\n! second\n--- 1,2 ----\n  first\n! other\n",
            "@@ -1,3 +1,3 @@\n first\n-second\n+other\n third\n",
            "*** old.txt\t2024-05-03 10:30:00\n--- new.txt\t2024-05-04 18:00:00\n",
            "diff --git a/notes.txt b/notes.txt\nindex 3b18e51..a5c1966 100644\n--- a/notes.txt\n+++ b/notes.txt\n"
            "@@ -1 +1 @@\n-old\n+new\n",
        ),
    ),
    TextFormat(
        r"log\w*|access", ('127.0.0.1 - - [03/May/2024:10:30:00 +0000] "GET / HTTP/1.1" 200 5', "ERROR main: not found")
    ),
    TextFormat(
        r"text\w*|wrap\w*|paragraphs?|sentences?|lines?|align\w*|justif\w*",
        (
            "The quick brown fox jumps over the lazy dog.",
            "first line\nsecond line\n\nthird line\n",
            "  indented\n    more\n",
        ),
    ),
)
_WORD = re.compile(r"[A-Za-z]+\d?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
ALL_TEXTS = frozenset(text for one in _FORMATS for text in one.texts)


def format_texts(words: Iterable[str], most: int) -> tuple[str, ...]:
    """Returns at most `most` sample texts: all of those formats that the words name, then one of each other format.

    Args:
        words: names and sentences, the most telling first.
    """
    named = _named(tuple(words))
    others = [one for one in _FORMATS if one not in named]
    texts = [text for one in named for text in one.texts]
    for at in range(max(len(one.texts) for one in _FORMATS)):
        texts += [one.texts[at] for one in others if at < len(one.texts)]
    return tuple(dict.fromkeys(texts))[:most]


def named_texts(words: Iterable[str]) -> frozenset[str]:
    """Returns the sample texts of the formats that words name."""
    return frozenset(text for one in _named(tuple(words)) for text in one.texts)


def fitting_texts(facts: ModuleFacts) -> frozenset[str]:
    """Returns the sample texts of the formats that a module's names and documents speak of."""
    names = [name for one in facts.callables() for name in (one.name, *(item.name for item in one.parameters))]
    summaries = [one.documentation.summary for one in facts.callables()]
    return named_texts([facts.module, *names, *(owner.name for owner in facts.classes), *summaries])


@lru_cache(maxsize=512)
def _named(words: tuple[str, ...]) -> tuple[TextFormat, ...]:
    """Returns the formats that words name, the first words' first; cached, because candidates are ranked many times."""
    rank: dict[str, int] = {}
    for text in words:
        for word in _WORD.findall(_CAMEL.sub(" ", text).replace("_", " ")):
            rank.setdefault(word.lower(), len(rank))
    found: list[tuple[int, TextFormat]] = []
    for one in _FORMATS:
        places = [place for word, place in rank.items() if re.fullmatch(one.words, word)]
        if places:
            found.append((min(places), one))
    return tuple(one for _, one in sorted(found, key=lambda item: item[0]))
