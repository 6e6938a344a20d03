"""What is filled into the fields of a form, whatever a page says of them."""

from __future__ import annotations

import pytest

from testwright.engine.browser.explore.values import fitting_value, limits_of, refusable_values
from testwright.engine.browser.model.page import Field, _field

pytestmark = pytest.mark.feature("T-20")


def read(kind: str, maximum: str) -> Field:
    """A field as the browser tells it."""
    texts = {"tag": "input", "type": kind, "label": "Pieces", "min": "", "max": maximum, "value": "", "options": []}
    plain = dict.fromkeys(("field", "placeholder", "test_id", "pattern", "autocomplete"), "")
    switches = dict.fromkeys(("required", "disabled", "checked", "valid", "invalid", "focused"), False)
    return _field({**texts, **plain, **switches, "form": 0, "maxlength": 0})


@pytest.mark.parametrize(
    ("kind", "maximum", "limits"),
    [
        ("number", "20", [20]),
        ("number", "-3", []),
        ("number", "²", []),
        ("number", "9" * 5000, []),
        ("text", "4000000000", []),
        ("date", "2030", []),
    ],
)
def test_limits_are_numbers_that_a_person_could_mean_on_fields_for_numbers(kind, maximum, limits):
    field = read(kind, maximum)
    assert limits_of(field) == limits
    assert all(len(one.value) < 100 for one in refusable_values(field))
    assert fitting_value(field) is not None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Field("textarea", "Message"), "Every morning before nine."),
        (Field("text", "Package"), "A plain text"),
        (Field("text", "Birthday"), "2030-05-17"),
        (Field("text", "", name="customerName"), "Ada Lovelace"),
        (Field("text", "", name="first_name"), "Ada"),
        (Field("text", "Tags"), "garden"),
        (Field("text", "Project identifier"), "garden"),
        (Field("text", "Telephone"), "030 1234567"),
        (Field("text", "Age"), "2"),
    ],
)
def test_a_value_fits_the_words_of_a_label_and_no_part_of_a_word(field, value):
    assert fitting_value(field) == value
