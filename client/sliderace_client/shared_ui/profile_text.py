"""A profile in words: its bests, its devices, and its dates."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sliderace.protocol.messages import Device, EventBests, Profile
from sliderace.protocol.names import cells
from sliderace.texts import text
from sliderace_client.shared_ui.wording import duration

__all__ = [
    "aligned",
    "bests_cells",
    "day_text",
    "device_text",
    "forget_text",
    "moment_text",
    "profile_lines",
    "time_or_dash",
]

KINDS = ("single", "ao5", "ao12")


def profile_lines(profile: Profile, server: str) -> list[str]:
    """Return everything that the owner may know, without the secret.

    Args:
        profile: as the server sent it.
        server: its base address.
    """
    since = day_text(profile.created_ms)
    lines = [text("me.name", name=profile.name, id=profile.id)]
    lines.append(text("me.since", server=server, day=since))
    if profile.streak:
        lines.append(text("gains.streak", count=profile.streak))
    if profile.dailies:
        done = ", ".join(profile.dailies)
        lines.append(text("me.dailies", events=done))
    if forget := forget_text(profile):
        lines += [forget, text("me.forget_cancel")]
    lines += ["", *(aligned(bests_cells(profile.bests)))]
    lines += ["", text("me.devices")]
    lines += [f"  {one.id}  {device_text(one)}" for one in profile.devices]
    return lines


def bests_cells(bests: Sequence[EventBests]) -> list[list[str]]:
    """Return headings and rows: event, attempts, finished, bests."""
    names = [text(f"me.column.{name}") for name in ("event", "attempts", "finished")]
    rows = [[*names, *(text(f"kind.{kind}") for kind in KINDS)]]
    for one in bests:
        times = (one.single_ms, one.ao5_ms, one.ao12_ms)
        counts = one.event, str(one.attempts), str(one.finished)
        rows.append([*counts, *map(time_or_dash, times)])
    return rows if bests else [[text("me.no_attempts")]]


def time_or_dash(ms: int | None) -> str:
    """Return a time; a dash if there is none.

    >>> time_or_dash(9_123), time_or_dash(None)
    ('9.123', '-')
    """
    return "-" if ms is None else duration(ms)


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Return the rows of a table as lines; all columns but those on the left go right.

    >>> aligned([["event", "single"], ["3x3", "9.123"]])
    ['event  single', '3x3     9.123']
    """
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            _padded(cell, width, right=n not in left)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - cells(cell))
    return space + cell if right else cell + space


def device_text(device: Device) -> str:
    """Return a device in a sentence."""
    added, used = day_text(device.added_ms), day_text(device.used_ms)
    name = device.name or text("me.unnamed")
    key = "me.this_device" if device.current else "me.device"
    return text(key, name=name, added=added, used=used)


def forget_text(profile: Profile) -> str:
    """Return when the profile will be deleted; empty: it will not."""
    at = profile.forget_at_ms
    return "" if at is None else text("me.forgotten_at", time=moment_text(at))


def day_text(ms: int) -> str:
    """Return the local day of a Unix time in ms; a question mark if it is none."""
    return _local(ms, "%Y-%m-%d")


def moment_text(ms: int) -> str:
    """Return the local day and time of a Unix time in ms, likewise."""
    return _local(ms, "%Y-%m-%d %H:%M")


def _local(ms: int, form: str) -> str:
    try:
        return format(datetime.fromtimestamp(ms / 1000).astimezone(), form)
    except (ValueError, OverflowError, OSError):
        return "?"
