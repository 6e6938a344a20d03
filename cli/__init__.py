"""The command line (T-19): Typer commands over `testwright.app.service`."""
