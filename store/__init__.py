"""Keeps everything a run leaves behind: its files, the run database, and caches shared by runs.

`files/` has the run's folder, its logs, locks, and the staging of tests into the project. `database/` has runs,
artifacts and model answers in SQLite. `cache/` has tool results and results of finished runs. `listing.py` and
`retention.py` serve `runs list` and `clean`. Nothing here imports agents, the engine or the graphs.
"""
