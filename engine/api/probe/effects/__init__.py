"""What requests do to more than their own answer: to entity tags, limits, totals, and to what is told of who did it."""
