"""The words of requests: patterns by role, tried in order at the start of each word.

A word that no pattern takes is a mention: it may name a file, a folder, a package, a module or a symbol. The list of
words without a meaning of their own is closed, and none of them may change what is tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Role = Literal[
    "untested",
    "changed",
    "complex",
    "criterion",
    "existing",
    "action",
    "depth",
    "framework",
    "language",
    "type",
    "maybe_type",
    "exclude",
    "excluded",
    "include",
    "whole",
    "whole_noun",
    "and",
    "verb",
    "place",
    "noun",
    "filler",
    "mention",
    "punctuation",
]

AVAILABLE_FRAMEWORKS = ("pytest", "unittest")
LOAD_FRAMEWORKS = ("locust",)
"""What load tests are written for, and nothing else."""
SCRIPT_FRAMEWORKS = ("jest",)
"""What unit tests of scripts are written for."""
BROWSER_FRAMEWORKS = ("playwright", "maestro")
"""What browser tests, and those of a whole repository at a depth, are written for besides pytest."""
SPELLINGS = {"pytest-playwright": "pytest", "@playwright/test": "playwright", "playwright test": "playwright"}
"""Other names of frameworks."""

OTHER_FRAMEWORKS = (
    "vitest mocha jasmine ava karma cypress selenium puppeteer webdriver appium espresso xcuitest behave cucumber "
    "gherkin nose nose2 doctest doctests hypothesis schemathesis tavern k6 jmeter gatling junit testng nunit "
    "xunit rspec phpunit minitest robot\\s+framework pytest-bdd testcafe webdriverio detox"
).split()
_FRAMEWORKS = (
    *AVAILABLE_FRAMEWORKS,
    *LOAD_FRAMEWORKS,
    *SCRIPT_FRAMEWORKS,
    *BROWSER_FRAMEWORKS,
    *SPELLINGS,
    *OTHER_FRAMEWORKS,
)
TYPE_OF_FRAMEWORK = {"playwright": "e2e", "maestro": "e2e", "locust": "performance"}

_END = r"(?=[\s,;!?()]|[.:](?:\s|$)|['’]s\b|$)"
_TESTS = r"[- ]?(?:tests?|testing|test\s+(?:suites?|cases?)|suites?|checks?)"
_OTHER_KINDS = (
    r"property(?:[- ]based)?|fuzz(?:ing)?|mutation|security|penetration|accessibility|a11y|snapshot|visual|contract|"
    r"smoke|acceptance|functional|system|usability|chaos|component|ui|gui|manual|golden|approval|bdd|compatibility"
)
_NOUN = r"(?:module|package|file|folder|director(?:y|ie)|class(?:es)?|function|symbol)s?"
_SUBJECT = (
    r"(?:(?:only|just)\s+)?(?:(?:the|those|all)\s+)?"
    r"(?:(?:what|whatever|everything|all|code|functions?|classes|methods?|modules?|files?|things?|parts?)\s+)?"
    r"(?:(?:that|which|i|we|you|somebody)\s+)?"
)
_SINCE = (
    r"(?:\s+(?:since|after|against|compared\s+(?:to|with)|relative\s+to)\s+(?:(?:the\s+)?(?:commit|branch|tag)\s+)?"
    r"(?:(?P<last>the\s+(?:last|latest|previous)\s+commit)|(?P<ref>[\w\x00][\w./~^@{}\x00-]*[\w\x00}^~]|\w)))?"
)
_MANY = r"(?:(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)\s+)?"

NUMBERS = {word: number for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)}

_FILLER = """
    a about any anything apart as at be been being both by can carefully cheers complete completely could deeply
    directly did do does each every exists for from fully further get give gives go good have has hello her here hey
    hi his how i if into is it itself its just kindly know let like love me might more much my need needs neat nice
    nicely now of on one or our ours out over own per please possible proper properly quick quickly quite really run
    same shall she should so some solid something still such sure tell thank thanks that the their them themselves
    then there these they thing things this those thorough thoroughly to together today too try until up us use useful
    very want wants was we well were what when where whether which while who whole-heartedly whose will wish work
    works worked working would yet you your are an am in with new readable maintainable meaningful small short
    existing corresponding different various own current actually basically currently especially mainly mostly
    particular else automated automatic automatically behave behaves behaviour behaviors behaviours behavior
    breaks broken break fails happens regression unit-level sanity comprehensive exhaustive rigorous robust sensible
    realistic representative idiomatic well-named well-structured
"""
_NOUNS = """
    case cases class classes code codebases coverage covered directory directories example examples file files folder
    folders function functions implementation logic method methods module modules package packages path paths python
    source sources subpackage submodule submodules suite suites symbol symbols test tests testing testcase testcases
    tested part parts area areas component components
"""
_ACTIONS = """
    fix delete remove refactor rename rewrite debug document optimise optimize migrate deploy explain format lint commit
    repair translate simplify
"""
"""What a person may want done with code and testwright does not do."""
_SAID_OF_TESTS = "the|my|our|those|old|existing|current|failing|broken|flaky|slow"
_ON_TESTS = r"fix|repair|delete|remove|refactor|rewrite|rename|debug|clean\s+up"
_VERBS = """
    write generate create make add produce build develop draft cover check verify validate exercise plan improve
    increase raise extend ensure prove find test writing generating creating making adding covering checking verifying
    validating exercising testing include including
"""


def _words(text: str) -> str:
    return "|".join(re.escape(word) for word in sorted(set(text.split()), key=len, reverse=True))


_PATTERNS: tuple[tuple[Role, str, str], ...] = (
    ("whole", "", r"(?:all\s+)?the\s+rest(?:\s+of\s+(?:it|them))?(?!\s+(?:api|endpoint|interface|service|test))"),
    (
        "criterion",
        "",
        r"(?:at\s+(?:most|least)|up\s+to|no\s+more\s+than|fewer\s+than|less\s+than|more\s+than)\s+[\w%]+(?:\s+tests?)?"
        r"|(?:exactly\s+)?\d+\s+(?:more\s+)?(?:unit\s+)?(?:tests?|test\s+cases?)",
    ),
    (
        "existing",
        "",
        rf"(?:(?:re-?)?run|execute)\s+(?:(?:all|{_SAID_OF_TESTS})\s+)+tests?"
        rf"|(?:{_ON_TESTS})\s+(?:(?:all|unit|{_SAID_OF_TESTS})\s+)*tests?",
    ),
    # Openers of an exclusion that a shorter pattern would take apart.
    ("include", "", r"not\s+(?:only|just)|nothing\s+(?:but|except|other\s+than|else|more)"),
    (
        "exclude",
        "",
        r"(?:(?:there\s+(?:is|are)|(?:i|we|you)\s+(?:have|see))\s+)?no\s+need\s+(?:to\s+(?:test|cover|write\s+tests?\s+for"
        r"|include)|for(?:\s+tests?\s+(?:for|of))?)",
    ),
    ("exclude", "", r"(?:with(?:out)?\s+)?(?:no|without|any)\s+tests?\s+(?:for|of|in|on)"),
    (
        "untested",
        "",
        # "no tests" alone says what is not wanted, not what is to be tested.
        r"(?!no\s+(?:unit\s+)?(?:tests?|coverage)\s*(?:$|[,.;!?])|no\s+(?:unit\s+)?(?:tests?|coverage)\s+(?!yet|so\s|at\s+all))"
        + _SUBJECT
        + r"(?:(?:has|have|having|is|are|with|currently)\s+)?(?:still\s+)?"
        r"(?:no\s+(?:unit\s+)?(?:tests?|coverage)(?:\s+(?:yet|so\s+far|at\s+all))?"
        r"|without\s+(?:any\s+|unit\s+)?(?:tests?|coverage)(?:\s+(?:yet|so\s+far))?|untested(?:\s+(?:code|modules?|functions?"
        r"|parts?|files?))?|(?:not|never|isn't|aren't)\s+(?:yet\s+)?(?:tested|covered)(?:\s+by\s+(?:any\s+)?tests?)?(?:\s+yet)?"
        r"|lack(?:s|ing)?\s+(?:any\s+)?tests?|(?:has|have)n't\s+(?:got\s+)?(?:any\s+)?tests?(?:\s+yet)?"
        r"|(?:(?:is|are)\s+)?missing\s+(?:unit\s+)?tests?|uncovered(?:\s+code)?)",
    ),
    (
        "changed",
        "",
        _SUBJECT + r"(?:(?:has|have|was|were|is|are|'ve)\s+)?(?:been\s+)?(?:recently\s+|just\s+)?"
        r"(?:(?:changed|modified|edited|touched)(?:\s+(?:code|files?|functions?|modules?|lines?))?|"
        r"(?:my|our|the|uncommitted|local)\s+(?:uncommitted\s+|local\s+|latest\s+|recent\s+)?(?:changes|diff|modifications|"
        r"edits))(?:\s+(?:only|made))?" + _SINCE,
    ),
    (
        "complex",
        "",
        rf"(?:(?:only|just)\s+)?(?:the\s+|our\s+|its\s+)?{_MANY}most\s+(?:complex|complicated|intricate|branched)"
        rf"(?:\s+(?P<what>modules?|files?|functions?|methods?|classes|class|parts?|code|ones?|pieces?))?",
    ),
    (
        "criterion",
        "",
        rf"(?:(?:only|just)\s+)?(?:the\s+|its\s+)?{_MANY}(?:(?:most|least|best|worst)\s+(?!of\b)[\w-]+|biggest|largest|longest|slowest|"
        r"riskiest|newest|oldest|smallest|easiest|hardest)(?:\s+(?:modules?|files?|functions?|methods?|classes|parts?|code|paths?))?"
        r"|(?:only|just)\s+(?:for\s+|of\s+|the\s+|its\s+|public\s+)*(?:functions?|class(?:es)?|methods?|happy\s+paths?|edge\s+cases|error\s+cases"
        r"|error\s+paths?)"
        r"|(?:(?<=for )|(?<=of )|(?<=test )|(?<=tests ))(?:the\s+)?(?:functions|classes|methods)\s+(?:only|alone)"
        r"|(?:private|internal|protected|async|asynchronous|important|critical|core|key)\s+"
        r"(?:functions?|methods?|class(?:es)?|parts?|paths?|code|modules?|logic|helpers?)",
    ),
    (
        "depth",
        "",
        r"(?:at\s+|with\s+|to\s+)?(?:the\s+)?(?:(?P<before>smoke|core|standard|deep)[- ](?:depth|level)|"
        r"depth(?:[- ]level)?(?:\s+of)?:?\s+(?P<after>smoke|core|standard|deep))",
    ),
    (
        "framework",
        "",
        r"(?P<with>(?:written\s+)?(?:with|using|use|in|via|through|as|by\s+means\s+of)\s+)?(?:the\s+)?(?P<name>"
        + "|".join(sorted(_FRAMEWORKS, key=len, reverse=True))
        + rf")(?P<tests>{_TESTS})?(?:[- ]style)?(?:\s+(?:framework|flows?|scripts?))?",
    ),
    ("language", "", r"(?:(?:written\s+)?(?:in|as)\s+)typescript"),
    ("type", "e2e", rf"(?:e2e|end[- ]to[- ]end|browser|user[- ]flows?){_TESTS}|e2e|end[- ]to[- ]end|user[- ]flows?"),
    (
        "type",
        "performance",
        r"(?:performance|load|stress|spike|soak|benchmark)[- ](?:tests?|testing)|benchmarks?"
        r"|(?:behave\w*\s+)?under\s+load",
    ),
    ("type", "property", rf"(?:{_OTHER_KINDS}){_TESTS}"),
    (
        "type",
        "integration",
        rf"integrat(?:ion|ed){_TESTS}|works?\s+(?:across|together)(?:\s+modules)?|across\s+modules"
        r"|integration(?!\s+" + _NOUN + ")",
    ),
    ("type", "api", rf"(?:the\s+)?(?:rest\s+|http\s+|web\s+)?(?:api|http|rest|endpoints?|openapi|routes?){_TESTS}"),
    ("maybe_type", "api", rf"(?:rest\s+|http\s+|web\s+)?(?:apis?|endpoints?|openapi|rest|http)(?!\s+{_NOUN}\b)"),
    ("maybe_type", "performance", rf"performance(?!\s+{_NOUN}\b)"),
    ("maybe_type", "performance", r"load(?=\s*(?:[,;.!?]|$)|\s+(?:and|then|plus|followed)\b)"),
    ("maybe_type", "e2e", rf"browser(?!\s+{_NOUN}\b)"),
    ("type", "unit", rf"unit{_TESTS}|unit(?!\s+{_NOUN}\b)"),
    (
        "excluded",
        "",
        r"(?:(?:is|are|can|should|may|to|shall|must)\s+)?(?:be\s+)?(?:excluded|left\s+out|left\s+alone|excepted|omitted|skipped|"
        r"ignored)|(?:(?:should|must|need|do|does|is|are)(?:\s+not|n't))\s+(?:be\s+)?(?:tested|covered|needed|included|touched"
        r"|need(?:\s+any)?\s+tests?)|needs?\s+no\s+(?:unit\s+)?tests?|out(?!\s+of\b)|aside(?!\s+from\b)|alone|untouched",
    ),
    (
        "exclude",
        "",
        r"with\s+the\s+exception\s+of|except(?:\s+for|ing)?|exclud(?:e|ing)|exclusive\s+of|other\s+than|rather\s+than|"
        r"instead\s+of|apart\s+from|aside\s+from|all\s+but|save\s+for|barring|minus|leav(?:e|ing)(?:\s+(?:out|aside))?|"
        r"skip(?:ping)?|omit(?:ting)?|ignor(?:e|ing)|drop(?:ping)?|avoid(?:ing)?|without|but\s+(?:not|no|without|never)|"
        r"(?:please\s+)?(?:(?:do|does|should|must|need)(?:\s+not|n't)|never)(?:\s+(?:want|need|include|bother|touch|test|cover|"
        r"write|generate|create|add|look|go)(?:\s+(?:to|with|at|into|for|any|tests?))*)?|not|no|nor|neither|non",
    ),
    ("criterion", "", r"nothing|none"),
    ("include", "", r"only|just|but|however|also|too|as\s+well(?:\s+as)?|in\s+addition(?:\s+to)?|additionally|still"),
    ("whole", "", r"(?:everything|all)\s+else"),
    # "like the other tests" and "in the style of the others" say how to test.
    (
        "whole",
        "",
        r"(?<!like )(?<!as )(?<!the )(?:(?<!of )|(?<=tests of ))"
        r"(?:(?:all\s+(?:the\s+)?|the\s+)others|(?:all\s+)?(?:the\s+)?other\s+modules?)",
    ),
    ("whole", "", r"everything|all(?:\s+of\s+(?:it|them))?|whole|entire|complete"),
    ("whole_noun", "", r"project|repository|repo|codebase|code\s+base|root"),
    (
        "and",
        "",
        r"and(?:/or)?|then|plus|&|\+|or|followed\s+by|first|second(?:ly)?|finally|afterwards|next|after\s+that",
    ),
    (
        "filler",
        "",
        r"(?:edge|corner|border|boundary|error|failure|happy|sad|good|bad)[- ](?:cases?|paths?|handling|conditions?)|"
        r"happy\s+and\s+sad\s+paths?|round[- ]?trips?|(?:sanity|boundary)[- ](?:checks?|values?)|"
        r"high(?:er)?[- ]quality|regression\s+tests?|"
        r"as\s+(?:much|many|far|well)\s+as\s+possible|"
        r"from\s+scratch|if\s+(?:you\s+can|possible)|test\s+(?:coverage|cases?|suites?)|tests?\s+(?:coverage|cases?|suites?)|"
        r"public\s+(?:functions?|methods?|class(?:es)?|symbols?|interface)|source\s+code|(?:i|we)\s+would\s+like|i'd|we'd|let's"
        r"|can't|what's|it's|that's|(?:while\s+)?(?:you're|you\s+are)\s+at\s+it|i'm|for\s+me|of\s+(?:mine|ours|yours)|in\s+full",
    ),
    ("action", "", _words(_ACTIONS)),
    ("verb", "", _words(_VERBS)),
    ("place", "", r"in|of|from|inside|within|below|under"),
    ("noun", "", _words(_NOUNS)),
    ("filler", "", _words(_FILLER)),
)
PATTERNS: tuple[tuple[Role, str, re.Pattern[str]], ...] = tuple(
    (role, value, re.compile(f"(?:{text}){_END}", re.IGNORECASE)) for role, value, text in _PATTERNS
)

WEAK = frozenset(
    (
        "service services app apps application applications program programs line command command-line server system "
        "site sites website websites webapp backend back-end"
    ).split()
)
"""Everyday words that name something only where no other word does."""


def means_program(texts: Iterable[str]) -> bool:
    """Whether everyday words mean the project's program: "the program", "the command line"."""
    words = set(re.split(r"[\s-]+", " ".join(texts).lower()))
    return not words.isdisjoint({"program", "programs"}) or words >= {"command", "line"}
