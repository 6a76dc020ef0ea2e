"""How a command ends: exit codes, and errors as messages instead of tracebacks."""

import os
import sys
from typing import Any, Final

import typer
from typer.core import TyperGroup

from menpai.errors import ConfigError, InputError, MenpaiError, MissingExtraError, StorageError

FAILURE: Final = 1
USAGE: Final = 2
SOME_ROWS_FAILED: Final = 3
INTERRUPTED: Final = 130

JSON_KEY: Final = "menpai.json"
"""Where the running command keeps whether it was asked for JSON."""


class Commands(TyperGroup):
    """A group of commands that ends with a message and an exit code whatever happens."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except MenpaiError as error:
            _report(error, as_json=ctx.meta.get(JSON_KEY, False))
            usage = isinstance(error, (InputError, ConfigError, MissingExtraError))
            raise typer.Exit(USAGE if usage else FAILURE) from error
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _abandon_stdout()
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:  # of stdout, or of a path that no file can have
            if error.filename is None:
                _abandon_stdout()
            where = error.filename or "stdout"
            reason = StorageError(f"cannot write to {where}: {error.strerror or error}")
            _report(reason, as_json=ctx.meta.get(JSON_KEY, False))
            raise typer.Exit(FAILURE) from error


def _report(error: MenpaiError, *, as_json: bool) -> None:
    if as_json:
        from menpai.tables.cells import to_json

        typer.echo(to_json(error.to_dict()), err=True)
    else:
        typer.echo(f"menpai: {error}", err=True)


def _abandon_stdout() -> None:
    """Nobody reads any more: Python shall not complain when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
