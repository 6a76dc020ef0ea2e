"""Running a command's work over a table: names of results, target, progress, summary, exit code."""

import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from menpai.cli.exits import SOME_ROWS_FAILED
from menpai.cli.output import print_json
from menpai.cli.progress import Bar
from menpai.errors import ConfigError, MenpaiError

if TYPE_CHECKING:
    from menpai.jobs.run import Job, Summary
    from menpai.jobs.work import Result, Work
    from menpai.tables.layout import Layout
    from menpai.tables.parts import Parts
    from menpai.tables.rows import Row, Table
    from menpai.tables.schema import Type

    Run = Callable[[Job], Summary]

STDOUT = "-"


@dataclass(frozen=True)
class TableOptions:
    """How a table is read and written, as the command line says it."""

    source: Path
    out: str | None
    stream: str | None = None
    prefix: str | None = None
    limit: int | None = None
    resume: bool = True
    excel: bool = False
    quiet: bool = False
    progress: bool = False
    as_json: bool = False


@dataclass(frozen=True)
class Task:
    """What a command does with each row.

    Attributes:
        name: The command.
        prepare: Makes the work, which gives results by their own names. Called when nothing else
            can be wrong any more, as it may take long.
        results: Types of the results.
        reads: Columns of the table that it needs.
        parameters: All that the results depend on beside the rows.
        names: Names that results get in the table where they differ from their own.
        others: Further files that are read, by what messages call them.
        chunk_rows: Rows done between two entries of the checkpoint, a matter of seconds.
        after: Called at the end, when all is told.
        parts: How the output is written where it is no table; by its ending if None.
        failed: What is written for rows that failed, where each row needs its place.
    """

    name: str
    prepare: Callable[[], "Work"]
    results: Mapping[str, "Type"]
    reads: Sequence[str]
    parameters: Mapping[str, object]
    names: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, Path] = field(default_factory=dict)
    chunk_rows: int = 1000
    after: Callable[[], None] | None = None
    parts: "Parts | None" = None
    failed: Mapping[str, object] | None = None


def check_given(
    source: Path | None, texts: Sequence[str], usage: str, table_options: Mapping[str, object]
) -> None:
    """Refuse a command that was given both a table and texts, or neither.

    Args:
        source: The table, if one was given.
        texts: Texts that were given.
        usage: What the command takes beside a table.
        table_options: Values of the options that say something about a table: with texts they
            would be ignored, and no file written.

    Raises:
        ConfigError: If it was.
    """
    if (source is None) == (not texts):
        raise ConfigError(f"give either {usage} or a table (--in)")
    for option, value in table_options.items():
        if source is None and value is not None:
            raise ConfigError(f"{option} goes with a table (--in)", field=option)


def open_quietly(path: Path) -> "Table":
    """Open a table without what the reader of XLSX logs about every empty column."""
    import logging

    from menpai.tables.reading import open_table

    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    return open_table(path)


def run_table(task: Task, options: TableOptions) -> None:
    """Do a command's work over a table, tell what was done, and end with the exit code."""
    from menpai.jobs.run import Job
    from menpai.tables.layout import Layout
    from menpai.tables.rows import require_columns

    _check_options(options)
    table = open_quietly(options.source)
    require_columns(table, task.reads, options.source.name)
    prefix = options.prefix or ""
    names = {key: f"{prefix}{task.names.get(key, key)}" for key in task.results}
    layout = Layout(table, {names[key]: kind for key, kind in task.results.items()})
    run = (_to_stdout if options.out == STDOUT else _to_file)(task, options, layout)
    note = None if options.quiet else _note
    with closing(Bar(quiet=options.quiet, forced=options.progress)) as bar:
        work = _renaming(task.prepare(), names)
        # The division table and the library live as long as the run, and rows leave no cycles: a
        # quarter of the time went into looking through them for garbage again and again.
        gc.freeze()
        gc.set_threshold(50_000)
        job = Job(
            table,
            work,
            options.limit,
            task.chunk_rows,
            failed=task.failed,
            progress=bar.show,
            note=note,
        )
        summary = run(job)
    _tell(summary, options)
    if task.after is not None:
        task.after()
    if summary.n_failed:
        raise typer.Exit(SOME_ROWS_FAILED)


def _check_options(options: TableOptions) -> None:
    if options.out is None:
        raise ConfigError("--out must say where the results go; - is stdout", field="--out")
    if options.stream is not None and options.out != STDOUT:
        raise ConfigError("--format goes with --out -; a file has its ending", field="--format")


def _to_stdout(task: Task, options: TableOptions, layout: "Layout") -> "Run":
    """Check that results can go to stdout, and say how."""
    from menpai.jobs.run import run_to_stream
    from menpai.tables.kinds import TEXT_KINDS
    from menpai.tables.parts import text_encoder

    kind = options.stream or "jsonl"
    if kind not in TEXT_KINDS:
        raise ConfigError(
            f"{task.name} cannot write {kind!r} to stdout; {', '.join(TEXT_KINDS)} can be",
            field="--format",
        )
    layout.check(kind)
    encoder = text_encoder(kind, layout, byte_order_mark=options.excel)
    return lambda job: run_to_stream(job, encoder, sys.stdout.buffer, sys.stderr.buffer)


def _to_file(task: Task, options: TableOptions, layout: "Layout") -> "Run":
    """Check that results can go to a file, and say how."""
    from importlib.metadata import version  # takes 15 ms to load

    from menpai.jobs.checkpoint import fingerprint
    from menpai.jobs.run import errors_path, run_to_file
    from menpai.tables.aside import check_target
    from menpai.tables.kinds import format_of
    from menpai.tables.parts import make_parts

    out = Path(str(options.out))
    parts = task.parts
    form: tuple[object, ...] = (out.suffix,)
    sources = {"the table to read": options.source, **task.others}
    for target in (out, errors_path(out)):
        check_target(target, sources)
    if parts is None:
        form = table = format_of(out)
        layout.check(table.kind)
        parts = make_parts(table, layout, byte_order_mark=options.excel)
    identity = {
        "command": task.name,
        "version": version("menpai"),
        "files": [fingerprint(path) for path in sources.values()],
        "format": [*form, options.excel],
        "names": list(layout.results),
        "reads": list(task.reads),
        **task.parameters,
    }
    return lambda job: run_to_file(job, parts, out, identity, resume=options.resume)


def _renaming(work: "Work", names: Mapping[str, str]) -> "Work":
    """Give results the names that they have in the table."""
    if all(key == name for key, name in names.items()):
        return work

    def renamed(rows: Sequence["Row"]) -> Sequence["Result"]:
        return [
            result
            if isinstance(result, MenpaiError)
            else {names[key]: value for key, value in result.items() if key in names}
            for result in work(rows)
        ]

    return renamed


def _note(text: str) -> None:
    typer.echo(text, err=True)


def _tell(summary: "Summary", options: TableOptions) -> None:
    from menpai.jobs.run import errors_path

    out = str(options.out)
    errors = str(errors_path(Path(out))) if summary.n_failed and out != STDOUT else None
    if options.as_json and out != STDOUT:
        print_json({**summary._asdict(), "out": out, "errors": errors})
    elif not options.quiet:
        failed = f", {summary.n_failed:,} failed" if summary.n_failed else ""
        where = f", see {errors}" if errors else ""
        _note(f"{summary.n_rows:,} rows{failed} in {summary.elapsed_s:.1f} s{where}")
