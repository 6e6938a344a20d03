"""Plain data of the Python engine, and how it is read and written as JSON."""
