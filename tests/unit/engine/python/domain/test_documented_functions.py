"""A parameter is a function where a call passes one by its name, or the document of `__new__` calls it one."""

from __future__ import annotations

import pytest

from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-16")

SOURCE = '''
class Shelf:
    """A shelf that keeps books in order."""

    def __init__(self, books=None, key=None):
        """Makes a shelf.

        :param books: the first books
        """
        self.books = list(books or ())

    def __new__(cls, books=None, key=None):
        """Makes a shelf, or one with a key.

        :param books: whatever is put on it
        :param key: function used to extract a comparison key (optional)
        """
        return object.__new__(cls)

class Row:
    """A row of numbers.

    >>> from operator import neg
    >>> Row([3, 1], key=neg).first
    3
    """

    def __init__(self, numbers, key=None, label=None):
        self.first = sorted(numbers, key=key)[0]
        self.label = label
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return context_of(write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE}), "m.py")


@pytest.mark.parametrize(
    ("subject", "name", "kind"),
    [
        pytest.param("Shelf", "key", "callable", id="told by the document of __new__"),
        pytest.param("Row", "key", "callable", id="a function of a library"),
        pytest.param("Row", "label", "text", id="a name that nothing else speaks of"),
    ],
)
def test_a_key_is_a_function_where_something_says_so(project, subject, name, kind):
    _, context = project
    assert next(one for one in context.domains if one.qualname == subject).of(name).kind == kind


def test_a_function_that_orders_values_is_given_one(project):
    facts, context = project
    shelf = next(one for one in facts.callables() if one.qualname == "Shelf")
    values = context.values.for_parameter(shelf, shelf.parameters[1])
    assert values[0].source.startswith("lambda x: ")


def test_a_constructor_keeps_its_own_words_before_those_of_new(project):
    facts, _ = project
    shelf = next(one for one in facts.classes if one.name == "Shelf").constructor
    assert shelf is not None
    assert dict(shelf.documentation.parameters)["books"] == "the first books"
