"""Room logs in JetStream, the streams of NATS.

An append is one message, or several if it is large. The logs of all rooms are in
`PARTS` streams; each room has a subject in one of them. JetStream stores a message only
if the last message of the subject is the expected one (compare-and-set), and
acknowledges it once a majority of the stream's copies has it.

A broker that does not reply may have stored the message. The append is then sent again
with the same number. If JetStream refuses it because the last message is ours and has
this number, the append was stored.
"""

import asyncio
from base64 import b64decode
from collections.abc import (
    AsyncGenerator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from itertools import chain, count
from typing import Any, NamedTuple
from urllib.parse import quote, unquote
from zlib import crc32

import msgspec
from nats.aio.msg import Msg

from sliderace_server.storage.ports import (
    DAY_MS,
    Append,
    Conflict,
    LogDamaged,
    RoomLog,
    StorageUnavailable,
    StoreRefused,
)

from .connection import ANSWER_S, API_S, LEADER_S, Connection
from .log_frames import Frame, decoded, encoded, joined, pieces, size_of

__all__ = ["PARTS", "JetStreamLog", "Stream", "Writer", "expected_streams"]

PARTS = 4
"""Streams with logs. Each has its own leader, so the brokers share the work. The
descriptions of the streams contain this number: with another one, rooms would be
lost."""
COPIES = 3
"""Of each message, if there are enough brokers: one of them may be lost."""
FULL = 0.8
"""Share of a stream's limit from which on an operator should raise it."""
PIECE_BYTES = 512 * 1024
"""Of one message; by default, brokers refuse more than 1 MiB."""
READERS = 16
"""Parts of a log that are read at once."""
MAX_ENDS = 50_000
"""Ends of logs in memory; to look up another one costs a request."""
RETRY_S = 0.25
WRONG_LAST = 10071
"""JetStream's code for: the subject's last message is not the expected one."""
NO_MESSAGE = 10037
NO_STREAM = 10059
NOT_FOUND = "404"
FINAL = {10005, 10023, 10028, 10047, 10052, 10065, 10074}
"""JetStream's codes for requests that it is useless to repeat: too few brokers, too
little space, or the name or subjects of a stream are in use."""
FIXED = (
    "subjects",
    "description",
    "retention",
    "discard",
    "max_age",
    "max_msgs",
    "max_msgs_per_subject",
    "storage",
    "allow_direct",
)
"""Settings of a stream that operators must not change; they may change `max_bytes` and
the number of copies."""
EXPECTED = "Nats-Expected-Last-Subject-Sequence"


class Writer(NamedTuple):
    """Who wrote the last message of a log.

    Attributes:
        incarnation: The process.
        position: Where the log ends.
    """

    incarnation: str
    position: int


class End(NamedTuple):
    """The end of a log, as far as this process knows.

    Attributes:
        position: Number of records.
        sequence: Sequence number of its last message; 0: there is none.
        removed: Number of records that were removed from the beginning.
        first: Sequence number of the first needed message.
    """

    position: int = 0
    sequence: int = 0
    removed: int = 0
    first: int = 0


class _Sent(NamedTuple):
    """A message that is not acknowledged yet, and the log's end once it is."""

    answer: asyncio.Future[Msg]
    end: End


class _Problem(msgspec.Struct):
    err_code: int = 0
    description: str = ""


class _Failed(msgspec.Struct):
    error: _Problem | None = None


class _Stored(_Failed):
    seq: int = 0


class _Message(msgspec.Struct):
    seq: int
    data: str = ""


class _Got(msgspec.Struct):
    message: _Message


class StreamConfig(msgspec.Struct):
    """The settings of a stream that we need, with JetStream's names."""

    name: str
    subjects: list[str]
    description: str = ""
    retention: str = "limits"
    discard: str = "old"
    max_age: int = 0
    max_msgs: int = -1
    max_bytes: int = -1
    max_msgs_per_subject: int = -1
    num_replicas: int = 1
    storage: str = "file"
    allow_direct: bool = False


class StreamState(msgspec.Struct):
    """What a stream contains."""

    messages: int = 0
    bytes: int = 0
    subjects: dict[str, int] | None = None


class StreamCopies(msgspec.Struct):
    """Which brokers have a stream."""

    leader: str = ""


class Stream(msgspec.Struct):
    """What JetStream says about a stream."""

    config: StreamConfig
    state: StreamState
    cluster: StreamCopies | None = None
    total: int = 0


class _Refused(StorageUnavailable):
    """JetStream refuses a request.

    Attributes:
        code: Its code.
    """

    def __init__(self, problem: _Problem, stream: str = "") -> None:
        super().__init__(f"{stream}: {problem.description}".removeprefix(": "))
        self.code = problem.err_code


_decode_stored = msgspec.json.Decoder(_Stored).decode
_decode_failed = msgspec.json.Decoder(_Failed).decode


def expected_streams(prefix: str, copies: int = 1) -> list[StreamConfig]:
    """Return the streams of a cluster: for logs, and for reserved codes.

    Args:
        prefix: First part of names and subjects.
        copies: Number of copies of each message.
    """
    logs = [
        StreamConfig(
            f"{prefix.upper()}_LOG_{part}",
            [f"{prefix}.log.{part}.*"],
            f"sliderace: logs of rooms, part {part} of {PARTS}",
            discard="new",  # a full stream refuses messages; "old" would delete some
            num_replicas=copies,
            allow_direct=True,
        )
        for part in range(PARTS)
    ]
    codes = StreamConfig(
        f"{prefix.upper()}_CODES",
        [f"{prefix}.code.*.*"],
        "sliderace: codes of closed rooms, which are not used again for a day",
        discard="new",
        max_age=2 * DAY_MS * 1_000_000,
        num_replicas=copies,
        allow_direct=True,
    )
    return [*logs, codes]


class JetStreamLog(RoomLog):
    """`RoomLog` in JetStream, while it is `opened`.

    Args:
        piece_bytes: Longest message.

    Attributes:
        copies: Number of copies of each message.
    """

    def __init__(self, *, piece_bytes: int = PIECE_BYTES) -> None:
        self.copies = 1
        self._opened: Connection | None = None
        self._piece_bytes = piece_bytes
        self._numbers = count(1)
        self._ends: dict[str, End] = {}
        self._trims: dict[str, tuple[int, int]] = {}
        self._unsure: dict[str, tuple[Append, int]] = {}
        self._reserved: Callable[[str, int], None] = lambda _room, _until_ms: None
        self._appending: set[asyncio.Task[list[Conflict | None]]] = set()

    @property
    def connection(self) -> Connection:
        """The connection to the brokers.

        Raises:
            StorageUnavailable: The log is not open.
        """
        if self._opened is None:
            raise StorageUnavailable("the store is closed")
        return self._opened

    # --- streams ---------------------------------------------------------------------

    @asynccontextmanager
    async def opened(self, connection: Connection) -> AsyncGenerator[None, None]:
        """Create or check the streams, and accept calls inside the context.

        Raises:
            StoreRefused: A stream cannot be created, or is not one of ours.
        """
        self._opened = connection
        self._ends.clear()
        try:
            copies = COPIES if connection.brokers >= COPIES else 1
            until = asyncio.get_running_loop().time() + LEADER_S
            for wanted in expected_streams(connection.prefix, copies):
                found = await self._ensure(wanted, until)
                self.copies = found.config.num_replicas
            await connection.client.subscribe(  # pyright: ignore[reportUnknownMemberType]
                f"{connection.prefix}.code.*.*", cb=self._on_code
            )
            yield
        finally:
            if self._appending:
                await asyncio.wait(self._appending)
            self._opened = None

    async def _ensure(self, wanted: StreamConfig, until: float) -> Stream:
        """Return a stream; create it if it does not exist."""
        now = asyncio.get_running_loop().time
        while True:
            try:
                found = await self.stream(wanted.name) or await self._create(wanted)
            except StorageUnavailable as error:
                if now() < until and not _is_final(error):
                    await asyncio.sleep(RETRY_S)
                    continue
                text = f"cannot use the stream {wanted.name}: {error}"
                raise StoreRefused(text) from None
            break
        for name in FIXED:
            value, ours = getattr(found.config, name), getattr(wanted, name)
            if value != ours:
                raise StoreRefused(
                    f"the stream {wanted.name} is not as sliderace made it: "
                    f"{name} is {value!r}, not {ours!r}"
                )
        return found

    async def _create(self, wanted: StreamConfig) -> Stream:
        subject = f"$JS.API.STREAM.CREATE.{wanted.name}"
        return msgspec.json.decode(await self.request(subject, wanted), type=Stream)

    async def stream(self, name: str, **wanted: object) -> Stream | None:
        """Return a stream; None: there is no such stream.

        Args:
            name: Its name.
            wanted: More fields of the request.

        Raises:
            StorageUnavailable: The brokers do not answer.
        """
        try:
            data = await self.request(f"$JS.API.STREAM.INFO.{name}", wanted)
        except _Refused as error:
            if error.code == NO_STREAM:
                return None
            raise
        return msgspec.json.decode(data, type=Stream)

    async def streams(self) -> list[Stream | None]:
        """Return all streams of the cluster; None: one is missing.

        Raises:
            StorageUnavailable: The brokers do not answer.
        """
        wanted = expected_streams(self.connection.prefix)
        return [await self.stream(one.name) for one in wanted]

    async def examine(self) -> Mapping[str, Any]:
        """Return the versions of the brokers and the faults of the streams.

        The faults are: `missing`; `leader`: there is none; `full`: by four fifths;
        `copy`: only one, although there are enough brokers for three.
        """
        wanted = expected_streams(self.connection.prefix)
        versions, *found = await asyncio.gather(
            self.connection.versions(), *(self._fault(one.name) for one in wanted)
        )
        pairs = zip(wanted, found, strict=True)
        faults = {one.name: fault for one, fault in pairs if fault}
        return {"versions": versions, "streams": len(wanted), "faults": faults}

    async def _fault(self, name: str) -> str:
        try:
            async with asyncio.timeout(ANSWER_S):  # the operator waits no longer
                found = await self.stream(name)
        except (StorageUnavailable, TimeoutError):
            return "leader"
        if found is None:
            return "missing"
        if 0 < found.config.max_bytes * FULL < found.state.bytes:
            return "full"
        enough = self.connection.brokers >= COPIES
        return "copy" if enough and found.config.num_replicas < COPIES else ""

    async def _subjects(self, stream: str, pattern: str) -> AsyncGenerator[str, None]:
        """Yield the subjects of a stream that have messages."""
        offset, total = 0, 1
        while offset < total:
            found = await self.stream(stream, subjects_filter=pattern, offset=offset)
            if found is None:
                raise StorageUnavailable(f"the stream {stream} does not exist")
            subjects = found.state.subjects or {}
            for subject in subjects:
                yield subject
            offset, total = offset + len(subjects), found.total
            if not subjects:
                return

    async def request(self, subject: str, request: object) -> bytes:
        """Return the reply to a request to JetStream.

        Raises:
            StorageUnavailable: JetStream refuses it, or does not reply.
        """
        data = msgspec.json.encode(request)
        reply = await self.connection.ask(subject, data, within_s=API_S)
        if problem := _decode_failed(reply.data).error:
            raise _Refused(problem)
        return reply.data

    # --- appending -------------------------------------------------------------------

    async def append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        """See `RoomLog`."""
        _ = self.connection  # or it raises
        # A task of its own, which goes on if the caller is cancelled.
        task = asyncio.create_task(self._append_all(appends))
        self._appending.add(task)
        task.add_done_callback(self._appending.discard)
        return await asyncio.shield(task)

    async def _append_all(self, appends: Sequence[Append]) -> list[Conflict | None]:
        numbers = [self._number_of(one) for one in appends]
        found: list[Conflict | None] = [None] * len(appends)
        sent: dict[str, tuple[int, _Sent]] = {}
        rest: dict[str, list[int]] = {}
        errors: list[BaseException] = []
        for index, (one, number) in enumerate(zip(appends, numbers, strict=True)):
            end = self._ends.get(one.room, End())
            # Nearly always: the log's end is known, and one message is enough.
            again = one.room in sent or one.room in rest
            if again or not self._is_simple(one, end):
                rest.setdefault(one.room, []).append(index)
                continue
            piece = [*one.records]
            try:
                message = await self._send(one.room, end, piece, number, end.position)
                sent[one.room] = index, message
            except (StorageUnavailable, ValueError) as error:
                errors.append(error)
        for room, (index, message) in sent.items():
            try:
                if (stored := await self._stored(room, message)) is None:
                    rest[room] = [index, *rest.get(room, ())]
                else:
                    self._note_stored(room, stored)
            except StorageUnavailable as error:
                errors.append(error)

        async def append(indexes: Iterable[int]) -> None:
            for index in indexes:
                one = appends[index]
                try:
                    found[index] = await self._append(one, numbers[index])
                except LogDamaged:  # nobody can append, but other rooms go on
                    found[index] = Conflict(one.room, one.expected, 0)

        others = [append(one) for one in rest.values()]
        results = await asyncio.gather(*others, return_exceptions=True)
        errors += [one for one in results if one is not None]
        if errors:
            for one, number in zip(appends, numbers, strict=True):
                self._unsure[one.room] = one, number
            wrong = (one for one in errors if not isinstance(one, StorageUnavailable))
            raise next(wrong, errors[0])
        return found

    def _is_simple(self, append: Append, end: End) -> bool:
        """Return whether an append is one message, as far as we know."""
        size = size_of(append.records)
        return end.position == append.expected and 0 < size <= self._piece_bytes

    def _number_of(self, append: Append) -> int:
        """Return the number of an append: the same if it is tried again."""
        before, number = self._unsure.pop(append.room, (None, 0))
        return number if before == append else next(self._numbers)

    async def _append(self, append: Append, number: int) -> Conflict | None:
        room, expected, records = append
        end = self._ends.get(room, End())
        if end.position != expected or not records:
            end, frame = await self._look(room)
            if self._is_ours(frame, number):
                return None
            if end.position != expected:
                return Conflict(room, expected, end.position)
        while records:
            if await self._write(room, end, records, number):
                return None
            before = end
            end, frame = await self._look(room)
            if self._is_ours(frame, number):
                return None
            if end.position != expected or end == before:
                return Conflict(room, expected, end.position)
        return None

    async def _write(
        self, room: str, end: End, records: Sequence[bytes], number: int
    ) -> bool:
        """Send the messages of an append; return False if another append was faster."""
        begin, total = end.position, end.position + len(records)
        for piece in pieces(records, self._piece_bytes):
            more = end.position + len(piece) < total
            message = await self._send(room, end, piece, number, begin, more=more)
            stored = await self._stored(room, message)
            if stored is None:
                return False
            end = stored
        self._note_stored(room, end)
        return True

    async def _send(
        self,
        room: str,
        end: End,
        piece: list[bytes],
        number: int,
        begin: int,
        *,
        more: bool = False,
    ) -> _Sent:
        """Send a message of an append; see `Frame`."""
        at = end.position
        removed, first = self._trims.get(room, (end.removed, end.first))
        writer = self.connection.incarnation
        frame = Frame(1, writer, number, begin, at, more, removed, first, piece)
        headers = {EXPECTED: str(end.sequence)}
        subject, data = self.subject(room), encoded(frame)
        answer = await self.connection.send(subject, data, headers)
        return _Sent(answer, End(at + len(piece), 0, removed, first))

    async def _stored(self, room: str, message: _Sent) -> End | None:
        """Wait for an acknowledgement; None: the log has another end."""
        stored = _decode_stored((await message.answer).data)
        if problem := stored.error:
            if problem.err_code == WRONG_LAST:
                return None
            raise _Refused(problem, self.stream_name(room))
        position, _, removed, first = message.end
        return End(position, stored.seq, removed, first or stored.seq)

    def _note_stored(self, room: str, end: End) -> None:
        self._note(room, end)
        if self._trims.get(room) == (end.removed, end.first):
            del self._trims[room]

    def _note(self, room: str, end: End) -> None:
        self._ends[room] = end
        if len(self._ends) > MAX_ENDS:
            del self._ends[next(iter(self._ends))]

    def _is_ours(self, frame: Frame | None, number: int) -> bool:
        """Return whether the last message is the append with a number."""
        return (
            frame is not None
            and not frame.more
            and (frame.writer, frame.number) == (self.connection.incarnation, number)
        )

    # --- reading ---------------------------------------------------------------------

    async def _look(self, room: str) -> tuple[End, Frame | None]:
        """Return the end of a log and its last message, from the stream's leader."""
        got = await self._get(room, {"last_by_subj": self.subject(room)}, leader=True)
        if got is None:
            self._ends.pop(room, None)
            return End(), None
        sequence, frame = got
        end = End(frame.end, sequence, frame.removed, frame.first or sequence)
        self._note(room, end)
        return end, frame

    async def _get(
        self, room: str, wanted: object, *, leader: bool
    ) -> tuple[int, Frame] | None:
        """Return a message of a room and its sequence number; None: there is none.

        Args:
            room: The room's code.
            wanted: Which message.
            leader: Whether to ask only the stream's leader; other brokers reply faster,
                but may not have the newest messages yet.
        """
        stream = self.stream_name(room)
        if leader:
            try:
                data = await self.request(f"$JS.API.STREAM.MSG.GET.{stream}", wanted)
            except _Refused as error:
                if error.code == NO_MESSAGE:
                    return None
                raise
            message = msgspec.json.decode(data, type=_Got).message
            return message.seq, decoded(room, b64decode(message.data))
        subject, request = f"$JS.API.DIRECT.GET.{stream}", msgspec.json.encode(wanted)
        reply = await self.connection.ask(subject, request)
        headers = reply.headers or {}
        if status := headers.get("Status"):
            if status == NOT_FOUND:
                return None
            raise StorageUnavailable(headers.get("Description", status))
        return int(headers["Nats-Sequence"]), decoded(room, reply.data)

    async def read(self, room: str, after: int = 0) -> list[bytes]:
        """See `RoomLog`."""
        await self._settled()
        for leader in (False, True):
            end, last = await self._look(room)
            if last is None:
                return []
            removed, _ = self._trims.get(room, (end.removed, 0))
            frames = await self._frames(room, end, leader=leader)
            records = joined([*frames, last], max(after, removed))
            if records is not None:
                return records
        raise LogDamaged(f"the log of {room} lacks a message")

    async def _settled(self) -> None:
        """Wait for the appends in progress."""
        _ = self.connection  # or it raises
        if self._appending:
            await asyncio.wait(self._appending)

    async def _frames(self, room: str, end: End, *, leader: bool) -> list[Frame]:
        """Return the messages of a log that are still needed, except the last one.

        Each message needs a request, so several parts are read at once.
        """
        span = end.sequence - end.first
        step = max(1, -(-span // READERS))
        starts = range(end.first, end.sequence, step)

        async def part(sequence: int) -> list[Frame]:
            found: list[Frame] = []
            stop = min(sequence + step, end.sequence)
            while sequence < stop:
                got = await self._next(room, sequence, leader=leader)
                if got is None or got[0] >= stop:
                    break
                found.append(got[1])
                sequence = got[0] + 1
            return found

        return list(chain.from_iterable(await asyncio.gather(*map(part, starts))))

    async def _next(
        self, room: str, sequence: int, *, leader: bool
    ) -> tuple[int, Frame] | None:
        """Return a room's first message from a sequence number on."""
        wanted = {"seq": sequence, "next_by_subj": self.subject(room)}
        return await self._get(room, wanted, leader=leader)

    async def length(self, room: str) -> int:
        """See `RoomLog`."""
        await self._settled()
        end, _ = await self._look(room)
        return end.position

    async def last_writer(self, room: str) -> Writer | None:
        """Return who wrote the last message of a log; None: there is none.

        Raises:
            StorageUnavailable: The storage cannot be read.
        """
        end, frame = await self._look(room)
        return None if frame is None else Writer(frame.writer, end.position)

    async def rooms(self) -> list[str]:
        """See `RoomLog`."""
        await self._settled()
        prefix = self.connection.prefix
        found = [
            unquote(subject.rpartition(".")[2])
            for stream in expected_streams(prefix)[:PARTS]
            async for subject in self._subjects(stream.name, stream.subjects[0])
        ]
        return sorted(found)

    # --- removing --------------------------------------------------------------------

    async def trim(self, room: str, position: int) -> None:
        """Remove records; see `RoomLog`. Others learn of it with the next append."""
        await self._settled()
        end, last = await self._look(room)
        removed, _ = self._trims.get(room, (end.removed, 0))
        position = min(position, end.position - 1)
        if last is None or position <= removed:
            return
        if end.first > 1:  # JetStream would take 1 for "all messages"
            # Delete what the last trim removed: no stored message refers to it now.
            await self._purge(room, end.first)
        first, frame = await self._first(room, end, lambda one: one.end > position)
        if frame.at > frame.begin:
            first, _ = await self._first(
                room, end, lambda one: one.begin >= frame.begin
            )
        self._trims[room] = position, first

    async def _first(
        self, room: str, end: End, passes: Callable[[Frame], bool]
    ) -> tuple[int, Frame]:
        """Return the first message that passes a test that all later ones pass, too."""
        low, high = end.first, end.sequence
        while low < high:
            middle = (low + high) // 2
            got = await self._next(room, middle, leader=False)
            if got is None or passes(got[1]):
                high = middle
            else:
                low = got[0] + 1
        found = await self._next(room, low, leader=True)
        if found is None:
            raise StorageUnavailable(f"the log of {room} changed while it was read")
        return found

    async def drop(self, room: str, *, now_ms: int = 0, reserve_ms: int = 0) -> None:
        """See `RoomLog`."""
        await self._settled()
        if reserve_ms:
            until, prefix = now_ms + reserve_ms, self.connection.prefix
            subject = f"{prefix}.code.{_token(room)}.{until}"
            reply = await self.connection.ask(subject)
            if problem := _decode_stored(reply.data).error:
                raise _Refused(problem)
        await self._purge(room)
        for known in (self._ends, self._trims, self._unsure):
            known.pop(room, None)

    async def _purge(self, room: str, before: int = 0) -> None:
        """Delete a room's messages before a sequence number; 0: all of them."""
        request: dict[str, object] = {"filter": self.subject(room)}
        if before:
            request["seq"] = before
        await self.request(f"$JS.API.STREAM.PURGE.{self.stream_name(room)}", request)

    def on_reserved(self, call: Callable[[str, int], None]) -> None:
        """See `RoomLog`."""
        self._reserved = call

    async def _on_code(self, message: Msg) -> None:
        *_, token, until = message.subject.split(".")
        self._reserved(unquote(token), int(until))

    async def reserved_codes(self, now_ms: int) -> dict[str, int]:
        """See `RoomLog`."""
        _ = self.connection  # or it raises
        prefix = self.connection.prefix
        stream = expected_streams(prefix)[PARTS].name
        left: dict[str, int] = {}
        async for subject in self._subjects(stream, f"{prefix}.code.>"):
            *_, token, until = subject.split(".")
            room = unquote(token)
            left[room] = max(left.get(room, 0), int(until) - now_ms)
        return {room: ms for room, ms in left.items() if ms > 0}

    # --- names -----------------------------------------------------------------------

    def subject(self, room: str) -> str:
        """Return the subject of a room's messages."""
        return f"{self.connection.prefix}.log.{_part(room)}.{_token(room)}"

    def stream_name(self, room: str) -> str:
        """Return the name of the stream that has a room's log."""
        return f"{self.connection.prefix.upper()}_LOG_{_part(room)}"


def _is_final(error: StorageUnavailable) -> bool:
    return isinstance(error, _Refused) and error.code in FINAL


def _part(room: str) -> int:
    return crc32(room.encode()) % PARTS


def _token(room: str) -> str:
    """Return a code as part of a subject, with special characters escaped."""
    return quote(room, safe="").replace(".", "%2E")
