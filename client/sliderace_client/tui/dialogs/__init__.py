"""Windows over a screen: help, the room code, choices and forms."""
