"""The examples of the settings in flows across modules."""

from testwright.engine.integration.flows.explore import FlowProposer
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.project.layout import find_layout
from testwright.tests.support.projects.files import make_project

PROJECT = {
    "src/post/__init__.py": "",
    "src/post/rates.py": "def rate(zone):\n    return len(zone)\n",
    "src/post/parcel.py": "from .rates import rate\n\n\ndef price(zone, n: int):\n    return rate(zone) * n\n",
}


def test_flows_start_from_the_calls_and_values_of_the_settings(tmp_path):
    make_project(tmp_path, PROJECT)
    layout = find_layout(tmp_path)
    facts = analyse_module(tmp_path, "src/post/parcel.py", layout)
    given = {"post.parcel:price": "price('Z9', 3)"}
    acts = [trial.act for trial in FlowProposer(tmp_path, layout, facts, ["price"], examples=given).initial()]
    assert "price('Z9', 3)" in acts
    none = [trial.act for trial in FlowProposer(tmp_path, layout, facts, ["price"]).initial()]
    assert not any("Z9" in act for act in none)
