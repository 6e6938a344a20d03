"""The seams of a package of scripts are read, and flows across them are proposed and written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.test_checks.spec_rules import quality_issues
from testwright.engine.javascript.facts import read_module
from testwright.engine.javascript.flows.helpers import helpers_of
from testwright.engine.javascript.flows.programs import chosen_runs, documented_lines
from testwright.engine.javascript.flows.proposals import FlowProposer
from testwright.engine.javascript.flows.render import render_flows
from testwright.engine.javascript.flows.seams import Program, programs_of, read_seams
from testwright.engine.javascript.observations import Observations, Seen
from testwright.engine.javascript.trials import Trial

pytestmark = pytest.mark.feature("T-10", "T-20")

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "checkout"


def flows(path: str, root: Path = EXAMPLE) -> list[Trial]:
    return FlowProposer(root, read_seams(root, path)).propose()


def test_a_module_reaches_what_it_imports_and_whose_instances_it_is_given():
    seams = read_seams(EXAMPLE, "src/checkout.ts")
    assert list(seams.components) == ["src/shipping.js", "src/vouchers.ts", "src/order-book.js", "src/rates.js"]
    assert ("src/order-book.js", "src/shipping.js") in seams.edges
    assert seams.outside["src/order-book.js"] == {"files"}
    assert seams.outside["src/rates.js"] == {"service"}


def test_imports_of_types_alone_are_no_seam(tmp_path):
    (tmp_path / "types.ts").write_text("export interface Item { name: string }\n")
    (tmp_path / "cart.ts").write_text(
        "import type { Item } from './types';\nexport const nameOf = (item: Item) => item.name;\n"
    )
    assert not read_seams(tmp_path, "cart.ts").is_integration


def test_an_entry_without_a_seam_is_none():
    assert not read_seams(EXAMPLE, "src/shipping.js").is_integration


def test_a_class_that_keeps_a_file_is_opened_in_a_folder_of_the_test_and_read_by_a_second_object():
    trial = next(one for one in flows("src/order-book.js") if one.function.qualname == "OrderBook.add")
    assert trial.prelude == ("const folder = temporaryFolder();",)
    assert trial.receiver == "new OrderBook(join(folder, 'order-book.json'))"
    assert "new OrderBook(join(folder, 'order-book.json')).turnover()" in trial.readings
    assert not any(one.endswith(".path") for one in trial.readings)


def test_an_instance_of_another_module_has_a_name_and_something_in_it():
    trial = next(one for one in flows("src/checkout.ts") if one.function.name == "placeOrder")
    assert trial.prelude[:2] == (
        "const folder = temporaryFolder();",
        "const book = new OrderBook(join(folder, 'order-book.json'));",
    )
    assert [one.partition("(")[0] for one in trial.prelude[2:]] == ["book.add", "book.add"]
    assert trial.arguments[0] == "book"
    assert trial.state == "a book with two entries"


def test_a_service_answers_what_the_code_asks_with_what_it_reads_then_refuses():
    found = [one for one in flows("src/rates.js") if one.function.name == "rate" and one.changed < 0]
    assert [one.prelude for one in found] == [
        ("const standIn = await serving({ 'GET /rates/EUR': [200, { rate: 0.2 }] });",),
        ("const standIn = await serving({});",),
        ("const standIn = await serving({ 'GET /rates/EUR': [500, { error: 'out of order' }] });",),
    ]
    assert [one.circumstance for one in found] == [
        "",
        "where the service knows nothing of it",
        "where the service is out of order",
    ]
    assert found[0].readings == ("standIn.requests",)


def test_a_service_refuses_only_the_typical_call():
    changed = [one for one in flows("src/rates.js") if one.changed >= 0]
    assert changed
    assert {one.circumstance for one in changed} == {""}


def test_texts_of_the_documentation_that_a_pattern_takes_come_first():
    given = [one.arguments[3] for one in flows("src/checkout.ts") if len(one.arguments) > 3]
    assert given[:2] == ["'SPRING-15'", "'SPRING-15-100'"]


def test_a_command_whose_script_is_outside_of_its_package_is_no_program(tmp_path):
    outside = tmp_path / "x.js"
    package = tmp_path / "project" / "package"
    package.mkdir(parents=True)
    for place in (outside, package.parent / "x.js", package / "own.js"):
        place.write_text("console.log(1);\n")
    scripts = (str(outside), "/etc/x.js", "../x.js", "../../x.js", "lib/../../x.js", "./own.js")
    (package / "package.json").write_text(
        json.dumps({"name": "package", "bin": {f"c{at}": script for at, script in enumerate(scripts)}})
    )
    assert programs_of(package.parent, "package") == [Program("c5", "package/own.js")]
    assert programs_of(package, ".") == [Program("c5", "own.js")]


def test_lines_of_the_readme_that_no_shell_would_change_are_runs_of_a_program(tmp_path):
    (tmp_path / "README.md").write_text(
        "```js\ncheckout(1);\n```\n\n```sh\n$ npx checkout track fr 42  # a number\ncheckout order DE > file\n"
        "checkout order COUNTRY\nnode bin/checkout.js turnover\n```\n"
    )
    found = documented_lines(tmp_path, ".", Program("checkout", "bin/checkout.js"))
    assert found == [("track", "fr", "42"), ("turnover",)]


SPEC: dict[str, Any] = {
    "test_type": "integration",
    "language": "javascript",
    "target": {
        "path": "bin/checkout.js",
        "system": "commonjs",
        "exports": {},
        "programs": {"checkout": "bin/checkout.js"},
        "components": [
            {"name": "checkout", "role": "entry", "path": "bin/checkout.js", "system": "commonjs", "exports": {}}
        ],
    },
    "services": [{"name": "program", "kind": "process", "stand_in": "real"}],
    "cases": [
        {
            "id": "tc_run_checkout_for_track",
            "subject": "runCheckout",
            "condition": "for track fr 42",
            "crosses": [{"from": "checkout", "to": "program"}],
            "arrange": {"statements": ["const folder = temporaryFolder();"]},
            "act": {"callee": "runCheckout", "arguments": ["folder", "'track'"], "parameters": ["folder", "words"]},
            "expect": [
                {"kind": "equals", "actual": "result", "value": "{ status: 0, stdout: 'FR-000042\\n', stderr: '' }"}
            ],
        }
    ],
}


def test_a_run_of_a_program_names_what_it_prints_and_brings_only_the_helpers_it_needs():
    text = render_flows(SPEC, "tests/generated/integration/bin/checkout.test.js")
    assert "test('prints FR-000042 for track fr 42', () => {" in text
    assert "join(__dirname, '../../../../bin/checkout.js')" in text
    assert "serving" not in text
    assert text.count("afterEach(") == 1


def test_a_flow_names_components_that_the_spec_has():
    assert [one.rule for one in quality_issues(SPEC, "integration") if one.rule == "unknown_component"] == []
    [case] = SPEC["cases"]
    broken = {**SPEC, "cases": [{**case, "crosses": [{"from": "checkout", "to": "rates"}]}]}
    assert "unknown_component" in [one.rule for one in quality_issues(broken, "integration")]


@pytest.mark.parametrize(("subject", "rules"), [("runCheckOut", set()), ("runCheckout", {"unknown_subject"})])
def test_a_case_names_the_function_that_its_test_file_runs_the_program_by(subject, rules):
    target = {**SPEC["target"], "programs": {"check-out": "bin/checkout.js"}}
    case = {**SPEC["cases"][0], "subject": subject}
    found = {one.rule for one in quality_issues({**SPEC, "target": target, "cases": [case]}, "integration")}
    assert found & {"unknown_subject"} == rules
    assert (
        "function runCheckOut(" in helpers_of([Program("check-out", "bin/checkout.js")], "tests/a.test.js")[-1].source
    )


def test_a_module_that_does_not_parse_is_no_component(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "checkout")
    (tmp_path / "checkout" / "src" / "rates.js").write_text("export const = 1;\n")
    # What cannot be read is none of the components; the entry is tested without it.
    assert "src/rates.js" not in read_seams(tmp_path / "checkout", "src/checkout.ts").components


def test_what_a_program_refuses_without_a_word_is_no_test():
    function = read_module(EXAMPLE, "src/rates.js").callables[0]
    runs = [Trial(at, function, ("folder", f"'{at}'"), prelude=("const folder = temporaryFolder();",)) for at in (0, 1)]
    said = ("{ status: 1, stdout: '', stderr: '' }", "{ status: 1, stdout: '', stderr: 'no such word\\n' }")
    found = Observations({at: Seen("value", source=source, kind="object") for at, source in enumerate(said)})
    assert [one.trial.id for one in chosen_runs(runs, found, [])] == [1]
