"""`menpai train`: models that learn from a user's own labels."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from menpai.cli import options
from menpai.cli.exits import SOME_ROWS_FAILED
from menpai.cli.output import print_json, print_table
from menpai.cli.progress import Bar
from menpai.cli.tables import open_quietly
from menpai.model.packaged import PACKAGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from menpai.tables.rows import FailedRow

_PATIENCE = 5
"""Epochs without a better figure after which a tagger stops: it learns in many short ones."""

train = typer.Typer(
    help="Train a checkpoint further on your own labels.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


Base = Annotated[
    str,
    typer.Option(
        "--checkpoint",
        metavar="packaged|DIR",
        help="What learning begins with: the package's own model, or a converted checkpoint.",
    ),
]
NewFolder = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", show_default=False, help="Folder to make; a new one."),
]
Epochs = Annotated[int, typer.Option(min=1, metavar="N", help="Times that all is seen at most.")]
LearningRate = Annotated[
    float, typer.Option(metavar="NUMBER", help="The highest one; 2e-5 to 5e-5 for BERT-base.")
]
Valid = Annotated[float, typer.Option(metavar="SHARE", help="Held out to decide when to stop.")]
Test = Annotated[float, typer.Option(metavar="SHARE", help="Held out to take the figures from.")]
MaxLength = Annotated[
    int | None,
    typer.Option(
        metavar="N", show_default=False, help="Tokens read of an input  [default: as it reads now]"
    ),
]
MaxTokens = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Padded tokens of a step; fewer need less memory."),
]
Patience = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Epochs without a better figure after which it ends."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Another one gives another split and order.")]


@train.callback()
def _group() -> None:
    """Train a checkpoint further on your own labels."""


@train.command()
def pairs(  # noqa: PLR0913 -- one for each option
    *,
    source: Annotated[
        Path, typer.Option("--in", metavar="TABLE", show_default=False, help="Table of pairs.")
    ],
    left: Annotated[str, typer.Option(metavar="COL", help=options.COLUMNS_HELP)] = "left",
    right: Annotated[str, typer.Option(metavar="COL", help="The same, to the right.")] = "right",
    label: Annotated[str, typer.Option(metavar="COL", help="Column of the labels.")] = "label",
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Rows with the same value here are not torn apart  [default: the left address]",
        ),
    ] = None,
    checkpoint: Base = PACKAGED,
    out: NewFolder,
    epochs: Epochs = 6,
    patience: Patience = 2,
    learning_rate: LearningRate = 3e-4,
    max_tokens: MaxTokens = 3072,
    valid: Valid = 0.1,
    test: Test = 0.1,
    max_length: MaxLength = None,
    seed: Seed = 0,
    threads: options.Threads = None,
    no_resume: options.NoResume = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Learn from labelled pairs, and write a checkpoint of its own with its figures.

    A label is exact_match, partial_match or not_match (also: exact, partial, not, 1, 2, 0). What
    was interrupted goes on with the same command. Needs the extra `torch`.
    """
    from menpai.tables.rows import require_columns
    from menpai.train import rows
    from menpai.train.options import Options
    from menpai.train.run import check, train_pairs

    chosen = Options(
        n_epochs=epochs,
        learning_rate=learning_rate,
        max_tokens=max_tokens,
        max_length=max_length,
        valid=valid,
        test=test,
        patience=patience,
        seed=seed,
    )
    base = options.folder(checkpoint, "pairs")
    check(base, out, chosen)
    table = open_quietly(source)
    lefts, rights = options.columns(left, "--left"), options.columns(right, "--right")
    wanted = [*lefts, *rights, label, *([] if group is None else [group])]
    require_columns(table, wanted, source.name)
    found = rows.read(table, lefts, rights, label, group)
    errors = _list_errors(found.errors, out, quiet=quiet)
    with closing(Bar(quiet=quiet, forced=progress)) as bar:
        figures = train_pairs(
            found,
            base,
            out,
            chosen,
            n_threads=threads,
            resume=not no_resume,
            notify=bar.update,
        )
    if json:
        listed = None if errors is None else str(errors)
        print_json({"out": str(out), "errors": listed, **figures})
    else:
        _print(figures, ("macro_f1", "auc_match", "calibration_error"), "pairs")
    if errors is not None:
        raise typer.Exit(SOME_ROWS_FAILED)


@train.command()
def elements(  # noqa: PLR0913 -- one for each option
    *,
    source: options.TaggedTexts,
    mapping: options.Mapping = None,
    checkpoint: Base = PACKAGED,
    out: NewFolder,
    epochs: Epochs = 20,
    patience: Patience = _PATIENCE,
    learning_rate: LearningRate = 5e-4,
    max_tokens: MaxTokens = 3072,
    valid: Valid = 0.1,
    test: Test = 0.1,
    max_length: MaxLength = None,
    seed: Seed = 0,
    threads: options.Threads = None,
    no_resume: options.NoResume = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Learn from tagged texts, and write a tagger of elements with its figures.

    A character and its tag stand on a line (BIOES, BIES or BIO), a blank line between texts; the
    tagger learns the elements that the tags mean. Needs the extra `torch`.
    """
    from menpai.evaluation.tagsets import read_mapped
    from menpai.train.options import Options
    from menpai.train.run import check, train_elements

    chosen = Options(
        n_epochs=epochs,
        learning_rate=learning_rate,
        max_tokens=max_tokens,
        max_length=max_length,
        valid=valid,
        test=test,
        seed=seed,
        patience=patience,
    )
    base = options.folder(checkpoint, "tags")
    check(base, out, chosen)
    texts = read_mapped(source, mapping)
    with closing(Bar(quiet=quiet, forced=progress)) as bar:
        figures = train_elements(
            texts,
            base,
            out,
            chosen,
            n_threads=threads,
            resume=not no_resume,
            notify=bar.update,
        )
    if json:
        print_json({"out": str(out), **figures})
    else:
        _print(figures, ("micro_f1",), "texts")


def _print(figures: dict[str, Any], shown: tuple[str, ...], items: str) -> None:
    """Print some figures for people, then those of each label or element, and of what."""
    lines = [(name, f"{figures[name]:.4f}") for name in shown if figures[name] is not None]
    lines += [(f"f1 {name}", f"{value:.4f}") for name, value in figures["f1"].items()]
    lines += [(f"{items} to {name}", f"{count:,}") for name, count in figures["n"].items()]
    print_table(("measure", "value"), lines)


def _list_errors(errors: "Sequence[FailedRow]", out: Path, *, quiet: bool) -> Path | None:
    """List the rows that are left out beside the folder, before they could be why nothing is left.

    Returns:
        The file; None if there are no such rows.
    """
    from menpai.jobs.run import errors_path
    from menpai.tables.aside import written_aside

    path = errors_path(out)
    if not errors:
        path.unlink(missing_ok=True)
        return None
    with written_aside(path) as aside:
        aside.write_text("".join(row.to_line() for row in errors), encoding="utf-8")
    if not quiet:
        typer.echo(f"{len(errors):,} rows are left out, see {path}", err=True)
    return path
