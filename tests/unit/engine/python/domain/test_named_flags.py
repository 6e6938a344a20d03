"""A parameter that code masks with named flags takes those, and no bare numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.domain.phrases import domain_of_phrase
from testwright.engine.python.model.model import Trial
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-16")

OPTIONS = "Options = __import__('collections').namedtuple('Options', 'FOLD SIGNED REAL')\nopts = Options(1, 2, 4)\n"
SOURCE = '''
import enum
from typing import Union
from options import opts
from options import opts as settings

class Mode(enum.IntFlag):
    FAST = 1
    STRICT = 2

def chosen(alg):
    if alg & opts.REAL:
        alg &= opts.REAL | opts.SIGNED
    return alg

def folding(alg: int, text: str):
    return str.lower if alg & opts.FOLD else passed(alg)

def passed(alg):
    return alg & opts.SIGNED

def fast(flags: int = 0):
    return bool(flags & Mode.FAST)

def renamed(flags):
    return flags & settings.FOLD

def masked(bits):
    return bits & 7

class Case(enum.IntEnum):
    IGNORED = 1
    LOWER_FIRST = 2

CaseType = Union[Case, int]

def folded(case: CaseType = Case.IGNORED):
    return case

def by_default(case=Case.IGNORED):
    return case

def shown(flags):
    """Tells whether the first flag is set.

    >>> shown(5)
    True
    """
    return bool(flags & Mode.FAST)
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE, "options.py": OPTIONS})
    return context_of(root, "m.py")


def values_of(project, subject: str) -> list[tuple[str, tuple[str, ...]]]:
    facts, context = project
    one = next(one for one in facts.callables() if one.qualname == subject)
    return [(it.source, it.imports) for it in context.values.for_parameter(one, one.parameters[0])]


@pytest.mark.parametrize(
    ("subject", "first", "imports"),
    [
        pytest.param("chosen", "opts.REAL", "from options import opts", id="members of an imported object"),
        pytest.param("folding", "opts.FOLD", "from options import opts", id="declared as a number"),
        pytest.param("fast", "Mode.FAST", "from m import Mode", id="an enumeration of the module"),
        pytest.param("renamed", "settings.FOLD", "from m import settings", id="imported by another name"),
    ],
)
def test_a_named_flag_is_passed_with_its_import(project, subject, first, imports):
    assert values_of(project, subject)[0] == (first, (imports,))


def test_flags_are_passed_together_also_those_of_what_a_value_is_passed_on_to(project):
    assert "opts.REAL | opts.SIGNED" in [source for source, _ in values_of(project, "chosen")]
    assert "opts.FOLD | opts.SIGNED" in [source for source, _ in values_of(project, "folding")]


@pytest.mark.parametrize("subject", ["folded", "by_default"])
def test_only_members_are_passed_where_an_annotation_or_a_default_names_an_enumeration(project, subject):
    assert values_of(project, subject) == [("Case.LOWER_FIRST", ("from m import Case",))]


def test_a_bare_number_is_outside_an_enumeration(project):
    facts, context = project
    facts = replace(facts, domains=context.domains)
    assert count_outside(Trial("folded", "folded(case=20)"), facts) == 1
    assert count_outside(Trial("folded", "folded(case=Case.LOWER_FIRST | Case.IGNORED)"), facts) == 0


@pytest.mark.parametrize("subject", ["masked", "shown"])
def test_numbers_are_passed_where_the_mask_is_one_and_where_a_document_passes_them(project, subject):
    first, _ = values_of(project, subject)[0]
    assert first.isdigit()


def test_a_list_of_bools_holds_booleans():
    domain = domain_of_phrase("a list of bools")
    assert (domain.kind, domain.element and domain.element.kind) == ("sequence", "boolean")
