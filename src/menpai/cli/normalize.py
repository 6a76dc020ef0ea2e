"""`menpai normalize`: addresses in one written form."""

from collections.abc import Mapping
from typing import Annotated

import typer

from menpai.cli import options
from menpai.cli.output import print_json, print_line
from menpai.cli.tables import TableOptions, Task, check_given, run_table


def normalize(  # noqa: PLR0913 -- one for each option
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT...", show_default=False)
    ] = None,
    *,
    source: options.Source = None,
    column: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help=options.COLUMNS_HELP)
    ] = None,
    out: options.Out = None,
    stream: options.Stream = None,
    prefix: options.Prefix = None,
    limit: options.Limit = None,
    no_resume: options.NoResume = False,
    excel: options.Excel = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Write addresses in one form, character by character.

    Give the addresses, or a table: `menpai normalize --in a.csv --column address --out b.csv`. The
    table's columns are kept and `normalized` is added.
    """
    check_given(
        source,
        texts or [],
        "one address or more",
        {
            "--column": column,
            "--out": out,
            "--format": stream,
            "--prefix": prefix,
            "--limit": limit,
        },
    )
    from menpai.text.normalize import NORMALIZER_VERSION, normalize_batch

    if source is None:
        for result in normalize_batch(texts or []):
            if json:
                print_json({"text": result.original, "normalized": result.text})
            else:
                print_line(result.text)
        return
    from menpai.jobs.work import over_texts

    def work(batch: list[str]) -> list[Mapping[str, object]]:
        return [{"normalized": result.text} for result in normalize_batch(batch)]

    reads = options.columns(column, "--column")
    task = Task(
        name="normalize",
        prepare=lambda: over_texts(reads, work),
        results={"normalized": "text"},
        reads=reads,
        parameters={"normalizer_version": NORMALIZER_VERSION},
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
