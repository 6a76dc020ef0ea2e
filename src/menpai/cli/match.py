"""`menpai match`: the records of a library that addresses mean."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from menpai.cli import options
from menpai.cli.progress import waiting
from menpai.cli.tables import TableOptions, Task, open_quietly, run_table
from menpai.errors import ConfigError, InputError, TableError

if TYPE_CHECKING:
    from menpai.jobs.work import Result, Work
    from menpai.matching.library import Library
    from menpai.matching.results import Match


def match(  # noqa: PLR0913 -- one for each option
    *,
    source: options.Source = None,
    column: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help=options.COLUMNS_HELP)
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", show_default=False, help="Table of standard addresses."),
    ] = None,
    library_column: Annotated[
        str | None,
        typer.Option(metavar="COL", show_default=False, help="Column of its addresses, as above."),
    ] = None,
    library_id: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Column of its record ids, all different  [default: row number, from 1]",
        ),
    ] = None,
    out: options.Out = None,
    stream: options.Stream = None,
    prefix: options.Prefix = None,
    top_k: Annotated[
        int, typer.Option(min=1, metavar="K", help="Most records given for an address.")
    ] = 5,
    policy: options.Policy = "place",
    match_at: options.MatchAt = "exact",
    default_region: options.DefaultRegion = None,
    as_of: options.AsOf = None,
    limit: options.Limit = None,
    no_resume: options.NoResume = False,
    excel: options.Excel = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Find the records of a library that addresses mean, best first.

    The table's columns are kept and query, status (matched, review, unmatched), matches and error
    are added. In CSV, TSV and XLSX each of the best records has columns: matches.1.record_id,
    matches.1.text, matches.1.score, ... If the only column that is read is itself called query, it
    stands for that result. Any other column with the name of a result is refused; --prefix avoids
    that.
    """
    from menpai.jobs.results import match_types
    from menpai.jobs.work import over_texts
    from menpai.matching.matcher import load

    if source is None or library is None:
        raise ConfigError("match needs a table (--in) and a library (--library)")
    reads = options.columns(column, "--column")
    matcher = load(
        policy=policy,
        match_at=options.threshold(match_at),
        default_region=default_region,
        as_of=as_of,
    )
    texts = options.columns(library_column, "--library-column")
    results = match_types(top_k)
    if reads == ["query"] and not prefix:
        results.pop("query")

    def prepare() -> "Work":
        with waiting("reading the library", quiet=quiet):
            records = _read_library(library, texts, library_id, default_region)

        def work(batch: list[str]) -> list["Result"]:
            found = matcher.match(batch, records, top_k=top_k)
            return [_result(item, results) for item in found]

        return over_texts(reads, work)

    task = Task(
        name="match",
        prepare=prepare,
        results=results,
        reads=reads,
        parameters={
            "library_column": texts,
            "library_id": library_id,
            "top_k": top_k,
            "policy": policy,
            "match_at": match_at,
            "default_region": default_region,
            "as_of": as_of,
        },
        others={"the library": library},
        chunk_rows=100,
    )
    run_table(
        task,
        TableOptions(
            source=source,
            out=out,
            stream=stream,
            prefix=prefix,
            limit=limit,
            resume=not no_resume,
            excel=excel,
            quiet=quiet,
            progress=progress,
            as_json=json,
        ),
    )


def _read_library(
    path: Path, columns: Sequence[str], id_column: str | None, default_region: str | None
) -> "Library":
    """Read all records of a library.

    Raises:
        TableError: If a record has no address: a library is a reference and should be whole.
    """
    from menpai.jobs.work import row_text
    from menpai.matching.library import Library
    from menpai.tables.rows import require_columns

    table = open_quietly(path)
    require_columns(table, [*columns, *([id_column] if id_column else [])], path.name)
    texts, ids = [], []
    for chunk in table.chunks(1000):
        for bad in chunk.bad:
            raise TableError(f"{path.name}, row {bad.number}: {bad.error}", row=bad.number)
        for row, number in zip(chunk.rows, chunk.numbers, strict=True):
            try:
                texts.append(row_text(row, columns))
            except InputError as error:
                message = f"{path.name}, row {number}: {error}"
                raise TableError(message, field=error.field, row=number) from error
            ids.append(str(row[id_column]) if id_column else str(number))
    return Library.build(texts, ids, default_region=default_region)


def _result(found: "Match", keys: Iterable[str]) -> "Result":
    if found.error is not None:
        return InputError(str(found.error["message"]))
    result = found.to_dict()
    return {key: result[key] for key in keys}
