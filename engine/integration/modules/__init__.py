"""Which modules of a project call each other, and where they meet."""
