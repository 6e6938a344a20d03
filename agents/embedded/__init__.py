"""Agents without a model: planner, spec agent, writer, analyzer, and the three repository agents.

`plan/` turns a request into steps, `specs/` generates specs with the engine, `repository/` maps a repository and writes
end-to-end tests. It must not import `llm/` or `model/`.
"""
