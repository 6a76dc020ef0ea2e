"""What this process may use of the machine: its CPUs, which they are, and the memory it holds.

The kernel tells it in files below /proc and /sys/fs/cgroup; where there are none (macOS, Windows)
Python's own figures stand.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def n_cpus(*, proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """Count the CPUs that this process may use, for the sizes of thread pools.

    In a container these are often a few of many: those that the calling thread may run on, and no
    more than `cpu_quota`.
    """
    quota = cpu_quota(proc=proc, cgroups=cgroups)
    allowed = _n_allowed()
    return allowed if quota is None else min(allowed, quota)


def cpu_quota(*, proc: Path = PROC, cgroups: Path = CGROUPS) -> int | None:
    """Give the strictest CPU quota of this process's control groups, None without one.

    Args:
        proc: Where the kernel tells of processes.
        cgroups: Where control groups are mounted, version 2 or the `cpu` folder of version 1.

    Returns:
        At least 1: a part of a CPU counts as one.
    """
    quotas = [_quota(group) for group in _own_groups(proc, cgroups)]
    return min((quota for quota in quotas if quota is not None), default=None)


def processor(*, proc: Path = PROC) -> str:
    """Name the processor, as far as the system knows it."""
    return _field(proc / "cpuinfo", "model name") or platform.processor() or platform.machine()


def rss_bytes(*, proc: Path = PROC) -> int | None:
    """Give the memory that this process holds now; None where the system does not tell."""
    amount, _, unit = _field(proc / "self" / "status", "VmRSS").partition(" ")
    return int(amount) * 1024 if amount.isdecimal() and unit == "kB" else None


def _n_allowed() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _own_groups(proc: Path, cgroups: Path) -> Iterator[Path]:
    """List the groups that a CPU quota of this process may stand in, with all their parents.

    A parent may be stricter than its child. In a container the path may be the host's, of which
    nothing is mounted but the container's own group, as the root.
    """
    for line in _read(proc / "self" / "cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = cgroups / "cpu" if controllers else cgroups
        names = [name for name in path.split("/") if name not in {"", ".."}]
        for depth in range(len(names) + 1):
            yield root.joinpath(*names[:depth])


def _quota(group: Path) -> int | None:
    """Read how many CPUs a group may use, rounded up; None for no limit, `max` or -1."""
    words = _read(group / "cpu.max").split() or [
        *_read(group / "cpu.cfs_quota_us").split(),
        *_read(group / "cpu.cfs_period_us").split(),
    ]
    if len(words) != 2 or not all(word.isdecimal() and int(word) for word in words):
        return None
    quota_us, period_us = map(int, words)
    return -(-quota_us // period_us)


def _field(path: Path, name: str) -> str:
    """Read the first `name: value` of a file; empty where there is none."""
    for line in _read(path).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def has_nvidia(*, device: Path = Path("/dev/nvidiactl")) -> bool:
    """Say whether there is an NVIDIA card's driver, without loading a library to find out."""
    return device.exists() or which("nvidia-smi") is not None
