"""A running room: its subscribers, and what each of them is sent when."""
