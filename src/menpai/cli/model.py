"""`menpai model`: checkpoints, looked into, converted and checked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from menpai.cli import options
from menpai.cli.output import print_json, print_line, print_table
from menpai.cli.tables import open_quietly
from menpai.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from menpai.model.verify import Verification

model = typer.Typer(
    help="Look into, convert and check checkpoints.", no_args_is_help=True, rich_markup_mode=None
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)]
Pooling = Annotated[
    str | None,
    typer.Option(
        metavar="cls|mean|max",
        show_default=False,
        help="How a vector is made  [default: as the folder says; cls for MGeo, else mean]",
    ),
]
TextPrefix = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        show_default=False,
        help="Written before each text  [default: as the folder says]",
    ),
]
MaxLength = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default=False,
        help="Tokens read of a text or pair  [default: as the folder says, at most 128]",
    ),
]


@model.command()
def info(folder: Folder, *, json: options.Json = False) -> None:
    """Tell what a checkpoint folder holds: one of a hub, or a converted one."""
    _print(_described(folder), as_json=json)


@model.command()
def convert(  # noqa: PLR0913 -- one for each option
    folder: Folder,
    *,
    out: Annotated[
        Path, typer.Option(metavar="DIR", show_default=False, help="Folder to make or replace.")
    ],
    pooling: Pooling = None,
    prefix: TextPrefix = None,
    max_length: MaxLength = None,
    no_int8: Annotated[bool, typer.Option("--no-int8", help="Make no graph in int8.")] = False,
    calibrate: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            show_default=False,
            help="Table whose first 256 addresses set the ranges of int8  [default: made-up ones]",
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help=options.COLUMNS_HELP)
    ] = None,
    json: options.Json = False,
) -> None:
    """Convert a checkpoint folder of ModelScope or a hub into one that menpai runs.

    Reading pytorch_model.bin and writing graphs needs the extra `torch`; running what was made does
    not.
    """
    from menpai.model.convert import convert as convert_folder

    if (calibrate is None) != (column is None):
        raise ConfigError("--calibrate and --column go together", field="--calibrate")
    texts = None if calibrate is None else _texts(calibrate, options.columns(column, "--column"))
    convert_folder(
        folder,
        out,
        pooling=pooling,
        prefix=prefix,
        max_length=max_length,
        int8=not no_int8,
        calibration=texts,
    )
    _print({"out": str(out), **_described(out)}, as_json=json)


@model.command()
def verify(
    folder: Folder,
    *,
    runtime: options.Runtime = "auto",
    precision: options.Precision = "auto",
    json: options.Json = False,
) -> None:
    """Check that a checkpoint answers as it should, in every runtime and precision here.

    A converted folder is held against the answers that it keeps; one of a hub is converted aside
    first. The published MGeo checkpoints are held against their model cards too. Exit code 1 if the
    one that would be used, or any in fp32, is too far off.
    """
    found = _verified(folder, runtime, precision)
    if json:
        print_json({"folder": str(folder), **found.to_dict()})
    else:
        _tell(found)
    if not found.passed:
        raise typer.Exit(1)


def _described(folder: Path) -> dict[str, Any]:
    from menpai.model.manifest import FILE, Manifest

    if (folder / FILE).is_file():
        return {"converted": True, **Manifest.read(folder).to_dict()}
    from menpai.model.checkpoint import read

    return {"converted": False, **read(folder).describe()}


def _texts(table: Path, columns: list[str]) -> list[str]:
    from itertools import islice

    from menpai.jobs.work import texts_of
    from menpai.tables.reading import good_rows
    from menpai.tables.rows import require_columns

    opened = open_quietly(table)
    require_columns(opened, columns, table.name)
    texts = list(islice(texts_of(good_rows(opened), columns), 256))
    if not texts:
        raise ConfigError(f"{table.name} has no addresses to calibrate with", field="--calibrate")
    return texts


def _verified(folder: Path, runtime: str, precision: str) -> "Verification":
    from tempfile import TemporaryDirectory

    from menpai.model import verify as verifying
    from menpai.model.convert import convert as convert_folder
    from menpai.model.manifest import FILE

    if (folder / FILE).is_file():
        return verifying.verify(folder, runtime=runtime, precision=precision)
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} is no checkpoint: it has neither {FILE} nor config.json")
    with TemporaryDirectory() as aside:
        made = Path(aside) / "converted"
        convert_folder(folder, made)
        return verifying.verify(made, runtime=runtime, precision=precision)


def _print(values: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(values)
        return
    rows = []
    for key, value in values.items():
        nested = value.items() if isinstance(value, dict) else [("", value)]
        rows += [(f"{key}.{name}" if name else key, _cell(inner)) for name, inner in nested]
    print_table(("key", "value"), rows)


def _cell(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return "" if value is None else str(value)


def _tell(found: "Verification") -> None:
    rows = []
    for run in found.runs:
        deviation = run.deviation
        if deviation is None:
            rows.append((run.runtime, run.precision, "", "not here", run.reason or ""))
            continue
        difference = f"{deviation.max_abs_difference:.2e}"
        passed = "passed" if deviation.passed else "FAILED"
        rows.append((run.runtime, run.precision, difference, passed, run.reason or ""))
    print_table(("runtime", "precision", "difference", "", "reason"), rows)
    print_line(f"used here: {found.chosen.runtime} {found.chosen.precision}")
    for note in found.notes:
        print_line(note)
    if found.published is not None:
        worst = max(abs(d) for row in found.published for d in row.values())
        print_line(f"greatest difference from the published model card: {worst:.4f}")
