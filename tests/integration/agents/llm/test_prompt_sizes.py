"""How much a model is told about one function: never 3,000 tokens (T-13).

The functions are `charged` (40 lines, many branches) and `normalised` (40 lines, a docstring of sections, a loop); the
project has tests of its own, so that their style is in the prompts. Counted by o200k_base where its data is on this
machine, else by characters / 4; instructions, message and, for endpoints that take none, the answer's schema in words.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from testwright.agents.contract.protocol import JsonObject
from testwright.agents.llm.analyzer_agent import ModelAnalyzerAgent
from testwright.agents.llm.project_style import style_provider
from testwright.agents.llm.spec_agent import ModelSpecAgent
from testwright.agents.llm.specs.spec_answer import case_of
from testwright.agents.llm.writing_agent import ModelWritingAgent
from testwright.agents.model.chat import ModelCall
from testwright.agents.model.structured import Mode, system_text
from testwright.tests.support.agents.fake_chat import Engine, FakeChat, asked
from testwright.tests.support.agents.token_count import counter, tokens_by_characters
from testwright.tests.support.mcp.tool_session import unit_spec
from testwright.tests.support.runs.model_runs import case, cases, till, verdict
from testwright.utils.names.counted import counted

pytestmark = pytest.mark.feature("T-13")

MOST = 3000
PATH, MODULE, TEST_PATH = "src/till/bills.py", "till.bills", "tests/generated/till/test_bills.py"

CHARGED = '''"""Bills."""


def charged(amount: int, country: str, member: bool = False) -> int:
    """What is charged for an order, in cents.

    Members pay no postage. Orders abroad pay 900 of postage, others 400; nothing is posted from 10000 on.
    """
    if amount < 0:
        raise ValueError("amount is negative")
''' + "".join(
    f'    if country == "c{number}":\n        return amount + {number} * 100  # a country with a postage of its own\n'
    for number in range(16)
)
CHARGED += "    return amount\n"
NORMALISED = '''"""Addresses."""


def normalised(lines: list[str], *, country: str = "DE", longest: int = 35) -> list[str]:
    """The lines of a postal address as carriers want them.

    Args:
        lines: as a customer wrote them; empty ones are left out.
        country: two letters; written out below the address for orders abroad.
        longest: characters of a line; longer ones are broken between words.

    Returns:
        At least one line, at most six.

    Raises:
        ValueError: there is no line, a word is longer than a line may be, or the address has more than six lines.
    """
    kept = [" ".join(line.split()) for line in lines if line.strip()]
    if not kept:
        raise ValueError("the address has no line")
    broken: list[str] = []
    for line in kept:
        current = ""
        for word in line.split(" "):
            if len(word) > longest:
                raise ValueError(f"{word!r} is longer than {longest} characters")
            if current and len(current) + 1 + len(word) > longest:
                broken.append(current)
                current = word
            else:
                current = f"{current} {word}".strip()
        broken.append(current)
    if country != "DE":
        broken.append(country.upper())
    if len(broken) > 6:
        raise ValueError("the address has more than six lines")
    without_end = []
    for line in broken:
        shortened = line.rstrip(",;")
        if shortened != line and not shortened:
            continue
        without_end.append(shortened)
    return without_end
'''
FUNCTIONS = {
    "charged": (CHARGED, "charged({number}000, 'c{number}', member=False)", "{number}000"),
    "normalised": (
        NORMALISED,
        "normalised(['Anna  Example {number}', 'Street {number}', '1234{number} Town'], country='FR')",
        "['Anna Example {number}', 'Street {number}', '1234{number} Town', 'FR']",
    ),
}
OWN_TESTS = '''import pytest

from till.bills import charged


@pytest.fixture
def member():
    return True


@pytest.mark.parametrize(("amount", "total"), [(0, 0), (100, 500), (5000, 5400), (10000, 10000)])
def test_members_and_others_pay_what_the_table_says(member, amount, total):
    """The table of the price list of 2024, chapter 3."""
    assert charged(amount, "DE", member) == total
'''


@pytest.fixture(params=FUNCTIONS)
def name(request: pytest.FixtureRequest) -> str:
    """One of the functions."""
    return request.param


@pytest.fixture
def root(tmp_path: Path, name: str) -> Path:
    """A project of the function, with a test of its own."""
    source = FUNCTIONS[name][0]
    assert len(source.splitlines()[3:]) == 40
    return till(tmp_path, {"src/till/__init__.py": "", PATH: source, "tests/test_bills.py": OWN_TESTS})


def spec_of(name: str, count: int, *, observed: int = 0) -> JsonObject:
    """A spec of so many cases about the function."""
    _, expression, value = FUNCTIONS[name]
    given = []
    for number in range(count or observed):
        one = case(number, value.format(number=number), name=f"{name}_as_listed_in_row_{number}")
        told = {"subject": name, "title": f"{name} gives what the price list of the year says for row {number}"}
        given.append(case_of({**one, **told, "expression": expression.format(number=number)}, PATH))
    target = {"path": PATH, "module": MODULE, "import_root": "src", "digest": "0" * 64}
    unreached = [
        {"subject": name, "reason": f"the branch in line {n} was not taken by any trial", "line": n} for n in range(8)
    ]
    return unit_spec(target=target, cases=given, imports=[f"from till.bills import {name}"], not_reached=unreached)


def size(call: ModelCall, mode: Mode = Mode.SCHEMA) -> int:
    """Tokens of a call."""
    return counter()(system_text(call, mode)) + counter()(call.user)


def request_about(name: str) -> JsonObject:
    return {
        "user_request": f"unit tests for {name} in {PATH}, above all for what customers abroad pay and for errors",
        "target": {"path": PATH, "module": MODULE, "symbols": [name]},
        "framework": "pytest",
    }


def several(count: int = 6) -> list[JsonObject]:
    """Errors as validation says them."""
    return [
        {
            "path": f"$.cases[{at}].expect[0].value",
            "message": f"nothing binds the name 'price_list_{at}': it is not imported, not arranged and no builtin",
            "severity": "error",
            "suggestion": "import it, arrange it, or write the value itself",
            "excerpt": f"price_list_{at}['rows'][{at}]['total']",
        }
        for at in range(count)
    ]


async def test_the_spec_agents_first_question(root: Path, name: str) -> None:
    chat = FakeChat(cases())
    await asked(ModelSpecAgent(chat, Engine(spec_of(name, 0, observed=40)), root), request_about(name))
    [call] = chat.calls
    assert size(call, Mode.TEXT) < MOST
    assert "  40 " in call.user
    assert "test_members_and_others_pay_what_the_table_says" in call.user


async def test_its_first_question_again_with_what_was_wrong(root: Path, name: str) -> None:
    chat = FakeChat(cases())
    wrong = [{**one, "path": "$", "excerpt": "I would rather talk about it. " * 30} for one in several()]
    agent = ModelSpecAgent(chat, Engine(spec_of(name, 0, observed=40)), root)
    await asked(agent, {**request_about(name), "previous_spec": None, "errors": wrong})
    [call] = chat.calls
    assert "Your last answer could not be used" in call.user
    assert size(call) < MOST


def written(name: str, count: int) -> str:
    """A test file of the spec's cases."""
    _, expression, value = FUNCTIONS[name]
    tests = [
        f'def test_{name}_row_{n}():\n    """tc_discounted_{name}_as_listed_in_row_{n}."""\n'
        f"    result = {expression.format(number=n)}\n    assert result == {value.format(number=n)}\n"
        for n in range(count)
    ]
    return f"from till.bills import {name}\n\n\n" + "\n\n".join(tests)


def envelope(name: str, count: int) -> JsonObject:
    """What a writer is given."""
    run = "0b9f2a4e-6f0e-4b0e-9f0a-3a0f4d1c2b3a"
    upstream = {"agent": "spec", "artifact_id": run, "schema_id": "https://testwright.dev/schemas/spec/output.json"}
    return {
        "run_id": run,
        "upstream": upstream,
        "payload": {"spec": spec_of(name, count)},
        "parameters": {"framework": "pytest", "test_path": TEST_PATH},
    }


async def test_what_the_writer_is_told(root: Path, name: str) -> None:
    chat = FakeChat({"files": [{"path": TEST_PATH, "contents": written(name, 8)}]})
    await asked(ModelWritingAgent(chat, style=style_provider(root)), envelope(name, 8))
    [call] = chat.calls
    assert "mostly functions" in call.user
    assert size(call, Mode.TEXT) < MOST


async def test_what_the_writer_is_told_to_mend(root: Path, name: str) -> None:
    text = written(name, 6)
    chat = FakeChat({"files": [{"path": TEST_PATH, "contents": text}]})
    errors = [
        {"type": "lint", "line": 6 * at + 6, "message": f"undefined name `price_list_{at}`", "suggestion": "import it"}
        for at in range(6)
    ]
    inputs = {**envelope(name, 6), "previous_files": [{"path": TEST_PATH, "contents": text}], "errors": errors}
    await asked(ModelWritingAgent(chat, style=style_provider(root)), inputs)
    [call] = chat.calls
    assert "price_list_5" in call.user
    assert size(call, Mode.TEXT) < MOST


def dropped(spec: JsonObject, count: int) -> JsonObject:
    """Results in which so many cases do not hold, each with a long message."""
    long = "AssertionError: assert 5400 == 5900\n" + " +  where 5400 = charged(5000, 'fr', member=False)\n" * 30
    return {
        "kept": [],
        "repeats": 1,
        "dropped": [
            {
                "case_id": one["id"],
                "nodeid": "t::x",
                "reason": "it fails " * 40,
                "class": "test_defect",
                "message": long,
            }
            for one in spec["cases"][:count]
        ],
    }


@pytest.mark.parametrize("count", [1, 6])
async def test_what_the_analyzer_is_told(root: Path, name: str, count: int) -> None:
    spec = spec_of(name, 10)
    chat = FakeChat(verdict(spec["cases"][0]["id"], "defect"))
    await asked(ModelAnalyzerAgent(chat, root), {"test_results": dropped(spec, count), "spec": spec, "target": None})
    [call] = chat.calls
    assert call.user.count("assert 5400 == 5900") == count
    assert size(call, Mode.TEXT) < MOST


async def test_an_analyzers_question_asked_again(root: Path, name: str) -> None:
    spec = spec_of(name, 10)
    chat = FakeChat("I think that all of them are fine. " * 100, verdict(spec["cases"][0]["id"], "defect"))
    await asked(ModelAnalyzerAgent(chat, root), {"test_results": dropped(spec, 6), "spec": spec, "target": None})
    assert "Your last answer could not be used" in chat.calls[1].user
    assert size(chat.calls[1]) < MOST


async def test_a_long_request_is_cut(root: Path, name: str) -> None:
    chat = FakeChat(cases())
    inputs = {**request_about(name), "user_request": "unit tests, please, " * 1000}
    await asked(ModelSpecAgent(chat, Engine(spec_of(name, 0, observed=40)), root), inputs)
    assert size(chat.calls[0]) < MOST


def test_tokens_are_counted_without_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data that is not there, or is not what it should be, is not fetched."""

    def refused(*arguments: Any) -> Any:
        raise AssertionError("the network was tried")

    monkeypatch.setattr(socket, "create_connection", refused)
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"other data")
    count: Callable[[str], int] = counter({"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert count is tokens_by_characters
    assert count("four characters make a token") == 7


def module_of(lines: int) -> str:
    """A module of about so many lines: documented functions of forty lines each."""
    parts = [CHARGED.replace("def charged(", f"def charged_{number}(") for number in range(lines // 42)]
    return "\n\n".join(part.removeprefix('"""Bills."""').strip("\n") for part in parts) + "\n"


@pytest.mark.parametrize(("lines", "most"), [(300, 6_000), (2_000, 12_000)])
async def test_a_whole_module_is_read_in_requests_of_bounded_size(tmp_path: Path, lines: int, most: int) -> None:
    source = module_of(lines)
    assert lines * 0.9 <= len(source.splitlines()) <= lines * 1.2
    root = till(tmp_path, {"src/till/__init__.py": "", PATH: source, "tests/test_bills.py": OWN_TESTS})
    names = [line.split("(")[0].removeprefix("def ") for line in source.splitlines() if line.startswith("def ")]
    spec = spec_of("charged", 0, observed=200)
    for number, one in enumerate(spec["cases"]):
        one["subject"] = names[number % len(names)]
    chat = FakeChat(*[cases()] * 8)
    request = {**request_about("charged"), "target": {"path": PATH, "module": MODULE, "symbols": None}}
    await asked(ModelSpecAgent(chat, Engine(spec), root), request)
    assert all(any(f"def {name}(" in call.user for call in chat.calls) for name in names)
    sizes = [size(call) for call in chat.calls]
    unit = "characters / 4" if counter() is tokens_by_characters else "tokens by o200k_base"
    requests = counted(len(sizes), "request")
    print(f"module of {lines} lines: {requests}, largest {max(sizes)}, median {median(sizes):g} {unit}")
    assert max(sizes) <= most
