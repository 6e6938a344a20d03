"""What the text of a module says: signatures, types, raises, constants, docstrings."""
