"""Names of setup functions, tests and titles say what differs, never which one it is by number."""

import re
from dataclasses import replace

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import Proposal
from testwright.engine.api.probe.differences import differences, distinct_proposals
from testwright.engine.api.write.render_names import schema_names
from testwright.engine.api.write.setup_names import setup_key, setup_names


def creating(content, save="cart_id", **more):
    body = {"media_type": "application/json", "content": content}
    return {"method": "POST", "path": "/carts", "body": body, "save": {save: "/id"}, **more}


PLAIN = creating({"customer": "Ada"})


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (creating({"customer": "Grace"}), ["with_customer_grace"]),
        (creating({"customer": "x" * 40}), ["with_long_customer"]),
        (creating({"customer": "other.ada@example.com"}), ["with_other_customer"]),
        (creating({"customer": "{{a_customer_that_was_saved}}"}), ["with_customer_a_customer_that_was_saved"]),
        (creating({"customer": ""}), ["with_empty_customer"]),
        (creating({"customer": "2024-05-03"}), ["with_other_customer"]),
        (creating({"customer": "Ada", "pieces": -2}), ["with_pieces_minus_2"]),
        (creating({"customer": "Ada", "gift": False}), ["with_gift_false"]),
        (creating({"customer": "Ada", "tags": ["a", "b"]}), ["with_several_tags"]),
        (creating({"customer": None}), ["with_customer_null"]),
        (creating({}), ["without_customer"]),
        (creating({"customer": "Ada"}, auth="other_user"), ["as_other_user"]),
    ],
)
def test_what_a_request_does_differently_is_said_in_words(other, words):
    assert differences(other, PLAIN) == words


def test_the_commonest_request_has_the_plain_name_and_others_their_shortest_difference():
    both = creating({"customer": "Grace", "note": "late"})
    late = creating({"customer": "Ada", "note": "late"})
    grace = creating({"customer": "Grace"})
    requests = [both, late, PLAIN, PLAIN, grace]
    names = setup_names(requests)
    assert [names[setup_key(one)] for one in requests] == [
        "create_cart_with_customer_grace_and_note_late",
        "create_cart_with_note_late",
        "create_cart",
        "create_cart",
        "create_cart_with_customer_grace",
    ]


def test_one_function_serves_steps_that_differ_in_the_names_of_what_they_need_and_return():
    first, second = (
        {"method": "POST", "path": "/carts/{id}/pay", "path_parameters": {"id": f"{{{{{name}}}}}"}, "save": save}
        for name, save in (("cart_id", {"payment_id": "/id"}), ("other_cart_id", {"other_payment_id": "/id"}))
    )
    assert setup_names([first, second]) == {setup_key(first): "pay_cart"}


def test_users_that_are_the_caller_make_no_function_of_their_own():
    mine, theirs = creating({}, auth="user"), creating({}, auth="other_user")
    assert set(setup_names([mine, theirs], {"user", "other_user"}).values()) == {"create_cart"}
    assert set(setup_names([mine, theirs]).values()) == {"create_cart", "create_cart_as_other_user"}


def test_proposals_of_one_name_get_names_and_titles_that_tell_them_apart():
    document = {"openapi": "3.1.0", "paths": {"/carts": {"post": {"responses": {}}}}}
    [operation] = api_from_document(document, path="openapi.json").operations
    ada = Proposal(operation, "success", "makes a cart", "success", creating({"customer": "Ada"}))
    grace = replace(ada, request=creating({"customer": "Grace"}))
    found = distinct_proposals([ada, ada, grace])
    assert [one.name for one in found] == ["success", "success_with_customer_grace"]
    assert [one.title for one in found] == ["makes a cart", "makes a cart with customer grace"]


def test_a_step_that_is_taken_twice_before_is_said_once():
    document = {"openapi": "3.1.0", "paths": {"/carts": {"post": {"responses": {}}}}}
    [operation] = api_from_document(document, path="openapi.json").operations
    plain = Proposal(operation, "success", "makes a cart", "success", PLAIN)
    later = replace(
        plain, setup=(creating({"customer": "Grace"}, "first_id"), creating({"customer": "Bo"}, "other_id"))
    )
    assert distinct_proposals([plain, later])[1].name == "success_after_post"


def test_schemas_of_one_name_are_told_apart_by_their_operation():
    def case(path, schema):
        return {
            "operation": {"method": "GET", "path": path, "operation_id": f"read{path[1:].title()}"},
            "expect": [{"kind": "status", "statuses": [200]}, {"kind": "body_schema", "schema": schema}],
        }

    pets = {"$ref": "#/$defs/Item", "$defs": {"Item": {"type": "string"}}}
    toys = {"$ref": "#/$defs/Item", "$defs": {"Item": {"type": "integer"}}}
    names = list(schema_names({"cases": [case("/pets", pets), case("/toys", toys)]}).values())
    assert names == ["ITEM", "READ_TOYS_ITEM"]
    assert not any(re.search(r"_\d+$", name) for name in names)
