"""Bots that race, and the solver they use."""
