"""Programs that time calls in the target's interpreter."""
