"""What every agent is: request and response, lifecycle, validation, and the handoff from one agent to the next."""
