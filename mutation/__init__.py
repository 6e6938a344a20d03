"""Small faults that can be put into the code of a module, for the engine and the gate alike (B-01, B-11)."""
