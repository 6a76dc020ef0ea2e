"""`menpai embed`: a vector for each address of a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from menpai.cli import options
from menpai.cli.tables import TableOptions, Task, run_table
from menpai.cli.timings import tell_timings
from menpai.model.packaged import PACKAGED

if TYPE_CHECKING:
    from menpai.engine.engine import Engine
    from menpai.jobs.work import Result

ARRAY = ".npy"


def embed(  # noqa: PLR0913 -- one for each option
    *,
    source: Annotated[
        Path,
        typer.Option("--in", metavar="TABLE", show_default=False, help="Table of addresses."),
    ],
    column: Annotated[str, typer.Option(metavar="COL", help=options.COLUMNS_HELP)],
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Array (.npy) or table (.parquet, .jsonl) to write; - is stdout.",
        ),
    ],
    checkpoint: options.CheckpointFolder = PACKAGED,
    runtime: options.Runtime = "auto",
    precision: options.Precision = "auto",
    threads: options.Threads = None,
    timings: options.ShowTimings = False,
    prefix: options.Prefix = None,
    limit: options.Limit = None,
    no_resume: options.NoResume = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Write a vector of length 1 for each address of a table.

    In a .npy file row i is that of row i of the table; a row that failed is NaN there. In a table
    the columns are kept and `vector` and `truncated` are added. Names, phones and postcodes are
    taken out of an address before a model reads it.
    """
    from menpai.engine.engine import load
    from menpai.errors import ConfigError
    from menpai.events import Timings
    from menpai.jobs.work import over_texts
    from menpai.tables.arrays import ArrayParts
    from menpai.tables.schema import Many

    taken = Timings()
    engine = load(
        options.folder(checkpoint, "vectors"),
        runtime=runtime,
        precision=precision,
        n_threads=threads,
        observers=[taken] if timings else [],
    )
    if engine.kind != "vectors":
        raise ConfigError(f"the checkpoint gives {engine.kind}, not vectors", field="--checkpoint")
    is_array = out.endswith(ARRAY)
    reads = options.columns(column, "--column")
    task = Task(
        name="embed",
        prepare=lambda: over_texts(reads, lambda batch: _vectors(engine, batch)),
        results={"vector": Many("number"), "truncated": "boolean"},
        reads=reads,
        parameters={"fingerprint": engine.fingerprint},
        chunk_rows=2048,
        after=(lambda: tell_timings(taken)) if timings else None,
        parts=ArrayParts(f"{prefix or ''}vector", engine.dim) if is_array else None,
        failed={f"{prefix or ''}vector": None} if is_array else None,
    )
    run_table(
        task,
        TableOptions(
            source=source,
            out=out,
            prefix=prefix,
            limit=limit,
            resume=not no_resume,
            quiet=quiet,
            progress=progress,
            as_json=json,
        ),
    )


def _vectors(engine: "Engine", texts: list[str]) -> Sequence["Result"]:
    encoded = engine.encode(texts)
    return [
        encoded.errors[place]
        if place in encoded.errors
        else {
            "vector": encoded.vectors[place].tolist(),
            "truncated": bool(encoded.is_truncated[place]),
        }
        for place in range(len(texts))
    ]
