"""``python -m sliderace_server``."""

from sliderace_server.main import main

if __name__ == "__main__":
    main(prog_name="sliderace serve")
