"""What every benchmark reports beside its figures: the machine, and where the figures go."""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

PACKAGES = ("menpai", "numpy", "opencc", "polars", "pypinyin", "rapidfuzz")

Row = Mapping[str, object]


def arguments(question: str, *, needs_data: bool = True) -> argparse.ArgumentParser:
    """Build a parser with the arguments that all benchmarks share."""
    parser = argparse.ArgumentParser(description=question)
    if needs_data:
        folder = os.environ.get("MENPAI_DATA")
        parser.add_argument(
            "--data",
            type=Path,
            default=folder,
            required=folder is None,
            help="folder of the shared data sets; MENPAI_DATA if that is set",
        )
    parser.add_argument("--out", type=Path, help="JSON file to write the figures to")
    return parser


def emit(question: str, rows: Sequence[Row], out: Path | None, **more: object) -> None:
    """Print the figures as a table and write them, with the environment and more, as JSON."""
    show(question, rows)
    if out is not None:
        report = {"question": question, "environment": environment(), "rows": list(rows)} | more
        out.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def show(title: str, rows: Sequence[Row]) -> None:
    """Print a table; a column that holds mappings is left to the JSON."""
    table = Table(title=title)
    columns = dict.fromkeys(column for row in rows for column in row)
    plain = [c for c in columns if not any(isinstance(row.get(c), Mapping) for row in rows)]
    for column in plain:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in plain))
    console = Console()
    console.width = max(console.width, 140)  # a log file has no width of its own
    console.print(table)


def environment() -> dict[str, object]:
    """Commit, machine, threads and versions."""
    return {
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain")),
        "machine": _processor(),
        "system": platform.platform(),
        "n_threads": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "python": platform.python_version(),
        "versions": {package: _version(package) for package in PACKAGES},
    }


def spread(seconds: Sequence[float], unit: float = 1.0) -> dict[str, float]:
    """Minimum, median and 99th percentile of durations, multiplied by `unit`."""
    ordered = sorted(seconds)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    named = {"min": ordered[0], "median": median(ordered), "p99": p99}
    return {name: round(value * unit, 4) for name, value in named.items()}


def peak_rss_bytes(status: str = "/proc/self/status") -> int | None:
    """Peak resident memory of this process so far; None where the system does not tell."""
    try:
        lines = Path(status).read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), None)


def menpai_command() -> str:
    """Path of the command line program that belongs to this interpreter."""
    return str(Path(sys.executable).with_name("menpai"))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str("" if value is None else value)


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() if done.returncode == 0 else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
