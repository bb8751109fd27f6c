"""The URL of a PostgreSQL database."""

import re

__all__ = ["check_results_url", "without_password"]

EXAMPLE = "postgresql://user:password@host/database"


def check_results_url(url: str) -> None:
    """Check the form of a URL.

    Raises:
        ValueError: It is no URL of PostgreSQL. The text does not contain the URL, which
            may contain a password.
    """
    if not re.match(r"postgres(ql)?://", url):
        raise ValueError(f"must look like {EXAMPLE}")
    # The parser would take the first part of such a password for a port and quote it.
    if re.search(r"://[^/?#]*[/?#].*@", url):
        raise ValueError("must have %2F %3F %23 %40 for / ? # @ in the password")


def without_password(url: str) -> str:
    """Return a URL as it may be shown: without user, password and options."""
    return re.sub("://.*@", "://", url).partition("?")[0]
