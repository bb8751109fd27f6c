"""``python -m sliderace_client`` is ``sliderace``."""

from sliderace_client.cli.commands import main

if __name__ == "__main__":
    main()
