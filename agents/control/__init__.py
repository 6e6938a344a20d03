"""What the agents that steer a run receive and answer, and how strictly their answers are read.

Roles: `safety` (may a step be executed), `goal` (is the request met), `judge` (is it complete already), `health`,
`lorebook` (what is known about the project) and `summary` (of the turns so far). Main modules: `flags`, `verdicts`,
`health`, `lorebook`. It must not import other agent packages than `contract`.
"""
