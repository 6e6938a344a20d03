"""The command line: Typer commands over `testwright.app.service`."""
