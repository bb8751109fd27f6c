"""``python -m sliderace_server``."""

import sys

from sliderace_server.cli import main

if __name__ == "__main__":
    subcommand = sys.argv[1:2] in (["backup"], ["restore"])
    main(prog_name="sliderace" if subcommand else "sliderace serve")
