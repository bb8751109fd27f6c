"""The rooms of one server: opens, finds, runs and recovers them."""
