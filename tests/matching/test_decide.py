"""The joint decision: labels, scores, probabilities, reasons, and the laws that tie them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from menpai.address.parse import parse
from menpai.address.rarity import Rarity
from menpai.matching.decide import (
    DECISION_VERSION,
    JOINT_VERSION,
    Evidence,
    conclude,
    decide,
    is_settled,
    weigh,
)
from menpai.matching.results import LABELS, Comparison, Hit, Match

EXACT, PARTIAL, NOT = "exact_match", "partial_match", "not_match"


def verdict(left: str, right: str, **options: object) -> Comparison:
    """Decide on two texts."""
    return decide(parse(left), parse(right), **options)  # type: ignore[arg-type]


# Rows that the decision table's own tests leave out: what else holds agreements up or down.
ROWS = [
    # tenants and names at one number
    ("same-tenant", "文瑞路8号岚泽贸易公司", "文瑞路8号岚泽贸易有限公司", EXACT, EXACT),
    ("same-tenant-other-floor", "文瑞路8号3层岚泽贸易公司", "文瑞路8号岚泽贸易公司", EXACT, EXACT),
    ("other-name-other-room", "文瑞路8号翡岚苑302室", "文瑞路8号枫丹阁402室", NOT, PARTIAL),
    ("building-on-one-side", "文瑞路8号翡岚苑", "文瑞路8号", EXACT, EXACT),
    ("place-on-one-side", "文瑞路8号泽安堂", "文瑞路8号", PARTIAL, PARTIAL),
    ("poi-on-one-side-other-room", "文瑞路8号翡岚苑302室", "文瑞路8号402室", NOT, PARTIAL),
    ("side-unsaid", "杭州市文瑞路8号", "杭州市文瑞南路8号", PARTIAL, PARTIAL),
    ("group-differs-at-number", "三墩镇岚泽村5组8号", "三墩镇岚泽村6组8号", NOT, NOT),
    # one place by name
    ("place-other-number", "杭州市文瑞路8号翡岚泽苑", "杭州市文瑞路9号翡岚泽苑", PARTIAL, PARTIAL),
    ("place-other-road", "杭州市文瑞路8号翡岚泽苑", "杭州市岚泉路8号翡岚泽苑", PARTIAL, PARTIAL),
    ("usual-place-other-road", "文瑞路8号中心小区", "岚泉路8号中心小区", NOT, NOT),
    ("telling-place-other-road", "文瑞路8号龘岚鬱泽骉苑", "岚泉路8号龘岚鬱泽骉苑", PARTIAL, PARTIAL),
    ("misheard-usual-place-other-road", "文瑞路8号丽景苑", "岚泉路9号丽井苑", NOT, NOT),
    ("place-part-of-number", "文瑞路8号翡岚泽苑", "文瑞路8-1号翡岚泽苑", PARTIAL, PARTIAL),
    ("place-other-room", "翡岚苑302室", "翡岚苑402室", NOT, PARTIAL),
    ("place-room-part", "翡岚苑302室", "翡岚苑302-1室", PARTIAL, PARTIAL),
    ("place-building-part", "翡岚苑3栋", "翡岚苑3、4栋", PARTIAL, PARTIAL),
    ("place-with-tenant", "翡岚大厦,岚泽贸易公司", "翡岚大厦", PARTIAL, PARTIAL),
    ("tenants-of-a-place", "翡岚大厦,岚泽贸易公司", "翡岚大厦,鼎枫机械公司", NOT, PARTIAL),
    ("tenant-of-two-places", "翡岚大厦,岚泽贸易公司", "枫丹大厦,岚泽贸易公司", PARTIAL, PARTIAL),
    ("tenant-in-a-place", "翡岚大厦,岚泽贸易公司", "岚泽贸易公司", EXACT, EXACT),
    ("branch-unsaid", "岚泽便利店(江岚店)", "岚泽便利店", PARTIAL, PARTIAL),
    ("other-branch", "岚泽便利店(江岚店)", "岚泽便利店(溪安店)", NOT, PARTIAL),
    # one road
    ("road-place-on-one-side", "文瑞路翡岚苑", "文瑞路", PARTIAL, PARTIAL),
    ("road-other-places", "文瑞路翡岚苑", "文瑞路枫丹阁", NOT, NOT),
    ("road-other-room", "文瑞路3栋302室", "文瑞路3栋402室", NOT, PARTIAL),
    ("road-number-part", "文瑞路12号", "文瑞路12-1号", PARTIAL, PARTIAL),
    ("road-number-part-other-room", "文瑞路12号3栋302室", "文瑞路12-1号3栋402室", NOT, NOT),
    ("road-misspelt", "杭州市文瑞路", "杭州市文睿路", PARTIAL, PARTIAL),
    ("road-other-village", "三墩镇岚泽村文瑞路", "三墩镇溪安村文瑞路", NOT, NOT),
    ("other-crossing", "文瑞路与岚泉路交叉口", "文瑞路与泽安路交叉口", NOT, NOT),
    # no road
    ("separate-ways", "三墩镇中心村文瑞路", "三墩镇中心村枫丹阁", NOT, NOT),
    ("other-group", "三墩镇岚泽村5组", "三墩镇岚泽村6组", NOT, NOT),
    ("group-on-one-side", "三墩镇岚泽村5组", "三墩镇岚泽村", PARTIAL, PARTIAL),
    ("same-group", "三墩镇岚泽村5组", "三墩镇岚泽村五组", EXACT, EXACT),
    ("village-other-number", "三墩镇岚泽村5号", "三墩镇岚泽村6号", NOT, PARTIAL),
    ("other-places", "翡岚苑", "枫丹阁", NOT, NOT),
    ("alike-places", "翡岚泽泉湾苑", "翡岚泽泉汀苑", PARTIAL, PARTIAL),
    ("alike-places-other-room", "翡岚泽泉湾苑302室", "翡岚泽泉汀苑402室", NOT, NOT),
    ("nothing-in-common", "文瑞路8号", "翡岚苑", NOT, NOT),
    # divisions only
    ("district", "杭州市西湖区", "杭州西湖区", EXACT, EXACT),
    ("district-and-more", "杭州市西湖区", "杭州市西湖区文瑞路8号", PARTIAL, PARTIAL),
    ("city-and-more", "杭州市", "杭州市文瑞路8号", NOT, NOT),
    ("city-and-district", "杭州市", "杭州市西湖区", PARTIAL, PARTIAL),
    ("only-the-city", "杭州市文瑞路8号", "杭州市翡岚苑", NOT, NOT),
    # conflicts above
    ("town-conflict", "杭州市西湖区三墩镇文瑞路8号", "杭州市西湖区双浦镇文瑞路8号", PARTIAL, EXACT),
    ("district-conflict-road", "杭州市西湖区文瑞路", "杭州市鄞州区文瑞路", PARTIAL, EXACT),
    ("city-conflict", "杭州市文瑞路8号", "宁波市文瑞路8号", NOT, NOT),
    ("misspelt-city", "杭洲市文瑞路8号", "宁波市文瑞路8号", PARTIAL, EXACT),
    ("other-zone", "苏州市岚泽开发区文瑞路8号", "苏州市溪安开发区文瑞路8号", PARTIAL, EXACT),
    ("common-road", "人民路8号", "杭州市人民路8号", PARTIAL, PARTIAL),
    ("common-road-same-city", "杭州市人民路8号", "杭州人民路8号", EXACT, EXACT),
    ("common-road-named-place", "人民路8号翡岚泽苑", "杭州市人民路8号翡岚泽苑", EXACT, EXACT),
    ("common-road-no-city", "人民路8号", "人民路8号", EXACT, EXACT),
    # neighbourhoods
    ("near", "文瑞路8号附近", "文瑞路8号", PARTIAL, PARTIAL),
    ("near-itself", "翡岚泽苑对面", "翡岚泽苑对面", PARTIAL, PARTIAL),
    ("named-near-a-station", "岚泽贸易公司(江岚站附近)", "岚泽贸易公司", EXACT, EXACT),
    ("junk", "测试测试测试", "测试测试测试", NOT, NOT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right", "label", "ccks"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_labels_of_both_policies(left: str, right: str, label: str, ccks: str) -> None:
    """Each policy gives its label, whichever side is left."""
    assert (verdict(left, right).label, verdict(right, left).label) == (label, label)
    told = [verdict(*pair, policy="ccks").label for pair in ((left, right), (right, left))]
    assert told == [ccks, ccks]


FLAGS = [
    ("none", "文瑞路8号", "文瑞路8号", ()),
    ("typo", "文瑞路8号", "文睿路8号", ("road_typo",)),
    ("number", "杭州市文瑞路8号翡岚泽苑", "杭州市文瑞路9号翡岚泽苑", ("number_conflict",)),
    ("name", "文瑞路8号翡岚苑", "文瑞路8号枫丹阁", ("name_conflict",)),
    ("near", "文瑞路8号附近", "文瑞路8号", ("near",)),
    ("division", "深圳市福田区文瑞路8号", "深圳市罗湖区文瑞路8号", ("division_conflict",)),
    ("junk", "测试测试测试", "文瑞路8号", ("not_an_address",)),
]


@pytest.mark.parametrize(
    ("left", "right", "flags"), [f[1:] for f in FLAGS], ids=[f[0] for f in FLAGS]
)
def test_flags(left: str, right: str, flags: tuple[str, ...]) -> None:
    """What held an agreement down is said."""
    assert verdict(left, right).flags == flags == verdict(right, left).flags


LEVELS = [
    ("none", "文瑞路8号", "翡岚苑", None),
    ("city", "杭州市文瑞路8号", "杭州市翡岚苑", "city"),
    ("road", "文瑞路8号", "文瑞路9号", "road"),
    ("number", "文瑞路8号3栋", "文瑞路8号4栋", "roadno"),
    ("place", "文瑞路翡岚苑3栋", "文瑞路翡岚苑", "poi"),
    ("room", "翡岚苑3栋302室", "翡岚苑3栋302", "room"),
    ("below-a-conflict", "文瑞路8号302室", "文瑞路9号302室", "road"),
    ("below-another-group", "三墩镇岚泽村5组12号", "三墩镇岚泽村6组12号", "village"),
]


@pytest.mark.parametrize(
    ("left", "right", "level"), [x[1:] for x in LEVELS], ids=[x[0] for x in LEVELS]
)
def test_level(left: str, right: str, level: str | None) -> None:
    """The deepest element on which both agree, above the first numbered conflict."""
    assert verdict(left, right).level == level == verdict(right, left).level


# The arguments.


def test_policy_changes_the_label() -> None:
    """Two rooms of one building are other places, or akin in the benchmark's eyes."""
    pair = ("翡岚苑3栋302室", "翡岚苑3栋402室")
    assert verdict(*pair, policy="place").label == verdict(*pair).label == NOT
    assert verdict(*pair, policy="ccks").label == PARTIAL


@pytest.mark.parametrize(
    ("right", "match_at", "match"),
    [
        ("文瑞路8号", "exact", True),
        ("文瑞路8号3栋", "exact", False),
        ("文瑞路8号3栋", "partial", True),
        ("文瑞路9号", "partial", False),
        ("文瑞路9号", 0.0, False),
        ("文瑞路9号", 0, False),
        ("文瑞路8号3栋", 0.3, True),
        ("文瑞路8号", 1.0, False),
        ("文瑞路8号", 0.8, True),
        ("文瑞路9号", 0.8, False),
    ],
)
def test_match_at_decides_what_counts(right: str, match_at: str | float, *, match: bool) -> None:
    """A label or a score is asked for; a number that conflicts is outweighed by neither."""
    assert verdict("文瑞路8号", right, match_at=match_at).match is match


def test_exact_is_asked_for_by_default() -> None:
    """Without an argument only an exact match counts."""
    assert not verdict("文瑞路8号", "文瑞路8号3栋").match
    assert verdict("文瑞路8号", "文瑞路8号").match


def test_statistics_weigh_what_is_shared() -> None:
    """Where every record has the name, sharing it proves less."""
    pair = ("翡岚泽苑", "翡岚泽苑3栋")
    statistics = Rarity.from_texts(["翡岚泽苑"] * 50)
    assert verdict(*pair, statistics=statistics).score < verdict(*pair).score


# Scores, probabilities, reasons.


def test_scores_follow_what_is_known() -> None:
    """More in common, more score."""
    scores = [
        verdict("杭州市文瑞路8号翡岚泽苑3栋302室", right).score
        for right in (
            "杭州市文瑞路8号翡岚泽苑3栋302室",
            "杭州市文瑞路8号翡岚泽苑3栋",
            "杭州市文瑞路9号枫丹阁",
            "宁波市岚泉路9号枫丹阁",
        )
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.9
    assert scores[-1] < 0.1


def test_a_sure_place_scores_high() -> None:
    """The same road is 0.8 at least, even where every record has it; a district alone is not."""
    everywhere = Rarity.from_texts(["文瑞路"] * 50)
    assert verdict("文瑞路", "文瑞路", statistics=everywhere).score >= 0.8
    assert verdict("文瑞路8号", "文瑞路8号").score >= 0.8
    assert verdict("杭州市西湖区", "杭州市西湖区").score < 0.8


def test_a_contradiction_scores_low_however_much_is_shared() -> None:
    """Another room of one building stays below what counts as sure, and below a mere difference."""
    rest = "杭州市西湖区文瑞路8号龘岚鬱泽骉苑3栋2单元"
    assert verdict(rest + "302室", rest + "402室").score < 0.7
    assert verdict(rest + "302室", rest + "402室", policy="ccks").score > 0.8


def test_policies_bound_scores_otherwise() -> None:
    """The benchmark's labels follow structure less closely, so an exact one may score less."""
    strict, loose = (verdict("杭州市", "杭州市", policy=policy) for policy in ("place", "ccks"))
    assert strict.label == loose.label == EXACT
    assert strict.score > 2 * loose.score


def test_reasons_say_what_each_element_adds() -> None:
    """A conflict weighs against, an agreement for, what is not weighed not at all."""
    reasons = {r.element: r for r in verdict("杭州市文瑞路8号3栋", "杭州市文瑞路8号4栋").reasons}
    assert reasons["building"].weight < 0 < reasons["road"].weight
    assert reasons["city"].weight == 0.0
    assert (reasons["building"].left, reasons["building"].right) == ("3栋", "4栋")
    assert reasons["building"].relation == "conflict"


def test_the_benchmark_weighs_siblings_as_alike() -> None:
    """Two phases of one compound speak against a place, and for akin ones."""
    pair = ("翡岚花园1期", "翡岚花园2期")
    (strict,), (loose,) = verdict(*pair).reasons, verdict(*pair, policy="ccks").reasons
    assert strict.weight < 0 < loose.weight


# Laws.

FRAGMENTS = st.sampled_from(
    "北京市 朝阳区 浙江省 杭州市 西湖区 三墩镇 岚泽村 5组 文瑞路 文瑞南路 岚泉街 8号 9号 12-1号 777弄24号 翡岚苑 翡岚苑二期 枫丹大厦 岚泽公司 "
    "岚泽便利店(江岚店) 3栋 4栋 2单元 5层 302室 402室 7-2-802 附近 对面 停车场 测试 No.8 , ".split(
        " "
    )
)
TEXTS = st.lists(FRAGMENTS, max_size=7).map("".join)
POLICIES = st.sampled_from(["place", "ccks"])


@given(TEXTS, TEXTS, POLICIES)
def test_comparison_is_symmetric(left: str, right: str, policy: str) -> None:
    """The same label, score, level and flags from both sides, with mirrored reasons."""
    forward, backward = verdict(left, right, policy=policy), verdict(right, left, policy=policy)
    assert forward.label == backward.label
    assert forward.score == pytest.approx(backward.score, abs=1e-12)
    assert forward.level == backward.level
    assert forward.match == backward.match
    assert set(forward.flags) == set(backward.flags)
    mirrored = {r.element: r._replace(left=r.right, right=r.left) for r in backward.reasons}
    assert {r.element: r for r in forward.reasons} == mirrored
    assert (forward.left, forward.right) == (backward.right, backward.left)


@given(TEXTS, TEXTS, POLICIES)
def test_probabilities_give_the_score_back(left: str, right: str, policy: str) -> None:
    """Three probabilities that sum to one; exact and half of partial are the score."""
    found = verdict(left, right, policy=policy)
    assert tuple(found.probabilities) == LABELS
    assert all(0.0 <= p <= 1.0 for p in found.probabilities.values())
    assert sum(found.probabilities.values()) == pytest.approx(1.0)
    exact, partial = found.probabilities[EXACT], found.probabilities[PARTIAL]
    assert exact + partial / 2 == pytest.approx(found.score)


@given(TEXTS)
def test_an_address_is_itself(text: str) -> None:
    """Nothing differs between a text and itself."""
    found = verdict(text, text)
    assert {r.relation for r in found.reasons} <= {"equal", "alias"}
    assert found.label == EXACT or {"near", "not_an_address"} & set(found.flags)


NUMBERED = ["文瑞路{}号", "翡岚苑{}栋", "翡岚苑{}单元", "翡岚苑3栋{}室", "三墩镇岚泽村{}组", "文瑞路777弄{}号", "文瑞路8号{}层", "文瑞路8号{}组", "文瑞路8号翡岚苑{}栋"]  # fmt: skip


@given(st.sampled_from(NUMBERED), st.integers(1, 3000), st.integers(1, 3000), POLICIES)
def test_a_number_that_differs_is_never_exact(form: str, a: int, b: int, policy: str) -> None:
    """Exact is only the same number, whatever is numbered."""
    left, right = "杭州市" + form.format(a), "杭州市" + form.format(b)
    found = verdict(left, right, policy=policy)
    assert (found.label == EXACT) == (a == b)


@pytest.mark.parametrize("form", NUMBERED)
def test_forms_of_one_number_are_one(form: str) -> None:
    """Arabic, Chinese and full-width digits make no difference."""
    left = "杭州市" + form.format("12")
    assert verdict(left, "杭州市" + form.format("十二")).label == EXACT
    assert verdict(left, "杭州市" + form.format("１２")).label == EXACT


# The JSON contract.

COMPARISON_KEYS = [
    "label", "match", "score", "similarity", "probabilities", "level", "reasons", "flags", "left",
    "right", "decision_version",
]  # fmt: skip


def test_comparison_as_json() -> None:
    """Keys in the contract's order, numbers rounded, nothing that JSON lacks."""
    found = verdict("杭州市文瑞路8号", "杭州市文瑞路8号3栋")
    row = found.to_dict()
    assert list(row) == COMPARISON_KEYS
    assert row["decision_version"] == DECISION_VERSION
    assert row["similarity"] is None
    assert row["score"] == round(found.score, 6)
    assert row["left"] == parse("杭州市文瑞路8号").to_dict()
    assert row["right"] == parse("杭州市文瑞路8号3栋").to_dict()
    assert json.loads(json.dumps(row)) == row


def test_reason_as_json() -> None:
    """A reason's keys in order."""
    (found,) = verdict("翡岚苑", "翡岚苑").reasons
    reason = found.to_dict()
    assert list(reason) == ["element", "left", "right", "relation", "weight"]
    assert (reason["element"], reason["relation"]) == ("poi", "equal")


def test_match_as_json() -> None:
    """A hit is a comparison without its left address, under a query."""
    hit = Hit("r1", "杭州市文瑞路8号", 1, verdict("文瑞路8号", "杭州市文瑞路8号"))
    row = Match("文瑞路8号", "matched", (hit,)).to_dict()
    assert list(row) == ["query", "status", "matches", "error"]
    assert row["error"] is None
    assert row["matches"] == [hit.to_dict()]
    told = hit.to_dict()
    assert list(told)[:3] == ["record_id", "text", "rank"]
    assert list(told)[3:] == [key for key in COMPARISON_KEYS if key != "left"]


def test_failed_match_as_json() -> None:
    """An error stands in place of matches."""
    error = {"code": "bad_input", "message": "…", "field": None, "row": 3, "retryable": False}
    row = Match("", "error", error=error).to_dict()
    assert (row["status"], row["matches"], row["error"]) == ("error", [], error)


@pytest.mark.parametrize(
    ("left", "right", "element", "relation"),
    [
        ("文瑞路8号", "文睿路8号", "road", "alias"),
        ("杭州市翡岚苑停车场", "杭州市翡岚苑", "poi", "contains"),
        ("文瑞路8号", "文瑞路9号", "roadno", "conflict"),
    ],
)
def test_reasons_speak_the_words_of_the_contract(
    left: str, right: str, element: str, relation: str
) -> None:
    """Nearly the same names are called aliases, or one to hold the other."""
    reasons = verdict(left, right).reasons
    assert [r.relation for r in reasons if r.element == element] == [relation]


# With what a model says.

VETOED = ("浙江省杭州市西湖区翡岚苑3栋2单元502室", "浙江省杭州市西湖区翡岚苑3栋2单元302室")
SURE = ("北京市朝阳区望澜路88号", "北京朝阳望澜路88号")
OPEN = ("人民路8号", "杭州市人民路8号")
SAYS_EXACT = {EXACT: 0.99, PARTIAL: 0.005, NOT: 0.005}
SAYS_NOT = {EXACT: 0.005, PARTIAL: 0.005, NOT: 0.99}


def joined(left: str, right: str, model: dict[str, float] | None, **options: object) -> Comparison:
    """Decide on two texts with a model's probabilities."""
    match_at = options.pop("match_at", "exact")
    structure = weigh(parse(left), parse(right), **options)  # type: ignore[arg-type]
    return conclude(structure, match_at, Evidence(probabilities=model))  # type: ignore[arg-type]


def test_without_evidence_structure_decides() -> None:
    """The two halves of the decision are the whole."""
    for row in ROWS:
        assert joined(row[1], row[2], None) == verdict(row[1], row[2])


@pytest.mark.parametrize("model", [SAYS_EXACT, SAYS_NOT])
@pytest.mark.parametrize("pair", [VETOED, SURE, ("测试测试测试", "文瑞路8号")])
def test_what_is_decided_is_not_up_to_the_model(
    pair: tuple[str, str], model: dict[str, float]
) -> None:
    """A veto, and an exact match whose place is sure: all but the flags stay as they are."""
    found = joined(*pair, model)
    assert found == verdict(*pair)
    assert found.decision_version == DECISION_VERSION


def test_what_the_benchmark_calls_exact_is_up_to_the_model() -> None:
    """Under `ccks` only a veto is sure: its exact matches are others than those of `place`."""
    found = joined(*SURE, SAYS_NOT, policy="ccks")
    assert found.decision_version == JOINT_VERSION
    assert found.score < verdict(*SURE, policy="ccks").score


@pytest.mark.parametrize(("share", "label"), [(0.0, PARTIAL), (1.0, NOT)])
def test_a_model_counts_as_much_as_its_share(share: float, label: str) -> None:
    """From nothing to all."""
    structure = weigh(parse(OPEN[0]), parse(OPEN[1]))
    assert conclude(structure, "exact", Evidence(None, SAYS_NOT, (), share)).label == label


def test_what_is_open_goes_with_the_model() -> None:
    """A common road without its city: it may be that city's."""
    alone, same, other = (joined(*OPEN, model) for model in (None, SAYS_EXACT, SAYS_NOT))
    assert (alone.label, same.label) == (PARTIAL, EXACT)
    assert other.score < alone.score < same.score
    assert same.match
    assert {same.decision_version, other.decision_version} == {JOINT_VERSION}
    assert (same.reasons, same.level, same.flags) == (alone.reasons, alone.level, alone.flags)


@pytest.mark.parametrize("policy", ["place", "ccks"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("杭州市文瑞路8号翡岚泽苑", "杭州市文瑞路9号翡岚泽苑"),
        ("文瑞路12号", "文瑞路12-1号"),
        ("翡岚苑3栋", "翡岚苑3、4栋"),
        ("翡岚苑3栋2单元502室", "翡岚苑3栋3单元502室"),
        ("文瑞路8号附近", "文瑞路8号"),
        ("文瑞路8号", "文瑞路8号对面"),
    ],
)
def test_no_model_makes_other_numbers_or_neighbours_exact(
    left: str, right: str, policy: str
) -> None:
    """However sure it is."""
    sure = {EXACT: 1.0, PARTIAL: 0.0, NOT: 0.0}
    found = joined(left, right, sure, policy=policy)
    assert found.label in {PARTIAL, NOT}
    assert not found.match
    if policy == "place":
        assert found.probabilities[EXACT] < max(found.probabilities.values())


@pytest.mark.parametrize(
    ("match_at", "expected"), [("exact", True), ("partial", True), (0.9, True), (0.99, False)]
)
def test_match_follows_the_joint_verdict(match_at: str | float, *, expected: bool) -> None:
    """Label or score, as chosen; the rules alone say partial here."""
    assert joined(*OPEN, SAYS_EXACT, match_at=match_at).match is expected


def test_what_the_model_says_beside_is_passed_on() -> None:
    """The similarity counts for nothing, flags are added once and behind the others."""
    left, right = "杭州市文瑞路8号翡岚泽苑", "杭州市文瑞路9号翡岚泽苑"
    structure = weigh(parse(left), parse(right))
    plain = conclude(structure)
    found = conclude(structure, "exact", Evidence(0.25, None, ("truncated", "number_conflict")))
    assert found.flags == ("number_conflict", "truncated")
    assert found.similarity == 0.25
    assert (found.label, found.score, found.probabilities, found.decision_version) == (
        plain.label,
        plain.score,
        plain.probabilities,
        DECISION_VERSION,
    )


FAR = ("杭州市西湖区文瑞路8号", "长沙市岳麓区枫岚路66号翡岚苑")


@pytest.mark.parametrize(
    ("pair", "policy", "share", "expected"),
    [
        (VETOED, "place", 1.0, True),
        (SURE, "place", 1.0, True),
        (OPEN, "place", 0.1, False),  # a match is refined, whatever comes of it
        (FAR, "place", 0.25, True),
        (("翡岚苑", "枫丹阁"), "place", 0.25, True),
        (("翡岚苑", "枫丹阁"), "place", 1.0, False),  # a trained model may know that they are one
        (("翡岚苑", "枫丹阁"), "ccks", 0.25, False),
    ],
)
def test_what_no_answer_would_change_is_not_asked(
    pair: tuple[str, str], policy: str, share: float, *, expected: bool
) -> None:
    """By how much the model counts, and under `place` alone."""
    structure = weigh(parse(pair[0]), parse(pair[1]), policy)
    assert is_settled(structure, share) is expected
    if expected and not structure.is_decisive:
        found = conclude(structure, "exact", Evidence(None, SAYS_EXACT, (), share))
        assert found.label == structure.verdict.label


@given(
    st.sampled_from(ROWS),
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).filter(lambda p: sum(p) > 1e-3),
    st.sampled_from(["place", "ccks"]),
    st.sampled_from(["exact", "partial", 0.5]),
)
def test_laws_of_the_joint_decision(
    row: tuple[str, ...], said: tuple[float, ...], policy: str, match_at: str | float
) -> None:
    """Symmetric; probabilities make one and the score; the label of `place` is the likeliest."""
    model = {label: p / sum(said) for label, p in zip(LABELS, said, strict=True)}
    options = {"policy": policy, "match_at": match_at}
    found = joined(row[1], row[2], model, **options)
    mirrored = joined(row[2], row[1], model, **options)
    assert (found.label, found.match) == (mirrored.label, mirrored.match)
    assert found.score == pytest.approx(mirrored.score)
    assert sum(found.probabilities.values()) == pytest.approx(1.0)
    assert all(0.0 <= p <= 1.0 for p in found.probabilities.values())
    if found.decision_version == JOINT_VERSION:
        best = found.probabilities[EXACT] + 0.5 * found.probabilities[PARTIAL]
        assert found.score == pytest.approx(best)
        likeliest = max(found.probabilities.values())
        assert policy == "ccks" or found.probabilities[found.label] == pytest.approx(likeliest)
    else:
        assert found == verdict(row[1], row[2], **options)
    reached = {"exact": found.label == EXACT, "partial": found.label != NOT}
    if match_at in reached:
        assert found.match is reached[match_at]
    json.dumps(found.to_dict())
