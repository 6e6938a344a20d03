"""The testing graph: from one target to tests that were run and analysed."""
