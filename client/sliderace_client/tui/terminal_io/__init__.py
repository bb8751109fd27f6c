"""Terminal input and output: the driver, the output, and minimal repaints."""
