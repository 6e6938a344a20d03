"""What few runs need: agents that ask a model, and the engines of the test types other than unit.

They are some 150 modules, so they are imported inside functions: those of `agent_factory.py` and `own_agents.py`
import `model_agents` and `steering_models` once a role has a model, and each function of `spec_generators` imports the
engine of its test type once the plan has a step of that type.
"""
