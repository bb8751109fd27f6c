"""The program: ``sliderace``, or ``python -m sliderace_client``."""

from sliderace_client import exit_codes

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; Ctrl-C ends it even while it loads."""
    try:
        from sliderace_client.cli import commands  # noqa: PLC0415 - takes 0.3 s

        commands.main()
    except KeyboardInterrupt:
        raise SystemExit(exit_codes.INTERRUPTED) from None


if __name__ == "__main__":
    main()
