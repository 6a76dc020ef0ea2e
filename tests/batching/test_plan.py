"""The batch plan: what it may never do, what it costs, and how few shapes it makes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from menpai.batching.plan import BATCH_COST, Batch, Limits, halve, padding_waste, plan
from menpai.batching.shapes import length_bucket, row_counts
from menpai.errors import ConfigError, InputError

USUAL = Limits(max_tokens=2048, max_rows=512, max_length=128, window=2048)

limits = st.builds(
    Limits,
    max_tokens=st.integers(1, 400),
    max_rows=st.integers(1, 40),
    max_length=st.integers(64, 80),
    window=st.integers(1, 80),
)
lengths = st.lists(st.integers(1, 64), max_size=120)


def shapes(batches: list[Batch]) -> Counter[tuple[int, int]]:
    """Count the batches of each shape."""
    return Counter((len(batch.rows), batch.length) for batch in batches)


def cost(batches: list[Batch]) -> int:
    """Give what the batches cost, in tokens."""
    return sum(BATCH_COST + len(batch.rows) * batch.length for batch in batches)


@given(lengths, limits)
def test_every_item_is_in_one_batch(lengths: list[int], limits: Limits) -> None:
    """Nothing is lost, nothing is done twice."""
    batches = plan(lengths, limits)
    assert sorted(row for batch in batches for row in batch.rows) == list(range(len(lengths)))


@given(lengths, limits)
def test_no_limit_is_exceeded(lengths: list[int], limits: Limits) -> None:
    """But for an item that alone is longer than the budget."""
    for rows, length in plan(lengths, limits):
        assert len(rows) in row_counts(limits.max_rows)
        assert len(rows) * length <= limits.max_tokens or len(rows) == 1
        assert length == length_bucket(max(lengths[row] for row in rows), limits.max_length)


@given(lengths, limits)
def test_windows_are_planned_apart(lengths: list[int], limits: Limits) -> None:
    """A plan is the plans of its windows, one after the other."""
    batches: list[Batch] = []
    for start in range(0, len(lengths), limits.window):
        for rows, length in plan(lengths[start : start + limits.window], limits):
            batches.append(Batch(tuple(start + row for row in rows), length))
    assert plan(lengths, limits) == batches


@given(lengths, limits)
def test_longest_first_and_equal_ones_in_order(lengths: list[int], limits: Limits) -> None:
    """Within a window."""
    batches = plan(lengths, replace(limits, window=200))
    order = [row for batch in batches for row in batch.rows]
    assert order == sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))


@given(lengths.flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))), limits)
def test_shapes_do_not_depend_on_the_order(
    both: tuple[list[int], list[int]], limits: Limits
) -> None:
    """Within a window."""
    limits = replace(limits, window=200)
    assert shapes(plan(both[0], limits)) == shapes(plan(both[1], limits))


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """Give all ways to put items into batches."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for place, group in enumerate(rest):
            yield [*rest[:place], [items[0], *group], *rest[place + 1 :]]


@given(st.lists(st.integers(1, 64), max_size=6), st.integers(20, 200), st.integers(1, 6))
def test_no_plan_is_cheaper(lengths: list[int], max_tokens: int, max_rows: int) -> None:
    """Of all that the limits allow."""
    limits = replace(USUAL, max_tokens=max_tokens, max_rows=max_rows)
    least = min(
        sum(BATCH_COST + len(group) * length_bucket(max(group), 128) for group in groups)
        for groups in partitions(lengths)
        if all(
            len(group) in row_counts(max_rows)
            and (len(group) == 1 or len(group) * length_bucket(max(group), 128) <= max_tokens)
            for group in groups
        )
    )
    assert cost(plan(lengths, limits)) == least


def test_nothing_to_plan() -> None:
    """No item, no batch."""
    assert plan([], USUAL) == []


def test_a_batch_is_saved_where_padding_is_cheap() -> None:
    """Two lengths side by side run together, two far apart do not."""
    assert plan([20, 24], USUAL) == [Batch((1, 0), 24)]
    assert plan([20, 60], USUAL) == [Batch((1,), 60), Batch((0,), 20)]


def test_each_limit_counts() -> None:
    """96 equal items are one batch, until a limit is lower."""
    lengths = [20] * 96
    assert shapes(plan(lengths, USUAL)) == {(96, 20): 1}
    assert shapes(plan(lengths, replace(USUAL, max_tokens=48 * 20))) == {(48, 20): 2}
    assert shapes(plan(lengths, replace(USUAL, max_rows=47))) == {(32, 20): 3}
    assert shapes(plan(lengths, replace(USUAL, window=64))) == {(64, 20): 1, (32, 20): 1}
    assert shapes(plan([20, 19], replace(USUAL, max_length=21))) == {(2, 20): 1}
    assert shapes(plan([21, 21], replace(USUAL, max_length=21))) == {(2, 21): 1}


def test_an_item_beyond_the_budget_runs_alone() -> None:
    """It neither hangs nor takes others with it (serving row 16)."""
    batches = plan([100, 8, 100, 8], replace(USUAL, max_tokens=99))
    assert batches == [Batch((0,), 104), Batch((2,), 104), Batch((1, 3), 8)]


@pytest.mark.parametrize("n_tokens", [0, 129])
def test_impossible_lengths_are_refused(n_tokens: int) -> None:
    """Also far behind."""
    with pytest.raises(InputError, match=f"this one has {n_tokens}"):
        plan([20] * 3000 + [n_tokens], USUAL)


@pytest.mark.parametrize("field", ["max_tokens", "max_rows", "max_length", "window"])
def test_limits_are_positive(field: str) -> None:
    """The error names the limit."""
    assert getattr(replace(USUAL, **{field: 1}), field) == 1
    with pytest.raises(ConfigError, match=f"{field} is at least 1, not 0") as caught:
        replace(USUAL, **{field: 0})
    assert caught.value.field == field


def test_halving() -> None:
    """Both halves keep the length; the first is the larger one."""
    assert halve(Batch((5, 2, 9), 16)) == (Batch((5, 2), 16), Batch((9,), 16))
    assert halve(Batch((1, 2), 8)) == (Batch((1,), 8), Batch((2,), 8))
    with pytest.raises(InputError, match="one row"):
        halve(Batch((1,), 8))


def test_padding_waste() -> None:
    """Padded tokens for a real one, of the items that are in the batches."""
    assert padding_waste([Batch((0, 2), 12)], [10, 99, 6]) == pytest.approx(24 / 16 - 1)
    assert padding_waste([Batch((1,), 12)], [10, 12]) == 0
    assert padding_waste([], [10]) == 0


def addresses(rng: np.random.Generator, n_items: int) -> list[int]:
    """Draw lengths as those of addresses are."""
    lengths: list[int] = rng.normal(22, 7, n_items).round().clip(6, 60).astype(int).tolist()
    return lengths


def shares(requests: list[list[int]]) -> tuple[float, float]:
    """Give the padding of requests, and with it what batches cost, above their real tokens."""
    plans = [plan(lengths, USUAL) for lengths in requests]
    n_real = sum(map(sum, requests))
    n_padded = sum(len(rows) * length for batches in plans for rows, length in batches)
    return n_padded / n_real - 1, sum(map(cost, plans)) / n_real - 1


def test_waste_of_a_table() -> None:
    """Windows of 2,048: far below the 8 % that padding may cost."""
    lengths = addresses(np.random.default_rng(1), 100_000)
    assert shares([lengths]) == (pytest.approx(0.029, abs=0.001), pytest.approx(0.044, abs=0.001))
    assert padding_waste(plan(lengths, USUAL), lengths) == shares([lengths])[0]


def test_waste_of_requests() -> None:
    """Requests of 1 to 500: about 100,000 items."""
    rng = np.random.default_rng(1)
    requests = [addresses(rng, size) for size in rng.integers(1, 501, 400).tolist()]
    assert shares(requests) == (pytest.approx(0.040, abs=0.001), pytest.approx(0.080, abs=0.001))


def test_shapes_of_any_traffic() -> None:
    """100,000 items of any length in requests of any size make no more than 353 (serving row 4)."""
    rng = np.random.default_rng(1)
    seen: set[tuple[int, int]] = set()
    for size in rng.integers(1, 501, 400).tolist():
        longest = int(rng.integers(1, 129))
        seen |= shapes(plan(rng.integers(1, longest + 1, size).tolist(), USUAL)).keys()
    assert 200 < len(seen) <= 353
