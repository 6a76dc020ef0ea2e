"""Rarity of bigrams: the packaged table, a library's own statistics, and the file format."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from menpai.address.rarity import (
    IDF_STEP,
    UNSEEN_DF,
    Rarity,
    bigrams,
    document_keys,
    load,
    pack,
    unpack,
)
from menpai.errors import DataError

BASIC_PLANE = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("Cs",)), max_size=30)


def test_bigrams_stay_within_runs() -> None:
    """Digits, blanks and punctuation break a run; letters and characters may meet."""
    assert bigrams("梧桐路12号A座, 云岭") == {"梧桐", "桐路", "号A", "A座", "云岭"}


def test_bigrams_are_in_upper_case() -> None:
    """A lower-case letter is the same letter."""
    assert bigrams("a座") == bigrams("A座") == {"A座"}


def test_no_number_is_evidence() -> None:
    """Two house numbers of one road give the same bigrams."""
    assert bigrams("梧桐路12号3楼") == bigrams("梧桐路98号5楼")


@given(BASIC_PLANE)
def test_document_keys_hold_every_bigram(text: str) -> None:
    """The keys that are counted are those that are looked up."""
    keys = document_keys(text)
    assert {ord(pair[0]) << 16 | ord(pair[1]) for pair in bigrams(text)} <= keys


def test_common_words_are_common() -> None:
    """Words of the trade weigh less than half of what a rare name does."""
    rarity = load()
    rare = rarity.idf("泉苑")
    for word in ("小区", "大厦", "花园", "中心", "社区", "委会", "街道", "北京"):
        assert rarity.idf(word) < rare / 2, word
    for word in ("公司", "路口"):
        assert rarity.idf(word) < rare * 0.7, word


def test_single_characters_have_their_own_frequencies() -> None:
    """路 is in every other address, 衢 in hardly any."""
    rarity = load()
    assert rarity.idf("路") < 2.0 < rarity.idf("衢")
    assert rarity.idf("路") < rarity.idf("桐路")


@pytest.mark.parametrize("gram", ["龘鬱", "𠮷野", "", "三个字"])
def test_unseen_is_half_a_document(gram: str) -> None:
    """What the table does not or cannot hold has the idf of half a document."""
    rarity = load()
    assert rarity.idf(gram) == rarity.unseen
    assert rarity.unseen == pytest.approx(math.log(rarity.documents / UNSEEN_DF))


def test_case_is_folded() -> None:
    """A座 and a座 are looked up alike."""
    assert load().idf("a座") == load().idf("A座") < load().unseen


def test_total_agrees_with_idf() -> None:
    """The batch form is the single look-up, repeated."""
    rarity = load()
    pairs = bigrams("云岭市梧桐路12号")
    assert rarity.total(pairs) == pytest.approx(sum(rarity.idf(pair) for pair in pairs))
    assert rarity.total(()) == 0.0


def test_from_texts_counts_documents() -> None:
    """A library's own statistics: a bigram counts once per text."""
    rarity = Rarity.from_texts(["梧桐路梧桐路", "梧桐巷", "云岭", "1号"])
    assert rarity.documents == 4
    assert rarity.idf("梧桐") == pytest.approx(math.log(4 / 2))
    assert rarity.idf("云岭") == pytest.approx(math.log(4))
    assert rarity.idf("东风") == pytest.approx(math.log(8))
    assert rarity.idf("号") == pytest.approx(math.log(4))


def test_from_no_texts_is_usable() -> None:
    """An empty library gives one finite weight for everything."""
    rarity = Rarity.from_texts([])
    assert len(rarity) == 0
    assert rarity.idf("梧桐") == pytest.approx(math.log(2))


def test_memo_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full memo is emptied; answers stay the same."""
    monkeypatch.setattr("menpai.address.rarity._MEMO_LIMIT", 2)
    rarity = Rarity.from_texts(["梧桐路", "云岭"])
    once = [rarity.idf(pair) for pair in ("梧桐", "桐路", "云岭", "梧桐")]
    assert once == [rarity.idf(pair) for pair in ("梧桐", "桐路", "云岭", "梧桐")]


@given(st.dictionaries(st.integers(0, 2**32 - 1), st.floats(0.5, 1000.0), max_size=40))
def test_pack_then_unpack(frequencies: dict[int, float]) -> None:
    """A written table reads back within half a step."""
    rarity = unpack(pack(1000.0, frequencies))
    assert len(rarity) == len(frequencies)
    for key, df in frequencies.items():
        gram = chr(key >> 16) + chr(key & 0xFFFF) if key >> 16 else chr(key)
        if gram.upper() == gram:
            assert rarity.idf(gram) == pytest.approx(math.log(1000.0 / df), abs=IDF_STEP * 0.51)


def test_pack_leaves_out_what_is_as_good_as_unseen() -> None:
    """A frequency below that of the unseen is not stored."""
    assert len(unpack(pack(100.0, {5: UNSEEN_DF / 2, 6: UNSEEN_DF}))) == 1


@pytest.mark.parametrize("data", [b"", b"x" * 40, pack(10.0, {5: 1.0})[:-1]])
def test_broken_table_is_refused(data: bytes) -> None:
    """A foreign or cut file says that the package is broken."""
    with pytest.raises(DataError, match="rarity table is broken"):
        unpack(data)


def test_table_is_small_and_read_once() -> None:
    """The packaged table is loaded once per process."""
    assert load() is load()
    assert 50_000 < len(load()) < 120_000


def test_packaged_table_is_what_the_script_writes(shared_data: Path, tmp_path: Path) -> None:
    """The script reproduces the table byte for byte from the open corpora."""
    root, table = Path(__file__).parents[2], tmp_path / "rarity.bin"
    command = [sys.executable, root / "scripts/build_rarity.py", shared_data / "data"]
    subprocess.run([*command, "--out", table], check=True, capture_output=True)
    packaged = root / "src/menpai/address/data/rarity.bin"
    assert table.read_bytes() == packaged.read_bytes()
