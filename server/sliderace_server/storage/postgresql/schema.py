"""The database schema: numbered migrations, as in `sqlite.schema`.

`migrations/NNNN_what.sql` upgrades a database from version NNNN - 1 to NNNN. A released
migration never changes.
"""

from importlib import resources

from sliderace_server.storage.ports import StoreRefused

from .connections import LONG_S, Connections

__all__ = ["migrate", "migrations"]

LOCK = int.from_bytes(b"SlRc")
"""Key of the advisory lock for migrations: several servers may start at once."""


def migrations() -> list[str]:
    """Return the SQL of all migrations, starting with the one to version 1."""
    folder = resources.files("sliderace_server.storage.postgresql") / "migrations"
    files = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    files.sort(key=lambda file: file.name)
    return [file.read_text(encoding="utf-8") for file in files]


async def migrate(connections: Connections, scripts: list[str]) -> None:
    """Upgrade a database to the newest version, or leave it unchanged.

    Args:
        connections: To the database.
        scripts: All migrations, see `migrations`.

    Raises:
        StoreRefused: A newer program has migrated it.
        StorageUnavailable: A migration failed, for example without a privilege.
    """
    async with connections.transaction() as db:
        # A lock of the transaction, because a pooler may share the session.
        await db.execute("SELECT pg_advisory_xact_lock($1)", LOCK, timeout=LONG_S)
        await db.execute(
            "CREATE TABLE IF NOT EXISTS sliderace_version (version int NOT NULL)"
        )
        version = await db.fetchval("SELECT max(version) FROM sliderace_version") or 0
        if version > len(scripts):
            raise StoreRefused(
                f"a newer sliderace wrote it: its version is {version}, "
                f"this program supports up to {len(scripts)}"
            )
        for number, script in enumerate(scripts[version:], version + 1):
            await db.execute(script, timeout=LONG_S)
            await db.execute("INSERT INTO sliderace_version VALUES ($1)", number)
