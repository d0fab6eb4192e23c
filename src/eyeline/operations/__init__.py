"""The verbs. Each takes its parts as keyword arguments; none calls another."""
