"""The parent of the workers: passes connections to them, and keeps them running.

It has no event loop, so it can fork: a worker begins with everything imported.
`arrivals` accepts the connections.

Rules:

- A worker that ends by itself is restarted at once, and its rooms continue; its
  connections wait meanwhile. If it keeps ending, the pauses before restarts grow.
- The first signal stops all workers in an orderly way; the second kills them.
- If the parent is killed, the workers stop in an orderly way.
"""

import contextlib
import logging
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from sliderace_server.limits import PerAddress
from sliderace_server.settings import ServerSettings

from .arrivals import Arrivals
from .channel import (
    RECEIVED_AT_ONCE,
    Arrived,
    Channel,
    Counted,
    Ended,
    Message,
    PassedOn,
    Ready,
    Reported,
    Stop,
    parts_of,
)

__all__ = ["Parent"]

_log = logging.getLogger(__name__)

CRASH_S = 10.0
"""A worker that ends sooner after its start is restarted only after a pause."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 8.0
"""The pause doubles each time."""

RunWorker = Callable[[int, socket.socket], int]
"""Runs the worker of an index in this process, with its end of the channel; returns the
exit code."""


class _Worker:
    """A worker as the parent knows it, across restarts."""

    def __init__(self, index: int, channel: Channel) -> None:
        self.index = index
        self.channel = channel
        self.connections = Counter[str]()
        self.pid = 0  # 0: it does not run
        self.ready = False
        self.exit_code = 0
        self.parts = b""
        self.report = b""
        self.racing = False
        self.started = 0.0
        self.start_at = 0.0
        self.pause_s = 0.0

    def forget(self, address: str) -> None:
        """Stop counting one of its connections."""
        self.connections[address] -= 1
        if self.connections[address] <= 0:
            del self.connections[address]

    def postpone(self, now: float) -> None:
        """Start it after a pause, which is longer each time."""
        self.start_at = now + self.pause_s
        self.pause_s = min(2 * self.pause_s or FIRST_PAUSE_S, LONGEST_PAUSE_S)


class _Racing(msgspec.Struct):
    """The part of a `Report` that the parent needs."""

    racing: bool = False


class Parent:
    """The parent process.

    Args:
        settings: the server's settings.
        listeners: the sockets on which it listens.
        run_worker: see `RunWorker`.
    """

    def __init__(
        self,
        settings: ServerSettings,
        listeners: Sequence[socket.socket],
        run_worker: RunWorker,
    ) -> None:
        self._run_worker = run_worker
        self._selector = selectors.DefaultSelector()
        self._workers = [
            _Worker(index, Channel(partial(self._dropped, index)))
            for index in range(settings.worker_count)
        ]
        self._addresses = PerAddress(settings.limits)
        self._arrivals = Arrivals(
            settings, self._selector, listeners, self._addresses, self._pass_on
        )
        self._signals = 0
        self._serving = False  # all workers have been ready
        self._draining = False
        self._stopping = False

    # --- the life of the server ------------------------------------------------------

    def start(self) -> int | None:
        """Start the workers; return None once all are ready, else an exit code."""
        self._wake_on_signals()
        first, *others = self._workers
        for some in ([first], others):  # so that only one reports an error of all
            for worker in some:
                self._start(worker)
            while not all(worker.ready for worker in some):
                self._turn()
                if self._signals or not all(worker.pid for worker in some):
                    return self.stop()
        self._arrivals.start()
        self._serving = True
        return None

    def run(self, until_eof: int = -1) -> int:
        """Serve until a signal arrives, or until a pipe and then all races have ended.

        Args:
            until_eof: the pipe; -1: none.

        Returns:
            The exit code: the worst of all workers.
        """
        if until_eof >= 0:
            self._watch(until_eof)
        while not (self._signals or (self._draining and not self._racing())):
            self._turn()
        return self.stop()

    def stop(self) -> int:
        """Stop all workers; return the worst exit code."""
        _log.info("stopping")
        self._stopping = True
        signals = self._signals
        self._arrivals.stop()
        for worker in self._running():
            self._send(worker, Stop(self._draining))
        killed = False
        while self._running():
            self._turn()
            if self._signals > max(signals, 1) and not killed:
                killed = True
                _log.error("stopped by a second signal")
                for worker in self._running():
                    os.kill(worker.pid, signal.SIGKILL)
        if not killed:
            _log.info("stopped")
        return 1 if killed else max(worker.exit_code for worker in self._workers)

    def close(self) -> None:
        """Kill workers that still run, which happens only after an error."""
        for worker in self._running():
            os.kill(worker.pid, signal.SIGKILL)
        self._arrivals.close()

    def _turn(self) -> None:
        """Handle what happens next."""
        for key, events in self._selector.select(self._pause_s()):
            key.data(key.fileobj, events)
        now = time.monotonic()
        self._arrivals.expire(now)
        for worker in self._to_start():
            if worker.start_at <= now:
                self._start_again(worker)

    def _pause_s(self) -> float | None:
        """Return how long to wait for an event, in seconds; None: there is no limit."""
        due = [worker.start_at for worker in self._to_start()]
        if (deadline := self._arrivals.deadline()) is not None:
            due.append(deadline)
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _running(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.pid]

    def _to_start(self) -> list[_Worker]:
        """Return the workers that have ended and must be restarted."""
        if self._stopping or not self._serving:
            return []
        return [worker for worker in self._workers if not worker.pid]

    def _wake_on_signals(self) -> None:
        """Let signals end the wait for events."""
        ours, theirs = socket.socketpair()
        for sock in (ours, theirs):
            sock.setblocking(False)
        self._signal_sockets = ours, theirs
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _do_nothing)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signaled)
        self._selector.register(ours, selectors.EVENT_READ, self._woken)

    def _signaled(self, *_: object) -> None:
        self._signals += 1

    def _woken(self, sock: socket.socket, _: int) -> None:
        with contextlib.suppress(BlockingIOError):
            while sock.recv(512):
                pass
        for worker in self._running():
            self._reap(worker)

    def _watch(self, descriptor: int) -> None:
        """Watch a pipe for its end."""

        def readable(*_: object) -> None:
            with contextlib.suppress(OSError):
                if os.read(descriptor, 4_096):
                    return
            self._selector.unregister(descriptor)
            self._drain()

        try:
            self._selector.register(descriptor, selectors.EVENT_READ, readable)
        except PermissionError:  # an ordinary file, which has an end
            self._drain()

    def _drain(self) -> None:
        """Stop once no worker has a race; only reports from now on count."""
        self._draining = True
        for worker in self._workers:
            worker.racing = True

    def _racing(self) -> bool:
        return any(worker.racing for worker in self._running())

    # --- workers ---------------------------------------------------------------------

    def _start(self, worker: _Worker) -> None:
        """Start a worker; only the parent returns."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            raise
        if not pid:
            code = 1
            try:
                ours.close()
                self._become_worker()
                code = self._run_worker(worker.index, theirs)
            except BaseException:  # noqa: BLE001 - nothing else would report it
                traceback.print_exc()
            finally:
                os._exit(code)
        theirs.close()
        worker.pid, worker.ready, worker.parts = pid, False, b""
        worker.started = time.monotonic()
        worker.channel.connect(ours)
        self._listen_to(worker)
        for other in self._workers:
            if other.report and other is not worker:
                for part in parts_of(other.index, other.report):
                    self._send(worker, part)
        _log.info("worker started", extra={"worker": worker.index, "pid": pid})

    def _start_again(self, worker: _Worker) -> None:
        """Start a worker that has ended, or try again later."""
        try:
            self._start(worker)
        except OSError as error:  # no memory, or too many processes or files
            extra = {"worker": worker.index, "error": error.strerror}
            _log.error("cannot start a worker", extra=extra)
            worker.postpone(time.monotonic())

    def _become_worker(self) -> None:
        """In a new worker: close and reset what belongs to the parent."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # A signal may go to the whole process group; the parent tells us what to do.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        self._selector.close()
        for sock in self._signal_sockets:
            sock.close()
        self._arrivals.close()
        for worker in self._workers:
            worker.channel.close()

    def _reap(self, worker: _Worker) -> None:
        """Notice that a worker has ended."""
        pid, status = os.waitpid(worker.pid, os.WNOHANG)
        if not pid:
            return
        # Its last messages, however many there are.
        self._heard(worker, None, selectors.EVENT_READ, sys.maxsize)
        worker.pid, worker.racing = 0, False
        code = os.waitstatus_to_exitcode(status)
        worker.exit_code = code if code >= 0 else 1
        waiting = [one for one in worker.channel.waiting() if isinstance(one, Arrived)]
        left = Counter(one.address for one in waiting)
        for address in (worker.connections - left).elements():
            self._addresses.disconnect(address)
        worker.connections = left
        now = time.monotonic()
        if now - worker.started >= CRASH_S:
            worker.pause_s = 0.0
        worker.postpone(now)
        if self._serving and not self._stopping:
            extra = {"worker": worker.index, "pid": pid, "exit_code": code}
            _log.error("worker ended", extra=extra)

    def _pass_on(self, index: int, message: Arrived, descriptor: int) -> None:
        """Pass a connection to a worker, for which it counts from now on."""
        worker = self._workers[index]
        worker.connections[message.address] += 1
        self._send(worker, message, descriptor)

    def _send(self, worker: _Worker, message: Message, descriptor: int = -1) -> None:
        worker.channel.send(message, descriptor)
        self._listen_to(worker)

    def _listen_to(self, worker: _Worker) -> None:
        """Watch a channel for messages, and for space if some wait here."""
        events = selectors.EVENT_READ
        if worker.channel.blocked:
            events |= selectors.EVENT_WRITE
        if worker.channel.events != events and worker.channel.sock is not None:
            if worker.channel.events:
                self._selector.unregister(worker.channel.sock)
            worker.channel.events = events
            heard = partial(self._heard, worker)
            self._selector.register(worker.channel.sock, events, heard)

    def _heard(
        self,
        worker: _Worker,
        _: object,
        events: int,
        limit: int = RECEIVED_AT_ONCE,
    ) -> None:
        if events & selectors.EVENT_WRITE:
            worker.channel.flush()
            self._listen_to(worker)
        if events & selectors.EVENT_READ:
            try:
                for message, descriptor in worker.channel.receive(limit):
                    self._handle(worker, message, descriptor)
            except EOFError:
                if worker.channel.sock is not None:
                    self._selector.unregister(worker.channel.sock)
                worker.channel.disconnect()

    def _handle(self, worker: _Worker, message: Message, descriptor: int) -> None:
        match message:
            case Ended(address):
                worker.forget(address)
                self._addresses.disconnect(address)
            case PassedOn(_, address, _) if descriptor < 0:  # too many files are open
                worker.forget(address)
                self._addresses.disconnect(address)
            case PassedOn(index, address, data):
                worker.forget(address)
                self._pass_on(index, Arrived(address, data, answered=True), descriptor)
            case Reported(_, part, last):
                worker.parts += part
                if last:
                    self._publish(worker, worker.parts)
                    worker.parts = b""
            case Counted():
                for other in self._others(worker):
                    self._send(other, message)
            case Ready():
                worker.ready = True
            case _:
                pass

    def _dropped(self, index: int, message: Message) -> None:
        """Note that a connection did not reach its worker."""
        if isinstance(message, Arrived):
            self._workers[index].forget(message.address)
            self._addresses.disconnect(message.address)

    def _publish(self, worker: _Worker, report: bytes) -> None:
        """Send a worker's report to all other workers, and keep it for later ones.

        If the worker ends, its last report counts until its next process reports: the
        others must not forget that somebody races on a daily board.
        """
        worker.report = report
        worker.racing = msgspec.msgpack.decode(report, type=_Racing).racing
        for other in self._others(worker):
            for part in parts_of(worker.index, report):
                self._send(other, part)

    def _others(self, worker: _Worker) -> list[_Worker]:
        """Return the other workers that run and take messages."""
        return [
            other
            for other in self._running()
            if other is not worker and not other.channel.blocked
        ]


def _do_nothing(*_: object) -> None:
    """Handle a signal that only wakes the parent."""
