"""Plain HTTP on the same port: who may ask, the page, results, health and metrics."""
