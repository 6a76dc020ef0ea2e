"""The front door: choices are checked and used, queries are answered one by one."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import numpy as np
import pytest
from folders import (
    ALIGNMENT_LABELS,
    TAG_LABELS,
    edited,
    hub_classifier,
    hub_encoder,
    hub_tags,
    store,
)
from hypothesis import given, strategies as st

from menpai.address.parse import parse
from menpai.errors import ConfigError, InputError, ModelError, NonFiniteError
from menpai.events import StageDone, Timings
from menpai.matching.decide import DECISION_VERSION, JOINT_VERSION
from menpai.matching.library import Library
from menpai.matching.matcher import load, one_of
from menpai.model.convert import convert
from menpai.text.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from folders import Folder

    from menpai.events import Event
    from menpai.matching.matcher import Matcher
    from menpai.matching.results import Match

EXACT, PARTIAL, NOT = "exact_match", "partial_match", "not_match"
WANGLAN_88 = "北京市朝阳区望澜路88号"
WANGLAN_90 = "北京市朝阳区望澜路90号"
ROOM = "浙江省杭州市西湖区翡岚苑3栋2单元502室"


def match(query: str, records: Sequence[str], top_k: int = 5) -> Match:
    """Match with the default choices."""
    return load().match_one(query, Library.build(records), top_k)


def ids(result: Match) -> list[str]:
    """Record ids in the order of the answer."""
    return [hit.record_id for hit in result.matches]


# Choices.


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"policy": "strict"}, "place, ccks"),
        ({"match_at": "maybe"}, "'exact' nor 'partial' nor a number from 0 to 1"),
        ({"match_at": 1.5}, "from 0 to 1"),
        ({"match_at": -0.1}, "from 0 to 1"),
        ({"match_at": float("nan")}, "from 0 to 1"),
        ({"match_at": True}, "from 0 to 1"),
        ({"default_region": "火星省"}, "province, city, district or town"),
        ({"as_of": "2015"}, "no year"),
        ({"as_of": True}, "no year"),
    ],
)
def test_a_choice_that_is_not_allowed_is_refused(choice: dict[str, Any], message: str) -> None:
    """At once, with what is allowed, and naming the argument."""
    with pytest.raises(ConfigError, match=message) as error:
        load(**choice)
    assert error.value.field == next(iter(choice))


def test_policy_is_used() -> None:
    """Two rooms of one building are different places, and the benchmark's partial match."""
    other = ROOM.replace("502", "302")
    assert load(policy="place").compare(ROOM, other).label == NOT
    assert load(policy="ccks").compare(ROOM, other).label == PARTIAL


@pytest.mark.parametrize(
    ("match_at", "expected"), [("exact", False), ("partial", True), (0.01, True), (0.99, False)]
)
def test_match_at_is_used(match_at: str | float, expected: bool) -> None:  # noqa: FBT001
    """A partial match counts or not as chosen."""
    result = load(match_at=match_at).compare("翡岚苑3栋", "翡岚苑3栋2单元502室")
    assert (result.label, result.match) == (PARTIAL, expected)


def test_default_region_is_used_for_texts() -> None:
    """A local table leaves its city out."""
    assert load(default_region="浙江省杭州市").parse("望澜路88号").city == "杭州市"
    assert load().parse("望澜路88号").city is None


def test_default_region_is_used_for_a_library_of_texts() -> None:
    """Records given as texts belong to the same local table."""
    [result] = load(default_region="浙江省杭州市").match(["望澜路88号"], ["望澜路88号"])
    assert result.matches[0].comparison.right.city == "杭州市"


def test_as_of_is_used() -> None:
    """A county of 1990 outweighs the province that contradicts it, in 2024 it no longer does."""
    text = "江苏省万全县望澜路8号"
    assert load(as_of=1990).parse(text).district == "万全区"
    assert load(as_of=2024).parse(text).province == "江苏省"


# One text, two texts.


def test_parse_reads_one_text_and_a_batch_the_same() -> None:
    """A batch is nothing but one after the other."""
    matcher = load()
    assert matcher.parse_batch(iter([WANGLAN_88, ROOM])) == [parse(WANGLAN_88), parse(ROOM)]
    assert matcher.parse(ROOM) == parse(ROOM)


def test_normalize_gives_the_canonical_text() -> None:
    """The matcher's own door to the normaliser."""
    assert load().normalize("望澜路８８號") == normalize("望澜路８８號")


def test_compare_takes_texts_and_addresses() -> None:
    """What was parsed once need not be parsed again."""
    matcher = load()
    assert matcher.compare(parse(WANGLAN_88), WANGLAN_90) == matcher.compare(WANGLAN_88, WANGLAN_90)


def test_compare_batch_compares_row_by_row() -> None:
    """Pairs stay pairs, in order."""
    matcher = load()
    results = matcher.compare_batch([WANGLAN_88, ROOM], iter(["北京朝阳望澜路88号", WANGLAN_88]))
    assert [r.label for r in results] == [EXACT, NOT]
    assert results[1] == matcher.compare(ROOM, WANGLAN_88)


def test_compare_batch_needs_as_many_lefts_as_rights() -> None:
    """A shifted column must not be compared silently."""
    with pytest.raises(InputError, match="2, 1"):
        load().compare_batch([WANGLAN_88, ROOM], [WANGLAN_88])


@pytest.mark.parametrize("method", ["parse", "normalize"])
def test_what_is_no_text_is_refused(method: str) -> None:
    """A missing cell is named as such."""
    with pytest.raises(InputError, match="NoneType"):
        getattr(load(), method)(None)


def test_one_text_is_no_batch() -> None:
    """A string where several are wanted would be read letter by letter."""
    matcher = load()
    with pytest.raises(InputError, match="texts are several addresses"):
        matcher.parse_batch(ROOM)
    with pytest.raises(InputError, match="queries are several addresses"):
        matcher.match(ROOM, [ROOM])
    with pytest.raises(InputError, match="library are several addresses"):
        matcher.match([ROOM], ROOM)
    with pytest.raises(InputError, match="rights are several addresses"):
        matcher.compare_batch([ROOM], ROOM)


def test_a_matcher_can_be_sent_to_another_process() -> None:
    """Choices travel with it."""
    matcher = pickle.loads(pickle.dumps(load(policy="ccks", match_at=0.5)))  # noqa: S301  our own
    assert (matcher.policy, matcher.match_at) == ("ccks", 0.5)
    assert matcher.compare(ROOM, ROOM).label == EXACT


# Queries and a library.


def test_match_answers_each_query_in_order() -> None:
    """One answer a query, whatever iterables are given."""
    library = Library.build([WANGLAN_90, ROOM, WANGLAN_88])
    results = load().match(iter(["望澜路88号", "翡岚苑3幢2单元502"]), library)
    assert [r.query for r in results] == ["望澜路88号", "翡岚苑3幢2单元502"]
    assert [ids(r)[0] for r in results] == ["3", "2"]


def test_texts_serve_as_a_library() -> None:
    """The same answer as from a library built before."""
    records = [WANGLAN_90, ROOM, WANGLAN_88]
    matcher = load()
    assert matcher.match(["望澜路88号"], iter(records)) == matcher.match(
        ["望澜路88号"], Library.build(records)
    )


def test_the_comparison_of_a_hit_is_that_of_the_two_texts() -> None:
    """Nothing about the library changes a comparison."""
    best = match("望澜路88号", [WANGLAN_90, WANGLAN_88]).matches[0]
    assert best.comparison == load().compare("望澜路88号", WANGLAN_88)
    assert (best.text, best.rank, best.record_id) == (WANGLAN_88, 1, "2")


def test_the_other_number_of_a_road_comes_after() -> None:
    """88 is found first, 90 is no match."""
    result = match("望澜路88号", [WANGLAN_90, WANGLAN_88])
    assert ids(result) == ["2", "1"]
    assert [h.comparison.label for h in result.matches] == [EXACT, NOT]
    assert result.status == "matched"


def test_given_record_ids_are_answered() -> None:
    """Hits name the user's own ids."""
    library = Library.build([WANGLAN_88], ["POI-7"])
    assert ids(load().match_one("望澜路88号", library, 1)) == ["POI-7"]


@pytest.mark.parametrize(("top_k", "expected"), [(1, 1), (2, 2), (50, 3)])
def test_top_k_bounds_the_hits(top_k: int, expected: int) -> None:
    """Fewer where asked for, and never more than there are."""
    records = [f"北京市朝阳区望澜路{number}号" for number in (88, 90, 92)]
    [result] = load().match(["望澜路88号"], records, top_k=top_k)
    assert [hit.rank for hit in result.matches] == list(range(1, expected + 1))


def test_top_k_may_exceed_what_is_compared_by_default() -> None:
    """A long list is a full list."""
    records = [f"北京市朝阳区望澜路{number}号" for number in range(1, 41)]
    assert len(match("望澜路7号", records, top_k=40).matches) == 40


@pytest.mark.parametrize("top_k", [0, -1])
def test_top_k_must_be_positive(top_k: int) -> None:
    """It is a mistake of the caller and not of a query."""
    library = Library.build([ROOM])
    with pytest.raises(InputError, match="at least 1") as error:
        load().match([], library, top_k=top_k)
    assert error.value.field == "top_k"
    with pytest.raises(InputError, match="at least 1"):
        load().match_one(ROOM, library, top_k)


def test_an_empty_library_is_refused() -> None:
    """Not answered with nothing found."""
    with pytest.raises(InputError, match="at least one record"):
        load().match([ROOM], [])


def test_records_with_one_text_are_all_given_and_are_no_rivals() -> None:
    """A duplicate of the best record does not make it doubtful."""
    result = match("望澜路88号", [WANGLAN_88, ROOM, WANGLAN_88])
    assert ids(result) == ["1", "3"]
    assert result.status == "matched"


def test_another_writing_of_the_best_record_is_no_rival() -> None:
    """It compares exact with the best, so it is the same place."""
    result = match("望澜路88号", [WANGLAN_88, "北京朝阳望澜路八十八号"])
    assert [h.comparison.label for h in result.matches] == [EXACT, EXACT]
    assert result.status == "matched"


def test_two_places_that_fit_alike_are_for_review() -> None:
    """The same road and number in two cities: the query does not say which."""
    records = ["江苏省苏州市吴中区望澜路88号", "山东省烟台市芝罘区望澜路88号"]
    result = match("望澜路88号", records)
    assert ids(result) == ["1", "2"]
    assert result.status == "review"
    assert match("苏州市望澜路88号", records).status == "matched"


def test_a_partial_match_is_for_review() -> None:
    """A compound is not yet a room."""
    result = match("杭州市西湖区翡岚苑", [ROOM])
    assert result.matches[0].comparison.label == PARTIAL
    assert result.status == "review"


@pytest.mark.parametrize("record", ["北京市朝阳区", "北京市朝阳区望澜路"])
def test_an_agreement_above_the_number_is_for_review(record: str) -> None:
    """A district or a road is no place to go to."""
    result = match(record, [record, ROOM])
    assert result.matches[0].comparison.label == EXACT
    assert result.status == "review"


def test_a_best_record_that_is_no_match_is_unmatched() -> None:
    """The hits are still given."""
    result = match("北京市朝阳区望澜路92号", [WANGLAN_88, WANGLAN_90])
    assert result.status == "unmatched"
    assert {h.comparison.label for h in result.matches} == {NOT}


@pytest.mark.parametrize("query", ["", "   ", "无", "？？？", "测试测试测试", "0000"])
def test_a_query_that_is_no_address_finds_nothing(query: str) -> None:
    """It is answered, and no error."""
    result = match(query, [WANGLAN_88, ROOM])
    assert (result.query, result.status, result.matches, result.error) == (
        query,
        "unmatched",
        (),
        None,
    )


def test_a_query_that_fails_does_not_cost_the_others_theirs() -> None:
    """Its own answer says what was wrong with it."""
    queries: list[Any] = [None, "望澜路88号"]
    failed, answered = load().match(queries, [WANGLAN_88])
    assert failed.status == "error"
    assert failed.matches == ()
    assert failed.error == {
        "code": "bad_input",
        "message": "an address is a text, not NoneType",
        "field": None,
        "row": None,
        "retryable": False,
    }
    assert answered.status == "matched"


@pytest.mark.parametrize("text", ["翡岚\ud800苑", "翡岚\0苑", "翡岚苑" * 2000, "𠮷岚苑"])
def test_odd_characters_fail_nowhere(text: str) -> None:
    """Half a surrogate, a null, a book, a rare character: in a record as in a query."""
    result = match(text, [text, ROOM])
    assert (result.error, ids(result)[:1]) == (None, ["1"])


def test_an_unforeseen_failure_does_not_quote_the_address() -> None:
    """Addresses are personal data; only the kind of the failure is told."""
    library = Library.build([WANGLAN_88])
    library._packed[0] = b"\x80\x04\x8c"
    result = load().match_one("望澜路88号", library, 1)
    assert result.status == "error"
    assert result.error is not None
    assert result.error["code"] == "bad_input"
    assert "UnpicklingError" in str(result.error["message"])
    assert "望澜" not in str(result.error)


# A bare name.


def test_a_name_that_one_place_has_is_that_place() -> None:
    """One compatible record: exact."""
    result = match("翠澜国际大厦", ["南京市鼓楼区枫丹街9号翠澜国际大厦", WANGLAN_88])
    assert result.matches[0].comparison.label == EXACT
    assert result.status == "matched"


def test_a_name_that_several_places_have_is_none_of_them_for_sure() -> None:
    """Several compatible records: partial, each with its share of the certainty."""
    records = ["南京市鼓楼区枫丹街9号翠澜国际大厦", "长沙市岳麓区枫岚路6号翠澜国际大厦"]
    result = match("翠澜国际大厦", records)
    assert [h.comparison.label for h in result.matches] == [PARTIAL, PARTIAL]
    assert not any(h.comparison.match for h in result.matches)
    assert result.status == "review"
    assert match("南京市翠澜国际大厦", records).matches[0].comparison.label == EXACT


def test_a_name_that_two_records_of_one_place_have_is_that_place() -> None:
    """Writing a place down twice makes it no less certain."""
    records = ["南京市鼓楼区枫丹街9号翠澜国际大厦", "江苏省南京市枫丹街九号翠澜国际大厦"]
    result = match("翠澜国际大厦", records)
    assert [h.comparison.label for h in result.matches] == [EXACT, EXACT]
    assert result.status == "matched"


@given(
    st.integers(2, 20),
    st.floats(0, 1),
    st.sampled_from(["exact", "partial", 0.0, 0.4, 1.0]),
    st.sampled_from([ROOM, "翡岚苑3栋2单元502室"]),
)
def test_one_of_several_keeps_probabilities_coherent(
    n_places: int, exact: float, match_at: str | float, record: str
) -> None:
    """They sum to one, give the score back, make partial the likeliest, and decide `match`."""
    rest = 1.0 - exact
    probabilities = {EXACT: exact, PARTIAL: rest / 2, NOT: rest / 2}
    before = replace(load().compare(ROOM, record), probabilities=probabilities)
    after = one_of(n_places, before, match_at)
    assert after.label == PARTIAL
    assert sum(after.probabilities.values()) == pytest.approx(1.0)
    assert after.probabilities[EXACT] == pytest.approx(exact / n_places)
    assert after.probabilities[EXACT] <= after.probabilities[PARTIAL]
    assert after.score == pytest.approx(
        after.probabilities[EXACT] + 0.5 * after.probabilities[PARTIAL]
    )
    expected = {"exact": False, "partial": True, 0.0: True, 0.4: after.score >= 0.4}
    assert after.match is expected.get(match_at, False)


# With a checkpoint.

VETOED = (ROOM, ROOM.replace("502", "302"))
SURE = (WANGLAN_88, "北京朝阳望澜路88号")
OPEN = ("人民路8号", "杭州市人民路8号")
NUMBERS = ("杭州市文瑞路8号翡岚泽苑", "杭州市文瑞路9号翡岚泽苑")
JUNK = ("测试测试测试", "文瑞路8号")
ALL = [VETOED, SURE, OPEN, NUMBERS, JUNK]


@pytest.fixture(scope="session")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Build a checkpoint and convert it; with `bias`, its head says the same of everything."""

    def make(
        build: Callable[..., Folder],
        *,
        bias: Sequence[float] | None = None,
        labels: Sequence[str] | None = None,
        **how: Any,
    ) -> Path:
        path = tmp_path_factory.mktemp("checkpoint")
        made = build(path / "source", **how)
        if bias is not None:
            made.tensors["classifier.weight"][:] = 0.0
            made.tensors["classifier.bias"][:] = bias
            store(made.path, made.tensors)
        if labels is not None:
            with edited(made.path / "config.json") as config:
                config["id2label"] = {str(i): label for i, label in enumerate(labels)}
                config["label2id"] = {label: i for i, label in enumerate(labels)}
        convert(path / "source", path / "converted", int8=False)
        return path / "converted"

    return make


@pytest.fixture(scope="session")
def encoder(converted: Callable[..., Path]) -> Path:
    """Random vectors."""
    return converted(hub_encoder)


def _saying(label: str) -> np.ndarray:
    return np.log([0.99 if each == label else 0.005 for each in ALIGNMENT_LABELS])


@pytest.fixture(scope="session")
def says_exact(converted: Callable[..., Path]) -> Path:
    """A model of pairs that always says exact match with 0.99."""
    return converted(hub_classifier, bias=_saying(EXACT))


@pytest.fixture(scope="session")
def says_not(converted: Callable[..., Path]) -> Path:
    """A model of pairs that always says no match with 0.99."""
    return converted(hub_classifier, bias=_saying(NOT))


@pytest.fixture(scope="session")
def random_pairs(converted: Callable[..., Path]) -> Path:
    """A model of pairs that says something else of each."""
    return converted(hub_classifier)


@pytest.fixture(scope="session")
def tagger(converted: Callable[..., Path]) -> Path:
    """A tagger to which every character is a place's name."""
    return converted(hub_tags, bias=[9.0 * (label == "S-poi") for label in TAG_LABELS])


def with_checkpoint(folder: Path, **choices: Any) -> Matcher:
    """A matcher whose checkpoint runs in fp32, on one processor."""
    return load(checkpoint=folder, precision="fp32", n_threads=1, **choices)


def test_vectors_give_the_similarity_and_nothing_else(encoder: Path) -> None:
    """It is the cosine of the embeddings; labels and scores are those without it."""
    matcher, plain = with_checkpoint(encoder), load(checkpoint=None)
    found = matcher.compare_batch(*zip(*ALL, strict=True))
    for (left, right), comparison in zip(ALL, found, strict=True):
        a, b = matcher.embed([left, right])
        assert comparison.similarity == pytest.approx(float(a @ b), abs=1e-6)
        assert replace(comparison, similarity=None) == plain.compare(left, right)
        assert comparison.decision_version == DECISION_VERSION
        assert matcher.compare(right, left).similarity == comparison.similarity
    assert len({comparison.similarity for comparison in found}) == len(ALL)


def test_similarity_is_that_of_addresses_without_persons(encoder: Path) -> None:
    """Also of parsed ones."""
    matcher = with_checkpoint(encoder)
    assert matcher.compare(
        f"张三 13800001234 {WANGLAN_88}", WANGLAN_88
    ).similarity == pytest.approx(1.0, abs=1e-6)
    parsed = matcher.compare(parse(SURE[0]), SURE[1]).similarity
    assert parsed == matcher.compare(*SURE).similarity


def test_without_a_checkpoint_there_is_no_similarity() -> None:
    """And no engine."""
    assert load(checkpoint=None).engine is None
    assert load(checkpoint=None).compare(*SURE).similarity is None


def test_embed_gives_unit_vectors(encoder: Path) -> None:
    """One for each text, from any iterable."""
    matcher = with_checkpoint(encoder)
    found = matcher.embed(iter([*SURE, SURE[0]]))
    assert (found.shape, found.dtype) == ((3, 32), np.float32)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(found[0], found[2])
    assert matcher.embed([]).shape == (0, 32)


def test_embed_names_the_first_row_that_fails(encoder: Path) -> None:
    """Counted from 1, as in a table."""
    with pytest.raises(InputError) as error:
        with_checkpoint(encoder).embed([WANGLAN_88, ROOM, " ", ""])
    assert error.value.row == 3


def test_an_error_that_others_share_is_not_written_to(
    encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One text in two calls has two rows."""
    matcher = with_checkpoint(encoder)
    assert matcher.engine is not None
    shared = NonFiniteError("not finite")
    monkeypatch.setattr(
        matcher.engine._executor, "run", lambda tokens, _channels=None: [shared] * len(tokens)
    )
    with pytest.raises(NonFiniteError) as error:
        matcher.embed([WANGLAN_88])
    assert (error.value.row, shared.row, str(error.value)) == (1, None, "not finite")


def test_embed_needs_vectors(random_pairs: Path) -> None:
    """By elements alone, or with a checkpoint of another kind, it says so."""
    with pytest.raises(ConfigError, match="elements alone were asked for"):
        load(checkpoint=None).embed([ROOM])
    with pytest.raises(ConfigError, match="gives pairs"):
        with_checkpoint(random_pairs).embed([ROOM])


def test_one_text_is_not_embedded_letter_by_letter(encoder: Path) -> None:
    """As elsewhere."""
    with pytest.raises(InputError, match="texts are several addresses"):
        with_checkpoint(encoder).embed(ROOM)


@pytest.mark.parametrize("checkpoint", ["says_exact", "says_not"])
def test_structure_keeps_what_it_is_sure_of(
    request: pytest.FixtureRequest, checkpoint: str
) -> None:
    """A veto and a surely placed exact match, whatever the model says; it is not even asked."""
    matcher, plain = with_checkpoint(request.getfixturevalue(checkpoint)), load(checkpoint=None)
    asked: list[Any] = []
    assert matcher.engine is not None
    classify = matcher.engine.classify
    matcher.engine.classify = lambda pairs: asked.extend(pairs) or classify(pairs)  # type: ignore[method-assign, func-returns-value, misc]
    found = matcher.compare_batch(*zip(*ALL, strict=True))
    for place in (0, 1, 4):
        assert found[place] == plain.compare(*ALL[place])
    assert asked == [OPEN, NUMBERS]
    assert [c.decision_version == JOINT_VERSION for c in found] == [False, False, True, True, False]


def test_open_pairs_go_with_the_model(says_exact: Path, says_not: Path) -> None:
    """Up or down."""
    same = with_checkpoint(says_exact).compare(*OPEN)
    other = with_checkpoint(says_not).compare(*OPEN)
    alone = load(checkpoint=None).compare(*OPEN)
    assert (alone.label, same.label, same.match) == (PARTIAL, EXACT, True)
    assert other.score < alone.score < same.score


def test_a_model_never_makes_other_numbers_exact(says_exact: Path) -> None:
    """Two numbers of one compound stay partial."""
    found = with_checkpoint(says_exact).compare(*NUMBERS)
    assert (found.label, found.match) == (PARTIAL, False)
    assert found.probabilities[EXACT] < found.probabilities[PARTIAL]


@pytest.mark.parametrize(
    ("match_at", "expected"), [("exact", True), ("partial", True), (0.9, True), (0.99, False)]
)
def test_match_follows_match_at_with_a_model(
    says_exact: Path, match_at: str | float, *, expected: bool
) -> None:
    """The joint label or score counts."""
    assert with_checkpoint(says_exact, match_at=match_at).compare(*OPEN).match is expected


@pytest.mark.parametrize("policy", ["place", "ccks"])
def test_a_model_keeps_the_laws(random_pairs: Path, policy: str) -> None:
    """Symmetric; three probabilities that are one together and give the score."""
    matcher = with_checkpoint(random_pairs, policy=policy)
    pairs = [*ALL, (ROOM, "翡岚苑3栋"), ("文瑞路12号", "文瑞路12-1号"), ("翡岚苑", "枫丹阁")]
    lefts, rights = zip(*pairs, strict=True)
    joint = 0
    for a, b in zip(
        matcher.compare_batch(lefts, rights), matcher.compare_batch(rights, lefts), strict=True
    ):
        assert (a.label, a.match, a.decision_version) == (b.label, b.match, b.decision_version)
        assert a.score == pytest.approx(b.score, abs=1e-9)
        assert sum(a.probabilities.values()) == pytest.approx(1.0)
        assert a.score == pytest.approx(a.probabilities[EXACT] + 0.5 * a.probabilities[PARTIAL])
        joint += a.decision_version == JOINT_VERSION
    assert joint >= 3


def test_a_ranker_moves_what_is_open(converted: Callable[..., Path]) -> None:
    """It has one number, from no match to exact match."""
    folders = [converted(hub_classifier, n_labels=1, bias=[logit]) for logit in (6, 0, -6)]
    same, unsure, other = map(with_checkpoint, folders)
    assert same.compare(*OPEN).label == EXACT
    scores = [matcher.compare(*OPEN).score for matcher in (other, unsure, same)]
    assert scores == sorted(scores)
    assert scores[0] < load(checkpoint=None).compare(*OPEN).score < scores[2]
    assert same.compare(*VETOED) == load(checkpoint=None).compare(*VETOED)
    assert same.compare(*OPEN).decision_version == JOINT_VERSION


def test_a_classifier_of_something_else_is_refused(converted: Callable[..., Path]) -> None:
    """Its labels mean nothing here."""
    folder = converted(hub_classifier, labels=("same", "other", "unsure"))
    with pytest.raises(ConfigError, match="same, other, unsure") as error:
        with_checkpoint(folder)
    assert error.value.field == "checkpoint"


def test_the_labels_may_stand_in_any_order(converted: Callable[..., Path]) -> None:
    """They are read by name."""
    folder = converted(
        hub_classifier, labels=(EXACT, NOT, PARTIAL), bias=np.log([0.99, 0.005, 0.005])
    )
    assert with_checkpoint(folder).compare(*OPEN).label == EXACT


@pytest.mark.parametrize("checkpoint", ["encoder", "says_exact"])
def test_a_failing_text_leaves_the_structural_verdict(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, checkpoint: str
) -> None:
    """With a flag, and for this pair alone."""
    matcher, plain = with_checkpoint(request.getfixturevalue(checkpoint)), load(checkpoint=None)
    assert matcher.engine is not None
    run = matcher.engine._executor.run
    monkeypatch.setattr(
        matcher.engine._executor,
        "run",
        lambda tokens, _channels=None: [NonFiniteError("not finite"), *run(tokens[1:])],
    )
    failed, good = matcher.compare_batch([OPEN[0], NUMBERS[0]], [OPEN[1], NUMBERS[1]])
    expected = plain.compare(*OPEN)
    assert failed == replace(expected, flags=(*expected.flags, "model_error"))
    assert "model_error" not in good.flags


@pytest.mark.parametrize("checkpoint", ["encoder", "says_exact", "tagger"])
@pytest.mark.parametrize("text", ["", " ", "13800001234", "\ud800", "路" * 5000, "测试测试测试"])
def test_odd_texts_are_compared_with_a_checkpoint(
    request: pytest.FixtureRequest, checkpoint: str, text: str
) -> None:
    """As without: whatever the model cannot read, the elements answer."""
    matcher = with_checkpoint(request.getfixturevalue(checkpoint))
    found, plain = (
        matcher.compare(text, WANGLAN_88),
        load(checkpoint=None).compare(text, WANGLAN_88),
    )
    assert (found.label, found.right.road) == (plain.label, plain.right.road)
    assert ("model_error" in found.flags) == (checkpoint == "encoder" and found.similarity is None)


@pytest.mark.parametrize("checkpoint", ["encoder", "says_exact"])
def test_a_text_that_was_cut_is_flagged(request: pytest.FixtureRequest, checkpoint: str) -> None:
    """The model did not read its end."""
    matcher = with_checkpoint(request.getfixturevalue(checkpoint))
    found = matcher.compare(OPEN[0], OPEN[1] + "岚" * 100)
    assert "truncated" in found.flags
    assert "truncated" not in matcher.compare(*OPEN).flags


def test_a_taggers_elements_join_in(tagger: Path) -> None:
    """Where the rules see nothing; a text that they read well stays as they read it."""
    matcher = with_checkpoint(tagger)
    assert load(checkpoint=None).parse("岚").poi is None
    assert matcher.parse("岚").poi == "岚"
    assert matcher.parse_batch([WANGLAN_88, "岚"]) == [parse(WANGLAN_88), matcher.parse("岚")]
    assert matcher.compare("岚", "岚").left.poi == "岚"
    assert matcher.compare(*SURE) == load(checkpoint=None).compare(*SURE)
    assert matcher.parse("").poi is None


def test_a_tagger_reads_texts_with_the_matchers_choices(tagger: Path) -> None:
    """Region and year."""
    matcher = with_checkpoint(tagger, default_region="浙江省杭州市", as_of=1990)
    assert matcher.parse("望澜路88号").city == "杭州市"
    assert matcher.parse("江苏省万全县望澜路8号").district == "万全区"


def test_a_tagger_that_fails_leaves_the_rules(
    tagger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsing never fails."""
    matcher = with_checkpoint(tagger)
    assert matcher.engine is not None
    error = NonFiniteError("not finite")
    monkeypatch.setattr(
        matcher.engine._executor, "run", lambda tokens, _channels=None: [error] * len(tokens)
    )
    assert matcher.parse_batch(["岚", ROOM]) == [parse("岚"), parse(ROOM)]


@pytest.mark.parametrize("checkpoint", ["encoder", "says_not", "tagger"])
def test_match_goes_by_elements_alone(request: pytest.FixtureRequest, checkpoint: str) -> None:
    """Queries are read as the records of the library were."""
    queries = ["望澜路88号", "岚", "", "翡岚苑3幢2单元502", "人民路8号"]
    library = Library.build([WANGLAN_90, ROOM, WANGLAN_88, "杭州市人民路8号", "岚"])
    matcher = with_checkpoint(request.getfixturevalue(checkpoint))
    matcher.engine = Mock(kind=matcher.engine.kind)  # type: ignore[union-attr]
    assert matcher.match(queries, library) == load(checkpoint=None).match(queries, library)
    assert matcher.engine.method_calls == []


# The choices of a checkpoint.


def test_checkpoint_is_used(says_exact: Path, says_not: Path, tmp_path: Path) -> None:
    """As a path or its text; what is none is refused at once."""
    assert with_checkpoint(says_exact).compare(*OPEN).label == EXACT
    assert load(checkpoint=str(says_not)).compare(*OPEN).label == PARTIAL
    with pytest.raises(ModelError):
        load(checkpoint=tmp_path)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_runtime_is_used(encoder: Path, runtime: str) -> None:
    """And an unknown one refused."""
    pytest.importorskip(runtime)
    engine = load(checkpoint=encoder, runtime=runtime).engine
    assert engine is not None
    assert engine.info()["runtime"] == runtime
    with pytest.raises(ConfigError, match="openvino, onnxruntime, torch"):
        load(checkpoint=encoder, runtime="paper")


def test_precision_is_used(encoder: Path) -> None:
    """This folder has no int8, which `auto` would take first."""
    engine = load(checkpoint=encoder, precision="fp32").engine
    assert engine is not None
    assert engine.info()["precision"] == "fp32"
    with pytest.raises(ConfigError, match="int8"):
        load(checkpoint=encoder, precision="int8")


@pytest.mark.parametrize("n_threads", [1, 2])
def test_n_threads_is_used(encoder: Path, n_threads: int) -> None:
    """By the runtime."""
    engine = load(checkpoint=encoder, n_threads=n_threads).engine
    assert engine is not None
    assert engine.info()["n_threads"] == n_threads


def test_observers_are_told_of_all_stages(encoder: Path) -> None:
    """Those of the matcher and those of its engine, from any iterable, each with its items."""
    timings = Timings()
    told: list[Event] = []
    matcher = with_checkpoint(encoder, observers=iter([timings, told.append]))
    matcher.compare_batch(*zip(SURE, (SURE[0], ROOM), strict=True))
    assert timings.n_items == {
        "parse": 4,
        "compare": 2,
        "normalise": 3,
        "look_up": 3,
        "tokenise": 3,
        "plan": 3,
        "forward": 3,
        "pool": 3,
        "decide": 2,
    }
    stages = [event.stage for event in told if isinstance(event, StageDone)]
    assert [stages.count(stage) for stage in ("parse", "compare", "decide")] == [1, 1, 1]


def test_observers_are_told_without_a_checkpoint() -> None:
    """What the rules did."""
    timings = Timings()
    matcher = load(observers=[timings])
    matcher.compare(parse(ROOM), WANGLAN_88)
    assert timings.n_items == {"parse": 1, "compare": 1, "decide": 1}
