"""Print the files of the pure modules, for `coverage report --include`.

The import contract `pure` lists the modules.
"""
# ruff: noqa: INP001, T201

import tomllib
from pathlib import Path

ROOTS = ("shared", "server", "client")


def main() -> None:
    """Print the files of the contract's modules."""
    config = tomllib.loads(Path("pyproject.toml").read_text())
    (contract,) = (
        contract
        for contract in config["tool"]["importlinter"]["contracts"]
        if contract.get("id") == "pure"
    )
    print(",".join(file for name in contract["source_modules"] for file in files(name)))


def files(module: str) -> list[str]:
    """Return the files of a package or module."""
    for root in ROOTS:
        path = Path(root, *module.split("."))
        if path.is_dir():
            return [str(path / "*"), str(path / "**" / "*")]
        if path.with_suffix(".py").is_file():
            return [str(path.with_suffix(".py"))]
    raise SystemExit(f"no file for the pure module {module}")


if __name__ == "__main__":
    main()
