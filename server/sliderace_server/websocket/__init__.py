"""The server's front: sockets outside, sessions inside.

The only package that knows the websockets library. It admits connections, answers plain
HTTP, reads messages no faster than a session wants them, and ends connections within a
bounded time, whether the peer helps or not.
"""

from sliderace_server.websocket.listener import CannotListen, Listener

__all__ = ["CannotListen", "Listener"]
