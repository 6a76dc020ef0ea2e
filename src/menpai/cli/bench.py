"""`menpai bench`: how fast a checkpoint is here, and where its time goes."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from menpai.cli import options
from menpai.cli.output import print_json, print_table
from menpai.cli.progress import Bar
from menpai.cli.tables import open_quietly
from menpai.errors import ConfigError
from menpai.model.packaged import PACKAGED

if TYPE_CHECKING:
    from menpai.model.packaged import Packaged

_SIMILARITIES = 450
_DECISIONS = 2400
"""Pairs that are compared: each of the three turns takes a second or more."""

bench = typer.Typer(
    help="Measure how fast a checkpoint is here.", no_args_is_help=True, rich_markup_mode=None
)

RandomBert = Annotated[
    bool,
    typer.Option("--random-bert-base", help="A BERT-base with random weights as the checkpoint."),
]
Source = Annotated[
    Path | None,
    typer.Option(
        "--in",
        metavar="TABLE",
        show_default=False,
        help="Table of addresses to measure with  [default: made-up ones]",
    ),
]
Column = Annotated[
    str | None, typer.Option(metavar="COL", show_default=False, help=options.COLUMNS_HELP)
]


@bench.command()
def encode(  # noqa: PLR0913 -- one for each option
    *,
    checkpoint: options.CheckpointFolder = PACKAGED,
    random_bert_base: RandomBert = False,
    source: Source = None,
    column: Column = None,
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="Distinct addresses to encode.")
    ] = 2000,
    runtime: options.Runtime = "auto",
    precision: options.Precision = "auto",
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure how many addresses are encoded in a second, and what each stage takes of it."""
    from menpai.bench.encoders import encode as measure

    with (
        closing(Bar(quiet=quiet, forced=False)) as bar,
        _folder(checkpoint, bar, "vectors", is_random=random_bert_base) as folder,
    ):
        texts = _texts(source, column, limit)
        bar.update(None, "encoding")
        figures = measure(folder, texts, runtime=runtime, precision=precision, n_threads=threads)
    _print(figures, as_json=json)


@bench.command()
def compare(  # noqa: PLR0913 -- one for each option
    *,
    checkpoint: options.CheckpointFolder = PACKAGED,
    random_bert_base: RandomBert = False,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="naive",
            show_default=False,
            help="Also measure fp32 torch, one text at a time, padded.",
        ),
    ] = None,
    baseline_padding: Annotated[
        int, typer.Option(min=8, metavar="N", help="Length that the baseline pads texts to.")
    ] = 64,
    source: Source = None,
    column: Column = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=8,
            metavar="N",
            show_default=False,
            help="Pairs to compare  [default: 2400 for a model of pairs, 450 for vectors]",
        ),
    ] = None,
    policy: options.Policy = "place",
    runtime: options.Runtime = "auto",
    precision: options.Precision = "auto",
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure how many pairs are compared in a second.

    Every pair is of two addresses that come once: no cache helps. Of a model of pairs are told:
    whole comparisons, the model asked where elements leave something open; the model asked about
    every pair; and what single comparisons take. Of an encoder of texts: similarities, beside a
    baseline in the same run where one is named; the two sides take turns. Medians of three turns.
    """
    from menpai.bench.decisions import compare as decisions, made_up
    from menpai.bench.encoders import compare as similarities
    from menpai.model.manifest import Manifest

    with (
        closing(Bar(quiet=quiet, forced=False)) as bar,
        _folder(checkpoint, bar, "pairs", is_random=random_bert_base) as folder,
    ):
        if Manifest.read(folder).kind == "vectors" or baseline is not None:
            figures = similarities(
                folder,
                _neighbours(source, column, limit or _SIMILARITIES),
                baseline=baseline,
                padding=baseline_padding,
                runtime=runtime,
                precision=precision,
                n_threads=threads,
                notify=bar.update,
            )
        else:
            figures = decisions(
                folder,
                made_up(limit or _DECISIONS)
                if source is None and column is None
                else _neighbours(source, column, limit or _DECISIONS),
                policy=policy,
                runtime=runtime,
                precision=precision,
                n_threads=threads,
                notify=bar.update,
            )
    _print(figures, as_json=json)


@contextmanager
def _folder(checkpoint: str, bar: Bar, kind: "Packaged", *, is_random: bool) -> Iterator[Path]:
    """The checkpoint that was named or is packaged, or a random one that goes when all is done."""
    if is_random and checkpoint != PACKAGED:
        raise ConfigError("give either --checkpoint or --random-bert-base", field="--checkpoint")
    if not is_random:
        yield options.folder(checkpoint, kind)
        return
    from menpai.bench.random_bert import write

    with TemporaryDirectory() as aside:
        bar.update(None, "converting a random BERT-base")
        write(Path(aside))
        yield Path(aside)


def _neighbours(source: Path | None, column: str | None, n: int) -> list[tuple[str, str]]:
    """Pairs of texts that follow each other."""
    texts = _texts(source, column, 2 * n)
    return list(zip(texts[0::2], texts[1::2], strict=False))


def _texts(source: Path | None, column: str | None, n: int) -> list[str]:
    """Distinct texts of a table, or made-up ones."""
    if (source is None) != (column is None):
        raise ConfigError("--in and --column go together", field="--in")
    if source is None:
        from menpai.bench.addresses import addresses

        return addresses(n)
    from menpai.jobs.work import texts_of
    from menpai.tables.reading import good_rows
    from menpai.tables.rows import require_columns

    columns = options.columns(column, "--column")
    table = open_quietly(source)
    require_columns(table, columns, source.name)
    return list(islice(_distinct(texts_of(good_rows(table), columns)), n))


def _distinct(texts: Iterator[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


def _print(figures: Mapping[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(figures)
        return
    rows = []
    for key, value in figures.items():
        nested = value.items() if isinstance(value, Mapping) else [("", value)]
        rows += [(f"{key}.{name}" if name else key, _cell(inner)) for name, inner in nested]
    print_table(("figure", "value"), rows)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
