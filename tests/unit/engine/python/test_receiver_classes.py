"""What is passed to a method of one class is no example for those of the same name of others."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import Observation, Trial, Value
from testwright.engine.python.search.called_results import result_calls
from testwright.engine.python.usage.harvest import Harvester
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
class Path:
    def __init__(self, path="", strict=False):
        self.strict = strict
        self.segments = path.split("/")

    def add(self, path):
        self.segments.append(path)
        return self

class Query:
    def __init__(self, query=""):
        self.items = query

    def add(self, args, fragment=None):
        self.items += args
        return self

class Page:
    def __init__(self, url):
        self.path = Path(url)
        self.query = Query("")

    def add(self, args=None, path=None, host=None):
        return self

    def first(self):
        return self.query if self.query.items else self.path

    def clean(self):
        return Path("a")

def join(base, url):
    if url.startswith("//"):
        return base.partition("//")[0] + url
    return base if base == url else url

def keep(**names):
    def decorator(func):
        func.names = names
        return func
    return decorator

def quoted(mark):
    def quote(word):
        return mark + word + mark
    return quote
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE})


def given(project, *arrange: str, act: str) -> dict[str, list[str]]:
    """What a documented call gives the methods named `add`, by class and parameter."""
    harvest = Harvester(facts_of(project, "m.py")).read([Trial("Page.add", act, arrange=arrange, source="doctest")])
    calls = {key: values for key, values in harvest.arguments.items() if key[0].endswith(".add")}
    return {f"{one}.{name}": [value.source for value in values] for (one, name), values in calls.items()}


@pytest.mark.parametrize(
    ("act", "arrange", "found"),
    [
        pytest.param("page.add('a')", ("page = Page('x')",), {"Page.add.args": ["'a'"]}, id="an object in a variable"),
        pytest.param("page.path.add('a')", (), {"Path.add.path": ["'a'"]}, id="an attribute named as a class"),
        pytest.param("Query().add('a').add('b')", (), {"Query.add.args": ["'b'", "'a'"]}, id="one call upon another"),
        pytest.param("Page('x').first().add({'a': 1})", (), {}, id="what a method returns that is not its object"),
        pytest.param("Page('x').clean().add('a')", (), {"Path.add.path": ["'a'"]}, id="an object that a method makes"),
        pytest.param("it.add('a')", ("it = Page('x')", "it = make()"), {}, id="a variable that is bound anew"),
        pytest.param("it.add('a')", ("it = Page('x')", "for it in all_of(): pass"), {}, id="a variable of a loop"),
        pytest.param("it.add(host='a')", (), {"Page.add.host": ["'a'"]}, id="a keyword that one class takes"),
        pytest.param("it.add({'a': 1})", (), {}, id="an object of which nothing is known"),
        pytest.param("make().add({'a': 1})", (), {}, id="what an unknown function returns"),
    ],
)
def test_an_argument_belongs_to_the_class_of_the_object(project, act, arrange, found):
    assert given(project, *arrange, act=act) == found


def domain_of(project, subject: str, name: str):
    _, context = context_of(project, "m.py")
    return next(one for one in context.domains if one.qualname == subject).of(name)


def test_a_text_that_is_compared_with_another_is_no_letter_of_it(project):
    assert [domain_of(project, "join", name).preconditions for name in ("base", "url")] == [(), ()]


def test_a_parameter_that_is_only_stored_is_the_flag_that_its_default_is(project):
    assert domain_of(project, "Path", "strict").kind == "boolean"


def calls_of(project, subject: str, act: str) -> list[str]:
    seen = Observation("returned", value=Value("types.FunctionType", text="<function>"))
    return [trial.act for trial in result_calls(Trial(subject, act), seen, facts_of(project, "m.py"))]


def test_what_decorates_a_function_is_given_nothing_else(project):
    assert "keep()(3)" not in calls_of(project, "keep", "keep()")
    assert "double(4)" in calls_of(project, "keep", "keep()")


def test_a_function_that_comes_back_is_given_what_its_parameter_is_called(project):
    assert calls_of(project, "quoted", "quoted('*')")[0] == "quoted('*')('kitten')"
