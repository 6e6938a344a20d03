"""The environment that the target's code runs in during a run. Part of what a run imports first, so it stays light."""
