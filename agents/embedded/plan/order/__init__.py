"""The order in which a plan's targets are worked on."""
