"""Settings: their fields, sources and validation (`settings.py`), the project file, tool servers, `${NAME}` variables.

It must not import agents, graphs or the application.
"""
