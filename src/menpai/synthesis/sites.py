"""Sites: what stands at one number of a road or in one spot of a village."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from menpai.synthesis.regions import Region

KINDS = ("compound", "tower", "mall", "park", "institution", "street", "hamlet", "highway")


@dataclass(frozen=True, slots=True)
class Site:
    """One compound, tower, mall, park, institution, house or farm.

    Attributes:
        index: Its place in `World.sites`.
        kind: One of `KINDS`; a street site is a number without a name, a highway site lies at one.
        region: The divisions it lies in.
        village: Official name of its village or community, if that is used in its address.
        hamlet: The natural village, where it has one.
        group: Its group, such as 3组.
        zone: The development zone that is part of its address.
        road: Name of its road.
        number: Its number, such as 12号, 299弄 or 甲88号院.
        name: What it is called.
        aliases: Other names of it.
        former: What it was once called.
        crossing: The next road that crosses its own.
        offset: Where it lies from that crossing, such as 西北200米; from a mark of a highway.
        near: A landmark nearby.
        beside: How it lies to that landmark: 对面, 东侧.
        building_unit: The word that its buildings are counted with; empty in a tower.
    """

    index: int
    kind: str
    region: Region
    village: str | None = None
    hamlet: str | None = None
    group: str | None = None
    zone: str | None = None
    road: str | None = None
    number: str | None = None
    name: str | None = None
    aliases: tuple[str, ...] = ()
    former: str | None = None
    crossing: str | None = None
    offset: str = "东50米"
    near: str | None = None
    beside: str = "附近"
    building_unit: str = "号楼"

    @property
    def is_lane(self) -> bool:
        """Say whether its buildings are house numbers of a lane: 299弄5号."""
        return self.number is not None and self.number.endswith("弄")
