"""The protocol between client and server: messages, limits, codes and codec."""
