"""The command line, one file per command. Only this room prints, and knows typer and rich."""

import sys


def main() -> None:
    """Run the command `menpai`."""
    try:
        from menpai.cli.app import app

        app()
    except KeyboardInterrupt:  # while modules were loaded; later on the commands see to it
        sys.exit(130)
