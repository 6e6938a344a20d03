"""The planning graph: from a request to ordered steps, their execution, and the end of the plan."""
