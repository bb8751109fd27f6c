"""Players that are programs, and the solver they use."""
