"""Tests of the page. A package, so that its modules can share a browser."""
