"""``python -m sliderace_server``."""

import sys

from sliderace_server.cli import main

if __name__ == "__main__":
    of_its_own = sys.argv[1:2] in (["backup"], ["restore"])
    main(prog_name="sliderace" if of_its_own else "sliderace serve")
