"""Scripts that run in Node inside the sandbox: they start Jest, record what tests reach, and observe trials."""
