"""A running room: who is subscribed to it, and what each subscriber is sent when."""
