"""The one joint decision: relations and policy to label, score, level and reasons.

The score is P(exact) + 0.5 P(partial). Its log-odds are a sum of documented weights: what the
texts share, what the elements say, and the policy's label, which also bounds the score: a surely
placed exact match never scores below 0.8, nor a contradiction above 0.45.

A pair model, where there is one, has its say on what structure leaves open: neither a veto nor a
surely placed exact match, and never does it make two different numbers exact, nor a place and
what is near it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from menpai.address.compare import compare
from menpai.address.elements import NUMBERED
from menpai.matching import policy as policies
from menpai.matching.results import LABELS, Comparison, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from menpai.address.elements import Address
    from menpai.address.rarity import Rarity
    from menpai.address.relations import Relation, Relations
    from menpai.matching.policy import Verdict
    from menpai.matching.results import Label

DECISION_VERSION = "rules-2"
JOINT_VERSION = "rules-2+model-2"

_BASE = -4.8
_SHARED = 0.85
"""Log-odds for one unit of shared rarity (see address.compare.evidence)."""
_NUMBERS = 0.8
_SAME_NUMBER = 3.0
"""Log-odds for one road with one number: the strongest single cue of all."""
_OTHER_NUMBER = -0.3
_LABEL = {"exact_match": 1.0, "partial_match": 0.5, "not_match": -0.5}
_WEIGHTS: dict[str, dict[str, float]] = {
    "village": {"equal": 0.3, "conflict": -1.0, "missing": -0.4},
    "group": {"missing": -0.3, "conflict": -0.5},
    "road": {"equal": 0.6, "alias": 0.6, "contains": 0.3, "similar": 0.3, "conflict": -0.5},
    "poi": {"equal": 0.8, "alias": 0.8, "similar": 0.5, "conflict": -0.4},
    "tenant": {"equal": 0.8, "alias": 0.6, "similar": 0.2, "conflict": -0.4},
}
_STRICT_WEIGHTS: dict[str, dict[str, float]] = {
    "province": {"conflict": -4.0},
    "city": {"conflict": -3.0},
    "district": {"equal": 0.2, "conflict": -0.4},
    "town": {"equal": 0.2, "conflict": -0.3},
    "roadno": {"conflict": -0.5},
    "building": {"equal": 0.2, "conflict": -0.5},
    "unit": {"equal": 0.1, "conflict": -0.3},
    "floor": {"conflict": -0.2},
    "room": {"equal": 0.2, "conflict": -0.5},
}
"""What only counts under `place`: the benchmark's couriers write wrong districts, and it takes
conflicting children of one place for a partial match."""
_BOUNDS: dict[str, dict[str, tuple[float, float]]] = {
    "place": {
        "exact_match": (0.51, 0.995),
        "partial_match": (0.34, 0.745),
        "not_match": (0.002, 0.49),
    },
    "ccks": {
        "exact_match": (0.10, 0.995),
        "partial_match": (0.01, 0.95),
        "not_match": (0.002, 0.93),
    },
}
"""Least and greatest score of a label. Under `place` a label's probability is the greatest of the
three; the benchmark's labels follow structure less closely, and its score goes its own way."""
_ANCHORED_EXACT = 0.80
"""Least score of an exact match whose place is sure: the same road, or a name in the same city."""
_VETO_BOUND = 0.45
_LABEL_SHARE = {"place": 0.5, "ccks": 0.0}
"""How much of structure's probabilities its label takes when a model's are joined with them: the
labels of `place` are those of the table, the benchmark's follow it loosely."""
MODEL_SHARE = 0.5
"""The model's part in the joint log-probabilities, where a checkpoint brings no calibration."""
_LEAST = 1e-6  # no one's zero rules a label out by itself
_SUREST = {"exact_match": 0.98, "partial_match": 0.01, "not_match": 0.01}
_LEAST_ODDS = 1e-4  # what a model is surer of than once in ten thousand is not told by it
_EXACT_SHARE = {"exact_match": 0.85, "partial_match": 0.2, "not_match": 0.5}


class Evidence(NamedTuple):
    """What a model says of a pair; None where it says nothing.

    Attributes:
        similarity: Cosine of the two vectors. It is reported, not counted: what a cosine means is
            another thing for every encoder.
        probabilities: Of the three labels, together 1.
        flags: What is worth knowing about it: truncated, model_error.
        share: The model's part in the joint log-probabilities, the rest is structure's.
    """

    similarity: float | None = None
    probabilities: Mapping[str, float] | None = None
    flags: tuple[str, ...] = ()
    share: float = MODEL_SHARE


NOTHING = Evidence()


class Structure(NamedTuple):
    """What the elements of two addresses say."""

    left: Address
    right: Address
    relations: Relations
    verdict: Verdict
    score: float
    policy: str

    @property
    def is_decisive(self) -> bool:
        """Whether no model is asked: a veto, or under `place` an exact match that is sure.

        What the benchmark calls exact is another thing than one place.
        """
        verdict = self.verdict
        sure = verdict.label == "exact_match" and verdict.anchored
        return verdict.veto or (sure and self.policy == "place")


def decide(
    left: Address,
    right: Address,
    *,
    policy: str = "place",
    match_at: str | float = "exact",
    statistics: Rarity | None = None,
) -> Comparison:
    """Decide on two parsed addresses by their elements alone.

    Args:
        left: One address.
        right: The other; swapping them gives the same label and score with mirrored reasons.
        policy: "place" or "ccks".
        match_at: What counts as a match: "exact", "partial", or a score from 0 to 1.
        statistics: Rarity of character bigrams of the library; packaged ones if None.
    """
    return conclude(weigh(left, right, policy, statistics), match_at)


def weigh(
    left: Address, right: Address, policy: str = "place", statistics: Rarity | None = None
) -> Structure:
    """Relate two addresses and judge the relations; see `decide`."""
    relations = compare(left, right, statistics)
    verdict = policies.judge(left, right, relations, policy)
    score = _bounded(_log_odds(relations, verdict, _weights(policy)), verdict, policy)
    return Structure(left, right, relations, verdict, score, policy)


def conclude(
    structure: Structure, match_at: str | float = "exact", evidence: Evidence = NOTHING
) -> Comparison:
    """Join structure with what a model says of the same pair."""
    verdict, relations = structure.verdict, structure.relations
    label, score = verdict.label, structure.score
    probabilities: Mapping[str, float] = _probabilities(score, label)
    is_joint = evidence.probabilities is not None and not structure.is_decisive
    if is_joint and evidence.probabilities is not None:
        label, probabilities = _joined(structure, evidence.probabilities, evidence.share)
        score = probabilities["exact_match"] + 0.5 * probabilities["partial_match"]
    weights = _weights(structure.policy)
    return Comparison(
        label=label,
        match=is_match(label, score, match_at, veto=verdict.veto),
        score=score,
        similarity=evidence.similarity,
        probabilities=probabilities,
        level=policies.agreed_level(relations),
        reasons=tuple(_reason(r, weights) for r in relations.by_element.values()),
        flags=tuple(dict.fromkeys((*verdict.flags, *relations.flags, *evidence.flags))),
        left=structure.left,
        right=structure.right,
        decision_version=JOINT_VERSION if is_joint else DECISION_VERSION,
    )


def join(structure: Structure, model: Mapping[str, float], share: float) -> dict[str, float]:
    """Join what structure says of the labels with what a model does: a weighted geometric mean.

    What numbers or nearness make impossible goes from exact to partial.

    Args:
        structure: What the elements say.
        model: A model's probabilities of the three labels.
        share: The model's part, 0 to 1.
    """
    own = _probabilities(structure.score, structure.verdict.label)
    part = _LABEL_SHARE[structure.policy]
    powers = {}
    for label in LABELS:
        weighed = (1.0 - part) * own[label] + part * (label == structure.verdict.label)
        powers[label] = max(weighed, _LEAST) ** (1.0 - share) * max(model[label], _LEAST) ** share
    total = sum(powers.values())
    joint: dict[str, float] = {label: power / total for label, power in powers.items()}
    if not _may_be_exact(structure):
        joint["partial_match"] += joint["exact_match"]
        joint["exact_match"] = 0.0
    return joint


def _may_be_exact(structure: Structure) -> bool:
    """Say whether a model may call exact what structure does not: never over another number."""
    kinds = {structure.relations.kind(element) for element in NUMBERED}
    is_open = not kinds & {"conflict", "contains"} and "near" not in structure.verdict.flags
    return structure.verdict.label == "exact_match" or is_open


def _joined(
    structure: Structure, model: Mapping[str, float], share: float
) -> tuple[Label, dict[str, float]]:
    """The joint label, and probabilities that give the joint score."""
    joint = join(structure, model, share)
    label = max(LABELS, key=joint.__getitem__)
    return label, _probabilities(_joint_score(structure, model, share, label), label)


def _joint_score(
    structure: Structure, model: Mapping[str, float], share: float, label: Label
) -> float:
    """The mean of both log-odds, within the bounds of the joint label.

    Structure's score ranks pairs better than its label and the model's probabilities do together.
    """
    odds = (1.0 - share) * _logit(structure.score) + share * _logit(1.0 - model["not_match"])
    low, high = _BOUNDS[structure.policy][label]
    return low + (high - low) / (1.0 + math.exp(-odds))


def _logit(probability: float) -> float:
    bounded = min(max(probability, _LEAST_ODDS), 1.0 - _LEAST_ODDS)
    return math.log(bounded / (1.0 - bounded))


def is_settled(structure: Structure, share: float) -> bool:
    """Say whether no model need be asked: structure decides, or no answer would change its label.

    Under `place` most pairs that a search returns share so little that a model which is no surer
    than models are, and counts for its share, cannot make a match of them.
    """
    if structure.is_decisive or structure.policy != "place":
        return structure.is_decisive
    if structure.verdict.label != "not_match":
        return False
    joint = join(structure, _SUREST, share)
    return max(LABELS, key=joint.__getitem__) == "not_match"


def is_match(label: Label, score: float, match_at: str | float, *, veto: bool = False) -> bool:
    """Say whether a label or score reaches what counts as a match; no score outweighs a veto."""
    if match_at == "exact":
        return label == "exact_match"
    if match_at == "partial":
        return label != "not_match"
    return not veto and score >= float(match_at)


@lru_cache(maxsize=2)
def _weights(policy: str) -> dict[str, dict[str, float]]:
    return {**_STRICT_WEIGHTS, **_WEIGHTS} if policy == "place" else _WEIGHTS


def _reason(relation: Relation, weights: dict[str, dict[str, float]]) -> Reason:
    weight = _weight(relation, weights)
    return Reason(relation.element, relation.left, relation.right, _said(relation), weight)


def _said(relation: Relation) -> str:
    """The relation in the words of the contract: similar names hold each other, or are aliases."""
    if relation.kind != "similar":
        return relation.kind
    left, right = relation.left or "", relation.right or ""
    return "contains" if left in right or right in left else "alias"


def _weight(relation: Relation, weights: dict[str, dict[str, float]]) -> float:
    kind = "similar" if weights is _WEIGHTS and relation.is_sibling else relation.kind
    return weights.get(relation.element, {}).get(kind, 0.0)


def _log_odds(
    relations: Relations, verdict: Verdict, weights: dict[str, dict[str, float]]
) -> float:
    total = _BASE + _SHARED * relations.shared + _NUMBERS * relations.numbers_shared
    for relation in relations.by_element.values():
        total += _weight(relation, weights)
    return total + _LABEL[verdict.label] + _number_evidence(relations)


def _bounded(log_odds: float, verdict: Verdict, policy: str) -> float:
    """Squeeze the probability of the log-odds between the bounds of the label."""
    low, high = _BOUNDS[policy][verdict.label]
    if verdict.veto:
        high = _VETO_BOUND
    if policy == "place" and verdict.label == "exact_match" and verdict.anchored:
        low = _ANCHORED_EXACT
    return low + (high - low) / (1.0 + math.exp(-log_odds))


def _number_evidence(relations: Relations) -> float:
    if relations.kind("road") not in {"equal", "alias", "contains", "similar"}:
        return 0.0
    number = relations.kind("roadno")
    return {"equal": _SAME_NUMBER, "contains": 0.8 * _SAME_NUMBER, "conflict": _OTHER_NUMBER}.get(
        number, 0.0
    )


def _probabilities(score: float, label: Label) -> dict[str, float]:
    """Split a score into three probabilities that give it back: exact + partial / 2."""
    share = _EXACT_SHARE[label]
    match = min(1.0, score / (share + 0.5 * (1.0 - share)))
    exact = match * share if match < 1.0 else 2.0 * score - 1.0
    partial = 2.0 * (score - exact)
    return {
        "exact_match": exact,
        "partial_match": partial,
        "not_match": max(0.0, 1.0 - exact - partial),
    }
