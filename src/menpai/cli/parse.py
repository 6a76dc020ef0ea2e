"""`menpai parse`: addresses into their elements."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from menpai.cli import options
from menpai.cli.output import print_json, print_line, print_table
from menpai.cli.tables import TableOptions, Task, check_given, run_table

if TYPE_CHECKING:
    from menpai.address.elements import Address


def parse(  # noqa: PLR0913 -- one for each option
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
    default_region: options.DefaultRegion = None,
    as_of: options.AsOf = None,
    limit: options.Limit = None,
    no_resume: options.NoResume = False,
    excel: options.Excel = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Split addresses into elements, from province to room.

    Give the addresses, or a table: `menpai parse --in a.csv --column address --out b.csv`. The
    table's columns are kept and `address` is added: nested in JSON Lines and Parquet, as columns
    address.province, address.city, ... in CSV, TSV and XLSX.
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
    from menpai.address.parse import parse_batch

    parse_batch([""], default_region=default_region, as_of=as_of)  # refuses a wrong region at once

    def addresses(batch: list[str]) -> list["Address"]:
        return parse_batch(batch, default_region=default_region, as_of=as_of)

    if source is None:
        _print(addresses(texts or []), as_json=json)
        return
    from menpai.jobs.results import ADDRESS
    from menpai.jobs.work import over_texts

    def work(batch: list[str]) -> list[Mapping[str, object]]:
        return [{"address": address.to_dict()} for address in addresses(batch)]

    reads = options.columns(column, "--column")
    task = Task(
        name="parse",
        prepare=lambda: over_texts(reads, work),
        results={"address": ADDRESS},
        reads=reads,
        parameters={"default_region": default_region, "as_of": as_of},
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


def _print(addresses: list["Address"], *, as_json: bool) -> None:
    for number, address in enumerate(addresses):
        if as_json:
            print_json(address.to_dict())
            continue
        if number:
            print_line("")
        print_line(address.text)
        print_table(("element", "value", "written"), element_rows(address))


def element_rows(address: "Address") -> list[tuple[str, str, str]]:
    """Elements that an address has, each with what was written for it."""
    from menpai.address.elements import ELEMENTS

    rows = []
    for element in (*ELEMENTS, "rest", "code"):
        value = getattr(address, element)
        if value is not None:
            start, end = address.spans.get(element, (0, 0))
            rows.append((element, str(value), address.text[start:end]))
    if address.candidates:
        rows.append(("candidates", " ".join(address.candidates), ""))
    if address.flags:
        rows.append(("flags", " ".join(address.flags), ""))
    return rows
