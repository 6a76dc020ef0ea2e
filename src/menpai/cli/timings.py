"""Where the time went, as a table."""

from typing import TYPE_CHECKING

from menpai.cli.output import table_lines

if TYPE_CHECKING:
    from menpai.events import Timings

HEAD = ("stage", "seconds", "share", "items", "µs/item")


def timing_rows(timings: "Timings") -> list[tuple[str, ...]]:
    """A row for each stage that ran, in the order of the stages."""
    from menpai.events import STAGES

    total = sum(timings.seconds.values()) or 1.0
    rows: list[tuple[str, ...]] = []
    for stage in STAGES:
        if stage not in timings.seconds:
            continue
        seconds, n_items = timings.seconds[stage], timings.n_items[stage]
        each = f"{seconds / n_items * 1e6:.1f}" if n_items else ""
        rows.append((stage, f"{seconds:.4f}", f"{seconds / total:.1%}", f"{n_items:,}", each))
    return rows


def tell_timings(timings: "Timings") -> None:
    """Write the table to stderr, away from results."""
    import typer

    for line in table_lines(HEAD, timing_rows(timings)):
        typer.echo(line, err=True)
    if timings.n_tokens:
        typer.echo(
            f"{timings.n_tokens:,} tokens through the model, {timings.padding_waste:.1%} padding",
            err=True,
        )
