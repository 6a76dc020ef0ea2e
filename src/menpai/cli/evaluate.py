"""`menpai evaluate`: how often the answers are right."""

from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from menpai.cli import options
from menpai.cli.output import print_json, print_table
from menpai.cli.progress import Bar
from menpai.cli.tables import open_quietly
from menpai.model.packaged import PACKAGED

evaluate = typer.Typer(
    help="Measure how often the answers are right.", no_args_is_help=True, rich_markup_mode=None
)


@evaluate.command()
def pairs(  # noqa: PLR0913 -- one for each option
    *,
    source: Annotated[
        Path, typer.Option("--in", metavar="TABLE", show_default=False, help="Table of pairs.")
    ],
    left: Annotated[str, typer.Option(metavar="COL", help=options.COLUMNS_HELP)] = "left",
    right: Annotated[str, typer.Option(metavar="COL", help="The same, to the right.")] = "right",
    label: Annotated[str, typer.Option(metavar="COL", help="Column of the true labels.")] = "label",
    positive: Annotated[
        str, typer.Option(metavar="exact|partial", help="Weakest true label that is a match.")
    ] = "exact",
    policy: options.Policy = "place",
    match_at: Annotated[
        str | None,
        typer.Option(
            metavar="exact|partial|NUMBER",
            show_default=False,
            help="From which label, or score, on two addresses match  [default: as --positive]",
        ),
    ] = None,
    checkpoint: options.Checkpoint = PACKAGED,
    limit: options.Limit = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Compare labelled pairs and measure the agreement with their labels.

    A label is exact_match, partial_match or not_match (also: exact, partial, not, 1, 2, 0).
    """
    from menpai.evaluation.pairs import evaluate_pairs
    from menpai.tables.reading import good_rows
    from menpai.tables.rows import require_columns

    table = open_quietly(source)
    lefts, rights = options.columns(left, "--left"), options.columns(right, "--right")
    require_columns(table, [*lefts, *rights, label], source.name)
    n_done = 0
    with closing(Bar(quiet=quiet, forced=progress)) as bar:

        def show(n_rows: int) -> None:
            nonlocal n_done
            n_done += n_rows
            bar.update(table.fraction, f"{n_done:,} rows")

        report = evaluate_pairs(
            islice(good_rows(table), limit),
            left=lefts,
            right=rights,
            label=label,
            policy=policy,
            positive=positive,
            match_at=None if match_at is None else options.threshold(match_at),
            checkpoint=options.checkpoint(checkpoint),
            progress=show,
        )
    _print(report, as_json=json)


@evaluate.command()
def elements(  # noqa: PLR0913 -- one for each option
    *,
    source: options.TaggedTexts,
    mapping: options.Mapping = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="packaged|DIR",
            show_default=False,
            help="Tagger that finds them by itself, the package's own or a converted one  "
            "[default: the parser]",
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Find the elements of tagged texts and measure the agreement with their tags.

    A character and its tag stand on a line (BIOES, BIES or BIO), a blank line between texts.
    """
    from menpai.evaluation.elements import evaluate_elements, tagged_by

    tagger = None if checkpoint is None else options.folder(checkpoint, "tags")
    with closing(Bar(quiet=quiet, forced=progress)) as bar:
        report = evaluate_elements(
            source,
            mapping=mapping,
            predict=None if tagger is None else tagged_by(tagger),
            progress=lambda share, n_texts: bar.update(share, f"{n_texts:,} texts"),
        )
    _print(report, as_json=json)


@evaluate.command()
def cases(
    *,
    source: Annotated[
        Path, typer.Option("--in", metavar="FILE", show_default=False, help="Cases, one a line.")
    ],
    json: options.Json = False,
) -> None:
    """Judge hand-made cases: one JSON object a line with id, kind, input and expected."""
    from menpai.errors import TableError
    from menpai.evaluation.cases import evaluate_cases

    if not source.is_file():
        raise TableError(f"there is no file {source}")
    _print(evaluate_cases(source), as_json=json)


def _print(report: Mapping[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        print_table(("measure", "value"), _lines(report))


def _lines(report: Mapping[str, object], path: str = "") -> list[tuple[str, str]]:
    """Figures of a report, one a line, nested ones with their path."""
    lines = []
    for key, value in report.items():
        if isinstance(value, Mapping):
            lines += _lines(value, f"{path}{key} ")
        else:
            text = f"{value:.4f}" if isinstance(value, float) else str(value)
            lines.append((f"{path}{key}", text))
    return lines
