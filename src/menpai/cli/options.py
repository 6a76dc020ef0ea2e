"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from menpai.cli.exits import JSON_KEY
from menpai.errors import ConfigError
from menpai.model.packaged import PACKAGED, Packaged, folder as packaged_folder


def _remember_json(ctx: typer.Context, wanted: bool) -> bool:  # noqa: FBT001 -- as typer calls it
    ctx.meta[JSON_KEY] = wanted
    return wanted


Json = Annotated[
    bool,
    typer.Option(
        "--json",
        callback=_remember_json,
        help="Print results, summaries and errors as JSON.",
    ),
]
Policy = Annotated[
    str,
    typer.Option(metavar="place|ccks", help="Table of decisions that labels follow."),
]
MatchAt = Annotated[
    str,
    typer.Option(
        metavar="exact|partial|NUMBER", help="From which label, or score, on two addresses match."
    ),
]
DefaultRegion = Annotated[
    str | None,
    typer.Option(
        metavar="REGION", help="Where addresses lie that do not say it, such as 浙江省杭州市."
    ),
]
AsOf = Annotated[
    int | None,
    typer.Option(metavar="YEAR", help="Year in which the addresses were written."),
]
Source = Annotated[
    Path | None,
    typer.Option(
        "--in",
        metavar="TABLE",
        show_default=False,
        help="Table to read: .csv, .tsv, .jsonl (also .gz), .parquet or .xlsx.",
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        help="Table to write, its kind by its ending; - is stdout.",
    ),
]
Stream = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="jsonl|csv|tsv",
        show_default=False,
        help="Kind of table with --out -  [default: jsonl]",
    ),
]
Prefix = Annotated[
    str | None,
    typer.Option(
        show_default=False,
        help="Put before the name of each result, where the table has such a column already.",
    ),
]
Limit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Only the first N rows.", show_default=False)
]
NoResume = Annotated[
    bool,
    typer.Option("--no-resume", help="Start afresh even if an interrupted run can be continued."),
]
Excel = Annotated[
    bool, typer.Option("--excel", help="Begin CSV and TSV with a mark by which Excel knows UTF-8.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, notes or summary.")]
ShowProgress = Annotated[
    bool, typer.Option("--progress", help="A progress bar even where stderr is no terminal.")
]

TaggedTexts = Annotated[
    Path, typer.Option("--in", metavar="FILE", show_default=False, help="Tagged texts in CoNLL.")
]
Mapping = Annotated[
    str | None,
    typer.Option(
        metavar="ccks|naacl|menpai|FILE",
        show_default=False,
        help="Which elements the tags mean  [default: the first that has all tags]",
    ),
]
Checkpoint = Annotated[
    str,
    typer.Option(
        metavar="packaged|none|DIR",
        help="Model: the package's own, none, or a folder that `menpai model convert` made.",
    ),
]
CheckpointFolder = Annotated[
    str,
    typer.Option(
        metavar="packaged|DIR",
        help="Model: the package's own, or a folder that `menpai model convert` made.",
    ),
]
Runtime = Annotated[
    str, typer.Option(metavar="auto|openvino|onnxruntime|torch", help="What runs the checkpoint.")
]
Precision = Annotated[
    str,
    typer.Option(metavar="auto|fp32|bf16|fp16|int8", help="Numbers that the checkpoint runs in."),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", show_default=False, help="Processors to use  [default: all allowed]"
    ),
]
ShowTimings = Annotated[
    bool, typer.Option("--timings", help="Tell on stderr what each stage took.")
]

COLUMNS_HELP = "Column of the addresses; several, separated by commas, are joined by a blank."


def columns(given: str | None, option: str) -> list[str]:
    """Split the value of an option that names columns.

    Raises:
        ConfigError: If it names none.
    """
    parts = (given or "").split(",")
    names = [name for part in parts if (name := part.strip())]
    if not names:
        raise ConfigError(f"{option} must name a column of the table", field=option)
    return names if len(parts) > 1 else parts  # a column may really be called "address "


def checkpoint(given: str) -> str | Path | None:
    """Read the value of --checkpoint; a folder that is called none is written ./none."""
    if given == "none":
        return None
    return given if given == PACKAGED else Path(given)


def folder(given: str, kind: Packaged) -> Path:
    """Read the value of --checkpoint where one is needed: that of the package is of a kind."""
    return packaged_folder(kind) if given == PACKAGED else Path(given)


def threshold(given: str) -> str | float:
    """Read the value of --match-at: a number if it is one."""
    try:
        return float(given)
    except ValueError:
        return given
