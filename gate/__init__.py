"""Which tests are kept: runs in the sandbox, verdicts, coverage, flakiness, pollution, the evidence record."""
