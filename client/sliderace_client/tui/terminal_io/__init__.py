"""Bytes to and from the terminal: the driver, the output, and the smallest repaint."""
