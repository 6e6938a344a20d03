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
"""
_MODELS = """
models = sys.modules["langsmith.types"]
from langsmith.types import RunSelectField
print(RunSelectField is models.run_select_field.RunSelectField, hasattr(models, "NoSuchModel"))
"""


def test_models_that_nothing_uses_are_made_when_they_are_asked_for_only():
    lines = ["True True False"]
    program = _IMPORTS
    # The lowest versions that are allowed have no such package: there, the imports are only the usual ones.
    if importlib.util.find_spec("langsmith.types"):
        lines.append("True False")
        program += _MODELS
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (lines, "")
