"""Plain data of the integration engine: modules, flows, programs."""
