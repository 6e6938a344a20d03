"""The official conformance suite plays its scenarios at our server and with our client; the page tells the outcome."""

import shutil

import pytest
from mcp import Client

from testwright.tests.support.mcp.conformance_runs import (
    PAGE,
    at_server,
    documented,
    listed,
    whole_suite,
    with_our_client,
)
from testwright.tests.support.mcp.npm_tools import CONFORMANCE, CONFORMANCE_NEXT
from testwright.tests.support.mcp.processes import FIXTURES, ROOT, over_http, product_over_http

pytestmark = pytest.mark.feature("T-11")
SUITES = {CONFORMANCE: "suite 0.1.16", CONFORMANCE_NEXT: "suite 0.2.0-alpha.12"}
PROTOCOLS = ("2025-11-25", "2026-07-28")


def passing(kind, package, column):
    """The scenarios whose cell says pass: 0 for the first column after the name."""
    rows = documented(f"{kind} scenarios, {SUITES[package]}")
    return [name for name, cells in rows.items() if cells[column] == "pass"]


def in_its_newest_version(package, kind, names):
    """Each scenario with the version to play it in; the released suite chooses by itself."""
    if package == CONFORMANCE:
        return [(package, name, None) for name in names]
    known = listed(package, kind)
    return [(package, name, max(known[name] & set(PROTOCOLS))) for name in names]


@pytest.fixture(scope="module")
def product(tmp_path_factory):
    project = tmp_path_factory.mktemp("served") / "shop"
    shutil.copytree(ROOT / "examples" / "shop", project)
    with product_over_http(project) as served:
        yield served


@pytest.fixture(scope="module")
def fixtures():
    with over_http(FIXTURES) as served:
        yield served


@pytest.mark.parametrize("package", SUITES)
@pytest.mark.parametrize("kind", ["Server", "Client", "Authorization server"])
def test_the_page_lists_every_scenario_the_suite_has_with_its_outcome_or_a_reason(package, kind):
    known = set(listed(package, kind))
    title = f"{kind} scenarios, {SUITES[package]}"
    rows = documented(title) if f"## {title}\n" in PAGE.read_text() else {}
    assert set(rows) == known
    assert all(len(cell) >= len("pass") for cells in rows.values() for cell in cells)


@pytest.mark.parametrize(
    ("package", "version"), [(CONFORMANCE, None), *((CONFORMANCE_NEXT, version) for version in PROTOCOLS)]
)
def test_what_the_page_says_passes_with_the_fixtures_does(fixtures, package, version):
    known = listed(package, "Server")
    wanted = {name for name in passing("Server", package, 1) if version is None or version in known[name]}
    found = whole_suite(package, fixtures.url, version)
    again = {name for name, (_, failed) in found.items() if failed}
    assert {name for name, (passed, _) in found.items() if passed} | again == wanted
    complaints = {name: at_server(package, fixtures.url, name, version) for name in again}
    assert {name: told for name, told in complaints.items() if told} == {}


@pytest.mark.parametrize("package", SUITES)
def test_what_the_page_says_passes_at_mcp_serve_does(product, package):
    wanted = in_its_newest_version(package, "Server", passing("Server", package, 0))
    assert len(wanted) >= 6
    found = {version: whole_suite(package, product.url, version) for version in {one[2] for one in wanted}}
    counts = {one: found[one[2]].get(one[1], (0, 0)) for one in wanted}
    again = [one for one, (passed, failed) in counts.items() if failed or not passed]
    complaints = {one: at_server(one[0], product.url, *one[1:]) for one in again}
    assert {one: told for one, told in complaints.items() if told} == {}


@pytest.mark.parametrize(
    ("package", "scenario"), [(package, name) for package in SUITES for name in passing("Client", package, 0)]
)
def test_what_the_page_says_passes_with_our_client_does(package, scenario):
    [(_, _, version)] = in_its_newest_version(package, "Client", [scenario])
    assert with_our_client(package, scenario, version) == ""


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_the_newest_protocol_and_the_one_before_are_spoken_with_the_sdks_client(product, mode, version):
    async with Client(product.url, mode=mode) as client:
        assert client.protocol_version == version
        tools = await client.list_tools()
        assert "validate_test_spec" in {tool.name for tool in tools.tools}
        assert (await client.list_prompts()).prompts
        await client.list_resources()
        assert (await client.list_resource_templates()).resource_templates
