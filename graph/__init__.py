"""The two LangGraph graphs of a run, and what their nodes share.

`planning_graph/` turns a request into steps and executes them; `execution_graph/` takes one target from context to
analysed tests. `context` holds the run's settings and live services, `node` adds events and audit entries to nodes and
calls agents, `faults` classifies errors, `running` starts and resumes runs, `checkpoints` and `state_format` store and
check states. Tools are called through `context.ToolCaller` only. It must not import `app`, `cli`, `engine`, `gate` or
`sandbox`.
"""
