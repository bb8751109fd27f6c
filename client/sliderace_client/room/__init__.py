"""A room as one member sees it: every event folded into one state. Pure."""
