"""What a process of ours leaves out of its imports is there all the same when somebody asks for it."""

import importlib.util
import subprocess
import sys

_IMPORTS = """
import gc, sys
from testwright.app.fast_imports import fast_imports
with fast_imports():
    import langgraph.graph
print(gc.isenabled(), gc.get_freeze_count() > 10_000, "langsmith.types.custom_charts_section" in sys.modules)
print("langgraph_sdk.client" in sys.modules)
from langgraph_sdk import get_client
print(get_client is sys.modules["langgraph_sdk.client"].get_client)
"""
_LANGSMITH = """
models = sys.modules["langsmith.types"]
from langsmith.types import RunSelectField
print(RunSelectField is models.run_select_field.RunSelectField, hasattr(models, "NoSuchModel"))
"""
_MODELS = """
from concurrent.futures import ThreadPoolExecutor
from testwright.app.fast_imports import fast_imports
with fast_imports():
    from mcp.types import Tool
    from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

    class Chosen(BaseModel):
        model_config = ConfigDict(defer_build=False)
        count: int

class Own(BaseModel):
    count: int

print(Tool.__pydantic_complete__, Chosen.__pydantic_complete__, Own.__pydantic_complete__)
told = {"name": "a", "inputSchema": {"type": "object"}}
with ThreadPoolExecutor(8) as pool:
    made = list(pool.map(Tool.model_validate, [told] * 8))
print({tool.model_dump_json(exclude_unset=True, by_alias=True) for tool in made})
try:
    Tool.model_validate({"name": 1})
except ValidationError as error:
    print([row["loc"] for row in error.errors()])
print(Tool.model_json_schema(by_alias=True)["required"], "defer_build" in Tool.model_config)
"""


def printed(program: str, *arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_contents_that_nothing_uses_are_loaded_when_they_are_asked_for_only() -> None:
    lines = ["True True False", "False", "True"]
    program = _IMPORTS
    # The lowest versions that are allowed have no such package: there, the imports are only the usual ones.
    if importlib.util.find_spec("langsmith.types"):
        lines.append("True False")
        program += _LANGSMITH
    assert printed(program) == lines


def test_models_are_built_when_they_are_first_used_and_check_as_ever() -> None:
    first, *rest = printed(_MODELS)
    # Versions of pydantic that build without a lock keep to building at once.
    assert first == f"{not defers()} True True"
    assert rest == [
        """{'{"name":"a","inputSchema":{"type":"object"}}'}""",
        "[('name',), ('inputSchema',)]",
        "['name', 'inputSchema'] False",
    ]


def defers() -> bool:
    import pydantic.main

    return hasattr(pydantic.main, "_rebuild_lock")


_OTHER_PYDANTIC = """
from pydantic._internal import _config
del _config.config_defaults
from testwright.app.fast_imports import fast_imports
with fast_imports():
    print("works")
"""


def test_a_pydantic_with_other_private_parts_keeps_nothing_from_starting() -> None:
    assert printed(_OTHER_PYDANTIC) == ["works"]


_OVERLAPPING = """
import gc
from contextlib import ExitStack
from testwright.app.fast_imports import fast_imports
first, second = ExitStack(), ExitStack()
first.enter_context(fast_imports())
second.enter_context(fast_imports())
first.close()
print(gc.isenabled())
second.close()
from pydantic import BaseModel

class Own(BaseModel):
    count: int

print(gc.isenabled(), Own.__pydantic_complete__)
"""


def test_blocks_that_overlap_leave_the_collector_and_other_models_as_they_were() -> None:
    assert printed(_OVERLAPPING) == ["False", "True True"]


# The package's code waits for the second thread to be there, and that one for the package's code to run.
_AT_ONCE = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
folder = Path(sys.argv[1], "parcel")
folder.mkdir()
(folder / "__init__.py").write_text("import __main__\\n__main__.runs()\\nSTAMP = 5\\n")
sys.path.insert(0, sys.argv[1])
from testwright.app import fast_imports
fast_imports._defer_contents("parcel", None)
running, asked, count = threading.Event(), threading.Event(), 0

def runs():
    global count
    count += 1
    if count == 1:
        raise OSError("not yet")
    running.set()
    asked.wait(60)

def later():
    running.wait(60)
    asked.set()
    from parcel import STAMP
    return STAMP

def stamp():
    from parcel import STAMP
    return STAMP

try:
    stamp()
except OSError as error:
    print(error)
with ThreadPoolExecutor(2) as pool:
    print([one.result() for one in (pool.submit(stamp), pool.submit(later))], count)
"""


def test_a_package_is_loaded_once_for_all_threads_and_again_where_that_failed(tmp_path) -> None:
    assert printed(_AT_ONCE, str(tmp_path)) == ["not yet", "[5, 5] 2"]


_UNIT_RUN = """
import sys
from testwright.app.fast_imports import fast_imports
with fast_imports():
    from testwright.app import container, run_lifecycle, runs
    from testwright.app.agent_factory import create_agents
    from testwright.config.settings import load_settings
agents = create_agents(load_settings({"root": "."}), None, {}, None)
unused = (
    "testwright.engine.api.probe", "testwright.engine.api.write", "testwright.engine.browser.explore",
    "testwright.engine.integration.flows", "testwright.engine.integration.write",
    "testwright.engine.javascript.explore", "testwright.engine.performance.compose",
    "testwright.engine.performance.load.compose",
    "testwright.agents.llm", "sqlalchemy.dialects.postgresql", "langgraph_sdk.client", "openai", "temporalio",
)
print(sorted(agents))
print(*[name for name in unused if name in sys.modules])
"""


def test_a_run_of_unit_tests_loads_no_engine_of_other_types_no_models_and_no_database_server() -> None:
    roles, loaded = printed(_UNIT_RUN)
    assert "'spec'" in roles
    assert "'writer'" in roles
    assert loaded == ""
