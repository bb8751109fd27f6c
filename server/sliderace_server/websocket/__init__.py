"""WebSocket connections and their sessions.

The only package that uses the websockets library. It admits connections, passes plain
HTTP requests to `sliderace_server.http`, reads messages no faster than the rate limits
allow, and closes connections within a bounded time even if the peer does not cooperate.
"""

from sliderace_server.websocket.listener import Acceptor, CannotListen, Listener

__all__ = ["Acceptor", "CannotListen", "Listener"]
