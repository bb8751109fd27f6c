"""A verifier written only from docs/race-record.md and docs/protocol.md.

It imports nothing of sliderace and takes names, types and ranges of the fields from the
tables of the page, so it knows nothing that the pages do not say.
"""

# A record has no types before it is verified.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import json
import re
import unicodedata
from datetime import date
from hashlib import sha256
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PAGE = (Path(__file__).parents[2] / "docs" / "race-record.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", re.MULTILINE)
TABLES = {part.split("\n")[0]: ROW.findall(part) for part in PAGE.split("\n## ")}
MAX = 2**53 - 1
STATUS = ("finished", "dnf", "forfeited", "dns")
DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
SPECIAL = {
    "date": DATE,
    "race": "[A-Z0-9-]{1,32}",
    "board": ".+",
    "size": "([2-9]|10)x([2-9]|10)",
}
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
LIMITS = (120, 300, 600, 900, 1200, 1800, 2700, 3600)
Json = dict[str, Any]


def need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def verify(data: bytes) -> None:
    """Check the file of a race record; a ValueError says what is wrong."""
    file = parse(data)
    fields(file, "The file")
    race = file["record"]
    fields(race, "The race")
    fields(race["rules"], "The rules")
    if "daily" in race:
        fields(race["daily"], "A daily race")
        need(race["seed_known"], "seed_known")
    need(race["version"] == 1 and len(race["racers"]) <= 255, "version, racers")
    need(race.get("redacted", True), "redacted")
    need(race["seed_known"] == (race["secret"] is None), "secret")
    for racer in race["racers"]:
        fields(racer, "Each racer")
        if racer["finish"] is not None:
            fields(racer["finish"], "A finish")
        need(len(racer["slides"]) <= 100_000, "slides")
        names = [name for name, _, _ in TABLES["Each slide"]]
        for slide in racer["slides"]:
            need(is_list(slide, 4), "slide")
            fields(dict(zip(names, slide, strict=True)), "Each slide")
    for some in (race, *race["racers"]):
        pairs = [pair for pair in some["outages"] if is_list(pair, 2)]
        need(pairs == some["outages"] and len(pairs) <= 1000, "outages")
        need(all(fits(one, "", "integer", "") for pair in pairs for one in pair), "ms")
    need(len({one["seat"] for one in race["racers"]}) == len(race["racers"]), "seats")
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(file["key"]))
        key.verify(bytes.fromhex(file["signature"]), canonical(race).encode())
    except InvalidSignature:
        raise ValueError("signature") from None
    a, width, height = board_of(race["board"])
    need(f"{width}x{height}" == race["rules"]["size"], "size")
    draw(race, a, bytes([width, height]))
    for racer in race["racers"]:
        slides(racer, a[:], width, height)
    times(race)
    ranking(race["racers"])


def parse(data: bytes) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> Json:
        need(len({name for name, _ in pairs}) == len(pairs), "the same name twice")
        return dict(pairs)

    value = json.loads(data.decode(), object_pairs_hook=unique)
    canonical(value)
    return value


def canonical(value: Any, depth: int = 0) -> str:
    need(depth < 16 or not isinstance(value, dict | list), "too deep")
    if isinstance(value, list):
        return f"[{','.join(canonical(one, depth + 1) for one in value)}]"
    if isinstance(value, dict):
        named = {canonical(name): canonical(value[name], depth + 1) for name in value}
        order = sorted(named, key=lambda name: json.loads(name).encode("utf-16-be"))
        return f"{{{','.join(f'{name}:{named[name]}' for name in order)}}}"
    need(not isinstance(value, float), "not an integer")
    need(not isinstance(value, int) or abs(value) <= MAX, "integer too large")
    text = json.dumps(value, ensure_ascii=False)
    need(not re.search("[\ud800-\udfff]", text), "lone surrogate")
    return text


def is_list(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length


def fields(value: Any, table: str) -> None:
    need(isinstance(value, dict), table)
    rows = [row for row in TABLES[table] if row[0] in value or "optional" not in row[1]]
    need(value.keys() == {row[0] for row in rows}, table)
    for name, stated, meaning in rows:
        kind = stated.removeprefix("optional ")
        if value[name] is not None or not kind.endswith(" or null"):
            need(fits(value[name], name, kind.split()[0], meaning), name)


def fits(value: Any, name: str, kind: str, meaning: str) -> bool:
    if kind == "integer" and type(value) is int:
        found = re.search(r"(\d+) \.\.\. (\d+)", meaning)
        low, high = map(int, found.groups()) if found else (0, MAX)
        return low <= value <= high or str(value) in re.findall(r"(-1|\b0): ", meaning)
    if kind == "string" and isinstance(value, str):
        if digits := re.search(r"(\d+) hex digits", meaning):
            return bool(re.fullmatch(f"[0-9a-f]{{{digits[1]}}}", value))
        if "a line" in meaning:
            hidden = HIDDEN & {unicodedata.category(char) for char in value}
            return len(value) <= 100 and not hidden
        words = "|".join(re.findall("`(.+?)`", meaning))
        words += "|" if "else empty" in meaning else ""
        return bool(re.fullmatch(SPECIAL.get(name, words), value))
    return type(value) is {"boolean": bool, "object": dict, "list": list}.get(kind)


def board_of(text: str) -> tuple[list[int], int, int]:
    rows = [row.split(" ") for row in text.split("/")]
    need(all(re.fullmatch("0|[1-9][0-9]?", one) for row in rows for one in row), text)
    tiles = [int(one) for row in rows for one in row]
    need({len(row) for row in rows} == {len(rows[0])}, "rows")
    need(sorted(tiles) == list(range(len(tiles))), "tiles")
    return tiles, len(rows[0]), len(rows)


def digest(use: str, *parts: bytes) -> bytes:
    return sha256(f"sliderace/{use}/v1\0".encode() + b"".join(parts)).digest()


def draw(race: Json, a: list[int], size: bytes) -> None:
    name, seed = race["race"].encode() + b"\0", bytes.fromhex(race["seed"])
    need(board_from(seed, *size) == a, "board")
    if "daily" in race:
        daily(race["daily"], f"{size[0]}x{size[1]}", seed)
    if race["secret"] is None:
        return
    secret = bytes.fromhex(race["secret"])
    need(digest("commit", name, size, secret).hex() == race["commitment"], "commitment")
    nonces = [(one["seat"], one["nonce"]) for one in race["racers"] if one["nonce"]]
    used = [bytes.fromhex(nonce) for _, nonce in sorted(nonces)]
    for one in race["racers"]:
        nonce = bytes.fromhex(one["nonce"] or "")
        bound = digest("nonce", name, bytes([one["seat"]]), nonce).hex()
        need(one["nonce"] is None or bound == one["nonce_commitment"], "nonce")
    need(digest("seed", name, size, secret, bytes([len(used)]), *used) == seed, "seed")


def daily(day: Json, event: str, seed: bytes, anchor: str = "") -> None:
    first, last = date(2026, 1, 1), date(2036, 1, 8)
    found = date.fromisoformat(day["date"])
    need(first <= found <= last and event in ("3x3", "4x4", "5x5"), "no daily race")
    name, secret = event.encode() + b"\0", bytes.fromhex(day["secret"])
    dated = day["date"].encode() + b"\0"
    need(digest("daily-seed", dated, name, secret) == seed, "seed of the day")
    for _ in range((found - first).days + 1):
        secret = digest("daily", name, secret)
    need(anchor in ("", secret.hex()), "anchor")


def seed_of_text(typed: str) -> bytes:
    is_hex = re.fullmatch("[0-9a-fA-F]{64}", typed)
    return bytes.fromhex(typed) if is_hex else digest("text", typed.encode())


def board_from(seed: bytes, width: int, height: int) -> list[int]:
    blocks = (digest("stream", seed, i.to_bytes(4, "big")) for i in count())
    source = chain.from_iterable(blocks)
    a = solved = [*range(1, width * height), 0]
    while a == solved:
        a = solved[:]
        for i in range(len(a) - 1, 0, -1):
            j = next(b for b in source if b < 256 // (i + 1) * (i + 1)) % (i + 1)
            a[i], a[j] = a[j], a[i]
        tiles = [one for one in a if one]
        pairs = sum(b > c for n, c in enumerate(tiles) for b in tiles[:n])
        rows = height - 1 - a.index(0) // width if width % 2 == 0 else 0
        if (pairs + rows) % 2:
            one, two = a.index(1), a.index(2)
            a[one], a[two] = 2, 1
    return a


def distance(a: list[int], width: int) -> int:
    w, apart = width, [(cell, tile - 1) for cell, tile in enumerate(a) if tile]
    return sum(abs(c // w - h // w) + abs(c % w - h % w) for c, h in apart)


def slides(racer: Json, a: list[int], width: int, height: int) -> None:
    solved, start = [*range(1, len(a)), 0], distance(a, width)
    high = high_ms = last_ms = 0
    for direction, tiles, _, at in racer["slides"]:
        need(a != solved and at >= last_ms, "slide after the end, or out of order")
        last_ms, gap = at, a.index(0)
        y, x = divmod(gap, width)
        room = {"U": height - 1 - y, "D": y, "L": width - 1 - x, "R": x}[direction]
        need(tiles <= room, "illegal slide")
        step = {"U": width, "D": -width, "L": 1, "R": -1}[direction]
        for cell in range(gap, gap + tiles * step, step):
            a[cell], a[cell + step] = a[cell + step], 0
        if (progress := 1000 * (start - distance(a, width)) // start) > high:
            high, high_ms = progress, at
    finished = racer["status"] == "finished"
    need(finished == (a == solved) == (racer["finish"] is not None), "finished")
    need((racer["why"] == "") == (racer["status"] not in ("dnf", "dns")), "why")
    need(racer["status"] != "dns" or not racer["slides"], "dns")
    made = [("", 0), *((slide[0], slide[1]) for slide in racer["slides"])]
    need(racer["stm"] == sum(tiles for _, tiles in made), "stm")
    need(racer["mtm"] == sum(one[0] != two[0] for one, two in pairwise(made)), "mtm")
    need((racer["high"], racer["high_ms"]) == (high, high_ms), "high")


def times(race: Json) -> None:
    rules, ended, downs = race["rules"], race["ended_ms"], race["outages"]
    moments = [*(moment for outage in downs for moment in outage), ended]
    need(moments == sorted(moments), "outages out of order")
    racers = [(rules["inspection_ms"] - one["lead_ms"], one) for one in race["racers"]]
    w, h = map(int, rules["size"].split("x"))
    limit = rules["limit_ms"]
    if limit == -1:
        usual = max(60_000, round(3500 * (w * h) ** 1.5))
        limit = 1000 * LIMITS[w - 3] if w == h > 2 else usual
    grace = grace_of(race, racers, limit)
    arrivals = [start + one["finish"]["g_ms"] for start, one in racers if one["finish"]]
    need(not arrivals or len(arrivals) < len(racers) or max(arrivals) == ended, "end")
    for start, racer in racers:
        over = start + limit if limit else MAX
        end = min(over, *grace[-1:], MAX)
        for down, up in downs:
            end = max(end, up + 30_000) if down < end else end
        for at in (start + slide[3] for slide in racer["slides"]):
            need(0 <= at <= ended and at < end, "slide too early or too late")
            need(not any(down < at < up for down, up in downs), "slide in an outage")
        arrival = start + racer["finish"]["g_ms"] if racer["finish"] else MAX
        met = [outage for outage in downs if outage[0] < arrival]
        need(len(met) == len(racer["outages"]), "outage missing")
        for (down, up), (own, back) in zip(met, racer["outages"], strict=True):
            need(own == max(0, down - start), "down")
            need(max(0, up - start) <= back <= max(0, up + 3000 - start), "back")
        last = start + racer["slides"][-1][3] if racer["slides"] else 0
        limited = over <= min(ended, *grace[-1:], MAX - 1)
        in_grace = bool(grace) and grace[0] <= ended and grace[0] < over
        away = ended >= last + rules["away_ms"]
        may = {"limit": limited, "grace": in_grace, "away": away}
        need(may.get(racer["why"], True), "why")
        if racer["finish"]:
            official(racer, racer["finish"], rules["friendly_timing"])


def grace_of(race: Json, racers: list[tuple[int, Json]], limit: int) -> list[int]:
    """Return the possible moments G, ascending; nothing if nobody finished."""
    ends: list[int] = []
    done = [one for one in racers if one[1]["finish"]]
    first = min((start + one["finish"]["g_ms"] for start, one in done), default=0)
    for start, racer in done:
        at = start + racer["finish"]["g_ms"]
        best, grace = racer["finish"]["official_ms"], race["rules"]["grace_ms"]
        until = at + (max(60_000, 3 * best) if grace == -1 else grace)
        until = min(until, max(start for start, _ in racers) + (limit or MAX))
        certain = max((start for start, one in racers if one is not racer), default=0)
        certain += best + (361 if race["rules"]["friendly_timing"] else 261)
        absent = sum(up + 3000 - down for down, up in race["outages"] if down < at)
        if at == first:
            ends += [max(until, certain), max(until, certain + absent, first + 1)]
    return sorted(ends)


def official(racer: Json, finish: Json, friendly: bool) -> None:
    _, _, stamps, arrivals = map(list, zip(*racer["slides"], strict=True))
    g, e, outage = finish["g_ms"], finish["e_ms"], finish["outage_ms"]
    absent = racer["approx"] or max(stamps) > stamps[-1]
    need(g == arrivals[-1] and e == (None if absent else stamps[-1]), "g, e")
    total = covered = 0
    for down, returned in racer["outages"]:
        back = min(returned, g)
        until = back if g <= back + 2000 else g
        last = max((at for at in arrivals if at < until), default=0)
        total += max(0, back - max(last, down, covered))
        covered = max(covered, back)
    k = min(finish["rtt_ms"], 200) + outage
    k += 0 if e is None else allowance(finish) + (100 if friendly else 0)
    best = g if e is not None and e > g else max(0, e or 0, g - k)
    written = finish["outage_ms"], finish["official_ms"], finish["credit_ms"]
    need(written == (total, best, g - best), "official time")
    solve = max(0, stamps[-1] - stamps[0], best - arrivals[0])
    need(finish["solve_ms"] == min(solve, best), "solve_ms")


def allowance(finish: Json) -> int:
    return min(max(2 * int(finish["jitter_ms"]), 30), 60)


def ranking(racers: list[Json]) -> None:
    keys: list[tuple[int, ...]] = []
    for one in racers:
        progress = -one["high"], one["high_ms"], one["stm"]
        values = (one["finish"]["official_ms"],) if one["finish"] else progress
        keys.append((STATUS.index(one["status"]), *values))
    ordered = [(key, one["seat"]) for key, one in zip(keys, racers, strict=True)]
    need(ordered == sorted(ordered), "order")
    done = [one["finish"] for one in racers if one["finish"]]
    close = [
        abs(b["official_ms"] - c["official_ms"]) < max(allowance(b), allowance(c))
        for b, c in pairwise(done)
    ]
    places = [keys.index(key) + 1 if key[0] < 3 else None for key in keys]
    need(places == [one["place"] for one in racers], "place")
    photos = [b or c for b, c in pairwise([False, *close, False])]
    need(not done or photos == [one["photo"] for one in done], "photo")
