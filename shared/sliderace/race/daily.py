"""The daily race: one board per event and UTC day, fixed years ahead.

A server has one secret root. From it follows a chain of secrets for each event, of
which each is the hash of the next one:

    S_n = the root, with n = `DAYS` + 1; it is never published
    S_d = SHA-256("sliderace/daily/v1" 00 event 00 S_{d+1})
    S_0 = the anchor, which is published from the beginning

S_1 belongs to 2026-01-01, S_2 to the day after it, and so on. The seed of a day's board
is

    SHA-256("sliderace/daily-seed/v1" 00 date 00 event 00 S_d)

with the date as in ``2026-11-30``. Whoever learns S_d after the day can hash it down to
the anchor: so the server fixed the board when it published the anchor. Nobody can
compute the secret of a later day from it. All days are counted since 1970 in UTC.
"""

from hashlib import sha256
from typing import Final, Literal, get_args

from sliderace.race.rules import default_limit_ms

__all__ = [
    "DAYS",
    "DAY_MS",
    "EVENTS",
    "FIRST_DAY",
    "LAST_DAY",
    "DailyEvent",
    "anchor_of",
    "chain",
    "daily_seed",
    "date_text",
    "day_of",
    "day_start_ms",
    "last_open_day",
    "latest_ms",
    "parse_date",
    "sealed_until_ms",
]

DailyEvent = Literal["3x3", "4x4", "5x5"]
"""The sizes that most people race on."""
EVENTS: Final[tuple[DailyEvent, ...]] = get_args(DailyEvent)

DAY_MS: Final = 86_400_000
FIRST_DAY: Final = 20_454
"""2026-01-01, the day of S_1."""
DAYS: Final = 3_660
"""Ten years; hashing a chain takes a few milliseconds."""
LAST_DAY: Final = FIRST_DAY + DAYS - 1

_MARCH_YEAR = 146_097  # days in 400 years
_TO_MARCH = 719_468  # days from 0000-03-01 to 1970-01-01


def day_of(unix_ms: int) -> int:
    """Return the UTC day of a moment, as days since 1970.

    >>> day_of(1_767_225_600_000) == day_of(1_767_311_999_999) == FIRST_DAY
    True
    """
    return unix_ms // DAY_MS


def day_start_ms(day: int) -> int:
    """Return the Unix time at which a day begins, in ms."""
    return day * DAY_MS


def latest_ms(wall_ms: int, noted_ms: int) -> int:
    """Return the time that counts for the daily race: it never goes back.

    The secrets of a day may be known once it has begun, so it must not begin again
    after the wall clock was set back.

    Args:
        wall_ms: Unix time by the wall clock.
        noted_ms: the latest time at which the server was known to run.
    """
    return max(wall_ms, noted_ms)


def date_text(day: int) -> str:
    """Return the date of a day, since 1970.

    >>> date_text(FIRST_DAY), date_text(20_787)
    ('2026-01-01', '2026-11-30')
    """
    # Years that begin in March end with the leap day, so months have fixed lengths.
    era, of_era = divmod(day + _TO_MARCH, _MARCH_YEAR)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    of_month = of_year - (153 * month + 2) // 5 + 1
    year += 400 * era + (month >= 10)
    return f"{year:04}-{(month + 2) % 12 + 1:02}-{of_month:02}"


def parse_date(text: str) -> int:
    """Return the day of a date such as ``2026-11-30``.

    >>> parse_date("2026-01-01") == FIRST_DAY
    True

    Raises:
        ValueError: it is no date between 1970 and 9999 in this form.
    """
    parts = text.split("-")
    if [len(part) for part in parts] == [4, 2, 2] and text.isascii():
        year, month, of_month = (int(part) if part.isdigit() else 0 for part in parts)
        since_march = (month - 3) % 12
        year -= month < 3
        leaps = year // 4 - year // 100 + year // 400
        day = 365 * year + leaps + (153 * since_march + 2) // 5 + of_month
        day -= _TO_MARCH + 1
        if day >= 0 and date_text(day) == text:
            return day
    raise ValueError(f"a date is written as 2026-11-30, not {text!r:.40}")


def chain(root: bytes, event: str) -> list[bytes]:
    """Return the chain of an event: S_0, the anchor, then one secret per day.

    The secret of a day is at index day - `FIRST_DAY` + 1; the last one is that of
    `LAST_DAY`.

    Args:
        root: 32 secret bytes.
        event: one of `EVENTS`.
    """
    links = [root]
    for _ in range(DAYS + 1):
        links.append(_before(links[-1], event))
    return links[:0:-1]


def anchor_of(secret: bytes, event: str, day: int) -> bytes:
    """Return the anchor to which the secret of a day belongs.

    Args:
        secret: S_d, 32 bytes.
        event: the event.
        day: `FIRST_DAY` ... `LAST_DAY`.

    Raises:
        ValueError: there is no daily race on that day.
    """
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValueError(f"a day is {FIRST_DAY} ... {LAST_DAY}, not {day}")
    for _ in range(day - FIRST_DAY + 1):
        secret = _before(secret, event)
    return secret


def daily_seed(secret: bytes, event: str, day: int) -> bytes:
    """Return the seed of a day's board.

    Args:
        secret: S_d, 32 bytes.
        event: the event.
        day: the day.
    """
    head = f"sliderace/daily-seed/v1\0{date_text(day)}\0{event}\0"
    return sha256(head.encode() + secret).digest()


def sealed_until_ms(day: int, event: str) -> int:
    """Return until when the board of a day is a secret, as Unix time in ms.

    Whoever enters in the last moment of the day may race for as long as the time limit
    allows.
    """
    width, height = map(int, event.split("x"))
    return day_start_ms(day + 1) + default_limit_ms(width, height)


def last_open_day(event: str, now_ms: int) -> int:
    """Return the latest day whose board is no secret any more, see `sealed_until_ms`.

    Args:
        event: one of `EVENTS`.
        now_ms: Unix time.
    """
    day = min(day_of(now_ms), LAST_DAY + 1)
    while sealed_until_ms(day, event) > now_ms:
        day -= 1
    return day


def _before(secret: bytes, event: str) -> bytes:
    """Return the secret of the day before."""
    return sha256(f"sliderace/daily/v1\0{event}\0".encode() + secret).digest()
