"""How the project itself uses a module: its tests, call sites, examples and documents."""
