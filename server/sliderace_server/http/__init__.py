"""Plain HTTP on the same port: host checks, the page, results, health and metrics."""
