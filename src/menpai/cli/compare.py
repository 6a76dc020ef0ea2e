"""`menpai compare`: whether two addresses are one place, and why."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from menpai.cli import options
from menpai.cli.output import print_json, print_line, print_table
from menpai.cli.tables import TableOptions, Task, check_given, run_table
from menpai.cli.timings import tell_timings
from menpai.errors import ConfigError
from menpai.model.packaged import PACKAGED

if TYPE_CHECKING:
    from menpai.matching.matcher import Matcher
    from menpai.matching.results import Comparison

SIDES = ("left", "right")


def compare(  # noqa: PLR0913 -- one for each option
    left_text: Annotated[str | None, typer.Argument(metavar="LEFT", show_default=False)] = None,
    right_text: Annotated[str | None, typer.Argument(metavar="RIGHT", show_default=False)] = None,
    *,
    source: options.Source = None,
    left: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help=options.COLUMNS_HELP)
    ] = None,
    right: Annotated[
        str | None, typer.Option(metavar="COL", show_default=False, help="The same, to the right.")
    ] = None,
    out: options.Out = None,
    stream: options.Stream = None,
    prefix: options.Prefix = None,
    policy: options.Policy = "place",
    match_at: options.MatchAt = "exact",
    default_region: options.DefaultRegion = None,
    as_of: options.AsOf = None,
    checkpoint: options.Checkpoint = PACKAGED,
    runtime: options.Runtime = "auto",
    precision: options.Precision = "auto",
    threads: options.Threads = None,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Only the checkpoint's own probabilities, of the texts as they are."
        ),
    ] = False,
    timings: options.ShowTimings = False,
    limit: options.Limit = None,
    no_resume: options.NoResume = False,
    excel: options.Excel = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    progress: options.ShowProgress = False,
) -> None:
    """Tell whether two addresses are one place, and why.

    Give two addresses, or a table of pairs:
    `menpai compare --in a.csv --left old --right new --out b.csv`. The table's columns are kept and
    label, match, score, similarity, probabilities, level, reasons, flags, left, right (the parsed
    addresses) and decision_version are added. If a compared column is itself called left or right,
    it stays and the parsed addresses are called left_address and right_address. Any other column
    with the name of a result is refused; --prefix avoids that.
    """
    texts = [text for text in (left_text, right_text) if text is not None]
    check_given(
        source,
        texts,
        "two addresses",
        {
            "--left": left,
            "--right": right,
            "--out": out,
            "--format": stream,
            "--prefix": prefix,
            "--limit": limit,
        },
    )
    from menpai.events import Timings
    from menpai.matching.matcher import load

    taken = Timings()
    matcher = load(
        policy=policy,
        match_at=options.threshold(match_at),
        default_region=default_region,
        as_of=as_of,
        checkpoint=options.checkpoint(checkpoint),
        runtime=runtime,
        precision=precision,
        n_threads=threads,
        observers=[taken] if timings else [],
    )
    if raw:
        _print_raw(_own(matcher, left_text, right_text), as_json=json)
        return
    if left_text is not None and right_text is not None:
        _print(matcher.compare(left_text, right_text), as_json=json)
        if timings:
            tell_timings(taken)
        return
    if source is None:
        raise ConfigError("two addresses are compared, not one")
    from menpai.jobs.results import COMPARISON
    from menpai.jobs.work import over_pairs

    def work(lefts: list[str], rights: list[str]) -> list[Mapping[str, object]]:
        return [result.to_dict() for result in matcher.compare_batch(lefts, rights)]

    lefts, rights = options.columns(left, "--left"), options.columns(right, "--right")
    task = Task(
        name="compare",
        prepare=lambda: over_pairs(lefts, rights, work),
        results=COMPARISON,
        reads=[*lefts, *rights],
        names={} if prefix else address_names([*lefts, *rights]),
        parameters={
            "left": lefts,
            "policy": policy,
            "match_at": match_at,
            "default_region": default_region,
            "as_of": as_of,
            "checkpoint": _identity(matcher),
        },
        after=(lambda: tell_timings(taken)) if timings else None,
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


def address_names(compared: Sequence[str]) -> dict[str, str]:
    """Names of the parsed addresses where a compared column is called left or right."""
    clash = any(column in SIDES for column in compared)
    return {side: f"{side}_address" for side in SIDES} if clash else {}


def _identity(matcher: "Matcher") -> list[object] | None:
    """All of the checkpoint that changes an answer: a job of another one is not gone on with."""
    if matcher.engine is not None:
        return [matcher.engine.fingerprint, dict(matcher.engine.calibration)]
    return None if matcher.packaged is None else list(matcher.packaged.fingerprints)


def _own(matcher: "Matcher", left: str | None, right: str | None) -> dict[str, float]:
    """The probabilities of the checkpoint alone, in the order and form that the texts came in."""
    if left is None or right is None:
        raise ConfigError("--raw goes with two addresses, not with a table", field="--raw")
    engine = matcher.engine_for("pairs")
    found = engine.classify([(left, right)], raw=True)
    if found.errors:
        raise found.errors[0]
    return dict(zip(engine.labels, map(float, found.probabilities[0]), strict=True))


def _print_raw(probabilities: Mapping[str, float], *, as_json: bool) -> None:
    if as_json:
        print_json({"probabilities": probabilities})
    else:
        print_table(("label", "probability"), [(k, f"{p:.6f}") for k, p in probabilities.items()])


def _print(comparison: "Comparison", *, as_json: bool) -> None:
    if as_json:
        print_json(comparison.to_dict())
        return
    match = "match" if comparison.match else "no match"
    level = f", agree down to {comparison.level}" if comparison.level else ""
    print_line(f"{comparison.label}  {match}, score {comparison.score:.3f}{level}")
    if comparison.similarity is not None:
        print_line(f"similarity {comparison.similarity:.4f}")
    if comparison.flags:
        print_line(f"flags: {' '.join(comparison.flags)}")
    print_table(
        ("element", "left", "right", "relation", "weight"),
        [
            (item.element, item.left or "", item.right or "", item.relation, f"{item.weight:+.2f}")
            for item in comparison.reasons
        ],
    )
