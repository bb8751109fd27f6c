"""The wire: messages, their limits and codes, and how they are written."""
