"""The only place that runs code that is not ours.

`protocol` defines programs and limits; `bubblewrap` and `weak` run them under `keeper`; `target` prepares a project
(`interpreter`, `snapshot`, `overlay`); `worker/` holds what runs in the target's interpreter. Imports `utils` and
`core` only.
"""
