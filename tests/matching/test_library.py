"""The library: what is refused, what is kept, and that a query finds its record among few."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from menpai.address.parse import parse
from menpai.errors import InputError
from menpai.matching import candidates
from menpai.matching.candidates import CandidateIndex, Traits
from menpai.matching.library import Library

RECORDS = [
    "北京市朝阳区望澜路88号云栖中心",
    "北京市朝阳区望澜路90号",
    "上海市浦东新区锦岚路777弄24号302室",
    "浙江省杭州市西湖区翡岚苑3栋2单元502室",
    "浙江省杭州市西湖区翡岚苑5栋1单元101室",
    "江苏省南京市秦淮区枫丹街12号",
    "四川省成都市武侯区簇桥街道沈家村3组12号",
    "四川省成都市武侯区簇桥街道沈家村5组12号",
    "北京市海淀区",
    "广东省深圳市南山区澜海路与锦荟大道交叉口",
    "湖北省武汉市江汉区岚泽商贸有限公司",
]


@pytest.fixture(scope="module")
def library() -> Library:
    """Eleven made-up records."""
    return Library.build(RECORDS)


def found(library: Library, query: str, limit: int = 3) -> list[str]:
    """Texts of the candidates for a query."""
    return [library.address(entry).text for entry in library.candidates(parse(query), limit)]


# What a library is built from.


def test_record_ids_default_to_row_numbers_from_one() -> None:
    """Row numbers count like a table's."""
    assert Library.build(RECORDS[:3]).record_ids == ("1", "2", "3")


def test_record_ids_are_kept() -> None:
    """Given ids stand for the rows."""
    assert Library.build(RECORDS[:2], ["a7", "b9"]).record_ids == ("a7", "b9")


@pytest.mark.parametrize(
    ("record_ids", "message"),
    [(["a", "b", "a"], "'a' is given twice"), (["a"], "1 record ids for 3 records")],
    ids=["repeated", "too-few"],
)
def test_record_ids_must_name_each_record(record_ids: list[str], message: str) -> None:
    """An id that repeats or is missing cannot lead back to a row."""
    with pytest.raises(InputError, match=message):
        Library.build(RECORDS[:3], record_ids)


def test_a_repeated_id_is_reported_with_its_row() -> None:
    """The second one is at fault."""
    with pytest.raises(InputError) as error:
        Library.build(RECORDS[:3], ["a", "b", "b"])
    assert error.value.row == 3


def test_an_empty_library_is_refused() -> None:
    """Nothing could ever be found in it."""
    with pytest.raises(InputError, match="at least one record"):
        Library.build([])


def test_one_text_is_no_table() -> None:
    """A string is a sequence of characters, which nobody means."""
    with pytest.raises(InputError, match="not from one text"):
        Library.build("北京市朝阳区望澜路88号")


def test_a_record_must_be_a_text() -> None:
    """A missing cell is named with its row, not as an attribute error deep inside."""
    with pytest.raises(InputError, match="NoneType") as error:
        Library.build(["望澜路88号", None])  # type: ignore[list-item]
    assert error.value.row == 2


def test_default_region_completes_the_records() -> None:
    """A local table leaves its city out."""
    with_region = Library.build(["望澜路88号"], default_region="浙江省杭州市")
    assert with_region.address(0).city == "杭州市"
    assert Library.build(["望澜路88号"]).address(0).city is None


def test_length_counts_records_and_not_texts() -> None:
    """Records with the same text are still several."""
    assert len(Library.build([RECORDS[0], RECORDS[1], RECORDS[0]])) == 3


def test_a_library_shows_its_size_and_no_address() -> None:
    """Addresses are personal data, and a million of them no help."""
    assert repr(Library.build([RECORDS[0]] * 1200)) == "<Library of 1,200 records>"


def test_equal_texts_are_one_entry_with_all_their_rows() -> None:
    """Repeats cost no comparison and are all given."""
    library = Library.build([RECORDS[0], RECORDS[1], RECORDS[0]])
    assert library.candidates(parse(RECORDS[0]), 5) == [0, 1]
    assert [library.rows(entry) for entry in (0, 1)] == [[0, 2], [1]]


def test_addresses_are_kept_as_parsed(library: Library) -> None:
    """Packing loses nothing."""
    assert [library.address(entry) for entry in range(len(RECORDS))] == [
        parse(text) for text in RECORDS
    ]


def test_a_library_can_be_sent_to_another_process(library: Library) -> None:
    """Keys do not depend on the process that made them."""
    copied = pickle.loads(pickle.dumps(library))  # noqa: S301  our own bytes
    assert found(copied, "云栖中心") == found(library, "云栖中心")


# What a query finds.


@pytest.mark.parametrize(
    ("query", "record"),
    [
        ("北京市朝阳区望澜路88号云栖中心", 0),
        ("云栖中心", 0),
        ("望澜路88号", 0),
        ("望澜路90号", 1),
        ("朝阳区望兰路88号", 0),
        ("北京市朝阳区望楼路88号", 0),
        ("No.90 Wanglan Road, Beijing", 1),
        ("锦岚路七七七弄24号", 2),
        ("翡岚苑5幢", 4),
        ("翡岚园3栋2单元502", 3),
        ("南京市白下区枫丹街十二号", 5),
        ("枫丹街", 5),
        ("沈家村5组", 7),
        ("锦荟大道", 9),
        ("岚泽商贸", 10),
        ("簇桥街道", 6),
        ("北京市海淀区", 8),
        ("北京市海淀区清樾路1号", 8),
    ],
    ids=[
        "record-itself",
        "name-only",
        "without-division",
        "other-number",
        "road-by-sound",
        "road-mistyped",
        "romanised",
        "chinese-number-and-lane",
        "building",
        "place-mistyped",
        "former-district",
        "road-only",
        "group-of-a-village",
        "crossing-road",
        "company",
        "town-only",
        "division-only",
        "record-of-a-division-only",
    ],
)
def test_a_query_finds_its_record_first(library: Library, query: str, record: int) -> None:
    """Each way of writing leads to the record by at least one key, and its facts put it first."""
    assert found(library, query)[:1] == [RECORDS[record]]


def test_a_division_alone_finds_what_lies_in_it(library: Library) -> None:
    """Where nothing rarer is asked for, the division must do."""
    assert set(found(library, "北京市朝阳区", limit=2)) == set(RECORDS[:2])


def test_a_division_says_nothing_beside_a_road(library: Library) -> None:
    """Records that share no more than the district are not worth a comparison."""
    assert found(library, "杭州市西湖区翡岚苑", limit=9) == RECORDS[3:5]


def test_an_ambiguous_division_is_not_held_against_a_record(library: Library) -> None:
    """朝阳区 may be Beijing's or Changchun's."""
    assert found(library, "朝阳区望澜路90号")[0] == RECORDS[1]


@pytest.mark.parametrize("query", ["", "？？", "云南省昆明市盘龙区青麓巷5号"])
def test_nothing_is_found_where_nothing_is_shared(library: Library, query: str) -> None:
    """No candidate is better than any candidate."""
    assert found(library, query) == []


def test_no_more_candidates_than_wanted(library: Library) -> None:
    """The limit holds, and may be larger than the library."""
    assert len(found(library, "望澜路", limit=1)) == 1
    assert len(found(library, "望澜路", limit=99)) == 2


def test_equals_come_in_record_order() -> None:
    """Order never depends on chance."""
    library = Library.build([f"望澜路{number}号" for number in (7, 5, 3, 9)])
    assert library.candidates(parse("望澜路"), 3) == [0, 1, 2]


# The index itself, on made-up keys.

N_FACTS = len(candidates._FACTS)
NO_FACTS = (0,) * N_FACTS


def test_common_keys_are_left_out_beside_rare_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """What half the library shares is not read when something rarer leads to a record."""
    monkeypatch.setattr(candidates, "_MAX_POSTINGS", 50)
    records = [Traits({1: 1.0}, NO_FACTS) for _ in range(80)]
    records[70] = Traits({1: 1.0, 2: 1.0}, NO_FACTS)
    index = CandidateIndex(records)
    assert index.best(Traits({1: 1.0, 2: 1.0}, NO_FACTS), 9) == [70]
    assert index.best(Traits({1: 1.0}, NO_FACTS), 9) == list(range(9))


def test_a_record_with_fewer_other_keys_comes_first() -> None:
    """One key of two is a closer match than one key of twenty."""
    long, short = dict.fromkeys(range(1, 20), 5.0), {1: 5.0, 30: 5.0}
    index = CandidateIndex([Traits(long, NO_FACTS), Traits(short, NO_FACTS)])
    assert index.best(Traits({1: 5.0}, NO_FACTS), 2) == [1, 0]


@pytest.mark.parametrize("place", range(N_FACTS))
def test_each_fact_tells_records_apart(place: int) -> None:
    """An equal fact ranks a record above one without it, and above one with another value."""

    def with_fact(value: int) -> tuple[int, ...]:
        return tuple(value if at == place else 0 for at in range(N_FACTS))

    index = CandidateIndex([Traits({1: 5.0}, with_fact(value)) for value in (8, 0, 7)])
    assert index.best(Traits({1: 5.0}, with_fact(7)), 3)[0] == 2


KEYS = st.dictionaries(st.integers(1, 6), st.sampled_from([1.0, 4.0]), max_size=4)
TRAITS = st.builds(Traits, KEYS, st.tuples(*[st.integers(0, 2)] * N_FACTS))


def plain_points(records: list[Traits], query: Traits) -> dict[int, float]:
    """Score every record that shares a key, as the textbook does it."""
    scored = {}
    for row, record in enumerate(records):
        points = 0.0
        for key in record.keys.keys() & query.keys.keys():
            n_holders = sum(key in other.keys for other in records)
            points += (query.keys[key] + math.log(len(records) / n_holders)) / 2
        points /= max(sum(record.keys.values()), 1.0) ** 0.25
        weights = candidates._FACTS.values()
        for theirs, wanted, pair in zip(record.facts, query.facts, weights, strict=True):
            if theirs and wanted:
                points += pair[theirs != wanted]
        if record.keys.keys() & query.keys.keys():
            scored[row] = points
    return scored


@given(st.lists(TRAITS, min_size=1, max_size=12), TRAITS, st.integers(1, 12))
def test_the_best_are_those_of_a_full_search(
    records: list[Traits], query: Traits, limit: int
) -> None:
    """Postings, partition and order give what scoring every record and sorting gives."""
    best = CandidateIndex(records).best(query, limit)
    plain = plain_points(records, query)
    assert len(best) == min(limit, len(plain))
    expected = sorted(plain.values(), reverse=True)[: len(best)]
    assert [plain[row] for row in best] == pytest.approx(expected, abs=1e-4)


def test_arrays_have_the_documented_types() -> None:
    """Four bytes a posting: a million records must fit."""
    index = CandidateIndex([Traits({1: 1.0, 2: 1.0}, NO_FACTS), Traits({2: 1.0}, NO_FACTS)])
    assert index.records.dtype == index.facts.dtype == np.int32
    assert index.keys.tolist() == [1, 2]
    assert index.offsets.tolist() == [0, 1, 3]
    assert index.records.tolist() == [0, 0, 1]
    assert index.damping.dtype == np.float32
