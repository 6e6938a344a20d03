"""The shared vocabulary: errors and exit codes, events, how a run ends, the version."""
