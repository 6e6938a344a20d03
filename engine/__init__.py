"""The embedded generator: analyse, propose, observe, select, render; one language a folder (DESIGN section 4)."""
