"""The scenarios: races of all sizes, many clients at once, an overloaded server."""

import contextlib
import os
import platform
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import cycle, islice
from statistics import median
from typing import Any

from tests.bench.cluster import figures_of as cluster_figures
from tests.bench.driver import HANDSHAKE, Driver, Figures, Member, opened
from tests.bench.engine import figures
from tests.bench.jetstream import figures_of as jetstream_figures
from tests.bench.recovery import figures_after
from tests.bench.servers import Process, serving
from tests.bench.standings import figures_of as standings_figures
from tests.bench.workers import figures_of as workers_figures

from sliderace.engine import Size
from sliderace.solve import LEVELS

Result = dict[str, Any]
WARM_UP_S = 0.5
TICK_MS = 100
"""Longest interval of progress; `rooms` allows twice as long."""


def machine() -> Result:
    """Return the machine and the versions of the measured software."""
    versions: Result = {}
    for name in ("websockets", "msgspec", "uvloop"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    cpu = platform.processor() or platform.machine()
    return {
        "machine": f"{cpu}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        **versions,
    }


# --- rooms ---------------------------------------------------------------------------


def rooms(server: Process, count: int, players: int, spectators: int) -> list[Member]:
    """Open rooms and begin their races; return all members."""
    hosts = opened(server, (_host(server, n) for n in range(count)))
    codes = [_code(server, n, host) for n, host in enumerate(hosts)]
    joins = (
        {"as": "join", "code": code, "name": "P", "role": role}
        for code in codes
        for role in ["player"] * (players - 1) + ["spectator"] * spectators
    )
    others = opened(server, joins, hosts)
    size = players + spectators - 1
    everybody: list[Member] = []
    for n, host in enumerate(hosts):
        members = [host, *others[n * size : (n + 1) * size]]
        _watch(members)
        everybody += members
    _begin(server, hosts, everybody)
    return everybody


def _host(server: Process, number: int) -> Result:
    if server.kind != "product":
        return {"as": "join", "code": f"R{number}", "name": "H", "role": "player"}
    rules = {"size": "4x4", "countdown_ms": 3000, "limit_ms": 0}
    return {"as": "create", "name": "H", "role": "player", "rules": rules}


def _code(server: Process, number: int, host: Member) -> str:
    return str(host.welcome["code"]) if server.kind == "product" else f"R{number}"


def _watch(members: list[Member]) -> None:
    """Let the last member of a room watch the first ones."""
    players = {one.welcome["seat"]: one for one in members if one.player}
    members[-1].watches = dict(list(players.items())[:4])


def _begin(server: Process, hosts: list[Member], members: list[Member]) -> None:
    players = [one for one in members if one.player]
    if server.kind == "product":
        for one in players:
            one.say({"t": "ready", "race": one.welcome["race"]})
        for host in hosts:
            host.say({"t": "start", "race": host.welcome["race"]})
        for one in members:
            one.welcome["board"] = one.wait_for("board")["board"]
        time.sleep(0.3)  # some boards are sent shortly before T0
    for one in players:
        one.prepare(one.welcome["race"], one.welcome["board"])


def probe(server: Process) -> Member:
    """Connect a member to a separate room."""
    return opened(server, [_host(server, -1)])[0]


# --- figures -------------------------------------------------------------------------


def quantiles(values: Sequence[float], name: str) -> Result:
    """Return p50, p99 and p99.9 in ms."""
    ordered = sorted(values)
    return {
        f"{name}_{label}_ms": round(ordered[int(len(ordered) * q)] * 1e3, 2)
        if ordered
        else None
        for label, q in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999))
    }


def result_of(figures: Figures, cpu_s: float, server: Process, count: int) -> Result:
    """Return the figures of a run."""
    seconds = figures.seconds
    return {
        "connections": count,
        "moves_s": round(figures.acks / seconds),
        "frames_s": round(figures.frames / seconds),
        "server_cpu": round(cpu_s / seconds, 3),
        "moves_per_cpu_s": round(figures.acks / max(cpu_s, 0.01)),
        "driver_cpu": round(figures.cpu / seconds, 3),
        **quantiles(figures.ack, "ack"),
        **quantiles(figures.seen, "seen"),
        "longest_block_ms": round(max(figures.probe, default=0) * 1e3, 2),
        "rejects": figures.rejects,
        "unsent": figures.unsent,
        "memory_kib": server.memory_kib,
    }


@dataclass(frozen=True, slots=True)
class Load:
    """Races at a steady rate; a scenario by itself.

    Attributes:
        rooms: number of rooms.
        players: in each room.
        spectators: in each room.
        rate: slides per second and player; 0: one after each ack.
        longer: this many times as long, if there are few moves.
        tick: seconds between two events of progress of the other servers.
    """

    rooms: int
    players: int
    spectators: int
    rate: float
    longer: int = 1
    tick: float | None = None

    def __call__(self, kind: str, seconds: float) -> Result:
        """Run on a new server."""
        ticks = [] if kind == "product" or not self.tick else [f"--tick={self.tick}"]
        with serving(kind, ticks) as server:
            return self.on(server, seconds * self.longer)

    def on(self, server: Process, seconds: float) -> Result:
        """Run on this server; each player gets an ack, even if that takes longer."""
        members = rooms(server, self.rooms, self.players, self.spectators)
        driver = Driver(members, probe(server), self.rate)
        driver.run(WARM_UP_S)
        cpu = server.cpu_s
        figures = driver.run(seconds, least=self.rooms * self.players)
        line = result_of(figures, server.cpu_s - cpu, server, len(members))
        line["all_acked"] = driver.settle()
        driver.close()
        return {"rooms": self.rooms, **line}


# --- scenarios -----------------------------------------------------------------------


def held_rooms(kind: str, seconds: float) -> Result:
    """Find the most rooms of 4 + 4 at 4 moves a second with an ack p99 below 50 ms."""
    low, high = 0, 200
    held: Result = {}
    while high - low > max(20, low // 10):
        with serving(kind) as server:
            line = Load(high, 4, 4, 4).on(server, seconds)
        p99, seen = line["ack_p99_ms"], line["seen_p99_ms"]
        good = p99 < 50 and seen < 2 * TICK_MS and line["moves_s"] > high * 15
        if good:
            low, held = high, line
        ceiling = high if not good else 0
        high = (low + ceiling) // 2 if ceiling else high * 2
    return {**held, "held_rooms": low}


def idle(kind: str, seconds: float) -> Result:
    """5,000 connections in lobbies of 8: memory, and CPU for pings."""
    with serving(kind) as server:
        before = server.memory_kib
        members = opened(server, _lobbies(server, 5_000))
        per = (server.memory_kib - before) / len(members)
        driver = Driver(members, probe(server), 1e-9)
        driver.run(3)  # the first pings and events
        cpu = server.cpu_s
        figures = driver.run(seconds)
        line = result_of(figures, server.cpu_s - cpu, server, len(members))
    return {**line, "kib_per_connection": round(per, 1)}


_hosts: list[Member] = []
"""Hosts of the lobbies; they keep their connections open."""


def _lobbies(server: Process, count: int) -> Any:
    for n in range(0, count, 8):
        (host,) = opened(server, [_host(server, n)])
        _hosts.append(host)
        code = _code(server, n, host)
        for _ in range(7):
            yield {"as": "join", "code": code, "name": "P", "role": "spectator"}


def connect_storm(kind: str, _: float) -> Result:
    """2,000 connections, 100 at a time: eight enter each of 250 rooms."""
    with serving(kind) as server:
        hosts = opened(server, (_host(server, n) for n in range(250)))
        joins = _joins(server, hosts, 2_000)
        began, cpu = time.perf_counter(), server.cpu_s
        members = opened(server, joins)
        seconds, cpu = time.perf_counter() - began, server.cpu_s - cpu
        return {
            "connections": len(members),
            "accepts_s": round(len(members) / seconds),
            "join_cpu_us": round(cpu / len(members) * 1e6),
            "server_cpu": round(cpu / seconds, 3),
            "memory_kib": server.memory_kib,
        }


def _joins(server: Process, hosts: list[Member], count: int) -> list[Result]:
    """Return how spectators enter the hosts' rooms in turn."""
    codes = [_code(server, n, host) for n, host in enumerate(hosts)]
    return [
        {"as": "join", "code": code, "name": "P", "role": "spectator"}
        for code in islice(cycle(codes), count)
    ]


def join(kind: str, _: float) -> Result:
    """2,000 connections, one after the other: eight enter each of 250 rooms."""
    with serving(kind) as server:
        hosts = opened(server, (_host(server, n) for n in range(250)))
        joins = _joins(server, hosts, 2_000)
        members: list[Member] = []
        began, cpu = time.perf_counter(), server.cpu_s
        for one in joins:
            members += opened(server, [one])
            if kind == "product":
                members[-1].wait_for("snapshot")
        seconds, cpu = time.perf_counter() - began, server.cpu_s - cpu
        return {
            "joins": len(members),
            "join_cpu_us": round(cpu / len(members) * 1e6),
            "join_ms": round(seconds / len(members) * 1e3, 2),
        }


def resume_storm(kind: str, _: float) -> Result:
    """Kill and restart a server with 2,000 racers, who all resume at once."""
    with serving(kind) as server:
        members = rooms(server, 250, 4, 4)
        server.kill()
        began = time.perf_counter()
        server.restart()
        up = time.perf_counter() - began
        resumes = [
            {"as": "resume", "code": one.welcome["code"], "token": one.welcome["token"]}
            for one in members
        ]
        back = opened(server, resumes)
        for one in back:
            one.wait_for("snapshot")
        return {
            "connections": len(back),
            "up_s": round(up, 2),
            "all_back_s": round(time.perf_counter() - began - up, 2),
            "dropped": len(members) - len(back),
        }


def overload(kind: str, seconds: float) -> Result:
    """At 1.5 times the capacity, no accepted slide is lost and memory does not grow."""
    with serving(kind) as server:
        capacity = Load(100, 4, 4, 0).on(server, 2)["moves_s"]
    with serving(kind) as server:
        members = rooms(server, 100, 4, 4)
        driver = Driver(members, probe(server), capacity * 1.5 / 400)
        driver.run(seconds / 2)
        memory, cpu = server.memory_kib, server.cpu_s
        figures = driver.run(seconds / 2)
        line = result_of(figures, server.cpu_s - cpu, server, len(members))
        line["grown_kib"] = server.memory_kib - memory
        line["all_acked"] = driver.settle()
    return {"capacity_moves_s": capacity, **line}


def storage(kind: str, seconds: float) -> Result:
    """The same races with and without a log on the disk."""
    with serving(kind, ["--memory"]) as server:
        without = Load(100, 4, 4, 10).on(server, seconds)
    with serving(kind) as server:
        line = Load(100, 4, 4, 10).on(server, seconds)
    line["cpu_ratio"] = round(line["server_cpu"] / without["server_cpu"], 3)
    line["ack_p99_added_ms"] = round(line["ack_p99_ms"] - without["ack_p99_ms"], 2)
    return line


def linear(kind: str, seconds: float) -> Result:
    """Measure whether twice the rooms need twice the CPU."""
    half, line = (Load(count, 4, 4, 4)(kind, seconds) for count in (100, 200))
    line["cpu_ratio"] = round(line["server_cpu"] / half["server_cpu"], 3)
    return line


BOTS = 64
BOT_TPS = 8
ROUNDS = 5


def bots(kind: str, seconds: float) -> Result:
    """64 bots of the server at 8 slides a second, and one person with and without them.

    Each of five rounds takes `seconds`. The bots race on 7x7, in rooms whose hosts
    watch.
    """
    with serving(kind) as server:
        person = rooms(server, 1, 1, 0)
        alone = [_one_round(server, person, seconds) for _ in range(ROUNDS)]
        hosts = _rooms_of_bots(server)
        time.sleep(5)  # until all have planned
        child = server.children()[0]
        cpu, child_cpu = server.cpu_s, child.cpu_s
        began = time.perf_counter()
        beside = [_one_round(server, person + hosts, seconds) for _ in range(ROUNDS)]
        took = time.perf_counter() - began
        return {
            "bots": BOTS,
            "server_cpu": round((server.cpu_s - cpu) / took, 3),
            "bots_cpu": round((child.cpu_s - child_cpu) / took, 3),
            "bots_memory_kib": child.memory_kib,
            "ack_p99_alone_ms": median(alone),
            "ack_p99_beside_ms": median(beside),
        }


def _one_round(server: Process, members: list[Member], seconds: float) -> float:
    """Return the p99 of a person's acks, ms."""
    driver = Driver(members, probe(server), 10)
    figures = driver.run(seconds)
    driver.settle()
    return float(quantiles(figures.ack, "ack")["ack_p99_ms"])


def _rooms_of_bots(server: Process) -> list[Member]:
    """Open rooms, let bots race in them, and return their hosts."""
    size = Size(7, 7)
    pace_ms = round(LEVELS["club"].mean_slides(size) / BOT_TPS * 1_000)
    hosts: list[Member] = []
    for first in range(0, BOTS, 6):
        count = min(6, BOTS - first)
        rules = {"size": str(size), "countdown_ms": 3000, "limit_ms": 0}
        enter = {"as": "create", "name": "H", "role": "spectator", "rules": rules}
        [host] = opened(server, [enter])
        host.say({"t": "bots", "want": [{"pace_ms": pace_ms}] * count})
        ready: set[int] = set()
        while len(ready) < count:
            member = host.wait_for("member")["member"]
            if member["ready"]:
                ready.add(member["id"])
        hosts.append(host)
    for host in hosts:
        host.say({"t": "start", "race": host.welcome["race"]})
    return hosts


ENTRIES = 20


def quick(kind: str, _: float) -> Result:
    """From click to board, 20 times with the bots' process to start, and without."""
    cold: list[float] = []
    for _ in range(ENTRIES):
        with serving(kind) as server:
            cold.append(_click_to_board(server))
    with serving(kind) as server:
        _click_to_board(server)
        warm = [_click_to_board(server) for _ in range(ENTRIES)]
    return {
        "entries": ENTRIES,
        **_half_and_most(cold, "cold"),
        **_half_and_most(warm, "warm"),
    }


def _click_to_board(server: Process) -> float:
    """Enter a quick room and leave it; return how many seconds the board took."""
    member = Member(server.port)
    began = time.perf_counter()
    member.send(HANDSHAKE % b"/ws")
    member.read_handshake()
    enter = {"as": "quick", "event": "4x4", "name": "P", "pace_ms": 20_000}
    member.say({"t": "hello", "v": 1, "enter": enter})
    racing = member.wait_for("roster")["roster"]
    member.wait_for("board")
    took = time.perf_counter() - began
    if len(racing) != 4:
        raise RuntimeError(f"{len(racing)} racers, not 4")
    member.say({"t": "leave"})
    with contextlib.suppress(ConnectionError):  # until the room is closed
        member.wait_for("closed")
    member.socket.close()
    return took


def _half_and_most(seconds: Sequence[float], name: str) -> Result:
    """Return p50 and p95 in s."""
    ordered = sorted(seconds)
    return {
        f"{name}_{label}_s": round(ordered[int(len(ordered) * q)], 2)
        for label, q in (("p50", 0.5), ("p95", 0.95))
    }


WATCHERS = 5_000


def lobby(kind: str, seconds: float) -> Result:
    """5,000 watchers of a list that changes every second, beside a race of four.

    Each of five rounds takes `seconds`, with and without the watchers.
    """
    with serving(kind) as server:
        enter = {"as": "create", "name": "H", "public": True}
        [host] = opened(server, [enter])
        ended = threading.Event()
        visits = threading.Thread(
            target=_visits, args=(server, host.welcome["code"], ended)
        )
        visits.start()
        try:
            racers = rooms(server, 1, 4, 0)
            alone = [_one_round(server, racers, seconds) for _ in range(ROUNDS)]
            hellos = ({"as": "lobby"} for _ in range(WATCHERS))
            with _read_elsewhere(opened(server, hellos, answer="rooms")):
                cpu, began = server.cpu_s, time.perf_counter()
                beside = [_one_round(server, racers, seconds) for _ in range(ROUNDS)]
                took = time.perf_counter() - began
        finally:
            ended.set()
            visits.join()
        return {
            "watchers": WATCHERS,
            "server_cpu": round((server.cpu_s - cpu) / took, 3),
            "ack_p99_alone_ms": median(alone),
            "ack_p99_beside_ms": median(beside),
        }


@contextlib.contextmanager
def _read_elsewhere(members: Sequence[Member]) -> Generator[None, None, None]:
    """Let a process of the lowest priority read what these members are sent.

    Watchers are on other machines; read here, they would delay the racers' acks.
    """
    child = os.fork()
    if not child:
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        with selectors.DefaultSelector() as ready:
            for one in members:
                ready.register(one.socket, selectors.EVENT_READ, one)
            while True:
                for key, _ in ready.select():
                    key.data.drain()
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _visits(server: Process, code: str, ended: threading.Event) -> None:
    """Visit a public room again and again, so that its row changes every second."""
    while not ended.is_set():
        join = {"as": "join", "code": code, "name": "V", "role": "spectator"}
        [visitor] = opened(server, [join])
        ended.wait(1)
        visitor.say({"t": "leave"})
        visitor.socket.close()
        ended.wait(1)


def engine(_: str, __: float) -> Result:
    """The engine: a validated slide in ns, a scramble in us; no server."""
    small, large = figures(Size(4, 4)), figures(Size(10, 10))
    return {"4x4": small, "10x10": large}


def recovery(_: str, __: float) -> Result:
    """The start of a server whose only room is in its 2nd, 50th or 500th race."""
    after = {f"after_{races}": figures_after(races) for races in (2, 50, 500)}
    ratio = after["after_500"]["start_ms"] / after["after_2"]["start_ms"]
    return {**after, "start_ratio": round(ratio, 2)}


def standings(_: str, __: float) -> Result:
    """Leaderboards and profiles with a million attempts; storing races of profiles."""
    return standings_figures()


def workers(_: str, seconds: float) -> Result:
    """One process compared with two workers; joins; a killed worker."""
    return workers_figures(seconds)


def cluster(_: str, seconds: float) -> Result:
    """One node compared with two, with players on the node of their room or another."""
    return cluster_figures(seconds)


def crowd(_: str, seconds: float) -> Result:
    """One race with 5,000 spectators over three nodes."""
    from tests.bench.crowd import figures_of  # noqa: PLC0415 - needs an extra

    return figures_of(seconds)


def standings_postgresql(_: str, __: float) -> Result:
    """The same with results in PostgreSQL."""
    from tests.bench.postgresql import figures_of  # noqa: PLC0415 - needs an extra

    return figures_of()


def jetstream(_: str, seconds: float) -> Result:
    """Room logs in JetStream, on one broker and on three."""
    return jetstream_figures(seconds)


SCENARIOS: dict[str, Callable[[str, float], Result]] = {
    "saturation": Load(100, 4, 0, rate=0),
    "smoke": Load(5, 2, 2, rate=10),  # to see that the bench works
    "peak": Load(100, 4, 4, rate=15),
    "rooms-400": Load(400, 4, 4, rate=4),
    "rooms-100": Load(100, 4, 4, rate=4),
    "small-room": Load(1, 4, 4, rate=4, longer=10),
    "rooms": held_rooms,
    "big-room": Load(1, 100, 1_000, rate=4, tick=0.05),
    "stadium": Load(1, 16, 5_000, rate=4, tick=0.05),
    "idle": idle,
    "connect-storm": connect_storm,
    "join": join,
    "resume-storm": resume_storm,
    "overload": overload,
    "storage": storage,
    "linear": linear,
    "recovery": recovery,
    "standings": standings,
    "standings-postgresql": standings_postgresql,
    "jetstream": jetstream,
    "bots": bots,
    "quick": quick,
    "lobby": lobby,
    "workers": workers,
    "cluster": cluster,
    "crowd": crowd,
    "engine": engine,
    "scramble": engine,
}
