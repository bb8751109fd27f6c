"""Plain HTTP: routes, headers, host checks, rate limits."""

import asyncio
import gzip
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.clocks import ManualClock
from tests.e2e.protocol_client import (
    QUICK,
    connected,
    eventually,
    running_race,
    running_server,
)

from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.signature import check_signature
from sliderace_server.app import running
from sliderace_server.limits import Limits
from sliderace_server.settings import ServerSettings
from sliderace_server.storage.memory import MemoryStore

FORWARDED = {"X_Forwarded_For": "192.0.2.7"}
PROXIED = {"trusted_proxies": ("127.0.0.1",)}


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    port: int, target: str, method: str = "GET", version: str = "1.1", **headers: str
) -> Reply:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    named = {"Host": f"127.0.0.1:{port}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    lines = [f"{method} {target} HTTP/{version}"]
    lines += [f"{name}: {value}" for name, value in named.items() if value]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    raw = await reader.read()
    writer.close()
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")
    pairs = (line.split(": ", 1) for line in rest)
    return Reply(int(first.split()[1]), {k.lower(): v for k, v in pairs}, body)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("host", ["", "localhost", "[::1]:80", "192.0.2.1:9"])
async def test_healthz_reports_the_state_of_the_server(version: str, host: str) -> None:
    async with running_server() as server:
        full = await ask(server.port, "/healthz", version=version, Host=host)
        head = await ask(server.port, "/healthz", "HEAD", version=version, Host=host)
    assert (full.status, head.status) == (200, 200)
    health = full.json()
    assert (health["server"], health["status"]) == ("sliderace", "ok")
    assert health["durability"] == "none"
    assert head.body == b""
    assert int(head.headers["content-length"]) == len(full.body)


async def test_room_links_serve_the_page() -> None:
    async with running_server() as server:
        root = await ask(server.port, "/")
        link = await ask(server.port, "/KWXTRB")
        assert root.status == link.status == 200
        assert root.body == link.body
        assert root.headers["content-type"] == "text/html; charset=utf-8"
        again = await ask(server.port, "/", If_None_Match=root.headers["etag"])
        assert (again.status, again.body) == (304, b"")


async def test_replay_links_redirect_to_the_page() -> None:
    async with running_server() as server:
        found = await ask(server.port, "/replay/KWXTRB-SA1B2C-3")
        assert found.status == 302
        assert found.headers["location"] == "../?replay=KWXTRB-SA1B2C-3"
        assert (await ask(server.port, "/?replay=KWXTRB-SA1B2C-3")).status == 200


@pytest.mark.parametrize("name", ["", "a", "A%0d%0aX:1", "A/B", "..", "A" * 33, "%c4"])
async def test_invalid_race_ids_have_no_replay_link(name: str) -> None:
    async with running_server() as server:
        assert (await ask(server.port, f"/replay/{name}")).status == 404


async def test_files_are_compressed_for_clients_that_accept_it() -> None:
    async with running_server() as server:
        plain = await ask(server.port, "/core/model.js")
        packed = await ask(server.port, "/core/model.js", Accept_Encoding="br, gzip")
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["vary"] == "Accept-Encoding"
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) < len(plain.body) / 2


async def test_series_of_a_room_is_there_as_json_and_as_a_table() -> None:
    async with (
        running_server() as server,
        running_race(server.port, 2, "2x2") as (ann, ben),
    ):
        for one in (ann, ben):
            await one.solve()
        await ben.until(m.Results)
        path = f"/api/rooms/{ann.code}/series"
        found = await ask(server.port, path)
        rows = found.json()["rows"]
        assert {row["name"] for row in rows} == {"Player 1", "Player 2"}
        assert rows[0]["results_ms"] == [rows[0]["best_ms"]]
        table = await ask(server.port, f"{path}.csv")
        assert table.headers["content-type"] == "text/csv; charset=utf-8"
        name = f'attachment; filename="{ann.code}-series.csv"'
        assert table.headers["content-disposition"] == name
        head, first, *_ = table.body.decode("utf-8-sig").split("\r\n")
        assert head.startswith("place,name,bot,")
        points = rows[0]["points"]  # 0 if both needed equally long
        assert first.startswith(f"1,{rows[0]['name']},false,1,1,{points},")
        for wrong in ("/api/rooms/ZZZZZZ/series", f"{path}.xml", f"{path}/1"):
            assert (await ask(server.port, wrong)).status == 404


async def test_a_room_has_links_for_other_machines() -> None:
    async with (
        running_server(public_url="https://race.example") as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        found = (await ask(server.port, f"/api/rooms/{ann.code}")).json()
        assert found["links"] == [f"https://race.example/{ann.code}"]
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        assert (await ask(server.port, f"/api/rooms/{ann.code}")).json()["links"] == []


async def test_modules_are_served_as_scripts() -> None:
    async with running_server() as server:
        reply = await ask(server.port, "/core/model.js")
        assert reply.status == 200
        assert reply.headers["content-type"] == "text/javascript; charset=utf-8"
        assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "//etc/passwd",
        "/__init__.py",
        "/.git/config",
        "/etc/passwd",
        "/model.js%00.html",
        "/api",
        "/api/races/../../healthz",
        "/nothing",
    ],
)
async def test_nothing_outside_the_page_is_served(path: str) -> None:
    async with running_server() as server:
        assert (await ask(server.port, path)).status == 404


@pytest.mark.parametrize("path", ["/ABCDEF", "/nosuch"])
async def test_a_mistyped_room_link_serves_the_page_with_404(path: str) -> None:
    async with running_server() as server:
        page = await ask(server.port, "/")
        for more in ({}, {"If_None_Match": page.headers["etag"]}):
            answer = await ask(server.port, path, **more)
            assert (answer.status, answer.body) == (404, page.body)
            policy = "content-security-policy"
            assert answer.headers[policy] == page.headers[policy]


async def test_the_opener_policy_is_sent_only_with_https() -> None:
    """Over plain HTTP browsers ignore it and log a warning."""
    header = "cross-origin-opener-policy"
    async with running_server() as server:
        assert header not in (await ask(server.port, "/")).headers
    async with running_server(public_url="https://race.example") as server:
        assert (await ask(server.port, "/")).headers[header] == "same-origin"


async def test_every_answer_has_the_security_headers() -> None:
    async with running_server() as server:
        for path in ("/", "/healthz", "/nothing", "/metrics", "/api/rooms"):
            headers = (await ask(server.port, path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "set-cookie" not in headers
            assert "python" not in headers["server"].lower()


async def test_page_may_connect_only_to_our_websocket() -> None:
    async with running_server() as server:
        host = f"localhost:{server.port}"
        policy = (await ask(server.port, "/", Host=host)).headers[
            "content-security-policy"
        ]
        assert "default-src 'none'" in policy
        assert f"connect-src 'self' ws://{host} wss://{host};" in policy
        assert "frame-ancestors 'none'" in policy


async def test_only_get_and_head_are_allowed() -> None:
    async with running_server() as server:
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            reply = await ask(server.port, "/", method)
            assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


async def test_a_plain_request_for_the_websocket_is_refused() -> None:
    async with running_server() as server:
        assert (await ask(server.port, "/ws")).status == 426


async def test_an_unknown_host_is_refused() -> None:
    async with running_server(hosts=("race.example",)) as server:
        for host in ("evil.example", "race.example.evil", "127.0.0.1.evil:80"):
            assert (await ask(server.port, "/", Host=host)).status == 421
        for host in ("race.example", "RACE.example:99", "localhost", "a.localhost"):
            assert (await ask(server.port, "/healthz", Host=host)).status == 200


@pytest.mark.parametrize("path", ["/", "/ws"])
@pytest.mark.parametrize(
    "host",
    ["localhost:80@evil", "localhost:", "localhost:x", "[::1", "[::1]80", "::1"],
)
async def test_a_malformed_host_header_is_refused(path: str, host: str) -> None:
    async with running_server(hosts=("*",)) as server:
        assert (await ask(server.port, path, Host=host)).status == 421


async def test_pages_of_other_sites_are_refused() -> None:
    async with running_server(public_url="https://race.example") as server:
        own = f"http://127.0.0.1:{server.port}"
        for origin, status in (
            (own, 200),
            ("https://race.example", 200),
            ("https://evil.example", 403),
            ("null", 403),
            ("http://[::1", 403),
            ("http://[x]", 403),
            ("http://127.0.0.1:1", 403),
        ):
            reply = await ask(server.port, "/healthz", Origin=origin)
            assert reply.status == status, origin


async def test_public_rooms_are_listed_and_all_are_found_by_code() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Create(name="Ben", public=True)) as ben,
    ):
        rooms = (await ask(server.port, "/api/rooms")).json()["rooms"]
        assert [room["code"] for room in rooms] == [ben.code]
        one = await ask(
            server.port, f"/api/rooms/{ann.code[:3]}-{ann.code[3:].lower()}"
        )
        assert (one.status, one.json()["players"]) == (200, 1)
        assert (await ask(server.port, "/api/rooms/BBBBBB")).status == 404
        assert (await ask(server.port, "/api/rooms/nonsense")).status == 404


async def test_wrong_codes_over_http_are_limited_per_address() -> None:
    limits = Limits(failed_joins_per_10_min=2)
    async with running_server(limits, clock=ManualClock(), **PROXIED) as server:
        for way, miss in (("/api/rooms/BBBBBB", 404), ("/api/races?room=BBBBBB", 200)):
            address = f"192.0.2.{len(way)}"
            replies = [
                await ask(server.port, way, X_Forwarded_For=address) for _ in range(3)
            ]
            assert [reply.status for reply in replies] == [miss, miss, 429]
            assert int(replies[-1].headers["retry-after"]) >= 1
            assert (await ask(server.port, way)).status == miss


async def test_wrong_codes_in_hello_are_limited_too() -> None:
    limits = Limits(failed_joins_per_10_min=2)
    async with running_server(limits, clock=ManualClock(), **PROXIED) as server:
        codes, waits = list[tuple[str, int]](), list[int]()
        for _ in range(3):
            headers = {"X-Forwarded-For": "192.0.2.7"}
            async with connected(server.port, additional_headers=headers) as guess:
                enter = m.Join(code="BBBBBB", name="X")
                await guess.send(m.Hello(v=1, enter=enter))
                refused = await guess.until(m.Refused)
                codes.append((refused.code, await guess.closed()))
                waits.append(refused.retry_ms)
        assert codes[:2] == [("room_unknown", 4502)] * 2
        assert codes[2] == ("too_many_tries", 4429)
        assert waits[2] > 0


async def test_right_codes_pass_until_an_address_has_failed_sixty_times() -> None:
    """A class behind one router mistypes a lot; somebody who guesses gives up."""
    headers = {"X-Forwarded-For": "192.0.2.7"}
    async with (
        running_server(Limits(), clock=ManualClock(), **PROXIED) as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        for attempt in range(60):
            wrong = await ask(server.port, "/api/rooms/BBBBBB", **FORWARDED)
            assert wrong.status == 404
            right = await ask(server.port, f"/api/rooms/{ann.code}", **FORWARDED)
            assert right.status == (200 if attempt < 59 else 429)
            if attempt == 58:
                join = m.Join(code=ann.code, name="Ben")
                async with connected(server.port, join, additional_headers=headers):
                    pass
        async with connected(server.port, additional_headers=headers) as late:
            await late.send(m.Hello(v=1, enter=m.Join(code=ann.code, name="Cat")))
            refused = await late.until(m.Refused)
            assert (refused.code, refused.retry_ms) == ("too_many_tries", 10_000)


async def test_a_seat_token_works_despite_wrong_codes_from_the_address() -> None:
    limits = Limits(failed_joins_per_10_min=1)
    async with running_server(limits, clock=ManualClock(), **PROXIED) as server:
        headers = {"X-Forwarded-For": "192.0.2.7"}

        async def refusal(enter: m.Join | m.Resume) -> str:
            async with connected(server.port, additional_headers=headers) as guess:
                await guess.send(m.Hello(v=1, enter=enter))
                return (await guess.until(m.Refused)).code

        async with connected(server.port, m.Create(name="Ann")) as ann:
            wrong = m.Resume(code=ann.code, token="0" * 32)
            assert await refusal(wrong) == "bad_token"
            assert await refusal(wrong) == "too_many_tries"
            assert await refusal(m.Join(code=ann.code, name="X")) == "too_many_tries"
            right = m.Resume(code=ann.code, token=ann.token)
            async with connected(
                server.port, right, additional_headers=headers
            ) as again:
                assert again.member == ann.member


async def test_rooms_per_address_are_limited() -> None:
    async with running_server(Limits(rooms_per_ip=1), **PROXIED) as server:
        headers = {"X-Forwarded-For": "192.0.2.7"}
        async with (
            connected(
                server.port, m.Create(name="A"), additional_headers=headers
            ) as ann,
            connected(server.port, additional_headers=headers) as more,
        ):
            await more.send(m.Hello(v=1, enter=m.Create(name="B")))
            event = await more.until(m.Refused)
            assert (event.code, await more.closed()) == ("too_many_rooms", 4500)
            await ann.send(m.Close())
            await ann.closed()
        async with connected(
            server.port, m.Create(name="C"), additional_headers=headers
        ) as again:
            assert again.code


async def test_rooms_that_an_address_opens_in_an_hour_are_limited() -> None:
    """Even if each is closed at once; a refused command does not count."""
    async with running_server(
        Limits(rooms_per_hour=2), clock=ManualClock(), **PROXIED
    ) as server:
        bad = m.Create(name="A", rules=m.RulesPatch(inspection_ms=15_001))
        retry_ms: int | None = None
        wants: list[tuple[m.Create, str]] = [
            (bad, "bad_rules"),
            (m.Create(name="A"), ""),
            (m.Create(name="A"), ""),
            (m.Create(name="A"), "too_many_rooms"),
        ]
        for create, refusal in wants:
            headers = {"X-Forwarded-For": "192.0.2.7"}
            async with connected(server.port, additional_headers=headers) as one:
                await one.send(m.Hello(v=1, enter=create))
                if refusal:
                    refused = await one.until(m.Refused)
                    assert refused.code == refusal
                    retry_ms = refused.retry_ms
                else:
                    await one.until(m.Welcome)
                    await one.send(m.Close())
                await one.closed()
        assert retry_ms == 1_800_000


async def test_connections_from_one_address_are_limited() -> None:
    async with running_server(Limits(connections_per_ip=1), **PROXIED) as server:
        headers = {"X-Forwarded-For": "192.0.2.7"}
        async with connected(
            server.port, m.Create(name="A"), additional_headers=headers
        ):
            reply = await ask(server.port, "/healthz", X_Forwarded_For="192.0.2.7")
            assert reply.status == 429
            other = await ask(server.port, "/healthz", X_Forwarded_For="192.0.2.8")
            assert other.status == 200
        members_connected = server.metrics.gauges["members_connected"][1]
        await eventually(lambda: not members_connected())
        reply = await ask(server.port, "/healthz", X_Forwarded_For="192.0.2.7")
        assert reply.status == 200


async def test_requests_per_address_are_limited() -> None:
    limits = Limits(pages_per_s=1, pages_burst=2)
    async with running_server(limits, clock=ManualClock(), **PROXIED) as server:
        statuses = [
            (await ask(server.port, "/healthz", X_Forwarded_For="192.0.2.7")).status
            for _ in range(3)
        ]
        assert statuses == [200, 200, 429]
        assert (await ask(server.port, "/healthz")).status == 200


async def test_a_proxy_on_this_machine_is_limited_even_if_it_is_not_trusted() -> None:
    """All its clients count as one, whatever addresses it names."""
    limits = Limits(pages_per_s=1, pages_burst=2)
    async with running_server(limits, clock=ManualClock()) as server:
        replies = [
            await ask(server.port, "/healthz", X_Forwarded_For=f"192.0.2.{number}")
            for number in range(3)
        ]
        assert [reply.status for reply in replies] == [200, 200, 429]
        assert (await ask(server.port, "/healthz")).status == 200


@pytest.mark.parametrize(
    "settings", [{"public_url": "https://race.example.org"}, PROXIED], ids=str
)
async def test_a_public_server_limits_this_machine_too(
    settings: dict[str, object],
) -> None:
    """Its proxy may send no header at all."""
    limits = Limits(pages_per_s=1, pages_burst=1)
    async with running_server(limits, clock=ManualClock(), **settings) as server:
        replies = [await ask(server.port, "/healthz") for _ in range(2)]
        assert [reply.status for reply in replies] == [200, 429]


async def test_server_whose_folder_was_removed_has_no_free_space_to_state(
    tmp_path: Path,
) -> None:
    """`sliderace doctor` needs the rest of the answer then."""
    folder = tmp_path / "gone"
    settings = ServerSettings(port=0, database=str(folder / "rooms.db"))
    async with running(settings, store=MemoryStore()) as server:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        operator = f"Bearer {server.operator_token}"
        health = await ask(server.port, "/healthz", Authorization=operator)
        assert health.json()["operator"]["disk_free_mb"] is None


async def test_races_are_listed_and_race_records_served() -> None:
    async with running_server() as server, running_race(server.port, 1) as (ann,):
        await ann.solve()
        await ann.until(m.Results)
        record = await ask(server.port, f"/api/races/{ann.race}")
        assert record.status == 200
        file, health = record.json(), (await ask(server.port, "/healthz")).json()
        assert file["record"]["race"] == ann.race
        assert file["key"] == health["key"]
        assert {one.verdict for one in verify(file, check_signature)} == {"ok"}

        operator = f"Bearer {server.operator_token}"

        async def listed() -> object:
            lower = operator.replace("Bearer", "bearer")
            listed = await ask(server.port, "/api/races", Authorization=lower)
            return listed.json()["races"]

        races = await eventually(listed)
        assert [race["id"] for race in races] == [ann.race]
        # A private race is listed only for the operator, and by the room's code.
        for authorization in ("", "Bearer ", "Bearer é", operator[:-1]):
            other = await ask(server.port, "/api/races", Authorization=authorization)
            assert other.json()["races"] == []
        mine = await ask(server.port, f"/api/races?room={ann.code}")
        assert len(mine.json()["races"]) == 1
        assert (await ask(server.port, "/api/races?room=17")).status == 400
        assert (await ask(server.port, "/api/races/NO-S0-1")).status == 404


async def test_the_metrics_contain_no_code_name_or_secret() -> None:
    async with running_server() as server, running_race(server.port, 1) as (ann,):
        await ann.solve()
        results = await ann.until(m.Results)
        text = (await ask(server.port, "/metrics")).body.decode()
        assert "sliderace_slides_total" in text
        assert 'sliderace_commands_total{type="slides"}' in text
        for hidden in (ann.code, ann.race, results.seed, ann.token, "Player"):
            assert hidden not in text


@pytest.mark.parametrize(
    "raw", [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01", b"x" * 9_000]
)
async def test_malformed_requests_are_dropped(raw: bytes) -> None:
    async with (
        running_server(Limits(open_timeout_ms=200)) as server,
        connected(server.port, m.Create(name="Ann", rules=QUICK)) as ann,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(raw)
        await reader.read()
        writer.close()
        await ann.sync()
