"""The command `menpai` with all of its commands."""

from typing import Annotated

import typer

from menpai.cli.bench import bench
from menpai.cli.compare import compare
from menpai.cli.embed import embed
from menpai.cli.evaluate import evaluate
from menpai.cli.exits import Commands
from menpai.cli.match import match
from menpai.cli.model import model
from menpai.cli.normalize import normalize
from menpai.cli.parse import parse
from menpai.cli.train import train

# Plain help and tracebacks: with rich they take as long as an address does.
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(compare)
app.command()(parse)
app.command()(normalize)
app.command()(match)
app.command()(embed)
app.add_typer(model, name="model")
app.add_typer(train, name="train")
app.add_typer(evaluate, name="evaluate")
app.add_typer(bench, name="bench")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 -- as typer calls it
    if wanted:
        from importlib.metadata import version  # takes 15 ms to load

        typer.echo(version("menpai"))
        raise typer.Exit


@app.callback()
def menpai(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Match Chinese addresses: parse, compare and look them up, offline.

    Exit codes: 0 all went well; 2 the command cannot be run as it was given; 3 some rows failed
    and are listed in OUT.errors.jsonl; 1 anything else; 130 interrupted.
    """
