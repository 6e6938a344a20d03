"""The planner that needs no model, asked about real folders."""

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentRequest, ErrorType, RequestMetadata
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.core.errors import RequestError
from testwright.utils.generated_header import with_header

pytestmark = pytest.mark.feature("T-02", "C-04")

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "class Cart:\n    def add(self, x):\n        return x\n    def drop(self):\n        return 1\n",
    "src/shop/pricing.py": "def total(n):\n    return n\n\ndef tax(n):\n    return n\n\ndef _hidden():\n    pass\n",
    "src/shop/__main__.py": "def run():\n    print('no')\n",
    "src/shop/sub/deep.py": "def dig():\n    return 1\n",
    "tests/test_pricing.py": "from shop.pricing import total\n\ndef test_total():\n    assert total(1) == 1\n",
    "README.md": "hello",
}


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "ein Projekt"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def answer(project):
    async def ask(text: str, **inputs):
        async with EmbeddedPlannerAgent() as planner:
            given = {"user_request": text, "root": str(project), **inputs}
            return await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))

    return ask


def targets(response) -> list[tuple[str, tuple[str, ...] | None]]:
    steps = [step for step in response.result["steps"] if step["type"] == "generate_unit_tests"]
    return [
        (
            step["params"]["target"]["path"],
            step["params"]["target"]["symbols"] and tuple(step["params"]["target"]["symbols"]),
        )
        for step in steps
    ]


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("test slugify", None),
        ("test the slugify module", None),
        ("test the slugify function", ("slugify",)),
        ("test function slugify", ("slugify",)),
        ("test slugify in slugify.slugify", ("slugify",)),
        ("test slugify from slugify.py", ("slugify",)),
        ("test slugify and the unique function of slugify", ("slugify", "unique")),
        ("test everything in slugify", None),
    ],
)
async def test_of_a_module_and_its_function_of_one_name_the_function_is_meant_where_words_say_so(
    tmp_path, text, symbols
):
    (tmp_path / "slugify.py").write_text(
        "def slugify(text):\n    return text\n\n\ndef unique(text):\n    return text\n"
    )
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": text, "root": str(tmp_path)}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    assert targets(response) == [("slugify.py", symbols)]


async def test_modules_of_one_name_in_several_projects_have_tests_with_names_of_their_own(tmp_path):
    for service in ("bill", "ship"):
        folder = tmp_path / "services" / service / "app"
        folder.mkdir(parents=True)
        (folder.parent / "pyproject.toml").write_text(f"[project]\nname = '{service}'\nversion = '1'\n")
        (folder / "__init__.py").write_text("")
        (folder / "main.py").write_text("def fee(cents):\n    return cents // 20\n")
    written = {}
    for request in ("unit tests for the project", "services/ship/app/main.py"):
        async with EmbeddedPlannerAgent() as planner:
            given = {"user_request": request, "root": str(tmp_path)}
            response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
        params = [step["params"] for step in response.result["steps"] if step["type"] == "generate_unit_tests"]
        written[request] = {one["target"]["path"]: one["test_path"] for one in params}
    every, one = written.values()
    assert len({*every.values()}) == len(every) == 2
    assert one.items() <= every.items()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cover src/shop/cart.py", [("src/shop/cart.py", None)]),
        ("unit tests for src/shop/sub", [("src/shop/sub/deep.py", None)]),
        ("unit tests for shop.pricing", [("src/shop/pricing.py", None)]),
        ("cart", [("src/shop/cart.py", None)]),
        ("shop.cart:Cart.add", [("src/shop/cart.py", ("Cart.add",))]),
        ("shop.cart.Cart.add and Cart.drop", [("src/shop/cart.py", ("Cart.add", "Cart.drop"))]),
        ("cart and `total`", [("src/shop/cart.py", None), ("src/shop/pricing.py", ("total",))]),
        ("everything except pricing and sub", [("src/shop/cart.py", None)]),
        ("pricing except tax", [("src/shop/pricing.py", ("total",))]),
    ],
)
async def test_a_request_names_files_folders_modules_and_symbols(answer, text, expected):
    assert targets(await answer(text)) == expected


async def test_only_what_has_no_tests_leaves_out_what_a_test_names(answer):
    response = await answer("only what has no tests")
    assert targets(response) == [
        ("src/shop/cart.py", None),
        ("src/shop/pricing.py", ("tax",)),
        ("src/shop/sub/deep.py", None),
    ]


async def test_a_request_without_names_means_the_whole_project(answer):
    response = await answer("write unit tests")
    assert len(targets(response)) == 3
    assert {row["target"] for row in response.result["skipped"]} == {"src/shop/__init__.py", "src/shop/__main__.py"}


async def test_what_is_not_understood_is_said_with_suggestions(answer):
    response = await answer("cart and shop.prcing")
    assert targets(response) == [("src/shop/cart.py", None)]
    [row] = response.result["not_understood"]
    assert row["text"] == "shop.prcing"
    assert "shop.pricing" in row["suggestions"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("the flux capacitor", "names nothing that was found"),
        ("the flux capacitor", "Its modules are shop, "),
        ("src/nowhere.py", "there is no such file"),
        ("../../etc/passwd", "outside the project"),
        ("README.md", "not a Python file"),
        ("tests/test_pricing.py", "a test already"),
        ("src/shop/__init__.py", "no public function or class"),
        ("load tests for cart", "nothing to start"),
    ],
)
async def test_a_request_that_leads_nowhere_is_an_error_that_says_why(answer, text, reason):
    response = await answer(text)
    assert response.error.type is ErrorType.VALIDATION
    assert response.error.details["error"] == "RequestError"
    assert reason in response.error.message


@pytest.mark.feature("T-20")
@pytest.mark.parametrize("text", ["performance tests for shop.cart", "benchmarks of shop.cart"])
async def test_performance_tests_of_a_module_are_a_step_with_files_of_their_own(answer, text):
    response = await answer(text)
    step = response.result["steps"][0]
    assert step["type"] == "generate_performance_tests"
    assert step["params"]["test_path"] == "tests/generated/performance/test_shop_cart_performance.py"
    assert step["params"]["spec_path"] == "specs/shop_cart.performance.json"
    assert response.result["understood"][0] == "Performance tests with pytest for shop.cart."


async def test_performance_tests_for_unittest_are_refused_with_advice(answer):
    response = await answer("performance tests for shop.cart", framework="unittest")
    assert "pytest-benchmark" in response.error.message


async def test_steps_depend_on_each_other_and_write_to_files_of_their_own(answer):
    response = await answer("unit tests for everything", framework="unittest", tests_dir="tests/made")
    *generate, verify, accept = response.result["steps"]
    assert [step["params"]["test_path"] for step in generate] == [
        "tests/made/shop/test_shop_cart.py",
        "tests/made/shop/test_shop_pricing.py",
        "tests/made/shop/test_sub/test_shop_sub_deep.py",
    ]
    assert all(step["params"]["framework"] == "unittest" for step in generate)
    assert verify["params"]["depends_on"] == [step["id"] for step in generate]
    assert accept["params"]["depends_on"] == [verify["id"]]


async def test_a_narrow_request_never_takes_the_whole_modules_file(answer):
    whole, narrow = await answer("shop.cart"), await answer("shop.cart:Cart.add")
    paths = [response.result["steps"][0]["params"]["test_path"] for response in (whole, narrow)]
    assert paths == ["tests/generated/shop/test_shop_cart.py", "tests/generated/shop/test_shop_cart__cart_add.py"]


@pytest.fixture
def module_file(project):
    """The generated test file of the whole module `shop.cart`, before `Cart.drop` was written."""
    place = project / "tests/generated/shop/test_shop_cart.py"
    place.parent.mkdir(parents=True)
    body = "from shop.cart import Cart\n\n\ndef test_add():\n    assert Cart().add(1) == 1\n"
    place.write_text(with_header(body, target="src/shop/cart.py"))
    return place


async def test_what_the_modules_own_file_tests_is_not_written_a_second_time(answer, module_file):
    tested = await answer("shop.cart:Cart.add")
    assert tested.is_success(), "there is nothing to do, and no fault in the request"
    assert tested.result["steps"] == []
    [row] = tested.result["skipped"]
    assert "tests/generated/shop/test_shop_cart.py has the tests of Cart.add" in row["reason"]
    assert "`testwright run 'unit tests for shop.cart'` writes that file anew" in row["reason"]
    both = await answer("shop.cart:Cart.add and shop.cart:Cart.drop")
    assert targets(both) == [("src/shop/cart.py", ("Cart.drop",))]
    assert "has the tests of Cart.add;" in both.result["skipped"][0]["reason"]


async def test_beside_a_modules_file_that_a_person_has_changed_a_member_has_its_own(answer, module_file):
    module_file.write_text(module_file.read_text() + "# mine\n")
    assert targets(await answer("shop.cart:Cart.add")) == [("src/shop/cart.py", ("Cart.add",))]


async def test_changed_code_is_tested_again_whatever_the_modules_file_holds(answer, module_file):
    changes = {"since": "main", "base": "0" * 40, "files": {"src/shop/cart.py": ["Cart.add"]}, "left_out": []}
    anew = [("src/shop/cart.py", None)]
    assert targets(await answer("shop.cart", changes=changes)) == anew


async def test_planning_twice_gives_the_same_plan(answer):
    first, second = await answer("everything"), await answer("everything")
    assert first.result == second.result


async def test_a_base_name_that_a_persons_test_has_is_not_taken(answer, project):
    (project / "test_shop_cart.py").write_text("def test_mine():\n    assert True\n")
    response = await answer("shop.cart")
    assert response.result["steps"][0]["params"]["test_path"] == "tests/generated/shop/test_shop_shop_cart.py"


async def test_no_folder_of_tests_can_be_imported_in_the_place_of_a_package(answer, project):
    response = await answer("shop.sub")
    [path] = [step["params"]["test_path"] for step in response.result["steps"] if "test_path" in step["params"]]
    below = path.removeprefix("tests/generated/shop/").split("/")[:-1]
    assert below
    assert all(name.startswith("test_") for name in below)


SERVICE = {
    "src/till/__init__.py": "",
    "src/till/prices.py": "def price(name):\n    return len(name)\n",
    "src/till/orders.py": "from .prices import price\n\n\ndef checkout(names):\n    return sum(map(price, names))\n",
    "src/till/web.py": (
        "from fastapi import FastAPI\n\nfrom .orders import checkout\n\napp = FastAPI()\n\n\n"
        '@app.post("/orders")\ndef order(names: list[str]):\n    return checkout(names)\n'
    ),
}


async def _types_and_paths(root, text):
    for name, content in SERVICE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": text, "root": str(root)}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    steps = response.result["steps"]
    return steps, [(step["type"], step["params"].get("target", {}).get("path")) for step in steps]


@pytest.mark.feature("T-20")
async def test_several_kinds_of_tests_become_steps_in_order_with_one_lookup_of_context(tmp_path):
    text = "test the orders service: its API, then how checkout works across modules"
    steps, planned = await _types_and_paths(tmp_path, text)
    assert planned == [
        ("retrieve_context", None),
        ("generate_api_tests", "src/till/web.py"),
        ("generate_integration_tests", "src/till/orders.py"),
        ("verify_suite", None),
        ("accept_tests", None),
    ]
    assert [step["params"]["depends_on"] for step in steps[1:3]] == [["retrieve_context"], ["retrieve_context"]]
    assert steps[0]["params"]["query"] == text


@pytest.mark.feature("T-20")
async def test_a_module_that_calls_no_other_is_integrated_by_what_reaches_it(tmp_path):
    steps, planned = await _types_and_paths(tmp_path, "integration tests for prices")
    assert {path for kind, path in planned if kind.startswith("generate")} == {"src/till/orders.py", "src/till/web.py"}
    assert ["checkout"] in [step["params"].get("target", {}).get("symbols") for step in steps]


EXAMPLE = Path(__file__).resolve().parents[5] / "examples" / "shop"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("api tests for orders", "shop.api:app, because it is built on shop.orders (all its operations are tested"),
        ("api tests for shop.api", "for shop.api:app."),
        ("api tests", "for shop.api:app."),
    ],
)
async def test_a_whole_api_that_is_tested_for_a_module_it_is_built_on_is_said_to_be(words, said):
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": words, "root": str(EXAMPLE)}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    assert said in response.result["understood"][0]


@pytest.mark.feature("T-20")
async def test_a_part_whose_own_words_name_nothing_is_about_what_the_whole_request_names():
    request = "test the orders service: its API, then how checkout works across modules"
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": request, "root": str(EXAMPLE)}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    planned = [(step["type"], step["params"].get("target", {}).get("path")) for step in response.result["steps"]]
    assert planned[1:3] == [
        ("generate_api_tests", "src/shop/api.py"),
        ("generate_integration_tests", "src/shop/orders.py"),
    ]
    assert [row["text"] for row in response.result["not_understood"]] == ["checkout"]


@pytest.mark.feature("T-20", "A-11")
@pytest.mark.parametrize(
    ("text", "application"),
    [
        ("browser tests of the shop", {"import": "web.shop_site:application"}),
        ("e2e tests for web/shop_site.py", {"import": "web.shop_site:application"}),
    ],
)
async def test_browser_tests_are_planned_for_the_application_that_answers_with_pages(text, application):
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": text, "root": str(EXAMPLE), "strict": True}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    [step, *_] = response.result["steps"]
    assert (step["type"], step["params"]["target"]["application"]) == ("generate_e2e_tests", application)
    assert step["params"]["test_path"] == "tests/generated/e2e/test_web_shop_site_browser.py"


@pytest.mark.feature("T-20")
@pytest.mark.parametrize("text", ["browser tests of the website", "e2e tests for wsgi.py", "browser tests of the site"])
async def test_the_site_may_be_called_so_and_be_named_by_the_module_that_starts_it(tmp_path, text):
    (tmp_path / "desk.py").write_text(
        "from flask import Flask, render_template\n\n\ndef create_app():\n    app = Flask(__name__)\n"
        "    app.add_url_rule('/', view_func=lambda: render_template('x'))\n    return app\n"
    )
    (tmp_path / "wsgi.py").write_text("from desk import create_app\n\napplication = create_app()\n")
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": text, "root": str(tmp_path), "strict": True}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    assert response.result["steps"][0]["params"]["target"]["application"] == {"import": "desk:create_app()"}


@pytest.mark.feature("T-20")
@pytest.mark.parametrize("text", ["browser tests of public", "e2e tests", "browser tests for public/index.html"])
async def test_browser_tests_of_a_folder_of_pages_serve_it(tmp_path, text):
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("<h1>Bakery</h1>")
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": text, "root": str(tmp_path), "strict": True}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    target = response.result["steps"][0]["params"]["target"]
    assert target["path"] == "public/index.html"
    assert target["application"]["folder"] == "public"
    assert target["application"]["command"][1:4] == ["-m", "http.server", "{port}"]


@pytest.mark.feature("T-02")
async def test_a_second_framework_is_not_swallowed(tmp_path):
    (tmp_path / "till.py").write_text("def pay():\n    return 1\n")
    text = "unit tests for till with unittest and pytest"
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": text, "root": str(tmp_path)}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    generate = response.result["steps"][0]
    assert generate["params"]["framework"] == "unittest"
    assert [row["text"] for row in response.result["not_understood"]] == ["pytest"]


@pytest.mark.feature("T-02")
async def test_a_framework_that_the_request_names_wins_over_the_setting_and_that_is_said(tmp_path):
    (tmp_path / "till.py").write_text("def pay():\n    return 1\n")
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": "unit tests for till with pytest", "root": str(tmp_path), "framework": "unittest"}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    assert response.result["steps"][0]["params"]["framework"] == "pytest"
    assert {"target": "framework unittest", "reason": "the request says pytest"} in response.result["skipped"]


@pytest.mark.feature("T-02")
def test_no_private_name_is_suggested(tmp_path):
    (tmp_path / "till.py").write_text(
        "class Till:\n    def _pays(self):\n        return 1\n\n\ndef pay():\n    return 1\n"
    )
    inputs = {"user_request": "unit tests for till:pays and `_pay`", "root": str(tmp_path)}
    with pytest.raises(RequestError) as refused:
        EmbeddedPlannerAgent().plan(inputs)
    rows: Any = refused.value.details["not_understood"]
    suggested = [name for row in rows for name in row["suggestions"]]
    assert "pay" in suggested
    assert not [name for name in suggested if "_" in name]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "unit tests for everything but pricing",
            "Unit tests with pytest for shop.cart and shop.sub.deep; without pricing.",
        ),
        (
            "only what has no tests, in unittest",
            "Unit tests with unittest for shop.cart, shop.pricing:tax and shop.sub.deep, only what has no tests yet.",
        ),
        (
            "the most complex function in pricing",
            "Unit tests with pytest for shop.pricing:total, the most complex function.",
        ),
    ],
)
async def test_the_plan_says_in_one_sentence_what_was_understood(answer, text, said):
    assert (await answer(text)).result["understood"][0] == said


async def test_what_fits_the_project_is_planned_and_the_sentence_says_why(tmp_path):
    for name, content in SERVICE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": "test the till", "root": str(tmp_path)}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
        narrowed = await planner.process(
            AgentRequest("plan", "plan", RequestMetadata("trace"), inputs={**given, "test_type": "unit"})
        )
    kinds = [step["type"] for step in response.result["steps"]]
    assert kinds.count("generate_unit_tests") == 3
    assert kinds.count("generate_api_tests") == 1
    assert "API tests for till.web:app, because it has a web application (fastapi)" in response.result["understood"][0]
    assert not [step for step in narrowed.result["steps"] if step["type"] == "generate_api_tests"]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"exclude": ["shop.cart"]}, ["src/shop/pricing.py", "src/shop/sub/deep.py"]),
        ({"exclude": ["src/shop/sub/*", "*.pricing"]}, ["src/shop/cart.py"]),
        ({"include": ["shop.sub", "cart.py"]}, ["src/shop/cart.py", "src/shop/sub/deep.py"]),
        ({"include": ["src/shop/*"], "exclude": ["src/shop/sub"]}, ["src/shop/cart.py", "src/shop/pricing.py"]),
    ],
)
async def test_include_and_exclude_hold_for_every_request(answer, inputs, expected):
    assert [path for path, _ in targets(await answer("unit tests", **inputs))] == expected


async def test_a_name_to_exclude_that_is_not_there_stops_the_plan_and_a_pattern_is_mentioned(answer):
    missing = await answer("unit tests", exclude=["shop.nothing"])
    assert "shop.nothing" in missing.error.message
    unmatched = await answer("unit tests", exclude=["*/migrations/*"])
    assert {"target": "*/migrations/*", "reason": "`exclude`: no module matches the pattern"} in unmatched.result[
        "skipped"
    ]


@pytest.mark.parametrize("strict", [None, True, False])
async def test_strict_stops_at_anything_and_otherwise_only_what_would_do_something_else_stops(answer, strict):
    """A part of what is asked for may be done; more than is asked for may not, unless the person says so."""
    part = await answer("cart and shop.prcing", strict=strict)
    more = await answer("everything but shop.prcing", strict=strict)
    assert part.is_error() is (strict is True)
    assert more.is_error() is (strict is not False)


async def test_the_package_is_not_repeated_below_a_folder_of_its_name(answer):
    response = await answer("shop.cart and shop.sub.deep", tests_dir="tests/shop")
    paths = [step["params"]["test_path"] for step in response.result["steps"] if "target" in step["params"]]
    assert paths == ["tests/shop/test_shop_cart.py", "tests/shop/test_sub/test_shop_sub_deep.py"]


@pytest.mark.feature("T-20")
async def test_an_application_and_the_module_that_is_called_like_it_have_specs_of_their_own(tmp_path):
    """A package `shop` with its application in `shop.api` (both kinds of tests are asked for)."""
    folder = tmp_path / "src" / "shop"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "api.py").write_text(
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/')\ndef home():\n    return {}\n"
    )
    paths = {}
    for wanted in ("unit and API tests for shop.api", "unit tests for shop.api", "API tests for shop.api"):
        async with EmbeddedPlannerAgent() as planner:
            given = {"user_request": wanted, "root": str(tmp_path)}
            response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
        steps = [step["params"] for step in response.result["steps"] if "spec_path" in step["params"]]
        paths[wanted] = sorted((step["spec_path"], step["test_path"]) for step in steps)
    unit = ("specs/shop_api.json", "tests/generated/shop/test_shop_api.py")
    api = ("specs/shop_http_api.json", "tests/generated/api/test_api_shop_api.py")
    assert list(paths.values()) == [[unit, api], [unit], [api]]


@pytest.mark.parametrize(
    ("request_text", "operations"),
    [
        ("API tests for POST /orders", ["POST /orders"]),
        ("API tests for the orders endpoints", ["orders"]),
        ("API tests for /orders, and for GET /orders/{number}.", ["/orders", "GET /orders/{number}"]),
    ],
)
async def test_single_endpoints_are_asked_for_and_have_a_file_of_their_own(tmp_path, request_text, operations):
    (tmp_path / "web.py").write_text(
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/orders')\ndef every():\n    return []\n"
    )
    async with EmbeddedPlannerAgent() as planner:
        given = {"user_request": request_text, "root": str(tmp_path), "strict": True}
        response = await planner.process(AgentRequest("plan", "plan", RequestMetadata("trace"), inputs=given))
    (step,) = [step for step in response.result["steps"] if step["type"] == "generate_api_tests"]
    assert step["params"]["target"]["operations"] == operations
    assert "/test_web_api__" in step["params"]["test_path"]


@pytest.mark.feature("T-20")
async def test_load_on_an_application_is_planned_for_locust_beside_unit_tests_for_pytest(project, answer):
    (project / "src/shop/api.py").write_text("from flask import Flask\n\napp = Flask(__name__)\n")
    response = await answer("unit tests for shop.cart and load tests for shop.api")
    steps = [step["params"] for step in response.result["steps"] if step["type"].startswith("generate_")]
    assert [(step["test_type"], step["framework"]) for step in steps] == [("unit", "pytest"), ("performance", "locust")]
    assert steps[1]["test_path"] == "tests/generated/load/locustfile_shop.py"
    assert steps[1]["target"]["profiles"] == ["smoke", "load", "stress", "spike", "soak"]


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("performance tests for shop.cart and the API", [("performance", "pytest"), ("api", "pytest")]),
        (
            "performance tests for shop.cart and load tests for the API",
            [("performance", "pytest"), ("performance", "locust")],
        ),
        ("performance tests of the API", [("performance", "locust")]),
    ],
)
async def test_timing_of_modules_stays_what_it_is_beside_an_application(project, answer, text, kinds):
    (project / "src/shop/api.py").write_text("from flask import Flask\n\napp = Flask(__name__)\n")
    response = await answer(text)
    steps = [step["params"] for step in response.result["steps"] if step["type"].startswith("generate_")]
    assert [(step["test_type"], step["framework"]) for step in steps] == kinds


@pytest.mark.feature("T-20")
async def test_locust_for_tests_that_put_no_load_on_anything_is_asked_about(answer):
    response = await answer("unit tests for shop.cart with locust")
    assert "load tests are written for locust, and unit tests are not" in response.error.message
