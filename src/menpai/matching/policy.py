"""From the relations of two addresses to a label: the decision table of each policy.

`place` asks whether two addresses are one place. `ccks` follows the benchmark's habit: conflicting
children of one compound, mall or road number are a partial match, and districts, which couriers
often get wrong, veto nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from menpai.address import commonness, rarity
from menpai.address.elements import INNER
from menpai.address.names import is_building_type, is_telling, names_of

if TYPE_CHECKING:
    from menpai.address.elements import Address
    from menpai.address.relations import Relations
    from menpai.matching.results import Label

POLICIES = ("place", "ccks")
EXACT: Label = "exact_match"
PARTIAL: Label = "partial_match"
NOT: Label = "not_match"

_SAME = frozenset({"equal", "alias", "renamed"})
_LEVELS = (
    "province",
    "city",
    "district",
    "town",
    "village",
    "group",
    "zone",
    "road",
    "roadno",
    "poi",
)
_FINE = ("road", "roadno", "poi", "tenant", "village", "group", *INNER, "landmark")
_SOFT_LEVELS = frozenset({"province", "city", "district", "town", "zone", "poi", "floor"})
_TORN = ("province", "city", "district")
_SIDE = re.compile(r"([东西南北]{1,2})[侧边面门头角]")
_RARE_SHARED = 3.0
"""Half-normalised shared rarity from which two texts without a common element still touch."""
_RARE_WORD = 6.0
"""Rarity of a pair of characters that one address in 400 has."""
_IN_VILLAGE = ("road", "poi", "group")


class Verdict(NamedTuple):
    """A label, whether structure forbids more, flags, and whether a place is surely shared."""

    label: Label
    veto: bool
    flags: tuple[str, ...] = ()
    anchored: bool = False


def judge(left: Address, right: Address, relations: Relations, policy: str) -> Verdict:
    """Apply a policy's decision table.

    Args:
        left: One address.
        right: The other.
        relations: What `address.compare` found between them.
        policy: "place" or "ccks".
    """
    return _Table(left, right, relations, strict=policy == "place").judge()


def agreed_level(relations: Relations) -> str | None:
    """Give the deepest element on which both sides agree, above the first conflict below it."""
    deepest = None
    for element in (*_LEVELS, *INNER):
        kind = relations.kind(element)
        if kind in _SAME:
            deepest = element
        elif element == "group" and relations.kind("road") in _SAME:
            continue
        elif kind == "conflict" and element not in _SOFT_LEVELS:
            break
    return deepest


class _Table:
    """The decision table, row by row, on one pair."""

    def __init__(
        self, left: Address, right: Address, relations: Relations, *, strict: bool
    ) -> None:
        self.left = left
        self.right = right
        self.relations = relations
        self.strict = strict
        self.flags: list[str] = []

    def kind(self, element: str) -> str:
        """The relation of an element; the benchmark takes siblings of one place for akin."""
        relation = self.relations.by_element.get(element)
        if relation is None:
            return "absent"
        if not self.strict and relation.is_sibling:
            return "similar"
        return relation.kind

    def same(self, element: str) -> bool:
        """Both sides have the element and it is one; two car parks share no name that tells."""
        relation = self.relations.by_element.get(element)
        return relation is not None and self.kind(element) in _SAME and relation.similarity > 0

    def judge(self) -> Verdict:
        if "not_an_address" in self.left.flags or "not_an_address" in self.right.flags:
            return Verdict(NOT, veto=True, flags=("not_an_address",))
        if "conflict" in (self.kind("province"), self.kind("city")):
            return Verdict(NOT, veto=self.strict, flags=())
        label = self._by_anchor()
        veto = label == NOT and self.strict and self._is_contradicted()
        if label != NOT:
            label = self._capped(label)
        return Verdict(label, veto, tuple(self.flags), self._is_anchored())

    def _is_anchored(self) -> bool:
        """Road and number are one, or a name is and the city or road does not leave it open."""
        if self.same("road"):
            return self.kind("roadno") != "conflict"
        named = self._place_same() or self.same("village")
        return named and (self.same("city") or self.same("district"))

    def _is_contradicted(self) -> bool:
        conflicting = ("road", "roadno", "building", "unit", "room", "village", "group")
        return any(self.kind(e) == "conflict" for e in conflicting)

    # What both sides hang on: a road with its number, a place, a village.

    def _by_anchor(self) -> Label:
        if self.left.normalized == self.right.normalized:
            return EXACT
        road, number = self.kind("road"), self.kind("roadno")
        road_same = road in _SAME or road in {"contains", "similar"}
        if road_same and number == "equal":
            return self._at_number()
        if self._place_same():
            return self._at_place()
        if road == "conflict":
            return NOT
        if road_same:
            return self._on_road(number)
        return self._without_road()

    def _place_same(self) -> bool:
        return self.same("poi") or self.same("tenant")

    def _at_number(self) -> Label:
        """Same road and number: tenants, names, then what is inside."""
        if self.kind("tenant") == "conflict":
            return NOT if self.strict else PARTIAL
        inner = self._inside()
        if self.kind("poi") == "conflict":
            if self.relations.by_element["poi"].is_sibling:
                return NOT
            if inner == NOT and self._inner_conflicts():
                return inner
            self.flags.append("name_conflict")
            return PARTIAL
        if (self.kind("tenant") == "missing" or self.kind("poi") == "contains") and inner != NOT:
            return PARTIAL
        if self.kind("poi") == "missing" and not self._only_building_type() and inner != NOT:
            return PARTIAL
        if self._is_vague_road() and inner == EXACT:
            return PARTIAL
        return inner

    def _is_vague_road(self) -> bool:
        """中山路 for 中山南路: one side leaves the road's side out."""
        road = self.relations.by_element.get("road")
        return road is not None and road.kind == "contains" and road.similarity <= 0.5

    def _only_building_type(self) -> bool:
        relation = self.relations.by_element["poi"]
        return is_building_type(relation.left or relation.right)

    def _at_place(self) -> Label:
        """Same place by name; roads and numbers may be missing or written otherwise."""
        road, number = self.kind("road"), self.kind("roadno")
        if self.kind("tenant") == "conflict":
            return NOT if self.strict else PARTIAL
        if self.kind("poi") == "conflict":
            self.flags.append("name_conflict")
            return PARTIAL
        inner = self._inside()
        if inner == NOT:
            return NOT
        if number == "conflict" or road == "conflict":
            self.flags.append("number_conflict" if number == "conflict" else "division_conflict")
            return PARTIAL if self._name_is_telling() else NOT
        if number == "contains" or "missing" in (self.kind("poi"), self.kind("tenant")):
            return PARTIAL if not self.same("tenant") or number == "contains" else inner
        if self._branch_unsaid() and not self.same("road"):
            return PARTIAL
        return inner

    def _branch_unsaid(self) -> bool:
        """A chain's name without a branch may mean any of its shops."""
        branches = [names_of(side).branch for side in (self.left, self.right)]
        return sum(b.endswith("店)") for b in branches) == 1

    def _name_is_telling(self) -> bool:
        """A name that other cities have too does not make another road the same place."""
        if self.kind("road") != "conflict" or self.same("district") or self.same("city"):
            return True
        relation = self.relations.by_element.get("poi") or self.relations.by_element["tenant"]
        return all(is_telling(n, rarity.load()) for n in (relation.left, relation.right))

    def _on_road(self, number: str) -> Label:
        """Same road, no equal number."""
        poi, tenant = self.kind("poi"), self.kind("tenant")
        if number == "conflict" or self._is_elsewhere_on_road():
            return NOT
        if number == "contains":
            return NOT if self._inner_conflicts() else PARTIAL
        if "conflict" in (poi, tenant):
            return NOT
        inner = self._inside()
        if inner == NOT:
            return NOT
        if number == "missing" or "missing" in (poi, tenant) or "similar" in (poi, tenant):
            return PARTIAL
        if self.kind("village") == "conflict":
            return NOT
        vague = self.kind("road") == "similar" or self._is_vague_road()
        return PARTIAL if vague else inner

    def _is_elsewhere_on_road(self) -> bool:
        """Two crossings or distances on one road, and no name in common."""
        return self.kind("landmark") == "conflict" and "similar" not in (
            self.kind("poi"),
            self.kind("tenant"),
        )

    def _without_road(self) -> Label:
        """No common road: village and group, wording, or nothing finer than a division."""
        if self.kind("group") == "conflict" or self.kind("village") == "conflict":
            return NOT
        if "conflict" in (self.kind("poi"), self.kind("tenant")):
            return NOT
        if self.kind("poi") == "similar" or self.kind("tenant") == "similar":
            return NOT if self._inner_conflicts() else PARTIAL
        if self.kind("village") in _SAME | {"contains"} or self.same("group"):
            return self._in_village()
        return self._in_division()

    def _in_village(self) -> Label:
        inner = self._inside()
        if inner == NOT or (self._go_separate_ways() and not self._touches_below()):
            return NOT
        if "missing" in {self.kind(e) for e in ("group", "poi", "road", "roadno")}:
            return PARTIAL
        return inner if self.kind("roadno") != "conflict" else NOT

    def _go_separate_ways(self) -> bool:
        """Each side names something in the village that the other does not."""
        return all(
            _is_house_of_village(side) or any(self._only_on(side, e) for e in _IN_VILLAGE)
            for side in (self.left, self.right)
        ) and any(self._only_on(side, e) for e in _IN_VILLAGE for side in (self.left, self.right))

    def _only_on(self, side: Address, element: str) -> bool:
        return bool(getattr(side, element)) and self.kind(element) == "missing"

    def _touches_below(self) -> bool:
        """What is said in the village shares a number, or rare words beside its name."""
        if self._inner_conflicts():
            return False
        if self.relations.numbers_shared:
            return True
        sides = [
            rarity.bigrams(" ".join(filter(None, (side.road, side.poi, side.rest))))
            for side in (self.left, self.right)
        ]
        village = rarity.bigrams(f"{self.left.village or ''} {self.right.village or ''}")
        common = (sides[0] & sides[1]) - village
        return rarity.load().total(common) >= _RARE_WORD

    def _in_division(self) -> Label:
        """Nothing but divisions in common."""
        finer = [self._has_finer(side) for side in (self.left, self.right)]
        deepest = agreed_level(self.relations)
        if deepest is None:
            return PARTIAL if self._touches() else NOT
        if not any(finer):
            return EXACT if self._same_divisions() else PARTIAL
        if all(finer):
            return PARTIAL if self._touches() else NOT
        return PARTIAL if deepest in {"district", "town", "village", "zone"} else NOT

    def _has_finer(self, side: Address) -> bool:
        return any(getattr(side, e, None) for e in _FINE if e != "tenant")

    def _same_divisions(self) -> bool:
        return all(self.kind(e) != "missing" for e in ("district", "town", "village"))

    def _touches(self) -> bool:
        return self.relations.shared >= _RARE_SHARED and not self._inner_conflicts()

    # Inside one place.

    def _inner_conflicts(self) -> bool:
        return any(self.kind(e) == "conflict" for e in INNER)

    def _inside(self) -> Label:
        """Building, unit, floor and room under one anchor."""
        kinds = {e: self.kind(e) for e in INNER}
        if "conflict" in (*kinds.values(), self.kind("group")):
            return NOT if self.strict else PARTIAL
        if "contains" in kinds.values():
            return PARTIAL
        if kinds["room"] in _SAME:
            above = (kinds["building"], kinds["unit"], kinds["floor"])
            return PARTIAL if "missing" in above else EXACT
        if self.same("tenant") and not self._inner_in_doubt():
            return EXACT
        return PARTIAL if "missing" in kinds.values() else EXACT

    def _inner_in_doubt(self) -> bool:
        """Both sides number something that was not read alike for sure."""
        pairs = [self.relations.by_element.get(e) for e in INNER]
        return any(r and r.kind == "missing" and r.left and r.right for r in pairs)

    # What holds an agreement down.

    def _capped(self, label: Label) -> Label:
        if self._is_near() and not self._names_itself():
            self.flags.append("near")
            label = PARTIAL
        if self.strict and "conflict" in (self.kind("district"), self.kind("town")):
            anchored = self._place_same() or (self.same("road") and self.same("roadno"))
            anchored |= self.same("landmark")
            self.flags.append("division_conflict")
            return PARTIAL if anchored else NOT
        if label == EXACT and (
            self._is_common_elsewhere() or self._is_doubtful() or self._is_on_another_side()
        ):
            return PARTIAL
        return label

    def _is_on_another_side(self) -> bool:
        """88号东门 and 88号西门 are one number, and two places."""
        sides = [_SIDE.findall(side.landmark or "") for side in (self.left, self.right)]
        return bool(sides[0] and sides[1]) and sides[0] != sides[1]

    def _is_doubtful(self) -> bool:
        """Divisions or zones differ, though too unsure (completed, corrected) to forbid a match."""
        if self.left.normalized == self.right.normalized:
            return False
        unsure = [
            self.relations.by_element.get(e) for e in ("province", "city", "district", "town")
        ]
        differ = any(r and r.kind == "missing" and r.left and r.right for r in unsure)
        flags = {*self.left.flags, *self.right.flags}
        torn = any(f"{e}_conflict" in flags and not self.same(e) for e in _TORN)
        if self.strict and (differ or torn or self.kind("zone") == "conflict"):
            self.flags.append("division_conflict")
            return True
        return False

    def _is_near(self) -> bool:
        """附近, 对面: one side only points to the neighbourhood; a remark in brackets does not."""
        return any(points_nearby(side) for side in (self.left, self.right))

    def _names_itself(self) -> bool:
        """A place of its own name on both sides is there, whatever its address is near to."""
        for element in ("tenant", "poi"):
            relation = self.relations.by_element.get(element)
            if relation is not None and relation.kind in _SAME:
                landmarks = f"{self.left.landmark or ''}|{self.right.landmark or ''}"
                return (relation.left or "") not in landmarks and (
                    relation.right or ""
                ) not in landmarks
        return False

    def _is_common_elsewhere(self) -> bool:
        """Without a city on one side, a road that many cities have proves little."""
        if self.kind("city") == "equal" or self.kind("district") in _SAME:
            return False
        if "missing" not in (self.kind("city"), self.kind("province")):
            return False
        roads = {self.left.road, self.right.road} - {None}
        if self.same("poi") or self.same("tenant"):
            return False
        return any(commonness.is_common_road(road) for road in roads if road)


def _is_house_of_village(side: Address) -> bool:
    """Say whether a number counts the houses of a village itself: 听松村117号."""
    named = (side.road, side.poi, side.building)
    return bool(side.village and side.room and "号" in side.room) and not any(named)


def points_nearby(side: Address) -> bool:
    """Say whether an address only points to a neighbourhood: 附近, 对面, 旁, 隔壁."""
    landmark = side.landmark
    if landmark is None or not any(
        w in landmark for w in ("附近", "对面", "旁", "隔壁", "靠近", "临近")
    ):
        return False
    start = side.spans["landmark"][0]
    return not (start and side.text[start - 1] in "(（")
