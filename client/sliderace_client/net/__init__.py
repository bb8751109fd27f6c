"""Talking to servers: finding them, HTTP, the WebSocket connection, and seats kept."""
