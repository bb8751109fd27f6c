"""The network: finding servers, HTTP, the WebSocket connection, and stored seats."""
