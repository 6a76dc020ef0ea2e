"""The CPUs that a process may use, their name, and the memory it holds."""

import os
import sys
from pathlib import Path

import pytest

from menpai.machine import cpu_quota, n_cpus, processor, rss_bytes


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Path]:
    """A machine without quotas; places for its files."""
    return {"proc": tmp_path / "proc", "cgroups": tmp_path / "cgroups"}


def in_group(machine: dict[str, Path], *lines: str) -> None:
    """Say which groups the process is in."""
    write(machine["proc"] / "self" / "cgroup", "\n".join(lines) + "\n")


def test_without_groups_there_is_no_quota(machine: dict[str, Path]) -> None:
    """As on a system that has none."""
    assert cpu_quota(**machine) is None
    assert n_cpus(**machine) >= 1


def test_quota_limits_the_cpus(machine: dict[str, Path]) -> None:
    """To the lesser of both."""
    n_allowed = n_cpus(**machine)
    in_group(machine, "0::/one")
    write(machine["cgroups"] / "one" / "cpu.max", "100000 100000")
    assert n_cpus(**machine) == 1
    write(machine["cgroups"] / "one" / "cpu.max", f"{n_allowed + 1}00000 100000")
    assert n_cpus(**machine) == n_allowed


def test_without_affinity_all_cpus_count(
    machine: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS and Windows, which have no such function."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert n_cpus(**machine) == os.cpu_count()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a thread to CPUs")
def test_a_thread_tied_to_one_cpu_has_one() -> None:
    """The real machine, as `taskset` leaves it (serving row 23)."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert n_cpus() == 1
    finally:
        os.sched_setaffinity(0, allowed)
    assert 1 <= n_cpus() <= len(allowed)


@pytest.mark.parametrize(
    ("quota", "expected"),
    [
        ("400000 100000", 4),
        ("150000 100000", 2),
        ("1000 100000", 1),
        ("9900000 100000", 99),
        ("max 100000", None),
        ("0 100000", None),
        ("400000 0", None),
        ("400000", None),
        ("", None),
    ],
)
def test_quota_of_version_2(machine: dict[str, Path], quota: str, expected: int | None) -> None:
    """Rounded up; what is no quota limits nothing (serving row 23)."""
    in_group(machine, "0::/app.slice")
    write(machine["cgroups"] / "app.slice" / "cpu.max", quota + "\n")
    assert cpu_quota(**machine) == expected


@pytest.mark.parametrize(
    ("quota", "expected"), [("300000", 6), ("-1", None), ("60000", 2), ("25000", 1)]
)
@pytest.mark.parametrize("controllers", ["cpu", "cpu,cpuacct", "cpuacct,cpu"])
def test_quota_of_version_1(
    machine: dict[str, Path], controllers: str, quota: str, expected: int | None
) -> None:
    """The folder is called cpu, whatever the controller is mounted with."""
    in_group(machine, "5:memory:/mem", f"1:{controllers}:/docker/ab", "0::/")
    group = machine["cgroups"] / "cpu" / "docker" / "ab"
    write(group / "cpu.cfs_quota_us", quota + "\n")
    write(group / "cpu.cfs_period_us", "50000\n")
    assert cpu_quota(**machine) == expected


def test_group_of_another_controller_does_not_count(machine: dict[str, Path]) -> None:
    """A process may be in another group for each controller."""
    in_group(machine, "3:cpuset:/a", "2:cpu:/b")
    for name, quota in (("a", "100000"), ("b", "300000")):
        write(machine["cgroups"] / "cpu" / name / "cpu.cfs_quota_us", quota)
        write(machine["cgroups"] / "cpu" / name / "cpu.cfs_period_us", "100000")
    assert cpu_quota(**machine) == 3


@pytest.mark.parametrize("strictest", [".", "pod", "pod/container"])
def test_strictest_group_counts(machine: dict[str, Path], strictest: str) -> None:
    """A parent may be stricter than the group itself."""
    in_group(machine, "0::/pod/container")
    for group in (".", "pod", "pod/container"):
        write(machine["cgroups"] / group / "cpu.max", "800000 100000")
    write(machine["cgroups"] / strictest / "cpu.max", "200000 100000")
    write(machine["cgroups"] / "neighbour" / "cpu.max", "100000 100000")
    assert cpu_quota(**machine) == 2


@pytest.mark.parametrize("path", ["/kubepods/of/the/host", "/../other", "/with:colon", "/"])
def test_root_counts_where_the_group_is_not_mounted(machine: dict[str, Path], path: str) -> None:
    """In a container the own group may be mounted as the root."""
    in_group(machine, f"0::{path}")
    write(machine["cgroups"] / "cpu.max", "300000 100000")
    write(machine["cgroups"].parent / "other" / "cpu.max", "100000 100000")
    assert cpu_quota(**machine) == 3


def test_processor_is_the_first_model(tmp_path: Path) -> None:
    """As Linux lists it, once for each CPU."""
    write(tmp_path / "cpuinfo", "processor\t: 0\nmodel name\t: A 9: fast\n\nmodel name\t: B\n")
    assert processor(proc=tmp_path) == "A 9: fast"


def test_processor_has_a_name_everywhere(tmp_path: Path) -> None:
    """Without a model in the list, or without a list."""
    assert processor()
    assert processor(proc=tmp_path)
    write(tmp_path / "cpuinfo", "processor\t: 0\nCPU part\t: 0xd40\n")
    assert processor(proc=tmp_path)


def test_memory_is_read(tmp_path: Path) -> None:
    """In bytes."""
    write(tmp_path / "self" / "status", "Name:\tpython\nVmHWM:\t  900 kB\nVmRSS:\t  512 kB\n")
    assert rss_bytes(proc=tmp_path) == 512 * 1024


@pytest.mark.parametrize("status", ["Name:\tpython\n", "VmRSS:\t much kB\n", "VmRSS:\t 5 MB\n"])
def test_unknown_memory_is_none(tmp_path: Path, status: str) -> None:
    """As on macOS and Windows."""
    assert rss_bytes(proc=tmp_path) is None
    write(tmp_path / "self" / "status", status)
    assert rss_bytes(proc=tmp_path) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it in a file")
def test_memory_of_this_process() -> None:
    """An interpreter takes megabytes, and more when it holds more."""
    before = rss_bytes()
    assert before is not None
    assert 2**22 < before < 2**40
    block = b"x" * 2**26
    after = rss_bytes()
    assert after is not None
    assert after - before > len(block) // 2
