"""Run ``sliderace`` as ``python -m sliderace_client``."""

from sliderace_client.cli.commands import main

if __name__ == "__main__":
    main()
