"""Reports of runs: the model of report.json, its construction from a run's final state, and its text forms.

`model.py` and `run_model.py` define the report, `build.py` builds it, `*_form.py` render it as JSON, Markdown and JUnit
XML; `assessment.py` renders assessments. It must not import graphs, agents or the application.
"""
