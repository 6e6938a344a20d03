"""The programs of a project: what they accept, runs to try, runs to keep."""
