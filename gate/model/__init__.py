"""Plain data of the gate: options, results, conditions, verdicts."""
