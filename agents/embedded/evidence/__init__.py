"""The evidence loop's agents without a model: they search by words, count what is promised and shown, and quote."""
