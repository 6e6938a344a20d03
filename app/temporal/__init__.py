"""Runs on Temporal: one workflow a run, whose steps are activities that any number of workers execute.

`addresses` → connections; `messages` is all that crosses; `run_workflow` decides what comes next, and nothing else;
`activities` do it, with `sessions` of open runs; `worker` and `client` are the two ends. Files, artifacts, answers and
checkpoints stay in the run's store, which client and workers share.
"""
