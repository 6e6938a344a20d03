"""The evidence loop's agents with a model, each on top of the one without."""
