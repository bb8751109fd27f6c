"""Profiles over HTTP: what anyone sees, and what only the owner gets."""

import json
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from tests.e2e.owners import secret_of
from tests.e2e.test_http import ask
from tests.e2e.test_profiles import Calendar, an_owner, profile_server, raced

from sliderace.proof import canonical
from sliderace.proof.verify import verify
from sliderace.protocol import messages as m
from sliderace_client.net.signature import check_signature
from sliderace_server.registry.profile_service import FORGET_MS

BEARER = {"Authorization": f"Bearer {secret_of('laptop')}"}
STRANGER = {"Authorization": f"Bearer {secret_of('stranger')}"}


async def found(port: int, path: str, **headers: str) -> tuple[int, Any]:
    """Return status and JSON of an answer."""
    answer = await ask(port, f"/api/profiles/{path}", **headers)
    return answer.status, json.loads(answer.body)


async def test_anyone_sees_name_and_public_bests_only() -> None:
    async with profile_server(Calendar()) as (server, store):
        async with an_owner(server.port) as ann:
            profile = await ann.profile(m.Forget(on=False))
        await raced(server.port, store, 1, profile.id)
        seen: dict[str, Any] = {"id": profile.id, "name": "Ann", "bests": []}
        assert await found(server.port, profile.id) == (200, seen), (
            "the room is private"
        )
        status, own = await found(server.port, profile.id, **BEARER)
        assert status == 200
        assert [one["event"] for one in own["bests"]] == ["2x2"]
        assert [one["name"] for one in own["devices"]] == ["laptop"]
        assert (own["id"], own["name"]) == (profile.id, "Ann")


async def test_strangers_and_wrong_ids_get_nothing() -> None:
    unknown = {"error": "profile_unknown"}
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        profile = (await ann.profile(m.Forget(on=False))).id
        for path in ("BBBBBBBB", "%20", "x" * 300, profile.lower()):
            assert await found(server.port, path) == (404, unknown)
            assert await found(server.port, path, **BEARER) == (403, unknown)
        for headers in (STRANGER, {"Authorization": "Basic QQ=="}):
            assert await found(server.port, profile, **headers) == (403, unknown)
            export = f"{profile}/export"
            assert await found(server.port, export, **headers) == (403, unknown)
        assert await found(server.port, f"{profile}/export") == (403, unknown)
        answer = await ask(server.port, f"/api/profiles/{profile}/export/more")
        assert answer.status == 404


async def test_the_owner_can_export_everything() -> None:
    async with profile_server(Calendar()) as (server, store):
        async with an_owner(server.port) as ann:
            profile = (await ann.profile(m.Forget(on=False))).id
        races = [await raced(server.port, store, 1, profile) for _ in range(2)]
        races += [await raced(server.port, store, 2, profile)]
        answer = await ask(server.port, f"/api/profiles/{profile}/export", **BEARER)
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/zip"
        assert answer.headers["content-disposition"] == (
            f'attachment; filename="sliderace-{profile}.zip"'
        )
        file = ZipFile(BytesIO(answer.body))
        names = {f"records/{race}.json" for race in races}
        assert set(file.namelist()) == {"attempts.csv", *names}
        for name in names:
            checks = verify(canonical.decode(file.read(name)), check_signature)
            assert {check.verdict for check in checks} == {"ok"}
        lines = file.read("attempts.csv").decode("utf-8-sig").splitlines()
        assert [line.split(",")[0] for line in lines] == ["race", *reversed(races)]


async def test_a_profile_that_is_due_is_gone() -> None:
    clock = Calendar()
    async with profile_server(clock) as (server, _), an_owner(server.port) as ann:
        profile = (await ann.profile(m.Forget())).id
        assert (await found(server.port, profile))[0] == 200
        clock.shift_ms = FORGET_MS
        assert (await found(server.port, profile))[0] == 404


async def test_while_the_storage_fails_the_answer_says_so() -> None:
    async with profile_server() as (server, store), an_owner(server.port) as ann:
        profile = (await ann.profile(m.Forget(on=False))).id
        store.full = True
        for path in (profile, f"{profile}/export"):
            answer = await ask(server.port, f"/api/profiles/{path}", **BEARER)
            assert answer.status == 503


async def test_an_export_counts_as_many_requests() -> None:
    async with profile_server() as (server, _), an_owner(server.port) as ann:
        profile = (await ann.profile(m.Forget(on=False))).id
        path, address = f"/api/profiles/{profile}/export", "192.0.2.9"
        answers = [
            await ask(server.port, path, X_Forwarded_For=address, **BEARER)
            for _ in range(5)
        ]
        assert [one.status for one in answers] == [200] * 4 + [429]
        assert answers[-1].headers["retry-after"]
