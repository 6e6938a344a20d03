"""Use cases and the composition root; nothing below imports it.

`runs.py` starts runs, `run_lifecycle.py` executes and stores them, `run_report.py` writes their reports; `service.py`
and `assess.py` hold the other use cases, `api.py` and `mcp_application.py` their library and MCP forms. `container.py`
and the `*_factory.py` modules open what a run needs. This file imports nothing, and `run_cache.py`, `bootstrap.py`
and `target` must not import graphs, models or the database: they are loaded before every run.
"""
