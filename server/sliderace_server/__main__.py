"""``python -m sliderace_server``."""

import sys

from sliderace_server.cli import command_line

if __name__ == "__main__":
    sys.exit(command_line(sys.argv[1:]))
