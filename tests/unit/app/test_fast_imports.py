"""What a process of ours leaves out of its imports is there all the same when somebody asks for it."""

import subprocess
import sys

_PROGRAM = """
import gc, sys
from testwright.app.fast_imports import fast_imports
with fast_imports():
    import langgraph.graph
models = sys.modules["langsmith.types"]
print(gc.isenabled(), gc.get_freeze_count() > 10_000, "langsmith.types.custom_charts_section" in sys.modules)
from langsmith.types import RunSelectField
print(RunSelectField is models.run_select_field.RunSelectField, hasattr(models, "NoSuchModel"))
"""


def test_models_that_nothing_uses_are_made_when_they_are_asked_for_only():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (["True True False", "True False"], "")
